"""The same random faults on the simulated machine and on real md: `python -m tests.faults.pairs --seed 1 --count 20`.

A seed draws a kill, a power cut or a signal, the step and the moment where it strikes, and whether the operator then
goes on or takes it back. Exit codes, end and changed bytes must be equal. Each outcome is a line of `pairs.jsonl`;
`--seed N --count 1` repeats one. A minute and a half of a processor each.
"""

from __future__ import annotations

import argparse
import datetime
import json
import random
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.faults import run_lab, run_simulated
from tests.faults.case import Act, Case, End, Result
from tests.faults.lab_machine import quick_lab
from tests.faults.matrix import STEPS
from tests.lab.agent import GuestCommandError
from tests.lab.host import LabError

FILE = Path(__file__).with_name("pairs.jsonl")
_MOMENTS = {
    "kill": ("before intent", "after intent", "during", "after command", "after done"),
    "power": ("after intent", "during", "after command"),
    "SIGTERM": ("during",),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pair:
    """What a seed came to on both."""

    seed: int
    day: str
    case: str
    simulated: str
    real: str
    problems: tuple[str, ...]
    """what does not hold on one of them"""

    @property
    def equal(self) -> bool:
        """No difference, and nothing wrong."""
        return self.simulated == self.real and not self.problems


def drawn(seed: int) -> Case:
    """The case of a seed: the same for the same seed."""
    draw = random.Random(seed)
    fault = draw.choice(("kill", "kill", "power", "power", "SIGTERM"))
    act, end = draw.choice((("resume", "completed"), ("undo", "rolled-back")))
    acts: tuple[Act, ...] = (act,)  # type: ignore[assignment]
    ends: End = end  # type: ignore[assignment]
    step, when = draw.choice(STEPS), draw.choice(_MOMENTS[fault])
    return Case(id=f"seed-{seed}", fault=fault, step=step, when=when, then=acts, end=ends)


def outcome(result: Result) -> str:
    """All that has to be equal."""
    codes = [None if code is None else int(code) for code in result.codes]
    return f"{result.end}, exit codes {codes}, {result.bystander_bytes} bytes changed elsewhere"


def run(seeds: Sequence[int]) -> list[Pair]:
    """Both runs of each seed, on one machine."""
    found: list[Pair] = []
    left = list(seeds)
    failed: set[int] = set()
    while left:
        with quick_lab() as machine:
            while left:
                seed = left[0]
                case = drawn(seed)
                try:
                    real = run_lab.run(machine, case)
                except (LabError, GuestCommandError) as problem:
                    print(f"seed {seed}: the lab failed: {str(problem)[-600:]}", file=sys.stderr)
                    if seed in failed:
                        raise
                    failed.add(seed)
                    break
                left.pop(0)
                other = run_simulated.run(case)
                words = f"{case.fault} at {case.step} {case.when}, then {' '.join(case.then)}"
                day = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
                problems = (*other.problems, *real.problems)
                found.append(Pair(seed, day, words, outcome(other), outcome(real), problems))
                print(found[-1], flush=True)
                keep(found)
    return found


def simulated(seeds: Sequence[int]) -> int:
    """The simulated half alone, which prints what does not end as it must: 0 where all do."""
    bad = 0
    for seed in seeds:
        result = run_simulated.run(drawn(seed))
        bad += not result.survived
        if not result.survived:
            print(f"seed {seed}: {drawn(seed)}: {outcome(result)}: {result.problems}", flush=True)
    print(f"{len(seeds)} seeds on the simulated machine, {bad} without the end that they must have", file=sys.stderr)
    return 1 if bad else 0


def recorded() -> list[Pair]:
    """The pairs of the record, by seed."""
    lines = FILE.read_text().splitlines() if FILE.exists() else []
    return [Pair(**(json.loads(line) | {"problems": tuple(json.loads(line)["problems"])})) for line in lines]


def keep(found: Sequence[Pair]) -> None:
    """Puts pairs in the place of those of their seeds."""
    pairs = {pair.seed: pair for pair in (*recorded(), *found)}
    FILE.write_text("".join(f"{json.dumps(asdict(pairs[seed]))}\n" for seed in sorted(pairs)))


def main() -> int:
    """0 where all are equal."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.pairs", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--simulated", action="store_true", help="on the simulated machine alone: 0.4 s each")
    options = parser.parse_args()
    if options.simulated:
        return simulated(range(options.seed, options.seed + options.count))
    found = run(range(options.seed, options.seed + options.count))
    print(f"{len(found)} seeds, {sum(not pair.equal for pair in found)} differences", file=sys.stderr)
    return 0 if all(pair.equal for pair in found) else 1


if __name__ == "__main__":
    sys.exit(main())
