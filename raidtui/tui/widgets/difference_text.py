"""Differences of probabilities and hours as text. Nothing here draws."""

from __future__ import annotations

import math

from raidtui.planner.numbers import hours, one_in, times_as_likely


def likelier(difference: float) -> str:
    """A difference of two natural logarithms of probabilities: `3.2x as likely`; `=` if they are about equal."""
    factor = _factor(difference)
    return "=" if factor is None else times_as_likely(factor)


def likelier_in_short(difference: float) -> str:
    """`likelier` in at most 13 cells: `3.2x more`, `2.2x less`."""
    factor = _factor(difference)
    if factor is None:
        return "="
    return f"{one_in(1 / factor)}x more" if factor > 1 else f"{one_in(factor)}x less"


def _factor(difference: float) -> float | None:
    """The ratio of two probabilities with that difference of logarithms; None if they are about equal."""
    factor = math.exp(max(min(difference, 700.0), -700.0))
    return None if abs(factor - 1) < 0.01 else factor


def signed_hours(difference: float) -> str:
    """A difference of hours; `=` below one minute."""
    if abs(difference) < 1 / 60:
        return "="
    return ("+" if difference > 0 else "-") + hours(abs(difference))
