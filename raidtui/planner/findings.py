"""Constructors of Finding by severity, and text that names one or many disks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidtui.model.counted import counted
from raidtui.model.finding import Finding
from raidtui.model.inventory import Disk
from raidtui.model.safe import safe

_NAMED = 3
LONGEST = 40
"""maximum characters of outside text in one message"""


def error(code: str, message: str, way_out: str, subject: str = "") -> Finding:
    """An error: the design or plan is refused until it is changed."""
    return Finding(severity="error", code=code, message=message, way_out=way_out, subject=subject)


def warning(code: str, message: str, way_out: str, subject: str = "") -> Finding:
    """A warning: allowed but risky or wasteful."""
    return Finding(severity="warning", code=code, message=message, way_out=way_out, subject=subject)


def note(code: str, message: str, way_out: str, subject: str = "") -> Finding:
    """A note: information that needs no action."""
    return Finding(severity="note", code=code, message=message, way_out=way_out, subject=subject)


def name(disk: Disk) -> str:
    """A disk's kernel name, else its identity."""
    return safe(disk.kernel_name or disk.id, longest=LONGEST) or "a disk without identity"


def rounded_sizes(disks: Sequence[Disk]) -> Iterator[Finding]:
    """A note for each written size that is no whole number of sectors."""
    for nominal in dict.fromkeys(disk.nominal_size for disk in disks if disk.nominal_size):
        rounded = [disk for disk in disks if disk.nominal_size == nominal]
        size, sector = rounded[0].size_bytes, rounded[0].logical_sector_bytes
        yield note(
            "disk-size-rounded",
            f"{safe(nominal)} is no whole number of {sector}-byte sectors: "
            f"{counted(len(rounded), 'disk')} counted as {size} bytes.",
            "write the size in bytes from the data sheet, if it is known",
            subject(rounded),
        )


def names(disks: Sequence[Disk]) -> str:
    """See `some`."""
    return some([name(disk) for disk in disks])


def some(texts: Sequence[str], most: int = _NAMED) -> str:
    """`sda`, or `sda, sdb, sdc and 57 more`: the first `most` of them."""
    listed, more = ", ".join(texts[:most]), len(texts) - most
    return f"{listed} and {more} more" if more > 0 else listed


def subject(disks: Sequence[Disk]) -> str:
    """The identity if `disks` holds one disk; otherwise empty."""
    return disks[0].id if len(disks) == 1 else ""
