"""The rate of a stated workload: streams, request size and queue depth.

Ceilings are those of `throughput`. What is in flight bounds the rate too (Little's law: requests in flight / time of
one); both combine as in `queueing`. Streams on rotating disks cost seeks. Every term that is not stated is left out,
so the default works of `Throughput`, asked in this form, give the same figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

from raidtui.model.ask import AskedRate, BitmapRate, MemberLoad, WorkloadQuestion
from raidtui.model.choices import Direction
from raidtui.model.design import Design
from raidtui.model.geometry import ArrayGeometry
from raidtui.model.limit import MEMBERS, PROGRAM, UNKNOWN
from raidtui.model.speed import BandCause, Ceiling
from raidtui.model.units import GIB, MIB, exact_binary
from raidtui.planner.amounts import percent
from raidtui.planner.performance.ask_evidence import evidence
from raidtui.planner.performance.ask_shape import request_of, touches
from raidtui.planner.performance.bitmap_wait import FINE_LOW, LEAST_MEASURED, bitmap_wait
from raidtui.planner.performance.ceilings import DEEPER, bounds
from raidtui.planner.performance.confidence_bands import RateFactor
from raidtui.planner.performance.interval import Bound, expected, explained, interval
from raidtui.planner.performance.member_load import member_loads, scaled
from raidtui.planner.performance.mixed_rate import mixed_rate
from raidtui.planner.performance.operating_point import ArraySet, SpeedWork, piece_rate
from raidtui.planner.performance.partial_stripes import PartialWrite, members_share, partial_write
from raidtui.planner.performance.queue_depth import KEPT_BUSY, QueuedLoad, random_in_flight, sequential_in_flight
from raidtui.planner.performance.queueing import (
    KNEE,
    LUN_FACTOR,
    LUN_READ,
    LUN_WRITE,
    MEASURED_STREAMS,
    RANDOM_KNEE,
    queue_ceiling,
    stream_share_read,
    stream_share_write,
)
from raidtui.planner.performance.raid_level_rates import PAGE, copies_of, partial_share
from raidtui.planner.performance.throughput import band_of
from raidtui.planner.performance.tunables import stripe_cache_pages

BITMAP_CHUNKS = (64 * MIB, 256 * MIB, GIB)
"""bitmaps that an answer is given for too: mdadm's own, that of the 45-disk report, the first that cost flash little"""
FLASH_READ_S = 100e-6
"""seconds of one random read of 4 KiB: data sheets say 70 to 110 us (NVMe), up to 200 us (SATA); assumed"""
FLASH_WRITE_S = 1 / 68_800
"""of one write to an NVMe drive (`throughput.csv`, row 106)"""
FLASH_PARITY_WRITE_S = 1 / 20_600
"""of one write to RAID5 of five of them (row 105)"""
REQUEST_S = 100e-6
"""seconds of a request that a disk's cache serves, besides its transfer: the upper end of sequential work (assumed)"""
READ_AHEAD = 4.0
"""upper end of what an outstanding sequential request brings over the point: drives that read ahead are busy throughout
and the next member has its chunk ready. One array gave 2.1 (`throughput.csv`, source of row 124, when it was well)"""
SEEKS_SEEN = 1 / 3
"""upper end of many streams on disks: the part of the seeks between them that is not hidden (judgement: no
measurement of md; of one hardware array 60 rows with more than a stream on a group lie at most 1.2 above the point)"""
PARTIAL_LOW, PARTIAL_HIGH = 0.5, 2.5
"""ends of direct sequential writes of partial stripes over the point (judgement): (6+2) disks of 120 MB/s wrote 50 MB/s
in requests of 1 MiB and 147 in requests of 4 MiB, where the point is 54 and 133"""
DISK_LINK_RATE = 1_200_000_000
"""bytes per second of a member's link that is not known: SAS at 12 Gbit/s"""
FLASH_FACTOR = 2.0
"""between drives: lower and upper end of the wait for a request, besides its transfer"""
_EXACT = RateFactor(point=1.0, low=1.0, high=1.0)
SATURATED = 8
"""streams for each member that keep all of them seeking"""
_ENDS = "bytes_per_s", "low", "high"
_WAYS: tuple[Direction, Direction] = ("read", "write")
_NOTEWORTHY = 1.1
_REMEDY = "more streams, a deeper queue or larger requests"


