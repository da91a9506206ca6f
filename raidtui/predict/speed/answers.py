"""The answers to workloads in words: the headline of a design, and what was asked with `--ask`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import ceil
from typing import Any

from raidtui.predict.speed import confidence_bands
from raidtui.predict.speed.confidence_bands import NOTEWORTHY
from raidtui.predict.speed.disk_speed import mean_share
from raidtui.predict.speed.in_flight import (
    FINE_LOW,
    LEAST_MEASURED,
    MEASURED_STREAMS,
    bitmap_seconds,
    flash_seconds,
    seek_share,
)
from raidtui.predict.speed.operating_point import ArraySet, Request, added, member_loads, request_of, scaled
from raidtui.predict.speed.raid_level_rates import (
    FAR_WRITE,
    PARTIAL_POINT,
    cache_pages_for,
    copies_of,
    degraded_reads,
    modifies,
    parity_operations,
    partial_share,
    partial_write,
)
from raidtui.predict.speed.shared_links import when
from raidtui.predict.speed.speed import WORKS, SpeedRate, speed_rate
from raidtui.predict.speed.volume import SpeedVolume
from raidtui.values.amounts import percent, rate
from raidtui.values.design import Design
from raidtui.values.layout import ArrayShape
from raidtui.values.prediction import ArrayGeometry
from raidtui.values.speed import (
    AskedRate,
    BandCause,
    BitmapRate,
    Iops,
    MemberLoad,
    Rate,
    Throughput,
    WorkloadKind,
    WorkloadQuestion,
)
from raidtui.values.units import GIB, KIB, MIB, counted, exact_binary

BITMAP_CHUNKS = (64 * MIB, 256 * MIB, GIB)
"""bitmaps that an answer is given for too: mdadm's own, that of the 45-disk report, the first that cost flash little"""
WIDE = 4.0
"""width of a band beyond which a figure is good for an order of magnitude only, as in a benchmark's verdict"""
_NO_ROW = "no published measurement of md has these streams, size and depth"
_STREAMS = (
    "Each further reader on an array costs about 5 % in seeks, each further writer 1 %. Other arrays are not affected."
)


def throughput(volume: SpeedVolume) -> Throughput:
    """The headline of a design; rotating disks at their outer zone."""
    survives, share = volume.survives, volume.bands[0].assumptions.rebuild_share
    found = {
        field: speed_rate(ask, volume)
        for field, ask in WORKS.items()
        if not ask.state or (survives and (ask.state == "degraded" or share < 1))
    }
    rates: dict[str, Any] = {field: _headline(own) for field, own in found.items()}
    disk = found["seq_read"].arrays.slowest
    notes = dict.fromkeys(text for arrays in volume.bands for text in throughput_notes(arrays))
    return Throughput(
        **rates,
        mean_share=mean_share(disk.inner_share, disk.middle_share),
        inner_share=disk.inner_share,
        disk=disk,
        unknown=tuple(dict.fromkeys(text for own in found.values() for text in own.unknown)),
        explained={field: own.ceilings() for field, own in found.items()},
        notes=(*_apart(volume), *notes),
    )


def _headline(found: SpeedRate) -> Rate | Iops:
    ceilings = found.ceilings()
    around: dict[str, Any] = {
        "low": round(found.low), "high": round(found.high), "bottleneck": found.limit, "next": found.next,
        "ceilings": {ceiling.name: ceiling.rate for ceiling in ceilings}, "spread": found.spread,
    }  # fmt: skip
    point = round(found.point)
    return Iops(iops=point, **around) if found.work.random else Rate(bytes_per_s=point, **around)


def _apart(volume: SpeedVolume) -> list[str]:
    """How the bands of a hybrid layout read."""
    if len(volume.bands) == 1:
        return []
    alone = [speed_rate(WORKS["seq_read"], SpeedVolume((arrays,))) for arrays in volume.bands]
    apart = "; ".join(f"band {name} {rate(own.point)}" for name, own in zip(volume.names, alone, strict=True))
    return [
        f"A stream runs in one band at a time; reading, by band: {apart}. Bands share their disks, so that streams "
        "in several bands share these rates."
    ]


