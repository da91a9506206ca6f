"""Measures the unused disks of this machine, what they share, and its memory; reads only.

In order: the zones of each disk alone, random reads of up to eight rotating disks at once (they load no link), flash
alone, then all disks below each shared link at once, from the smallest group up, then memory. The kernel's benchmark of
its parity code is read from its log.
"""

from __future__ import annotations

import errno
import mmap
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from raidtui.machine.inventory.measure_disks import (
    ASKED_AT_MOST,
    RANDOM_DEPTH,
    RANDOM_SECONDS,
    WARM_UP,
    Measurement,
    TimedCall,
    measured,
    opened,
    random_rates,
    timed,
    together_rate,
    zone_rate,
)
from raidtui.machine.inventory.measure_disks import SECONDS as MEASURE_DISKS_SECONDS
from raidtui.machine.system.programs import closing
from raidtui.predict.speed.shared_links import links_above, shared_links
from raidtui.programs.proc import KMSG, ParityCode, parity_benchmark
from raidtui.values.assumptions import DEFAULTS
from raidtui.values.codec import by_key
from raidtui.values.errors import MachineFailed
from raidtui.values.inventory import Disk, Inventory, MeasuredSpeed
from raidtui.values.speed import Limit, MachineFigures, MeasuredFigure, MeasuredLink

# Measures memory by copying out of a file in memory: the kernel's own copy, which buffered reads use too.


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


# Which disks are read at once to measure a shared link, and what their rate says about it.


HELD_BACK = 0.93
"""share of the disks' own rates below which a link holds them back: repetitions differ by up to 4 %, twice"""


@dataclass(frozen=True, slots=True)
class LinkGroup:
    """All unused disks below the same links."""

    disks: tuple[Disk, ...]
    limits: tuple[Limit, ...]
    """links that carry exactly these disks; the one that is thought to be the narrowest first"""


def link_groups(inventory: Inventory, disks: Sequence[Disk]) -> tuple[LinkGroup, ...]:
    """Groups of at least two of `disks` that share a link, the smallest first."""
    shared = {link.name: link for link in inventory.links}
    below = by_key((Limit(stage, name), disk) for disk in disks for stage, name, _ in links_above(disk, shared))
    found, _ = shared_links([disks], inventory, DEFAULTS)
    guesses = {link.limit: link.capacity.point for link in found}
    groups = by_key((tuple(disk.id for disk in own), limit) for limit, own in below.items() if len(own) > 1)
    known = {disk.id: disk for disk in disks}
    made = [
        LinkGroup(
            tuple(known[each] for each in ids),
            tuple(sorted(limits, key=lambda limit: guesses.get(limit, float("inf")))),
        )
        for ids, limits in groups.items()
    ]
    return tuple(sorted(made, key=lambda group: len(group.disks)))


def together(group: LinkGroup, alone: Mapping[str, int], narrow: Sequence[MeasuredLink]) -> int:
    """What the disks of `group` read at once if its links hold nothing back, bytes per second.

    `alone`: each disk's own rate; `narrow`: links measured before that hold their disks back.
    """
    ids = {disk.id for disk in group.disks}
    total, covered = 0, set[str]()
    for link in sorted(narrow, key=lambda each: len(each.disks), reverse=True):
        own = set(link.disks)
        if own < ids and not own & covered:
            total += link.bytes_per_s
            covered |= own
    return total + sum(alone[each] for each in ids - covered)


def verdicts(
    group: LinkGroup, rate: float, unhindered: int, *, error: float, busy: bool, day: str, kernel: str
) -> tuple[MeasuredLink, ...]:
    """What reading `group` at `rate` says about each of its links.

    `busy`: this program used most of a processor, so that it may have been the limit. Of several links that carry the
    same disks the one thought to be the narrowest holds them back; the others carry at least that.
    """
    held = rate < HELD_BACK * unhindered and not busy
    return tuple(
        MeasuredLink(
            limit=limit,
            disks=tuple(disk.id for disk in group.disks),
            bytes_per_s=max(1, round(rate)),
            alone_bytes_per_s=unhindered,
            at_least=not (held and number == 0),
            error=error,
            day=day,
            kernel=kernel,
        )
        for number, limit in enumerate(group.limits)
    )


