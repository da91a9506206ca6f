"""How long a search takes, per layout judged and in all, and its memory, from 60 to 1,000 disks, in turns in one run.

    python -m tests.benchmarks.bench_search > tests/benchmarks/SEARCH.md

Processor time is counted, so that other work on the machine weighs little; the fastest of the turns counts, and the
ratio to the smallest pool is what holds on any machine. Memory is traced in one more, much slower turn.
"""

from __future__ import annotations

import gc
import time
import tracemalloc

from raidtui.advice.proposals.propose import propose, propose_in_slices
from raidtui.predict.stated_disks import purchase
from raidtui.values.inventory import Inventory
from raidtui.values.proposal import Constraints

POOLS = (60, 120, 240, 480, 1000)
TURNS = 5
_BAR = 40
_HEAD = """\
# Comparing the layouts that people build

Written by `python -m tests.benchmarks.bench_search`. Disks of 8 TB, LVM and XFS, no constraints. Processor time, the
fastest of {turns} turns. The largest slice is the longest time between two signs of progress, which is what a screen
waits for.

| disks | layouts there are | judged | front | total | for each judged | ratio | largest slice | traced peak |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""


def main() -> None:
    """Prints the table and a plot."""
    inventories = {disks: purchase(f"{disks}x8TB") for disks in POOLS}
    judged = {disks: _judged(inventory) for disks, inventory in inventories.items()}
    times: dict[int, list[float]] = {disks: [] for disks in POOLS}
    for _ in range(TURNS):
        for disks, inventory in inventories.items():
            times[disks].append(_seconds(inventory))
    each = {disks: min(times[disks]) / judged[disks] * 1e6 for disks in POOLS}
    print(_HEAD.format(turns=TURNS))
    for disks, inventory in inventories.items():
        proposal = propose(inventory, inventory.disks, Constraints())
        print(
            f"| {disks} | {proposal.considered:,} | {judged[disks]:,} | {len(proposal.candidates):,}"
            f" | {min(times[disks]) * 1e3:.0f} ms | {each[disks]:.0f} us | {each[disks] / each[POOLS[0]]:.2f}"
            f" | {_longest_slice(inventory) * 1e3:.0f} ms | {_peak(inventory) / 1e6:.0f} MB |"
        )
    print("\nTime for each layout judged:\n\n```")
    for disks in POOLS:
        print(f"{disks:5d} disks {'#' * round(_BAR * each[disks] / max(each.values())):<{_BAR}} {each[disks]:.0f} us")
    print("```")


def _judged(inventory: Inventory) -> int:
    """How many layouts the search judges."""
    return max(step.of for step in propose_in_slices(inventory, inventory.disks, Constraints()))


def _seconds(inventory: Inventory) -> float:
    gc.collect()
    start = time.process_time()
    propose(inventory, inventory.disks, Constraints())
    return time.process_time() - start


def _longest_slice(inventory: Inventory) -> float:
    longest, last = 0.0, time.process_time()
    for _ in propose_in_slices(inventory, inventory.disks, Constraints()):
        now = time.process_time()
        longest, last = max(longest, now - last), now
    return max(longest, time.process_time() - last)


def _peak(inventory: Inventory) -> int:
    tracemalloc.start()
    propose(inventory, inventory.disks, Constraints())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


if __name__ == "__main__":
    main()
