"""Total history: rates of all disks together over time, reads above writes, for screens with lines to spare.

A tick adds one column; when the plot is full it moves on by a quarter, so that most ticks change few cells.
"""

from __future__ import annotations

from collections import deque

from raidtui.model.gauges import Tick
from raidtui.planner.amounts import rate
from raidtui.planner.gauges.iostat_rates import GaugeFigure, disk_figures
from raidtui.tui.gauges.views import KINDS, full, level
from raidtui.tui.terminal.text import Line, Span, Tone, line
from raidtui.tui.widgets.pane import Pane

LEAST, _MOST, _MOST_BESIDE = 7, 26, 12
"""lines of the pane, with its frame; at most where the plots stand side by side"""
_BESIDE = 150
"""cells from which they do"""
_LABEL = 12
"""cells before the plot"""
_LONGEST = 400
"""ticks kept: more than the widest plot"""
_BANDS: tuple[tuple[str, Tone, GaugeFigure], ...] = (
    ("read", "a", "read_bytes_per_s"),
    ("write", "b", "write_bytes_per_s"),
)


def column(value: float, height: float, rows: int, marks: str) -> str:
    """The cells of one column from top to bottom for `value` of full scale `height`; `marks` from zero to full."""
    steps = len(marks) - 1
    filled = level(value, height, rows * steps + 1)
    cells = [marks[min(max(filled - steps * row, 0), steps)] for row in range(rows)]
    return "".join(reversed([cell if row == 0 or cell != marks[0] else " " for row, cell in enumerate(cells)]))


def most_lines(width: int) -> int:
    """Lines that the pane takes at most where it has `width` cells inside its frame."""
    return _MOST_BESIDE if width >= _BESIDE else _MOST


class TotalPane(Pane):
    """Two plots with one scale. It has no cursor and takes no focus."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("All disks together", id=id)
        self.can_focus = False
        self._ticks: deque[tuple[float, float]] = deque(maxlen=_LONGEST)
        self._count = 0
        """ticks so far"""
        self._first = 0
        """number of the tick in the first column"""
        self._scale = 0.0
        self._drawn_count = -1
        """ticks that the plots show"""
        self._plots: tuple[list[str], ...] = ()
        self._shape: object = None

    def begin(self) -> None:
        """Forgets the ticks: other disks are watched."""
        self._ticks.clear()
        self._count, self._shape = 0, None
        self.refresh()

    def show(self, tick: Tick) -> None:
        """Appends a tick."""
        read, write = (sum(disk_figures(tick.disks, figure)) for _, _, figure in _BANDS)
        self._ticks.append((read, write))
        self._count += 1
        if self.display:
            self.refresh_changes()

    def line_count(self) -> int:
        """Lines of both plots: none scrolls."""
        return self._rows if self._beside else 2 * self._rows

    def line_at(self, index: int, width: int) -> Line:
        """A line of a plot; its name, rate and scale stand before the first ones."""
        if not self._ticks:
            return line("waiting for the first sample", "muted") if index == 0 else ()
        cells = max((width // 2 if self._beside else width) - _LABEL, 1)
        self._draw(cells)
        if self._beside:
            return (*self._plot(0, index, cells), *self._plot(1, index, cells)) if index < self._rows else ()
        band, row = divmod(index, self._rows)
        return self._plot(band, row, cells) if band < len(_BANDS) else ()

    def _plot(self, band: int, row: int, cells: int) -> Line:
        """A line of one plot."""
        return (self._label(band, row), Span(self._plots[band][row].ljust(cells), _BANDS[band][1]))

    def _label(self, band: int, row: int) -> Span:
        """What stands before a line: the name, the rate, the scale."""
        name, tone, _ = _BANDS[band]
        match row:
            case 0:
                return Span(name.ljust(_LABEL), tone)
            case 1:
                return Span(rate(self._ticks[-1][band]).ljust(_LABEL), "strong")
            case 2:
                return Span(f"of {rate(self._scale)}".ljust(_LABEL), "muted")
            case _:
                return Span(" " * _LABEL, tone)

    @property
    def _rows(self) -> int:
        """Lines of one plot."""
        return max(self.inner_height if self._beside else self.inner_height // 2, 1)

    @property
    def _beside(self) -> bool:
        """True where the plots stand side by side."""
        return self.inner_width() >= _BESIDE

    def _draw(self, cells: int) -> None:
        """Brings the plots up to date: adds columns, or makes them again for another shape or scale."""
        shape = (self._rows, cells, self.glyphs)
        if (shape, self._count) == (self._shape, self._drawn_count):
            return
        self._drawn_count = self._count
        high = max(map(max, self._ticks))
        if shape != self._shape or self._count - self._first > cells or high > self._scale:
            self._shape = shape
            self._first = max(self._count - cells * 3 // 4, self._count - len(self._ticks), 0)
            self._scale = full(high, KINDS["speed"].least * 1e6)
            self._plots = tuple([""] * self._rows for _ in _BANDS)
        drawn = self._first + len(self._plots[0][0])
        marks = self.glyphs.levels + ("█" if self.glyphs.tier == "unicode" else "")
        for number in range(drawn, self._count):
            tick = self._ticks[number - self._count]
            for plot, value in zip(self._plots, tick, strict=True):
                for row, cell in enumerate(column(value, self._scale, self._rows, marks)):
                    plot[row] += cell
