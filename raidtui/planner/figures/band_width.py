"""Why a band is wide, and what narrows it, in words."""

from __future__ import annotations

from raidtui.model.speed import BandCause, Driver, Iops, Rate

_NAMES: dict[Driver, str] = {
    "class": "scatter between arrays",
    "md thread": "md's thread",
    "disk speed": "the disks' speed",
    "link": "the links",
    "memory": "memory",
    "partial stripes": "partial stripes",
    "latency": "the time of one request",
    "bitmap": "the bitmap",
    "controller cache": "the controllers' cache",
}
_REASONS: dict[Driver, str] = {
    "class": "how near measured arrays came to their lowest limit; raidtui bench measures this one",
    "md thread": "it depends on the processor; state it with --md-write, or raidtui bench measures it",
    "disk speed": "state it with --disk-speed, or measure it with raidtui disks --measure",
    "link": "measure them with raidtui disks --measure, or state what they carry with --link-ceiling",
    "memory": "measure it with raidtui disks --measure, or state it with --memory",
    "controller cache": "state what the LUNs write with --disk-write-speed",
    "partial stripes": "a smaller chunk, or writes of whole stripes, avoid them",
    "bitmap": "a coarser --bitmap-chunk or --bitmap none narrows it, as the lines below say",
    "latency": "raidtui bench with a profile of these streams, size and depth measures it",
}


def band_width(rate: Rate | Iops) -> str:
    """`x1.9`: the upper over the lower end of the band."""
    return f"x{rate.high / max(rate.low, 1):.1f}"


def width_driver(rate: Rate | Iops) -> str:
    """`x1.4 from the links`: what makes the band wide; empty for a narrow band."""
    return width_driver_of(rate.spread) if rate.spread else ""


def width_driver_of(spread: BandCause) -> str:
    """`x1.4 from the links`."""
    return f"x{spread.factor:.1f} from {_NAMES[spread.driver]}"


def width_remedy(rate: Rate | Iops) -> str:
    """Why that is uncertain and what narrows it; empty for a narrow band."""
    return width_remedy_of(rate.spread) if rate.spread else ""


def width_remedy_of(spread: BandCause) -> str:
    """Why that is uncertain and what narrows it."""
    return _REASONS[spread.driver]