@dataclass(frozen=True, slots=True, kw_only=True)
class _InFlight:
    """What the requests in flight can reach, in the unit of the ceilings."""

    amount: float
    each: float
    low: float
    high: float
    text: str
    requests: int

    @property
    def reach(self) -> float:
        """Rate without any ceiling."""
        return self.amount * self.each


def asked_rate(
    ask: WorkloadQuestion, design: Design, array_set: ArraySet, arrays: Sequence[ArrayGeometry]
) -> AskedRate:
    """What all streams of `ask` together get from the arrays of `design`, whose geometry is `arrays` (at least one)."""
    found = _rate(ask, design, array_set, arrays)
    if ask.kind == "read" or design.ppl or not design.layout.survives:
        return found
    own = {array.bitmap_chunk_bytes for array in arrays if array.bitmap_chunk_bytes is not None}
    least = 0 if design.bitmap_chunk_bytes else min(own, default=0)  # mdadm's own is the smallest that fits
    bitmaps = []
    for chunk in (None, *sorted(own | {other for other in BITMAP_CHUNKS if other >= least})):
        other = _rate(ask, design, array_set, [replace(array, bitmap_chunk_bytes=chunk) for array in arrays])
        bitmaps.append(BitmapRate(chunk_bytes=chunk, bytes_per_s=other.bytes_per_s, low=other.low, high=other.high))
    return replace(found, bitmaps=tuple(bitmaps), spread=_widest(found, bitmaps[0]))


def _widest(found: AskedRate, without: BitmapRate) -> BandCause | None:
    """What widens the band of `found` most, if it is not the bitmap; the time of a request holds the bitmap's part."""
    factor = found.high / max(found.low, 1) / (without.high / max(without.low, 1))
    own = found.spread.factor if found.spread else _NOTEWORTHY
    if found.spread and found.spread.driver == "latency":
        own /= factor
    return BandCause(driver="bitmap", factor=factor) if factor > max(own, _NOTEWORTHY) else found.spread


def _rate(ask: WorkloadQuestion, design: Design, array_set: ArraySet, arrays: Sequence[ArrayGeometry]) -> AskedRate:
    if ask.kind == "mixed":
        reads, writes = (_rate(replace(ask, kind=kind, read_percent=None), design, array_set, arrays) for kind in _WAYS)
        return mixed_rate(ask, reads, writes, rotational=array_set.rotational)
    found = _one_way(ask, ask.kind, design, array_set, arrays)
    if ask.random or (ask.depth is None and (ask.streams is None or not array_set.rotational)):
        return found
    size = ask.size_bytes if ask.size_bytes is not None and ask.depth is not None else design.chunk_bytes
    scattered = replace(ask, random=True, streams=ask.streams or 1, size_bytes=size, depth=ask.depth or 1)
    copies = max(copies_of(shape) for shape in array_set.shapes)
    saturated = ask.depth is None and ask.streams is not None and ask.streams > copies
    if saturated:  # as many streams read ahead as it takes; more never bring less than seeks leave
        scattered = replace(scattered, streams=SATURATED * array_set.layout.member_disks)
    if all((array.bitmap_chunk_bytes or LEAST_MEASURED) >= LEAST_MEASURED for array in arrays):
        arrays = [replace(array, bitmap_chunk_bytes=None) for array in arrays]  # in order the bits are set already
    least = _rate(scattered, design, array_set, arrays)
    if saturated:
        few = _one_way(replace(ask, streams=copies), ask.kind, design, array_set, arrays)
        least = replace(least, **{end: min(getattr(least, end), getattr(few, end)) for end in _ENDS})
    return _at_least(found, least)


