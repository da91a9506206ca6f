"""What a measurement makes of a guess: machines are drawn from the prior, and as many as promised lie inside."""

import random
from collections.abc import Callable
from math import exp, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.predict.speed import confidence_bands
from raidtui.predict.speed.confidence_bands import (
    NINE_OF_TEN,
    WITHIN,
    WITHIN_RANDOM,
    Belief,
    RateFactor,
    cut_off,
    narrowed,
    replaced,
)

MACHINES = 20_000
_FACTORS = st.floats(1.01, 10)


def _share(case: Callable[[random.Random], tuple[bool, bool]]) -> float:
    """Of the cases that count, the share that lies inside; `case` answers (counts, inside)."""
    source = random.Random(20260131)
    counted = [inside for counts, inside in (case(source) for _ in range(MACHINES)) if counts]
    assert len(counted) > MACHINES / 10
    return sum(counted) / len(counted)


def _inside(belief: Belief | RateFactor, truth: float) -> bool:
    return belief.low <= truth <= belief.high


@pytest.mark.parametrize("outlier", [1.0, 0.5], ids=["as its model", "half as fast as its model"])
@pytest.mark.parametrize("error", [1.02, 1.15])
def test_nine_of_ten_measured_rates_are_inside_whatever_the_guess_was(outlier: float, error: float) -> None:
    deviation = log(error) / NINE_OF_TEN

    def case(source: random.Random) -> tuple[bool, bool]:
        truth = outlier * exp(source.gauss(log(200e6), 0.1))
        return True, _inside(replaced(truth * exp(source.gauss(0, deviation)), error), truth)

    assert _share(case) == pytest.approx(0.9, abs=0.01)


@pytest.mark.parametrize("demand", [0.7, 1.0, 1.5], ids=["few disks", "as many as it carries", "many disks"])
def test_nine_of_ten_links_are_inside_whether_they_held_the_disks_back_or_not(demand: float) -> None:
    guess = Belief(2.2e9, 1.1e9, 4.4e9)
    middle, deviation = log(guess.low * guess.high) / 2, log(guess.high / guess.low) / 2 / NINE_OF_TEN

    def case(source: random.Random, held: bool | None) -> tuple[bool, bool]:
        truth = exp(source.gauss(middle, deviation))
        wanted = demand * guess.point * exp(source.gauss(0, 0.2))
        if truth < wanted:
            seen = truth * exp(source.gauss(0, log(1.02) / NINE_OF_TEN))
            return held is not False, _inside(replaced(seen, 1.02), truth)
        return held is not True, _inside(cut_off(guess, wanted), truth)

    assert _share(lambda source: case(source, None)) == pytest.approx(0.9, abs=0.015)
    assert _share(lambda source: case(source, False)) == pytest.approx(0.9, abs=0.05)


@pytest.mark.parametrize("figures", [1, 3, 10])
@pytest.mark.parametrize(
    ("band", "random_work"),
    [
        (confidence_bands.DISK_SEQUENTIAL, False),
        (confidence_bands.FLASH_READ, False),
        (confidence_bands.RANDOM_READ_DISK, True),
    ],
)
def test_nine_of_ten_further_arrays_of_a_benchmarked_machine_are_inside(
    band: RateFactor, random_work: bool, figures: int
) -> None:
    between = log(max(band.point / band.low, band.high / band.point)) / NINE_OF_TEN
    within = WITHIN_RANDOM if random_work else WITHIN

    def case(source: random.Random) -> tuple[bool, bool]:
        own = source.gauss(log(band.point), between)
        seen = exp(sum(source.gauss(own, within) for _ in range(figures)) / figures)
        return True, _inside(narrowed(band, seen, figures, random=random_work), exp(source.gauss(own, within)))

    assert _share(case) == pytest.approx(0.9, abs=0.01)


@given(st.floats(1e6, 1e11), _FACTORS, _FACTORS, st.floats(1e5, 1e12))
def test_a_lower_bound_never_widens_a_guess_that_it_does_not_refute(
    point: float, down: float, up: float, least: float
) -> None:
    guess = Belief(point, point / down, point * up)
    found = cut_off(guess, least)
    assert found.low <= found.point <= found.high
    assert found.low >= guess.low
    assert found.high / found.low <= guess.high / guess.low * (1 + 1e-9)
    assert found == guess or found.low >= least * (1 - 1e-9)
    assert found.point >= min(guess.point, found.high)


@given(st.floats(0.1, 1.2), st.floats(1.3, 5), st.floats(0.3, 1.5), st.integers(1, 1000))
def test_more_benchmarks_narrow_the_band(point: float, reach: float, ratio: float, figures: int) -> None:
    band = RateFactor(point=point, low=point / reach, high=point * reach)
    one, more = (narrowed(band, ratio, count, random=False) for count in (figures, figures + 1))
    assert one.low <= one.point <= one.high
    assert band.high / band.low > one.high / one.low > more.high / more.low
    assert min(point, ratio) * (1 - 1e-9) <= one.point <= max(point, ratio) * (1 + 1e-9)
    assert exp(2 * NINE_OF_TEN * WITHIN) < more.high / more.low