def asked_rate(ask: WorkloadQuestion, volume: SpeedVolume) -> AskedRate:
    """The answer to `ask` in words; of work that writes also with other write-intent bitmaps."""
    found = speed_rate(ask, volume)
    answer = _answer(found)
    design = found.arrays.design
    if ask.kind == "read" or design.logs or not volume.survives:
        return answer
    of_all = [array for arrays in volume.bands for array in arrays.arrays]
    own = {array.bitmap_chunk_bytes for array in of_all if array.bitmap_chunk_bytes is not None}
    least = 0 if design.bitmap_chunk_bytes else min(own, default=0)  # mdadm's own is the smallest that fits
    bitmaps = []
    for chunk in (None, *sorted(own | {other for other in BITMAP_CHUNKS if other >= least})):
        other = speed_rate(ask, replace(volume, bands=tuple(arrays.with_bitmaps(chunk) for arrays in volume.bands)))
        point, low, high = (round(other.unit * end) for end in (other.point, other.low, other.high))
        bitmaps.append(BitmapRate(chunk_bytes=chunk, bytes_per_s=point, low=low, high=high))
    return replace(answer, bitmaps=tuple(bitmaps), spread=_widest(answer, bitmaps[0]))


def _widest(found: AskedRate, without: BitmapRate) -> BandCause | None:
    """What widens the band of `found` most, if it is not the bitmap; the time of a request holds the bitmap's part."""
    factor = found.high / max(found.low, 1) / (without.high / max(without.low, 1))
    own = found.spread.factor if found.spread else NOTEWORTHY
    if found.spread and found.spread.driver == "latency":
        own /= factor
    return BandCause(driver="bitmap", factor=factor) if factor > max(own, NOTEWORTHY) else found.spread


def _answer(found: SpeedRate) -> AskedRate:
    """The figures of `found` with what explains them."""
    ask, arrays, unit = found.ask, found.arrays, found.unit
    point, low, high = (round(unit * end) for end in (found.point, found.low, found.high))
    size = found.load.block_bytes if found.work.random or (found.flight and ask.size_bytes) else None
    parts = [_answer(part) for part in found.parts]
    uses = [each.touches for each in parts] or [touches(arrays.design, ask.kind, size)] if size else []
    if uses and found.work.degraded and arrays.layout.parity:
        uses = [f"{uses[0]}; {max(map(degraded_reads, arrays.shapes)):.2f} reads of members on average"]
    seconds = found.flight.requests * found.load.block_bytes / point if found.flight and point else None
    return AskedRate(
        ask=ask,
        bytes_per_s=point,
        low=low,
        high=high,
        size_bytes=size,
        requests_per_s=round(point / size) if size else None,
        latency_s=seconds,
        bottleneck=found.limit,
        next=found.next,
        ceilings=found.ceilings(unit),
        spread=found.spread,
        touches="; or ".join(uses),
        evidence=evidence(ask, rotational=arrays.rotational, parity=arrays.layout.parity > 0),
        notes=tuple(_rate_notes(found, parts)),
        members=_members(found, parts, point),
    )


def _members(found: SpeedRate, parts: Sequence[AskedRate], point: int) -> tuple[MemberLoad, ...]:
    """The members' load at `point`; requests that do not fill a stripe read first, as random ones."""
    if found.bands:
        each = [(_answer(band), share) for band, share in found.bands]
        loads = [scaled(band.members, share * point / max(band.bytes_per_s, 1)) for band, share in each]
        return tuple(replace(load, array=number) for number, band in enumerate(loads) for load in band)
    if parts:
        reads, writes = parts
        share = (found.ask.read_percent or 0) / 100
        return added(
            scaled(reads.members, share * point / max(reads.bytes_per_s, 1)),
            scaled(writes.members, (1 - share) * point / max(writes.bytes_per_s, 1)),
        )
    work, load, array = found.work, found.load, found.arrays.widest
    if array is None or work.degraded:
        return ()
    direct = found.flight is not None
    merged = not work.random and not direct
    if work.kind == "write" and not merged and load.depth * load.block_bytes < array.full_stripe_bytes:
        work = replace(work, random=True)
    piece = None if merged else work.request.piece_bytes
    alone = direct and load.streams * load.depth == 1
    return member_loads(found.arrays, work, point, block=load.block_bytes, piece=piece, alone=alone)


