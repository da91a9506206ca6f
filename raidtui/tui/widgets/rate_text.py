"""Rates with their bands, and differences as text. Nothing here draws."""

from __future__ import annotations

import math

from raidtui.model.units import decimal_size
from raidtui.planner.numbers import hours, one_in, times_as_likely

_RATES = ((1_000_000_000, "GB/s"), (0, "MB/s"))
_COUNTS = ((1_000_000, "M"), (1_000, "k"), (0, ""))


def rate_text(bytes_per_s: int) -> str:
    """`2.87 GB/s`, decimal; `unknown` for 0."""
    return f"{decimal_size(bytes_per_s)}/s" if bytes_per_s else "unknown"


def rate_pair(first: int, second: int) -> str:
    """`2.87 / 1.55 GB/s`: two rates in the unit of the larger."""
    if not first or not second:
        return f"{rate_text(first)} / {rate_text(second)}"
    scale, name = _unit(max(first, second))
    return f"{_digits(first, scale)} / {_digits(second, scale)} {name}"


def rate_band(value: int, low: int, high: int) -> str:
    """`2.30-3.44 GB/s`: the ends of a band in the unit and with the digits of `rate_text(value)`."""
    scale, name = _unit(value)
    return f"{_band(value, low, high, scale)} {name}" if value else ""


def iops_text(iops: int) -> str:
    """`4.56k IOPS`; `unknown` for 0."""
    if not iops:
        return "unknown"
    scale, letter = _thousands(iops)
    return f"{_digits(iops, scale)}{letter} IOPS"


def iops_band(value: int, low: int, high: int) -> str:
    """`3.20-6.00k IOPS`: the ends of a band in the unit of `iops_text(value)`."""
    if not value:
        return ""
    scale, letter = _thousands(value)
    return f"{_band(value, low, high, scale)}{letter} IOPS"


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


def _unit(bytes_per_s: int) -> tuple[int, str]:
    scale, name = next(found for found in _RATES if bytes_per_s >= found[0])
    return scale or 1_000_000, name


def _thousands(count: int) -> tuple[int, str]:
    scale, letter = next(found for found in _COUNTS if count >= found[0])
    return scale or 1, letter


def _band(value: int, low: int, high: int, scale: int) -> str:
    most = _decimals(value, scale)
    ends = (f"{end / scale:.{min(most, _decimals(end, scale))}f}" for end in (low, high))
    return "-".join(ends)


def _digits(value: int, scale: int) -> str:
    return f"{value / scale:.{_decimals(value, scale)}f}"


def _decimals(value: int, scale: int) -> int:
    return 0 if scale == 1 else max(3 - len(str(value // scale)), 0)
