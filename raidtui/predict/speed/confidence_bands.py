"""Bands: factors on the lowest ceiling by class of workload, fitted to published measurements, and what they come to.

A class band is the expected factor and the ends between which nine of ten measurements fell, each source weighing as
one. The values come from the validation over `tests/measured`: tests/validation/fit.py holds the rules, REPORT.md every
row, and a test checks that the rows yield these values. Ratios below are measured over the lowest ceiling.

Every ceiling has a spread of its own (a guessed link, an unknown disk, md's thread on an unknown processor), which is
independent of the class: they combine in quadrature of their logarithms. The band of a rate is the lowest low and the
lowest high of all ceilings. No high lies above what a link carries, nor further above what the members deliver than the
disks' own figures are wrong.

A measurement of this machine changes a belief, whose logarithm is normal, by three rules: `replaced`, `cut_off` and
`narrowed`. tests/properties/test_posterior.py draws machines from the prior and counts how many lie inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, hypot, log, sqrt
from statistics import NormalDist

from raidtui.predict.speed.raid_level_rates import PARTIAL_POINT
from raidtui.values.speed import BandCause, Ceiling, Driver, LimitKind


@dataclass(frozen=True, slots=True, kw_only=True)
class RateFactor:
    """Factors on the lowest ceiling."""

    point: float
    """expected factor"""
    low: float
    """lower end"""
    high: float
    """upper end"""


DISK_SEQUENTIAL = RateFactor(point=0.95, low=0.688, high=1.03)
"""rotating disks, sequential reads and writes: 17 rows of 5 sources, from 0.69 (dd with 4 KiB blocks, 2013) to 1.12
(three readers of a mirror whose other members are faster)"""
FLASH_READ = RateFactor(point=0.81, low=0.586, high=1.032)
"""flash, sequential reads: 11 rows of 7 sources together with writes without parity, 0.58 to 1.00"""
FLASH_OTHER_WRITE = FLASH_READ
"""flash, sequential writes to mirrors and stripes: no parity thread is involved, as with reads"""
FLASH_PARITY_WRITE = RateFactor(point=0.87, low=0.486, high=1.625)
"""flash, sequential writes to parity arrays: md's locks bind; 8 rows of 4 sources, 0.58 to 1.36; one report of 4.3 is
excluded as an outlier"""
RANDOM_READ = RateFactor(point=1.00, low=0.799, high=1.279)
"""random reads: 7 rows of 3 sources, all flash, 0.42 to 1.35; six of them set md's ceilings"""
RANDOM_READ_DISK = RateFactor(point=1.00, low=0.799, high=1.333)
"""random reads of rotating disks at depth: 7 rows of eight disks behind two adapters, 1.04 to 1.31 of what a disk alone
explains; the lower end is that of flash, since it is one machine"""
RANDOM_PARITY_WRITE_DISK = RateFactor(point=1.00, low=0.2, high=1.554)
"""random writes to parity arrays of rotating disks: 9 rows of one source, 0.18 to 0.32, and 7 of another behind two
adapters, 1.21 to 1.52; its counters show the reads and writes that follow from the level, so it sets the point"""
RANDOM_PARITY_WRITE_DISK_SEEN = (0.18, 1.52)
"""the lowest and the highest of them"""
RANDOM_PARITY_WRITE_FLASH = FLASH_PARITY_WRITE
"""random writes to parity arrays of flash: the same thread"""
RANDOM_OTHER_WRITE = RANDOM_READ
"""random writes to mirrors and stripes: no measurements at depth, assumed equal to reads"""
RANDOM_OTHER_WRITE_DISK = RANDOM_READ_DISK
"""the same on rotating disks"""
MD_THREAD = RateFactor(point=1.0, low=0.55, high=1.26)
"""spread of the md thread's own ceiling between machines: sequential writes of 6 sources, 0.44 to 1.35"""


MEASUREMENT = 1.03
"""how far above the members' ceiling a right measurement may lie: drives exceed their data sheets by so much"""
_DRIVERS: dict[LimitKind, Driver] = {
    "md thread": "md thread", "members": "disk speed", "one stream": "latency", "memory": "memory",
    "controller cache": "controller cache",
}  # fmt: skip
"""what makes the spread of a ceiling; of any other ceiling but a disk's own link it is `_LINK`"""
_LINK: Driver = "link"
NOTEWORTHY = 1.1
"""a spread that widens a band by less has no driver"""