def _at_least(found: AskedRate, scattered: AskedRate) -> AskedRate:
    """`found` of streams that each follow their own order, never below the same requests in any order (`scattered`)."""
    if all(getattr(found, end) >= getattr(scattered, end) for end in _ENDS):
        return found
    better = found if found.bytes_per_s >= scattered.bytes_per_s else scattered
    low, high = max(found.low, scattered.low), max(found.high, scattered.high)
    stated = (limit.rate for limit in better.ceilings if limit.name.kind == "stated link")
    high = max(better.high, min(high, *stated, high))
    spread = better.spread and replace(better.spread, factor=min(better.spread.factor, high / max(low, 1)))
    return replace(
        better,
        ask=found.ask,
        size_bytes=found.size_bytes,
        requests_per_s=found.requests_per_s and better.requests_per_s,
        latency_s=found.latency_s and better.latency_s,
        low=low,
        high=high,
        spread=spread if spread and spread.factor >= _NOTEWORTHY else None,
        touches=found.touches,
        members=scaled(found.members, better.bytes_per_s / max(found.bytes_per_s, 1)),
        evidence=found.evidence,
        notes=(*found.notes, "never less than the same requests at random"),
    )


def _one_way(
    ask: WorkloadQuestion, kind: Direction, design: Design, array_set: ArraySet, arrays: Sequence[ArrayGeometry]
) -> AskedRate:
    """The answer to an `ask` that only reads or only writes, as `kind` says."""
    stated = ask.streams is not None or ask.depth is not None
    direct = ask.depth is not None or (ask.random and stated)
    load = QueuedLoad(
        only_reads=ask.kind == "read",
        streams=ask.streams or 1,
        depth=ask.depth or 1,
        block_bytes=ask.size_bytes or PAGE,
    )
    work = SpeedWork(
        kind,
        random=ask.random,
        streams=load.streams if stated else None,
        direct=direct,
        request=request_of(design, load.block_bytes, luns=array_set.lun_drives > 0),
    )
    seeks = _seek_share(array_set, work)
    hidden = _hidden_share(array_set, design, work, load, seeks)
    found = [_slowed(bound, seeks, hidden) for bound in bounds(array_set, work)]
    part = _part(ask, array_set, design, work, load)
    if part.reads:
        left = min(members_share(shape, part.reads) for shape, _ in array_set.kinds)
        words = f"{left:.2f}, since {part.reads:.2f} bytes are read for each that is written"
        found = [bound.lowered(left, 1.0, words) if bound.ceiling.name == MEMBERS else bound for bound in found]
    band = band_of(work, rotational=array_set.rotational, parity=design.layout.parity > 0, figures=array_set.figures)
    partial = _partial(design, work)
    lowest = expected(found, partial)
    value, (low, high, widest) = band.point * lowest, explained(found, band, partial)
    if work.random and not array_set.rotational and (stated or ask.size_bytes is not None):
        most = _in_order(array_set, work, parity=design.layout.parity > 0)
        value, low, high = min(value, most[0]), min(low, most[1]), min(high, most[2])
    unit = load.block_bytes if work.random else 1
    bytewise = (replace(bound.ceiling, rate=round(unit * bound.point)) for bound in found)
    ceilings = sorted(bytewise, key=lambda ceiling: ceiling.rate)
    flight = None
    array = max(arrays, key=lambda array: array.full_stripe_bytes)
    if kind == "write" and not ask.random and (array.bitmap_chunk_bytes or LEAST_MEASURED) < LEAST_MEASURED:
        low = min(low, FINE_LOW * value)
        widest = BandCause(driver="bitmap", factor=1 / FINE_LOW)
    if direct and (ask.random or ask.size_bytes is not None):
        flight = _in_flight(array_set, array, work, load, part)
    if flight is not None:
        narrow = high / max(low, 1e-9)
        knee = RANDOM_KNEE if ask.random and array_set.rotational else KNEE
        scatter = band if array_set.rotational else _EXACT  # of drives the time of a request has its own band
        value = _reached(scatter.point * flight.reach, value, knee, flight.requests)
        low, high = (
            _reached(scatter.low * flight.low, low, knee, flight.requests),
            min(high, scatter.high * flight.high),
        )
        if flight.reach < lowest:
            factor = high / max(low, 1e-9) / narrow
            widest = BandCause(driver="latency", factor=factor) if factor >= _NOTEWORTHY else widest
        text = (
            f"{flight.text} in flight / {1e3 * load.block_bytes * flight.requests / _bytes(flight, work, load):.3g} ms"
        )
        limit = Ceiling(name=PROGRAM, rate=round(unit * flight.reach), source="table", formula=text, remedy=_REMEDY)
        ceilings = sorted((*ceilings, limit), key=lambda ceiling: ceiling.rate)
    rate = round(unit * value), round(unit * low), round(unit * high)
    return _answer(ask, design, array_set, array, work, load, rate, ceilings, widest, flight)


