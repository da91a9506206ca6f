"""The bands from the rows, and the same with one source left out at a time, so that no source judges itself.

Rules, the same for every class:

* a row's ratio is what was measured over the lowest ceiling;
* rows off the class's middle by more than FENCE do not widen the band; they count as misses;
* the point is the median of the sources' medians, so that a source with many rows weighs as one;
* the ends are the lowest and the highest ratio, the upper one at least 1 since a ceiling can be reached, and
  `margin()` further: the least margin with which nine judging rows of ten lie in bands made without their source;
* rows that a ceiling of the model was taken from set no band and judge nothing, except where ceilings are locks of
  md: there their spread belongs to the band.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from math import ceil, floor
from statistics import median

from raidtui.planner.performance.confidence_bands import Band
from tests.validation.covered import cases
from tests.validation.predicted import Group, Outcome, predicted

FENCE = 3.0
COVERAGE = 0.9
_MARGINS = tuple(1 + step / 20 for step in range(41))

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
    locks = outcome.group == "flash, random reads" or outcome.case.work == "rand write"
    return outcome.group not in ("links", "disks, zone not known") and (judges(outcome) or locks)


def band_from(ratios: Sequence[Ratio], margin: float) -> Band:
    """The band that these rows give, rounded outwards to two digits."""
    middle = _by_source(ratios)
    kept = [(source, ratio) for source, ratio in ratios if middle / FENCE <= ratio <= middle * FENCE]
    values = [ratio for _, ratio in kept]
    low, high = min(values) / margin, max(1.0, *values) * margin
    return Band(point=round(_by_source(kept), 2), low=floor(low * 100 + 1e-9) / 100, high=ceil(high * 100 - 1e-9) / 100)


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
    """What is left out together: a source, or a request size where the class has one source only."""
    if outcome.group == "disks, random parity writes":
        return f"{outcome.case.block_bytes} bytes"
    return outcome.case.source


def held_out(outcome: Outcome, margin: float) -> Outcome:
    """What the model would have said with a band made without the row's source."""
    return outcome.with_band(band_from(ratios_of(outcome.group, without=fold(outcome)), margin))


@cache
def margin() -> float:
    """The least margin with which nine judging rows of ten lie in bands made without their source."""
    judging = [each for each in outcomes() if judges(each)]
    for one in _MARGINS:
        if sum(held_out(each, one).inside for each in judging) >= COVERAGE * len(judging):
            return one
    raise AssertionError("no margin covers nine of ten")


def fitted() -> dict[str, Band]:
    """Name of each constant in `bands` to what the rows give.

    Writes to mirrors and stripes of flash share the band of reads, where no parity thread is in the way; random
    parity writes of flash that of sequential ones, which is the same thread; random writes to mirrors, of which
    nothing was measured, that of random reads.
    """
    flash = band_from(ratios_of("flash, sequential"), margin())
    parity = band_from(ratios_of("flash, parity writes"), margin())
    random_read = band_from(ratios_of("flash, random reads"), margin())
    return {
        "DISK_SEQUENTIAL": band_from(ratios_of("disks, sequential"), margin()),
        "FLASH_READ": flash,
        "FLASH_OTHER_WRITE": flash,
        "FLASH_PARITY_WRITE": parity,
        "RANDOM_PARITY_WRITE_FLASH": parity,
        "RANDOM_READ": random_read,
        "RANDOM_OTHER_WRITE": random_read,
        "RANDOM_PARITY_WRITE_DISK": band_from(ratios_of("disks, random parity writes"), margin()),
        "MD_THREAD": thread_band(),
    }


def thread_band() -> Band:
    """Spread of md's parity thread on hard disks: the lowest that the rows of its ceiling show, no margin.

    The point is 1, the ceiling itself being a typical machine's; the class's own band comes on top.
    """
    ratios = [
        each.case.measured / each.thread
        for each in outcomes()
        if each.thread and each.case.rotational and each.case.calibrates and each.group == "disks, sequential"
    ]
    return Band(point=1.0, low=floor(min(ratios) * 100) / 100, high=max(1.0, ceil(max(ratios) * 100) / 100))


@cache
def withheld() -> tuple[Outcome, ...]:
    """The rows whose links bind, asked again with nothing said of the way to the disks."""
    return tuple(predicted(case, links="not binding") for case in cases() if case.links != "not binding")


def unknown_link_band() -> Band:
    """How much further down than the worst that is reckoned with a hidden way to the disks was found."""
    low = fitted()["DISK_SEQUENTIAL"].low
    needed = [each.case.measured / (low * each.hidden) for each in withheld() if each.case.rotational and each.hidden]
    return Band(point=1.0, low=min(1.0, floor(min(needed) * 100) / 100), high=1.0)
