"""Input of the speed model: the arrays of a design, and the load that one workload puts on members and links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress
from math import ceil
from operator import mul
from typing import Literal

from raidtui.model.assumptions import Assumptions
from raidtui.model.design import Design
from raidtui.model.geometry import ArrayGeometry
from raidtui.model.layout import AnyLayout, Layout
from raidtui.model.machine_figures import MachineFigures
from raidtui.model.speed import DiskSpeed
from raidtui.model.target import Version
from raidtui.planner.performance.raid_level_rates import (
    PAGE,
    copies_of,
    degraded_reads,
    parity_operations,
    random_read,
    random_write,
    sequential_read,
    sequential_write,
    wire_share,
)
from raidtui.planner.performance.shared_links import SharedLink, UnknownLink
from raidtui.planner.performance.tunables import stripe_cache_pages


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
    shapes: tuple[Layout, ...]
    """each array as a layout of its own"""
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

    @property
    def layout(self) -> AnyLayout:
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
    def kinds(self) -> tuple[tuple[Layout, int], ...]:
        """Each shape of array that there is, with the number of such arrays."""
        if isinstance(self.layout, Layout):
            return ((self.shapes[0], self.layout.arrays),)
        return tuple(Counter(self.shapes).items())

    @property
    def rotational(self) -> bool:
        """True if any member is a rotating disk."""
        return any(rates.rotational for rates in self.member_rates)


def array_rate(layout: Layout, work: SpeedWork, speed: float, rotational: bool) -> float:
    """Rate of one array whose members each deliver `speed`, in bytes or operations per second."""
    if work.random:
        request = work.request
        chunks = request.chunks * request.rows
        if work.kind == "read":
            return random_read(layout, speed, degraded=work.degraded) / chunks / request.arrays
        rows = request.rows if layout.parity else chunks
        return random_write(layout, speed, chunks=request.chunks) / rows / request.arrays
    if work.kind == "write":
        return sequential_write(layout, speed, rotational=rotational)
    return sequential_read(layout, speed, streams=work.streams, rotational=rotational, degraded=work.degraded)


def array_rates(array_set: ArraySet, work: SpeedWork) -> list[float]:
    """Member-bound rate of each array while all arrays run the same workload."""
    first, count = array_set.member_rates[0], len(array_set.shapes)
    if array_set.member_rates.count(first) == count and len(array_set.kinds) == 1:
        return concurrent_rates(array_set, work, [_members_rate(array_set.shapes[0], work, first)] * count)
    rates = [
        _members_rate(shape, work, own) for shape, own in zip(array_set.shapes, array_set.member_rates, strict=True)
    ]
    return concurrent_rates(array_set, work, rates)


def _members_rate(layout: Layout, work: SpeedWork, rates: MemberRates) -> float:
    if work.random:
        read = work.kind == "read"
        iops, transfer = (rates.read_iops, rates.read) if read else (rates.write_iops, rates.write)
        speed = piece_rate(work.request, iops, transfer)
    else:
        speed = rates.read if work.kind == "read" else rates.write
    readers = layout.members if work.streams is None else work.streams
    if (
        layout.level == "raid1"
        and work.kind == "read"
        and readers >= layout.members
        and not (work.random or work.degraded)
    ):
        return sum(rates.serving)  # each reader has a disk of its own, none waits for the slowest
    return array_rate(layout, work, speed, rates.rotational)


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
        return _load_of(kinds[0][0], work, rates, below, both_ways)
    total = 0.0
    for shape, _ in kinds:
        alike = [own == shape for own in array_set.shapes]
        total += _load_of(shape, work, [*compress(rates, alike)], [*compress(below, alike)], both_ways)
    return total


def _load_of(shape: Layout, work: SpeedWork, rates: Sequence[float], below: Sequence[float], both_ways: bool) -> float:
    """`load_on` of arrays of one shape."""
    used = set(compress(rates, below))
    members = used.pop() * sum(below) if len(used) == 1 else sum(map(mul, rates, below))
    return members * wire_bytes(shape, work, both_ways) / shape.members


def wire_bytes(layout: Layout, work: SpeedWork, both_ways: bool) -> float:
    """Bytes over the members' links per user byte, or per random operation."""
    if not work.random:
        return wire_share(layout, work.kind)
    size = work.request.size_bytes
    if work.kind == "read":
        return size * degraded_reads(layout) if work.degraded else float(size)
    if layout.parity:
        reads, writes = parity_operations(layout, work.request.chunks)
        moved = work.request.piece_bytes * work.request.rows * work.request.arrays
        return float(moved * (max(reads, writes) if both_ways else reads + writes))
    return float(size * copies_of(layout))


def request_of(design: Design, size_bytes: int, *, luns: bool = False) -> Request:
    """A request of `size_bytes` at a multiple of its size; a part of a page counts as one. `luns`: members are LUNs.

    Of arrays of unequal width it is that of the widest, where a write fills the smallest part of a stripe.
    """
    layout, chunk, size = design.layout, design.chunk_bytes, max(size_bytes, PAGE)
    widths = [group.data for group in layout.groups]
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
