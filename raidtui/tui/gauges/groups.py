"""Groups of disks by array, controller or enclosure, and the bounds of each group. Nothing here draws."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import repeat
from typing import Literal, NamedTuple

from raidtui.model.gauges import Scene, Tick, WatchedArray, WatchedDisk
from raidtui.model.speed import Ceiling
from raidtui.planner.gauges.iostat_rates import disk_figures

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
