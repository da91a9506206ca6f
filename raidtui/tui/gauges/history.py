"""The most recent ticks, and each disk's history line with one mark per tick. Nothing here draws."""

from __future__ import annotations

from collections import deque

from raidtui.model.gauges import Tick
from raidtui.tui.gauges.views import KINDS, View, full, level

LONGEST = 60
"""number of ticks kept"""


class History:
    """Recent ticks. The scale of a view follows its largest value, with hysteresis against small changes."""

    def __init__(self) -> None:
        self.ticks: deque[Tick] = deque(maxlen=LONGEST)
        self.count = 0
        """number of ticks added so far"""
        self._view: View = "speed"
        self._marks = ""
        self._highest: deque[float] = deque(maxlen=LONGEST)
        self.height = 1.0
        self._lines: dict[str, tuple[int, str]] = {}

    @property
    def now(self) -> Tick | None:
        """The newest tick."""
        return self.ticks[-1] if self.ticks else None

    def add(self, tick: Tick) -> None:
        """Appends a tick."""
        self.ticks.append(tick)
        self.count += 1
        self._highest.append(self._highest_of(tick))
        self._settle_height()

    def use(self, view: View, marks: str) -> None:
        """Switches to the values of `view`, drawn with `marks` from zero to full."""
        if (view, marks) != (self._view, self._marks):
            fresh = view != self._view
            self._view, self._marks = view, marks
            self._lines.clear()
            if fresh:
                self._highest.clear()
                self._highest.extend(self._highest_of(tick) for tick in self.ticks)
                self._settle_height()

    def _highest_of(self, tick: Tick) -> float:
        kind = KINDS[self._view]
        return kind.least if kind.fixed else max(map(kind.value, tick.disks.values()), default=0.0)

    def _settle_height(self) -> None:
        height = full(max(self._highest, default=0.0), KINDS[self._view].least)
        if height != self.height:
            self.height = height
            self._lines.clear()

    def line(self, disk: str, cells: int) -> str:
        """The last `cells` ticks of `disk`, the newest last; blank before the first."""
        made, before = self._lines.get(disk, (-1, ""))
        if made == self.count and len(before) == cells:
            return before
        if made == self.count - 1 and len(before) == cells and self.ticks:
            now = before[1:] + self._mark(self.ticks[-1], disk)
        else:
            shown = list(self.ticks)[-cells:] if cells else []
            now = "".join(self._mark(tick, disk) for tick in shown).rjust(cells)
        self._lines[disk] = (self.count, now)
        return now

    def _mark(self, tick: Tick, disk: str) -> str:
        gauge = tick.disks.get(disk)
        if gauge is None:
            return " "
        return self._marks[level(KINDS[self._view].value(gauge), self.height, len(self._marks))]
