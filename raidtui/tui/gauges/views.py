"""Views of the gauges: what they show, their units, short numbers. Nothing here draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

from raidtui.model.gauges import Gauge
from raidtui.planner.gauges.iostat_rates import GaugeFigure, disk_figures

GaugeView = Literal["speed", "iops", "util", "await", "queue"]
VIEWS: tuple[GaugeView, ...] = ("speed", "iops", "util", "await", "queue")
FIGURE = 5
"""maximum width of a value"""


class ViewKind(NamedTuple):
    """One view."""

    words: str
    """quantity and unit, for the heading"""
    figures: tuple[GaugeFigure, ...]
    """what it is computed from"""
    value: Callable[..., float]
    """value of one disk, in that unit, from its `figures`"""
    least: float
    """smallest full scale of history and heat map"""
    fixed: bool = False
    """True if the scale never changes"""

    def values(self, disks: Mapping[str, Gauge]) -> dict[str, float]:
        """Value of every disk of a tick."""
        columns = [disk_figures(disks, figure) for figure in self.figures]
        return dict(zip(disks, map(self.value, *columns), strict=True))


KINDS: dict[GaugeView, ViewKind] = {
    "speed": ViewKind("MB/s", ("read_bytes_per_s", "write_bytes_per_s"), lambda read, write: (read + write) / 1e6, 1.0),
    "iops": ViewKind("IOPS", ("read_iops", "write_iops"), lambda reads, writes: reads + writes, 10.0),
    "util": ViewKind("% busy", ("util",), lambda util: 100 * util, 100.0, fixed=True),
    "await": ViewKind("ms per request", ("await_ms",), lambda await_ms: await_ms, 1.0),
    "queue": ViewKind("requests in flight", ("queue",), lambda queue: queue, 1.0),
}


def figure(value: float) -> str:
    """`0`, `4.2`, `198`, `12345`, `123k`, `12M`: at most five cells, without invented digits."""
    if value < 0.05:
        return "0"
    if value < 9.95:
        return f"{value:.1f}"
    if value < 99_999.5:
        return f"{value:.0f}"
    return f"{value / 1e3:.0f}k" if value < 9_999_500 else f"{min(value / 1e6, 9999):.0f}M"


def full(value: float, least: float) -> float:
    """1, 2 or 5 times a power of ten, at or above `value`, so that the scale rarely changes."""
    step = least
    for _ in range(64):
        for times in (1, 2, 5):
            if value <= step * times:
                return step * times
        step *= 10
    return step


def level(value: float, height: float, levels: int) -> int:
    """Index of the mark for `value` among `levels`: 0 for zero, the last from `height` up."""
    if value <= 0.002 * height:
        return 0
    return 1 + min(int(value / height * (levels - 1)), levels - 2)


def height_mark(value: float, height: float, levels: str) -> str:
    """The mark for `value` among the marks `levels`."""
    return levels[level(value, height, len(levels))]


def tenths(value: float, height: float) -> str:
    """`0` to `9`: `value` in tenths of `height`; `.` for zero."""
    return "." if value <= 0.002 * height else str(min(int(10 * value / height), 9))
