"""What was read of a disk that has no signature, as text: blank means no more than that."""

from __future__ import annotations

from collections.abc import Iterable

from raidtui.model.inventory import Disk, Sampled
from raidtui.model.units import grouped


def sampled_text(sampled: Sampled) -> str:
    """`both ends and 126 places between them; all zero`, or how many are not and where the first is."""
    read = f"both ends and {sampled.places} places between them"
    if not sampled.not_zero:
        return f"{read}; all zero"
    return f"{read}; {_places(sampled)}"


def found_text(disk: Disk) -> str:
    """Where the first bytes are that no signature explains; empty where all places are zero or none was read."""
    return _places(disk.sampled) if disk.sampled is not None and disk.sampled.not_zero else ""


def read_lines(disks: Iterable[Disk]) -> list[str]:
    """One line that says what blank stands for, where disks were read."""
    places = [disk.sampled.places for disk in disks if disk.sampled is not None]
    if not places:
        return []
    count = f"{min(places)} to {max(places)}" if min(places) < max(places) else str(max(places))
    return [f"blank: the first and last MiB and {count} places between them are zero; the rest was not read"]


def _places(sampled: Sampled) -> str:
    first = grouped(sampled.first_offset or 0)
    return f"{sampled.not_zero} of {sampled.places} places not zero, the first at offset {first}"
