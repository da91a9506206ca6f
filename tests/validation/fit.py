"""The bands from the rows, and the same with one source left out at a time, so that no source judges itself.

Rules, the same for every class:

* a row's ratio is what was measured over the lowest ceiling;
* rows off the class's middle by more than FENCE do not widen the band; they count as misses. Random parity writes of
  disks have no fence: their sources contradict each other by more, and nothing tells which is the rule;
* the point is the median of the sources' medians, so that a source with many rows weighs as one; never above 1, since
  nobody plans with more than a ceiling;
* the ends are the ratios that one row of ten lies below, or above, each source weighing as one; the upper one is at
  least 1 since a ceiling can be reached, and both lie `margin` further out: for each class the least one that covers
  85 % of the judging rows, or as many as a quarter would, in bands made without their source; the upper one at least
  the error of the disks' own figures;
* rows that a ceiling of the model was taken from set no band and judge nothing, except where ceilings are locks of
  md: there their spread belongs to the band.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from math import ceil, floor
from statistics import median

from raidtui.predict.speed.confidence_bands import MEASUREMENT, RateFactor
from tests.validation.covered import cases
from tests.validation.predicted import Group, Outcome, predicted

FENCE = 3.0
COVERAGE = 0.9
ENOUGH = 0.85
"""share of a class's judging rows that its band must cover"""
_MARGINS = (1.0, 1.05, 1.1, 1.15, 1.2, 1.25)

Ratio = tuple[str, float]
"""a source and a ratio"""


@cache
def outcomes() -> tuple[Outcome, ...]:
    """The shipped model's answer to every covered row."""
    return tuple(predicted(case) for case in cases())


def judges(outcome: Outcome) -> bool:
    """True for rows that no ceiling was taken from."""
    return not outcome.case.calibrates


def sets_band(outcome: Outcome) -> bool:
    """True for rows that go into their class's band."""
    if outcome.case.rotational and outcome.bottleneck == "md thread":
        return False  # the spread of md's thread is a band of its own
    if outcome.partial < 1:
        return False  # so is what partial stripes cost
    locks = outcome.case.work.startswith("rand")
    return outcome.group not in ("links", "disks, zone not known") and (judges(outcome) or locks)


def band_from(ratios: Sequence[Ratio], margin: float, fence: float = FENCE) -> RateFactor:
    """The band that these rows give, rounded outwards to three digits."""
    middle = _by_source(ratios)
    kept = [(source, ratio) for source, ratio in ratios if middle / fence <= ratio <= middle * fence]
    low = quantile(kept, 1 - COVERAGE) / margin
    high = max(1.0, quantile(kept, COVERAGE)) * max(margin, MEASUREMENT)
    point = min(1.0, round(_by_source(kept), 2))
    return RateFactor(
        point=point, low=min(point, floor(low * 1000 + 1e-9) / 1000), high=ceil(high * 1000 - 1e-9) / 1000
    )


def class_band_of(group: Group, margin: float, without: str | None = None) -> RateFactor:
    """The band of a class, with or without a source."""
    fence = 100.0 if group == "disks, random parity writes" else FENCE
    return band_from(ratios_of(group, without), margin, fence)


def quantile(ratios: Sequence[Ratio], share: float) -> float:
    """The ratio below which `share` of the rows lie, each source weighing as one; linear between rows."""
    counts = Counter(source for source, _ in ratios)
    ordered = sorted((ratio, 1 / counts[source] / len(counts)) for source, ratio in ratios)
    below = 0.0
    last: tuple[float, float] | None = None
    for ratio, weight in ordered:
        middle = below + weight / 2
        if middle >= share:
            if last is None:
                return ratio
            place, value = last
            return value + (ratio - value) * (share - place) / (middle - place)
        last = middle, ratio
        below += weight
    return ordered[-1][0]


def _by_source(ratios: Iterable[Ratio]) -> float:
    found: dict[str, list[float]] = {}
    for source, ratio in ratios:
        found.setdefault(source, []).append(ratio)
    return median(median(each) for each in found.values())


def ratios_of(group: Group, without: str | None = None) -> list[Ratio]:
    """Source and ratio of each row that sets the band of `group`, leaving out one fold."""
    own: Group = "disks, sequential" if group in ("links", "disks, zone not known") else group
    return [
        (each.case.source, each.ratio)
        for each in outcomes()
        if each.group == own and sets_band(each) and fold(each) != without
    ]


def fold(outcome: Outcome) -> str:
    """What is left out together: a source."""
    return outcome.case.source


def held_out(outcome: Outcome, margin: float) -> Outcome:
    """What the model would have said with a band made without the row's source."""
    return outcome.with_band(class_band_of(outcome.group, margin, without=fold(outcome)))


@cache
def margin(group: Group) -> float:
    """The least margin that covers enough judging rows of a class, or as many as the largest one, held out."""
    judging = [each for each in outcomes() if each.group == group and judges(each)]
    covered = [sum(held_out(each, one).inside for each in judging) for one in _MARGINS]
    enough = min(max(covered), ceil(ENOUGH * len(judging)))
    return next(one for one, count in zip(_MARGINS, covered, strict=True) if count >= enough)


def fitted() -> dict[str, RateFactor]:
    """Name of each constant in `bands` to what the rows give.

    Writes to mirrors and stripes of flash share the band of reads, where no parity thread is in the way; random
    parity writes of flash that of sequential ones, which is the same thread; random writes to mirrors, of which
    nothing was measured, that of random reads.
    """
    names: tuple[Group, ...] = (
        "flash, sequential",
        "flash, parity writes",
        "flash, random reads",
        "disks, random reads",
    )
    flash, parity, random_read, disk_read = (class_band_of(name, margin(name)) for name in names)
    disk_read = replace(disk_read, low=min(disk_read.low, random_read.low))  # one machine, with two adapters
    return {
        "DISK_SEQUENTIAL": class_band_of("disks, sequential", margin("disks, sequential")),
        "FLASH_READ": flash,
        "FLASH_OTHER_WRITE": flash,
        "FLASH_PARITY_WRITE": parity,
        "RANDOM_PARITY_WRITE_FLASH": parity,
        "RANDOM_READ": random_read,
        "RANDOM_OTHER_WRITE": random_read,
        "RANDOM_READ_DISK": disk_read,
        "RANDOM_OTHER_WRITE_DISK": disk_read,
        "RANDOM_PARITY_WRITE_DISK": class_band_of("disks, random parity writes", margin("disks, random parity writes")),
        "MD_THREAD": thread_band(),
    }


def thread_band() -> RateFactor:
    """Spread of md's parity thread between machines: the same quantiles, of writes that it bound, without a margin.

    The point is 1, the ceiling itself being a typical machine's. Hard disks and flash: it is the same thread.
    """
    ratios = [
        (each.case.source, each.case.measured / each.thread)
        for each in outcomes()
        if each.thread and each.case.work == "seq write" and (each.bottleneck == "md thread" or each.case.calibrates)
        and each.case.links == "not binding" and each.case.measured / each.thread < FENCE
    ]  # fmt: skip
    low, high = quantile(ratios, 1 - COVERAGE), quantile(ratios, COVERAGE)
    return RateFactor(point=1.0, low=floor(low * 100) / 100, high=max(1.0, ceil(high * 100) / 100))


@cache
def withheld() -> tuple[Outcome, ...]:
    """The rows whose links bind, asked again with nothing said of the way to the disks."""
    return tuple(predicted(case, links="not binding") for case in cases() if case.links != "not binding")
