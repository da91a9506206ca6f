"""Text of the samples read from disks without signatures; `blank` means that all samples were zero."""

from __future__ import annotations

from collections.abc import Iterable

from raidtui.model.inventory import Disk, Sampled
from raidtui.model.units import grouped


def sampled_text(sampled: Sampled) -> str:
    """`both ends and 126 places between them; all zero`, or the number of places not zero and the first of them."""
    read = f"both ends and {sampled.places} places between them"
    if not sampled.not_zero:
        return f"{read}; all zero"
    return f"{read}; {_places(sampled)}"


def found_text(disk: Disk) -> str:
    """Number and first offset of places that are not zero; empty if all are zero or none was read."""
    return _places(disk.sampled) if disk.sampled is not None and disk.sampled.not_zero else ""


def read_lines(disks: Iterable[Disk]) -> list[str]:
    """One line that defines `blank`; empty if no disk was read."""
    places = [disk.sampled.places for disk in disks if disk.sampled is not None]
    if not places:
        return []
    count = f"{min(places)} to {max(places)}" if min(places) < max(places) else str(max(places))
    return [f"blank: the first and last MiB and {count} samples between them are zero; the rest was not read"]


def _places(sampled: Sampled) -> str:
    first = grouped(sampled.first_offset or 0)
    return f"{sampled.not_zero} of {sampled.places} places not zero, the first at offset {first}"
