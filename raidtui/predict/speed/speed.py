"""What a workload gets from the arrays of a design: one function, of which every figure of speed is an ask.

rate = band.point * min(members, links, md, program, memory); low and high use the ends of the band and of each ceiling.
What is in flight bounds the rate too (Little's law). Streams on rotating disks cost seeks. What a workload does not
state is left out, so the headline of a design is nine workloads that state next to nothing (`WORKS`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf

from raidtui.predict.speed.ceilings import bounds, class_band, hidden_ceilings
from raidtui.predict.speed.confidence_bands import (
    NOTEWORTHY,
    Bound,
    RateFactor,
    expected,
    explained,
    independent,
    interval,
)
from raidtui.predict.speed.in_flight import (
    FINE_LOW,
    KNEE,
    LEAST_MEASURED,
    RANDOM_KNEE,
    InFlight,
    QueuedLoad,
    after_seeks,
    in_flight,
    reached,
)
from raidtui.predict.speed.operating_point import ArraySet, SpeedWork, request_of
from raidtui.predict.speed.raid_level_rates import (
    PAGE,
    PartialWrite,
    copies_of,
    members_share,
    partial_share,
    partial_write,
)
from raidtui.predict.speed.volume import SpeedVolume
from raidtui.values.amounts import percent
from raidtui.values.speed import (
    MEMBERS,
    NO_FIGURES,
    PROGRAM,
    UNKNOWN,
    BandCause,
    Ceiling,
    Limit,
    MachineFigures,
    WorkClass,
    WorkloadQuestion,
)

WORKS = {
    "seq_read": WorkloadQuestion(kind="read"),
    "seq_read_one_stream": WorkloadQuestion(kind="read", streams=1),
    "seq_write": WorkloadQuestion(kind="write"),
    "seq_write_one_stream": WorkloadQuestion(kind="write", streams=1),
    "rand_read": WorkloadQuestion(kind="read", random=True),
    "rand_write": WorkloadQuestion(kind="write", random=True),
    "degraded_seq_read": WorkloadQuestion(kind="read", state="degraded"),
    "degraded_rand_read": WorkloadQuestion(kind="read", random=True, state="degraded"),
    "rebuilding_seq_read": WorkloadQuestion(kind="read", state="rebuilding"),
}
"""field of `Throughput` to its workload"""
SATURATED = 8
"""streams for each member that keep all of them seeking"""
FLASH_MIXED_LOW = 0.5
"""lower end of reads beside writes on flash: they wait for the drive's writes and erases (judgement; no measurement)"""
_EXACT = RateFactor(point=1.0, low=1.0, high=1.0)
_REMEDY = "more streams, a deeper queue or larger requests"


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedRate:
    """What one workload gets, in its unit: bytes per second of sequential work, requests per second of random work."""

    ask: WorkloadQuestion
    arrays: ArraySet
    """those it was asked of; of a hybrid layout the band that bounds it"""
    work: SpeedWork
    load: QueuedLoad
    point: float
    """what is expected"""
    low: float
    """lower end of the band"""
    high: float
    """upper end"""
    bounds: tuple[Bound, ...]
    """lowest first"""
    spread: BandCause | None
    """what widens the band most"""
    unknown: tuple[str, ...] = ()
    """what is not known of the way to the disks and might bind lower"""
    bands: tuple[tuple[SpeedRate, float], ...] = ()
    """of random work over bands each with its share of the bytes"""
    then: Limit | None = None
    """limit after the first, if that is not the second of `bounds`"""
    flight: InFlight | None = None
    """what direct requests in flight reach; None where it is not known how many are"""
    parts: tuple[SpeedRate, ...] = ()
    """of mixed work: reads alone, writes alone"""
    scattered: bool = False
    """True if the same requests in any order set the figure"""

    @property
    def unit(self) -> int:
        """Bytes of what is counted."""
        return self.load.block_bytes if self.work.random else 1

    @property
    def limit(self) -> Limit:
        """Name of the binding ceiling."""
        return self.bounds[0].ceiling.name

    @property
    def next(self) -> Limit:
        """Name of the one that binds when it is lifted."""
        return self.then or (self.bounds[1].ceiling.name if len(self.bounds) > 1 else UNKNOWN)

    def ceilings(self, unit: int = 1) -> tuple[Ceiling, ...]:
        """Every ceiling times `unit`, lowest first."""
        return tuple(replace(bound.ceiling, rate=round(unit * bound.point)) for bound in self.bounds)


