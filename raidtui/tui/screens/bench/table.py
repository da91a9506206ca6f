"""Results table: predicted beside measured, one row per test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from raidtui.session.bench_view import BenchRow
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Mark, Span, Tone, fit
from raidtui.tui.widgets.pane import Pane
from raidtui.values.amounts import amount, ratio_band
from raidtui.values.bench import Compared
from raidtui.values.speed import Limit

# Benchmark values as text: amounts with units, ratios with bands, verdicts. Nothing here draws.


def ratio(value: float | None) -> str:
    """`0.94`; `-` if there is none."""
    return "-" if value is None else f"{value:.2f}"


def verdict(compared: Compared, glyphs: Glyphs) -> Mark:
    """Mark of a result's verdict."""
    match compared.verdict:
        case "ok":
            return Mark(glyphs.good, "ok", "good")
        case "low":
            return Mark(glyphs.failed, "LOW", "bad")
        case "high":
            return Mark(glyphs.alert, "high", "warn")
        case "not judged":
            return Mark(glyphs.unknown, "not judged", "muted")
        case "no prediction":
            return Mark(glyphs.hole, "no prediction", "muted")
        case "not comparable":
            return Mark(glyphs.unknown, "not comparable", "muted")


def clock(seconds: float) -> str:
    """`0:41`, `12:05`, `1:02:05`."""
    whole = max(int(seconds), 0)
    minutes = f"{whole // 60 % 60:02d}:{whole % 60:02d}"
    return f"{whole // 3600}:{minutes}" if whole >= 3600 else minutes.removeprefix("0") if whole < 600 else minutes


WIDE = 110
"""width from which band, spread and limits have their own columns"""
_FIGURE, _RATIO, _BAND, _VERDICT, _LIMITS = 11, 5, 9, 14, 36
_LEAST_NAME = 20
_WITH_BAND = 70
"""columns from which the band stands beside the verdict"""
_WORD, _LEAST_SHORT = 9, 15
"""widths of verdict and name where it does not"""


class BenchTable(Pane):
    """The table; the cursor follows the running test until it is moved."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("Predicted and measured", pickable=True, id=id)
        self.rows: Sequence[BenchRow] = ()
        self.at_work = -1
        """the running row at the last update"""

    def show(self, rows: Sequence[BenchRow]) -> None:
        """Updates the rows."""
        self.rows = rows
        done = sum(row.done for row in rows)
        tasks = sum(len(row.tasks) for row in rows)
        self.renew(lambda width: row_lines(rows, width, self.glyphs), aside=f"{done} of {tasks} done")
        now = next((place for place, row in enumerate(rows) if row.state == "running"), -1)
        if now >= 0 and now != self.at_work and self.cursor in (self.at_work, 0):
            self.move_to(now)
        self.at_work = now

    @property
    def row(self) -> BenchRow | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    def fixed_lines(self, width: int) -> Sequence[Line]:
        """Column titles."""
        return (title_line(width),)


def _name_cells(width: int) -> int:
    rest = 2 + 2 * (_FIGURE + 1) + _RATIO + 2
    if width >= WIDE:
        return max(width - rest - _BAND - _VERDICT - _LIMITS - 6, _LEAST_NAME)
    if width < _WITH_BAND:
        return max(width - rest - _WORD - 2, _LEAST_SHORT)
    return max(width - rest - _VERDICT - 4, _LEAST_NAME)


def title_line(width: int) -> Line:
    """The column titles of `row_lines`."""
    name = _name_cells(width)
    text = f"  {'test':<{name}} {'predicted':>{_FIGURE}} {'measured':>{_FIGURE}}  {'ratio':>{_RATIO}}"
    if width >= WIDE:
        text += f"  {'band':<{_BAND}}  {'verdict':<{_VERDICT}}  limit seen"
    else:
        text += "  verdict (band)" if width >= _WITH_BAND else "  verdict"
    return (Span(text, "muted"),)


def row_lines(rows: Sequence[BenchRow], width: int, glyphs: Glyphs) -> list[Line]:
    """One line per test: by title if all titles fit, else by name."""
    short = any(len(row.long_name) > _name_cells(width) for row in rows)
    return [_row_line(row, width, glyphs, short=short) for row in rows]


def _row_line(row: BenchRow, width: int, glyphs: Glyphs, *, short: bool) -> Line:
    name = _name_cells(width)
    sign, tone = _sign(row, glyphs)
    head: Tone = "strong" if row.state == "running" else "text"
    return (
        Span(f"{sign} ", tone),
        Span(f"{fit(row.short_name if short else row.long_name, name, glyphs)} ", head),
        Span(f"{_predicted(row):>{_FIGURE}} ", "muted"),
        *_measured(row, glyphs),
        *_judged(row, width, glyphs),
    )


def _sign(row: BenchRow, glyphs: Glyphs) -> tuple[str, Tone]:
    if row.state == "running":
        return glyphs.shut, "title"
    if row.compared is not None:
        mark = verdict(row.compared, glyphs)
        return mark.glyph, mark.tone
    return " ", "muted"


def _predicted(row: BenchRow) -> str:
    if row.compared is not None and row.compared.predicted is not None:
        return amount(row.compared.predicted, row.compared.unit)
    return amount(row.expected.value, row.expected.unit) if row.expected is not None else "-"


def _measured(row: BenchRow, glyphs: Glyphs) -> tuple[Span, ...]:
    compared = row.compared
    if compared is None:
        return (Span(f"{row.state:>{_FIGURE}}  {'':>{_RATIO}}", "title" if row.state == "running" else "muted"),)
    return (
        Span(f"{amount(compared.measured, compared.unit):>{_FIGURE}}  ", "strong"),
        Span(f"{ratio(compared.ratio):>{_RATIO}}", verdict(compared, glyphs).tone),
    )


def _judged(row: BenchRow, width: int, glyphs: Glyphs) -> tuple[Span, ...]:
    compared = row.compared
    if compared is None:
        return ()
    word = verdict(compared, glyphs)
    said, band = word.word, ratio_band(compared.predicted, compared.low, compared.high)
    if len(row.all_compared) > 1:
        off = sum(each.verdict in ("low", "high") for each in row.all_compared)
        said = f"{off} of {len(row.all_compared)} off" if off else f"{len(row.all_compared)} {said}"
    if width < WIDE:
        alone = len(row.all_compared) == 1 and compared.verdict in ("ok", "low", "high")
        tail = f" {band}" if alone and width >= _WITH_BAND else ""
        return (Span(f"  {said}", word.tone), Span(tail, "muted"))
    return (
        Span(f"  {band:<{_BAND}}  ", "muted"),
        Span(f"{said:<{_VERDICT}}  ", word.tone),
        *_limits(compared),
    )


def _limits(compared: Compared) -> tuple[Span, ...]:
    """The observed limit, and the predicted one if it differs."""
    seen, predicted = compared.limit_seen, compared.limit_predicted
    if not seen.known:
        return (Span(f"unknown; predicted {_short(predicted)}" if predicted.known else "", "muted"),)
    alike = bool(seen.name) and seen.kind == predicted.kind  # one or another of equal slots or ports
    if not predicted.known or alike or seen.agrees_with(predicted):
        return (Span(_short(seen)),)
    return (Span(_short(seen), "warn"), Span(f", not {_short(predicted)}", "muted"))


def _short(limit: Limit) -> str:
    """PCI addresses without domain 0000, the only one on most machines."""
    return str(replace(limit, name=limit.name.removeprefix("0000:")))
