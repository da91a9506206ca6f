"""The bands of a hybrid layout: where disks of mixed size are cut, so that every piece has partners of its size.

A band ends where the smallest disks that reach into it end; the next is over the disks that go on. Disks within 1 % of
one another end together, since a band between them would cost more in superblocks and code paths than it holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from raidtui.model.design import Design
from raidtui.model.inventory import Disk
from raidtui.model.layout import Band, HybridLayout
from raidtui.planner.geometry.gpt import START_BYTES, largest_partition

_ALIKE = 0.99
"""disks whose ends differ by less than 1 % end together"""


def on_disks(design: Design, disks: Sequence[Disk]) -> Design:
    """`design` with its hybrid layout cut for the first disks of `disks`; other designs and cut ones as they are.

    It stays as it is too if there are too few disks, or if one is too small for a partition.
    """
    layout = design.layout
    if not isinstance(layout, HybridLayout) or layout.bands is not None or len(disks) < layout.disks:
        return design
    found = bands_of(layout.failures, disks[: layout.hybrid_disks])
    return replace(design, layout=replace(layout, bands=found)) if found else design


def bands_of(failures: int, disks: Sequence[Disk]) -> tuple[Band, ...]:
    """The bands over `disks`, from the start on; none if one of the disks has no room for a partition.

    Where fewer disks go on than survive `failures` failed ones, the rest of them stays unused.
    """
    ends = [partition_end(disk) for disk in disks]
    if START_BYTES in ends:
        return ()
    bands: list[Band] = []
    start = START_BYTES
    for cut in _cuts(ends):
        members = tuple(number for number, end in enumerate(ends) if end >= cut)
        if len(members) <= failures:
            break
        bands.append(Band(members=members, start_bytes=start, size_bytes=cut - start))
        start = cut
    return tuple(bands)


def partition_end(disk: Disk) -> int:
    """Byte at which the last partition of `disk` ends at most; `START_BYTES` if there is room for none."""
    return START_BYTES + largest_partition(disk.size_bytes, disk.logical_sector_bytes)


def _cuts(ends: Sequence[int]) -> list[int]:
    """Where bands end, in order: at the shortest of the disks that are alike."""
    cuts: list[int] = []
    for end in sorted(ends):
        if end > START_BYTES and (not cuts or cuts[-1] < _ALIKE * end):
            cuts.append(end)
    return cuts
