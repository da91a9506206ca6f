"""Text of small probabilities and long times in formulas: powers of ten with two significant digits."""

from __future__ import annotations

from raidtui.model.units import HOURS_PER_YEAR
from raidtui.planner.numbers import two_digits

LONGEST_YEARS = 1e6
"""a longer mean time to data loss is not meaningful for real disks"""


def chance(probability: float) -> str:
    """`1.5e-5`, `0.15`, `none` for 0: a probability or a small rate in a formula."""
    if probability <= 0:
        return "none"
    mantissa, exponent = f"{probability:.1e}".split("e")
    return f"{mantissa}e{int(exponent)}" if int(exponent) < -2 else two_digits(probability)


def mean_time(hours: float) -> str:
    """`55 years`, `20 days`, `over 10^6 years`: a mean time to loss."""
    years = hours / HOURS_PER_YEAR
    if years > LONGEST_YEARS:
        return "over 10^6 years"
    return f"{two_digits(years)} years" if years >= 1 else f"{two_digits(hours / 24)} days"
