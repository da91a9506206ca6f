"""Counting bound on members per failure domain, and the nearest layout that satisfies it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from raidtui.model.layout import AnyLayout, HybridLayout, Layout, Level, UnequalLayout, layout_of

_LEAST_USEFUL: dict[Level, int] = {"raid1": 2, "raid5": 3, "raid4": 3, "raid6": 4}
"""fewest members of a useful array"""
_WIDTHS = 64
"""widths that `nearest_surviving` tries, the widest first"""


def max_members_lost(layout: Layout) -> int:
    """Members that an array may lose at once if the planner chooses which ones.

    RAID10 keeps a copy of every chunk while one member of each run of `copies` neighbours remains, so well-placed
    losses may reach all but one in `copies` members.
    """
    if layout.level == "raid10":
        return layout.members - -(-layout.members // layout.copies)
    return layout.survives


def most_lost(layout: AnyLayout) -> int:
    """Members that all arrays together may lose, if the planner chooses which ones."""
    if isinstance(layout, Layout):
        return layout.arrays * max_members_lost(layout)
    return sum(group.arrays * max_members_lost(group) for group in layout.groups)


def member_capacity(layout: AnyLayout, counts: Sequence[int]) -> int:
    """Members that domains of `counts` disks can supply to all arrays, none more per array than it may lose."""
    cap = most_lost(layout)
    return sum(min(count, cap) for count in counts)


def can_survive(layout: AnyLayout, counts: Sequence[int]) -> bool:
    """True if some placement on domains of `counts` disks survives the loss of any one of them.

    Necessary, since no array may take more of a domain than it may lose; sufficient, since members assigned in the
    order of their domains never put more than the rounded-up average of a domain into one array. Of unequal arrays
    the widest must fit by themselves, for every number of them; of bands the first, which has all disks. Disk sizes and
    other kinds of domain are ignored.
    """
    if isinstance(layout, HybridLayout):
        layout = layout.whole
    return all(member_capacity(widest, counts) >= widest.member_disks for widest in _widest_first(layout))


def _widest_first(layout: AnyLayout) -> Iterator[AnyLayout]:
    """The layout itself, and of an unequal one also every number of its widest arrays alone."""
    yield layout
    if isinstance(layout, UnequalLayout):
        shapes = sorted(layout.shapes, key=lambda shape: -shape.members)
        yield from (layout_of(shapes[:arrays], layout.spares) for arrays in range(1, layout.arrays))


def widest_surviving(layout: Layout, domains: int) -> int:
    """Members of the widest array of this level that survives the loss of one of `domains`; 0 if there is none.

    Mirrors have no such limit: the array's own width is returned.
    """
    if layout.level in ("raid1", "raid10"):
        return layout.members if domains > 1 else 0
    width = domains * layout.parity
    return width if width >= _LEAST_USEFUL.get(layout.level, width + 1) else 0


def nearest_surviving(layout: AnyLayout, counts: Sequence[int]) -> Layout | None:
    """The surviving layout of the same level with the largest capacity, no wider than `layout` and with its spares.

    RAID10 if the level has none; None if not even that survives. Its arrays are equal.
    """
    widest = replace(max(layout.groups, key=lambda group: group.members), spares=layout.spares)
    best = max(_narrower(widest, counts), key=lambda other: (other.arrays * other.data, other.members), default=None)
    if best is not None:
        return best
    room = sum(counts) - layout.spares
    largest = sum(counts) - max(counts, default=0)
    members = min(room // 2, largest) * 2
    pairs = Layout(level="raid10", members=max(members, 2), spares=layout.spares)
    return pairs if members >= 2 and can_survive(pairs, counts) else None


def _narrower(layout: Layout, counts: Sequence[int]) -> Iterator[Layout]:
    least = layout.copies if layout.level == "raid10" else _LEAST_USEFUL.get(layout.level, layout.members + 1)
    start = (
        layout.members
        if layout.level in ("raid1", "raid10")
        else min(layout.members, widest_surviving(layout, len(counts)))
    )
    for members in range(start, max(least, start - _WIDTHS) - 1, -1):
        if layout.level == "raid10" and members % layout.copies:
            continue
        arrays = _most_arrays(replace(layout, members=members, arrays=1), counts)
        if arrays:
            yield replace(layout, members=members, arrays=arrays)


def _most_arrays(layout: Layout, counts: Sequence[int]) -> int:
    """The largest number of arrays that can survive, by bisection: capacity grows slower than demand."""
    below, above = 0, (sum(counts) - layout.spares) // layout.members + 1
    while above - below > 1:
        middle = (below + above) // 2
        if can_survive(replace(layout, arrays=middle), counts):
            below = middle
        else:
            above = middle
    return max(below, 0)
