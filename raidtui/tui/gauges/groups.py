"""Groups of disks by array, controller or enclosure, and the bounds of each group. Nothing here draws."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import repeat
from typing import Literal, NamedTuple

from raidtui.machine.gauges.rates import GaugeFigure, disk_figures
from raidtui.values.gauges import Gauge, Scene, Tick, WatchedArray, WatchedDisk
from raidtui.values.speed import Ceiling

Grouping = Literal["array", "controller", "enclosure"]
GROUPINGS: tuple[Grouping, ...] = ("array", "controller", "enclosure")
_NONE: dict[Grouping, str] = {"array": "in no array", "controller": "controller unknown", "enclosure": "no enclosure"}


class GaugeGroup(NamedTuple):
    """A group of disks."""

    title: str
    """name and kind"""
    name: str
    """short form of the title"""
    key: str
    """its name in ticks and ceilings; empty for ungrouped disks"""
    disks: tuple[WatchedDisk, ...]
    """in scene order; empty for an array of arrays"""
    array: WatchedArray | None = None
    """the array, if the group is one"""


class GroupLimit(NamedTuple):
    """The used share of a bound."""

    name: str
    share: float
    """0 to 1; may exceed 1 if the bound is an estimate"""


class GaugeGroups:
    """All groups of a scene."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._tick: Tick | None = None
        """the tick that the rates are of"""
        self._read: dict[str, float] = {}
        self._written: dict[str, float] = {}

    @cached_property
    def offered(self) -> tuple[Grouping, ...]:
        """The groupings that make more than one group; by array in any case."""
        disks = self.scene.disks
        return tuple(by for by in GROUPINGS if by == "array" or len({_key(disk, by) for disk in disks}) > 1)

    def by(self, grouping: Grouping) -> tuple[GaugeGroup, ...]:
        """Every group; ungrouped disks last."""
        found: dict[str, list[WatchedDisk]] = {}
        arrays = {array.name: array for array in self.scene.arrays} if grouping == "array" else {}
        for name in arrays:
            found[name] = []
        for disk in self.scene.disks:
            found.setdefault(_key(disk, grouping), []).append(disk)
        loose = found.pop("", [])
        groups = [_group(key, disks, arrays.get(key)) for key, disks in found.items()]
        if loose:
            title = _NONE[grouping] if groups else "disks"
            groups.append(GaugeGroup(title=title, name="none", key="", disks=tuple(loose)))
        return tuple(groups)

    @cached_property
    def _below(self) -> dict[str, tuple[str, ...]]:
        """Names of the disks below every link and controller that has a ceiling."""
        found: dict[str, list[str]] = {}
        for disk in self.scene.disks:
            for place in {disk.controller, disk.link, disk.enclosure}:
                if place and place in self.scene.ceilings:
                    found.setdefault(place, []).append(disk.name)
        return {place: tuple(names) for place, names in found.items()}

    def traffic(self, names: Iterable[str], tick: Tick) -> tuple[float, float]:
        """Total bytes per second read from and written to the disks `names`."""
        if tick is not self._tick:
            self._tick = tick
            self._read = dict(zip(tick.disks, disk_figures(tick.disks, "read_bytes_per_s"), strict=True))
            self._written = dict(zip(tick.disks, disk_figures(tick.disks, "write_bytes_per_s"), strict=True))
        its = tuple(names)
        return sum(map(self._read.get, its, repeat(0.0))), sum(map(self._written.get, its, repeat(0.0)))

    def limits(self, group: GaugeGroup, tick: Tick) -> list[GroupLimit]:
        """Bounds of `group`, most used first: its own ceiling, the most used link of its disks, the md threads."""
        found = []
        array = tick.arrays.get(group.key) if group.array is not None else None
        if array is not None:
            moved = array.gauge.read_bytes_per_s + array.gauge.write_bytes_per_s
            found += _used(self.scene.ceilings.get(group.key, ()), moved)
            found.append(GroupLimit("md CPU", array.thread_share))
        ways = [
            limit
            for place in self._places.get(group.key, ())
            for limit in _used(self.scene.ceilings[place], sum(self.traffic(self._below[place], tick)))
        ]
        found += sorted(ways, key=lambda limit: -limit.share)[:1]
        return sorted(found, key=lambda limit: -limit.share)

    @cached_property
    def _places(self) -> dict[str, tuple[str, ...]]:
        """The links used by the disks of each group that have a ceiling."""
        found: dict[str, set[str]] = {}
        for disk in self.scene.disks:
            ways = {disk.controller, disk.link, disk.enclosure} & self._below.keys()
            for key in {disk.array, disk.controller, disk.enclosure}:
                found.setdefault(key, set()).update(ways)
        return {key: tuple(sorted(ways)) for key, ways in found.items()}


def _used(ceilings: Sequence[Ceiling], bytes_per_s: float) -> list[GroupLimit]:
    lowest = min((ceiling for ceiling in ceilings if ceiling.rate > 0), key=lambda each: each.rate, default=None)
    return [] if lowest is None else [GroupLimit(_short(lowest), bytes_per_s / lowest.rate)]


def _short(ceiling: Ceiling) -> str:
    """`PCIe 03:00.0` for `PCIe slot 0000:03:00.0`: most machines have only PCI domain 0000."""
    limit = ceiling.name
    return f"PCIe {limit.name.removeprefix('0000:')}" if limit.kind == "PCIe slot" else limit.device


def _key(disk: WatchedDisk, grouping: Grouping) -> str:
    match grouping:
        case "array":
            return disk.array
        case "controller":
            return disk.controller
        case "enclosure":
            return disk.enclosure


def _group(key: str, disks: Sequence[WatchedDisk], array: WatchedArray | None) -> GaugeGroup:
    if array is None:
        return GaugeGroup(title=key, name=key, key=key, disks=tuple(disks))
    spares = f"+{len(array.spares)}" if array.spares else ""
    title = f"{array.title or array.name} {array.level} {len(array.members)}{spares}"
    return GaugeGroup(title=title, name=array.title or array.name, key=key, disks=tuple(disks), array=array)


# Views of the gauges: what they show, their units, short numbers. Nothing here draws.


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


# The most recent ticks, and each disk's history line with one mark per tick. Nothing here draws.


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
