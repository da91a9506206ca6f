"""Ceilings of one workload on the arrays of a design: members, links, md threads, the single reader, memory.

Those of md, one reader and memory are calibrated on published measurements (class B of `throughput.csv`), which vary by
a third between machines; this machine's own figures replace them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from raidtui.predict.speed import confidence_bands
from raidtui.predict.speed.confidence_bands import Belief, Bound, RateFactor, cut_off, narrowed, replaced
from raidtui.predict.speed.operating_point import (
    ArraySet,
    SpeedWork,
    array_rate,
    array_rates,
    concurrent_rates,
    load_on,
    piece_rate,
    wire_bytes,
)
from raidtui.predict.speed.raid_level_rates import (
    BALANCED,
    PAGE,
    beyond_cache_share,
    copies_of,
    parity_operations,
)
from raidtui.predict.speed.shared_links import SharedLink, when
from raidtui.values.amounts import amount, rate
from raidtui.values.assumptions import Assumptions
from raidtui.values.layout import ArrayShape, Layout
from raidtui.values.safe import safe
from raidtui.values.speed import (
    CONTROLLER_CACHE,
    DISK_LINK,
    ENCRYPTION,
    JOURNAL,
    MD_THREAD,
    MEMBERS,
    MEMORY_CHANNELS,
    ONE_STREAM,
    Ceiling,
    CeilingSource,
    DiskSpeed,
    Limit,
    LimitKind,
    MachineFigures,
    MeasuredFigure,
    SpeedSource,
    WorkClass,
)
from raidtui.values.target import Version
from raidtui.values.units import counted, exact_binary

MD_WRITE = 1_200_000_000
"""bytes per second that one parity array's thread writes (raid5d; 0.7 to 1.4 GB/s on servers)"""
MD_WRITE_THREADS = 1_700_000_000
"""the same with group_thread_cnt set and a large stripe cache"""
MD_RANDOM_WRITE = 65_000
"""random writes of a page per second of one parity array (three NVMe drives)"""
MD_RANDOM_WRITE_THREADS = 90_000
"""the same with group_thread_cnt: 80 to 109 thousand"""
MD_RANDOM_READ = 5_300_000
"""random reads per second of one parity array since Linux 5.14"""
MD_RANDOM_READ_LOCKED = 1_200_000
"""before 5.14, under the array's lock (two rows of `throughput.csv`)"""
LOCKLESS_READS: Version = (5, 14)
"""kernel that reads parity arrays without their lock"""
MIRROR_RANDOM_READ = 1_800_000
"""random reads per second of one RAID10 before its barrier's lock binds (raid10.c, wait_barrier)"""
ONE_READER = 3_500_000_000
"""bytes per second that one thread copies out of the page cache"""
JOURNAL_METADATA = 1.066
"""bytes that a write journal gets for each byte of data and parity in order: 136.5 of 128 MiB"""
MEMORY = 150_000_000_000
"""bytes per second: eight channels of DDR4-3200, the default guess"""


def md_thread(layout: Layout, work: SpeedWork, threads: int, kernel: Version | None = None) -> float | None:
    """Typical limit of md's own code for one array in bytes or operations per second; None if no limit is known.

    Writes and degraded reads of parity arrays pass through the stripe cache and its thread (raid5.c,
    raid5_make_request).
    """
    if layout.parity:
        through_cache = work.kind == "write" or work.degraded
        written = MD_WRITE_THREADS if threads else MD_WRITE
        if work.random:
            share = work.request.arrays
            tuned = MD_RANDOM_WRITE_THREADS if threads else MD_RANDOM_WRITE
            if not through_cache:
                reads = MD_RANDOM_READ_LOCKED if kernel is not None and kernel < LOCKLESS_READS else MD_RANDOM_READ
                return reads / (work.request.chunks * work.request.rows * share)
            more = work.request.size_bytes / share - PAGE
            return (tuned if more <= 0 else 1 / (1 / tuned + more / written)) / share
        return written if through_cache else None
    if layout.level == "raid10" and work.random and work.kind == "read":
        return MIRROR_RANDOM_READ / (work.request.chunks * work.request.rows * work.request.arrays)
    return None


def bytes_moved(shape: ArrayShape, kind: Literal["read", "write"], *, buffered: bool) -> float:
    """Memory traffic in bytes per user byte (estimated): DMA, parity, the copy to or from the page cache."""
    if kind == "read":
        return 4.0 if buffered else 2.0
    if shape.parity:
        return 8.5 if buffered else 5.5
    return 1.0 + copies_of(shape) + 2.0 * buffered