def _rate_notes(found: SpeedRate, parts: Sequence[AskedRate]) -> Iterator[str]:
    """Assumptions of the answer, with their sources."""
    arrays = found.arrays
    if parts:
        yield from dict.fromkeys(note for part in parts for note in part.notes)
        reads, writes = (f"{part.requests_per_s or 0:,}".replace(",", " ") for part in parts)
        yield f"alone: {reads} reads/s, {writes} writes/s; the times of both add up"
        if not arrays.rotational:
            yield "the lower end has reads wait for the drive's writes, half the rate (judgement; no measurement)"
        if found.high > WIDE * found.low:
            yield f"the band is wider than x{WIDE:.0f}: an order of magnitude, no verdict"
        return
    ask, load, array = found.ask, found.load, arrays.widest
    if not ask.random and ask.size_bytes is not None and ask.depth is None:
        yield "without a depth the page cache reads ahead and collects writes: the size of requests does not count"
    share = seek_share(arrays, found.work)
    if share < 1:
        words = f"{load.streams} streams: {share:.2f} of the members' rate left after seeks (one hardware array"
        beyond = ceil(load.streams / len(arrays.member_rates)) > MEASURED_STREAMS
        more = f", with up to {MEASURED_STREAMS} on a group: beyond what was measured" if beyond else ""
        yield f"{words}{more})"
    if array is not None:
        yield from _flight_notes(found, array)
    if found.scattered:
        yield "never less than the same requests at random"


def _flight_notes(found: SpeedRate, array: ArrayGeometry) -> Iterator[str]:
    arrays, ask, load, flight = found.arrays, found.ask, found.load, found.flight
    if flight is not None and ask.random and not arrays.rotational:
        seconds = flash_seconds(array, load)
        source = "rows of NVMe arrays" if ask.kind == "write" else "assumed from data sheets"
        yield f"{seconds * 1e6:.0f} us for one request of 4 KiB alone ({source}); between drives a factor of 2"
    if flight is not None and not ask.random and flight.partial:
        yield "less than a full stripe in flight: each write reads first; if md merges them, the upper end"
    if ask.kind == "read" or array.bitmap_chunk_bytes is None:
        return
    chunk = exact_binary(array.bitmap_chunk_bytes)
    if not ask.random and array.bitmap_chunk_bytes < LEAST_MEASURED:
        yield f"bitmap of {chunk}: with a fine one a RAID5 of four disks lost {percent(1 - FINE_LOW)}"
    elif not ask.random:
        yield f"bitmap of {chunk}: no cost to sequential writes (measured with 256 MiB on 45 disks)"
    elif flight is not None:
        wait = bitmap_seconds(arrays, array, found.work, load)
        safe = "RAID10 of NVMe drives whose cache outlives a power cut, as this size has it; kernel 6.4 or later"
        source = safe if arrays.slowest.flush_s is None else "RAID5 of NVMe drives; these flush a cache"
        if arrays.rotational:
            source = "derived, only in the lower end" + ("" if array.parity else ", where each program waits for it")
        yield f"bitmap of {chunk}: {1e3 * wait:.2g} ms more for a write that is waited for ({source})"
    else:
        yield f"bitmap of {chunk}: not in the figure; at depth RAID10 of NVMe drives lost 5 %"


