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
_MORE_LEVELS = 8
"""levels above the spares that are followed: disks on order while arrays wait for them"""
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


@lru_cache(maxsize=4096)
def yearly_shortage(disks: int, spares: int, failure_per_hour: float, restock_hours: float) -> float:
    """Probability that any failure of an average year, not the first one, finds no spare.

    Disks on order are a birth-death process: up with any failure among `disks`, down with each arrival. Its Laplace
    transform is a sweep over the levels, inverted on Talbot's contour (Abate and Valko 2004, Int. J. Numer. Meth. Engng
    60, eq. 25). Of more than `_MOST_LEVELS` levels, shortages are independent of each other: a little too high.
    """
    up, down = disks * failure_per_hour, 1 / restock_hours
    if up == 0:
        return 0.0
    expected = up * restock_hours
    most = spares + _MORE_LEVELS + int(4 * sqrt(expected))
    if most > _MOST_LEVELS:
        return -expm1(-up * HOURS_PER_YEAR * poisson_tail(spares - 1, expected))
    start = [exp(count * log(expected) - expected - lgamma(count + 1)) for count in range(most)]
    start.append(poisson_tail(most - 1, expected))
    short = 0.0
    for point, weight in _contour():
        short += (weight * _time_short(start, spares, up, down, point / HOURS_PER_YEAR) / point).real
    return min(max(0.4 * up * short, 0.0), 1.0)


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


def _time_short(start: Sequence[float], spares: int, up: float, down: float, point: complex) -> complex:
    """Transform at `point` of P(no failure has found no spare yet, and `spares` or more are on order).

    `start` are the probabilities of 0, 1, ... disks on order at first. A failure ends it from `spares` on, so that
    levels above are only left downwards; below, those that rise are eliminated from level 0 up.
    """
    point += up
    above = short = 0j
    for level in range(len(start) - 1, spares, -1):
        above = (start[level] + (level + 1) * down * above) / (point + level * down)
        short += above
    stays, arrives = point, complex(start[0])
    for level in range(1, spares + 1):
        rises = up / stays
        arrives = start[level] + rises * arrives
        stays = point + level * down * (1 - rises)
    return short + (arrives + (spares + 1) * down * above) / stays
