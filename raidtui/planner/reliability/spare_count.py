"""How many spares suffice, and the probability that they run out: failed disks awaiting replacement as a process."""

from __future__ import annotations

from math import exp, expm1, lgamma, log

RARE = 0.01
"""acceptable probability of too few spares within one restocking time"""
_SURE = 1e-17
_MOST_STEPS = 400
"""maximum expected jumps of the chain; above, the mean time to run out is used"""


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


def spares_enough(disks: int, failure_per_hour: float, restock_hours: float) -> int:
    """Fewest spares with less than 1 % probability that more of `disks` fail before the first is replaced."""
    expected = disks * failure_per_hour * restock_hours
    spares = 0
    while poisson_tail(spares, expected) >= RARE:
        spares += 1
    return spares


def chance_without_spare(disks: int, spares: int, failure_per_hour: float, restock_hours: float, hours: float) -> float:
    """Probability that a disk fails within `hours` while no spare is left, starting with all spares.

    Disks on order are a birth-death process: up with any failure among `disks`, down with each arrival. Solved by
    uniformisation (sums of positive terms); if that takes too many steps, by the mean time from the start.
    """
    up, down = disks * failure_per_hour, 1 / restock_hours
    if up == 0:
        return 0.0
    jumps = (up + spares * down) * hours
    if jumps > _MOST_STEPS:
        return -expm1(-hours / _mean_hours(spares, up, down))
    return _by_steps(spares, up, down, jumps, up + spares * down)


def _mean_hours(spares: int, up: float, down: float) -> float:
    """Mean hours until `spares` + 1 disks are on order at once."""
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
