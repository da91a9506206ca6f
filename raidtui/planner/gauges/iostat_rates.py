"""Rates of devices between two readings of /proc/diskstats, computed as iostat -x does.

Differences over the interval: r/s and w/s of completed requests, bytes of 512-byte sectors, %util of the milliseconds
busy, aqu-sz of the weighted milliseconds, await of the milliseconds of all requests over their number (discards
count, as in `iostat -x -s`), r_await and w_await of each kind. Unlike iostat, util is capped at 1, and 32-bit counters
may wrap; a device that was removed and added again starts at zero, as in iostat.

All devices are computed together, column by column, so that a tick is as cheap as one of iostat.
"""

from __future__ import annotations

from collections import deque
from collections.abc import ItemsView, Iterator, Mapping, Sequence, ValuesView
from itertools import repeat
from operator import sub

from raidtui.model.gauges import Gauge
from raidtui.tools.diskstats import Columns, Sample

SECTOR = 512
IDLE = Gauge(read_bytes_per_s=0.0, write_bytes_per_s=0.0, read_iops=0.0, write_iops=0.0, util=0.0, await_ms=0.0,
             queue=0.0)  # fmt: skip
_HALF = float(1 << 31)
_WORD = float(1 << 32)
_MILLISECONDS = tuple(name.startswith("ms_") for name in Columns._fields)
_FIELDS = (
    "read_bytes_per_s", "write_bytes_per_s", "read_iops", "write_iops", "util", "await_ms", "read_await_ms",
    "write_await_ms", "queue",
)  # fmt: skip
_PUT = [getattr(Gauge, field).__set__ for field in _FIELDS]


def gauges(before: Columns, after: Columns, seconds: float) -> list[Gauge]:
    """Gauges of devices from two readings that are `seconds` apart."""
    grown = [list(map(sub, new, old)) for old, new in zip(before, after, strict=True)]
    if grown[0] and min(map(min, grown)) < 0:
        grown = _unwrapped(before, after, grown)
    reads, read, reading, writes, written, writing, busy, weighted, discards, discarding = grown
    second, milli, sectors = 1 / seconds, 0.001 / seconds, SECTOR / seconds
    figures = (
        [n * sectors for n in read],
        [n * sectors for n in written],
        [n * second for n in reads],
        [n * second for n in writes],
        [n * milli if n * milli < 1.0 else 1.0 for n in busy],
        [
            (r_ms + w_ms + d_ms) / (r + w + d) if r or w or d else 0.0
            for r_ms, w_ms, d_ms, r, w, d in zip(reading, writing, discarding, reads, writes, discards, strict=True)
        ],
        [ms / n if n else 0.0 for ms, n in zip(reading, reads, strict=True)],
        [ms / n if n else 0.0 for ms, n in zip(writing, writes, strict=True)],
        [n * milli for n in weighted],
    )
    made = list(map(object.__new__, repeat(Gauge, len(reads))))
    for put, column in zip(_PUT, figures, strict=True):  # a third of the time that a thousand calls of Gauge() take
        deque(map(put, made, column), maxlen=0)
    return made


def _unwrapped(before: Columns, after: Columns, grown: list[list[float]]) -> list[list[float]]:
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
    """Gauges of some devices between two readings; all are computed together on first access."""

    __slots__ = ("_chosen", "_known", "_readings", "_seconds")

    def __init__(self, before: Sample, after: Sample, seconds: float, chosen: Mapping[str, int]) -> None:
        """`chosen` maps each device to its line number in `after`."""
        self._seconds, self._chosen = seconds, chosen
        self._readings: tuple[Sample, Sample] | None = (before, after)
        self._known: dict[str, Gauge] = {}

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
        return self.get(name, IDLE) is not IDLE

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
        old, new = before.lines, after.lines
        moved = [number for number in chosen.values() if old[number] != new[number]]
        if not moved:
            return dict.fromkeys(chosen, IDLE)
        found = gauges(before.columns(moved), after.columns(moved), self._seconds)
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
        then = before.columns([numbers[name] for name in known])
        now = after.columns([self._chosen[name] for name in known])
        return dict.fromkeys(self._chosen, IDLE) | dict(zip(known, gauges(then, now, self._seconds), strict=True))
