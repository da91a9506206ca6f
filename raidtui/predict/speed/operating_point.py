"""The arrays of a design, the load that one workload puts on members and links, and what each member reads and writes.

md's rules are those under drivers/md/ of the kernel. Not counted: superblocks, bitmaps, and what a program's requests
become in the page cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from itertools import compress
from math import ceil, gcd
from operator import add, mul
from typing import Any, Literal, NamedTuple

from raidtui.predict.speed.raid_level_rates import (
    PAGE,
    copies_of,
    degraded_reads,
    modifies,
    parity_operations,
    random_read,
    random_write,
    sequential_read,
    sequential_write,
    wire_share,
)
from raidtui.predict.speed.shared_links import SharedLink, UnknownLink
from raidtui.predict.speed.tunables import stripe_cache_pages
from raidtui.values.assumptions import Assumptions
from raidtui.values.design import Design
from raidtui.values.layout import ArrayShape, Layout
from raidtui.values.prediction import ArrayGeometry
from raidtui.values.speed import DiskSpeed, MachineFigures, MemberLoad
from raidtui.values.target import Version


@dataclass(frozen=True, slots=True)
class Request:
    """One random request: what it uses of the arrays. The default is a page, the model's random request."""

    size_bytes: int = PAGE
    """bytes"""
    arrays: float = 1
    """arrays that it touches; the last of them may be touched in part"""
    chunks: int = 1
    """chunks of one row that it touches in each of them"""
    rows: float = 1.0
    """rows of each of them"""
    piece_bytes: int = PAGE
    """bytes on one member at a time"""


@dataclass(frozen=True, slots=True)
class SpeedWork:
    """One workload of the speed model; `streams` None is as many as saturate the arrays."""

    kind: Literal["read", "write"]
    random: bool = False
    streams: int | None = None
    degraded: bool = False
    direct: bool = False
    """True: not through the page cache"""
    request: Request = Request()
    """of random work"""


@dataclass(frozen=True, slots=True)
class MemberRates:
    """Lowest rates among the members of one array; bytes and operations per second."""

    read: float
    write: float
    read_iops: float
    write_iops: float
    link: float | None
    rotational: bool
    serving: tuple[float, ...] = ()
    """bytes per second that each member reads by itself: mirrors serve a reader each at their own rate"""


@dataclass(frozen=True, slots=True)
class ArraySet:
    """The arrays of a design with their members' rates and links: what bounds every workload."""

    design: Design
    arrays: tuple[ArrayGeometry, ...]
    """their sizes; empty where they are not known, which leaves out what is in flight"""
    shapes: tuple[ArrayShape, ...]
    """each array"""
    striped: bool
    """True if data is striped over the arrays, so that the slowest array bounds all"""
    member_rates: tuple[MemberRates, ...]
    slowest: DiskSpeed
    links: tuple[SharedLink, ...]
    unknown_links: tuple[UnknownLink, ...]
    assumptions: Assumptions
    figures: MachineFigures
    """of the machine that they are in"""
    lun_drives: int = 0
    """drives of the largest LUN if every member is a LUN of a hardware controller; 0 otherwise"""
    journal: DiskSpeed | None = None
    """the slowest disk of the write journals, of which each array has one; None without"""

    @property
    def layout(self) -> Layout:
        """That of the design."""
        return self.design.layout

    @property
    def kernel(self) -> Version | None:
        """That of the target; None where it is not known."""
        return self.design.target.kernel_version if self.design.target else None

    @property
    def cache_pages(self) -> int:
        """Stripe cache of parity arrays, pages of each member."""
        return stripe_cache_pages(self.design)

    @property
    def widest(self) -> ArrayGeometry | None:
        """The array with the largest full stripe."""
        return max(self.arrays, key=lambda array: array.full_stripe_bytes, default=None)

    def with_bitmaps(self, chunk_bytes: int | None) -> ArraySet:
        """The same with write-intent bitmaps of this chunk, or without."""
        return replace(self, arrays=tuple(replace(array, bitmap_chunk_bytes=chunk_bytes) for array in self.arrays))

    @property
    def kinds(self) -> tuple[ArrayShape, ...]:
        """Each shape of array that there is."""
        return tuple([group.shape for group in self.layout.kinds])

    @property
    def rotational(self) -> bool:
        """True if any member is a rotating disk."""
        return any(rates.rotational for rates in self.member_rates)


