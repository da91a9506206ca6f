"""Values become cells, ends become round figures, and the picture says which point is which without colours."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.tui.widgets.axes import axis
from tests.tui import proposals
from tests.tui.robot import robot

finite = st.floats(min_value=0, max_value=1e15, allow_nan=False).map(lambda value: round(value, 3))
chances = st.floats(min_value=0, max_value=1, allow_nan=False)


def test_the_ends_of_the_values_are_the_ends_of_the_field() -> None:
    found = axis([50.0, 75.0, 100.0], log=False, ticks=5)
    assert [found.cell(value, 11) for value in (50.0, 75.0, 100.0)] == [0, 5, 10]
    assert found.ticks == (50, 60, 70, 80, 90, 100)


def test_factors_are_even_steps_on_a_logarithmic_axis() -> None:
    found = axis([1e-6, 1e-5, 1e-4], log=True, ticks=3)
    assert [found.cell(value, 11) for value in (1e-6, 1e-5, 1e-4)] == [0, 5, 10]
    assert found.ticks == pytest.approx((1e-6, 1e-5, 1e-4))


def test_less_than_a_decade_still_has_figures() -> None:
    assert axis([2e-5, 6e-5], log=True, ticks=3).ticks == pytest.approx((2e-5, 5e-5))


def test_a_chance_of_nothing_stands_at_the_lower_end() -> None:
    assert axis([0.0, 1e-6, 1e-4], log=True, ticks=3).cell(0.0, 20) == 0


@given(st.lists(finite, min_size=1, max_size=30), st.integers(1, 20), st.integers(2, 200))
def test_every_value_has_a_cell_and_order_is_kept(values: list[float], ticks: int, cells: int) -> None:
    found = axis(values, log=False, ticks=ticks)
    places = [found.cell(value, cells) for value in sorted(values)]
    assert all(0 <= place < cells for place in places)
    assert places == sorted(places)
    slack = (found.high - found.low) * 1e-6
    assert all(found.low - slack <= tick <= found.high + slack for tick in found.ticks)
    assert len(found.ticks) <= 2 * ticks + 2


@given(st.lists(chances, min_size=1, max_size=30), st.integers(1, 20))
def test_a_logarithmic_axis_keeps_the_order_too(values: list[float], ticks: int) -> None:
    found = axis(values, log=True, ticks=ticks)
    places = [found.cell(value, 50) for value in sorted(values)]
    assert places == sorted(places)
    assert list(found.ticks) == sorted(found.ticks)


async def test_points_are_letters_and_the_one_under_the_cursor_has_brackets(compare: None) -> None:
    async with robot() as user:
        await user.press("3")
        await user.pilot.pause(0.05)
        field = user.lines()[12:17]
        assert [letter for letter in "abcd*" if any(letter in line for line in field)] == list("abcd*")
        assert any("[*]" in line for line in field)
        await user.press("down", "down")
        field = user.lines()[12:17]
        assert any("[b]" in line for line in field)
        assert not any("[*]" in line for line in field)


async def test_axes_are_switched_and_never_the_same(compare: None) -> None:
    async with robot() as user:
        await user.press("3")
        await user.pilot.pause(0.05)
        assert user.sees("loss a year (1 in ...) over usable TiB")
        await user.press("comma")
        assert user.sees("loss a year (1 in ...) over read GB/s")
        await user.press("full_stop")
        assert user.sees("array loss (1 in ...) over read GB/s")
        await user.press("full_stop")
        assert user.sees("usable TiB over read GB/s")
        await user.press("comma", "comma", "comma")
        assert user.sees("usable TiB over random write IOPS")
        await user.press("comma", "comma", "comma")
        assert user.sees("usable TiB over read GB/s")


async def test_the_figures_at_the_axes_are_round(compare: None) -> None:
    async with robot(tier="ascii") as user:
        await user.press("3")
        await user.pilot.pause(0.05)
        assert user.lines()[17].split() == ["60", "70", "80", "90"]
        assert user.sees("10 000 +")


def test_the_proposal_made_by_hand_has_what_these_tests_rely_on() -> None:
    assert [found.layout for found in proposals.CANDIDATES] == [
        "2x(27+2)+2", "3x(17+2)+3", "5x(10+2)", "30x raid1(2)",
    ]  # fmt: skip
