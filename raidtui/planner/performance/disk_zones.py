"""How a rotating disk slows from its outer to its inner zone; flash has an inner share of 1 and does not.

The profile is s(x) = outer * (1 - (1 - inner_share) * x**1.25) over the position x in 0..1. It is a fit: 77 and
37 MB/s at the ends of one disk (PostgreSQL 9.0 High Performance, disk chapter), 130 to 90 MB/s with a mean of 123
over the first part of a WD40EFRX.
"""

from __future__ import annotations

BEND = 1.25
"""exponent of the profile"""
INNER_SHARE = 0.48
"""speed of the innermost zone over the outermost, where nobody says better"""
_SMALL = 1e-13


def speed_at(position: float, outer: float, inner_share: float) -> float:
    """Bytes per second at `position`, 0 being the outer edge and 1 the inner one."""
    return outer * (1 - (1 - inner_share) * float(position**BEND))


def mean_share(inner_share: float) -> float:
    """Mean over all positions, relative to the outer zone: what equal areas read at random are worth."""
    return 1 - (1 - inner_share) / (BEND + 1)


def hours_to_pass(size_bytes: float, outer: float, inner_share: float, cap_bytes_per_s: float) -> float:
    """Hours to read or write a whole disk once, nowhere faster than `cap_bytes_per_s`.

    The disk runs at the cap up to the position where it falls below it, then at its own speed:
    the integral of size / min(cap, s(x)) over x. `inner_share` is above 0 and at most 1.
    Raises ValueError for a share or rate outside that.
    """
    if not (0 < inner_share <= 1 and outer > 0 and cap_bytes_per_s > 0):
        raise ValueError(f"no disk runs at {outer} bytes/s, inner share {inner_share}, cap {cap_bytes_per_s}")
    pace = min(cap_bytes_per_s, outer)
    held = _position_of(pace, outer, inner_share)
    seconds = size_bytes * (held / pace + _slowness(held, inner_share) / outer)
    return seconds / 3600


def _position_of(speed: float, outer: float, inner_share: float) -> float:
    """Where the disk has slowed down to `speed`; 1 where it is never so slow."""
    if speed <= outer * inner_share:
        return 1.0
    return float(((1 - speed / outer) / (1 - inner_share)) ** (1 / BEND))


def _slowness(start: float, inner_share: float) -> float:
    """Integral of outer / s(x) from `start` to 1: the geometric series of 1 / (1 - a x**1.25), term by term."""
    fall = 1 - inner_share
    total, power, exponent = 0.0, 1.0, 1.0
    while power / exponent > _SMALL:
        total += power / exponent * (1 - start**exponent)
        power *= fall
        exponent += BEND
    return total