def array_rate(shape: ArrayShape, work: SpeedWork, speed: float, rotational: bool) -> float:
    """Rate of one array whose members each deliver `speed`, in bytes or operations per second."""
    if work.random:
        request = work.request
        chunks = request.chunks * request.rows
        if work.kind == "read":
            return random_read(shape, speed, degraded=work.degraded) / chunks / request.arrays
        rows = request.rows if shape.parity else chunks
        return random_write(shape, speed, chunks=request.chunks) / rows / request.arrays
    if work.kind == "write":
        return sequential_write(shape, speed, rotational=rotational)
    return sequential_read(shape, speed, streams=work.streams, rotational=rotational, degraded=work.degraded)


def array_rates(array_set: ArraySet, work: SpeedWork) -> list[float]:
    """Member-bound rate of each array while all arrays run the same workload."""
    first, count = array_set.member_rates[0], len(array_set.shapes)
    if array_set.member_rates.count(first) == count and len(array_set.kinds) == 1:
        return concurrent_rates(array_set, work, [_members_rate(array_set.shapes[0], work, first)] * count)
    rates = [
        _members_rate(shape, work, own) for shape, own in zip(array_set.shapes, array_set.member_rates, strict=True)
    ]
    return concurrent_rates(array_set, work, rates)


def _members_rate(shape: ArrayShape, work: SpeedWork, rates: MemberRates) -> float:
    if work.random:
        read = work.kind == "read"
        iops, transfer = (rates.read_iops, rates.read) if read else (rates.write_iops, rates.write)
        speed = piece_rate(work.request, iops, transfer)
    else:
        speed = rates.read if work.kind == "read" else rates.write
    readers = shape.members if work.streams is None else work.streams
    if (
        shape.level == "raid1"
        and work.kind == "read"
        and readers >= shape.members
        and not (work.random or work.degraded)
    ):
        return sum(rates.serving)  # each reader has a disk of its own, none waits for the slowest
    return array_rate(shape, work, speed, rates.rotational)


def piece_rate(request: Request, iops: float, bytes_per_s: float) -> float:
    """Operations per second of a member on pieces of `request`: as for a page, and the time to transfer the rest.

    Pages at random never bring more than pages in order.
    """
    more = request.piece_bytes - PAGE
    return 1 / (max(1 / iops, PAGE / bytes_per_s) + max(more, 0) / bytes_per_s)


def concurrent_rates(array_set: ArraySet, work: SpeedWork, rates: Sequence[float]) -> list[float]:
    """Rate of each array under the same workload.

    Striped arrays all run at the lowest rate; fewer streams than separate arrays use only the slowest of them.
    """
    if array_set.striped:
        return [min(rates)] * len(rates)
    if work.streams is not None and work.streams < len(rates):
        used = sorted(range(len(rates)), key=rates.__getitem__)[: work.streams]
        return [rate if number in used else 0.0 for number, rate in enumerate(rates)]
    return list(rates)


def load_on(
    array_set: ArraySet, work: SpeedWork, rates: Sequence[float], below: Sequence[float], both_ways: bool
) -> float:
    """Bytes per second over a link with `below` members of each array while the arrays run at `rates`."""
    kinds = array_set.kinds
    if len(kinds) == 1:
        return _load_of(kinds[0], work, rates, below, both_ways)
    total = 0.0
    for shape in kinds:
        alike = [own == shape for own in array_set.shapes]
        total += _load_of(shape, work, [*compress(rates, alike)], [*compress(below, alike)], both_ways)
    return total


def _load_of(
    shape: ArrayShape, work: SpeedWork, rates: Sequence[float], below: Sequence[float], both_ways: bool
) -> float:
    """`load_on` of arrays of one shape."""
    used = set(compress(rates, below))
    members = used.pop() * sum(below) if len(used) == 1 else sum(map(mul, rates, below))
    return members * wire_bytes(shape, work, both_ways) / shape.members


