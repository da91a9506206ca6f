"""`python -m tests.properties.speed_jumps 3000 7`: random pairs of a machine and a better one, and what got slower.

Three thousand random machines and workloads, by the seed 7; each better input is a comparison of the point and both
ends of the band (`test_better_is_faster`).
"""

from __future__ import annotations

import sys
from collections import Counter

from hypothesis import HealthCheck, Phase, given, seed, settings

from raidtui.values.speed import WorkloadQuestion
from tests.properties.test_better_is_faster import Machine, asks, jumps, machines


def compared(examples: int, number: int) -> tuple[Counter[str], list[str]]:
    """(comparisons by the input that is better, the jumps) of so many random machines."""
    seen: Counter[str] = Counter()
    found: list[str] = []

    @seed(number)
    @settings(
        max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )  # fmt: skip
    @given(machine=machines(), ask=asks())
    def draw(machine: Machine, ask: WorkloadQuestion) -> None:
        for name, wrong, *_ in jumps(machine, ask):
            seen[name] += 1
            found.extend([f"{name}: {wrong}: {machine}, {ask}"] if wrong else [])

    draw()
    return seen, found


if __name__ == "__main__":
    counted, slower = compared(*map(int, sys.argv[1:3]))
    for line in slower:
        print(line)
    print(", ".join(f"{count:,} {name}" for name, count in counted.most_common()))
    print(f"{counted.total():,} comparisons, {len(slower)} jumps")
