"""Rates, operations, sizes, shares and times as text: one form each, wherever a figure appears.

A figure has three significant digits in a decimal unit, a size of a file system four in a binary one, as `df -h` has
them. Figures that stand together have the unit of the largest.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from raidtui.model.units import binary_size

if TYPE_CHECKING:
    from raidtui.model.bench import Unit

_DIGITS = 3
_STEPS: dict[Unit, tuple[tuple[int, str], ...]] = {
    "B/s": ((10**12, " TB/s"), (10**9, " GB/s"), (10**6, " MB/s"), (1000, " kB/s")),
    "IOPS": ((10**6, "M IOPS"), (1000, "k IOPS"), (1, " IOPS")),
    "files/s": ((10**6, "M files/s"), (1000, "k files/s"), (1, " files/s")),
}
"""least figure of each unit and what stands after the digits, largest first; a size has `binary_size`"""


@lru_cache(maxsize=1024)  # the same figures stand in many lines of an answer
def amount(value: float, unit: Unit) -> str:
    """`1.06 GB/s`, `94.2 MB/s`, `13.4k IOPS`, `812 files/s`, `78.22 TiB`."""
    return binary_size(round(value)) if unit == "B" else amounts((value,), unit)


def amounts(values: Sequence[float], unit: Unit, between: str = " / ") -> str:
    """`2.87 / 0.55 GB/s`: several figures, in the unit of the largest."""
    if unit == "B":
        return between.join(binary_size(round(value)) for value in values)
    scale, name = _step(max(values), unit)
    return between.join(_digits(value, scale) for value in values) + name


def ends(value: float, low: float, high: float, unit: Unit) -> str:
    """`2.30-3.44 GB/s`: the ends of a band around `value`, in its unit and with no more decimals; empty for 0."""
    if not value:
        return ""
    if unit == "B":
        return amount(low, unit) if low == high else amounts((low, high), unit, "-")
    scale, name = _step(value, unit)
    most = _decimals(value, scale)
    rounded = (float(f"{end:.{_DIGITS}g}") for end in (low, high))
    return "-".join(f"{end / scale:.{min(most, _decimals(end, scale))}f}" for end in rounded) + name


def with_band(value: float, low: float, high: float, unit: Unit) -> str:
    """`2.87 GB/s (2.30-3.44 GB/s)`; `unknown` for 0."""
    return "unknown" if not value else f"{amount(value, unit)} ({ends(value, low, high, unit)})"


def ratio_band(predicted: float | None, low: float | None, high: float | None) -> str:
    """`0.85-1.05`: the band over the prediction; empty if there is none."""
    return f"{low / predicted:.2f}-{high / predicted:.2f}" if predicted and low is not None and high is not None else ""


def rate(bytes_per_s: float) -> str:
    """`2.87 GB/s`, `416 MB/s`, `94.2 MB/s`, `850 kB/s`."""
    return amount(bytes_per_s, "B/s")


def iops(count: float) -> str:
    """`235 IOPS`, `4.56k IOPS`, `1.25M IOPS`."""
    return amount(count, "IOPS")


def known_rate(bytes_per_s: float) -> str:
    """`rate`, or `unknown` for 0."""
    return rate(bytes_per_s) if bytes_per_s else "unknown"


def known_iops(count: float) -> str:
    """`iops`, or `unknown` for 0."""
    return iops(count) if count else "unknown"


def rate_figure(value: float) -> str:
    """Four cells of a column whose head has the unit: `0.38`, `5.21`, `12.3`, `120`."""
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:.0f}"


def known_pair(first: float, second: float) -> str:
    """`2.87 / 1.55 GB/s`, `416 MB/s / unknown`: two rates, each of which is unknown if it is 0."""
    return amounts((first, second), "B/s") if first and second else f"{known_rate(first)} / {known_rate(second)}"


def percent(share: float, decimals: int | None = None) -> str:
    """`4.2 %`, `40 %`, `0 %`: one decimal below 10 %; `decimals` in a column, where the last digit is awaited."""
    if decimals is None:
        decimals = int(0 < share < 0.0995)
    return f"{share * 100:.{decimals}f} %"


def stated_percent(share: float) -> str:
    """`1.5 %`, `0.75 %`, `50 %`: an assumption, with the digits that were typed."""
    return f"{share * 100:.4g} %"


def moment(text: str) -> str:
    """`2026-01-31 14:05 UTC` for an ISO 8601 time; other text unchanged."""
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        return text
    return (read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)).strftime("%Y-%m-%d %H:%M UTC")


def _step(value: float, unit: Unit) -> tuple[int, str]:
    """Scale and name for a figure: what rounds up to the next unit has that, and 0 bytes are in MB."""
    steps = _STEPS[unit]
    if value <= 0 and unit == "B/s":
        return 10**6, " MB/s"
    return next((step for step in steps if value >= step[0] * (1 - 0.5 * 10**-_DIGITS)), steps[-1])


def _digits(value: float, scale: int) -> str:
    return f"{value / scale:.{_decimals(value, scale)}f}"


def _decimals(value: float, scale: int) -> int:
    """Decimals of three significant digits; none where single things are counted, or nothing is."""
    if scale == 1 or value <= 0:
        return 0
    decimals = max(_DIGITS - len(str(int(value / scale))), 0)
    return decimals - (decimals > 0 and len(f"{value / scale:.{decimals}f}") > _DIGITS + 1)
