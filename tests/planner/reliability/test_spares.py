"""How many spares are enough."""

import csv
import math
import random
from pathlib import Path

import pytest

from raidtui.predict.risk.spares import poisson_tail, shortage_per_failure, spares_enough, yearly_shortage

TABLE = list(csv.DictReader((Path(__file__).parents[2] / "measured" / "spares_poisson.csv").open()))
YEAR = 8760.0


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row['disks']}-{row['afr_pct']}-{row['restock_days']}d")
def test_table_of_spares(row: dict[str, str]) -> None:
    disks, failure = int(row["disks"]), float(row["afr_pct"]) / 100 / YEAR
    hours = float(row["restock_days"]) * 24
    for count in range(6):
        given = float(row[f"p_more_than_{count}"])
        assert shortage_per_failure(disks, count + 1, failure, hours) == pytest.approx(given, rel=6e-3)
    assert shortage_per_failure(disks, 0, failure, hours) == 1


@pytest.mark.parametrize(
    ("count", "expected", "chance"),
    [(-1, 0.0, 1.0), (0, 0.0, 0.0), (0, 1000.0, 1.0), (0, 1.0, 0.6321205588), (1, 2.0, 0.5939941503)],
)
def test_chances_at_the_edges(count: int, expected: float, chance: float) -> None:
    assert poisson_tail(count, expected) == pytest.approx(chance, rel=1e-9)


@pytest.mark.parametrize(
    ("disks", "afr", "days", "spares"),
    [(4, 1.5, 30, 0), (8, 1.5, 30, 1), (60, 1.5, 30, 1), (60, 1.5, 365, 3), (60, 4, 365, 6), (1000, 1.5, 30, 6)],
)
def test_at_most_one_year_in_ten_is_short(disks: int, afr: float, days: float, spares: int) -> None:
    """Of 1000 disks one spare more than needed: shortages that come together are counted singly."""
    failure, hours = afr / 100 / YEAR, days * 24
    assert spares_enough(disks, failure, hours) == spares
    for count in range(max(spares - 1, 0), spares + 2):
        per_failure, per_year = simulated_shortages(disks, count, failure, hours)
        ours = yearly_shortage(disks, count, failure, hours)
        assert (ours <= 0.1) == (count >= spares)
        assert 0.9 * per_year - 0.003 < ours < 1.8 * per_year + 0.003
        assert shortage_per_failure(disks, count, failure, hours) == pytest.approx(per_failure, rel=0.1, abs=0.003)


def simulated_shortages(disks: int, spares: int, failure: float, restock: float) -> tuple[float, float]:
    """Share of failures, and share of years, without a spare: 10,000 years on end, drawn disk by disk."""
    draw = random.Random(spares)
    clock, on_order, failures, short, short_years = 0.0, list[float](), 0, 0, set[int]()
    while clock < 10_000 * YEAR:
        clock += draw.expovariate(disks * failure)
        on_order = [arrival for arrival in on_order if arrival > clock]
        failures += 1
        if len(on_order) >= spares:
            short += 1
            short_years.add(int(clock // YEAR))
        on_order.append(clock + draw.expovariate(1 / restock))
    return short / failures, len(short_years) / 10_000


def test_thousands_of_failures_take_thousands_of_spares() -> None:
    assert 1000 < spares_enough(10_000, 0.1 / YEAR, YEAR) < 1150


@pytest.mark.parametrize("hours", [1.0, 720.0, YEAR])
def test_without_spares_every_failure_is_short(hours: float) -> None:
    """56 disks at 1.5 %: 0.84 failures a year, so 1 - exp(-0.84)."""
    assert yearly_shortage(56, 0, 0.015 / YEAR, hours) == pytest.approx(1 - math.exp(-0.84), rel=1e-9)
    assert shortage_per_failure(56, 0, 0.015 / YEAR, hours) == 1


@pytest.mark.parametrize(
    ("disks", "spares", "afr", "hours", "short", "above"),
    [
        (60, 1, 1.5, 720, 5.705733537474e-2, 1.09), (60, 3, 1.5, 72, 6.012078742262e-8, 1.01),
        (56, 1, 1.5, 24, 1.922474526789e-3, 1.01), (1000, 5, 1.5, 720, 7.548982400356e-2, 1.61),
        (1000, 9, 1.5, 720, 6.848461328473e-5, 1.32), (60, 12, 1.5, 72, 5.003529314192e-35, 1.01),
    ],
)  # fmt: skip
def test_at_most_as_often_as_the_process_followed_jump_by_jump(
    disks: int, spares: int, afr: float, hours: float, short: float, above: float
) -> None:
    """By uniformisation with every jump of the year, up to a million."""
    assert short < yearly_shortage(disks, spares, afr / 100 / YEAR, hours) < above * short


def test_disks_that_never_fail() -> None:
    assert yearly_shortage(56, 0, 0.0, 720) == 0
    assert spares_enough(56, 0.0, 720) == 0
