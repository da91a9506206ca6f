"""History of a recording: its ticks as means over equal intervals, small enough for plots and reports."""

from __future__ import annotations

from collections.abc import Iterable

from raidtui.model.gauges import Scene, Tick
from raidtui.model.report import DiskHistory, RateHistory

INTERVALS = 600
"""maximum intervals: one point per pixel or two of a plot"""
CELLS = 120_000
"""maximum of disks times intervals"""


def history(scene: Scene, ticks: Iterable[Tick]) -> RateHistory | None:
    """Means over intervals of one or more seconds, as the limits require; None without ticks.

    A tick counts in every interval it overlaps, by the overlap. Ticks are processed one by one, so memory does not grow
    with the length of the recording.
    """
    most = max(min(INTERVALS, CELLS // max(len(scene.disks), 1)), 2)
    began = wide = 0.0
    sums = _Sums(tuple(disk.name for disk in scene.disks))
    count = 0
    for tick in ticks:
        if tick.seconds <= 0:
            continue
        if not count:
            began, wide = tick.time - tick.seconds, 1.0
        count += 1
        while tick.time - began > most * wide:
            sums.halve()
            wide *= 2
        sums.add(tick, began, wide)
    if not count:
        return None
    return sums.means(began, wide, count)


class _Sums:
    """Accumulated bytes and seconds per interval."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names
        self._seconds: list[float] = []
        self._read: list[float] = []
        self._write: list[float] = []
        self._disks: dict[str, list[float]] = {name: [] for name in names}
        self._known: dict[str, list[float]] = {name: [] for name in names}

    def add(self, tick: Tick, began: float, wide: float) -> None:
        """Adds a tick to the intervals it overlaps."""
        left = max(tick.time - tick.seconds - began, 0.0)
        right = tick.time - began
        for place in range(int(left / wide), int(right / wide) + 1):
            lies = min(right, (place + 1) * wide) - max(left, place * wide)
            if lies <= 0:
                continue
            self._reach(place)
            self._seconds[place] += lies
            for name, gauge in tick.disks.items():
                if name not in self._disks:
                    continue
                self._read[place] += gauge.read_bytes_per_s * lies
                self._write[place] += gauge.write_bytes_per_s * lies
                self._disks[name][place] += (gauge.read_bytes_per_s + gauge.write_bytes_per_s) * lies
                self._known[name][place] += lies

    def halve(self) -> None:
        """Merges pairs of adjacent intervals."""
        for line in self._lines():
            line[:] = [sum(line[place : place + 2]) for place in range(0, len(line), 2)]

    def means(self, began: float, wide: float, ticks: int) -> RateHistory:
        """The means in bytes per second."""
        return RateHistory(
            began=began,
            seconds=wide,
            read_bytes_per_s=_means(self._read, self._seconds),
            write_bytes_per_s=_means(self._write, self._seconds),
            disks=tuple(
                DiskHistory(name=name, bytes_per_s=_means(self._disks[name], self._known[name])) for name in self._names
            ),
            ticks=ticks,
        )

    def _lines(self) -> list[list[float]]:
        return [self._seconds, self._read, self._write, *self._disks.values(), *self._known.values()]

    def _reach(self, place: int) -> None:
        missing = place + 1 - len(self._seconds)
        if missing > 0:
            for line in self._lines():
                line.extend([0.0] * missing)


def _means(sums: list[float], seconds: list[float]) -> tuple[int | None, ...]:
    return tuple(round(sum_ / lasted) if lasted > 0 else None for sum_, lasted in zip(sums, seconds, strict=True))