@dataclass(frozen=True, slots=True)
class Bound:
    """A ceiling with the spread of its rate."""

    ceiling: Ceiling
    point: float
    low: float
    high: float
    unknown: str = ""
    """inputs that had to be guessed; empty if none"""
    whole: bool = False
    """True if the spread is of rates measured where this ceiling was the lowest: the class adds nothing to it"""

    @property
    def stripes(self) -> bool:
        """True for ceilings that partial-stripe writes lower (read-modify-write): members and md's thread."""
        return self.ceiling.name.kind in ("members", "md thread")

    def beside_rebuild(self, left: float) -> Bound:
        """This ceiling times `left`, the share that a running rebuild leaves; encryption is above the arrays."""
        return (
            self
            if left == 1 or self.ceiling.name.kind == "encryption"
            else self.lowered(left, left, f"{left:g} left by the rebuild")
        )

    def lowered(self, share: float, of_high: float, words: str) -> Bound:
        """This ceiling times `share`, or up to `of_high`, an error of its own; `words` end the formula."""
        ceiling = replace(self.ceiling, rate=round(share * self.point), formula=f"({self.ceiling.formula}) x {words}")
        point = share * self.point
        high = independent(point, self.high / self.point, of_high / share)
        return replace(self, ceiling=ceiling, point=point, low=share * self.low, high=high)


def independent(point: float, *errors: float) -> float:
    """`point` off by independent errors, factors that are all at most 1 or all at least 1: in quadrature of logs."""
    off = hypot(*map(log, errors))
    return point * exp(off if max(errors) > 1 else -off)


def expected(found: Sequence[Bound], partial: float = 1.0) -> float:
    """The lowest of the ceilings `found`; with `partial` below 1 partial stripes cost what is usual."""
    share = PARTIAL_POINT if partial < 1 else 1.0
    return min(share * bound.point if bound.stripes else bound.point for bound in found)


def interval(found: Sequence[Bound], band: RateFactor, partial: float = 1.0) -> tuple[float, float]:
    """(low, high) of the rate below the ceilings `found`; `partial`: the worst share under partial-stripe writes."""
    return _lowest([_ends(bound, band, partial) for bound in found])


def explained(found: Sequence[Bound], band: RateFactor, partial: float = 1.0) -> tuple[float, float, BandCause | None]:
    """`interval`, and what widens it most: the spread without which it would be narrowest; None for a narrow band."""
    ends = [_ends(bound, band, partial) for bound in found]
    lowest = _lowest(ends)
    wide = _width(lowest)
    best = max(_narrower(found, ends, band, partial), key=lambda each: wide / each[1])
    factor = wide / best[1]
    return *lowest, BandCause(driver=best[0], factor=factor) if factor >= NOTEWORTHY else None


def _narrower(
    found: Sequence[Bound], ends: Sequence[tuple[float, float]], band: RateFactor, partial: float
) -> list[tuple[Driver, float]]:
    """Each driver with the width of the band if it were known exactly; `ends` are those of `found`."""
    exact = RateFactor(point=band.point, low=band.point, high=band.point)
    known: list[tuple[Driver, float]] = [("class", _width(interval(found, exact, partial)))]
    if partial < 1:
        known.append(("partial stripes", _width(interval(found, band))))
    drivers = [_driver(bound) for bound in found]
    for driver in (*_DRIVERS.values(), _LINK):
        if driver in drivers:
            sharp = [
                _ends(bound, band, partial, known=True) if own == driver else wide
                for bound, own, wide in zip(found, drivers, ends, strict=True)
            ]
            known.append((driver, _width(_lowest(sharp))))
    return known


def _driver(bound: Bound) -> Driver | None:
    kind = bound.ceiling.name.kind
    return None if kind == "disk link" else _DRIVERS.get(kind, _LINK)


def _lowest(ends: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The lowest low and the lowest high."""
    return min([low for low, _ in ends]), min([high for _, high in ends])


def _ends(bound: Bound, band: RateFactor, partial: float, *, known: bool = False) -> tuple[float, float]:
    """(low, high) of one ceiling; `known`: without its own spread."""
    low, high = (bound.point, bound.point) if known else (bound.low, bound.high)
    return _low(bound, low, band, partial), _high(bound, high, band)


def _width(ends: tuple[float, float]) -> float:
    return ends[1] / max(ends[0], 1e-9)


def _low(bound: Bound, low: float, band: RateFactor, partial: float) -> float:
    own = log(bound.point / low)
    loss = -log(partial) if bound.stripes else 0.0
    if bound.whole:
        return bound.point * exp(-hypot(own, loss))
    return bound.point * band.point * exp(-hypot(log(band.point / band.low), own, loss))


def _high(bound: Bound, most: float, band: RateFactor) -> float:
    if bound.whole:
        return most
    high = bound.point * band.point * exp(hypot(log(band.high / band.point), log(most / bound.point)))
    kind = bound.ceiling.name.kind
    if kind in ("md thread", "one stream", "memory"):
        return high
    return min(high, most * (MEASUREMENT if kind in ("members", "disk link") else 1.0))


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
    """The belief after measuring `rate`, of which nine of ten repetitions lie within the factor `error`.

    A disk that differs from its data sheet is what one measures for.
    """
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

    How near arrays come to their lowest ceiling differs between machines and, less, between arrays of one machine
    (`WITHIN`): a normal model with known variances, whose weights are inverse variances.
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
