"""Sets of members whose joint loss loses an array: every level as sets of disks with a tolerance."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

from raidtui.model.layout import Layout

MOST_COPIES = 6
"""copies that are modelled; with more, a loss is rarer than any model can predict"""


@dataclass(frozen=True, slots=True)
class LossSets:
    """An array is lost when more than `tolerance` of the `width` disks of any one of its sets are missing."""

    count: int
    """sets in one array; those of RAID10 far, offset and uneven near overlap"""
    width: int
    """disks in a set"""
    tolerance: int
    """how many of them may be missing"""
    read_share: float
    """disks' worth of bytes without a second copy once `tolerance` members of a set are missing"""


def loss_sets(layout: Layout) -> LossSets:
    """The sets of one array of `layout`.

    RAID10 puts the copies of a chunk on consecutive members (kernel, drivers/md/raid10.c, __raid10_find_phys): near
    copies start at every copies-th member, round the array until they are back at the first; far and offset copies
    start at every member.
    """
    members = layout.members
    if layout.level == "raid1":
        return _mirrors(1, members, 1.0)
    if layout.level == "raid10":
        near = layout.spread == "n" or layout.copies == members
        count = members // gcd(members, layout.copies) if near else members
        return _mirrors(count, layout.copies, members / layout.copies / count)
    return LossSets(1, members, layout.parity, float(members - layout.parity))


def _mirrors(count: int, copies: int, read_share: float) -> LossSets:
    counted = min(copies, MOST_COPIES)
    return LossSets(count, counted, counted - 1, read_share)
