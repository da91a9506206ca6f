"""Statistics and the way they are written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median, quantiles

from tests.validation.predicted import Outcome


def median_error(errors: Iterable[float]) -> float:
    """Median of the absolute errors."""
    return median(abs(error) for error in errors)


def by_source(outcomes: Sequence[Outcome]) -> float:
    """Median of the sources' median absolute errors: each source weighs as one."""
    found: dict[str, list[float]] = {}
    for each in outcomes:
        found.setdefault(each.case.source, []).append(each.error)
    return median(median_error(errors) for errors in found.values())


def p90(errors: Sequence[float]) -> float:
    """The absolute error that nine of ten stay below, interpolated; the largest of fewer than two."""
    sizes = [abs(error) for error in errors]
    return quantiles(sizes, n=10, method="inclusive")[-1] if len(sizes) > 1 else sizes[0]


def share(outcomes: Sequence[Outcome]) -> float:
    """Share of measurements inside their band."""
    return sum(each.inside for each in outcomes) / len(outcomes)


def median_width(outcomes: Sequence[Outcome]) -> float:
    """Median of the upper over the lower ends of the bands."""
    return median(each.high / each.low for each in outcomes)


def percent(value: float) -> str:
    """`8 %`, `0.5 %`."""
    return f"{value * 100:.1f} %" if abs(value) < 0.0995 else f"{value * 100:.0f} %"


def signed(value: float) -> str:
    """`+8 %`, `-3 %`."""
    return f"{value * 100:+.0f} %"


def amount(value: float, unit: str) -> str:
    """Bytes a second in MB/s, operations as they are; three digits or more."""
    scaled = value / 1e6 if unit == "bytes/s" else value
    if scaled >= 100:
        return f"{scaled:,.0f}".replace(",", " ")
    return f"{scaled:.3g}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A Markdown table and an empty line."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(cell.replace("|", "/") for cell in row) + " |" for row in rows]
    return [*lines, ""]


def short(source: str) -> str:
    """A source's name, short enough for a table."""
    return source.split(",")[0].removeprefix("seed: ").removeprefix("linux-raid: ")[:44]