def _reached(offered: float, most: float, knee: float, requests: int) -> float:
    """Rate of `requests` that would reach `offered` without ceiling `most`; one alone waits for no other."""
    return max(min(offered / requests, most), queue_ceiling(1, offered, most, knee))


def _transfer(array_set: ArraySet, load: QueuedLoad) -> int:
    disk = array_set.slowest
    return disk.read_bytes_per_s if load.only_reads else disk.write_bytes_per_s


def _in_order(array_set: ArraySet, work: SpeedWork, *, parity: bool) -> tuple[float, float, float]:
    """(point, low, high) of the same requests in order, in requests: at random flash is no faster.

    The class of random work was fitted to pages, where no drive's transfer binds.
    """
    order = replace(work, random=False)
    found = bounds(array_set, order)
    band = band_of(order, rotational=False, parity=parity, figures=array_set.figures)
    low, high = interval(found, band)
    size = work.request.size_bytes
    return band.point * expected(found) / size, low / size, high / size


def _answer(
    ask: WorkloadQuestion,
    design: Design,
    array_set: ArraySet,
    array: ArrayGeometry,
    work: SpeedWork,
    load: QueuedLoad,
    rate: tuple[int, int, int],
    ceilings: Sequence[Ceiling],
    widest: BandCause | None,
    flight: _InFlight | None,
) -> AskedRate:
    value, low, high = rate
    counted = work.random or (flight is not None and ask.size_bytes is not None)
    return AskedRate(
        ask=ask,
        bytes_per_s=value,
        low=low,
        high=high,
        size_bytes=load.block_bytes if counted else None,
        requests_per_s=round(value / load.block_bytes) if counted else None,
        latency_s=flight.requests * load.block_bytes / value if flight is not None and value else None,
        bottleneck=ceilings[0].name,
        next=ceilings[1].name if len(ceilings) > 1 else UNKNOWN,
        ceilings=tuple(ceilings),
        spread=widest,
        touches=touches(design, ask.kind, load.block_bytes) if counted else "",
        evidence=evidence(ask, rotational=array_set.rotational, parity=design.layout.parity > 0),
        notes=tuple(_notes(ask, array_set, array, work, load, flight)),
        members=_members(array_set, array, work, load, value, direct=flight is not None),
    )


def _members(
    array_set: ArraySet, array: ArrayGeometry, work: SpeedWork, load: QueuedLoad, value: float, *, direct: bool
) -> tuple[MemberLoad, ...]:
    """The members' load at `value`; requests that do not fill a stripe read first, as random ones."""
    merged = not work.random and not direct
    if work.kind == "write" and not merged and load.depth * load.block_bytes < array.full_stripe_bytes:
        work = replace(work, random=True)
    piece = None if merged else work.request.piece_bytes
    alone = direct and load.streams * load.depth == 1
    return member_loads(array_set, work, value, block=load.block_bytes, piece=piece, alone=alone)