def speed_rate(ask: WorkloadQuestion, volume: SpeedVolume) -> SpeedRate:
    """What all streams of `ask` together get from `volume`.

    A linear volume over bands: a sequential stream runs in one band at a time, random requests meet every band in
    proportion to what it holds, and the largest disks serve all of them.
    """
    alone = [_of_arrays(ask, arrays) for arrays in volume.bands]
    if len(alone) == 1:
        return alone[0]
    limits = tuple(sorted(map(_band_bound, volume.names, alone), key=lambda bound: bound.point))
    unknown = tuple(dict.fromkeys(text for each in alone for text in each.unknown))
    if not ask.random:
        least, name = min(zip(alone, volume.names, strict=True), key=lambda each: each[0].point)
        low, high = min(each.low for each in alone), max(each.high for each in alone)
        bounds_of = _first(limits, name)
        return replace(least, low=low, high=high, bounds=bounds_of, then=least.limit, unknown=unknown)

    def mean(value: Callable[[SpeedRate], float]) -> float:
        return sum(volume.held) / sum(size / value(each) for each, size in zip(alone, volume.held, strict=True))

    every = zip(alone, volume.names, volume.held, strict=True)
    least, name, _ = max(every, key=lambda each: each[2] / each[0].point)
    return replace(
        least, point=mean(lambda each: each.point), low=mean(lambda each: each.low),
        high=mean(lambda each: each.high), bounds=_first(limits, name), then=least.limit, unknown=unknown,
        bands=tuple((each, size / sum(volume.held)) for each, size in zip(alone, volume.held, strict=True)),
    )  # fmt: skip


def _band_bound(name: str, found: SpeedRate) -> Bound:
    lowest = found.bounds[0]
    ceiling = Ceiling(
        name=Limit("band", name),
        rate=round(lowest.point),
        source="table",
        formula=f"the band alone, limited by {found.limit}",
        remedy="disks of one size have one band",
    )
    return replace(lowest, ceiling=ceiling)


def _first(limits: Sequence[Bound], name: str) -> tuple[Bound, ...]:
    """`limits` with that of the band `name` first."""
    return tuple(sorted(limits, key=lambda bound: (bound.ceiling.name.name != name, bound.point)))


def _of_arrays(ask: WorkloadQuestion, arrays: ArraySet) -> SpeedRate:
    if ask.kind == "mixed":
        return _mixed(ask, arrays)
    found = _one_way(ask, arrays)
    alone = ask.depth is None and ((ask.streams or 1) == 1 or not arrays.rotational)
    return found if ask.random or alone else _in_order(found, ask, arrays)


def _in_order(found: SpeedRate, ask: WorkloadQuestion, arrays: ArraySet) -> SpeedRate:
    """`found` of streams that each follow their own order, never below the same requests in any order."""
    size = ask.size_bytes if ask.size_bytes is not None and ask.depth is not None else arrays.design.chunk_bytes
    scattered = replace(ask, random=True, streams=ask.streams or 1, size_bytes=size, depth=ask.depth or 1)
    copies = max(copies_of(shape) for shape in arrays.shapes)
    saturated = ask.depth is None and ask.streams is not None and ask.streams > copies
    if saturated:  # as many streams read ahead as it takes; more never bring less than seeks leave
        scattered = replace(scattered, streams=SATURATED * arrays.layout.member_disks)
    if all((array.bitmap_chunk_bytes or LEAST_MEASURED) >= LEAST_MEASURED for array in arrays.arrays):
        arrays = arrays.with_bitmaps(None)  # in order the bits are set already
    least = _one_way(scattered, arrays)
    ends = [least.unit * end for end in (least.point, least.low, least.high)]
    if saturated:
        few = _one_way(replace(ask, streams=copies), arrays)
        ends = [min(two) for two in zip(ends, (few.point, few.low, few.high), strict=True)]
    point, low, high = ends
    if all(round(own) >= round(end) for own, end in zip((found.point, found.low, found.high), ends, strict=True)):
        return found
    better, most = (found, found.high) if round(found.point) >= round(point) else (least, high)
    whole = tuple(
        replace(bound, point=better.unit * bound.point, low=better.unit * bound.low, high=better.unit * bound.high)
        for bound in better.bounds
    )
    low, high = max(found.low, low), max(found.high, high)
    stated = min((bound.point for bound in whole if bound.ceiling.name.kind == "stated link"), default=inf)
    high = max(most, min(high, stated))
    return replace(
        found, point=max(found.point, point), low=low, high=high, bounds=whole, scattered=True,
        spread=_narrowed(better.spread, high / max(low, 1e-9)),
    )  # fmt: skip


def _narrowed(spread: BandCause | None, width: float) -> BandCause | None:
    """The cause of a band that is only so wide."""
    factor = min(spread.factor, width) if spread else 1.0
    return BandCause(driver=spread.driver, factor=factor) if spread and factor >= NOTEWORTHY else None


