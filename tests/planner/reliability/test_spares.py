"""How many spares are enough."""

import csv
from pathlib import Path

import pytest

from raidtui.predict.risk.spares import shortage_per_failure, spares_enough, yearly_shortage

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
