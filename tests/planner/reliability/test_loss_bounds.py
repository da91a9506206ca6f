"""Bounds for the search."""

from math import expm1

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raidtui.model.assumptions import Assumptions
from raidtui.model.layout import Layout
from raidtui.model.notation import parse
from raidtui.planner.reliability.loss_bounds import RiskTable
from raidtui.planner.reliability.loss_rates import HOURS_PER_YEAR, loss_rates
from tests.properties.layouts import layouts

TB = 10**12
ROUNDING = 1e-9

assumptions = st.builds(
    Assumptions,
    afr=st.sampled_from((0.0001, 0.005, 0.015, 0.04, 0.2, 0.5)),
    restock_days=st.sampled_from((0.04, 1.0, 7.0, 30.0, 90.0, 365.0, 3650.0)),
    ure_per_bit=st.sampled_from((1e-14, 1e-15, 1e-17)),
    monitor=st.booleans(),
)
hours = st.sampled_from((0.01, 1.0, 12.0, 62.0, 260.0, 2000.0))


@given(layouts(most_members=40), assumptions, hours)
@settings(max_examples=300)
def test_the_truth_lies_between_the_bounds(layout: Layout, assumed: Assumptions, rebuild_hours: float) -> None:
    table = RiskTable(assumed)
    low, high = table.bounds(layout, 20 * TB, rebuild_hours)
    exact = sum(table.exact(layout, 20 * TB, rebuild_hours))
    assert low <= exact * (1 + ROUNDING)
    assert exact <= high * (1 + ROUNDING)


@given(layouts(most_members=40), assumptions, hours)
@settings(max_examples=100)
def test_exact_is_the_chain_or_within_one_percent_above(
    layout: Layout, assumed: Assumptions, rebuild_hours: float
) -> None:
    array, _ = RiskTable(assumed).exact(layout, 20 * TB, rebuild_hours)
    chain = -expm1(-loss_rates(layout, rebuild_hours, assumed).array * HOURS_PER_YEAR)
    assert chain * (1 - ROUNDING) <= array <= chain * 1.01


def test_no_spares_leave_nothing_between_chain_and_upper_bound() -> None:
    table = RiskTable(Assumptions())
    layout = parse("4x(12+2)")
    _, high = table.bounds(layout, 2 * TB, 11.6)
    assert high == pytest.approx(sum(table.exact(layout, 2 * TB, 11.6)), rel=1e-6)
    assert table.exact(layout, 2 * TB, 11.6)[0] == pytest.approx(9.79e-5, rel=0.03)


def test_plenty_of_spares_leave_nothing_between_the_bounds() -> None:
    low, high = RiskTable(Assumptions(restock_days=7)).bounds(parse("4x(12+2)+12"), 20 * TB, 62.4)
    assert high == pytest.approx(low, rel=0.001)
    assert low == pytest.approx(1.49e-6 + 9.96e-4, rel=0.01)


def test_other_sizes_of_a_layout_are_not_mixed_up() -> None:
    table = RiskTable(Assumptions(restock_days=7))
    layout = parse("4x(12+2)+4")
    large, small = table.exact(layout, 20 * TB, 62.4), table.exact(layout, 2 * TB, 11.6)
    assert large == pytest.approx((1.49e-6, 9.96e-4), rel=0.01)
    assert small == pytest.approx((5.19e-8, 3.8e-5), rel=0.01)
    assert table.exact(layout, 2 * TB, 62.4)[1] < large[1]
