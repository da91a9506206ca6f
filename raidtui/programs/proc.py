"""The kernel's log (/dev/kmsg): the lines of its own benchmark of parity code (lib/raid6/algos.c, crypto/xor.c)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

KMSG = "/dev/kmsg"
_MEBI = 1024 * 1024
_RAID6 = re.compile(r"raid6: using algorithm (\S{1,32}) gen\(\) (\d{1,9}) MB/s")
_XOR = re.compile(r"xor: using function: (\S{1,32}) \((\d{1,9})(?:\.\d{1,6})? MB/sec\)")
_XOR_PLAIN = re.compile(r"xor: using function: (\S{1,32})$")
_XOR_LINE = re.compile(r"^\s*(\S{1,32})\s*:\s*(\d{1,9})(?:\.\d{1,6})? MB/sec$")


@dataclass(frozen=True, slots=True)
class ParityCode:
    """One routine of the kernel and how fast it is on one processor."""

    name: str
    bytes_per_s: int


@dataclass(frozen=True, slots=True)
class ParityBenchmark:
    """What the kernel found when its modules were loaded; None where the log does not have it."""

    raid6: ParityCode | None = None
    xor: ParityCode | None = None


def parity_benchmark(records: list[str]) -> ParityBenchmark:
    """The benchmark in `records` of /dev/kmsg or lines of dmesg, the last one of each kind.

    The kernel's MB is 2**20 bytes. Text of other sources in the log cannot pass: only records of the kernel count.
    """
    raid6: ParityCode | None = None
    xor: ParityCode | None = None
    tried: dict[str, int] = {}
    for record in records:
        text = _kernel_text(record)
        if found := _RAID6.search(text):
            raid6 = ParityCode(found[1], max(1, int(found[2]) * _MEBI))
        elif found := _XOR.search(text):
            xor = ParityCode(found[1], max(1, int(found[2]) * _MEBI))
        elif found := _XOR_PLAIN.search(text):
            if found[1] in tried:
                xor = ParityCode(found[1], tried[found[1]])
        elif found := _XOR_LINE.match(text):
            tried[found[1]] = max(1, int(found[2]) * _MEBI)
    if xor is None and len(tried) == 1:  # chosen without a contest
        xor = ParityCode(*next(iter(tried.items())))
    return ParityBenchmark(raid6, xor)


def _kernel_text(record: str) -> str:
    """Text of a record `priority,number,time,flags;text`; empty for one that a program wrote (facility above 0)."""
    head, found, text = record.partition(";")
    if not found:
        return record.strip()
    priority = head.split(",", 1)[0]
    return text.split("\n", 1)[0].rstrip() if priority.isdecimal() and int(priority) < 8 else ""


# Processor time: /proc/stat of the machine, /proc/PID/stat of a thread (proc_stat(5), proc_pid_stat(5)).
# cpu 2840977 8875 392079 1810694 11101 0 5145 6797 0 0 734 (md127_raid6) S 2 0 0 0 -1 2129984 0 0 0 0 0 3012 0 0 20 0 1
# 0 ...
# Times are in clock ticks, a hundredth of a second on every Linux that is met.
# The threads of an array are named after it: md127_raid6 (also raid1, raid10, raid5, raid4), which handles its stripes,
# md127_resync (md127_reshape), which drives a sync, and md127_reclaim of a journal. What group_thread_cnt hands to the
# workers of raid5wq runs in kworkers, which serve every array in turn: no array can be charged with it.


_CPU = re.compile(rb"cpu +((?:\d+ +){3}\d+(?: +\d+)*)")
_WORK = re.compile(r"(?:raid\d+|resync|reshape|recovery|reclaim|cluster|linear|multipath)", re.ASCII)
_LONGEST = 15
"""characters of a thread's name, on kernels before 5.17"""
_COUNTED = 8
"""guest time, which follows, is in user time already"""


def machine(data: bytes) -> tuple[int, int]:
    """(busy ticks, all ticks) of all processors together; (0, 0) if `data` lacks them."""
    match = _CPU.match(data)
    if match is None:
        return 0, 0
    times = [int(field) for field in match[1].split()[:_COUNTED]]
    idle = sum(times[3:5])  # iowait is idle time with a request outstanding
    return sum(times) - idle, sum(times)


def thread(data: bytes) -> tuple[str, int] | None:
    """Name of a thread and the ticks it ran, in user mode and in the kernel; None when `data` is no such line."""
    head, closed, tail = data.rpartition(b") ")
    fields = tail.split(None, 13)
    if not closed or b"(" not in head or len(fields) < 13:
        return None
    try:
        ran = int(fields[11]) + int(fields[12])
    except ValueError:
        return None
    return head.partition(b"(")[2].decode("utf-8", "replace"), ran


def array_of(thread_name: str, arrays: frozenset[str]) -> str | None:
    """The one of `arrays` that a kernel thread works for; None when it is none, or when its name is cut too short."""
    array, _, work = thread_name.rpartition("_")
    if array in arrays and _WORK.fullmatch(work):
        return array
    if len(thread_name) < _LONGEST:
        return None
    begun = [name for name in arrays if len(name) + 2 < _LONGEST and _begins(thread_name, name)]
    return begun[0] if len(begun) == 1 else None


def _begins(thread_name: str, array: str) -> bool:
    """True for `md_backup_resy`: the array, then the beginning of a word for its work."""
    start = thread_name.removeprefix(f"{array}_")
    return start != thread_name and any(word.startswith(start) for word in ("raid10", "resync", "reshape", "reclaim"))


# /proc/diskstats: what every block device did since it came (Documentation/admin-guide/iostats.rst).
# 8 0 sda 3501 12 281474 901 99 7 8800 120 0 640 1021 14 fields, before 4.18 8 0 sda 3501 12 281474 901 99 7 8800 120 0
# 640 1021 0 0 0 0 18, with discards 8 0 sda 3501 12 281474 901 99 7 8800 120 0 640 1021 0 0 0 0 31 42 20, with flushes,
# since 5.5
# Sectors are of 512 bytes on every device. Milliseconds are printed as 32-bit numbers, everything else as wide as the
# kernel's long (block/genhd.c, diskstats_show), so they wrap at 2^32, and on 32-bit kernels everything does. Partitions
# of kernels before 2.6.25 have four counters only and are left out.
# A file is split into lines at once; the numbers of lines are read together when they are asked for, column by column,
# which takes a third of the time of one line after the other, and only the columns that are asked for. As long as the
# same devices stand in the same order, which is nearly always, their names are not read again.


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
