"""Disks that layouts may share: healthy disks of one kind, largest first, in size classes. Independent of input order.

The smallest member limits its array and a spare smaller than a member shrinks the array, so a layout of n disks is
best on the n largest ones, each array on disks of one size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from raidtui.model.counted import counted
from raidtui.model.finding import Finding
from raidtui.model.inventory import Disk
from raidtui.model.units import decimal_size
from raidtui.planner.findings import names, note, rounded_sizes
from raidtui.planner.placement.disk_condition import failing
from raidtui.planner.placement.size_classes import DiskClass, kind_of, kinds_by_capacity

CLASS_SPREAD = 0.01
"""sizes within this share of the largest count as equal: disks of one nominal size differ less"""


@dataclass(frozen=True, slots=True)
class DiskPool:
    """Disks that may share an array: all rotating or all flash, of one logical sector size."""

    disks: tuple[Disk, ...]
    """largest first, equal ones by identity"""
    classes: tuple[int, ...]
    """for each size class, the number of disks of that class or larger; the last is all of them"""
    physical_sector: tuple[int, ...]
    """at n: largest physical sector among the n largest disks, bytes; 0 at 0"""
    findings: tuple[Finding, ...]
    """findings about excluded disks and about capacity lost to mixed sizes"""

    def smallest(self, count: int) -> int:
        """Bytes of the smallest of the `count` largest disks."""
        return self.disks[count - 1].size_bytes

    @property
    def used(self) -> tuple[Disk, ...]:
        """The disks of one array of most raw capacity, each counted as the smallest: smaller ones would cost more."""
        count = max(self.classes, key=lambda count: count * self.smallest(count), default=0)
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
    sectors = accumulate((disk.physical_sector_bytes for disk in kept), max, initial=0)
    findings = [_left_out(kinds[kind], kind, kept) for kind in sorted(kinds) if kind != best]
    return DiskPool(
        tuple(kept), classes, tuple(sectors), (*_ill(ill), *findings, *_several(sizes, classes), *rounded_sizes(kept))
    )


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
