"""Disks that layouts may share: healthy disks of one kind, largest first, in size classes. Independent of input order.

The smallest member limits its array and a spare smaller than a member shrinks the array, so a layout of n disks is
best on the n largest ones, each array on disks of one size.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from raidtui.predict.placement.disk_condition import failing
from raidtui.values.findings import Finding, names, note, rounded_sizes
from raidtui.values.inventory import Disk
from raidtui.values.layout import Layout
from raidtui.values.members import array_bounds
from raidtui.values.units import counted, decimal_size

# Size classes of disks: an array is limited by its smallest member, so disks of one size share an array.


_ALIKE = 0.99
"""disks within 1 % of the largest of them form one class"""

DiskClass = tuple[str, int]
"""`rotating`, `flash` or `unknown`, and bytes of a logical sector: disks of one kind may share an array"""


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
    def uniform(self) -> bool:
        """True if all disks are of the one class that every array may use."""
        return len(self.spares) == len(self.of) and self.arrays[0] == {self.of[0]} and max(self.of) == self.of[0]

    @property
    def interchangeable(self) -> bool:
        """True if every disk that the first array may use can also be a spare."""
        if len(self.spares) == len(self.of):
            return True
        return all(number in self.spares for number, each in enumerate(self.of) if each in self.arrays[0])


class PoolClasses:
    """Size classes of `disks`, for many layouts.

    Flash and rotating disks, and different sector sizes, are separated as far as their numbers allow: of the kinds
    with enough disks for the layout the one with the most capacity is used.
    """

    def __init__(self, disks: Sequence[Disk]) -> None:
        self._sizes = [disk.size_bytes for disk in disks]
        self._kinds = [kind_of(disk) for disk in disks]
        self._counts = Counter(self._kinds)
        self._by_capacity = kinds_by_capacity(disks)

    def of_layout(self, layout: Layout) -> SizeClasses:
        """Assigns the largest disks to the first array and the spares, the next to the second, and so on."""
        kinds = sorted(self._by_capacity, key=lambda kind: self._counts[kind] < layout.disks)
        ranked = self._rank({kind: number for number, kind in enumerate(kinds)})
        best = self._kinds[ranked.order[0]]
        least = self._sizes[ranked.order[max(layout.spares - 1, 0)]]
        ends = [layout.spares + bound for bound in array_bounds(layout)]
        ranges = [
            (ranked.first[ranked.of[ranked.order[start if array else 0]]], ranked.of[ranked.order[end - 1]])
            for array, (start, end) in enumerate(pairwise(ends))
        ]
        return SizeClasses(
            of=ranked.of,
            arrays=tuple(frozenset(range(low, high + 1)) for low, high in ranges),
            spares=frozenset(each for each in ranked.order if self._kinds[each] == best and self._sizes[each] >= least),
        )

    def _rank(self, rank: Mapping[DiskClass, int]) -> _Ranked:
        sizes, kinds = self._sizes, self._kinds
        order = sorted(range(len(sizes)), key=lambda number: (rank[kinds[number]], -sizes[number], number))
        found = [0] * len(sizes)
        first: dict[int, int] = {}
        head, current = order[0], 0
        for number in order:
            other_kind = kinds[number] != kinds[head]
            if other_kind or sizes[number] < _ALIKE * sizes[head]:
                head, current = number, current + 1
            first.setdefault(current, first[current - 1] if current and not other_kind else current)
            found[number] = current
        return _Ranked(tuple(order), tuple(found), first)


class _Ranked(NamedTuple):
    """Disks of a pool by kind, then size."""

    order: tuple[int, ...]
    of: tuple[int, ...]
    """class of each disk"""
    first: dict[int, int]
    """for each class the first of its kind"""


def kind_of(disk: Disk) -> DiskClass:
    """Kind of `disk`."""
    return {True: "rotating", False: "flash", None: "unknown"}[disk.rotational], disk.logical_sector_bytes


def kinds_by_capacity(disks: Iterable[Disk]) -> list[DiskClass]:
    """The kinds among `disks`, the one with the most capacity first."""
    room: dict[DiskClass, int] = {}
    for disk in disks:
        room[kind_of(disk)] = room.get(kind_of(disk), 0) + disk.size_bytes
    return sorted(room, key=lambda kind: (room[kind], kind), reverse=True)


CLASS_SPREAD = 0.01
"""sizes within this share of the largest count as equal: disks of one nominal size differ less"""


@dataclass(frozen=True, slots=True)
class DiskPool:
    """Disks that may share an array: all rotating or all flash, of one logical sector size."""

    disks: tuple[Disk, ...]
    """largest first, equal ones by identity"""
    classes: tuple[int, ...]
    """for each size class, the number of disks of that class or larger; the last is all of them"""
    findings: tuple[Finding, ...]
    """findings about excluded disks and about capacity lost to mixed sizes"""

    @property
    def used(self) -> tuple[Disk, ...]:
        """The disks of one array of most raw capacity, each counted as the smallest: smaller ones would cost more."""
        count = max(self.classes, key=lambda count: count * self.disks[count - 1].size_bytes, default=0)
        return self.disks[:count]


def disk_pool(disks: Sequence[Disk]) -> DiskPool:
    """The kind of disk with the most capacity among `disks`; others and failing ones are excluded with a finding."""
    ill = [disk for disk in disks if failing(disk)]
    well = [disk for disk in disks if not failing(disk)]
    kinds = {kind: [disk for disk in well if kind_of(disk) == kind] for kind in kinds_by_capacity(well)}
    best = next(iter(kinds), None)
    kept = sorted(kinds[best] if best else (), key=lambda disk: (-disk.size_bytes, *_name(disk)))
    sizes = [disk.size_bytes for disk in kept]
    classes = _classes(sizes)
    findings = [_left_out(kinds[kind], kind, kept) for kind in sorted(kinds) if kind != best]
    return DiskPool(tuple(kept), classes, (*_ill(ill), *findings, *_several(sizes, classes), *rounded_sizes(kept)))


def _name(disk: Disk) -> tuple[str, str, str]:
    return disk.id, disk.by_path or "", disk.kernel_name


def _classes(sizes: Sequence[int]) -> tuple[int, ...]:
    """Cumulative counts at which a size class ends: the next disk is smaller by more than the spread."""
    ends: list[int] = []
    first = 0
    for index, size in enumerate(sizes):
        if size < sizes[first] * (1 - CLASS_SPREAD):
            ends.append(index)
            first = index
    return (*ends, len(sizes)) if sizes else ()


def _ill(disks: Sequence[Disk]) -> list[Finding]:
    if not disks:
        return []
    named = names(sorted(disks, key=_name))
    return [note("failing-left-out", f"Excluded, since SMART reports them as failing: {named}.", "replace them")]


def _left_out(disks: Sequence[Disk], kind: DiskClass, kept: Sequence[Disk]) -> Finding:
    used, one = kind_of(kept[0]), len(disks) == 1
    return note(
        "kinds-not-mixed",
        f"{counted(len(disks), 'disk')} ({kind[0]}, {kind[1]}-byte sectors) {'is' if one else 'are'} excluded:"
        f" {'it does' if one else 'they do'} not mix with the {counted(len(kept), 'disk')} of this proposal"
        f" ({used[0]}, {used[1]}-byte sectors).",
        "run propose for each kind separately: select its disks with --only",
    )


def _several(sizes: Sequence[int], classes: Sequence[int]) -> list[Finding]:
    if len(classes) < 2:
        return []
    starts = (0, *classes[:-1])
    listed = ", ".join(
        f"{end - start} of {decimal_size(sizes[start])}" for start, end in zip(starts, classes, strict=True)
    )
    return [
        note(
            "sizes-mixed",
            f"Disks of {len(classes)} sizes: {listed}. A layout uses the largest ones,"
            " and every member counts as the smallest of its array.",
            "run propose for each size separately if the small disks cost too much capacity",
        )
    ]