_BANDS: dict[WorkClass, RateFactor] = {
    "disk sequential": confidence_bands.DISK_SEQUENTIAL,
    "flash read": confidence_bands.FLASH_READ,
    "flash write": confidence_bands.FLASH_OTHER_WRITE,
    "flash parity write": confidence_bands.FLASH_PARITY_WRITE,
    "random read": confidence_bands.RANDOM_READ,
    "random read disk": confidence_bands.RANDOM_READ_DISK,
    "random write": confidence_bands.RANDOM_OTHER_WRITE,
    "random write disk": confidence_bands.RANDOM_OTHER_WRITE_DISK,
    "random parity write disk": confidence_bands.RANDOM_PARITY_WRITE_DISK,
    "random parity write flash": confidence_bands.RANDOM_PARITY_WRITE_FLASH,
}


@dataclass(frozen=True, slots=True)
class Sourced:
    """A rate with its ends and where it comes from."""

    belief: Belief
    source: CeilingSource
    basis: str = ""
    """the source in words, of a measurement"""


def class_band(work: WorkClass, figures: MachineFigures) -> RateFactor:
    """The band of a class, narrowed by the benchmarks of this machine; no ceiling is expected to be exceeded."""
    known = _BANDS[work]
    for seen in figures.scatter:
        if seen.work == work:
            found = narrowed(known, seen.ratio, seen.figures, random=work.startswith("random"))
            point = min(found.point, max(1.0, known.point))
            return RateFactor(point=point, low=min(found.low, point), high=found.high)
    return known


def memory_rate(assumptions: Assumptions, figures: MachineFigures) -> Sourced:
    """Memory bandwidth: as stated, measured, or the guess of a typical server from half to double.

    A measurement that the processors held back cuts the guess off from below.
    """
    if (stated := assumptions.memory_bytes_per_s) is not None:
        return Sourced(replaced(stated, 1.0), "said")
    guess, found = replaced(MEMORY, 2.0), figures.memory
    if found is not None and found.at_least:
        return Sourced(cut_off(guess, found.bytes_per_s / found.error), "guess")
    return _measured(found) or Sourced(guess, "guess")


def reader_rate(figures: MachineFigures) -> Sourced:
    """What one thread copies out of the page cache: measured, or the table's."""
    return _measured(figures.one_reader) or Sourced(replaced(ONE_READER, 1.0), "table")


def md_thread_bound(
    layout: Layout, work: SpeedWork, assumptions: Assumptions, figures: MachineFigures, kernel: Version | None = None
) -> Sourced | None:
    """Limit of md's own code for one array, in bytes or operations per second; None if no limit is known.

    Sequential writes: as stated, as measured with one thread, or a typical machine's; never above the kernel's own
    benchmark of the parity code.
    """
    threads = assumptions.parity_threads
    table = md_thread(layout, work, threads, kernel)
    if table is None:
        return None
    if work.random or not layout.parity:
        return Sourced(replaced(table, 1.0), "table")
    if (stated := assumptions.md_write_bytes_per_s) is not None:
        return Sourced(replaced(stated, 1.0), "said")
    if figures.md_write is not None and not threads:
        return _measured(figures.md_write)
    most = parity_rate(layout, figures)
    if most is not None and most.bytes_per_s < table:
        return Sourced(replaced(most.bytes_per_s, 1.0), "measured", safe(most.how))
    return Sourced(replaced(table, 1.0), "table")


def parity_rate(layout: Layout, figures: MachineFigures) -> MeasuredFigure | None:
    """The kernel's own benchmark of the parity code of this level: md's thread writes no faster."""
    if layout.parity == 2:
        return figures.raid6
    return figures.xor if layout.parity == 1 else None


def _measured(found: MeasuredFigure | None) -> Sourced | None:
    if found is None:
        return None
    return Sourced(replaced(found.bytes_per_s, found.error), "measured", f"measured on {when(found.day, found.kernel)}")


