"""What devices did between two readings of /proc/diskstats, with the arithmetic of iostat -x.

Differences over the interval: r/s and w/s of completed requests, bytes of 512-byte sectors, %util of the milliseconds
busy, aqu-sz of the weighted milliseconds, await of the milliseconds of all requests over their number (discards
count, as in `iostat -x -s`), r_await and w_await of each kind. Unlike iostat, util ends at 1, and a counter of 32 bits
that wrapped is followed through; a device that was taken out and put back begins at zero, as in iostat.

All devices are worked out together, column by column, which is what makes a tick as cheap as iostat's.
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
    """What devices did in the `seconds` between two readings of them."""
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
    """The differences where counters went backwards."""
    rows = [
        _followed(old, new) if min(row) < 0 else row
        for row, old, new in zip(*(zip(*each, strict=True) for each in (grown, before, after)), strict=True)
    ]
    return [list(column) for column in zip(*rows, strict=True)]


def _followed(before: Sequence[float], after: Sequence[float]) -> Sequence[float]:
    """The differences of one device.

    Half of the range is more than any device does in an interval: what grew by more did not wrap. Then a count of
    requests or sectors began anew, and with it all others; milliseconds alone only jittered (the kernel sums them over
    processors without a lock) and count as none.
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
    """Some devices between two readings. They are worked out, all together, when the first is asked for."""

    __slots__ = ("_chosen", "_known", "_readings", "_seconds")

    def __init__(self, before: Sample, after: Sample, seconds: float, chosen: Mapping[str, int]) -> None:
        """`chosen`: the line of each device in `after`."""
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

    def items(self) -> ItemsView[str, Gauge]:
        """See Mapping."""
        return self._all().items()

    def values(self) -> ValuesView[Gauge]:
        """See Mapping."""
        return self._all().values()

    def moved(self, name: str) -> bool:
        """True when anything was done on a device."""
        return self.get(name, IDLE) is not IDLE

    def _all(self) -> dict[str, Gauge]:
        """Two threads may ask at once: the readings are let go only when the answer is there."""
        readings = self._readings
        if readings is not None:
            self._known = self._worked_out(*readings)
            self._readings = None
        return self._known

    def _worked_out(self, before: Sample, after: Sample) -> dict[str, Gauge]:
        """Devices whose line did not change are not looked at. Raises ValueError when a reading was cut off."""
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
        """Devices came or went: each is looked for by its name.

        One that is new shows nothing yet. It may only have been missing from one reading, which happens when another
        goes while the kernel prints its list, and its counters are then those since it came.
        """
        numbers = before.line_up.numbers
        known = [name for name in self._chosen if name in numbers]
        then = before.columns([numbers[name] for name in known])
        now = after.columns([self._chosen[name] for name in known])
        return dict.fromkeys(self._chosen, IDLE) | dict(zip(known, gauges(then, now, self._seconds), strict=True))
