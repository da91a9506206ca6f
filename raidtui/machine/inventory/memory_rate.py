"""Measures memory by copying out of a file in memory: the kernel's own copy, which buffered reads use too."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager

from raidtui.machine.inventory.timed_work import Measurement, TimedCall, measured, timed
from raidtui.machine.system.closing import closing
from raidtui.model.errors import MachineFailed

SECONDS = 1.0
"""of each figure"""
MOVED = 2
"""bytes moved per byte copied: one read, one written"""
_PART = 4 * 1024 * 1024
_TARGET = 32 * 1024 * 1024
"""bytes each thread copies to, in turns: larger than its share of the caches"""
_MOST_THREADS = 16
_MOST = 1024**3
"""bytes of memory that are used at most, and at most an eighth of what is available"""
_MEMORY_ERROR, _READER_ERROR = 1.15, 1.1
"""least errors: what disks and parity move differs from a copy; repetitions of one reader"""


def memory_rates(available_bytes: int) -> tuple[Measurement, Measurement, int]:
    """(bytes per second moved by all processors, copied by one, threads). Raises MachineFailed."""
    room = min(_MOST, available_bytes // 8)
    threads = max(1, min(len(os.sched_getaffinity(0)), _MOST_THREADS, (room // 2) // _TARGET))
    try:
        with _memory_file(max(room // 2, 2 * _PART) // _PART * _PART) as (handle, size):
            together = _copy(handle, size, threads, _MEMORY_ERROR)
            one = _copy(handle, size, 1, _READER_ERROR)
    except (OSError, ValueError) as problem:
        raise MachineFailed(f"memory could not be measured: {problem}", hint="state it with --memory") from problem
    return Measurement(MOVED * together.rate, together.error), one, threads


@contextmanager
def _memory_file(size: int) -> Iterator[tuple[int, int]]:
    with closing(os.memfd_create("raidtui-memory")) as handle:
        with mmap.mmap(-1, _PART) as zeros:
            for position in range(0, size, _PART):
                os.pwritev(handle, [zeros], position)
        yield handle, size


def _copy(handle: int, size: int, threads: int, least_error: float) -> Measurement:
    starts = [size // threads * number // _PART * _PART for number in range(threads)]
    return measured(timed([_copier(handle, size, start) for start in starts], SECONDS), least_error)


def _copier(handle: int, size: int, start: int) -> TimedCall:
    target = memoryview(mmap.mmap(-1, _TARGET))
    position, place = start, 0

    def copy() -> int:
        nonlocal position, place
        with target[place : place + _PART] as part:
            got = os.preadv(handle, [part], position)
        position = (position + _PART) % size
        place = (place + _PART) % _TARGET
        return got

    return copy
