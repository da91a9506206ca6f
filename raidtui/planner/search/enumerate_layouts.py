"""Enumeration of layouts on a pool of disks: levels, widths, numbers of arrays and of spares.

Numbers of spares. For a level, width and number of arrays the remaining disks are hot spares. Without a price per disk,
fewer spares are never better: capacity, speed and rebuild time of a layout do not depend on its spares, and its annual
loss never grows with them. So only the largest number is evaluated, once for each size class (disks of a smaller class
add spares and shrink every member), and the others are only counted. With a price per disk fewer spares are cheaper:
evaluated are as many as required, as many as cover restocking, one for each array, and all.

Mirrors of more than four copies, or more than the failures to survive require, are counted but not evaluated: their
loss is below what the model can predict. So are layouts equivalent to a simpler one: stripes of RAID0s, RAID10 of no
more members than copies, and parity over one data disk. RAID4 is evaluated only on request.

Arrays of unequal width. Where every array counts in full (`--stack md` and `separate`), spares of a parity layout that
are more than cover restocking, and fewer than its arrays, are evaluated as one more member of some arrays too: for each
level and number of arrays the layout that is as near to equal as the number of disks allows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from raidtui.model.choices import Stack
from raidtui.model.layout import (
    PARITY,
    AnyLayout,
    ArrayGroup,
    Layout,
    MdLevel,
    Spread,
    UnequalLayout,
    least_members,
)
from raidtui.model.proposal import Constraints
from raidtui.planner.checks.design import MOST_ARRAYS, MOST_DEVICES, MOST_LVM_STRIPES, MOST_RAID6

LEAST_GAIN = 0.02
"""share of the data disks that wider arrays must add to be worth an evaluation"""
_MOST_COPIES = 4
MOST_MEMBERS = MOST_DEVICES["1.2"]


@dataclass(frozen=True, slots=True)
class LevelVariant:
    """A RAID level of the search; RAID10 has one variant for each of its common layouts."""

    level: MdLevel
    copies: int = 2
    spread: Spread = "n"


KINDS = (
    LevelVariant("raid0"), LevelVariant("raid1"), LevelVariant("raid4"), LevelVariant("raid5"), LevelVariant("raid6"),
    LevelVariant("raid10"), LevelVariant("raid10", 2, "f"), LevelVariant("raid10", 2, "o"), LevelVariant("raid10", 3),
)  # fmt: skip


class Shape(NamedTuple):
    """Layouts to evaluate whose arrays have one shape."""

    array: Layout
    """one array without spares"""
    counts: Sequence[tuple[int, int]]
    """(arrays, spares) of each, in a fixed order"""


def enumerate_shapes(classes: Sequence[int], constraints: Constraints, enough: int) -> Iterator[Shape]:
    """Layouts to evaluate over disks of `classes` (see `DiskPool`), in a fixed order.

    They satisfy the constraints that depend on the layout alone: levels, width, failures survived, spares. `enough` is
    the number of spares that covers restocking.
    """
    disks = classes[-1] if classes else 0
    for kind in _kinds(constraints):
        widest = min(disks, _widest(kind, constraints))
        for members in range(_narrowest(kind, constraints), widest + 1):
            most = min(disks // members, _most_arrays(kind, constraints.stack))
            if kind.level != "raid0" and constraints.price_per_disk is None and len(classes) == 1:
                room = MOST_MEMBERS - members
                rest = [(arrays, min(disks - arrays * members, arrays * room)) for arrays in range(1, most + 1)]
                counts = [each for each in rest if each[1] >= constraints.spares]
            else:
                counts = [
                    (arrays, spares)
                    for arrays in range(1, most + 1)
                    for spares in _spares(kind, members, arrays, classes, constraints, enough)
                ]
            yield Shape(Layout(level=kind.level, members=members, copies=kind.copies, spread=kind.spread), counts)


def count_layouts(disks: int, stack: Stack) -> int:
    """Number of layouts over `disks` disks, of every level, width, number of arrays and of spares."""
    total = 0
    for kind in KINDS:
        limit = MOST_LVM_STRIPES if stack == "lvm" else MOST_ARRAYS - (stack == "md")
        for members in range(least_members(kind.level, kind.copies), min(disks, _most_members(kind)) + 1):
            arrays = min(disks // members, limit)
            if kind.level == "raid0":
                total += arrays
            else:
                total += arrays * (disks + 1) - members * arrays * (arrays + 1) // 2
    return total


def widened(layout: AnyLayout, constraints: Constraints, enough: int) -> UnequalLayout | None:
    """`layout` with its spares beyond `enough` as one more member of some of its arrays; None where that is no gain.

    An LVM stripe takes as much of each array as the smallest has, so wider arrays beside narrower ones add nothing.
    """
    if constraints.stack == "lvm" or not isinstance(layout, Layout) or not layout.parity:
        return None
    kept = max(enough, constraints.spares)
    more = layout.spares - kept
    widest = _widest(LevelVariant(layout.md_level), constraints)
    if not 0 < more < layout.arrays or layout.members >= widest:
        return None
    if more < LEAST_GAIN * layout.arrays * layout.data:
        return None
    groups = (
        ArrayGroup(members=layout.members + 1, arrays=more),
        ArrayGroup(members=layout.members, arrays=layout.arrays - more),
    )
    return UnequalLayout(level=layout.level, array_groups=groups, spares=kept)


def leaves_disks_idle(layout: AnyLayout, disks: int, enough: int) -> bool:
    """True if one more array, or one more copy set in each RAID10, still leaves `enough` spares of `disks` disks."""
    if layout.level == "raid0":
        return layout.disks < disks
    more = min(group.members for group in layout.groups)
    if layout.level == "raid10":
        more = min(more, layout.arrays * layout.copies)
    return layout.spares - more >= enough


def _kinds(constraints: Constraints) -> tuple[LevelVariant, ...]:
    if constraints.levels:
        return tuple(kind for kind in KINDS if kind.level in constraints.levels)
    return tuple(kind for kind in KINDS if kind.level != "raid4")


def _narrowest(kind: LevelVariant, constraints: Constraints) -> int:
    """Fewest members to evaluate; beyond the maximum if the level cannot survive the required failures."""
    never = MOST_MEMBERS + 1
    match kind.level:
        case "raid0":
            return 2 if constraints.survive == 0 else never
        case "raid1":
            return max(2, constraints.survive + 1)
        case "raid10":
            return kind.copies + 1 if kind.copies > constraints.survive else never
        case "raid4" | "raid5" | "raid6":
            parity = PARITY[kind.level]
            return parity + 2 if parity >= constraints.survive else never


def _widest(kind: LevelVariant, constraints: Constraints) -> int:
    most = _most_members(kind)
    if kind.level == "raid1":
        most = max(_MOST_COPIES, constraints.survive + 1)
    return min(most, constraints.max_width or most)


def _most_members(kind: LevelVariant) -> int:
    return MOST_RAID6 if kind.level == "raid6" else MOST_MEMBERS


def _most_arrays(kind: LevelVariant, stack: Stack) -> int:
    if kind.level == "raid0":
        return 1
    return MOST_LVM_STRIPES if stack == "lvm" else MOST_ARRAYS - (stack == "md")


def _spares(
    kind: LevelVariant, members: int, arrays: int, classes: Sequence[int], constraints: Constraints, enough: int
) -> Iterator[int]:
    """Numbers of spares to evaluate, the largest first."""
    if kind.level == "raid0":
        if constraints.spares == 0:
            yield 0
        return
    room = arrays * (MOST_MEMBERS - members)
    wanted = {min(count - arrays * members, room) for count in classes}
    if constraints.price_per_disk is not None:
        most = max(wanted)
        wanted |= {few for few in (constraints.spares, max(constraints.spares, enough), arrays) if few <= most}
    yield from sorted((spares for spares in wanted if spares >= constraints.spares), reverse=True)
