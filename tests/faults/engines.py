"""Seconds of the same cases on user-mode Linux and on QEMU: `python -m tests.faults.engines --seed 1`.

A machine of each is started, and the cases of some seeds (`pairs.py`) are run on it; `engines.jsonl` keeps the last
measurement. Processor seconds are those of all processes of the harness, the guest's among them.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.faults import run_lab
from tests.faults.lab_machine import Lab, lab, quick_lab
from tests.faults.pairs import drawn

FILE = Path(__file__).with_name("engines.jsonl")
ENGINES: dict[str, Callable[[], AbstractContextManager[Lab]]] = {"user-mode Linux": quick_lab, "QEMU": lab}


@dataclass(frozen=True, slots=True)
class Cost:
    """What something took."""

    engine: str
    what: str
    wall: float
    processor: float
    load: float
    """of the host over the last minute, at its end"""
    day: str


def recorded() -> list[Cost]:
    """The last measurement of each engine."""
    return [Cost(**json.loads(line)) for line in FILE.read_text().splitlines()] if FILE.exists() else []


def used() -> float:
    """Processor seconds so far of this process and of all below it, with those that ended."""
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            parents[int(stat.parent.name)] = int(fields[1])
            ticks[int(stat.parent.name)] = sum(map(int, fields[11:15]))
    ours, below = {os.getpid()}, {os.getpid()}
    while below:
        below = {each for each, parent in parents.items() if parent in below}
        ours |= below
    return sum(ticks[each] for each in ours) / os.sysconf("SC_CLK_TCK")


def measured(engine: str, seeds: range) -> Iterator[Cost]:
    """The start of a machine, then each case."""
    day = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    since, before = time.monotonic(), used()
    with ENGINES[engine]() as machine:
        whats = ["start, with raidtui and 16 disks", *seeds]
        for what in whats:
            if isinstance(what, int):
                since, before = time.monotonic(), used()
                case = drawn(what)
                assert run_lab.run(machine, case).survived, case
                what = f"seed {what}: {case.fault} at {case.step} {case.when}, then {' '.join(case.then)}"
            load = os.getloadavg()[0]
            yield Cost(engine, what, round(time.monotonic() - since, 1), round(used() - before, 1), round(load, 1), day)


def main() -> None:
    """Measures, and keeps what is found in the place of what was there of that engine."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.engines", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--engine", choices=ENGINES, help="this one alone")
    options = parser.parse_args()
    for engine in [options.engine] if options.engine else ENGINES:
        found: list[Cost] = []
        for cost in measured(engine, range(options.seed, options.seed + options.count)):
            found.append(cost)
            print(cost, flush=True)
            kept = [each for each in recorded() if each.engine != engine]
            FILE.write_text("".join(f"{json.dumps(asdict(each))}\n" for each in (*kept, *found)))


if __name__ == "__main__":
    main()
