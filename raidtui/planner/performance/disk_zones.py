"""Zoned bit recording: a rotating disk slows from its outer to its inner zone; flash has an inner share of 1.

The profile is s(x) = outer * (1 - (1 - inner_share) * x**1.25) over the position x in 0..1. It is a fit: 77 and
37 MB/s at the ends of one disk (PostgreSQL 9.0 High Performance, disk chapter), 130 to 90 MB/s with a mean of 123
over the first part of a WD40EFRX.
"""

from __future__ import annotations

from functools import lru_cache

BEND = 1.25
"""exponent of the profile"""
INNER_SHARE = 0.48
"""default speed of the innermost zone over the outermost"""
_SMALL = 1e-13


def speed_at(position: float, outer: float, inner_share: float) -> float:
    """Bytes per second at `position`, from 0 (outer edge) to 1 (inner edge)."""
    return outer * (1 - (1 - inner_share) * float(position**BEND))


def mean_share(inner_share: float, middle_share: float | None = None) -> float:
    """Mean speed over all positions, relative to the outer zone; of three measured zones by Simpson's rule."""
    if middle_share is not None:
        return (1 + 4 * middle_share + inner_share) / 6
    return 1 - (1 - inner_share) / (BEND + 1)


def hours_to_pass(size_bytes: float, outer: float, inner_share: float, cap_bytes_per_s: float) -> float:
    """Hours to read or write a whole disk once at no more than `cap_bytes_per_s`.

    The disk runs at the cap up to the position where its own speed falls below it, then at its own speed:
    the integral of size / min(cap, s(x)) over x. Raises ValueError unless 0 < `inner_share` <= 1 and rates are above 0.
    """
    if not (0 < inner_share <= 1 and outer > 0 and cap_bytes_per_s > 0):
        raise ValueError(
            "expected rates above 0 and 0 < inner share <= 1, found"
            f" {outer} bytes/s, inner share {inner_share}, cap {cap_bytes_per_s}"
        )
    pace = min(cap_bytes_per_s, outer)
    held = _position_of(pace, outer, inner_share)
    seconds = size_bytes * (held / pace + _slowness(held, inner_share) / outer)
    return seconds / 3600


def _position_of(speed: float, outer: float, inner_share: float) -> float:
    """Position at which the disk has slowed down to `speed`; 1 if it never does."""
    if speed <= outer * inner_share:
        return 1.0
    return float(((1 - speed / outer) / (1 - inner_share)) ** (1 / BEND))


@lru_cache(maxsize=256)
def _slowness(start: float, inner_share: float) -> float:
    """Integral of outer / s(x) from `start` to 1: the geometric series of 1 / (1 - a x**1.25), term by term."""
    fall = 1 - inner_share
    total, power, exponent = 0.0, 1.0, 1.0
    while power / exponent > _SMALL:
        total += power / exponent * (1 - start**exponent)
        power *= fall
        exponent += BEND
    return total
