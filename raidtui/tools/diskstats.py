"""/proc/diskstats: what every block device did since it came (Documentation/admin-guide/iostats.rst).

   8       0 sda 3501 12 281474 901 99 7 8800 120 0 640 1021                        14 fields, before 4.18
   8       0 sda 3501 12 281474 901 99 7 8800 120 0 640 1021 0 0 0 0                18, with discards
   8       0 sda 3501 12 281474 901 99 7 8800 120 0 640 1021 0 0 0 0 31 42          20, with flushes, since 5.5

Sectors are of 512 bytes on every device. Milliseconds are printed as 32-bit numbers, everything else as wide as the
kernel's long (block/genhd.c, diskstats_show), so they wrap at 2^32, and on 32-bit kernels everything does.
Partitions of kernels before 2.6.25 have four counters only and are left out.

A file is split into lines at once; the numbers of lines are read together when they are asked for, column by column,
which takes a third of the time of one line after the other, and only the columns that are asked for. As long as the
same devices stand in the same order, which is nearly always, their names are not read again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum

_LINE = re.compile(rb"\s*\d+\s+\d+\s(?P<name>\S.*?)(?P<counters>(?:[ \t]+\d+){11,})\s*", re.DOTALL)
_FEWEST = 11
_USED = (0, 2, 3, 4, 6, 7, 9, 10, 11, 14)
"""position of each Counter on a line; the last two only where discards are counted"""


class Counter(IntEnum):
    """What is used of a line; a sector has 512 bytes, milliseconds are summed over the requests."""

    READS = 0
    """completed"""
    SECTORS_READ = 1
    MS_READING = 2
    WRITES = 3
    """completed"""
    SECTORS_WRITTEN = 4
    MS_WRITING = 5
    MS_BUSY = 6
    """with at least one request in flight; not a sum"""
    MS_WEIGHTED = 7
    """milliseconds times requests in flight"""
    DISCARDS = 8
    """completed"""
    MS_DISCARDING = 9


StatColumns = Sequence[list[float]]
"""a list for each Counter, in the order of the lines

Floats read faster than integers, and hold every count below 2^53, which is four zettabytes in sectors.
"""


class DeviceOrder:
    """Order of the devices in the file."""

    __slots__ = ("_columns", "_heads", "_lengths", "numbers")

    def __init__(self, lines: list[bytes]) -> None:
        matches = [_LINE.fullmatch(line) for line in lines]
        found = [len(match["counters"].split()) for match in matches if match is not None]
        self._columns = min(found, default=_FEWEST)  # a name may end in ` 7`
        self._heads = lines.copy()
        self.numbers: dict[str, int] = {}
        """line of each device, by its name; the first where two have one name"""
        for number, match in enumerate(matches):
            if match is not None:
                head = lines[number].rstrip().rsplit(None, self._columns)[0]
                self._heads[number] = head + b" "
                self.numbers.setdefault(head[match.start("name") :].decode("utf-8", "replace"), number)
        self._lengths = [len(head) for head in self._heads]

    def fits(self, lines: list[bytes]) -> bool:
        """True if `lines` list the same devices in the same order."""
        return len(lines) == len(self._heads) and all(map(bytes.startswith, lines, self._heads))

    def counters(self, lines: list[bytes], numbers: Sequence[int]) -> Counters:
        """The counters on the device lines `numbers`. Raises ValueError if a line is truncated."""
        lengths, wide = self._lengths, self._columns
        words = b"".join([lines[number][lengths[number] - 1 :] for number in numbers]).split()
        if len(words) != wide * len(numbers):
            raise ValueError("truncated line in /proc/diskstats")
        return Counters(words, wide)


class Counters:
    """The counters on some lines, each column converted on first access."""

    __slots__ = ("_converted", "_wide", "_words")

    def __init__(self, words: list[bytes], wide: int) -> None:
        self._words, self._wide = words, wide
        self._converted: dict[Counter, list[float]] = {}

    def column(self, counter: Counter) -> list[float]:
        """One counter of all lines."""
        found = self._converted.get(counter)
        if found is None:
            position = _USED[counter]
            if position < self._wide:
                found = list(map(float, self._words[position :: self._wide]))
            else:
                found = [0.0] * (len(self._words) // self._wide)
            self._converted[counter] = found
        return found

    def columns(self) -> StatColumns:
        """All columns."""
        return list(map(self.column, Counter))


class Sample:
    """One reading of the file."""

    __slots__ = ("_counters", "line_up", "lines")

    def __init__(self, data: bytes, before: Sample | None = None) -> None:
        """`before` lends its line-up where it still fits."""
        self.lines: list[bytes] = data.split(b"\n")
        fits = before is not None and before.line_up.fits(self.lines)
        self.line_up: DeviceOrder = before.line_up if before is not None and fits else DeviceOrder(self.lines)
        self._counters: tuple[Sequence[int], Counters] | None = None

    def counters(self, numbers: Sequence[int]) -> Counters:
        """The counters on some lines; the last request is cached. Raises ValueError if a line is truncated."""
        known = self._counters
        if known is None or known[0] != numbers:
            known = self._counters = (numbers, self.line_up.counters(self.lines, numbers))
        return known[1]

    def forget(self) -> None:
        """Drops the cache: only the lines are kept."""
        self._counters = None
