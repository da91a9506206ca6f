"""The chain of one array in a pool against the chain of the whole pool, and against published worked examples."""

import csv
import math
import re
from decimal import Decimal
from pathlib import Path

import pytest

from raidtui.predict.risk.loss_rates import loss_rates, unreadable
from raidtui.predict.risk.spare_pool import SparePool, set_rates
from raidtui.values.assumptions import Assumptions
from raidtui.values.notation import parse
from raidtui.values.units import HOURS_PER_YEAR
from tests.planner.exact_pool import mean_hours
from tests.suite import few

MEASURED = Path(__file__).parents[2] / "measured"
ABOVE = {"72": 0.01, "168": 0.016, "720": 0.065, "2160": 0.17, "8760": 0.345}
"""how much ours may be above a worked example, by restocking hours"""
WORKED = list(csv.DictReader((MEASURED / "worked_reliability.csv").open()))


def pool(arrays: int, members: int, tolerance: int, spares: int, afr: str, rebuild_h: str, restock_h: str) -> SparePool:
    return SparePool(
        arrays * members, members, tolerance, spares, float(afr) / 8760, 1 / float(rebuild_h), 1 / float(restock_h)
    )


@pytest.mark.parametrize(
    ("arrays", "members", "tolerance", "spares", "afr", "rebuild_h", "restock_h"),
    [
        (1, 14, 2, 0, "0.015", "62", "720"),
        (1, 14, 2, 3, "0.04", "62", "8760"),
        (1, 8, 1, 1, "0.015", "24", "168"),
        (1, 3, 2, 1, "0.1", "12", "2160"),
        (1, 4, 3, 2, "0.04", "200", "8760"),
    ],
)
def test_one_array_is_exact(
    arrays: int, members: int, tolerance: int, spares: int, afr: str, rebuild_h: str, restock_h: str
) -> None:
    judge = mean_hours(arrays, members, tolerance, spares, afr=afr, rebuild_h=rebuild_h, restock_h=restock_h)
    ours = set_rates(pool(arrays, members, tolerance, spares, afr, rebuild_h, restock_h)).loss
    assert abs(Decimal(ours) * judge - 1) < Decimal("1e-8")


@pytest.mark.parametrize(
    ("arrays", "members", "tolerance", "spares", "afr", "rebuild_h", "restock_h", "within"),
    few(
        [
            (4, 14, 2, 4, "0.015", "62", "720", 0.001),
            (4, 14, 2, 1, "0.015", "62", "720", 0.001),
            (4, 14, 2, 0, "0.015", "62", "720", 0.001),
            (4, 14, 2, 2, "0.015", "11.6", "2160", 0.001),
            (6, 10, 2, 1, "0.04", "60", "720", 0.002),
            (3, 5, 1, 1, "0.015", "24", "720", 0.001),
            (5, 4, 1, 2, "0.04", "24", "2160", 0.01),
            (4, 3, 2, 1, "0.015", "24", "2160", 0.001),
            (4, 14, 2, 2, "0.015", "62", "8760", 0.02),
            (4, 14, 2, 4, "0.04", "62", "8760", 0.06),
        ],
        4,
    ),
)
def test_a_pool_is_the_chain_of_all_its_arrays_and_never_safer(
    arrays: int, members: int, tolerance: int, spares: int, afr: str, rebuild_h: str, restock_h: str, within: float
) -> None:
    judge = mean_hours(arrays, members, tolerance, spares, afr=afr, rebuild_h=rebuild_h, restock_h=restock_h)
    ours = set_rates(pool(arrays, members, tolerance, spares, afr, rebuild_h, restock_h)).loss
    assert -0.0005 < float(Decimal(arrays * ours) * judge) - 1 < within


@pytest.mark.parametrize("row", WORKED, ids=lambda row: f"{row['layout']}-{row['capacity_tb']}TB-{row['afr_pct']}")
def test_worked_examples(row: dict[str, str]) -> None:
    """Rows solved by a chain of all arrays that serves the worst one first; rebuild hours are given to 0.1.

    Ours serves waiting arrays alike, so it may be above where many disks are missing for long: up to 1.6 % with
    restocking within a week, 6 % within a month, 17 % within three, 34 % within a year. It is never below by more
    than rounding.
    """
    match = re.fullmatch(r"(\d+x\(\d+\+\d\))(?:\+(\d)S)?", row["layout"])
    assert match is not None
    layout = parse(f"{match[1]}+{match[2]}" if match[2] else match[1])
    lead, hours = float(row["replacement_lead_h"]), float(row["rebuild_h"])
    assumptions = Assumptions(afr=float(row["afr_pct"]) / 100, restock_days=lead / 24)
    yearly = loss_rates(layout, hours, assumptions).array * HOURS_PER_YEAR
    above = ABOVE[row["replacement_lead_h"]]
    for years in (1, 5):
        given = float(row[f"p_group_loss_{years}y"])
        assert 0.99 < -math.expm1(-yearly * years) / given < 1 + above

    single = set_rates(pool(1, layout.first.members, layout.parity, 20, str(assumptions.afr), str(hours), "24"))
    entries = layout.arrays * single.critical * HOURS_PER_YEAR
    assert entries == pytest.approx(float(row["critical_entries_per_y"]), rel=0.03)
    component = int(float(row["capacity_tb"]) * 1e12)
    for said, ure in (("1e-15", 1e-15), ("3e-16", 3e-16)):
        lost = -math.expm1(-entries * unreadable(layout.first, component, Assumptions(ure_per_bit=ure)))
        assert lost == pytest.approx(float(row[f"p_sector_loss_1y_eps{said}"]), rel=0.03)


def test_correlation_acts_on_failures_after_the_first() -> None:
    """Ten times the hazard after the first failure, so two failures, make a loss of RAID6 a hundred times as likely."""
    even = loss_rates(parse("4x(12+2)+4"), 62.4, Assumptions(restock_days=7)).array * HOURS_PER_YEAR
    grim = loss_rates(parse("4x(12+2)+4"), 62.4, Assumptions(restock_days=7), 10.0).array * HOURS_PER_YEAR
    assert even == pytest.approx(1.49e-6, rel=0.01)
    assert grim == pytest.approx(1.5e-4, rel=0.05)
