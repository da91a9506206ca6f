"""Disks that stay behind their group: the members of one array, or disks of one model beside each other.

Members of a parity array wait for the slowest of them, so all move the same bytes and none stands out by its rate; the
slow one is busy all the time, the others only a part of it. What is compared is therefore the pace: bytes moved for
each second busy. Where disks work apart and are all busy, it is their rate. On flash, busy time does not tell how much
is done at once, so the pace is bytes for each second of a request's time.

A figure of one tick says nothing: a laggard is behind in nearly every tick its group was busy in, for some time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from raidtui.model.gauges import Gauge, Scene, Tick, WatchedDisk

Direction = Literal["read", "write"]
BEHIND = 0.15
"""share under the median that counts; healthy disks of one model differ by less (zones apart, a few per cent)"""
SUSTAINED = 10.0
"""seconds of busy ticks it takes"""
FEWEST_TICKS = 5
FEWEST_DISKS = 3
"""at work at once: of two nobody can say which is the odd one"""
_BUSY = 0.5
"""utilisation of the busiest disk from which on a group is busy"""
_AT_WORK = 0.02
_NEARLY_ALL = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Laggard:
    """A disk that stayed behind its group."""

    name: str
    """kernel name"""
    share: float
    """how far its pace was under the group's median, 0 to 1"""
    seconds: float
    """busy time it was seen behind"""
    direction: Direction
    """what the group did meanwhile, for the most part"""
    group: str
    """the array, or the model"""


def laggards(scene: Scene, ticks: Sequence[Tick]) -> tuple[Laggard, ...]:
    """Every disk of `scene` that was behind over `ticks` (half a minute to a few minutes), the slowest first."""
    comparison = SlowDiskWindow(scene, window=len(ticks))
    for tick in ticks:
        comparison.add(tick)
    return comparison.laggards()


class SlowDiskWindow:
    """The same from tick to tick, over the last `window` of them: each tick is looked at once."""

    def __init__(self, scene: Scene, window: int = 60) -> None:
        self._groups = [_Group(name, disks, window) for name, disks in groups(scene).items()]

    def add(self, tick: Tick) -> None:
        """Takes in the next tick."""
        for group in self._groups:
            group.add(tick)

    def laggards(self) -> tuple[Laggard, ...]:
        """Every disk that is behind, the slowest first."""
        found = [laggard for group in self._groups for laggard in group.laggards()]
        return tuple(sorted(found, key=lambda laggard: (-laggard.share, laggard.name)))


def groups(scene: Scene) -> dict[str, list[WatchedDisk]]:
    """Disks that should be alike: members by array; disks of no array by model and size."""
    found: dict[str, list[WatchedDisk]] = {}
    for disk in scene.disks:
        if disk.role == "member" or not disk.array:
            found.setdefault(disk.array or f"{disk.model} {disk.size_bytes}".strip(), []).append(disk)
    return {group: disks for group, disks in found.items() if len(disks) >= FEWEST_DISKS}


class _Group:
    """Disks that should be alike."""

    def __init__(self, name: str, disks: Sequence[WatchedDisk], window: int) -> None:
        self._name = name
        self._disks = [disk.name for disk in disks]
        self._flash = all(disk.rotational is False for disk in disks)
        self._compared: dict[str, deque[tuple[float, float]]] = {name: deque(maxlen=window) for name in self._disks}
        self._directions: deque[tuple[Direction, float]] = deque(maxlen=window)

    def add(self, tick: Tick) -> None:
        gauges = {name: tick.disks[name] for name in self._disks if name in tick.disks}
        direction = _direction(gauges.values())
        shares = _shares(gauges, direction, self._flash)
        if shares:
            self._directions.append((direction, tick.seconds))
        for name, share in shares.items():
            self._compared[name].append((share, tick.seconds))

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
    """True for a disk that was behind in nearly all ticks its group was busy in, the last ones too, for long enough."""
    if len(compared) < FEWEST_TICKS or (compared[-1][0] < BEHIND and compared[-2][0] < BEHIND):
        return False  # most disks, most of the time
    late = [compared[-at] for at in range(1, FEWEST_TICKS + 1)]
    if not all(sum(s >= BEHIND for s, _ in some) >= _NEARLY_ALL * len(some) for some in (late, compared)):
        return False
    return sum(seconds for share, seconds in compared if share >= BEHIND) >= SUSTAINED


def _shares(gauges: Mapping[str, Gauge], direction: Direction, flash: bool) -> dict[str, float]:
    """How far each disk at work is under the median of their pace; nothing when the group is not busy.

    A disk that does the opposite of the group, such as the one being rebuilt, is not compared.
    """
    at_work = {name: gauge for name, gauge in gauges.items() if gauge.util >= _AT_WORK and _goes(gauge, direction)}
    if len(at_work) < FEWEST_DISKS or max(gauge.util for gauge in at_work.values()) < _BUSY:
        return {}
    paces = {name: _pace(gauge, flash) for name, gauge in at_work.items()}
    middle = median(paces.values())
    return {name: 1 - pace / middle for name, pace in paces.items()} if middle else {}


def _goes(gauge: Gauge, direction: Direction) -> bool:
    """True for a disk that moves most bytes in `direction`, or that is busy and moves none."""
    reads, writes = gauge.read_bytes_per_s, gauge.write_bytes_per_s
    return reads >= writes if direction == "read" else writes >= reads


def _direction(gauges: Iterable[Gauge]) -> Direction:
    """What most bytes of the group go."""
    return "write" if sum(gauge.write_bytes_per_s - gauge.read_bytes_per_s for gauge in gauges) > 0 else "read"


def _pace(gauge: Gauge, flash: bool) -> float:
    moved = gauge.read_bytes_per_s + gauge.write_bytes_per_s
    spent = max(gauge.util, gauge.queue) if flash else gauge.util
    return moved / spent
