"""Columns of the disk table: widths, filter and sort order. Nothing here draws."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from raidtui.model.inventory import Disk
from raidtui.model.location import short_slot
from raidtui.model.safe import safe
from raidtui.model.units import decimal_size

Key = tuple[int, int | str, str]


class DiskColumn(NamedTuple):
    """One column of the table of disks."""

    title: str
    text: Callable[[Disk], str]
    """text of a disk's cell; empty if unknown"""
    order: Callable[[Disk], int | str | None]
    """sort key; None sorts last"""
    right: bool = False
    """True for numbers, which are right-aligned"""
    rank: int = 0
    """columns of a higher rank are shown only if they fit"""
    shrinks: bool = False
    """it gives way when there is too little room"""
    drops: int = 0
    """order in which columns of rank 0 are left out on the narrowest terminals; 0: never"""
    most: int = 20
    """maximum width in cells"""


_SHRUNK = 8
"""least cells of a column that gives way"""
_size = cache(decimal_size)
_slot = cache(short_slot)


def _sector(disk: Disk) -> str:
    logical, physical = disk.logical_sector_bytes, disk.physical_sector_bytes
    return {(512, 512): "512n", (512, 4096): "512e", (4096, 4096): "4Kn"}.get(
        (logical, physical), f"{logical}/{physical}"
    )


def _smart(disk: Disk, name: str) -> int | None:
    return getattr(disk.smart, name) if disk.smart is not None else None


def _figure(value: int | None, unit: str = "") -> str:
    return "" if value is None else f"{value}{unit}"


def _link(disk: Disk) -> str:
    bits = disk.link_bits_per_s
    return "" if bits is None else f"{bits / 1e9:g}G"


COLUMNS: tuple[DiskColumn, ...] = (
    DiskColumn(title="slot", text=lambda disk: _slot(disk.place.slot or ""), order=lambda disk: disk.place.slot,
               most=10),
    DiskColumn(title="dev", text=lambda disk: disk.kernel_name, order=lambda disk: disk.kernel_name or None, most=9),
    DiskColumn(
        title="model", text=lambda disk: disk.model or "", order=lambda disk: disk.model, most=24, shrinks=True, drops=1
    ),
    DiskColumn(title="serial", text=lambda disk: disk.serial or "", order=lambda disk: disk.serial, most=20),
    DiskColumn(title="size", text=lambda disk: _size(disk.size_bytes), order=lambda disk: disk.size_bytes, right=True),
    DiskColumn(title="sect", text=_sector, order=lambda disk: disk.physical_sector_bytes, most=9, drops=2),
    DiskColumn(
        title="hours", text=lambda disk: _figure(_smart(disk, "hours")),
        order=lambda disk: _smart(disk, "hours"), right=True,
    ),
    DiskColumn(
        title="realloc", text=lambda disk: _figure(_smart(disk, "reallocated")),
        order=lambda disk: _smart(disk, "reallocated"), right=True, rank=1,
    ),
    DiskColumn(
        title="temp", text=lambda disk: _figure(_smart(disk, "temperature_c"), "C"),
        order=lambda disk: _smart(disk, "temperature_c"), right=True,
    ),
    DiskColumn(title="link", text=_link, order=lambda disk: disk.link_bits_per_s, right=True, rank=2),
    DiskColumn(title="rpm", text=lambda disk: _figure(disk.rpm), order=lambda disk: disk.rpm, right=True, rank=3),
    DiskColumn(title="vendor", text=lambda disk: disk.vendor or "", order=lambda disk: disk.vendor, rank=3, most=10),
    DiskColumn(title="firmware", text=lambda disk: disk.firmware or "", order=lambda disk: disk.firmware, rank=3,
               most=10),
    DiskColumn(title="identity", text=lambda disk: disk.id, order=lambda disk: disk.id or None, rank=2, most=40),
)  # fmt: skip


def widths(disks: Sequence[Disk]) -> tuple[int, ...]:
    """Cells every column needs for `disks`; 0 for a column that is empty for all disks."""
    needs = []
    for column in COLUMNS:
        longest = max((len(safe(column.text(disk))) for disk in disks), default=0)
        needs.append(min(max(longest, len(column.title)), column.most) if longest else 0)
    return tuple(needs)


def first_columns(needs: Sequence[int]) -> int:
    """Least cells of the columns that are always shown, with a blank after each."""
    first = ((column, need) for column, need in zip(COLUMNS, needs, strict=True) if need and column.rank == 0)
    return sum((min(need, _SHRUNK) if column.shrinks else need) + 1 for column, need in first)


def shown_columns(needs: Sequence[int], room: int, keep: int) -> tuple[tuple[DiskColumn, int], ...]:
    """The columns that fit into `room` cells beside `keep` cells for the state, with their widths.

    If even the first ones do not fit, the model column shrinks, then columns are left out; numbers and serials are
    never cut.
    """
    chosen = [(column, need) for column, need in zip(COLUMNS, needs, strict=True) if need and column.rank == 0]
    spare = room - keep - sum(need + 1 for _, need in chosen)
    if spare < 0:
        chosen = [(column, max(need + spare, _SHRUNK) if column.shrinks else need) for column, need in chosen]
        for column, _ in sorted(chosen, key=lambda pair: pair[0].drops):
            if column.drops and sum(need + 1 for _, need in chosen) > room - keep:
                chosen = [pair for pair in chosen if pair[0] is not column]
    for rank in (1, 2, 3):
        for column, need in zip(COLUMNS, needs, strict=True):
            if column.rank == rank and need and spare >= need + 1:
                chosen.append((column, need))
                spare -= need + 1
    return tuple(sorted(chosen, key=lambda pair: COLUMNS.index(pair[0])))


def matching(disks: Sequence[Disk], words: str, state: Callable[[Disk], str]) -> list[Disk]:
    """The disks that contain each of the blank-separated `words` in some column or in their state."""
    wanted = words.lower().split()
    if not wanted:
        return list(disks)
    return [disk for disk in disks if _shows(disk, state(disk), wanted)]


def _shows(disk: Disk, state: str, wanted: Sequence[str]) -> bool:
    text = " ".join((*(column.text(disk) for column in COLUMNS), state, disk.place.enclosure or "")).lower()
    return all(word in text for word in wanted)


def ordered(disks: Sequence[Disk], column: DiskColumn | None, *, down: bool) -> list[Disk]:
    """`disks` sorted by `column`, numbers inside names by value; disks without a value come last."""
    if column is None:
        return list(disks)
    known = [disk for disk in disks if column.order(disk) is not None]
    silent = [disk for disk in disks if column.order(disk) is None]
    return sorted(known, key=lambda disk: _natural(column.order(disk)), reverse=down) + silent


def _natural(value: int | str | None) -> tuple[tuple[int, int, str], ...]:
    if isinstance(value, int):
        return ((0, value, ""),)
    parts = re.findall(r"\d+|\D+", value or "")
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part.lower()) for part in parts)
