"""How many spares suffice, and the probability that they run out: failed disks awaiting replacement as a process.

Each failed disk is ordered, and its replacement becomes a spare after the restocking time. In the long run the number
of disks on order is Poisson-distributed whatever the distribution of that time (Palm's theorem), and failures find it
so.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, expm1, lgamma, log, sqrt

from raidtui.model.units import HOURS_PER_YEAR
from raidtui.planner.numbers import float_sum

RARE = 0.1
"""spares suffice if the probability that any failure of a year finds none is at most this"""
RULE = "the fewest with which at most 1 year in 10 has a failure that finds no spare"
"""`RARE` as a phrase"""
MISSED = 0.05
"""replacement disks on the shelf suffice if more than these are on order in at most this share of time"""
_SURE = 1e-17
_MOST_STEPS = 600
"""maximum expected jumps of the chain"""
_MORE_LEVELS = 8
"""levels above the spares that are followed: disks on order while arrays wait for them"""
_NEVER = 1e-13
"""share of the time below which more disks on order are not told apart"""


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

    Disks on order are a birth-death process: up with any failure among `disks`, down with each arrival. It is followed
    through the year by uniformisation (sums of positive terms). Where that takes too many steps, shortages are
    independent of each other: exact for quick restocking, a little too high for thousands of failures a year.
    """
    up, down = disks * failure_per_hour, 1 / restock_hours
    if up == 0:
        return 0.0
    expected = up * restock_hours
    most = min(spares + _MORE_LEVELS + int(4 * sqrt(expected)), max(_most_on_order(expected), spares + 1))
    pace = up + most * down
    if pace * HOURS_PER_YEAR > _MOST_STEPS:
        return -expm1(-up * HOURS_PER_YEAR * poisson_tail(spares - 1, expected))
    start = [poisson_tail(count - 1, expected) - poisson_tail(count, expected) for count in range(most)]
    return _by_steps(spares, up / pace, down / pace, pace * HOURS_PER_YEAR, [*start, poisson_tail(most - 1, expected)])


@lru_cache(maxsize=1024)
def _most_on_order(expected: float) -> int:
    """Disks on order that are exceeded in at most `_NEVER` of the time."""
    most = int(expected)
    while poisson_tail(most, expected) > _NEVER:
        most += 1
    return most


def _by_steps(spares: int, rise: float, fall: float, jumps: float, level: list[float]) -> float:
    """Probability that within `jumps` expected jumps one rises from `spares` levels or more.

    `level` are the probabilities of the start; a jump rises with probability `rise`, and falls with `fall` a level.
    """
    most = len(level) - 1
    counts = range(most + 1)
    rises = [rise if 0 < at <= spares else 0.0 for at in counts]
    stays = [1 - rise - at * fall for at in counts]
    above = [float(at + 1) for at in counts]
    logarithm = log(jumps)
    gone = answer = 0.0
    step = 0
    while True:
        weight = exp(step * logarithm - jumps - lgamma(step + 1))
        answer += weight * gone
        if step > jumps and weight <= _SURE * max(answer, _SURE):
            return min(answer, 1.0)
        gone += rise * float_sum(level[spares:])
        # of each level: what rises to it, stays, and falls to it
        level = [
            below * up + own * stay + more * number * fall
            for below, up, own, stay, more, number in zip(
                [0.0, *level], rises, level, stays, [*level[1:], 0.0], above, strict=False
            )
        ]
        step += 1
