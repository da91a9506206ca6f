"""Measures disks by reading them past the page cache (O_DIRECT): zones, random reads, several at once. Never writes."""

from __future__ import annotations

import mmap
import os
import random
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count
from math import exp, log, sqrt
from pathlib import Path
from statistics import stdev
from threading import Event, Lock, Thread
from typing import Literal

from raidtui.machine.system.files import SPEEDS, kept_document, save_document
from raidtui.machine.system.places import AS_ROOT, failures, private_directory, take_lock
from raidtui.machine.system.programs import closing
from raidtui.values.codec_rules import Value
from raidtui.values.errors import BadInput, Locked, MachineFailed
from raidtui.values.inventory import Disk, Inventory, MeasuredSpeed
from raidtui.values.speed import NO_FIGURES, MachineFigures
from raidtui.values.units import MOST_DISKS, MOST_RATE

# Bounds of measured figures in files: a stored file or inventory is input like any other.


_MOST_ERROR = 10.0
_SLOWEST_ZONE = 100
"""times that the outer zone is faster than any other, at most: twice is usual, and no drive is known above three"""
_MOST_TEXT = 200
_MOST_LINKS = 10_000
_Bounded = tuple[str, float | None, float, float]


def require_ranges(disks: Mapping[str, MeasuredSpeed], machine: MachineFigures, *, source: str, way_out: str) -> None:
    """Raises BadInput for a figure of `source` that nothing can have measured, or a text that is too long."""
    found = [bounded for place, each in disks.items() for bounded in _of_disk(f"disks.{place[:80]}", each)]
    for name, value, least, most in (*found, *_of_machine(machine)):
        if value is not None and not least <= value <= most:
            raise BadInput(f"{source}: {name}: out of range: {least:g} to {most:g}", hint=way_out)


def _of_disk(place: str, found: MeasuredSpeed) -> Iterator[_Bounded]:
    for name in ("outer_bytes_per_s", "middle_bytes_per_s", "inner_bytes_per_s", "read_iops"):
        yield f"{place}.{name}", getattr(found, name), 1, MOST_RATE
    for name in ("middle_bytes_per_s", "inner_bytes_per_s"):
        yield f"{place}.{name}", getattr(found, name), found.outer_bytes_per_s // _SLOWEST_ZONE, MOST_RATE
    yield f"{place}.error", found.error, 1, _MOST_ERROR
    yield f"{place}.iops_error", found.iops_error, 1, _MOST_ERROR
    yield f"{place}.depth", found.depth, 1, 1_000_000
    for name in ("day", "kernel", "firmware", "controller", "changed"):
        yield f"length of {place}.{name}", len(getattr(found, name) or ""), 0, _MOST_TEXT


def _of_machine(machine: MachineFigures) -> Iterator[_Bounded]:
    for name in ("memory", "one_reader", "raid6", "xor", "md_write"):
        figure = getattr(machine, name)
        if figure is not None:
            yield f"figures.{name}.bytes_per_s", figure.bytes_per_s, 1, MOST_RATE
            yield f"figures.{name}.error", figure.error, 1, _MOST_ERROR
            yield f"length of figures.{name}", max(map(len, (figure.how, figure.day, figure.kernel))), 0, _MOST_TEXT
    yield "number of figures.links", len(machine.links), 0, _MOST_LINKS
    for place, link in enumerate(machine.links):
        yield f"figures.links.{place}.bytes_per_s", link.bytes_per_s, 1, MOST_RATE
        yield f"figures.links.{place}.alone_bytes_per_s", link.alone_bytes_per_s, 1, MOST_DISKS * MOST_RATE
        yield f"figures.links.{place}.error", link.error, 1, _MOST_ERROR
        longest = max(map(len, (str(link.limit), link.day, link.kernel)))
        yield f"length of figures.links.{place}", longest, 0, _MOST_TEXT
    yield "number of figures.scatter", len(machine.scatter), 0, _MOST_LINKS
    for place, each in enumerate(machine.scatter):
        yield f"figures.scatter.{place}.ratio", each.ratio, 0.001, 1000
        yield f"figures.scatter.{place}.figures", each.figures, 1, 1_000_000
        yield f"length of figures.scatter.{place}", max(len(each.day), len(each.kernel)), 0, _MOST_TEXT
    yield "length of figures.kernel_now", len(machine.kernel_now), 0, _MOST_TEXT


