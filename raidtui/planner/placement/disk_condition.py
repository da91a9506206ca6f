"""Slow and worn disks: which are better left out or kept as spares, and what to say of those that stay members."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from raidtui.model.finding import Finding
from raidtui.model.inventory import Disk
from raidtui.model.layout import Layout
from raidtui.model.safe import safe
from raidtui.planner.findings import LONGEST, name, subject, warning
from raidtui.planner.members import ArrayDisks, array_label

LAGGARD = 0.9
"""a disk below this share of its group's median speed is a laggard; disks of one model differ by a few per cent"""
OLD_HOURS = 43_800
"""five years of power-on hours: where warranties end and failure rates have begun to rise"""
_LISTED = 3

Badness = tuple[bool, int, float, int]


def condition_key(disks: Sequence[Disk], slow: Mapping[str, float]) -> tuple[Badness, ...]:
    """For each disk how little one wants it as a member: failing, worn, slow, old. The least is the best.

    `slow` gives speeds as a share of the median, by identity; other disks are judged by their known speed.
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
    """True when the drive itself says so."""
    return disk.smart is not None and disk.smart.healthy is False


def wear_findings(layout: Layout, shares: Sequence[ArrayDisks], slow: Mapping[str, float]) -> Iterator[Finding]:
    """Laggards of each array, and worn disks among all members. Failing ones are `check_disks`' to report."""
    for array, share in enumerate(shares):
        known = _shares(share.members, slow)
        late = [(disk, part) for disk, part in zip(share.members, known, strict=True) if part and part < LAGGARD]
        if late:
            late.sort(key=lambda pair: pair[1])
            where = f"array {array_label(array)}" if layout.arrays > 1 else "the array"
            listed = _listed([f"{_called(disk)} at {part:.0%}{_speed(disk, slow)}" for disk, part in late])
            yield warning(
                "laggard",
                f"Below {LAGGARD:.0%} of the median speed in {where}: {listed}; full stripes wait for the slowest.",
                "make it a spare, or replace it",
                subject([disk for disk, _ in late]),
            )
    worn = [disk for share in shares for disk in share.members if _wear(disk)]
    if worn:
        yield warning(
            "disk-worn",
            f"Worn, and still a member: {_listed([f'{_called(disk)}, {_wear(disk)}' for disk in worn])}.",
            "replace it, or take a layout that leaves it out or makes it a spare",
            subject(worn),
        )


def _shares(disks: Sequence[Disk], slow: Mapping[str, float]) -> list[float | None]:
    """The speed of each disk as a share of the median of its kind; None where it is not known."""
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
    return f" ({measured / 1e6:.0f} MB/s)" if measured and disk.id not in slow else ""


def _wear(disk: Disk) -> str:
    if disk.smart is None or failing(disk):
        return ""
    if disk.smart.reallocated:
        return f"{disk.smart.reallocated} sectors reallocated"
    return f"{disk.smart.hours} hours" if (disk.smart.hours or 0) >= OLD_HOURS else ""


def _listed(words: Sequence[str]) -> str:
    more = len(words) - _LISTED
    return "; ".join(words[:_LISTED]) + (f"; and {more} more" if more > 0 else "")
