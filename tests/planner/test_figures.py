"""Figures in words, written out."""

import pytest

from raidtui.planner.numbers import hours, listed, odds, rate, ratio_text


@pytest.mark.parametrize(
    ("probability", "words"),
    [
        (0.0, "none"), (0.9999, "over 99 %"), (0.52, "52 %"), (0.0052, "0.52 %"), (0.001, "0.10 %"),
        (0.00099, "1 in 1 000"), (3.8e-5, "1 in 26 000"), (1.2e-6, "1 in 830 000"), (9e-7, "< 1 in 10^6"),
    ],
)  # fmt: skip
def test_odds(probability: float, words: str) -> None:
    assert odds(probability) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0, "never"),
        (0.5, "30 min"),
        (5.83, "5.8 h"),
        (9.97, "10 h"),
        (62.4, "62 h"),
        (120, "5.0 days"),
        (250, "10 days"),
    ],
)
def test_hours(value: float, words: str) -> None:
    assert hours(value) == words


@pytest.mark.parametrize(
    ("value", "words"), [(416e6, "416 MB/s"), (1.06e9, "1.1 GB/s"), (999_499_999, "999 MB/s"), (12.3e9, "12 GB/s")]
)
def test_rates(value: float, words: str) -> None:
    assert rate(value) == words


@pytest.mark.parametrize(("figure", "words"), [(106, "6.0 % more"), (88, "12 % less"), (320, "3.2 times as much")])
def test_comparisons(figure: float, words: str) -> None:
    assert ratio_text(figure, 100) == words


def test_lists() -> None:
    assert [listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])] == ["a", "a and b", "a, b and c"]
