"""Differences of probabilities and hours and of sizes, counts and rates."""

from __future__ import annotations

import math

from raidtui.values.blocks import (
    likelier,
    likelier_in_short,
    signed_bytes,
    signed_count,
    signed_hours,
    signed_permille,
    signed_rate,  # fmt: skip
)


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


def test_differences_in_words() -> None:
    assert signed_bytes(-14 * 1024**4) == "-14.00 TiB"
    assert signed_bytes(4 * 1024**2) == "+4 MiB"
    assert signed_bytes(0) == "="
    assert [signed_count("disk")(count) for count in (-14, 1, 0)] == ["-14 disks", "+1 disk", "="]
    assert signed_permille(-58) == "-5.8 points"
    assert signed_rate(-210_000_000) == "-210 MB/s"
    assert signed_rate(0) == "="
