"""Rates, operations, sizes, shares and times as text: one form each, wherever a figure appears.

A figure has three significant digits in a decimal unit, a size of a file system four in a binary one, as `df -h` has
them. Figures that stand together have the unit of the largest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import lru_cache, reduce
from operator import add
from typing import TYPE_CHECKING

from raidtui.values.prediction import SpareShortage
from raidtui.values.units import binary_size, counted, grouped, plural

if TYPE_CHECKING:
    from raidtui.values.bench import Unit


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
    """`0.85-1.05`: the band over the prediction; `exact` if it has no width, empty if there is none."""
    if not predicted or low is None or high is None:
        return ""
    return "exact" if low == high else f"{low / predicted:.2f}-{high / predicted:.2f}"


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


# Text of probabilities, hours and ratios, and sums of floats.
# A probability is `1 in N` everywhere, with two significant digits.


LEAST_ODDS = 1e-6
"""smaller annual losses are not meaningful for real disks and count as equal"""
RISK_ERROR = 0.25
"""share by which the losses of two layouts of the same disks may be off: less is the same risk"""
_CERTAIN = 0.99
"""probabilities above are not told from certainty"""


def float_sum(values: Iterable[float]) -> float:
    """Sum from left to right. `sum` rounds otherwise from Python 3.12 on, which changes digests of documents."""
    return reduce(add, values, 0.0)


def odds(probability: float) -> str:
    """`1 in 26 000`, `1 in 190`, `1 in 2.1`; `none`, `almost certain` and `< 1 in 1 000 000` at the ends."""
    if probability <= 0:
        return "none"
    if probability > _CERTAIN:
        return "almost certain"
    if probability < LEAST_ODDS:
        return f"< 1 in {_grouped(1 / LEAST_ODDS)}"
    return f"1 in {one_in(probability)}"


def one_in(probability: float) -> str:
    """The N of `1 in N` for a probability above 0: `26 000`, `190`, `2.1`, `1.7M`."""
    count = 1 / probability
    if count < 1.05e6:
        return two_digits(count).removesuffix(".0")
    return f"{two_digits(count / 1e6)}M" if count < 0.995e9 else "over 1G"


def at_worst(probability: float, worst: float) -> tuple[str, ...]:
    """`at worst 1 in 2 100`, the end of an interval that starts at `probability`; nothing if both are the same text."""
    return () if odds(probability) == odds(worst) else (f"at worst {odds(worst)}",)


def loss_words(chance: float, worst: float) -> str:
    """`1 in 7 200 a year, at worst 1 in 2 100`: the loss by any cause, and the one to plan with."""
    return ", ".join((f"{odds(chance)} a year", *at_worst(chance, worst)))


def cause_words(array: float, sector: float, enclosure: float) -> str:
    """`an array 1 in 590 000, a sector 1 in 1 500, by an enclosure 1 in 10 000`: the causes of a loss within a year."""
    parts = [f"an array {odds(array)}", f"a sector {odds(sector)}"]
    return ", ".join([*parts, f"by an enclosure {odds(enclosure)}"] if enclosure else parts)


def risk_differs(one: float, other: float) -> bool:
    """True if two probabilities of loss on the same disks differ by more than their error."""
    low, high = sorted((max(one, LEAST_ODDS), max(other, LEAST_ODDS)))
    return high > low * (1 + RISK_ERROR)


def odds_base(chance: float) -> str:
    """The N of a chance `1 in N`, in a column: `24 000`, `1.7M`; `none` for 0."""
    return one_in(chance) if chance > 0 else "none"


def spares_text(spares: int) -> str:
    """`1 spare`, `4 spares`."""
    return counted(spares, "spare")


def any_failures(count: int) -> str:
    """`any 2 disks`, `any 1 disk`, `no failure`: what an array survives."""
    return f"any {counted(count, 'disk')}" if count else "no failure"


def of_all(count: int, total: int, noun: str) -> str:
    """`both disks`, `all 4 disks`, `1 of 4 disks`: `count` of `total`."""
    if count < total:
        return f"{count} of {counted(total, noun)}"
    return {1: f"the {noun}", 2: f"both {plural(noun, 2)}"}.get(total, f"all {counted(total, noun)}")


def shortage_text(row: SpareShortage) -> str:
    """`1 in 14 failures, 1 in 22 years`: how often a failure finds none of `row.spares` spares."""
    return f"{_part(row.per_failure, 'failures')}, {_part(row.per_year, 'years')}"


def shortages_text(rows: Iterable[SpareShortage]) -> str:
    """`all with 0 spares (1 in 17 years), 1 in 200 with 1 (1 in 3 400 years)`: failures that find no spare."""
    found: list[str] = []
    for row in rows:
        share = "all" if row.per_failure == 1 else odds(row.per_failure)
        spares = str(row.spares) if found else spares_text(row.spares)
        found.append(f"{share} with {spares} ({_part(row.per_year, 'years')})")
    return ", ".join(found)


def _part(probability: float, of: str) -> str:
    if probability <= 0 or probability == 1:
        return f"{'all' if probability else 'no'} {of}"
    return f"almost all {of}" if probability > _CERTAIN else f"{odds(probability)} {of}"


def hours(value: float) -> str:
    """`40 min`, `5.8 h`, `62 h`, `11 days`; `never` for 0, the rebuild time of a level without redundancy."""
    if value <= 0:
        return "never"
    if value < 1:
        return f"{value * 60:.0f} min"
    if value < 99.5:
        return f"{two_digits(value)} h"
    return f"{value / 24:.0f} days" if value >= 239.5 else f"{value / 24:.1f} days"


def two_digits(value: float) -> str:
    """`0.0038`, `4.6`, `48`, `120`: two significant digits, never in scientific notation."""
    if value >= 99.5:
        return _grouped(value)
    if value >= 9.95:
        return f"{value:.0f}"
    digits = 1
    while value * 10**digits < 9.95 and digits < 12:
        digits += 1
    return f"{value:.{digits}f}"


def ratio_text(figure: float, other: float) -> str:
    """`6.1 % more`, `12 % less`, or `3.2 times as much` from 2 upwards: `figure` over `other`, both above 0."""
    if figure >= 2 * other:
        return f"{two_digits(figure / other)} times as much"
    share = (figure / other - 1) * 100
    return f"{two_digits(abs(share))} % {'more' if share >= 0 else 'less'}"


def times_as_likely(factor: float) -> str:
    """`3.2x as likely` for a factor above 1, `2.2x less likely` for one above 0 and below."""
    return f"{one_in(1 / factor)}x as likely" if factor > 1 else f"{one_in(factor)}x less likely"


def listed(parts: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def _grouped(value: float) -> str:
    """Two significant digits of a value of 10 or more, digits grouped in threes."""
    scale = 10 ** max(len(str(int(value))) - 2, 0)
    return grouped(round(value / scale) * scale)