def _notes(
    ask: WorkloadQuestion,
    array_set: ArraySet,
    array: ArrayGeometry,
    work: SpeedWork,
    load: QueuedLoad,
    flight: _InFlight | None,
) -> list[str]:
    notes = []
    if not ask.random and ask.size_bytes is not None and ask.depth is None:
        notes.append(
            "without a depth the page cache reads ahead and collects writes: the size of requests does not count"
        )
    share = _seek_share(array_set, work)
    if share < 1:
        words = f"{load.streams} streams: {share:.2f} of the members' rate left after seeks (one hardware array"
        beyond = ceil(load.streams / len(array_set.member_rates)) > MEASURED_STREAMS
        notes.append(
            f"{words}, with up to {MEASURED_STREAMS} on a group: beyond what was measured)" if beyond else f"{words})"
        )
    if flight is not None and ask.random and not array_set.rotational:
        seconds = _flash_seconds(array, load)
        source = "rows of NVMe arrays" if ask.kind == "write" else "assumed from data sheets"
        notes.append(f"{seconds * 1e6:.0f} us for one request of 4 KiB alone ({source}); between drives a factor of 2")
    if flight is not None and not ask.random and load.depth * load.block_bytes < array.full_stripe_bytes:
        parity = ask.kind == "write" and array.parity > 0
        if parity:
            notes.append("less than a full stripe in flight: each write reads first; if md merges them, the upper end")
    if ask.kind == "write" and array.bitmap_chunk_bytes is not None:
        chunk = exact_binary(array.bitmap_chunk_bytes)
        if not ask.random and array.bitmap_chunk_bytes < LEAST_MEASURED:
            notes.append(f"bitmap of {chunk}: with a fine one a RAID5 of four disks lost {percent(1 - FINE_LOW)}")
        elif not ask.random:
            notes.append(f"bitmap of {chunk}: no cost to sequential writes (measured with 256 MiB on 45 disks)")
        elif flight is not None:
            wait = _bitmap_seconds(array_set, array, work, load)
            source = "RAID5 of NVMe drives"
            if array_set.rotational:
                source = "derived, only in the lower end" + (
                    "" if array.parity else ", where each program waits for it"
                )
            notes.append(f"bitmap of {chunk}: {1e3 * wait:.2g} ms more for a write that is waited for ({source})")
        else:
            notes.append(f"bitmap of {chunk}: not in the figure; at depth RAID10 of NVMe drives lost 5 %")
    return notes


def _bytes(flight: _InFlight, work: SpeedWork, load: QueuedLoad) -> float:
    """Bytes per second that are in reach."""
    return flight.reach * (load.block_bytes if work.random else 1)


def _seek_share(array_set: ArraySet, work: SpeedWork) -> float:
    """Share of the members' rate left after seeks between streams; separate volumes have their share of the streams."""
    if work.random or work.streams is None or not array_set.rotational:
        return 1.0
    each = work.streams if array_set.striped else ceil(work.streams / len(array_set.member_rates))
    if work.kind == "read" and array_set.layout.level == "raid1":
        each = ceil(each / min(shape.members for shape in array_set.shapes))  # each member serves streams of its own
    return stream_share_read(each) if work.kind == "read" else stream_share_write(each)