# What was measured of this machine, stored on it for the planner: its disks by identity, and what is beside them.


_WAY_OUT = "make it readable, or remove it: raidtui disks --measure makes it anew"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSpeeds(Value):
    """The file of measured speeds."""

    schema: Literal["raidtui/speeds/1"] = "raidtui/speeds/1"
    """format of this document"""
    disks: dict[str, MeasuredSpeed]
    """by the disk's identity"""
    machine: MachineFigures = NO_FIGURES
    """what was measured beside the disks"""


def stored(path: Path) -> StoredSpeeds:
    """Everything that was stored; empty without a file. Raises BadInput for an invalid file."""
    found = kept_document(StoredSpeeds, path, SPEEDS) or StoredSpeeds(disks={})
    require_ranges(found.disks, found.machine, source=str(path), way_out=_WAY_OUT)
    return found


def kept(path: Path) -> dict[str, MeasuredSpeed]:
    """Measurements of disks by identity. Raises BadInput for an invalid file."""
    return dict(stored(path).disks)


def keep(path: Path, found: dict[str, MeasuredSpeed], machine: MachineFigures = NO_FIGURES) -> None:
    """Adds measurements to the file; new ones replace those of the same disk, link or class.

    Raises MachineFailed if it cannot be written.
    """
    private_directory(path.parent)
    before = stored(path)
    after = StoredSpeeds(disks={**before.disks, **found}, machine=_merged(before.machine, machine))
    save_document(path, after)


@contextmanager
def only_measurement(path: Path) -> Iterator[None]:
    """Holds the lock of measurements beside the file `path`. Raises Locked if another process measures."""
    private_directory(path.parent)
    try:
        handle = take_lock(path.with_name("measure.lock"))
    except Locked as problem:
        raise Locked("another process measures this machine", hint="wait until it has ended") from problem
    with closing(handle):
        yield


def with_measured(
    inventory: Inventory, found: dict[str, MeasuredSpeed], machine: MachineFigures = NO_FIGURES, *, kernel: str = ""
) -> Inventory:
    """`inventory` with what was measured of its disks and machine; what changed since then is noted.

    Figures of another machine are left out. `kernel`: the release that runs now; empty if nothing is known of it.
    """
    disks = tuple(
        replace(disk, measured=replace(found[disk.id], changed=_changed(disk, found[disk.id], kernel)))
        if disk.id in found
        else disk
        for disk in inventory.disks
    )
    own = machine != NO_FIGURES and machine.machine_id in (None, inventory.machine_id)
    figures = replace(machine, kernel_now=kernel) if own else inventory.figures
    return replace(inventory, disks=disks, figures=figures)


def quiet(disks: Iterable[Disk]) -> tuple[Disk, ...]:
    """Disks without a present user: their measurement is not disturbed."""
    return tuple(disk for disk in disks if disk.id and disk.path and not any(use.active for use in disk.uses))


def _changed(disk: Disk, found: MeasuredSpeed, kernel: str) -> str:
    """What is different from when `disk` was measured, in words."""
    words = []
    if found.kernel and kernel and found.kernel != kernel:
        words.append(f"the kernel became {kernel}")
    if found.firmware is not None and disk.firmware is not None and found.firmware != disk.firmware:
        words.append("the drive's firmware changed")
    if found.controller is not None and disk.place.controller is not None and found.controller != disk.place.controller:
        words.append("it moved to another controller")
    return ", ".join(words)


