"""Size classes of disks: an array is limited by its smallest member, so disks of one size share an array."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from raidtui.model.inventory import Disk
from raidtui.model.layout import Layout

_ALIKE = 0.99
"""disks within 1 % of the largest of them form one class"""


@dataclass(frozen=True, slots=True)
class SizeClasses:
    """Classes of disks of one kind and similar size, and those that each array and the spares may use."""

    of: tuple[int, ...]
    """class of each disk; larger disks of a kind have a lower number"""
    arrays: tuple[frozenset[int], ...]
    """for each array the classes whose disks do not reduce its capacity"""
    spares: frozenset[int]
    """disks large enough to replace any member if that many of them are spares"""

    @property
    def interchangeable(self) -> bool:
        """True if every disk that the first array may use can also be a spare."""
        return all(number in self.spares for number, each in enumerate(self.of) if each in self.arrays[0])


def size_classes(layout: Layout, disks: Sequence[Disk]) -> SizeClasses:
    """Assigns the largest disks to the first array and the spares, the next to the second, and so on.

    Flash and rotating disks, and different sector sizes, are separated as far as their numbers allow.
    """
    kinds = [(disk.logical_sector_bytes, disk.rotational) for disk in disks]
    counts = Counter(kinds)
    largest = {kind: max(d.size_bytes for d, k in zip(disks, kinds, strict=True) if k == kind) for kind in counts}
    enough = any(count >= layout.disks for count in counts.values())
    rank = {
        kind: (-counts[kind], -largest[kind], str(kind)) if enough else (-largest[kind], -counts[kind], str(kind))
        for kind in counts
    }
    order = sorted(range(len(disks)), key=lambda number: (rank[kinds[number]], -disks[number].size_bytes, number))
    found = [0] * len(disks)
    first: dict[int, int] = {}
    head, current = order[0], 0
    for number in order:
        other_kind = kinds[number] != kinds[head]
        if other_kind or disks[number].size_bytes < _ALIKE * disks[head].size_bytes:
            head, current = number, current + 1
        first.setdefault(current, first[current - 1] if current and not other_kind else current)
        found[number] = current
    least = disks[order[max(layout.spares - 1, 0)]].size_bytes
    ends = [layout.spares + array * layout.members for array in range(layout.arrays + 1)]
    ranges = [
        (first[found[order[start if array else 0]]], found[order[end - 1]])
        for array, (start, end) in enumerate(pairwise(ends))
    ]
    return SizeClasses(
        of=tuple(found),
        arrays=tuple(frozenset(range(low, high + 1)) for low, high in ranges),
        spares=frozenset(
            number for number in order if kinds[number] == kinds[order[0]] and disks[number].size_bytes >= least
        ),
    )
