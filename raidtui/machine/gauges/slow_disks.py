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
from operator import itemgetter, sub
from statistics import median
from typing import NamedTuple

from raidtui.machine.gauges.expected_load import LoadSeen
from raidtui.machine.gauges.rates import disk_figures
from raidtui.values.amounts import percent, rate
from raidtui.values.choices import Direction
from raidtui.values.codec import by_key
from raidtui.values.gauges import ArrayGauge, Gauge, Scene, Tick, WatchedDisk
from raidtui.values.safe import safe

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
"""utilisation from which a disk takes part in a comparison"""
_NEARLY_ALL = 0.8
_SAME = 0.1
"""largest difference of rates that count as the same, relative"""


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
    busy: float
    """its utilisation meanwhile, 0 to 1"""
    group_busy: float
    """that of the group's median disk"""
    same_rate: bool
    """it moved as much as the others, which waited for it"""

    @property
    def short(self) -> str:
        """`busy 92 %`, or `26 % slower`."""
        if self.same_rate:
            return f"busy {percent(self.busy)}"
        return f"{percent(self.share)} slower"

    def sentence(self, who: str, scene: Scene) -> str:
        """What the disk `who` does to its group, in words."""
        array = next((each.title for each in scene.arrays if each.name == self.group and each.title), "")
        array = safe(array or (self.group if any(each.array == self.group for each in scene.disks) else ""))
        if not self.same_rate:
            return f"{who} is {percent(self.share)} slower than {array or 'the others'}, for {self.seconds:.0f} s"
        busy = f"busy {percent(self.busy)} for the rate that others reach at {percent(self.group_busy)}"
        return f"{who} holds {array} back: {busy}" if array else f"{who} is {busy}"


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
        self._flash = any(group.flash for group in self._groups)
        self._order: tuple[str, ...] = ()
        """disks of the last tick"""

    def add(self, tick: Tick) -> None:
        """Adds the next tick and drops the oldest beyond the window."""
        order = tuple(tick.disks)
        if order != self._order:
            self._order = order
            numbers = {name: number for number, name in enumerate(order)}
            for group in self._groups:
                group.find(numbers)
        reads, writes = disk_figures(tick.disks, "read_bytes_per_s"), disk_figures(tick.disks, "write_bytes_per_s")
        utils = disk_figures(tick.disks, "util")
        queues = disk_figures(tick.disks, "queue") if self._flash else utils
        for group in self._groups:
            group.add(utils, reads, writes, queues, tick.seconds)

    def laggards(self) -> tuple[Laggard, ...]:
        """Slow disks of the window, the slowest first."""
        found = [laggard for group in self._groups for laggard in group.laggards()]
        return tuple(sorted(found, key=lambda laggard: (-laggard.share, laggard.name)))


def groups(scene: Scene) -> dict[str, list[WatchedDisk]]:
    """Groups of comparable disks: members by array; other disks by model and size."""
    found = by_key(
        (disk.array or f"{disk.model or ''} {disk.size_bytes}".strip(), disk)
        for disk in scene.disks
        if disk.role == "member" or not disk.array
    )
    return {group: disks for group, disks in found.items() if len(disks) >= FEWEST_DISKS}


class _BusyTick(NamedTuple):
    """A tick in which a group was busy."""

    paces: Mapping[str, float]
    """bytes per busy second of each active disk"""
    busy: Mapping[str, float]
    """utilisation of each"""
    median: float
    """of the paces"""
    behind: frozenset[str]
    """disks behind the median"""
    direction: Direction
    seconds: float

    def share(self, name: str) -> float:
        """Share by which an active disk was below the median."""
        return 1 - self.paces[name] / self.median

    def busy_of(self, name: str) -> float:
        """Utilisation of a disk, with no name of the group's median disk."""
        return self.busy[name] if name else median(self.busy.values())


class _Group:
    """One group of comparable disks with its recent busy ticks."""

    def __init__(self, name: str, disks: Sequence[WatchedDisk], window: int) -> None:
        self._name = name
        self._disks = [disk.name for disk in disks]
        self.flash = all(disk.rotational is False for disk in disks)
        self._ticks: deque[_BusyTick] = deque(maxlen=window)
        self._ever_behind: set[str] = set()
        self._present: list[str] = []
        self._numbers: list[int] = []

    def find(self, numbers: Mapping[str, int]) -> None:
        """The next ticks have their disks at these positions."""
        self._present = [name for name in self._disks if name in numbers]
        self._numbers = [numbers[name] for name in self._present]

    def add(
        self,
        utils: Sequence[float],
        reads: Sequence[float],
        writes: Sequence[float],
        queues: Sequence[float],
        seconds: float,
    ) -> None:
        """Adds a tick; the figures are those of all disks of the scene."""
        numbers = self._numbers
        if len(numbers) < FEWEST_DISKS:
            return
        its = itemgetter(*numbers)
        read, written, util = its(reads), its(writes), its(utils)
        direction: Direction = "write" if sum(map(sub, written, read)) > 0 else "read"
        paces = _paces(self._present, util, read, written, its(queues) if self.flash else (), direction)
        middle = median(paces.values()) if paces else 0.0
        if middle:
            behind = frozenset([name for name, pace in paces.items() if 1 - pace / middle >= BEHIND])
            self._ever_behind |= behind
            busy = {name: share for name, share in zip(self._present, util, strict=True) if name in paces}
            self._ticks.append(_BusyTick(paces, busy, middle, behind, direction, seconds))

    def laggards(self) -> list[Laggard]:
        """Its slow disks."""
        ticks = self._ticks
        if len(ticks) < FEWEST_TICKS:
            return []
        writing = sum(tick.seconds if tick.direction == "write" else -tick.seconds for tick in ticks)
        late = list(ticks)[-FEWEST_TICKS:]
        before, last = late[-2:]
        kept_up = (before.paces.keys() & last.paces.keys()) - before.behind - last.behind
        found = []
        for name in self._ever_behind - kept_up:
            if sum(name in tick.behind or name not in tick.paces for tick in late) < _NEARLY_ALL * len(late):
                continue  # behind too seldom, also if it was behind whenever it was at work before
            compared = [tick for tick in ticks if name in tick.paces]
            if _lags(name, compared):
                own, usual = (median([tick.busy_of(who) for tick in compared]) for who in (name, ""))
                share = median([tick.share(name) for tick in compared])
                found.append(
                    Laggard(
                        name=name, share=share, seconds=_seconds_behind(name, compared),
                        direction="write" if writing > 0 else "read", group=self._name, busy=own, group_busy=usual,
                        same_rate=not self.flash and abs(own * (1 - share) / usual - 1) < _SAME if usual else False,
                    )
                )  # fmt: skip
        return found


