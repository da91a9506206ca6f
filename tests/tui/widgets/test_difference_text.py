"""Differences of probabilities and hours as they stand in the result pane."""

from __future__ import annotations

import math

from raidtui.tui.widgets.difference_text import likelier, likelier_in_short, signed_hours


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
