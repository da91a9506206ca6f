"""Kills the control host of a build at random moments; another one goes on. `python -m tests.faults.fleet_kills 50`.

Three simulated hosts, each with its own directory of runs, built by real processes: the control host and all that it
started directly are killed with SIGKILL, executors are in sessions of their own and live on, as on hosts of their own.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from raidtui.machine.run import journal
from raidtui.model.run import Record

HOSTS = ("node01", "node02", "node03")
SPEED_UP = "1e6"
RAIDTUI = (sys.executable, "-I", "-m", "raidtui")
LONGEST = 120.0
"""seconds for one build to its end"""


class Ended(NamedTuple):
    """What a trial came to."""

    killed_after_s: float
    begun: int
    """hosts that had begun when the control host was killed"""
    stages: tuple[str, ...]
    """of all hosts, as the second control host saw them at last"""
    doubled: int
    """actions that any host began more than once"""
    differ: int
    """hosts whose disks are not as those of a build that was left alone"""


def run(folder: Path, control: str, *words: str, wait: bool = True) -> subprocess.Popen[str]:
    """A process of the control host `control`, whose state is its own."""
    process = subprocess.Popen(
        [*RAIDTUI, *words], cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "XDG_STATE_HOME": str(folder / control)},
    )  # fmt: skip
    if wait:
        process.wait(LONGEST)
    return process


def prepared(folder: Path) -> str:
    """Three hosts and their sheet in `folder`. Returns the digest of the sheet."""
    (folder / "hosts").mkdir()
    found = run(folder, "one", "disks", "--inventory", "nas4", "--json").communicate()[0]
    for host in HOSTS:
        (folder / "hosts" / f"{host}.json").write_text(found)
    for words in (
        ("fleet", "recipe", "raid5(3+1)", "--out", "recipe.toml"),
        ("fleet", "plan", "recipe.toml", "-w", "node[01-03]", "--worker", "local:hosts", "--out", "sheet"),
    ):
        process = run(folder, "one", *words)
        assert process.returncode == 0, process.communicate()
    digest: str = json.loads((folder / "sheet" / "sheet.json").read_text())["digest"]
    return digest


def build(folder: Path, control: str, verb: str, digest: str, *, wait: bool = True) -> subprocess.Popen[str]:
    """`fleet build` or `fleet resume` by a control host."""
    confirmed = ("--yes", "--confirm", digest) if verb == "build" else ()
    return run(
        folder, control, "fleet", verb, "sheet", "--worker", "local:hosts", "--interval", "0.3", "--speed-up", SPEED_UP,
        "--json", *confirmed, wait=wait,
    )  # fmt: skip


def records_of(folder: Path, host: str) -> tuple[Record, ...]:
    """The journal of the host's one run; empty without one."""
    runs = [each for each in (folder / "hosts" / f"{host}.runs").glob("?" * 32) if (each / "plan.json").exists()]
    assert len(runs) <= 1
    return journal.records(runs[0]) if runs else ()


def doubled(records: Sequence[Record]) -> int:
    """Actions whose intent stands in the journal more than once."""
    counts = Counter((record.step, record.action) for record in records if record.kind == "intent")
    return sum(count > 1 for count in counts.values())


def disks_of(folder: Path, host: str) -> Any:
    """What a host's simulated machine holds: disks, arrays, mounts, files; rates and times are left out."""
    found = next((folder / "hosts" / f"{host}.runs").glob("*/machine.json"))
    state = json.loads(found.read_text())["state"]
    return _exact({key: state[key] for key in ("drives", "arrays", "groups", "mounts", "files", "rules")})


def _exact(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _exact(each) for key, each in value.items() if not isinstance(each, float)}
    return [_exact(each) for each in value] if isinstance(value, list) else value


def trial(folder: Path, killed_after_s: float, alone: Sequence[Any]) -> Ended:
    """One build whose control host is killed, and goes on from another. `alone`: disks of a build left alone."""
    digest = json.loads((folder / "sheet" / "sheet.json").read_text())["digest"]
    first = build(folder, "one", "build", digest, wait=False)
    time.sleep(killed_after_s)
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    begun = sum(bool(records_of(folder, host)) for host in HOSTS)
    second = build(folder, "two", "resume", digest)
    if second.returncode == 1:  # no host has begun: there is nothing to take over
        second = build(folder, "two", "build", digest)
    document = json.loads(second.communicate()[0])
    return Ended(
        killed_after_s=killed_after_s,
        begun=begun,
        stages=tuple(host["stage"] for host in document["hosts"]),
        doubled=sum(doubled(records_of(folder, host)) for host in HOSTS),
        differ=sum(disks_of(folder, host) != left for host, left in zip(HOSTS, alone, strict=True)),
    )


def undisturbed(folder: Path) -> tuple[float, list[Any]]:
    """Seconds of a build that is left alone, and what it leaves on each host."""
    digest = prepared(folder)
    start = time.monotonic()
    process = build(folder, "one", "build", digest)
    assert process.returncode == 0, process.communicate()
    seconds = time.monotonic() - start
    return seconds, [disks_of(folder, host) for host in HOSTS]


def reset(folder: Path) -> None:
    """Blank hosts again."""
    for host in HOSTS:
        shutil.rmtree(folder / "hosts" / f"{host}.runs", ignore_errors=True)


def is_sound(ended: Ended) -> bool:
    """Every host is built once, as if nothing had happened."""
    return ended.stages == ("built",) * len(HOSTS) and ended.doubled == 0 and ended.differ == 0


def main(trials: int, seed: int) -> int:
    """Runs the trials, a line each. Returns 1 if one is not sound."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        seconds, alone = undisturbed(folder)
        print(f"left alone: {seconds:.1f} s", flush=True)
        failed = 0
        for number in range(1, trials + 1):
            reset(folder)
            ended = trial(folder, chance.uniform(0, seconds), alone)
            failed += not is_sound(ended)
            word = "ok" if is_sound(ended) else "NOT SOUND"
            print(f"{number}: {word} {ended}", flush=True)
    print(f"{trials - failed} of {trials} sound (seed {seed})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1))
