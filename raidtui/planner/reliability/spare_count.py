"""How many spares are enough, and how likely they run out: the count of failed disks whose replacement is not here."""

from __future__ import annotations

from math import exp, expm1, lgamma, log

RARE = 0.01
"""chance of too few spares within one restocking that is small enough"""
_SURE = 1e-17
_MOST_STEPS = 400
"""jumps of the chain in the time looked at; beyond, its mean time to run out tells as much"""


def poisson_tail(count: int, expected: float) -> float:
    """Chance that a Poisson number with mean `expected` is above `count`; below 0 it always is."""
    if count < 0:
        return 1.0
    if expected <= 0:
        return 0.0
    if count < expected:
        return max(1 - _sum(count, -1, expected), 0.0)
    return _sum(count + 1, 1, expected)


def _sum(first: int, step: int, expected: float) -> float:
    """Chances of `first`, `first` + `step`, ... as far as they count; they fall from the first on."""
    chance = exp(first * log(expected) - expected - lgamma(first + 1))
    total, number = 0.0, first
    while chance > _SURE * total:
        total += chance
        chance *= expected / (number + 1) if step > 0 else number / expected
        number += step
    return total


def spares_enough(disks: int, failure_per_hour: float, restock_hours: float) -> int:
    """The fewest spares with less than 1 % chance that more of `disks` fail before the first is replaced."""
    expected = disks * failure_per_hour * restock_hours
    spares = 0
    while poisson_tail(spares, expected) >= RARE:
        spares += 1
    return spares


def chance_without_spare(disks: int, spares: int, failure_per_hour: float, restock_hours: float, hours: float) -> float:
    """Chance that within `hours`, all spares being there at first, a disk fails while none is left.

    Failed disks on order are a birth and death process, up with any of `disks`, down with each arrival. Solved by
    uniformisation (sums of positive terms); where that would take too many steps, by the mean time from the start.
    """
    up, down = disks * failure_per_hour, 1 / restock_hours
    if up == 0:
        return 0.0
    jumps = (up + spares * down) * hours
    if jumps > _MOST_STEPS:
        return -expm1(-hours / _mean_hours(spares, up, down))
    return _by_steps(spares, up, down, jumps, up + spares * down)


def _mean_hours(spares: int, up: float, down: float) -> float:
    """Mean hours until `spares` + 1 are on order at once: each level takes 1 / up plus the way back from below."""
    total = climb = 0.0
    for ordered in range(spares + 1):
        climb = (1 + ordered * down * climb) / up
        total += climb
    return total


def _by_steps(spares: int, up: float, down: float, jumps: float, pace: float) -> float:
    rise = up / pace
    fall = [ordered * down / pace for ordered in range(spares + 1)]
    stay = [(spares - ordered) * down / pace for ordered in range(spares + 1)]
    level = [1.0] + [0.0] * spares
    gone = answer = 0.0
    step = 0
    while True:
        weight = exp(step * log(jumps) - jumps - lgamma(step + 1))
        answer += weight * gone
        if step > jumps and weight <= _SURE * max(answer, _SURE):
            return min(answer, 1.0)
        gone += level[spares] * rise
        level = [
            (level[at - 1] * rise if at else 0.0)
            + level[at] * stay[at]
            + (level[at + 1] * fall[at + 1] if at < spares else 0.0)
            for at in range(spares + 1)
        ]
        step += 1
