"""Rate of one array from its members' rate, per RAID level: user bytes or operations per second, before links and CPU.

`speed` and `iops` are those of the slowest member: md waits for it. A rotating disk spends time passing over skipped
chunks (parity, the other copy), flash does not. Kernel files are under drivers/md/.
"""

from __future__ import annotations

from typing import assert_never

from raidtui.model.choices import Direction
from raidtui.model.layout import AnyLayout, Layout

FAR_WRITE = 0.92
"""write rate of a far layout over that of near on rotating disks: each copy is half a disk away (three disks)"""
STRIPE_CACHE = 256
"""stripe_cache_size, pages per member: the default of raid5.h (NR_STRIPES)"""
PAGE = 4096
"""bytes; parity is handled in rows of one page per member (raid5.h, RAID5_STRIPE_SIZE)"""
BALANCED = 1.2
"""one reader of a near or offset layout may reach so much more: md lets other copies serve parts of the stream (1.11 on
three disks)"""
PARTIAL_SHARE = 0.55
"""sequential write rate with partial stripes over that with full ones; good to a factor of two"""
PARTIAL_POINT = 0.84
"""the same to expect: median of 0.79 and 0.86 (the lab, with the default cache), 0.81 (one NAS, chunks of 512 over 64
KiB) and 0.99 (three disks on a kernel whose cache grows)"""
_ROWS_ENOUGH = 4


def sequential_read(
    layout: Layout, speed: float, *, streams: int | None = None, rotational: bool, degraded: bool = False
) -> float:
    """Sequential read rate of one array, bytes per second; `streams` None: enough to use all members.

    RAID0 stripes over all members (raid0.c). A mirror serves a stream from one member (raid1.c, read_balance). Parity
    chunks are skipped but the head passes over them (raid5.c, raid5_read_one_chunk). Members with a near or offset
    copy idle or pass over it, and serve further streams; far copies cost nothing (raid10.c, read_balance).
    `degraded`: one member is missing; a parity array then reads at the rate of as many members as hold data
    (measured: RAID6 of 6 flash disks gives 4 disks' worth, RAID5 of 6 gives 5).
    """
    members, copies = layout.members, layout.copies
    match layout.level:
        case "raid0" | "disk":
            return members * speed
        case "raid1":
            serving = members - degraded
            return (serving if streams is None else min(streams, serving)) * speed
        case "raid4":
            return layout.data * speed
        case "raid5" | "raid6":
            return (layout.data if rotational or degraded else members) * speed
        case "raid10":
            left = (copies - degraded) / copies
            if layout.spread == "f" or not rotational or streams is None:
                return members * left * speed
            return members / copies * min(streams, copies - degraded) * speed
        case never:
            assert_never(never)


def sequential_write(layout: Layout, speed: float, *, rotational: bool) -> float:
    """Sequential write rate of one array in full stripes (no read-modify-write), bytes per second."""
    match layout.level:
        case "raid0" | "disk":
            return layout.members * speed
        case "raid1":
            return speed
        case "raid4" | "raid5" | "raid6":
            return layout.data * speed
        case "raid10":
            far = FAR_WRITE if rotational and layout.spread == "f" else 1.0
            return far * layout.members / layout.copies * speed
        case never:
            assert_never(never)


def random_read(layout: Layout, iops: float, *, degraded: bool = False) -> float:
    """Random 4 KiB reads per second with all members busy. RAID4's parity member serves none unless degraded.

    Degraded, the busiest member bounds the rate: in a parity array one that serves its own reads and those that
    reconstruct the missing member (raid5.c, fetch_block), in a mirror the surviving copy.
    """
    match layout.level:
        case "raid0" | "disk":
            return layout.members * iops
        case "raid1":
            return (layout.members - degraded) * iops
        case "raid10":
            return layout.members * (layout.copies - degraded) / layout.copies * iops
        case "raid4":
            return layout.data / (2 if degraded and layout.data > 1 else 1) * iops
        case "raid5" | "raid6":
            busiest = 1 + layout.data / (layout.members - 1) if degraded else 1
            return layout.members / busiest * iops
        case never:
            assert_never(never)


def degraded_reads(layout: Layout) -> float:
    """Mean disk reads per random 4 KiB read with one member missing."""
    if not layout.parity:
        return 1.0
    holding = layout.data if layout.level == "raid4" else layout.members
    return (holding - 1 + layout.data) / holding


def random_write(layout: Layout, iops: float, *, chunks: int = 1) -> float:
    """Random writes per second, each to a page in `chunks` chunks of a row. RAID4's parity member takes all of them."""
    if layout.parity:
        reads, writes = parity_operations(layout, chunks)
        whole = layout.members * iops / (reads + writes)
        on_parity = 2 if modifies(layout, chunks) else 1
        return min(whole, iops / on_parity) if layout.level == "raid4" else whole
    return layout.members * iops / copies_of(layout)


def modifies(layout: Layout, chunks: int = 1) -> bool:
    """True if md does read-modify-write (reads the old data and parity), not reconstruct-write (the rest of the row).

    md chooses the one with fewer reads, rcw if equal (raid5.c, handle_stripe_dirtying with rmw_level 1; RAID6 since
    4.1).
    """
    return chunks + layout.parity < layout.data - chunks


def parity_operations(layout: Layout, chunks: int = 1) -> tuple[int, int]:
    """Disk reads and disk writes per user write to pages in `chunks` chunks of a row."""
    chunks = min(chunks, layout.data)
    reads = chunks + layout.parity if modifies(layout, chunks) else layout.data - chunks
    return reads, chunks + layout.parity


def copies_of(layout: Layout) -> int:
    """Copies of each byte in a level without parity; 1 for RAID0."""
    match layout.level:
        case "raid1":
            return layout.members
        case "raid10":
            return layout.copies
        case _:
            return 1


def wire_share(layout: Layout, work: Direction) -> float:
    """Bytes on the members' links per sequential user byte: counts written parity and copies, not skipped parity."""
    if work == "read":
        return 1.0
    if layout.parity:
        return layout.members / layout.data
    return float(copies_of(layout))


def mean_wire_share(layout: AnyLayout, work: Direction) -> float:
    """`wire_share` over all arrays of a layout, each of which serves the same number of user bytes."""
    groups = layout.groups
    if len(groups) == 1:
        return wire_share(groups[0], work)
    return sum(group.arrays * wire_share(group, work) for group in groups) / layout.arrays


def partial_share(chunk_bytes: int, cache_pages: int = STRIPE_CACHE) -> float:
    """Worst-case share of the sequential parity write rate that a single writer reaches.

    md writes a row of chunks without reading only if the whole row is in the stripe cache (raid5.c); with fewer than
    four such rows in it, stripes are written before they are full. The default of 256 pages holds two rows of 512 KiB.
    """
    return PARTIAL_SHARE if cache_pages * PAGE < _ROWS_ENOUGH * chunk_bytes else 1.0


def cache_pages_for(chunk_bytes: int, streams: int = 1) -> int:
    """stripe_cache_size that holds four rows of chunks per writer; md accepts 17 to 32768."""
    return min(max(_ROWS_ENOUGH * streams * -(-chunk_bytes // PAGE), 17), 32768)
