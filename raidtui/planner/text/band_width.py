"""Why a band is wide, and what narrows it, in words."""

from __future__ import annotations

from raidtui.model.speed import Driver, Iops, Rate

_NAMES: dict[Driver, str] = {
    "class": "scatter between arrays",
    "md thread": "md's thread",
    "disk speed": "the disks' speed",
    "link": "the links",
    "memory": "memory",
    "partial stripes": "partial stripes",
}
_REASONS: dict[Driver, str] = {
    "class": "how near measured arrays came to their lowest limit; raidtui bench measures this one",
    "md thread": "it depends on the processor; state it with --md-write, or raidtui bench measures it",
    "disk speed": "state it with --disk-speed, or measure it with raidtui disks --measure",
    "link": "measure them with raidtui disks --measure, or state what they carry with --link-ceiling",
    "memory": "measure it with raidtui disks --measure, or state it with --memory",
    "partial stripes": "a smaller chunk, or writes of whole stripes, avoid them",
}


def band_width(rate: Rate | Iops) -> str:
    """`x1.9`: the upper over the lower end of the band."""
    return f"x{rate.high / max(rate.low, 1):.1f}"


def width_driver(rate: Rate | Iops) -> str:
    """`x1.4 from the links`: what makes the band wide; empty for a narrow band."""
    return f"x{rate.spread.factor:.1f} from {_NAMES[rate.spread.driver]}" if rate.spread else ""


def width_remedy(rate: Rate | Iops) -> str:
    """Why that is uncertain and what narrows it; empty for a narrow band."""
    return _REASONS[rate.spread.driver] if rate.spread else ""