def _merged(before: MachineFigures, after: MachineFigures) -> MachineFigures:
    """`before` with the figures of `after` in their place; nothing of another machine stays."""
    if after == NO_FIGURES:
        return before
    if before.machine_id != after.machine_id:
        return after
    links = {link.limit: link for link in (*before.links, *after.links)}
    scatter = {each.work: each for each in (*before.scatter, *after.scatter)}
    return replace(
        after,
        memory=after.memory or before.memory,
        one_reader=after.one_reader or before.one_reader,
        raid6=after.raid6 or before.raid6,
        xor=after.xor or before.xor,
        md_write=after.md_write or before.md_write,
        links=tuple(links.values()),
        scatter=tuple(scatter.values()),
    )


# Repeats pieces of work in threads for a bounded time, and the rate that they reached with its error.


TimedCall = Callable[[], int]
"""does one piece and returns its size; 0 when there is no more"""
Done = tuple[float, int]
"""when a piece ended (monotonic seconds), and its size"""
WARM_UP = 0.3
"""seconds that do not count: a disk that slept, a cache in the drive"""
_LEAST_IN_SLICE = 8
_SLICES = 6
_NINE_OF_TEN = 1.645
_END_WAIT = 10.0
"""seconds to wait for requests in flight at the end"""


@dataclass(frozen=True, slots=True)
class Measurement:
    """A rate per second with the factor that nine of ten repetitions lie within."""

    rate: float
    error: float


class WorkFailed(Exception):
    """A piece of work failed."""

    def __init__(self, number: int, reason: OSError) -> None:
        super().__init__(str(reason))
        self.number = number
        """which worker"""
        self.reason = reason


def timed(workers: Sequence[TimedCall], seconds: float) -> list[list[Done]]:
    """Runs each worker in a thread for `seconds` after the warm-up; returns what each did after it.

    Raises WorkFailed. On KeyboardInterrupt all workers end after their present piece.
    """
    stop = Event()
    ended = [Event() for _ in workers]  # a thread whose join() was interrupted counts as ended while it still works
    failed: list[WorkFailed] = []
    done: list[list[Done]] = [[] for _ in workers]
    start = time.monotonic()
    end = start + WARM_UP + seconds

    def loop(number: int) -> None:
        try:
            while not stop.is_set() and time.monotonic() < end:
                size = workers[number]()
                if not size:
                    return
                done[number].append((time.monotonic(), size))
        except OSError as problem:
            failed.append(WorkFailed(number, problem))
            stop.set()
        finally:
            ended[number].set()

    threads = [Thread(target=loop, args=(number,), daemon=True) for number in range(len(workers))]
    try:
        for thread in threads:
            thread.start()
        for each in ended:
            each.wait()
    finally:
        stop.set()
        until = time.monotonic() + _END_WAIT
        for thread in threads:
            if thread.is_alive():
                thread.join(max(0.0, until - time.monotonic()))
    if failed:
        raise failed[0]
    return [[each for each in own if start + WARM_UP <= each[0] <= end] or own for own in done]


def measured(done: Sequence[Sequence[Done]], least_error: float) -> Measurement:
    """The rate of all workers together. `least_error`: the factor that a repetition on another day differs by anyway.

    A worker's rate is from the end of its first piece to that of its last. The error is that of the mean over slices
    of equally many pieces. ValueError if no worker finished two pieces.
    """
    rates = [rate for own in done if (rate := _rate(own)) is not None]
    if not rates:
        raise ValueError("less than two pieces of work were finished")
    merged = sorted(each for own in done for each in own)
    together = _rate(merged) or sum(rates)
    rate = sum(rates) if len(rates) == len(done) else together
    count = min(_SLICES, len(merged) // _LEAST_IN_SLICE)
    if count < 3:
        return Measurement(rate, max(least_error, 1 + 1 / len(merged)))
    step = len(merged) // count
    slices = [_rate(merged[number * step : (number + 1) * step + 1]) or together for number in range(count)]
    scatter = stdev(log(each) for each in slices) / sqrt(count)
    return Measurement(rate, max(least_error, exp(_NINE_OF_TEN * scatter)))


def _rate(done: Sequence[Done]) -> float | None:
    if len(done) < 2 or done[-1][0] <= done[0][0]:
        return None
    return sum(size for _, size in done[1:]) / (done[-1][0] - done[0][0])


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