def _lags(name: str, compared: Sequence[_BusyTick]) -> bool:
    """True if a disk was behind in nearly all busy ticks of its group, including the last ones, for long enough."""
    if len(compared) < FEWEST_TICKS:
        return False
    for some in (compared[-FEWEST_TICKS:], compared):
        if sum(name in tick.behind for tick in some) < _NEARLY_ALL * len(some):
            return False
    return _seconds_behind(name, compared) >= SUSTAINED


def _seconds_behind(name: str, ticks: Sequence[_BusyTick]) -> float:
    return sum(tick.seconds for tick in ticks if name in tick.behind)


def _paces(
    names: Sequence[str],
    utils: Sequence[float],
    reads: Sequence[float],
    writes: Sequence[float],
    queues: Sequence[float],
    direction: Direction,
) -> dict[str, float]:
    """Bytes per busy second of each active disk; empty if the group is not busy.

    A disk with the opposite direction, such as the one being rebuilt, is not compared; one that is busy and moves
    nothing is. `queues`: of flash only.
    """
    if max(utils) < _BUSY:
        return {}
    along, against = (reads, writes) if direction == "read" else (writes, reads)
    busy = list(map(max, utils, queues)) if queues else utils
    found = {
        name: (most + least) / time
        for name, util, time, most, least in zip(names, utils, busy, along, against, strict=True)
        if util >= _AT_WORK and most >= least
    }
    busiest = max((util for name, util in zip(names, utils, strict=True) if util >= _BUSY and name in found), default=0)
    return found if len(found) >= FEWEST_DISKS and busiest else {}


# A tick as a plain-text table (`raidtui watch` without a screen).


_HEAD = f"{'':<14}{'':<22}{'MB/s rd':>9}{'wr':>9}{'r/s':>9}{'w/s':>9}{'util':>7}{'await':>8}{'queue':>8}"
_NAME, _PLACE = 14, 22


def tick_table(
    scene: Scene, tick: Tick, slow: Sequence[Laggard] = (), loads: Mapping[str, LoadSeen] | None = None
) -> list[str]:
    """Arrays, then disks, in the order of the scene; unknown disks last. `slow` disks get a mark.

    `loads`: what is expected of each disk beside what it moved in the last intervals.
    """
    marks = {each.name: f"  {each.short}, for {each.seconds:.0f} s" for each in slow}
    titles = {array.name: f"{array.level} {array.title}".strip() for array in scene.arrays}
    places = {disk.name: _place(disk) for disk in scene.disks}
    strange = [name for name in tick.disks if name not in places]
    label = "SIMULATED  " if scene.simulated else ""
    lines = [f"{label}{tick.seconds:.1f} s, processors {percent(tick.busy_share)} busy", _HEAD]
    for name, array in tick.arrays.items():
        lines.append(_row(name, titles.get(name, ""), array.gauge) + f"  {_state(array)}")
    for name in [*(name for name in places if name in tick.disks), *strange]:
        heat = tick.temperatures.get(name)
        warm = "" if heat is None else f"  {heat} C"
        load = (loads or {}).get(name)
        due = "" if load is None else f"  expected {rate(load.expected)} {load.words}"
        lines.append(_row(name, places.get(name, ""), tick.disks[name]) + warm + due + marks.get(name, ""))
    return lines


def _row(name: str, place: str, gauge: Gauge) -> str:
    return (
        f"{safe(name, longest=_NAME - 1):<{_NAME}}{safe(place, longest=_PLACE - 1):<{_PLACE}}"
        f"{gauge.read_bytes_per_s / 1e6:>9.1f}{gauge.write_bytes_per_s / 1e6:>9.1f}"
        f"{gauge.read_iops:>9.0f}{gauge.write_iops:>9.0f}{percent(gauge.util):>7}{gauge.await_ms:>8.2f}{gauge.queue:>8.2f}"
    )


def _place(disk: WatchedDisk) -> str:
    """Slot (else serial) and array of a disk."""
    return " ".join(part for part in (disk.slot or disk.serial, disk.array) if part)


def _state(array: ArrayGauge) -> str:
    parts = [safe(array.state)]
    if array.degraded:
        parts.append(f"{array.degraded} missing")
    if array.sync_action != "idle":
        done = (
            ""
            if array.sync_done is None
            else f" {percent(array.sync_done, 1)} {rate(array.sync_bytes_per_s)} per member"
        )
        parts.append(safe(array.sync_action) + done)
    return ", ".join([*parts, f"md threads {percent(array.thread_share)}"])