def _hidden_share(array_set: ArraySet, design: Design, work: SpeedWork, load: QueuedLoad, share: float) -> float:
    """The most that `share` may be: the page cache collects writes, large requests and deep queues hide seeks.

    A member reads what is in flight of one stream, or two chunks that md reads ahead, before its head moves on. The
    controllers of LUNs read ahead as they like.
    """
    if share == 1 or array_set.lun_drives or (work.kind == "write" and not work.direct):
        return 1.0
    disk = array_set.slowest
    widest = max(group.data for group in array_set.layout.groups)
    run = max(load.depth * load.block_bytes / widest, design.chunk_bytes) if work.direct else 2 * design.chunk_bytes
    transfer = run / (disk.read_bytes_per_s if work.kind == "read" else disk.write_bytes_per_s)
    moving = 1 / (DEEPER * (disk.read_iops if work.kind == "read" else disk.write_iops))
    return max(transfer / (transfer + moving), 1 / (1 + SEEKS_SEEN * (1 / share - 1)))


def _slowed(bound: Bound, share: float, hidden: float) -> Bound:
    """The members' bound after seeks, of which the upper end has fewer."""
    if share == 1 or bound.ceiling.name != MEMBERS:
        return bound
    return bound.lowered(share, hidden, f"{share:.2f} left after seeks")


def _partial(design: Design, work: SpeedWork) -> float:
    """Worst share under partial stripes: of buffered sequential parity writes whose rows leave the stripe cache."""
    if work.random or work.kind == "read" or not design.layout.parity or work.streams is None or work.direct:
        return 1.0
    return partial_share(design.chunk_bytes * work.streams, stripe_cache_pages(design))