def speed_work(ask: WorkloadQuestion, arrays: ArraySet) -> SpeedWork:
    """The load of an `ask` that only reads or only writes on the members of `arrays`."""
    stated = ask.streams is not None or ask.depth is not None
    return SpeedWork(
        "read" if ask.kind == "read" else "write",
        random=ask.random,
        streams=(ask.streams or 1) if stated else None,
        degraded=ask.state is not None,
        direct=ask.depth is not None or (ask.random and stated),
        request=request_of(arrays.design, ask.size_bytes or PAGE, luns=arrays.lun_drives > 0),
    )


def _nothing(ask: WorkloadQuestion, arrays: ArraySet) -> str:
    """Why nothing is left for users; empty where something is."""
    if ask.state and not arrays.layout.survives:
        return "the arrays stop: none of them survives a missing member"
    if ask.state == "rebuilding" and arrays.assumptions.rebuild_share >= 1:
        return "the rebuild takes all of the members' time"
    return ""


def _one_way(ask: WorkloadQuestion, arrays: ArraySet) -> SpeedRate:
    """The answer to an `ask` that only reads or only writes."""
    work = speed_work(ask, arrays)
    load = QueuedLoad(
        only_reads=work.kind == "read",
        streams=ask.streams or 1,
        depth=ask.depth or 1,
        block_bytes=ask.size_bytes or PAGE,
    )
    if why := _nothing(ask, arrays):
        limit = Ceiling(name=MEMBERS, rate=0, source="table", formula=why)
        bound = (Bound(limit, 0.0, 0.0, 0.0),)
        return SpeedRate(
            ask=ask, arrays=arrays, work=work, load=load, point=0.0, low=0.0, high=0.0, bounds=bound, spread=None
        )
    found = after_seeks(bounds(arrays, work), arrays, work, load)
    left = 1 - arrays.assumptions.rebuild_share if ask.state == "rebuilding" else 1.0
    found = [bound.beside_rebuild(left) for bound in found]
    part = _part(ask, arrays, work, load)
    if part.reads:
        kept = min(members_share(shape, part.reads) for shape in arrays.kinds)
        words = f"{kept:.2f}, since {part.reads:.2f} bytes are read for each that is written"
        found = [bound.lowered(kept, 1.0, words) if bound.ceiling.name == MEMBERS else bound for bound in found]
    parity = arrays.layout.parity > 0
    band = band_of(ask, rotational=arrays.rotational, parity=parity, figures=arrays.figures)
    partial = _partial(arrays, work)
    lowest = expected(found, partial)
    value, (low, high, widest) = band.point * lowest, explained(found, band, partial)
    if work.random and not arrays.rotational and (work.direct or ask.size_bytes is not None):
        order = _in_order_at_most(ask, arrays, work)
        value, low, high = map(min, (value, low, high), order)
    unknown = [text for text, least in hidden_ceilings(arrays, work) if left * least < lowest]
    unknown += [bound.unknown for bound in found if bound.unknown and bound.low < lowest]
    flight = None
    array = arrays.widest
    finest = (array.bitmap_chunk_bytes if array else None) or LEAST_MEASURED
    if finest < LEAST_MEASURED and work.kind == "write" and not ask.random:
        low = min(low, FINE_LOW * value)
        widest = BandCause(driver="bitmap", factor=1 / FINE_LOW)
    if array is not None and work.direct and (ask.random or ask.size_bytes is not None):
        flight = in_flight(arrays, array, work, load, part)
        narrow = high / max(low, 1e-9)
        knee = RANDOM_KNEE if ask.random and arrays.rotational else KNEE
        scatter = band if arrays.rotational else _EXACT  # of drives the time of a request has its own band
        offered = scatter.point * flight.reach
        least = independent(offered, flight.low / flight.reach, scatter.low / scatter.point)
        most = independent(offered, flight.high / flight.reach, scatter.high / scatter.point)
        value = reached(offered, value, knee, flight.requests)
        low = reached(least, low, knee, flight.requests)
        high = min(high, most)
        if flight.reach < lowest:
            factor = high / max(low, 1e-9) / narrow
            widest = BandCause(driver="latency", factor=factor) if factor >= NOTEWORTHY else widest
        each = 1e3 * flight.requests * (1 if work.random else load.block_bytes) / flight.reach
        text = f"{flight.text} in flight / {each:.3g} ms"
        limit = Ceiling(name=PROGRAM, rate=round(flight.reach), source="table", formula=text, remedy=_REMEDY)
        found.append(Bound(limit, flight.reach, flight.low, flight.high))
    ordered = tuple(sorted(found, key=lambda bound: bound.point))
    return SpeedRate(
        ask=ask, arrays=arrays, work=work, load=load, point=value, low=low, high=high, bounds=ordered, spread=widest,
        unknown=tuple(unknown), flight=flight,
    )  # fmt: skip


