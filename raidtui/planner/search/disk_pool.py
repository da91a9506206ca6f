"""The disks a search is made over: sound, of one kind, largest first, in size classes. Independent of their order.

A member counts as the smallest of its array and a spare smaller than a member shrinks the array, so a layout of n
disks is best off with the n largest ones. `taken` gives it just those, the smallest first: they are the members of
the first array, and the spares at the end are the largest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from raidtui.model.finding import Finding
from raidtui.model.inventory import Disk
from raidtui.model.layout import Layout
from raidtui.model.units import decimal_size
from raidtui.planner.findings import names, note
from raidtui.planner.placement.disk_condition import failing

CLASS_SPREAD = 0.01
"""sizes within this share of the largest one count as equal: labels of one size differ less"""


@dataclass(frozen=True, slots=True)
class DiskPool:
    """Disks that mix: all spinning or all flash, of one logical sector size."""

    disks: tuple[Disk, ...]
    """largest first, equal ones by identity"""
    classes: tuple[int, ...]
    """for each size class, how many disks are of that class or larger; the last is all of them"""
    physical_sector: tuple[int, ...]
    """at n: largest physical sector among the n largest disks, bytes; 0 at 0"""
    findings: tuple[Finding, ...]
    """what was left out and what truncation costs"""

    def smallest(self, count: int) -> int:
        """Bytes of the smallest of the `count` largest disks."""
        return self.disks[count - 1].size_bytes


def disk_pool(disks: Sequence[Disk]) -> DiskPool:
    """The kind of disk that holds most, of `disks`; the others and failing ones are left out with a finding."""
    ill = [disk for disk in disks if failing(disk)]
    kinds: dict[tuple[str, int], list[Disk]] = defaultdict(list)
    for disk in (disk for disk in disks if not failing(disk)):
        kinds[_rotation(disk), disk.logical_sector_bytes].append(disk)
    best = max(kinds, key=lambda kind: (sum(disk.size_bytes for disk in kinds[kind]), kind), default=None)
    kept = sorted(kinds[best] if best else (), key=lambda disk: (-disk.size_bytes, *_name(disk)))
    sizes = [disk.size_bytes for disk in kept]
    classes = _classes(sizes)
    sectors = accumulate((disk.physical_sector_bytes for disk in kept), max, initial=0)
    findings = [_left_out(kinds[kind], kind, kept) for kind in sorted(kinds) if kind != best]
    return DiskPool(tuple(kept), classes, tuple(sectors), (*_ill(ill), *findings, *_several(sizes, classes)))


def disks_taken(layout: Layout, disks: Sequence[Disk]) -> tuple[Disk, ...]:
    """The disks of `disks` that a proposed layout was judged on, in the order that `predict` takes them.

    Raises ValueError where the pool of `disks` has fewer than the layout takes.
    """
    kept = disk_pool(disks).disks
    if layout.disks > len(kept):
        raise ValueError(f"the layout takes {layout.disks} disks, the pool has {len(kept)}")
    return tuple(sorted(kept[: layout.disks], key=lambda disk: (disk.size_bytes, *_name(disk))))


def _name(disk: Disk) -> tuple[str, str, str]:
    return disk.id, disk.by_path or "", disk.kernel_name


def _rotation(disk: Disk) -> str:
    return {True: "spinning", False: "flash", None: "unknown"}[disk.rotational]


def _classes(sizes: Sequence[int]) -> tuple[int, ...]:
    """Counts at which a class ends: the next disk is smaller than the largest of its class by more than the spread."""
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
    return [note("failing-left-out", f"Left out, since failing by their own SMART: {named}.", "replace them")]


def _left_out(disks: Sequence[Disk], kind: tuple[str, int], kept: Sequence[Disk]) -> Finding:
    return note(
        "kinds-not-mixed",
        f"{len(disks)} disks ({kind[0]}, {kind[1]}-byte sectors) are left out: they do not mix with"
        f" the {len(kept)} proposed on ({_rotation(kept[0])}, {kept[0].logical_sector_bytes}-byte sectors).",
        "propose on each kind by itself: choose its disks alone",
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
            f"Disks of {len(classes)} sizes: {listed}. A layout takes the largest it needs,"
            " and every member counts as the smallest of its array.",
            "propose on each size by itself where the small ones cost too much room",
        )
    ]
