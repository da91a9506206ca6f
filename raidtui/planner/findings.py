"""How findings are put into words: their three severities, and disks by name, many of them as a few and a count."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.model.finding import Finding
from raidtui.model.inventory import Disk
from raidtui.model.safe import safe

_NAMED = 3
LONGEST = 40
"""characters of outside text in one message"""


def error(code: str, message: str, way_out: str, subject: str = "") -> Finding:
    """Refused until changed."""
    return Finding(severity="error", code=code, message=message, way_out=way_out, subject=subject)


def warning(code: str, message: str, way_out: str, subject: str = "") -> Finding:
    """Allowed and unwise."""
    return Finding(severity="warning", code=code, message=message, way_out=way_out, subject=subject)


def note(code: str, message: str, way_out: str, subject: str = "") -> Finding:
    """Good to know."""
    return Finding(severity="note", code=code, message=message, way_out=way_out, subject=subject)


def name(disk: Disk) -> str:
    """What people call a disk: its kernel name today, else its identity."""
    return safe(disk.kernel_name or disk.id, longest=LONGEST) or "a disk without identity"


def names(disks: Sequence[Disk]) -> str:
    """`sda`, or `sda, sdb, sdc and 57 more`."""
    listed = ", ".join(name(disk) for disk in disks[:_NAMED])
    more = len(disks) - _NAMED
    return f"{listed} and {more} more" if more > 0 else listed


def subject(disks: Sequence[Disk]) -> str:
    """The identity, where it is about one disk; otherwise empty, since the message counts them."""
    return disks[0].id if len(disks) == 1 else ""