def band_of(
    work: WorkloadQuestion, *, rotational: bool, parity: bool, figures: MachineFigures = NO_FIGURES
) -> RateFactor:
    """The confidence band of this class of workload on the machine with these `figures`."""
    return class_band(class_of(work, rotational=rotational, parity=parity), figures)


def class_of(work: WorkloadQuestion, *, rotational: bool, parity: bool) -> WorkClass:
    """The class of this workload."""
    if work.random:
        if work.kind == "read":
            return "random read disk" if rotational else "random read"
        if not parity:
            return "random write disk" if rotational else "random write"
        return "random parity write disk" if rotational else "random parity write flash"
    if rotational:
        return "disk sequential"
    if work.kind == "read":
        return "flash read"
    return "flash parity write" if parity else "flash write"


def _in_order_at_most(ask: WorkloadQuestion, arrays: ArraySet, work: SpeedWork) -> tuple[float, float, float]:
    """(point, low, high) of the same requests in order, in requests: at random flash is no faster.

    The class of random work was fitted to pages, where no drive's transfer binds.
    """
    found = bounds(arrays, replace(work, random=False))
    parity = arrays.layout.parity > 0
    band = band_of(replace(ask, random=False), rotational=False, parity=parity, figures=arrays.figures)
    low, high = interval(found, band)
    size = work.request.size_bytes
    return band.point * expected(found) / size, low / size, high / size


def _partial(arrays: ArraySet, work: SpeedWork) -> float:
    """Worst share under partial stripes: of buffered sequential parity writes whose rows leave the stripe cache."""
    if work.random or work.kind == "read" or not arrays.layout.parity or work.streams is None or work.direct:
        return 1.0
    return partial_share(arrays.design.chunk_bytes * work.streams, arrays.cache_pages)


def _part(ask: WorkloadQuestion, arrays: ArraySet, work: SpeedWork, load: QueuedLoad) -> PartialWrite:
    """What direct writes in order read, since they do not fill stripes; `phases` of all that a stream has in flight."""
    stated = ask.depth is not None and ask.size_bytes is not None
    if not stated or work.random or work.kind == "read" or not arrays.layout.parity or arrays.lun_drives:
        return PartialWrite()
    size = -(-load.block_bytes // (arrays.layout.arrays if arrays.striped else 1))
    found = [partial_write(shape, arrays.design.chunk_bytes, size) for shape in arrays.kinds]
    worst = max(found, key=lambda each: each.reads)
    return replace(worst, reads=worst.reads / load.depth)  # the next requests are there already, but for the last


def _mixed(ask: WorkloadQuestion, arrays: ArraySet) -> SpeedRate:
    """Random reads beside random writes, from reads alone and writes alone: the times of both add up.

    A request takes the members' time that it takes alone, a write of a parity array that of its read-modify-write.
    That holds for every limit: where the members are busy, and where a program waits for its requests.
    """
    reads, writes = (_one_way(replace(ask, kind=kind, read_percent=None), arrays) for kind in ("read", "write"))
    share = (ask.read_percent or 0) / 100

    def together(read: float, write: float) -> float:
        return 1 / (share / max(read, 1e-9) + (1 - share) / max(write, 1e-9))

    point, low, high = together(reads.point, writes.point), together(reads.low, writes.low), reads.high
    spreads = [each.spread for each in (reads, writes) if each.spread is not None]
    of_reads, of_writes = ({bound.ceiling.name: bound for bound in each.bounds[::-1]} for each in (reads, writes))
    found = []
    for name in dict.fromkeys((*of_reads, *of_writes)):
        parts = [(share, "reads", of_reads.get(name)), (1 - share, "writes", of_writes.get(name))]
        known = [(part, what, bound) for part, what, bound in parts if bound is not None]
        formula = " and ".join(f"{percent(part)} {what}: {bound.ceiling.formula}" for part, what, bound in known)
        slower = max(known, key=lambda each: each[0] / max(each[2].point, 1e-9))[2]
        seconds = sum(part / max(bound.point, 1e-9) for part, _, bound in known)
        found.append(replace(slower, point=1 / seconds, ceiling=replace(slower.ceiling, formula=formula)))
    return replace(
        reads, ask=ask, parts=(reads, writes), point=point, high=together(high, writes.high),
        low=low if arrays.rotational else independent(point, low / point, FLASH_MIXED_LOW),
        bounds=tuple(sorted(found, key=lambda bound: bound.point)),
        spread=max(spreads, key=lambda spread: spread.factor, default=None),
    )  # fmt: skip
