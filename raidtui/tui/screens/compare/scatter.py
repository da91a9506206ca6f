"""Scatter plot of the layouts over two measures, drawn with the app's glyphs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from textual import events
from textual.message import Message

from raidtui.tui.screens.compare.table import LOSS, USABLE, CompareRow, Ranking
from raidtui.tui.terminal.text import Line, Span, Tone
from raidtui.tui.widgets.axes import Axis, axis, floor
from raidtui.tui.widgets.pane import Pane

_LABELS = 10
"""width of the labels left of the plot"""
_APART = ("unprotected", "high loss")
"""layouts that break these rules are drawn at the edge of the plot: their losses would squeeze all others"""
_SHORT = 8
"""lines below which a plot names the values of its first and last line alone: round ones lie between lines"""
_EVERY = 12
"""width of a label below the plot, with blanks around it"""


@dataclass(frozen=True, slots=True)
class PlotField:
    """The points in a plot of one size; independent of the cursor."""

    rows: Sequence[CompareRow]
    x: Axis
    y: Axis
    places: Sequence[tuple[int, int]]
    """column and row of every point, in the order of the rows"""
    cells: Mapping[tuple[int, int], Span]


class ScatterPlot(Pane):
    """One letter per layout, `*` for the present design, brackets around the one under the table's cursor."""

    @dataclass
    class Clicked(Message):
        """A point was clicked."""

        index: int
        """number of its row"""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("ScatterPlot", id=id)
        self.rows: Sequence[CompareRow] = ()
        self.at = 0
        """index of the row under the table's cursor"""
        self.x: Ranking = USABLE
        self.y: Ranking = LOSS
        self.can_focus = False
        self._field: PlotField | None = None
        self._field_of: tuple[object, ...] = ()

    def show(self, rows: Sequence[CompareRow], at: int) -> None:
        """Replaces the points or the row under the table's cursor."""
        self.rows, self.at = rows, at
        self.heading = f"{self.y.axis} over {self.x.axis}"
        apart = "; at the edge: high loss" if any(self._is_apart(row) for row in rows) else ""
        self.aside = f"* present design{apart}   , . change the axes"
        self.put(self._drawn)

    def on_click(self, event: events.Click) -> None:
        """Posts `Clicked` for the point at the click, or in a cell beside it."""
        field, line = self._field, event.y - 1
        column = event.x - (2 if self.boxed else 1) - _LABELS - 1
        near = [] if field is None else [
            (abs(x - column), index) for index, (x, y) in enumerate(field.places) if y == line and abs(x - column) <= 1
        ]  # fmt: skip
        if near:
            self.post_message(self.Clicked(min(near)[1]))

    def _drawn(self, width: int) -> list[Line]:
        """The plot with its axes in the available size."""
        columns, height = width - _LABELS - 1, self.room() - 2
        if height < 2 or columns < 20 or not self.rows:
            return []
        field = self._points(columns, height)
        cells = {**field.cells, **self._cursor(field)}
        ticks = {self._line(field.y, tick, height): _figure(self.y.text(tick)) for tick in field.y.ticks}
        lines = [self._row(number, ticks.get(number, ""), cells) for number in range(height)]
        return [*lines, *self._floor(field.x, columns)]

    def _points(self, columns: int, height: int) -> PlotField:
        """The plot, rebuilt only if something other than the cursor has changed."""
        made_of = (self.x.key, self.y.key, columns, height, self.glyphs.tier)
        if self._field is None or self._field.rows is not self.rows or self._field_of != made_of:
            self._field, self._field_of = self._made_field(columns, height), made_of
        return self._field

    def _made_field(self, columns: int, height: int) -> PlotField:
        fit = [row.candidate for row in self.rows if not self._is_apart(row)]
        shown = fit if len(fit) > 1 else [row.candidate for row in self.rows]
        x = axis([self.x.value(each) for each in shown], log=self.x.log, ticks=max(columns // _EVERY, 2))
        y = axis([self.y.value(each) for each in shown], log=self.y.log, ticks=max(height // 3, 2))
        if height < _SHORT:
            y = y.with_ends()
        # One cell on either side is reserved for the cursor's brackets.
        places = [
            (x.cell(self.x.value(row.candidate), columns - 2) + 1, self._line(y, self.y.value(row.candidate), height))
            for row in self.rows
        ]
        cells = dict(
            self._front([place for row, place in zip(self.rows, places, strict=True) if row.candidate in shown])
        )
        points: dict[tuple[int, int], Span] = {}
        for row, place in zip(self.rows, places, strict=True):
            if place not in points or row.present:
                points[place] = self._point(row)
        return PlotField(self.rows, x, y, places, {**cells, **points})

    def _is_apart(self, row: CompareRow) -> bool:
        return row.candidate.breaks in _APART and not row.present

    def _line(self, y: Axis, value: float, height: int) -> int:
        """The line of a value, 0 at the top; what is better is above."""
        cell = y.cell(value, height)
        return height - 1 - cell if self.y.more else cell

    def _front(self, places: Sequence[tuple[int, int]]) -> Iterator[tuple[tuple[int, int], Span]]:
        """The edge of what the points reach together, as a line of steps."""
        best: list[tuple[int, int]] = []
        for column, line in sorted(places, key=lambda place: (-place[0] if self.x.more else place[0], place[1])):
            if not best or line < best[-1][1]:
                best.append((column, line))
        for (column, line), (after, above) in pairwise(best):
            for between in range(min(column, after) + 1, max(column, after)):
                yield (between, line), Span(self.glyphs.rule, "rule")
            for between in range(above + 1, line):
                yield (after, between), Span(self.glyphs.side, "rule")
            if line != above:
                yield (after, line), Span(self.glyphs.corners[2 if self.x.more else 3], "rule")

    def _cursor(self, field: PlotField) -> dict[tuple[int, int], Span]:
        column, line = field.places[self.at]
        return {
            (column - 1, line): Span("[", "title"),
            (column, line): Span(self._point(self.rows[self.at]).text, "cursor"),
            (column + 1, line): Span("]", "title"),
        }

    def _point(self, row: CompareRow) -> Span:
        if row.present:
            return Span(row.letter, "title")
        tone: Tone = "strong" if row.candidate.picks else "muted" if row.candidate.breaks else "text"
        return Span(row.letter or self.glyphs.point, tone if row.letter else "muted")

    def _row(self, number: int, tick: str, cells: Mapping[tuple[int, int], Span]) -> Line:
        glyphs = self.glyphs
        spans = [Span(f"{tick:>{_LABELS - 1}} ", "muted"), Span(glyphs.tick if tick else glyphs.side, "rule")]
        free = 0
        for column in sorted(column for column, row in cells if row == number):
            spans += [Span(" " * (column - free)), cells[column, number]]
            free = column + 1
        return tuple(spans)

    def _floor(self, x: Axis, columns: int) -> tuple[Line, Line]:
        """The horizontal axis and its labels."""
        ticks = [(x.cell(tick, columns - 2) + 1, _figure(self.x.text(tick))) for tick in x.ticks]
        return floor(ticks, columns, _LABELS, self.glyphs)


def _figure(text: str) -> str:
    """A number without trailing zeros after its point."""
    return text.rstrip("0").rstrip(".") if text.replace(".", "").isdigit() and "." in text else text
