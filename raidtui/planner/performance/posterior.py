"""How a measurement of this machine changes what the model believes: the rules of the update.

A belief is a rate or a factor with the ends between which nine cases of ten lie; its logarithm is normal. Three rules:

* A figure that was measured directly (a zone, random reads, a narrow link, memory) replaces the guess, with the
  measurement's own error: a disk that differs from its data sheet is what one measures for. `replaced`.
* A link that the disks could not fill, and memory that the processors could not, is known from one side: the guess is
  cut off below what was seen, and quantiles of what is left are the new ends. `cut_off`.
* How near arrays come to their lowest ceiling differs between machines (the band of the class) and, less, between
  arrays of one machine (`WITHIN`). Benchmarks of this machine update the first as in any normal model with known
  variances: weights are inverse variances. The next array's band is what is left of the first, and the second.
  `narrowed`.

tests/properties/test_posterior.py draws machines from the prior and counts how many lie inside.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, hypot, log, sqrt
from statistics import NormalDist

from raidtui.planner.performance.confidence_bands import RateFactor

NINE_OF_TEN = NormalDist().inv_cdf(0.95)
"""standard deviations from the middle to either end"""
WITHIN = 0.05
"""standard deviation of the logarithm of measured over ceiling between arrays of one machine: 0.05 in the eleven arrays
of the three-disk source"""
WITHIN_RANDOM = 0.1
"""the same of random work: 4 KiB rates of one array differ more from run to run"""


@dataclass(frozen=True, slots=True)
class Belief:
    """A rate, and the ends that nine of ten lie between; bytes or operations per second."""

    point: float
    low: float
    high: float


def replaced(rate: float, error: float) -> Belief:
    """The belief after measuring `rate`, of which nine of ten repetitions lie within the factor `error`."""
    return Belief(rate, rate / error, rate * error)


def cut_off(guess: Belief, least: float) -> Belief:
    """The belief after `guess` turned out to be at least `least`; a guess without a band, or above it, stays.

    Where `least` contradicts the guess, `least` is all that is known.
    """
    if least <= guess.low:
        return guess
    if guess.high <= least or guess.high <= guess.low:
        return Belief(max(guess.point, least), max(guess.low, least), max(guess.high, least))
    middle, deviation = log(guess.low * guess.high) / 2, log(guess.high / guess.low) / 2 / NINE_OF_TEN
    normal = NormalDist(middle, deviation)
    below = normal.cdf(log(least))

    def quantile(share: float) -> float:
        return exp(normal.inv_cdf(min(below + share * (1 - below), 1 - 1e-12)))

    low, high = max(quantile(0.05), guess.low), quantile(0.95)
    return Belief(min(max(guess.point, quantile(0.5), low), high), low, high)


def narrowed(band: RateFactor, ratio: float, figures: int, *, random: bool) -> RateFactor:
    """The class's `band` after `figures` benchmarks of this machine came to `ratio` (geometric mean) of the ceiling.

    The prior's middle is the band's point, its deviation that of the wider side.
    """
    within = WITHIN_RANDOM if random else WITHIN
    between = log(max(band.point / band.low, band.high / band.point)) / NINE_OF_TEN
    if between <= 0:
        return band
    prior, seen = between**-2, figures / within**2
    middle = (prior * log(band.point) + seen * log(ratio)) / (prior + seen)
    reach = NINE_OF_TEN * hypot(1 / sqrt(prior + seen), within)
    return RateFactor(point=exp(middle), low=exp(middle - reach), high=exp(middle + reach))
