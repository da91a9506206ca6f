"""Roofline plot: rate over request size on logarithmic axes, with the ceilings of the model and the measurements.

The horizontal lines are the ceilings of sequential I/O, the slope is the ceiling of random requests.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from raidtui.model.units import decimal_size, exact_binary
from raidtui.planner.amounts import iops, rate
from raidtui.tui.terminal.text import Line, Span, Tone
from raidtui.tui.widgets.axis_labels import floor
from raidtui.tui.widgets.axis_scale import Axis
from raidtui.tui.widgets.pane import Pane

_LABELS = 10
_LEAST_HEIGHT, _LEAST_WIDTH = 5, 30
_SIZES = (512, 4096, 32768, 262144, 2097152, 16777216)
_MOST_LEGEND = 8
_MOST_NAMES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Roof:
    """The ceilings of one kind of I/O."""

    title: str
    """reads or writes"""
    iops: float
    """random requests per second; 0 if unknown"""
    ceilings: tuple[tuple[str, float], ...]
    """name and bytes per second, lowest first"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A measurement, or the prediction of one."""

    letter: str
    """its letter in the plot"""
    name: str
    block_bytes: int
    bytes_per_s: float
    ratio: float | None
    """measured over predicted"""
    good: bool
    """within its band, or no band"""
    of_roof: bool
    """True for the same kind of I/O as the ceilings"""