_SOURCE: dict[SpeedSource, CeilingSource] = {
    "said": "said",
    "measured": "measured",
    "inventory": "table",
    "family": "table",
    "class": "guess",
}
_MORE = "more or faster members"
MIRRORED_CACHE = 0.54
"""write rate of LUNs over what drives and links allow, with a cache that two controllers mirror: KIPAC's E2660 wrote
1554 of 2873 MiB/s to four LUNs and 1543 of 2839 to two (tests/measured, kipac_sgpdd.csv); one source"""
_CACHE_LOW = 0.75
"""lower end of the band of that share, a guess: no source has less"""
DEEPER = 1.4
"""random rate of rotating disks with a deep queue over the figure, which is that of a few requests for each disk
(judgement: 32 queued ones double the rate of one, the figure is 1.5 of it; eight disks of `fio_plot_raid5.csv` gave 114
reads a second with one request in flight and 1,543 with 128)"""
SUBMITTED, SUBMITTED_BYTES = 400_000, 20_000_000_000
"""direct requests, and bytes, per second that one program has one processor submit to flash and collect (judgement: no
row of md has one program there; a dd read 5.5 GB/s where its drives ended, `throughput.csv`, row 73)"""
_SUBMITTED_LOW, _SUBMITTED_HIGH = 0.5, 3.0
"""between processors and ways to submit: ends of the band (judgement)"""
_READ_HIGH = 1.5
"""upper end of writes that leave the stripe cache too early, over what follows from the reads (judgement)"""
_REMEDY: dict[LimitKind, str] = {
    "port multiplier": "fewer disks behind each port multiplier",
    "expander": "a second cable or wider port",
    "cable": "a second cable",
    "PCIe slot": "a wider or newer slot, or a second adapter",
    "stated link": "a faster link",
}


def bounds(array_set: ArraySet, work: SpeedWork) -> list[Bound]:
    """Every known ceiling of `work`, ordered from the disks up to memory."""
    rates = array_rates(array_set, work)
    found = [_cached(array_set, work, _members_bound(array_set, work, rates)), *_disk_link(array_set, work)]
    stages: dict[LimitKind, list[SharedLink]] = {}
    for link in array_set.links:
        stages.setdefault(link.limit.kind, []).append(link)
    for stage in stages.values():
        found += _stage_bound(array_set, work, rates, stage)
    found += _controller_cache(array_set, work, found)
    return found + list(_software(array_set, work, len(rates) - rates.count(0.0)))


def hidden_ceilings(array_set: ArraySet, work: SpeedWork) -> list[tuple[str, float]]:
    """(description, rate that a narrow one would allow) of each link that the inventory does not describe."""
    rates = array_rates(array_set, work) if array_set.unknown_links else ()
    found = []
    for hidden in array_set.unknown_links:
        load = load_on(array_set, work, rates, hidden.below, both_ways=True)
        if load:
            found.append((hidden.text, sum(rates) * hidden.least / load))
    return found


def _members_bound(array_set: ArraySet, work: SpeedWork, rates: Sequence[float]) -> Bound:
    total = sum(rates)
    disk = array_set.slowest
    speed = _speed_of(disk, work)
    worth, members = total / speed, array_set.layout.member_disks
    if work.random:
        piece = f" of {exact_binary(work.request.piece_bytes)}" if work.request.piece_bytes > PAGE else ""
        each = f"{members / worth:.3g} disk operations{piece} per request"
        formula = f"{members} members x {_shown(work, speed)} / {each}"
        low, high = disk.iops_low or 1 / disk.iops_error, max(disk.iops_error, DEEPER if disk.rotational else 1.0)
        return _bound(MEMBERS, total, _SOURCE[disk.source], f"{formula} ({disk.basis})", _MORE, low, high)
    formula = f"{worth:.4g} members' worth of {members} x {_shown(work, speed)} ({disk.basis})"
    layout = array_set.layout
    one = work.kind == "read" and work.streams == 1 and layout.level == "raid10" and layout.first.spread != "f"
    balanced = BALANCED if one and array_set.rotational else 1.0
    high = disk.high if disk.write_high is None or work.kind == "read" else disk.write_high
    return _bound(MEMBERS, total, _SOURCE[disk.source], formula, _MORE, disk.low, high * balanced)


def _cached(array_set: ArraySet, work: SpeedWork, members: Bound) -> Bound:
    """The members' bound where the stripe cache holds no row of chunks: md reads and writes chunk by chunk."""
    if work.random or work.kind == "read" or not array_set.layout.parity:
        return members
    chunk, pages = array_set.design.chunk_bytes, array_set.cache_pages
    share = min(beyond_cache_share(shape, chunk, pages) for shape in array_set.kinds)
    if share == 1:
        return members
    return members.lowered(
        share,
        min(1.0, _READ_HIGH * share),
        f"{share:.2f}, since {pages} pages of cache hold less than a chunk of a member",
    )


