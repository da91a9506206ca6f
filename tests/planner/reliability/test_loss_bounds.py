"""Bounds for the search."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.model.assumptions import Assumptions
from raidtui.model.layout import Layout
from raidtui.planner.reliability.durability import Losses, losses_of
from raidtui.planner.reliability.loss_bounds import ShapeRisk
from raidtui.planner.reliability.loss_rates import loss_rates
from tests.planner.layouts import equal
from tests.properties.layouts import layouts
from tests.suite import examples

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


def exact(layout: Layout, component_bytes: int, rebuild_hours: float, assumed: Assumptions) -> Losses:
    return losses_of(loss_rates(layout, rebuild_hours, assumed), component_bytes, 0, assumed)


def bounds(layout: Layout, component_bytes: int, rebuild_hours: float, assumed: Assumptions) -> tuple[float, float]:
    risk = ShapeRisk(layout, component_bytes, rebuild_hours, assumed)
    return risk.least(layout.arrays), risk.most(layout.arrays, layout.spares)


@given(layouts(most_members=40), assumptions, hours)
@examples(400)
def test_the_truth_lies_between_the_bounds(layout: Layout, assumed: Assumptions, rebuild_hours: float) -> None:
    low, high = bounds(layout, 20 * TB, rebuild_hours, assumed)
    found = exact(layout, 20 * TB, rebuild_hours, assumed).any
    assert low <= found * (1 + ROUNDING)
    assert found <= high * (1 + ROUNDING)


def test_no_spares_leave_nothing_between_chain_and_upper_bound() -> None:
    layout = equal("4x(12+2)")
    _, high = bounds(layout, 2 * TB, 11.6, Assumptions())
    found = exact(layout, 2 * TB, 11.6, Assumptions())
    assert high == pytest.approx(found.any, rel=1e-6)
    assert found.array == pytest.approx(9.79e-5, rel=0.03)


def test_plenty_of_spares_leave_nothing_between_the_bounds() -> None:
    low, high = bounds(equal("4x(12+2)+12"), 20 * TB, 62.4, Assumptions(restock_days=7))
    assert high == pytest.approx(low, rel=0.001)
    assert low == pytest.approx(1.49e-6 + 9.96e-4, rel=0.01)


def test_losses_of_members_of_two_sizes() -> None:
    assumed, layout = Assumptions(restock_days=7), equal("4x(12+2)+4")
    large, small = exact(layout, 20 * TB, 62.4, assumed), exact(layout, 2 * TB, 11.6, assumed)
    assert (large.array, large.sector) == pytest.approx((1.49e-6, 9.96e-4), rel=0.01)
    assert (small.array, small.sector) == pytest.approx((5.19e-8, 3.8e-5), rel=0.01)


def test_bounds_that_meet_never_cross() -> None:
    """Rounding put the upper one of 3,088 in 30,767 layouts below the lower one: they seemed to beat themselves."""
    for arrays in range(1, 129):
        for shape in ("raid1(2)", "raid10(6,o2)", "(4+2)"):
            layout = equal(f"{arrays}x {shape}+{1000 - 6 * arrays}")
            low, high = bounds(layout, 8 * TB, 26.24113098021296, Assumptions())
            assert low <= high, layout
