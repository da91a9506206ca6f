"""Slow, worn and failing disks: a ranking that keeps them from being members, and findings if they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from statistics import median

from raidtui.values.amounts import percent, rate
from raidtui.values.findings import LONGEST, Finding, name, subject, warning
from raidtui.values.inventory import Disk
from raidtui.values.layout import Layout
from raidtui.values.members import ArrayDisks, array_label
from raidtui.values.safe import safe

LAGGARD = 0.9
"""a disk below this share of its group's median speed is slow; disks of one model differ by a few per cent"""
OLD_HOURS = 43_800
"""five years of power-on hours: warranties end and failure rates rise"""
_LISTED = 3

Badness = tuple[bool, int, float, int]


def condition_key(disks: Sequence[Disk], slow: Mapping[str, float]) -> tuple[Badness, ...]:
    """For each disk a sort key (failing, reallocated sectors, slowness, age); the least is the best member.

    `slow` maps identities to speed as a share of the median; for other disks the inventory's speed is used.
    """
    shares = _shares(disks, slow)
    return tuple(
        (
            failing(disk),
            (disk.smart.reallocated or 0) if disk.smart is not None else 0,
            round(1 - share, 3) if share is not None and share < LAGGARD else 0.0,
            (disk.smart.hours or 0) // OLD_HOURS if disk.smart is not None else 0,
        )
        for disk, share in zip(disks, shares, strict=True)
    )


def failing(disk: Disk) -> bool:
    """True if SMART reports the drive as failing."""
    return disk.smart is not None and disk.smart.healthy is False


def wear_findings(layout: Layout, shares: Sequence[ArrayDisks], slow: Mapping[str, float]) -> Iterator[Finding]:
    """Warnings about slow members of each array and worn members. Failing disks are reported by `check_disks`."""
    known = attrgetter("sequential_bytes_per_s")
    timed = slow or any(any(map(known, share.members)) for share in shares)
    for array, share in enumerate(shares if timed else ()):
        parts = _shares(share.members, slow)
        late = [(disk, part) for disk, part in zip(share.members, parts, strict=True) if part and part < LAGGARD]
        if late:
            late.sort(key=lambda pair: pair[1])
            where = f"array {array_label(array)}" if layout.arrays > 1 else "the array"
            listed = _listed([f"{_called(disk)} at {percent(part)}{_speed(disk, slow)}" for disk, part in late])
            yield warning(
                "laggard",
                f"Below {percent(LAGGARD)} of the median speed in {where}: {listed}; full stripes wait for the "
                "slowest.",
                "make it a spare or replace it",
                subject([disk for disk, _ in late]),
            )
    worn = [disk for share in shares for disk in share.members if disk.smart is not None and _wear(disk)]
    if worn:
        yield warning(
            "disk-worn",
            f"Worn disks among the members: {_listed([f'{_called(disk)}, {_wear(disk)}' for disk in worn])}.",
            "replace them, or choose a layout that excludes them or makes them spares",
            subject(worn),
        )


def _shares(disks: Sequence[Disk], slow: Mapping[str, float]) -> list[float | None]:
    """Speed of each disk as a share of the median of its kind; None if unknown."""
    speeds: dict[bool | None, list[int]] = {}
    for disk in disks:
        if disk.sequential_bytes_per_s:
            speeds.setdefault(disk.rotational, []).append(disk.sequential_bytes_per_s)
    middle = {kind: median(found) for kind, found in speeds.items()}
    return [
        slow[disk.id]
        if disk.id in slow
        else disk.sequential_bytes_per_s / middle[disk.rotational]
        if disk.sequential_bytes_per_s
        else None
        for disk in disks
    ]


def _called(disk: Disk) -> str:
    slot = safe(disk.place.slot or "", longest=LONGEST) or name(disk)
    return f"{slot} (serial {safe(disk.serial, longest=LONGEST)})" if disk.serial else slot


def _speed(disk: Disk, slow: Mapping[str, float]) -> str:
    measured = disk.sequential_bytes_per_s
    return f" ({rate(measured)})" if measured and disk.id not in slow else ""


def _wear(disk: Disk) -> str:
    if disk.smart is None or failing(disk):
        return ""
    if disk.smart.reallocated:
        return f"{disk.smart.reallocated} sectors reallocated"
    return f"{disk.smart.hours} power-on hours" if (disk.smart.hours or 0) >= OLD_HOURS else ""


def _listed(words: Sequence[str]) -> str:
    more = len(words) - _LISTED
    return "; ".join(words[:_LISTED]) + (f"; and {more} more" if more > 0 else "")