def _speed_of(disk: DiskSpeed, work: SpeedWork) -> float:
    read = work.kind == "read"
    transfer = disk.read_bytes_per_s if read else disk.write_bytes_per_s
    return piece_rate(work.request, disk.read_iops if read else disk.write_iops, transfer) if work.random else transfer


def _disk_link(array_set: ArraySet, work: SpeedWork) -> Iterator[Bound]:
    """Rate with each member as fast as its own link; a link, unlike a head, does not pass over skipped chunks."""
    links = [rates.link for rates in array_set.member_rates if rates.link is not None]
    if len(links) < len(array_set.member_rates):
        return
    unit = work.request.piece_bytes if work.random else 1
    rates = concurrent_rates(
        array_set,
        work,
        [array_rate(shape, work, link / unit, False) for shape, link in zip(array_set.shapes, links, strict=True)],
    )
    formula = f"members' links of {rate(min(links))} each"
    yield _bound(DISK_LINK, sum(rates), "sysfs", formula, "ports of a faster generation")


def _stage_bound(
    array_set: ArraySet, work: SpeedWork, rates: Sequence[float], stage: Sequence[SharedLink]
) -> list[Bound]:
    """The narrowest link of one stage of the topology.

    Striped arrays all run at the rate that the narrowest link leaves its members: total rate / its overload. Separate
    arrays are limited only by the links that they use.
    """
    overloads = [load_on(array_set, work, rates, link.below, link.both_ways) / link.capacity.point for link in stage]
    worst = max(overloads)
    if not worst:
        return []
    tight = stage[next(number for number, over in enumerate(overloads) if over >= worst * (1 - 1e-9))]
    if array_set.striped or worst <= 1:
        total = sum(rates) / worst
    else:
        total = sum(
            rate
            / max(1.0, max(over if link.below[array] else 0.0 for link, over in zip(stage, overloads, strict=True)))
            for array, rate in enumerate(rates)
        )
    capacity = tight.capacity
    below, of = sum(tight.below), array_set.layout.member_disks
    wires = sorted({wire_bytes(shape, work, tight.both_ways) for shape in array_set.kinds})
    wire = f"{wires[0]:.3g}" if len(wires) == 1 else f"{wires[0]:.3g} to {wires[-1]:.3g}"
    formula = f"{capacity.formula} = {rate(capacity.point)} for {below:g} of {of} members"
    if len(stage) > 1:
        formula += f", {len(stage)} such links"
    if not work.random and wires != [1]:
        formula += f"; {wire} bytes on the wire per user byte"
    low, high = capacity.low / capacity.point, capacity.high / capacity.point
    found = _bound(tight.limit, total, capacity.source, formula, _REMEDY[tight.limit.kind], low, high)
    return [replace(found, unknown=capacity.unknown)]


def _controller_cache(array_set: ArraySet, work: SpeedWork, path: Sequence[Bound]) -> list[Bound]:
    """Writes to LUNs pass the controllers' cache, of which nothing is known: mirrored, as pairs of controllers have it,
    or not, when all of the path is left."""
    stated = array_set.assumptions.disk_write_bytes_per_s is not None
    if work.kind != "write" or work.random or not array_set.lun_drives or stated:
        return []
    reached = min(bound.point for bound in path)
    formula = f"{MIRRORED_CACHE:g} of {rate(reached)}, if two controllers mirror their cache; all of it if they do not"
    remedy = "none here; state what the LUNs write with --disk-write-speed"
    found = _bound(CONTROLLER_CACHE, MIRRORED_CACHE * reached, "guess", formula, remedy, _CACHE_LOW, 1 / MIRRORED_CACHE)
    return [replace(found, unknown="the controllers' write-back cache: mirrored or not, full or not")]


