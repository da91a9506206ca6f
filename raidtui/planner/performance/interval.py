"""The band of a predicted rate, and what makes it as wide as it is.

Every ceiling has a spread of its own (a guessed link, an unknown disk, md's thread on an unknown processor), and the
class of workload has one: how near arrays come to their lowest ceiling. They are independent, so they combine in
quadrature of their logarithms. The band is the lowest low and the lowest high of all ceilings. No high lies above what
a link carries, nor further above what the members deliver than the disks' own figures are wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, hypot, log

from raidtui.model.limit import LimitKind
from raidtui.model.speed import BandCause, Ceiling, Driver
from raidtui.planner.performance.confidence_bands import RateFactor
from raidtui.planner.performance.raid_level_rates import PARTIAL_POINT

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
        """This ceiling times `left`, the share that a running rebuild leaves."""
        return self if left == 1 else self.lowered(left, left, f"{left:g} left by the rebuild")

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