def _part(
    ask: WorkloadQuestion, array_set: ArraySet, design: Design, work: SpeedWork, load: QueuedLoad
) -> PartialWrite:
    """What direct writes in order read, since they do not fill stripes; `phases` of all that a stream has in flight."""
    stated = ask.depth is not None and ask.size_bytes is not None
    if not stated or work.random or work.kind == "read" or not design.layout.parity or array_set.lun_drives:
        return PartialWrite()
    arrays = array_set.layout.arrays if array_set.striped else 1
    size = -(-load.block_bytes // arrays)
    found = [partial_write(shape, design.chunk_bytes, size) for shape, _ in array_set.kinds]
    worst = max(found, key=lambda each: each.reads)
    return replace(worst, reads=worst.reads / load.depth)  # the next requests are there already, but for the last


def _in_flight(
    array_set: ArraySet, array: ArrayGeometry, work: SpeedWork, load: QueuedLoad, part: PartialWrite
) -> _InFlight:
    if not work.random:
        return _sequential_in_flight(array_set, array, work, load, part)
    requests, rotational = load.streams * load.depth, array_set.rotational
    alone = _alone(array_set, array, work, load)
    bitmap = _bitmap_seconds(array_set, array, work, load)
    waits = 1 / (1 / alone + bitmap)
    # one array of parity on flash was measured with its bitmap; elsewhere it lowers the lower end only: a drive whose
    # cache outlives a power cut answers the update at once
    rate = waits if not rotational and array.parity else alone
    low, high = waits, alone
    if not rotational:
        slow, high = (_alone(array_set, array, work, load, times) for times in (FLASH_FACTOR, 1 / FLASH_FACTOR))
        low = 1 / (1 / slow + FLASH_FACTOR * bitmap)
    least = requests * low
    if rotational and not array.parity and bitmap:
        least = min(least, load.streams / bitmap)  # a program that submits to a mirror waits, whatever its depth
    text = f"{requests} x {exact_binary(load.block_bytes)}"
    return _InFlight(amount=requests, each=rate, low=least, high=requests * high, text=text, requests=requests)


def _sequential_in_flight(
    array_set: ArraySet, array: ArrayGeometry, work: SpeedWork, load: QueuedLoad, part: PartialWrite
) -> _InFlight:
    """Requests that follow each other, in bytes.

    What a stream writes of a stripe is unplugged before the stripe is whole (raid5.c, handle_stripe_dirtying): `part`
    says how often md reads before it writes. Each time costs what a random write costs.
    """
    found = sequential_in_flight(array=array, disk=array_set.slowest, job=load)
    if array_set.lun_drives:  # their controllers answer, not a drive
        each, requests = LUN_READ if load.only_reads else LUN_WRITE, load.streams * load.depth
        low, high = found.amount * each / LUN_FACTOR, found.amount * each * LUN_FACTOR
        return _InFlight(amount=found.amount, each=each, low=low, high=high, text=found.text, requests=requests)
    piece = min(load.block_bytes, array.chunk_bytes or load.block_bytes)
    link = min((rates.link for rates in array_set.member_rates if rates.link is not None), default=None)
    served = 1 / (REQUEST_S + piece / (link or DISK_LINK_RATE))
    each = min(found.rate_each, served)
    here = array.level in ("disk", "raid1") and array_set.rotational
    if here:  # the next request is where the head is, and the drive reads ahead
        each = min(served, 1 / (REQUEST_S + piece / _transfer(array_set, load)))
    least = max(found.low, KEPT_BUSY * found.amount * each) if here else found.low
    low, most = min(least, found.amount * each), found.amount * min(served, READ_AHEAD * found.rate_each)
    if not array_set.rotational:
        slow, usual, fast = (
            _flash_time(array_set, array, load, piece, times) for times in (FLASH_FACTOR, 1.0, 1 / FLASH_FACTOR)
        )
        low, each, most = found.amount / slow, 1 / usual, found.amount / fast
    if part.phases and not array_set.lun_drives:
        size = load.depth * load.block_bytes
        each_member = size * (array.chunk_bytes or 0) / array.full_stripe_bytes
        more = max(0.0, each_member - piece) if array_set.rotational else 0.0
        waits = 1 / each + more / array_set.slowest.write_bytes_per_s
        waits += part.phases / _alone(array_set, array, work, load)
        each = 1 / waits
        low, most = min(low, PARTIAL_LOW * found.amount * each), min(most, PARTIAL_HIGH * found.amount * each)
    return _InFlight(
        amount=found.amount, each=each, low=low, high=most, text=found.text, requests=load.streams * load.depth
    )


def _alone(array_set: ArraySet, array: ArrayGeometry, work: SpeedWork, load: QueuedLoad, slower: float = 1.0) -> float:
    """Random requests per second of one client that waits for each, without a bitmap; `slower` as in `_flash_time`."""
    disk = array_set.slowest
    if not disk.rotational:
        return 1 / _flash_time(array_set, array, load, work.request.piece_bytes, slower)
    page = random_in_flight(array=array, disk=disk, job=load).rate_each
    if load.only_reads and array_set.lun_drives:
        page /= array_set.lun_drives  # one of them seeks
    return piece_rate(work.request, page, disk.read_bytes_per_s if load.only_reads else disk.write_bytes_per_s)


def _flash_time(array_set: ArraySet, array: ArrayGeometry, load: QueuedLoad, piece: int, slower: float = 1.0) -> float:
    """Seconds of a request of `piece` bytes to a drive; `slower`: times the usual wait, at that end of its rate."""
    disk = array_set.slowest
    end = disk.low if slower > 1 else disk.high if slower < 1 else 1.0
    rate = end * (disk.read_bytes_per_s if load.only_reads else disk.write_bytes_per_s)
    return max(slower * _flash_seconds(array, load), PAGE / rate) + max(piece - PAGE, 0) / rate


def _flash_seconds(array: ArrayGeometry, load: QueuedLoad) -> float:
    if load.only_reads:
        return FLASH_READ_S
    return FLASH_PARITY_WRITE_S if array.parity else FLASH_WRITE_S


def _bitmap_seconds(array_set: ArraySet, array: ArrayGeometry, work: SpeedWork, load: QueuedLoad) -> float:
    if load.only_reads or array.bitmap_chunk_bytes is None:
        return 0.0
    alone = _alone(array_set, array, work, load)
    component = array.component_bytes or 0
    return bitmap_wait(array.bitmap_chunk_bytes, component, rotational=array_set.rotational, alone=alone)
