"""Figures as text: three digits, the same wherever they stand."""

from __future__ import annotations

import pytest

from raidtui.values.amounts import (
    amount,
    rate,
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
