"""Scatter plot of the layouts over two measures, drawn with the app's glyphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message

from raidtui.tui.screens.compare.measures import LOSS, USABLE, Ranking
from raidtui.tui.screens.compare.rows import CompareRow
from raidtui.tui.terminal.text import Line, Span, Tone
from raidtui.tui.widgets.axis_labels import floor
from raidtui.tui.widgets.axis_scale import Axis, axis, placed
from raidtui.tui.widgets.pane import Pane

_LABELS = 8
"""width of the labels left of the plot"""
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
        self.aside = "* present design   , . change the axes"
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
        ticks = {height - 1 - field.y.cell(tick, height): _figure(self.y.text(tick)) for tick in field.y.ticks}
        lines = [self._row(number, ticks.get(number, ""), cells) for number in range(height)]
        return [*lines, *self._floor(field.x, columns)]

    def _points(self, columns: int, height: int) -> PlotField:
        """The plot, rebuilt only if something other than the cursor has changed."""
        made_of = (self.x.key, self.y.key, columns, height, self.glyphs.tier)
        if self._field is None or self._field.rows is not self.rows or self._field_of != made_of:
            self._field, self._field_of = self._made_field(columns, height), made_of
        return self._field

    def _made_field(self, columns: int, height: int) -> PlotField:
        xs, ys = ([measure.value(row.candidate) for row in self.rows] for measure in (self.x, self.y))
        x = axis(xs, log=self.x.log, ticks=max(columns // _EVERY, 2))
        y = axis(ys, log=self.y.log, ticks=max(height // 3, 2))
        # One cell on either side is reserved for the cursor's brackets.
        places = [(column + 1, line) for column, line in placed(xs, ys, x, y, columns - 2, height)]
        cells: dict[tuple[int, int], Span] = {}
        for row, place in zip(self.rows, places, strict=True):
            if place not in cells or row.present:
                cells[place] = self._point(row)
        return PlotField(self.rows, x, y, places, cells)

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
        tone: Tone = "strong" if row.candidate.picks else "text"
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
