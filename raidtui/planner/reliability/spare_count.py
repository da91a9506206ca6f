"""How many spares suffice, and the probability that they run out: failed disks awaiting replacement as a process.

Each failed disk is ordered, and its replacement becomes a spare after the restocking time. In the long run the number
of disks on order is Poisson-distributed whatever the distribution of that time (Palm's theorem), and failures find it
so.
"""

from __future__ import annotations

import cmath
from collections.abc import Sequence
from functools import cache, lru_cache
from math import exp, expm1, lgamma, log, pi, sqrt, tan

from raidtui.model.units import HOURS_PER_YEAR

RARE = 0.1
"""spares suffice if the probability that any failure of a year finds none is at most this"""
RULE = "the fewest with which at most 1 year in 10 has a failure that finds no spare"
"""`RARE` as a phrase"""
MISSED = 0.05
"""replacement disks on the shelf suffice if more than these are on order in at most this share of time"""
_SURE = 1e-17
_MOST_LEVELS = 200
"""maximum disks on order that are followed"""
_LEAST = 1e-18
"""probability below which no clump of shortages matters"""
_TOGETHER = 8
"""numbers of spares that are followed in one sweep"""
_NODES = 16
"""points at which the transform is taken: each adds 0.6 digits, and 16 leave rounding at 1 in 10^12"""


@lru_cache(maxsize=16384)
def poisson_tail(count: int, expected: float) -> float:
    """P(N > `count`) for a Poisson number N with mean `expected`; 1 for a negative count."""
    if count < 0:
        return 1.0
    if expected <= 0:
        return 0.0
    if count < expected:
        return max(1 - _sum(count, -1, expected), 0.0)
    return _sum(count + 1, 1, expected)


def _sum(first: int, step: int, expected: float) -> float:
    """Sum of the Poisson probabilities of `first`, `first` + `step`, ..., which must decrease."""
    chance = exp(first * log(expected) - expected - lgamma(first + 1))
    total, number = 0.0, first
    while chance > _SURE * total:
        total += chance
        chance *= expected / (number + 1) if step > 0 else number / expected
        number += step
    return total


@lru_cache(maxsize=1024)
def spares_enough(disks: int, failure_per_hour: float, restock_hours: float) -> int:
    """Fewest spares with which the probability that any failure of an average year finds none is at most `RARE`."""
    expected = disks * failure_per_hour * restock_hours
    spares = max(int(expected) - 3, 0)  # with as many on order as that, most years are short
    while yearly_shortage(disks, spares, failure_per_hour, restock_hours) > RARE:
        spares += 1
    return spares


@lru_cache(maxsize=1024)
def spares_on_shelf(disks: int, failure_per_hour: float, restock_hours: float) -> int:
    """Fewest replacement disks with which at most `MISSED` of all moments have more disks on order than these."""
    expected = disks * failure_per_hour * restock_hours
    spares = int(expected)  # more than these are on order nearly half of the time
    while poisson_tail(spares, expected) > MISSED:
        spares += 1
    return spares


def shortage_per_failure(disks: int, spares: int, failure_per_hour: float, restock_hours: float) -> float:
    """Probability that a failure among `disks` finds no spare: at least `spares` disks are on order."""
    return poisson_tail(spares - 1, disks * failure_per_hour * restock_hours)


def yearly_shortage(disks: int, spares: int, failure_per_hour: float, restock_hours: float) -> float:
    """Probability that any failure of an average year, not the first one, finds no spare.

    Of more than `_MOST_LEVELS` levels, and below `_LEAST`, shortages are independent of each other: a little too high.
    """
    up = disks * failure_per_hour
    if up == 0:
        return 0.0
    expected = up * restock_hours
    independent = -expm1(-up * HOURS_PER_YEAR * poisson_tail(spares - 1, expected))
    if independent < _LEAST or spares + _more_levels(expected) > _MOST_LEVELS:
        return independent
    return _yearly_shortages(up, spares // _TOGETHER * _TOGETHER, restock_hours)[spares % _TOGETHER]


def _more_levels(expected: float) -> int:
    """Levels above the spares that are followed: disks on order while arrays wait for them."""
    return 8 + int(4 * sqrt(expected))


@lru_cache(maxsize=1024)
def _yearly_shortages(up: float, least: int, restock_hours: float) -> tuple[float, ...]:
    """`yearly_shortage` with `least` spares and the next more, `_TOGETHER` in all, at `up` failures per hour.

    Disks on order are a birth-death process: up with any failure, down with each arrival. Its Laplace transform is a
    sweep over the levels, inverted on Talbot's contour (Abate and Valko 2004, Int. J. Numer. Meth. Engng 60, eq. 25).
    """
    down, expected = 1 / restock_hours, up * restock_hours
    top = least + _TOGETHER + _more_levels(expected)
    start = [exp(count * log(expected) - expected - lgamma(count + 1)) for count in range(top)]
    start.append(poisson_tail(top - 1, expected))
    short = [0.0] * _TOGETHER
    for point, weight in _contour():
        found = _times_short(start, least, up, down, point / HOURS_PER_YEAR)
        short = [before + (weight * each / point).real for before, each in zip(short, found, strict=True)]
    return tuple([min(max(0.4 * up * each, 0.0), 1.0) for each in short])


@cache
def _contour() -> tuple[tuple[complex, complex], ...]:
    """(point times the time, weight) of each node."""
    first = 0.4 * _NODES
    found = [(complex(first), complex(exp(first) / 2))]
    for node in range(1, _NODES):
        angle = node * pi / _NODES
        slope = 1 / tan(angle)
        point = first * angle * complex(slope, 1)
        found.append((point, complex(1, angle * (1 + slope * slope) - slope) * cmath.exp(point)))
    return tuple(found)


def _times_short(start: Sequence[float], least: int, up: float, down: float, point: complex) -> list[complex]:
    """Transforms at `point` of P(no failure has found no spare yet, and as many as there are spares are on order).

    There are `least` spares, one more, and so on. `start` are the probabilities of 0, 1, ... disks on order at first. A
    failure ends it from the number of spares on, so that levels above are only left downwards; below, those that rise
    are eliminated from level 0 up.
    """
    point += up
    arrives = short = 0j
    beyond: list[tuple[complex, complex]] = []
    for level in range(len(start) - 1, least, -1):
        above = (start[level] + arrives) / (point + level * down)
        short += above
        arrives = level * down * above
        if level <= least + _TOGETHER:
            beyond.append((short, arrives))
    stays, rising = point, complex(start[0])
    found = []
    for level in range(least + _TOGETHER):
        if level:
            rises = up / stays
            rising = start[level] + rises * rising
            stays = point + level * down * (1 - rises)
        if level >= least:
            short, arrives = beyond.pop()
            found.append(short + (rising + arrives) / stays)
    return found
