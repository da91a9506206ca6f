"""Rates of devices between two readings of /proc/diskstats, computed as iostat -x does.

Differences over the interval: r/s and w/s of completed requests, bytes of 512-byte sectors, %util of the milliseconds
busy, aqu-sz of the weighted milliseconds, await of the milliseconds of all requests over their number (discards
count, as in `iostat -x -s`), r_await and w_await of each kind. Unlike iostat, util is capped at 1, and 32-bit counters
may wrap; a device that was removed and added again starts at zero, as in iostat.

All devices are computed together, column by column, and a figure that nobody asks for is not computed, so that a tick
is cheaper than one of iostat.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, ItemsView, Iterator, Mapping, Sequence, ValuesView
from functools import partial
from itertools import repeat
from json.encoder import encode_basestring_ascii as quoted
from operator import attrgetter, sub
from typing import Literal, TypeVar, get_args

from raidtui.programs.proc import Counter, Sample, StatColumns
from raidtui.values.gauges import ArrayGauge, Gauge, Tick

SECTOR = 512
IDLE = Gauge(read_bytes_per_s=0.0, write_bytes_per_s=0.0, read_iops=0.0, write_iops=0.0, util=0.0, await_ms=0.0,
             queue=0.0)  # fmt: skip
_FEW = 200
"""devices below which all figures are computed at once: a list of so few shows all of them"""
_HALF = float(1 << 31)
_WORD = float(1 << 32)
_COUNTS = (Counter.READS, Counter.SECTORS_READ, Counter.WRITES, Counter.SECTORS_WRITTEN, Counter.DISCARDS)
"""columns whose decrease means that all counters of the device restarted"""
_MILLISECONDS = tuple(counter not in _COUNTS for counter in Counter)
GaugeFigure = Literal[
    "read_bytes_per_s", "write_bytes_per_s", "read_iops", "write_iops", "util", "await_ms", "read_await_ms",
    "write_await_ms", "queue",
]  # fmt: skip
"""a field of `Gauge`"""
FIGURES: tuple[GaugeFigure, ...] = get_args(GaugeFigure)
_PUT = [getattr(Gauge, figure).__set__ for figure in FIGURES]


def gauges(before: StatColumns, after: StatColumns, seconds: float) -> list[Gauge]:
    """Gauges of devices from two readings that are `seconds` apart."""
    grown = [list(map(sub, new, old)) for old, new in zip(before, after, strict=True)]
    if grown[0] and min(map(min, grown)) < 0:
        grown = _unwrapped(before, after, grown)
    made = list(map(object.__new__, repeat(Gauge, len(grown[0]))))
    for figure, put in zip(FIGURES, _PUT, strict=True):  # a third of the time that a thousand calls of Gauge() take
        deque(map(put, made, _figures(figure, grown.__getitem__, seconds)), maxlen=0)
    return made


def _figures(figure: GaugeFigure, grown: Callable[[Counter], list[float]], seconds: float) -> list[float]:
    """One figure of all devices; `grown`: the increase of a counter over `seconds`."""
    second, milli, sectors = 1 / seconds, 0.001 / seconds, SECTOR / seconds
    match figure:
        case "read_bytes_per_s":
            return [n * sectors for n in grown(Counter.SECTORS_READ)]
        case "write_bytes_per_s":
            return [n * sectors for n in grown(Counter.SECTORS_WRITTEN)]
        case "read_iops":
            return [n * second for n in grown(Counter.READS)]
        case "write_iops":
            return [n * second for n in grown(Counter.WRITES)]
        case "util":
            return [n * milli if n * milli < 1.0 else 1.0 for n in grown(Counter.MS_BUSY)]
        case "await_ms":
            times = map(grown, (Counter.MS_READING, Counter.MS_WRITING, Counter.MS_DISCARDING))
            counts = map(grown, (Counter.READS, Counter.WRITES, Counter.DISCARDS))
            return [
                (r_ms + w_ms + d_ms) / (r + w + d) if r or w or d else 0.0
                for r_ms, w_ms, d_ms, r, w, d in zip(*times, *counts, strict=True)
            ]
        case "read_await_ms":
            return [ms / n if n else 0.0 for ms, n in zip(grown(Counter.MS_READING), grown(Counter.READS), strict=True)]
        case "write_await_ms":
            return [
                ms / n if n else 0.0 for ms, n in zip(grown(Counter.MS_WRITING), grown(Counter.WRITES), strict=True)
            ]
        case "queue":
            return [n * milli for n in grown(Counter.MS_WEIGHTED)]


def _unwrapped(before: StatColumns, after: StatColumns, grown: list[list[float]]) -> list[list[float]]:
    """Differences of the counters, corrected for wrapped and restarted ones."""
    rows = [
        _followed(old, new) if min(row) < 0 else row
        for row, old, new in zip(*(zip(*each, strict=True) for each in (grown, before, after)), strict=True)
    ]
    return [list(column) for column in zip(*rows, strict=True)]


def _followed(before: Sequence[float], after: Sequence[float]) -> Sequence[float]:
    """Corrected differences of one device.

    No device counts through half of the range in one interval: a larger difference means a restart, not a wrap. If a
    count of requests or sectors restarted, all counters did; a decrease of milliseconds alone is jitter (the kernel
    sums them over processors without a lock) and counts as zero.
    """
    grown = []
    for old, new, milliseconds in zip(before, after, _MILLISECONDS, strict=True):
        difference = new - old
        if difference < 0:
            difference = (difference + _WORD) if old < _WORD else _HALF
            if difference >= _HALF:
                if not milliseconds:
                    return after
                difference = 0.0
        grown.append(difference)
    return grown


class Gauges(Mapping[str, Gauge]):
    """Gauges of some devices between two readings, computed on first access: all together, or one figure of all."""

    __slots__ = ("_chosen", "_columns", "_grown", "_known", "_moved", "_readings", "_seconds")

    def __init__(self, before: Sample, after: Sample, seconds: float, chosen: Mapping[str, int]) -> None:
        """`chosen` maps each device to its line number in `after`."""
        self._seconds, self._chosen = seconds, chosen
        self._readings: tuple[Sample, Sample] | None = (before, after)
        self._known: dict[str, Gauge] = {}
        self._columns: dict[GaugeFigure, list[float]] = {}
        self._grown: dict[Counter, list[float]] = {}
        self._moved: list[int] | None = None

    def __getitem__(self, name: str) -> Gauge:
        return self._all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._chosen)

    def __len__(self) -> int:
        return len(self._chosen)

    def __contains__(self, name: object) -> bool:
        return name in self._chosen

    def get(self, name: str, default: Gauge | None = None) -> Gauge | None:  # type: ignore[override]
        """See Mapping; a tick of a thousand disks asks thousands of times."""
        return self._all().get(name, default)

    def items(self) -> ItemsView[str, Gauge]:
        """See Mapping."""
        return self._all().items()

    def values(self) -> ValuesView[Gauge]:
        """See Mapping."""
        return self._all().values()

    def moved(self, name: str) -> bool:
        """True if the device completed any request."""
        readings = self._readings
        if readings is None or readings[0].line_up is not readings[1].line_up:
            return self.get(name, IDLE) is not IDLE
        number = self._chosen.get(name)
        return number is not None and readings[0].lines[number] != readings[1].lines[number]

    def column(self, figure: GaugeFigure) -> list[float]:
        """`figure` of all devices, in their order; only the counters that it needs are converted."""
        found = self._columns.get(figure)
        if found is None:
            found = self._columns[figure] = self._one_figure(figure)
        return found

    def _one_figure(self, figure: GaugeFigure) -> list[float]:
        readings = self._readings
        if readings is None or len(self._chosen) < _FEW or not self._regular(*readings):
            return list(map(attrgetter(figure), self._all().values()))
        try:
            found = _figures(figure, partial(self._increase, *readings), self._seconds)
        except _Decreased:
            return list(map(attrgetter(figure), self._all().values()))
        moved = self._lines_moved(*readings)
        if len(moved) == len(self._chosen):
            return found
        by_line = dict(zip(moved, found, strict=True))
        return [by_line.get(number, 0.0) for number in self._chosen.values()]

    def _regular(self, before: Sample, after: Sample) -> bool:
        """True if the same devices are in both readings and the counters of none restarted."""
        if before.line_up is not after.line_up:
            return False
        try:
            for column in _COUNTS:
                self._increase(before, after, column)
        except _Decreased:
            return False
        return True

    def _increase(self, before: Sample, after: Sample, column: Counter) -> list[float]:
        """Increase of one column of the lines that changed. Raises _Decreased if one decreased."""
        found = self._grown.get(column)
        if found is None:
            moved = self._lines_moved(before, after)
            found = list(map(sub, after.counters(moved).column(column), before.counters(moved).column(column)))
            if found and min(found) < 0:
                raise _Decreased
            self._grown[column] = found
        return found

    def _lines_moved(self, before: Sample, after: Sample) -> list[int]:
        """Lines of the chosen devices that changed."""
        if self._moved is None:
            old, new = before.lines, after.lines
            self._moved = [number for number in self._chosen.values() if old[number] != new[number]]
        return self._moved

    def _all(self) -> dict[str, Gauge]:
        """All gauges; thread-safe, since the readings are released only after the result is stored."""
        readings = self._readings
        if readings is not None:
            self._known = self._worked_out(*readings)
            self._readings = None
        return self._known

    def _worked_out(self, before: Sample, after: Sample) -> dict[str, Gauge]:
        """Gauges of all devices; unchanged lines are skipped. Raises ValueError if a reading is truncated."""
        chosen = self._chosen
        if before.line_up is not after.line_up:
            return self._of_other_line_up(before, after)
        moved = self._lines_moved(before, after)
        if not moved:
            return dict.fromkeys(chosen, IDLE)
        found = gauges(before.counters(moved).columns(), after.counters(moved).columns(), self._seconds)
        if len(found) == len(chosen):
            return dict(zip(chosen, found, strict=True))
        by_line = dict(zip(moved, found, strict=True))
        return {name: by_line.get(number, IDLE) for name, number in chosen.items()}

    def _of_other_line_up(self, before: Sample, after: Sample) -> dict[str, Gauge]:
        """Computes the gauges by device name, after devices were added or removed.

        One that is new shows nothing yet. It may only have been missing from one reading, which happens when another
        goes while the kernel prints its list, and its counters are then those since it came.
        """
        numbers = before.line_up.numbers
        known = [name for name in self._chosen if name in numbers]
        then = before.counters([numbers[name] for name in known]).columns()
        now = after.counters([self._chosen[name] for name in known]).columns()
        return dict.fromkeys(self._chosen, IDLE) | dict(zip(known, gauges(then, now, self._seconds), strict=True))


class _Decreased(Exception):
    """A counter decreased, so that all counters of its device must be looked at."""


def disk_figures(disks: Mapping[str, Gauge], figure: GaugeFigure) -> list[float]:
    """`figure` of all disks of a tick, in their order; of a running machine without computing the others."""
    return disks.column(figure) if isinstance(disks, Gauges) else list(map(attrgetter(figure), disks.values()))


# A tick as one line of JSON, for `watch --json` and recordings. Rounded to the counters' resolution.


V = TypeVar("V")
_GAUGE = (
    '{"read_bytes_per_s":%.1f,"write_bytes_per_s":%.1f,"read_iops":%.2f,"write_iops":%.2f,"util":%.4f,'
    '"await_ms":%.3f,"read_await_ms":%.3f,"write_await_ms":%.3f,"queue":%.3f}'
)
_IDLE = (
    '{"read_bytes_per_s":0,"write_bytes_per_s":0,"read_iops":0,"write_iops":0,"util":0,"await_ms":0,"read_await_ms":0,'
    '"write_await_ms":0,"queue":0}'
)


def watch_line(tick: Tick, *, simulated: bool = False) -> str:
    """The line of `raidtui watch --json` for one tick: a `WatchTick`."""
    return f'{{"schema":"raidtui/watch-tick/1","simulated":{str(simulated).lower()},"tick":{tick_json(tick)}}}'


def tick_json(tick: Tick) -> str:
    """A `Tick`: the line of a recording."""
    heat = f',"temperatures":{_members(tick.temperatures, str)}' if tick.temperatures else ""
    return (
        f'{{"time":{tick.time:.3f},"seconds":{tick.seconds:.6f},"disks":{_members(tick.disks, _gauge)},'
        f'"arrays":{_members(tick.arrays, _array)}{heat},"busy_share":{tick.busy_share:.4f}}}'
    )


def _gauge(gauge: Gauge) -> str:
    if gauge is IDLE:
        return _IDLE
    return _GAUGE % gauge.figures


def _array(array: ArrayGauge) -> str:
    done = "" if array.sync_done is None else f',"sync_done":{array.sync_done:.6f}'
    return (
        f'{{"gauge":{_gauge(array.gauge)},"state":{quoted(array.state)},"degraded":{array.degraded},'
        f'"sync_action":{quoted(array.sync_action)}{done},"sync_bytes_per_s":{array.sync_bytes_per_s:.1f},'
        f'"thread_share":{array.thread_share:.4f}}}'
    )


def _members(values: Mapping[str, V], show: Callable[[V], str]) -> str:
    return "{" + ", ".join([f"{quoted(name)}: {show(value)}" for name, value in values.items()]) + "}"