class Roofline(Pane):
    """Ceilings as named lines, measurements as letters, a legend below."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("Roofline", id=id)
        self.can_focus = False
        self.roof: Roof | None = None
        self.points: Sequence[Point] = ()

    def show(self, roof: Roof | None, points: Sequence[Point]) -> None:
        """Replaces the ceilings and the measurements."""
        if (roof, points) == (self.roof, self.points):
            return
        self.roof, self.points = roof, points
        self.heading = f"Roofline of {roof.title}" if roof is not None else "Roofline"
        self.aside = "rate over request size"
        self.empty = "" if roof is not None else "no prediction, so no roofline"
        self.put(self._drawn)

    def _drawn(self, width: int) -> list[Line]:
        if self.roof is None:
            return []
        legend = self._legend(width)
        height = self.room() - 2 - len(legend)
        if height < _LEAST_HEIGHT:
            legend, height = [], self.room() - 2
        columns = width - _LABELS - 1
        if height < _LEAST_HEIGHT or columns < _LEAST_WIDTH:
            return []
        return [*self._field(self.roof, columns, height), *legend]

    def _legend(self, width: int) -> list[Line]:
        cells = max((len(_words(point)) for point in self.points), default=0) + 4
        across = max(width // cells, 1) if self.points else 1
        rows = [self.points[at : at + across] for at in range(0, len(self.points), across)][:_MOST_LEGEND]
        return [
            tuple(
                span
                for point in row
                for span in (
                    Span(f" {point.letter} ", _tone(point)),
                    Span(f"{_words(point):<{cells - 3}}", "text" if point.of_roof else "muted"),
                )
            )
            for row in rows
        ]

    def _field(self, roof: Roof, columns: int, height: int) -> list[Line]:
        x, y = _axes(roof, self.points)
        cells: dict[tuple[int, int], Span] = {}
        for place, (_, ceiling) in reversed(list(enumerate(roof.ceilings))):
            if y.low <= math.log10(ceiling) <= y.high:
                self._ceiling(cells, height - 1 - y.cell(ceiling, height), columns, lowest=place == 0)
        self._slope(cells, roof, x, y, columns, height)
        self._names(cells, roof, columns, height)
        for point in sorted(self.points, key=lambda point: point.of_roof):
            at = x.cell(point.block_bytes, columns), height - 1 - y.cell(max(point.bytes_per_s, 1), height)
            cells[at] = Span(point.letter, _tone(point))
        ticks = {height - 1 - y.cell(tick, height): f"{decimal_size(round(tick), 1)}/s" for tick in y.ticks}
        rows = [self._row(number, ticks.get(number, ""), cells, columns) for number in range(height)]
        return [*rows, *self._floor(x, columns)]

    def _ceiling(self, cells: dict[tuple[int, int], Span], row: int, columns: int, *, lowest: bool) -> None:
        glyphs = self.glyphs
        for column in range(columns):
            if lowest or column % 2:
                cells[column, row] = Span(glyphs.bar if lowest else glyphs.rule, "title" if lowest else "muted")

    def _names(self, cells: dict[tuple[int, int], Span], roof: Roof, columns: int, height: int) -> None:
        """Adds the names of the lines in the empty corner below them."""
        glyphs = self.glyphs
        said: list[tuple[str, Tone]] = []
        for place, (name, most) in enumerate(roof.ceilings[:_MOST_NAMES]):
            sign = glyphs.bar if place == 0 else glyphs.rule
            said.append((f"{sign * 2} {name} {rate(most)}", "title" if place == 0 else "muted"))
        if roof.iops:
            said.append((f"/  random: {iops(roof.iops)}", "title"))
        wide = max((len(text) for text, _ in said), default=0)
        for row, (text, tone) in enumerate(said, height - len(said)):
            taken = max((column for column, other in cells if other == row), default=-1)
            if row >= 0 and taken + 2 <= columns - wide:
                cells |= {(columns - wide + place, row): Span(char, tone) for place, char in enumerate(text)}

    def _slope(
        self, cells: dict[tuple[int, int], Span], roof: Roof, x: Axis, y: Axis, columns: int, height: int
    ) -> None:
        if not roof.iops or not roof.ceilings:
            return
        top = math.log10(roof.ceilings[0][1])
        for column in range(columns):
            size = x.low + (x.high - x.low) * column / max(columns - 1, 1)
            level = size + math.log10(roof.iops)
            if y.low <= level < top:
                cells[column, height - 1 - y.cell(10**level, height)] = Span("/", "title")

    def _row(self, number: int, tick: str, cells: dict[tuple[int, int], Span], columns: int) -> Line:
        glyphs = self.glyphs
        spans = [Span(f"{tick:>{_LABELS - 1}} ", "muted"), Span(glyphs.tick if tick else glyphs.side, "rule")]
        return (*spans, *(cells.get((column, number), Span(" ")) for column in range(columns)))

    def _floor(self, x: Axis, columns: int) -> tuple[Line, Line]:
        ticks = [(x.cell(tick, columns), exact_binary(round(tick))) for tick in x.ticks]
        return floor(ticks, columns, _LABELS, self.glyphs)


def _words(point: Point) -> str:
    tail = f" ({point.ratio:.2f} of predicted)" if point.ratio is not None else ""
    return f"{point.name} {rate(point.bytes_per_s)}{tail}"


def _tone(point: Point) -> Tone:
    if not point.good:
        return "warn"
    return "strong" if point.of_roof else "muted"


def _axes(roof: Roof, points: Sequence[Point]) -> tuple[Axis, Axis]:
    """Request sizes from 4 KiB to at least 1 MiB; rates from the lowest to just above the third lowest ceiling."""
    sizes = [4096, 1048576, *(point.block_bytes for point in points)]
    low, high = math.log10(min(sizes)) - 0.15, math.log10(max(sizes)) + 1.25
    x = Axis(low=low, high=high, log=True, ticks=tuple(size for size in _SIZES if low <= math.log10(size) <= high))
    rates = [point.bytes_per_s for point in points if point.bytes_per_s > 0]
    shown = [ceiling for _, ceiling in roof.ceilings[:3]]
    bottom = min([*rates, *([roof.iops * 4096] if roof.iops else []), *shown])
    top = max([*rates, *shown])
    down, up = math.log10(bottom) - 0.2, math.log10(top) + 0.15
    decades = range(math.ceil(down), math.floor(up) + 1)
    y = Axis(low=down, high=up, log=True, ticks=tuple(10.0**power for power in decades))
    return x, y