def _software(array_set: ArraySet, work: SpeedWork, active: int) -> Iterator[Bound]:
    """Ceilings of md's thread, of one thread copying from the page cache, and of memory; `active` arrays are busy."""
    layout = array_set.layout
    thread = md_thread_bound(layout, work, array_set.assumptions, array_set.figures, array_set.kernel)
    if thread is not None:
        yield _thread_bound(array_set, work, active, thread)
    if array_set.journal is not None and work.kind == "write":
        yield _journal_bound(array_set, work, active, array_set.journal)
    size = work.request.size_bytes if work.random else 1
    if array_set.design.encrypts and (stated := array_set.assumptions.cipher_bytes_per_s) is not None:
        formula = f"{rate(stated)} that all cores encrypt"
        yield _bound(ENCRYPTION, stated / size, "said", formula, "more or faster cores, or no encryption")
    buffered = work.streams is not None and not work.direct and not work.random
    if work.streams is not None and buffered:
        reader = reader_rate(array_set.figures)
        threads = "one thread copies" if work.streams == 1 else f"{work.streams} threads copy"
        formula = _with_basis(f"{threads} through the page cache", reader)
        yield _sourced(ONE_STREAM, float(work.streams), reader, formula, "several streams, or direct I/O")
    if work.streams is not None and work.direct and not array_set.rotational:
        most = min(SUBMITTED * work.request.size_bytes, SUBMITTED_BYTES) / size
        formula = f"{counted(work.streams, 'program')} x {_shown(work, most)} that one processor submits"
        low, high = _SUBMITTED_LOW, _SUBMITTED_HIGH
        yield _bound(ONE_STREAM, work.streams * most, "guess", formula, "several streams", low, high)
    moves = [group.arrays * bytes_moved(group.shape, work.kind, buffered=buffered) for group in array_set.layout.kinds]
    moved = sum(moves) / layout.arrays
    memory = memory_rate(array_set.assumptions, array_set.figures)
    formula = _with_basis(f"{rate(memory.belief.point)} / {moved:g} bytes moved per user byte", memory)
    yield _sourced(MEMORY_CHANNELS, 1 / (moved * size), memory, formula, "more memory channels")


def _journal_bound(array_set: ArraySet, work: SpeedWork, active: int, disk: DiskSpeed) -> Bound:
    """Writes to arrays of which each has a write journal as fast as `disk`: data and parity pass it first."""
    each = max(journal_bytes(shape, work) for shape in array_set.kinds)
    what = f"{each:.0f} bytes a request" if work.random else f"{each:.2f} bytes a byte written"
    formula = f"{counted(active, 'journal')} x {rate(disk.write_bytes_per_s)} / {what} ({disk.basis})"
    high = disk.high if disk.write_high is None else disk.write_high
    point, source = active * disk.write_bytes_per_s / each, _SOURCE[disk.source]
    return _bound(JOURNAL, point, source, formula, "a faster journal, or more, narrower arrays", disk.low, high)


def journal_bytes(shape: ArrayShape, work: SpeedWork) -> float:
    """Bytes that a write journal gets for each byte written in order, or for each random request: data, parity and a
    block of metadata (raid5-cache.c; counted: 136.5 MiB for 96 MiB in order on RAID5 of 3+1, 12 KiB for 4 KiB)."""
    if not work.random:
        return JOURNAL_METADATA * shape.members / shape.data
    _, writes = parity_operations(shape, work.request.chunks)
    return work.request.piece_bytes * writes * work.request.rows * work.request.arrays + PAGE


def _thread_bound(array_set: ArraySet, work: SpeedWork, active: int, thread: Sourced) -> Bound:
    layout, threads = array_set.layout, array_set.assumptions.parity_threads
    formula = f"{active} arrays x {_shown(work, thread.belief.point)} each"
    if layout.parity and work.kind == "write":
        formula += f" with group_thread_cnt {threads}"
    remedy = "more, narrower arrays" + ("" if threads else ", or group_thread_cnt 2 to 4")
    found = _sourced(MD_THREAD, active, thread, _with_basis(formula, thread), remedy)
    if thread.source == "measured" and thread.belief.low < thread.belief.point:
        return replace(found, whole=True)
    if not array_set.rotational or thread.source == "said":
        return found
    low, high = confidence_bands.MD_THREAD.low * found.point, confidence_bands.MD_THREAD.high * found.point
    return replace(found, low=low, high=high, whole=True)


def _sourced(limit: Limit, factor: float, rate: Sourced, formula: str, remedy: str) -> Bound:
    point = rate.belief.point
    low, high = rate.belief.low / point, rate.belief.high / point
    return _bound(limit, factor * point, rate.source, formula, remedy, low, high)


def _with_basis(formula: str, rate: Sourced) -> str:
    return f"{formula}; {rate.basis}" if rate.basis else formula


def _bound(
    limit: Limit, rate: float, source: CeilingSource, formula: str, remedy: str, low: float = 1.0, high: float = 1.0
) -> Bound:
    ceiling = Ceiling(name=limit, rate=round(rate), source=source, formula=formula, remedy=remedy)
    return Bound(ceiling, rate, rate * low, rate * high)


def _shown(work: SpeedWork, figure: float) -> str:
    return amount(figure, "IOPS" if work.random else "B/s")
