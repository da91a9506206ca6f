"""Figures as they stand in the result pane."""

from __future__ import annotations

import math

import pytest

from raidtui.tui.widgets.rate_text import (
    iops_band,
    iops_text,
    likelier,
    likelier_in_short,
    rate_band,
    rate_pair,
    rate_text,
    signed_hours,
)


@pytest.mark.parametrize(
    ("rate", "text"),
    [(2_868_000_000, "2.87 GB/s"), (416_000_000, "416 MB/s"), (12_040_000_000, "12.0 GB/s"), (0, "unknown")],
)
def test_rates_have_three_digits_and_what_is_not_known_is_no_zero(rate: int, text: str) -> None:
    assert rate_text(rate) == text


@pytest.mark.parametrize(
    ("rate", "low", "high", "text"),
    [
        (2_868_000_000, 2_300_000_000, 3_440_000_000, "2.30-3.44 GB/s"),
        (1_020_000_000, 850_000_000, 1_204_000_000, "0.85-1.20 GB/s"),
        (130_000_000, 92_300_000, 130_000_000, "92-130 MB/s"),
        (12_040_000_000, 9_550_000_000, 13_170_000_000, "9.6-13.2 GB/s"),
        (0, 0, 0, ""),
    ],
)
def test_a_band_is_in_the_unit_of_its_rate(rate: int, low: int, high: int, text: str) -> None:
    assert rate_band(rate, low, high) == text


def test_a_pair_of_rates_shares_the_unit_of_the_larger() -> None:
    assert rate_pair(2_868_000_000, 551_000_000) == "2.87 / 0.55 GB/s"
    assert rate_pair(416_000_000, 0) == "416 MB/s / unknown"


def test_operations_per_second() -> None:
    assert iops_text(4_560) == "4.56k IOPS"
    assert iops_text(960) == "960 IOPS"
    assert iops_text(1_240_000) == "1.24M IOPS"
    assert iops_text(0) == "unknown"
    assert iops_band(4_560, 3_200, 6_000) == "3.20-6.00k IOPS"
    assert iops_band(6_720, 2_419, 10_480) == "2.42-10.5k IOPS"
    assert iops_band(960, 240, 1_150) == "240-1150 IOPS"


def test_differences_of_chances_are_factors() -> None:
    assert likelier(math.log(0.45)) == "2.2x less likely"
    assert likelier(math.log(3.2)) == "3.2x as likely"
    assert likelier(math.log(12_345)) == "12 000x as likely"
    assert likelier(math.log(3_400_000)) == "3.4Mx as likely"
    assert likelier(0.001) == "="
    assert likelier(math.inf).endswith("x as likely")


def test_a_narrow_column_gets_a_shorter_text() -> None:
    assert [likelier_in_short(math.log(factor)) for factor in (0.45, 3.2, 12_345, 1.001)] == [
        "2.2x less", "3.2x more", "12 000x more", "=",
    ]  # fmt: skip
    assert all(len(likelier_in_short(difference)) <= 13 for difference in (-700, -14, -7, -1, 1, 7, 14, 700))


def test_differences_of_hours() -> None:
    assert signed_hours(6.04) == "+6.0 h"
    assert signed_hours(-0.5) == "-30 min"
    assert signed_hours(0.001) == "="