_AT_ONCE = 8
_SATURATED = 0.6
"""of the threads' rates alone: above it the processors, not memory, held their copies back"""
_BUSY = 0.8
"""share of one processor that this program may use before it counts as the limit"""
_MOST_RECORDS = 200_000
_LOG_SECONDS = 2.0
_PARITY_ERROR = 1.1


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureProgress:
    """What was just measured."""

    disks: tuple[Disk, ...] = ()
    """disks that new figures are about"""
    links: tuple[MeasuredLink, ...] = ()
    """links that they are about"""
    problem: str = ""
    """why something has no figure"""


@dataclass(slots=True)
class MachineMeasurement:
    """A measurement of `inventory`, restricted to its disks `quiet`; `run` fills the results."""

    inventory: Inventory
    quiet: tuple[Disk, ...]
    found: dict[str, MeasuredSpeed] = field(default_factory=dict)
    """results by identity of the disk"""
    figures: MachineFigures = field(default_factory=MachineFigures)
    """results beside the disks"""

    @property
    def groups(self) -> tuple[LinkGroup, ...]:
        """Disks that are read at once."""
        return link_groups(self.inventory, self.quiet)

    @property
    def seconds(self) -> float:
        """How long it takes, about."""
        rotating = [disk for disk in self.quiet if disk.rotational is not False]
        flash = len(self.quiet) - len(rotating)
        zones = 3 * len(rotating) + flash
        turns = -(-len(rotating) // _AT_ONCE) + flash
        sequential = (zones + len(self.groups)) * (MEASURE_DISKS_SECONDS + WARM_UP)
        return sequential + turns * (RANDOM_SECONDS + WARM_UP) + 2 * (SECONDS + WARM_UP)

    def run(self) -> Iterator[MeasureProgress]:
        """Measures; what was measured is in the fields when a value is yielded. Ends threads when it is closed."""
        self.figures = replace(self.figures, machine_id=self.inventory.machine_id)
        for disk in self.quiet:
            yield self._zones(disk)
        measured = [disk for disk in self.quiet if disk.id in self.found]
        rotating = [disk for disk in measured if disk.rotational is not False]
        for start in range(0, len(rotating), _AT_ONCE):
            yield self._random(rotating[start : start + _AT_ONCE])
        for disk in measured:
            if disk.rotational is False:
                yield self._random([disk])
        for group in self.groups:
            if all(disk.id in self.found for disk in group.disks):
                yield self._links(group)
        yield self._memory()
        yield self._parity()

    def _zones(self, disk: Disk) -> MeasureProgress:
        try:
            with opened(disk) as handle:
                outer = zone_rate(handle, 0.0)
                rotating = disk.rotational is not False
                middle, inner = (zone_rate(handle, share) if rotating else None for share in (0.5, 1.0))
        except MachineFailed as problem:
            return MeasureProgress(disks=(disk,), problem=str(problem))
        each = [zone.error for zone in (outer, middle, inner) if zone]
        self.found[disk.id] = MeasuredSpeed(
            outer_bytes_per_s=_whole(outer),
            middle_bytes_per_s=_whole(middle) if middle else None,
            inner_bytes_per_s=_whole(inner) if inner else None,
            error=round(max(each), 4),
            day=_today(),
            kernel=_kernel(),
            firmware=disk.firmware,
            controller=disk.place.controller,
        )
        return MeasureProgress(disks=(disk,))

    def _random(self, disks: Sequence[Disk]) -> MeasureProgress:
        """Random reads of `disks` at once; one by one if this program was too slow for all of them."""
        clock = _ProcessorClock()
        try:
            with ExitStack() as handles:
                rates = random_rates([handles.enter_context(opened(disk)) for disk in disks])
        except MachineFailed as problem:
            return MeasureProgress(disks=tuple(disks), problem=str(problem))
        busy = clock.busy
        if busy and len(disks) > 1:
            alone = [self._random([disk]) for disk in disks]
            return MeasureProgress(
                disks=tuple(disks), problem="; ".join(each.problem for each in alone if each.problem)
            )
        for disk, rate in zip(disks, rates, strict=True):
            self.found[disk.id] = replace(
                self.found[disk.id],
                read_iops=_whole(rate),
                iops_at_least=busy or rate.rate >= ASKED_AT_MOST,
                iops_error=round(rate.error, 4),
                depth=RANDOM_DEPTH,
            )
        return MeasureProgress(disks=tuple(disks))

    def _links(self, group: LinkGroup) -> MeasureProgress:
        clock = _ProcessorClock()
        try:
            with ExitStack() as handles:
                rate = together_rate([handles.enter_context(opened(disk)) for disk in group.disks])
        except MachineFailed as problem:
            return MeasureProgress(disks=group.disks, problem=str(problem))
        alone = {disk.id: self.found[disk.id].outer_bytes_per_s for disk in group.disks}
        narrow = [link for link in self.figures.links if not link.at_least]
        found = verdicts(
            group,
            rate.rate,
            together(group, alone, narrow),
            error=round(rate.error, 4),
            busy=clock.busy,
            day=_today(),
            kernel=_kernel(),
        )
        self.figures = replace(self.figures, links=(*self.figures.links, *found))
        return MeasureProgress(links=found)

    def _memory(self) -> MeasureProgress:
        try:
            memory, reader, threads = memory_rates(_available())
        except (MachineFailed, OSError) as problem:
            return MeasureProgress(problem=str(problem))
        self.figures = replace(
            self.figures,
            memory=replace(
                _figure(memory, f"copied out of a file in memory by {threads} threads, two bytes moved for each"),
                at_least=memory.rate > _SATURATED * threads * MOVED * reader.rate or None,
            ),
            one_reader=_figure(reader, "copied out of a file in memory by one thread"),
        )
        return MeasureProgress()

    def _parity(self) -> MeasureProgress:
        try:
            lines = parity_benchmark(_kernel_log())
        except OSError as problem:
            return MeasureProgress(problem=f"{KMSG}: {problem.strerror}; md's parity code is not known")
        self.figures = replace(self.figures, raid6=_parity_figure(lines.raid6), xor=_parity_figure(lines.xor))
        if lines.raid6 or lines.xor:
            return MeasureProgress()
        return MeasureProgress(
            problem="the kernel's log has no benchmark of its parity code: it was skipped or is overwritten"
        )


class _ProcessorClock:
    """How much of a processor this program has used since."""

    def __init__(self) -> None:
        self._processor, self._began = time.process_time(), time.monotonic()

    @property
    def busy(self) -> bool:
        """True if it used so much of one that it may have been the limit."""
        used, span = time.process_time() - self._processor, time.monotonic() - self._began
        return used > _BUSY * span


def _whole(found: Measurement) -> int:
    return max(1, round(found.rate))


def _figure(found: Measurement, how: str) -> MeasuredFigure:
    return MeasuredFigure(
        bytes_per_s=_whole(found), error=round(found.error, 4), how=how, day=_today(), kernel=_kernel()
    )


def _parity_figure(found: ParityCode | None) -> MeasuredFigure | None:
    if found is None:
        return None
    return _figure(Measurement(found.bytes_per_s, _PARITY_ERROR), f"the kernel's own benchmark of {found.name}")


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def _kernel() -> str:
    return os.uname().release


def _available() -> int:
    """Bytes of memory that are free for use."""
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _kernel_log() -> list[str]:
    """Records of the kernel's log, read without waiting for new ones. Raises OSError."""
    records: list[str] = []
    until = time.monotonic() + _LOG_SECONDS
    with closing(os.open(KMSG, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)) as handle:
        while len(records) < _MOST_RECORDS and time.monotonic() < until:
            try:
                records.append(os.read(handle, 8192).decode(errors="replace"))
            except BlockingIOError:
                break
            except OSError as problem:
                if problem.errno != errno.EPIPE:  # overwritten while it was read: go on with the next
                    raise
    return records
