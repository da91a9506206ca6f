"""How many members one failure domain may hold: the counting bound, and the nearest layout that stays within it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from raidtui.model.layout import Layout, Level

_LEAST_USEFUL: dict[Level, int] = {"raid1": 2, "raid5": 3, "raid4": 3, "raid6": 4}
"""members below which nobody would make such an array"""
_WIDTHS = 64
"""widths that `nearest` looks at, the widest first"""


def max_members_lost(layout: Layout) -> int:
    """Members that an array may lose at once, where it is up to us which ones.

    RAID10 keeps a copy of every chunk as long as one member stays in each run of `copies` neighbours,
    so all but a `copies`-th may go when they are placed well.
    """
    if layout.level == "raid10":
        return layout.members - -(-layout.members // layout.copies)
    return layout.survives


def member_capacity(layout: Layout, counts: Sequence[int]) -> int:
    """Members that domains of `counts` disks can give to all arrays together, none more than an array may lose."""
    cap = layout.arrays * max_members_lost(layout)
    return sum(min(count, cap) for count in counts)


def can_survive(layout: Layout, counts: Sequence[int]) -> bool:
    """True when some placement on domains of `counts` disks outlives the loss of any one of them.

    Necessary, since no array may take more of a domain than it may lose; and enough, since members dealt in
    the order of their domains never put more than the rounded-up average of a domain into one array. Sizes of
    disks and other kinds of domain are left aside.
    """
    return member_capacity(layout, counts) >= layout.arrays * layout.members


def widest_surviving(layout: Layout, domains: int) -> int:
    """Members of the widest array of this level that outlives one of so many domains; 0 where there is none.

    Mirrors of two copies or more have no widest: the array's own width comes back.
    """
    if layout.level in ("raid1", "raid10"):
        return layout.members if domains > 1 else 0
    width = domains * layout.parity
    return width if width >= _LEAST_USEFUL.get(layout.level, width + 1) else 0


def nearest_surviving(layout: Layout, counts: Sequence[int]) -> Layout | None:
    """The layout with the most room of the same level that survives, no wider than `layout` and with its spares.

    A stripe of mirrors where the level offers none; None where not even that survives.
    """
    best = max(_narrower(layout, counts), key=lambda other: (other.arrays * other.data, other.members), default=None)
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
    """The room in domains grows ever more slowly with the number of arrays, the need for it evenly: halve."""
    below, above = 0, (sum(counts) - layout.spares) // layout.members + 1
    while above - below > 1:
        middle = (below + above) // 2
        if can_survive(replace(layout, arrays=middle), counts):
            below = middle
        else:
            above = middle
    return max(below, 0)
