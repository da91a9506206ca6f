"""Figures in words, written out."""

from dataclasses import replace

import pytest

from raidtui.values.amounts import (
    any_failures,
    at_worst,
    hours,
    listed,
    odds,
    of_all,
    one_in,
    ratio_text,
    shortage_text,
    shortages_text,
)
from raidtui.values.prediction import SpareShortage
from raidtui.values.units import counted


@pytest.mark.parametrize(
    ("probability", "words"),
    [
        (0.0, "none"), (0.9999, "almost certain"), (0.52, "1 in 1.9"), (0.5, "1 in 2"), (0.0052, "1 in 190"),
        (0.046, "1 in 22"), (0.001, "1 in 1 000"), (0.00099, "1 in 1 000"), (3.8e-5, "1 in 26 000"),
        (1.2e-6, "1 in 830 000"), (9e-7, "< 1 in 1 000 000"),
    ],
)  # fmt: skip
def test_odds(probability: float, words: str) -> None:
    assert odds(probability) == words


@pytest.mark.parametrize(
    ("probability", "words"),
    [(0.0052, "190"), (1.2e-6, "830 000"), (1 / 1.04e6, "1 000 000"), (1 / 1.7e6, "1.7M"), (1 / 26e6, "26M"),
     (1 / 0.99e9, "990M"), (1e-9, "over 1G")],
)  # fmt: skip
def test_one_in(probability: float, words: str) -> None:
    assert one_in(probability) == words


def test_an_interval_of_chances_names_its_worse_end_once() -> None:
    assert at_worst(1 / 7_200, 1 / 2_100) == ("at worst 1 in 2 100",)
    assert at_worst(1 / 7_200, 1 / 7_201) == ()
    assert at_worst(1e-9, 1 / 190_000) == ("at worst 1 in 190 000",)


def test_spares_that_run_out_are_chances_too() -> None:
    row = SpareShortage(spares=1, per_failure=0.071, per_year=0.046)
    assert shortage_text(row) == "1 in 14 failures, 1 in 22 years"
    rows = (SpareShortage(spares=0, per_failure=1, per_year=0.058), replace(row, per_failure=0.005, per_year=0.0003))
    assert shortages_text(rows) == "all with 0 spares (1 in 17 years), 1 in 200 with 1 (1 in 3 300 years)"
    assert shortage_text(SpareShortage(spares=9, per_failure=0, per_year=0.995)) == "no failures, almost all years"


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


@pytest.mark.parametrize(("figure", "words"), [(106, "6.0 % more"), (88, "12 % less"), (320, "3.2 times as much")])
def test_comparisons(figure: float, words: str) -> None:
    assert ratio_text(figure, 100) == words


def test_numbers_agree_with_their_noun() -> None:
    assert [counted(count, "disk") for count in (0, 1, 2)] == ["0 disks", "1 disk", "2 disks"]
    assert [any_failures(count) for count in (0, 1, 2)] == ["no failure", "any 1 disk", "any 2 disks"]
    assert [of_all(*of, "disk") for of in ((1, 1), (2, 2), (4, 4), (1, 3))] == [
        "the disk", "both disks", "all 4 disks", "1 of 3 disks",
    ]  # fmt: skip


def test_lists() -> None:
    assert [listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])] == ["a", "a and b", "a, b and c"]