def evidence(ask: WorkloadQuestion, *, rotational: bool, parity: bool) -> str:
    """What backs the answer to `ask`."""
    if ask.state:
        return "no published measurement of md has this work beside its rate with all members"
    if ask.kind == "mixed" and rotational:
        return "20 rows of one RAID5 of eight disks: half reads, 4 KiB, 1 to 4,096 requests in flight (fio-plot)"
    if ask.kind == "mixed":
        return "nothing, not judged: no published measurement of md on flash mixes reads and writes"
    if ask.streams is None and ask.depth is None and ask.size_bytes is None:
        return "the rows of the validation report for this class of work"
    size, streams, depth = ask.size_bytes or 4 * KIB, ask.streams or 1, ask.depth or 1
    if ask.random and rotational and parity and size <= 512 * KIB:
        eight = "rows of one RAID5 of eight disks: 4 KiB, 1 to 4,096 requests in flight (fio-plot)"
        if ask.kind == "write" and 4 <= streams * depth <= 16:
            return f"85 {eight}; 14 of one RAID6 of ten, which gave a fifth: 8 writers (kernel commit 584acdd49cd2)"
        return f"85 {eight}" if size <= 4 * KIB else _NO_ROW
    if ask.random and ask.kind == "write" and not rotational and streams * depth == 1 and size == 4 * KIB:
        return "6 rows of RAID5 of five NVMe drives, 2 of RAID10 of four, with and without bitmaps (linux-raid)"
    if not ask.random and rotational and ask.depth is not None and size >= 1024 * KIB and streams <= 32:
        return (
            "the form, not the figures; 80 rows of one hardware array, 1 MiB requests, 1 to 32 streams a group (KIPAC)"
        )
    if not ask.random and ask.depth is None and streams == 1:
        return "the rows of the validation report for one stream"
    if not ask.random and not rotational and streams * depth >= 64 and size >= 64 * KIB and ask.kind == "read":
        return "4 rows of NVMe arrays, 64 KiB to 1 MiB at a depth of 128 and more (linux-raid)"
    return _NO_ROW


def touches(design: Design, kind: WorkloadKind, size_bytes: int) -> str:
    """`1 of 12 data chunks of an array: read-modify-write, 3 reads and 3 writes of members`."""
    found = _touches(design, design.layout.widest.shape, request_of(design, size_bytes), kind, size_bytes)
    return f"{found}; counted for the widest arrays" if design.layout.unequal else found


def _touches(design: Design, shape: ArrayShape, request: Request, kind: str, size_bytes: int) -> str:
    if shape.level == "disk":
        return f"{'a disk' if request.arrays == 1 else f'{request.arrays} disks'} without md"
    if shape.level == "raid1":
        used = "1 member" if kind == "read" else f"all {shape.members} members"
        return f"{used} of {_arrays(request.arrays)}"
    chunks = ceil(request.chunks * request.rows)
    part = min(size_bytes, design.chunk_bytes)
    share = f" ({exact_binary(part)} of {exact_binary(design.chunk_bytes)})" if part < design.chunk_bytes else ""
    place = f"{counted(chunks, 'chunk')}{share} of {_arrays(request.arrays)}"
    if kind == "read":
        members = min(chunks, shape.members)
        return f"{place}: {members} of {shape.members} members"
    if not shape.parity:
        return f"{place}, {copies_of(shape)} copies"
    if request.chunks >= shape.data:
        ends = partial_write(shape, design.chunk_bytes, ceil(size_bytes / ceil(request.arrays)))
        if not ends.reads:
            return f"{place}: full stripes, nothing is read"
        return f"{place}, {shape.data} hold a full stripe: in order {ends.reads:.2g} bytes are read for each written"
    reads, writes = parity_operations(shape, request.chunks)
    how = "read-modify-write" if modifies(shape, request.chunks) else "reconstruct-write"
    return f"{place}, {shape.data} hold a full stripe: {how}, {reads} reads and {writes} writes of members"


def _arrays(count: float) -> str:
    return "one array" if count <= 1 else f"each of {ceil(count)} arrays"


def throughput_notes(arrays: ArraySet) -> tuple[str, ...]:
    """Notes on the predicted rates of `design`."""
    found = [*_luns(arrays), *_level(arrays), *_parity(arrays), *_stack(arrays)]
    found += [_STREAMS] if arrays.rotational else _flash(arrays)
    found += _benchmarked(arrays)
    return tuple(found)