def wire_bytes(shape: ArrayShape, work: SpeedWork, both_ways: bool) -> float:
    """Bytes over the members' links per user byte, or per random operation."""
    if not work.random:
        return wire_share(shape, work.kind)
    size = work.request.size_bytes
    if work.kind == "read":
        return size * degraded_reads(shape) if work.degraded else float(size)
    if shape.parity:
        reads, writes = parity_operations(shape, work.request.chunks)
        moved = work.request.piece_bytes * work.request.rows * work.request.arrays
        return float(moved * (max(reads, writes) if both_ways else reads + writes))
    return float(size * copies_of(shape))


def request_of(design: Design, size_bytes: int, *, luns: bool = False) -> Request:
    """A request of `size_bytes` at a multiple of its size; a part of a page counts as one. `luns`: members are LUNs.

    Of arrays of unequal width it is that of the widest, where a write fills the smallest part of a stripe.
    """
    layout, chunk, size = design.layout, design.chunk_bytes, max(size_bytes, PAGE)
    widths = [group.shape.data for group in layout.groups]
    joined = layout.arrays if design.stack == "lvm" else 1
    if layout.plain and layout.arrays == 1 and not luns:  # a plain disk has no chunks
        return Request(size_bytes=size, piece_bytes=size)
    pieces = ceil(size / chunk)
    if layout.level == "raid1":
        arrays = min(joined, pieces)
        return Request(size_bytes=size, arrays=arrays, piece_bytes=ceil(size / arrays))
    rows = 1
    if design.stack == "md":
        rows = ceil(pieces / min(widths))
    arrays = min(joined, pieces) if design.stack == "lvm" else min(layout.arrays, rows) if design.stack == "md" else 1
    each = ceil(pieces / arrays)
    return Request(
        size_bytes=size,
        arrays=pieces / each,
        chunks=min(each, max(widths)),
        rows=max(1.0, each / max(widths)),
        piece_bytes=min(size, chunk),
    )


class MemberShare(NamedTuple):
    """Bytes that one member reads and writes per byte that users get from its array or write to it."""

    read: float = 0.0
    read_low: float = 0.0
    """least and most, where md is free to read another copy"""
    read_high: float = 0.0
    write: float = 0.0


def member_loads(
    array_set: ArraySet, work: SpeedWork, bytes_per_s: float, *, block: int, piece: int | None, alone: bool
) -> tuple[MemberLoad, ...]:
    """The load of each member while all users together get `bytes_per_s` by `work`, array by array.

    `block`: bytes of a user's request; `piece`: bytes of a member's, None where they merge; `alone`: one in flight.
    """
    rates = array_rates(array_set, work)
    active, total = sum(rate > 0 for rate in rates), sum(rates)
    streams = work.streams
    if streams is not None and not array_set.striped:
        streams = ceil(streams / active)
    found = []
    for number, (shape, own, rate) in enumerate(zip(array_set.shapes, array_set.member_rates, rates, strict=True)):
        amount = bytes_per_s * rate / total
        for member, share in enumerate(member_shares(shape, work, own, streams, block, alone=alone)):
            found.append(
                MemberLoad(
                    array=number,
                    member=member,
                    read_bytes_per_s=round(amount * share.read),
                    read_low=round(amount * share.read_low),
                    read_high=round(amount * share.read_high),
                    write_bytes_per_s=round(amount * share.write),
                    reads_per_s=round(amount * share.read / piece) if piece else None,
                    writes_per_s=round(amount * share.write / piece) if piece else None,
                )
            )
    return tuple(found)


def member_shares(
    shape: ArrayShape, work: SpeedWork, rates: MemberRates, streams: int | None, block: int, *, alone: bool
) -> list[MemberShare]:
    """Reads and writes of each member of one array by `work`; the other arguments as in `member_loads`."""
    if work.kind == "write":
        return write_shares(shape, work, block)
    if work.random and not alone:
        streams = None
    return read_shares(shape, streams, rates, alone=alone, random=work.random)


