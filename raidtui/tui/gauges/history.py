"""The most recent ticks, and each disk's history line with one mark per tick. Nothing here draws."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from raidtui.model.gauges import Tick
from raidtui.tui.gauges.views import KINDS, GaugeView, full, level

LONGEST = 60
"""number of ticks kept"""


class TickHistory:
    """Recent ticks. The scale of a view follows its largest value, with hysteresis against small changes."""

    def __init__(self) -> None:
        self.ticks: deque[Tick] = deque(maxlen=LONGEST)
        self.count = 0
        """number of ticks added so far"""
        self._view: GaugeView = "speed"
        self._marks = ""
        self._values: deque[dict[str, float]] = deque(maxlen=LONGEST)
        """of each tick by disk, of the view"""
        self._highest: deque[float] = deque(maxlen=LONGEST)
        self.height = 1.0

    @property
    def now(self) -> Tick | None:
        """The newest tick."""
        return self.ticks[-1] if self.ticks else None

    def add(self, tick: Tick) -> None:
        """Appends a tick."""
        self.ticks.append(tick)
        self.count += 1
        self._values.append(KINDS[self._view].values(tick.disks))
        self._highest.append(self._highest_of(self._values[-1]))
        self._settle_height()

    def use(self, view: GaugeView, marks: str) -> None:
        """Switches to the values of `view`, drawn with `marks` from zero to full."""
        if (view, marks) != (self._view, self._marks):
            fresh = view != self._view
            self._view, self._marks = view, marks
            if fresh:
                self._values = deque((KINDS[view].values(tick.disks) for tick in self.ticks), maxlen=LONGEST)
                self._highest = deque(map(self._highest_of, self._values), maxlen=LONGEST)
                self._settle_height()

    def values(self, view: GaugeView) -> Mapping[str, float]:
        """The newest values of `view` by disk; there must be a tick."""
        return self._values[-1] if view == self._view else KINDS[view].values(self.ticks[-1].disks)

    def _highest_of(self, values: Mapping[str, float]) -> float:
        kind = KINDS[self._view]
        return kind.least if kind.fixed else max(values.values(), default=0.0)

    def _settle_height(self) -> None:
        self.height = full(max(self._highest, default=0.0), KINDS[self._view].least)

    def line(self, disk: str, cells: int) -> str:
        """The last `cells` ticks of `disk`, the newest last; blank behind it as long as there are fewer."""
        shown = list(self._values)[-cells:] if cells else []
        return "".join([self._mark(values.get(disk)) for values in shown]).ljust(cells)

    def _mark(self, value: float | None) -> str:
        return " " if value is None else self._marks[level(value, self.height, len(self._marks))]
