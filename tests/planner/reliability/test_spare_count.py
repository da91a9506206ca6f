"""How many spares are enough."""

import csv
import math
from pathlib import Path

import pytest

from raidtui.planner.reliability.spare_count import chance_without_spare, poisson_tail, spares_enough

TABLE = list(csv.DictReader((Path(__file__).parents[2] / "measured" / "spares_poisson.csv").open()))
YEAR = 8760.0


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row['disks']}-{row['afr_pct']}-{row['restock_days']}d")
def test_table_of_spares(row: dict[str, str]) -> None:
    disks, failure = int(row["disks"]), float(row["afr_pct"]) / 100 / YEAR
    hours = float(row["restock_days"]) * 24
    for count in range(6):
        given = float(row[f"p_more_than_{count}"])
        assert poisson_tail(count, disks * failure * hours) == pytest.approx(given, rel=6e-3)
    assert spares_enough(disks, failure, hours) == int(row["spares_for_1pct"])


@pytest.mark.parametrize(
    ("count", "expected", "chance"),
    [(-1, 0.0, 1.0), (0, 0.0, 0.0), (0, 1000.0, 1.0), (0, 1.0, 0.6321205588), (1, 2.0, 0.5939941503)],
)
def test_chances_at_the_edges(count: int, expected: float, chance: float) -> None:
    assert poisson_tail(count, expected) == pytest.approx(chance, rel=1e-9)


def test_thousands_of_failures_take_thousands_of_spares() -> None:
    assert 1000 < spares_enough(10_000, 0.1 / YEAR, YEAR) < 1100


@pytest.mark.parametrize(("spares", "chance"), [(0, 0.568289477), (1, 0.205652637), (4, 0.0017434)])
def test_nobody_restocks(spares: int, chance: float) -> None:
    """56 disks at 1.5 %: 0.84 failures a year, so 1 - exp(-0.84), less 0.84 exp(-0.84), and so on."""
    assert chance_without_spare(56, spares, 0.015 / YEAR, 1e15, YEAR) == pytest.approx(chance, rel=1e-3)


def test_quick_restocking_by_the_mean_time_and_by_steps_is_alike() -> None:
    """Below and above the number of steps at which the answer changes its way."""
    few, many = (chance_without_spare(56, 1, 0.015 / YEAR, hours, YEAR) for hours in (22.2, 21.8))
    assert few == pytest.approx(many, rel=0.03)


def test_two_disks_at_once() -> None:
    """One spare, a failure a year on average, a replacement takes a tenth: solved by hand.

    With both rates 1 and 10, the time to two on order has the polynomial s^2 + 12 s + 1: roots -0.0839 and -11.916.
    """
    slow, fast = 6 - math.sqrt(35), 6 + math.sqrt(35)
    chance = 1 - (fast * math.exp(-slow) - slow * math.exp(-fast)) / (fast - slow)
    assert chance_without_spare(1, 1, 1 / YEAR, YEAR / 10, YEAR) == pytest.approx(chance, rel=1e-9)


def test_disks_that_never_fail() -> None:
    assert chance_without_spare(56, 0, 0.0, 720, YEAR) == 0
    assert spares_enough(56, 0.0, 720) == 0