def read_shares(
    shape: ArrayShape, streams: int | None, rates: MemberRates, *, alone: bool = False, random: bool = False
) -> list[MemberShare]:
    """Reads of each member of one array by so many sequential streams; None: enough for all members, or random work.

    Of RAID4 the parity member, the last one, serves none. A mirror serves each stream from one member, and if there
    are enough, all members at their own rate (raid1.c, read_balance). RAID10: `first_copies`, `near_copies`.
    """
    members, copies = shape.members, shape.copies
    few = streams is not None and streams < copies_of(shape)
    if shape.level == "raid4":
        return [*_even(members - 1), MemberShare()]
    if shape.level == "raid1" and not few and rates.serving:
        total = sum(rates.serving)
        return [_exactly(rate / total) for rate in rates.serving]
    if not few or (shape.level == "raid1" and random and rates.rotational):
        return _even(members)
    if shape.level == "raid1":
        if random:
            return [_exactly(1.0), *[MemberShare()] * (members - 1)]
        busy = streams or 1
        return [MemberShare(1 / busy if number < busy else 0.0, 0.0, 1 / busy) for number in range(members)]
    if shape.spread != "n":
        return _even(members)  # lowest address: the first copy (rotating), or least pending
    if alone:
        return [_exactly(share) for share in first_copies(members, copies)]
    likely = near_copies(members, copies) if rates.rotational else [1 / members] * members
    return [MemberShare(share, 0.0, copies / members) for share in likely]


def first_copies(members: int, copies: int) -> list[float]:
    """Share of all chunks of a near layout whose first copy each member has; an idle array reads those.

    Of members with nothing pending md takes the first (raid10.c, read_balance).
    """
    chunks = members // gcd(members, copies)
    places = [number * copies % members for number in range(chunks)]
    return [places.count(member) / chunks for member in range(members)]


def near_copies(members: int, copies: int) -> list[float]:
    """Share of all chunks of a near layout that each rotating member serves to one reader while all are busy.

    md takes the copy nearest to where the member's head was left, the first one if equal (raid10.c, read_balance).
    """
    chunks = members // gcd(members, copies)
    heads, served = [0] * members, [0] * members
    for number in range(2 * chunks):
        places = [divmod(number * copies + copy, members) for copy in range(copies)]
        row, member = min(places, key=lambda place: abs(place[0] - heads[place[1]]))
        heads[member] = row + 1
        served[member] += number >= chunks
    return [count / chunks for count in served]


def write_shares(shape: ArrayShape, work: SpeedWork, block: int) -> list[MemberShare]:
    """Reads and writes of each member of one array per byte written by sequential or by random `work`."""
    members = shape.members
    if not shape.parity:
        return [MemberShare(write=copies_of(shape) / members)] * members
    if not work.random:
        return [MemberShare(write=1 / shape.data)] * members
    request = work.request
    reads, writes = parity_operations(shape, request.chunks)
    moved = request.piece_bytes * request.rows * request.arrays / block
    if shape.level != "raid4":
        return [_exactly(moved * reads / members, moved * writes / members)] * members
    on_parity = int(modifies(shape, request.chunks))
    data = _exactly(moved * (reads - on_parity) / shape.data, moved * (writes - 1) / shape.data)
    return [*[data] * shape.data, _exactly(moved * on_parity, moved)]


def scaled(loads: Sequence[MemberLoad], factor: float) -> tuple[MemberLoad, ...]:
    """The load at another rate."""
    return tuple(_changed(load, lambda value, _: round(value * factor), load) for load in loads)


def added(first: Sequence[MemberLoad], second: Sequence[MemberLoad]) -> tuple[MemberLoad, ...]:
    """Two loads of the same members at once."""
    return tuple(_changed(one, add, two) for one, two in zip(first, second, strict=True))


def _changed(load: MemberLoad, by: Callable[[int, int], int], other: MemberLoad) -> MemberLoad:
    """`load` with every amount that is known changed with that of `other`."""
    amounts: dict[str, Any] = {
        each.name: by(getattr(load, each.name), getattr(other, each.name))
        for each in fields(load)
        if each.name not in ("array", "member") and getattr(load, each.name) is not None
    }
    return replace(load, **amounts)


def _even(members: int) -> list[MemberShare]:
    return [_exactly(1 / members)] * members


def _exactly(read: float, write: float = 0.0) -> MemberShare:
    return MemberShare(read, read, read, write)
