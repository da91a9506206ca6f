"""Slow disks: disks below the speed of their group, the members of one array or disks of one model.

Members of a parity array wait for the slowest of them, so all have the same rate; the slow one is busy all the time,
the others only part of it. Compared is therefore bytes per busy second, which for independent busy disks is their rate.
On flash, busy time does not reflect parallel requests, so bytes per second of request time are compared.

One tick proves nothing: a slow disk is behind in nearly every busy tick of its group, for some time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from raidtui.model.gauges import Gauge, Scene, Tick, WatchedDisk

Direction = Literal["read", "write"]
BEHIND = 0.15
"""least share below the median; healthy disks of one model differ by less (a few per cent within a zone)"""
SUSTAINED = 10.0
"""least seconds of busy ticks"""
FEWEST_TICKS = 5
FEWEST_DISKS = 3
"""least active disks in a group: of two, neither can be called the outlier"""
_BUSY = 0.5
"""utilisation of the busiest disk at which its group counts as busy"""
_AT_WORK = 0.02
_NEARLY_ALL = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Laggard:
    """A disk slower than its group."""

    name: str
    """kernel name"""
    share: float
    """how far it was below the group's median, 0 to 1"""
    seconds: float
    """busy seconds in which it was behind"""
    direction: Direction
    """direction of most of the group's bytes"""
    group: str
    """the array or the model"""


def laggards(scene: Scene, ticks: Sequence[Tick]) -> tuple[Laggard, ...]:
    """Slow disks of `scene` over `ticks` (half a minute to a few minutes), the slowest first."""
    comparison = SlowDiskWindow(scene, window=len(ticks))
    for tick in ticks:
        comparison.add(tick)
    return comparison.laggards()


class SlowDiskWindow:
    """Incremental version of `laggards` over the last `window` ticks; each tick is processed once."""

    def __init__(self, scene: Scene, window: int = 60) -> None:
        self._groups = [_Group(name, disks, window) for name, disks in groups(scene).items()]

    def add(self, tick: Tick) -> None:
        """Adds the next tick and drops the oldest beyond the window."""
        disks = dict(tick.disks.items())
        for group in self._groups:
            group.add(disks, tick.seconds)

    def laggards(self) -> tuple[Laggard, ...]:
        """Slow disks of the window, the slowest first."""
        found = [laggard for group in self._groups for laggard in group.laggards()]
        return tuple(sorted(found, key=lambda laggard: (-laggard.share, laggard.name)))


def groups(scene: Scene) -> dict[str, list[WatchedDisk]]:
    """Groups of comparable disks: members by array; other disks by model and size."""
    found: dict[str, list[WatchedDisk]] = {}
    for disk in scene.disks:
        if disk.role == "member" or not disk.array:
            found.setdefault(disk.array or f"{disk.model} {disk.size_bytes}".strip(), []).append(disk)
    return {group: disks for group, disks in found.items() if len(disks) >= FEWEST_DISKS}


class _Group:
    """One group of comparable disks with its recent ticks."""

    def __init__(self, name: str, disks: Sequence[WatchedDisk], window: int) -> None:
        self._name = name
        self._disks = [disk.name for disk in disks]
        self._flash = all(disk.rotational is False for disk in disks)
        self._compared: dict[str, deque[tuple[float, float]]] = {name: deque(maxlen=window) for name in self._disks}
        self._directions: deque[tuple[Direction, float]] = deque(maxlen=window)

    def add(self, disks: Mapping[str, Gauge], seconds: float) -> None:
        gauges = [(name, gauge) for name in self._disks if (gauge := disks.get(name)) is not None]
        direction = _direction(gauges)
        paces = _paces(gauges, direction, self._flash)
        middle = median([pace for _, pace in paces]) if paces else 0.0
        if not middle:
            return
        self._directions.append((direction, seconds))
        for name, pace in paces:
            self._compared[name].append((1 - pace / middle, seconds))

    def laggards(self) -> list[Laggard]:
        writing = sum(seconds if direction == "write" else -seconds for direction, seconds in self._directions)
        return [
            Laggard(
                name=name,
                share=median(share for share, _ in compared),
                seconds=sum(seconds for share, seconds in compared if share >= BEHIND),
                direction="write" if writing > 0 else "read",
                group=self._name,
            )
            for name, compared in self._compared.items()
            if _lags(compared)
        ]


def _lags(compared: Sequence[tuple[float, float]]) -> bool:
    """True if a disk was behind in nearly all busy ticks of its group, including the last ones, for long enough."""
    if len(compared) < FEWEST_TICKS or (compared[-1][0] < BEHIND and compared[-2][0] < BEHIND):
        return False  # most disks, most of the time
    late = [compared[-at] for at in range(1, FEWEST_TICKS + 1)]
    if not all(sum(s >= BEHIND for s, _ in some) >= _NEARLY_ALL * len(some) for some in (late, compared)):
        return False
    return sum(seconds for share, seconds in compared if share >= BEHIND) >= SUSTAINED


def _paces(gauges: Sequence[tuple[str, Gauge]], direction: Direction, flash: bool) -> list[tuple[str, float]]:
    """Bytes per busy second of each active disk; empty if the group is not busy.

    A disk with the opposite direction, such as the one being rebuilt, is not compared; one that is busy and moves
    nothing is. A thousand disks pass here at every tick: a call for each would double the time.
    """
    found = []
    busiest = 0.0
    reading = direction == "read"
    for name, gauge in gauges:
        util, reads, writes = gauge.util, gauge.read_bytes_per_s, gauge.write_bytes_per_s
        if util >= _AT_WORK and (reads >= writes if reading else writes >= reads):
            found.append((name, (reads + writes) / (max(util, gauge.queue) if flash else util)))
            if util > busiest:
                busiest = util
    return found if len(found) >= FEWEST_DISKS and busiest >= _BUSY else []


def _direction(gauges: Sequence[tuple[str, Gauge]]) -> Direction:
    """Direction of most of the group's bytes."""
    return "write" if sum([gauge.write_bytes_per_s - gauge.read_bytes_per_s for _, gauge in gauges]) > 0 else "read"