def _benchmarked(arrays: ArraySet) -> Iterator[str]:
    """Bands that benchmarks of this machine narrowed."""
    for seen in arrays.figures.scatter:
        if ("disk" in seen.work.split()) == arrays.rotational:
            benches = f"{counted(seen.figures, 'benchmark')} of this machine"
            yield f"The band of {seen.work} follows from {benches}, the last on {when(seen.day, seen.kernel)}."


def _luns(arrays: ArraySet) -> Iterator[str]:
    if arrays.lun_drives and arrays.assumptions.disk_write_bytes_per_s is None:
        yield (
            "Rates of LUNs are those of their drives as md would use them. The controllers' write-back cache is not "
            "known. It absorbs short writes and may halve long ones where two controllers mirror it."
        )


def _level(arrays: ArraySet) -> Iterator[str]:
    layout = arrays.layout
    if layout.level == "raid4":
        yield "Every write goes to RAID4's one parity member, which bounds random writes."
    if layout.level == "raid1":
        yield "One sequential reader uses one member; only several readers use all members."
    if layout.level != "raid10" or not arrays.rotational:
        return
    if layout.first.spread == "f":
        yield f"Far copies are half a disk away: writes reach {FAR_WRITE:.2f} of near. One reader uses all members."
    else:
        yield "One reader uses one copy's worth of members; the others idle or skip their copies. More readers use all."


def _parity(arrays: ArraySet) -> Iterator[str]:
    layout, chunk = arrays.layout, arrays.design.chunk_bytes
    if not layout.parity:
        return
    pages = arrays.cache_pages
    if partial_share(chunk, pages) < 1:
        rows = pages * 4096 / chunk
        worst = partial_share(chunk, pages)
        yield (
            f"The stripe cache of {pages} pages holds {rows:.3g} rows of {exact_binary(chunk)} chunks. One writer is "
            f"expected at {PARTIAL_POINT:.2f} of the rate of full stripes, at {worst:.2f} at worst. --stripe-cache "
            f"{cache_pages_for(chunk)} removes this limit."
        )
    ahead = 2 * max(group.shape.data for group in layout.groups) * chunk // 1024
    yield f"One sequential reader needs read-ahead of two stripes: set read_ahead_kb to at least {ahead} on the device."
    if arrays.rotational:
        low, high = confidence_bands.RANDOM_PARITY_WRITE_DISK_SEEN
        yield (
            "Predicted random writes to parity on rotating disks are of low confidence. Two sources measured"
            f" {low:.2f} to {high:.2f} of the rate that follows from disk operations."
        )
    elif arrays.design.target is None or arrays.design.target.kernel_version is None:
        yield "Random reads assume Linux 5.14 or later; older kernels reach at most 1.2 million/s per parity array."


def _stack(arrays: ArraySet) -> Iterator[str]:
    count = arrays.layout.arrays
    if arrays.layout.unequal and arrays.design.stack != "separate":
        yield (
            f"Striped over {count} arrays of unequal width: all run at the rate of the slowest. The rates are those of"
            " the part of the volume that all arrays share."
        )
    elif count > 1 and arrays.design.stack != "separate":
        threads = "arrays: the slowest array bounds all; each array has its own md thread."
        yield f"Striped over {count} {'disks: the slowest bounds all.' if arrays.layout.plain else threads}"
    elif count > 1:
        yield f"{count} volumes: multi-stream rates are their sum, single-stream rates are those of one array."


def _flash(arrays: ArraySet) -> Iterator[str]:
    yield "A program on another NUMA node than the drive may lose up to half the rate. PCIe switches are not modelled."
    if arrays.design.bitmap != "none" and arrays.layout.level != "raid0" and not arrays.design.logs:
        yield (
            "An internal bitmap with chunks below 1 GiB can make synchronous random writes on flash 100 times slower. "
            "That holds for drives whose caches do not outlive a power cut. Use --bitmap-chunk=1G or no bitmap."
        )
