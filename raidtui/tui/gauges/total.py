"""Total history: rates of all disks together over time, reads above writes, for screens with lines to spare.

A tick adds a column, of several cells while there are few ticks; when the plot is full it moves on by a quarter, so
that most ticks change few cells.
"""

from __future__ import annotations

from collections import deque

from raidtui.machine.gauges.rates import GaugeFigure, disk_figures
from raidtui.tui.gauges.groups import KINDS, level
from raidtui.tui.terminal.text import Line, Span, Tone
from raidtui.tui.widgets.pane import Pane, nothing
from raidtui.values.amounts import rate
from raidtui.values.gauges import Tick

LEAST, _MOST, _MOST_BESIDE = 7, 26, 12
"""lines of the pane, with its frame; at most where the plots stand side by side"""
_BESIDE = 100
"""cells from which they do"""
_LABEL = 14
"""cells before the plot"""
_WIDEST = 8
"""most cells of a tick"""
_STEPS = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
"""full scales in a decade"""
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


def full_scale(value: float, least: float) -> float:
    """The step of `_STEPS` at or above `value`, at least `least`."""
    power = least
    while value > power * _STEPS[-1]:
        power *= 10
    return next(power * step for step in _STEPS if value <= power * step)


def most_lines(width: int) -> int:
    """Lines that the pane takes at most where it has `width` cells inside its frame."""
    return _MOST_BESIDE if width >= _BESIDE else _MOST


class TotalPane(Pane):
    """Two plots with one scale. It has no cursor and takes no focus."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("All disks together", id=id)
        self.can_focus = False
        self.empty = "waiting for the first sample"
        self._ticks: deque[tuple[float, float]] = deque(maxlen=_LONGEST)
        self._count = 0
        """ticks so far"""
        self._first = 0
        """number of the tick in the first column"""
        self._scale = 0.0
        self._seconds = 0.0
        """between two ticks"""
        self._shape: object = None

    def begin(self) -> None:
        """Forgets the ticks: other disks are watched."""
        self._ticks.clear()
        self._count, self._shape = 0, None
        self.put(nothing)

    def show(self, tick: Tick) -> None:
        """Appends a tick."""
        read, write = (sum(disk_figures(tick.disks, figure)) for _, _, figure in _BANDS)
        self._ticks.append((read, write))
        self._seconds = tick.seconds
        self._count += 1
        if self.display:
            self.renew(self._plots)

    def _plots(self, width: int) -> list[Line]:
        """The lines of both plots, side by side or one above the other."""
        beside = width >= _BESIDE
        rows = max(self.inner_height if beside else self.inner_height // 2, 1)
        cells = max((width // 2 if beside else width) - _LABEL, 1)
        self._scroll(rows, cells)
        upper, lower = (self._plot(band, rows, cells) for band in range(len(_BANDS)))
        return [(*left, *right) for left, right in zip(upper, lower, strict=True)] if beside else [*upper, *lower]

    def _scroll(self, rows: int, cells: int) -> None:
        """Moves the plots on where they are full; another shape or a larger scale begins them anew."""
        shape = (rows, cells, self.glyphs)
        high = max(map(max, self._ticks))
        if shape != self._shape or self._count - self._first > cells or high > self._scale:
            self._shape = shape
            self._first = max(self._count - cells * 3 // 4, self._count - len(self._ticks), 0)
            self._scale = full_scale(high, KINDS["speed"].least * 1e6)

    def _plot(self, band: int, rows: int, cells: int) -> list[Line]:
        """The lines of one plot; its name, rate and scale stand before the first ones."""
        name, tone, _ = _BANDS[band]
        marks = self.glyphs.levels + ("█" if self.glyphs.tier == "unicode" else "")
        shown = [self._ticks[number][band] for number in range(self._first - self._count, 0)]
        wide = next(wide for wide in (_WIDEST, 4, 2, 1) if wide * len(shown) <= cells or wide == 1)
        drawn = zip(*(column(value, self._scale, rows, marks) for value in shown for _ in range(wide)), strict=True)
        labels: list[Span] = [
            Span(name.ljust(_LABEL), tone),
            Span(rate(self._ticks[-1][band]).ljust(_LABEL), "strong"),
            Span(f"top {rate(self._scale)}".ljust(_LABEL), "muted"),
            Span(f"last {len(shown) * self._seconds:.0f} s".ljust(_LABEL), "muted"),
            *[Span(" " * _LABEL, tone)] * rows,
        ]
        return [(label, Span("".join(row).ljust(cells), tone)) for label, row in zip(labels, drawn, strict=False)]
