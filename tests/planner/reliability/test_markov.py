"""Mean time to data loss: golden figures, exact rational arithmetic, and what others have published."""

import csv
import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.predict.risk.spare_pool import MatrixRow, life
from tests.planner.reliability.group_chain import Repair, group_mttdl
from tests.suite import examples

GOLDEN = list(csv.DictReader((Path(__file__).parents[2] / "measured" / "mttdl_golden.csv").open()))
YEAR = 8760.0


def exact_mean(rows: Sequence[dict[int, Fraction]], losses: Sequence[Fraction]) -> Fraction:
    """Mean time from state 0 to loss by elimination in rational numbers."""
    size = len(rows)
    matrix = [[-rows[i].get(j, Fraction(0)) for j in range(size)] for i in range(size)]
    right = [Fraction(1)] * size
    for i in range(size):
        matrix[i][i] += sum(rows[i].values(), losses[i])
    for pivot in range(size - 1, 0, -1):
        for i in range(pivot):
            factor = matrix[i][pivot] / matrix[pivot][pivot]
            right[i] -= factor * right[pivot]
            matrix[i] = [left - factor * under for left, under in zip(matrix[i], matrix[pivot], strict=True)]
    return right[0] / matrix[0][0]


def exact_group(n: int, tolerance: int, failure: Fraction, hours: Fraction, repair: Repair) -> Fraction:
    rows: list[dict[int, Fraction]] = [{} for _ in range(tolerance + 1)]
    for missing in range(tolerance):
        rows[missing][missing + 1] = (n - missing) * failure
    for missing in range(1, tolerance + 1):
        back = 0 if repair == "md" else missing - 1
        rows[missing][back] = (missing if repair == "parallel" else 1) / hours
    return exact_mean(rows, [Fraction(0)] * tolerance + [(n - tolerance) * failure])


@pytest.mark.parametrize("row", GOLDEN, ids=lambda row: f"{row['n']}-{row['p']}-{row['repair']}")
def test_golden_figures(row: dict[str, str]) -> None:
    """1.5 % a year and 24 h; the figures are given to ten digits, the rational numbers behind them to all."""
    repair: Repair = row["repair"]  # type: ignore[assignment]
    n, tolerance = int(row["n"]), int(row["p"])
    ours = group_mttdl(n, tolerance, 0.015 / 8760, 24, repair)
    assert ours == pytest.approx(float(row["mttdl_h_exact_rational"]), rel=5e-10)
    exact = exact_group(n, tolerance, Fraction(15, 1000) / 8760, Fraction(24), repair)
    assert float(abs(Fraction(ours) / exact - 1)) < 1e-12
    assert -math.expm1(-YEAR / ours) == pytest.approx(float(row["p_loss_1y"]), rel=5e-4)


def test_published_stripe() -> None:
    """Elling 2010: 12 disks of 700 000 h without redundancy, 6.7 years, 15 % a year as 1/MTTDL."""
    years = group_mttdl(12, 0, 1 / 700_000, 1) / YEAR
    assert years == pytest.approx(6.7, rel=0.02)
    assert 1 / years == pytest.approx(0.15, rel=0.02)


def test_published_by_elerath_and_pecht() -> None:
    """2007, base case: 7+1, MTBF 461 386 h, 12 h: 36 162 years; 0.277 double failures of 1000 groups in 10 years."""
    hours = group_mttdl(8, 1, 1 / 461_386, 12)
    assert hours / YEAR == pytest.approx(36_162, rel=0.02)
    assert 1000 * 10 * YEAR / hours == pytest.approx(0.277, rel=0.02)


@pytest.mark.parametrize(("failures", "yearly"), [(4, 7.354e-12), (3, 2.399e-8), (2, 5.545e-5), (1, 0.07781)])
def test_published_by_backblaze(failures: int, yearly: float) -> None:
    """17+3, 0.405 % a year, 6.5 days. They count failures that all start within one window of the repair time.

    The chain with independent repairs counts failures that overlap, as many times more as there are failures.
    """
    hours = group_mttdl(20, failures - 1, 0.00405 / 8760, 6.5 * 24, "parallel")
    assert -math.expm1(-YEAR / hours) / failures == pytest.approx(yearly, rel=0.02 if failures > 1 else 1e-3)


rates = st.floats(1e-9, 1e3)


@given(st.data())
@examples(60)
def test_any_chain_as_in_rational_numbers(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 7))
    rows: list[MatrixRow] = []
    for state in range(size):
        others = data.draw(st.dictionaries(st.integers(0, size - 1), rates, max_size=4))
        if state:
            others[data.draw(st.integers(0, state - 1))] = data.draw(rates)
        others.pop(state, None)
        rows.append(others)
    losses = [data.draw(st.one_of(st.just(0.0), rates)) for _ in range(size)]
    losses[0] = data.draw(rates)
    exact = exact_mean(
        [{to: Fraction(rate) for to, rate in row.items()} for row in rows], [Fraction(loss) for loss in losses]
    )
    found = life(rows, losses)
    assert float(abs(1 / Fraction(found.loss_per_hour) / exact - 1)) < 1e-12
    assert sum(found.occupancy) == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize(
    ("n", "tolerance", "failure", "hours"), [(2, 2, 1e-6, 24), (2, -1, 1e-6, 24), (2, 1, 0, 24), (2, 1, 1e-6, 0)]
)
def test_what_is_no_chain(n: int, tolerance: int, failure: float, hours: float) -> None:
    with pytest.raises(ValueError, match="no chain"):
        group_mttdl(n, tolerance, failure, hours)
