"""Measures disks by reading them past the page cache (O_DIRECT): zones, random reads, several at once. Never writes."""

from __future__ import annotations

import mmap
import os
import random
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from threading import Lock

from raidtui.machine.inventory.timed_work import Measurement, TimedCall, WorkFailed, measured, timed
from raidtui.machine.system.closing import closing
from raidtui.machine.system.file_errors import AS_ROOT, failures
from raidtui.model.errors import MachineFailed
from raidtui.model.inventory import Disk

BLOCK = 1024 * 1024
"""bytes of one sequential read"""
PAGE = 4096
"""bytes of one random read"""
SECONDS = 2.0
"""of each sequential figure, beside the warm-up"""
RANDOM_SECONDS = 3.0
"""of random reads"""
RANDOM_DEPTH = 16
"""random reads in flight: as many as a member of a busy array has"""
FLASH_DEPTH = 4
"""sequential reads in flight on flash; a rotating disk has one"""
ASKED_AT_MOST = 20_000
"""random reads per second that this program certainly asks for; above, the disk may do more"""
SEQUENTIAL_ERROR, RANDOM_ERROR = 1.02, 1.05
"""repetitions on one disk differ by 1.8 to 4 % (45-disk field report): least errors of a sequential and random rate"""
_LEAST_INNER = 2 * 1024**3
"""bytes at the end of a disk that count as its inner zone, at least"""


@dataclass(frozen=True, slots=True)
class OpenDisk:
    """A disk that is open for direct reads only."""

    disk: Disk
    handle: int

    def zone(self, share: float) -> tuple[int, int]:
        """First and last byte to read for the zone at `share` of the disk: 0 outer, 0.5 middle, 1 inner."""
        end = self.disk.size_bytes // BLOCK * BLOCK
        last = max(end // 2, end - max(end // 50, _LEAST_INNER))
        return int(min(share * end, last)) // BLOCK * BLOCK, end


@contextmanager
def opened(disk: Disk) -> Iterator[OpenDisk]:
    """`disk`, open for reading. Raises MachineFailed if it cannot be read or is another disk."""
    with failures(disk.path, AS_ROOT):
        handle = os.open(disk.path, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC)
    with closing(handle):
        if not stat.S_ISBLK(os.fstat(handle).st_mode) or os.lseek(handle, 0, os.SEEK_END) != disk.size_bytes:
            raise MachineFailed(f"{disk.path} is not the disk that was listed", hint="read the disks again")
        yield OpenDisk(disk, handle)


def zone_rate(disk: OpenDisk, share: float, seconds: float = SECONDS) -> Measurement:
    """Bytes per second of reading in order at the zone at `share`. Raises MachineFailed."""
    return _in_order_rate([disk], share, seconds)


def together_rate(disks: Sequence[OpenDisk], seconds: float = SECONDS) -> Measurement:
    """Bytes per second of all `disks` read at once at their outer zones. Raises MachineFailed."""
    return _in_order_rate(disks, 0.0, seconds)


def random_rates(disks: Sequence[OpenDisk], seconds: float = RANDOM_SECONDS) -> list[Measurement]:
    """4 KiB reads per second over the whole of each disk, all `disks` at once. Raises MachineFailed."""
    work = [
        _read(disk.handle, PAGE, _anywhere(disk.disk.size_bytes // PAGE), 1)
        for disk in disks
        for _ in range(RANDOM_DEPTH)
    ]
    done = _timed(disks, RANDOM_DEPTH, work, seconds)
    each = [done[start : start + RANDOM_DEPTH] for start in range(0, len(done), RANDOM_DEPTH)]
    return [_measured(disk, own, RANDOM_ERROR) for disk, own in zip(disks, each, strict=True)]


def _in_order_rate(disks: Sequence[OpenDisk], share: float, seconds: float) -> Measurement:
    depth = 1 if any(disk.disk.rotational is not False for disk in disks) else FLASH_DEPTH
    work: list[TimedCall] = []
    for disk in disks:
        following = _in_order(*disk.zone(share))
        work += [_read(disk.handle, BLOCK, following, BLOCK) for _ in range(depth)]
    done = _timed(disks, depth, work, seconds)
    return _measured(disks[0], done, SEQUENTIAL_ERROR)


def _in_order(start: int, end: int) -> Callable[[], int | None]:
    """Positions of blocks in order, for several threads; None behind `end`."""
    lock, positions = Lock(), count(start, BLOCK)

    def following() -> int | None:
        with lock:
            position = next(positions)
        return position if position + BLOCK <= end else None

    return following


def _anywhere(pages: int) -> Callable[[], int | None]:
    return lambda: random.randrange(pages) * PAGE


def _read(handle: int, size: int, following: Callable[[], int | None], counts: int) -> TimedCall:
    """Reads the next `size` bytes; its buffer is aligned, and freed with it, never under a read that hangs."""
    buffer = mmap.mmap(-1, size)

    def read() -> int:
        position = following()
        if position is None:
            return 0
        if os.preadv(handle, [buffer], position) != size:
            raise OSError(5, "a read came back short")
        return counts

    return read


def _timed(
    disks: Sequence[OpenDisk], depth: int, work: Sequence[TimedCall], seconds: float
) -> list[list[tuple[float, int]]]:
    try:
        return timed(work, seconds)
    except WorkFailed as problem:
        path = disks[problem.number // depth].disk.path
        raise MachineFailed(f"{path}: {problem.reason.strerror}", hint="the disk may be failing") from problem


def _measured(disk: OpenDisk, done: Sequence[Sequence[tuple[float, int]]], least_error: float) -> Measurement:
    try:
        return measured(done, least_error)
    except ValueError as problem:
        hint = "it is too small or too slow to measure; the planner uses its class"
        raise MachineFailed(f"{disk.disk.path}: {problem}", hint=hint) from problem
