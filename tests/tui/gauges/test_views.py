"""Figures no longer than a person reads."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.tui.gauges.groups import FIGURE, figure, full, level, tenths


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"), (0.04, "0"), (0.06, "0.1"), (4.21, "4.2"), (9.94, "9.9"), (9.96, "10"), (198.4, "198"),
        (12345.2, "12345"), (99_999.4, "99999"), (99_999.6, "100k"), (1_234_567.0, "1235k"), (9_999_600.0, "10M"),
        (1e20, "9999M"),
    ],
)  # fmt: skip
def test_a_figure_is_short(value: float, text: str) -> None:
    assert figure(value) == text


@given(st.floats(min_value=0, allow_nan=False, allow_infinity=True))
def test_every_figure_fits(value: float) -> None:
    assert len(figure(value)) <= FIGURE


@pytest.mark.parametrize(
    ("value", "least", "height"),
    [(0.0, 1.0, 1.0), (1.0, 1.0, 1.0), (1.1, 1.0, 2.0), (180.0, 1.0, 200.0), (201.0, 1.0, 500.0), (7.0, 10.0, 10.0)],
)
def test_full_height_is_a_round_figure(value: float, least: float, height: float) -> None:
    assert full(value, least) == height


@given(st.floats(0, 1e12), st.floats(0.001, 1e12), st.integers(3, 9))
def test_levels_stay_inside_and_only_nothing_is_nothing(value: float, height: float, levels: int) -> None:
    found = level(value, height, levels)
    assert 0 <= found < levels
    assert (found == 0) == (value <= 0.002 * height)
    assert level(height, height, levels) == levels - 1


def test_tenths() -> None:
    assert [tenths(value, 200) for value in (0.0, 1.0, 19.9, 20.0, 199.0, 200.0, 900.0)] == [
        ".", "0", "0", "1", "9", "9", "9",
    ]  # fmt: skip
