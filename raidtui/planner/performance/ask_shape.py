"""What one request does to the members: how many chunks, rows and arrays it uses, and how a parity array writes it."""

from __future__ import annotations

from math import ceil

from raidtui.model.counted import counted
from raidtui.model.design import Design
from raidtui.model.layout import Layout, UnequalLayout
from raidtui.model.units import exact_binary
from raidtui.planner.performance.operating_point import Request
from raidtui.planner.performance.partial_stripes import partial_write
from raidtui.planner.performance.raid_level_rates import PAGE, copies_of, modifies, parity_operations


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


def touches(design: Design, kind: str, size_bytes: int) -> str:
    """`1 of 12 data chunks of an array: read-modify-write, 3 reads and 3 writes of members`."""
    layout = max(design.layout.groups, key=lambda group: group.members)
    request = request_of(design, size_bytes)
    if isinstance(design.layout, UnequalLayout):
        return f"{_touches(design, layout, request, kind, size_bytes)}; counted for the widest arrays"
    return _touches(design, layout, request, kind, size_bytes)


def _touches(design: Design, layout: Layout, request: Request, kind: str, size_bytes: int) -> str:
    if layout.plain:
        return f"{'a disk' if request.arrays == 1 else f'{request.arrays} disks'} without md"
    if layout.level == "raid1":
        used = "1 member" if kind == "read" else f"all {layout.members} members"
        return f"{used} of {_arrays(request.arrays)}"
    chunks = ceil(request.chunks * request.rows)
    part = min(size_bytes, design.chunk_bytes)
    share = f" ({exact_binary(part)} of {exact_binary(design.chunk_bytes)})" if part < design.chunk_bytes else ""
    place = f"{counted(chunks, 'chunk')}{share} of {_arrays(request.arrays)}"
    if kind == "read":
        members = min(chunks, layout.members)
        return f"{place}: {members} of {layout.members} members"
    if not layout.parity:
        return f"{place}, {copies_of(layout)} copies"
    if request.chunks >= layout.data:
        ends = partial_write(layout, design.chunk_bytes, ceil(size_bytes / ceil(request.arrays)))
        if not ends.reads:
            return f"{place}: full stripes, nothing is read"
        return f"{place}, {layout.data} hold a full stripe: in order {ends.reads:.2g} bytes are read for each written"
    reads, writes = parity_operations(layout, request.chunks)
    how = "read-modify-write" if modifies(layout, request.chunks) else "reconstruct-write"
    return f"{place}, {layout.data} hold a full stripe: {how}, {reads} reads and {writes} writes of members"


def _arrays(count: float) -> str:
    return "one array" if count <= 1 else f"each of {ceil(count)} arrays"
