"""Figures as text: three digits, the same wherever they stand."""

from __future__ import annotations

import pytest

from raidtui.values.amounts import (
    amount,
    amounts,
    ends,
    iops,
    known_iops,
    known_pair,
    known_rate,
    percent,
    rate,
    stated_percent,
)
from raidtui.values.bench import Unit


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2_868_000_000, "2.87 GB/s"),
        (416_000_000, "416 MB/s"),
        (94_150_000, "94.2 MB/s"),
        (99_960_000, "100 MB/s"),
        (1_500_000, "1.50 MB/s"),
        (999_400_000, "999 MB/s"),
        (999_600_000, "1.00 GB/s"),
        (12_040_000_000, "12.0 GB/s"),
        (5_000_000_000_000, "5.00 TB/s"),
        (850_000, "850 kB/s"),
        (0, "0 MB/s"),
    ],
)
def test_a_rate_has_three_digits(value: float, text: str) -> None:
    assert rate(value) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (235, "IOPS", "235 IOPS"),
        (4_560, "IOPS", "4.56k IOPS"),
        (13_400, "IOPS", "13.4k IOPS"),
        (999.6, "IOPS", "1.00k IOPS"),
        (1_240_000, "IOPS", "1.24M IOPS"),
        (0, "IOPS", "0 IOPS"),
        (40, "files/s", "40 files/s"),
        (86 * 2**40, "B", "86.00 TiB"),
    ],
)
def test_an_amount_of_each_unit(value: float, unit: Unit, text: str) -> None:
    assert amount(value, unit) == text


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (2_868_000_000, 2_300_000_000, 3_440_000_000, "2.30-3.44 GB/s"),
        (1_020_000_000, 850_000_000, 1_204_000_000, "0.85-1.20 GB/s"),
        (130_000_000, 92_300_000, 130_000_000, "92-130 MB/s"),
        (12_040_000_000, 9_550_000_000, 13_170_000_000, "9.6-13.2 GB/s"),
        (0, 0, 0, ""),
    ],
)
def test_a_band_is_in_the_unit_of_its_rate(value: int, low: int, high: int, text: str) -> None:
    assert ends(value, low, high, "B/s") == text


def test_a_band_of_operations() -> None:
    assert ends(4_560, 3_200, 6_000, "IOPS") == "3.20-6.00k IOPS"
    assert ends(6_720, 2_419, 10_480, "IOPS") == "2.42-10.5k IOPS"
    assert ends(235, 187, 1_154, "IOPS") == "187-1150 IOPS"


def test_figures_together_share_the_unit_of_the_largest() -> None:
    assert known_pair(2_868_000_000, 551_000_000) == "2.87 / 0.55 GB/s"
    assert known_pair(416_000_000, 0) == "416 MB/s / unknown"
    assert amounts((4_900_000_000, 4_420_000_000), "B/s", " -> ") == "4.90 -> 4.42 GB/s"


def test_what_is_not_known_is_no_zero() -> None:
    assert (known_rate(0), known_iops(0), known_iops(4_560)) == ("unknown", "unknown", iops(4_560))


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.57, "57 %"),
        (0.0421, "4.2 %"),
        (0.0996, "10 %"),
        (0.0004, "0.0 %"),
        (0.0, "0 %"),
        (1.0, "100 %"),
        (1.13, "113 %"),
    ],
)
def test_a_percentage_has_a_blank(share: float, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize(("share", "text"), [(0.4, "40.0 %"), (0.126, "12.6 %"), (1.0, "100.0 %")])
def test_a_progress_keeps_its_decimal(share: float, text: str) -> None:
    assert percent(share, 1) == text


@pytest.mark.parametrize(("share", "text"), [(0.015, "1.5 %"), (0.0075, "0.75 %"), (0.5, "50 %"), (0.001, "0.1 %")])
def test_an_assumption_has_the_digits_that_were_typed(share: float, text: str) -> None:
    assert stated_percent(share) == text
