"""Rate of one array from its members' rate, per RAID level: user bytes or operations per second, before links and CPU.

`speed` and `iops` are those of the slowest member: md waits for it. A rotating disk spends time passing over skipped
chunks (parity, the other copy), flash does not. Kernel files are under drivers/md/.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd, log2
from typing import assert_never

from raidtui.values.choices import Direction
from raidtui.values.layout import ArrayShape, Layout

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
    shape: ArrayShape, speed: float, *, streams: int | None = None, rotational: bool, degraded: bool = False
) -> float:
    """Sequential read rate of one array, bytes per second; `streams` None: enough to use all members.

    RAID0 stripes over all members (raid0.c). A mirror serves a stream from one member (raid1.c, read_balance). Parity
    chunks are skipped but the head passes over them (raid5.c, raid5_read_one_chunk). Members with a near or offset
    copy idle or pass over it, and serve further streams; far copies cost nothing (raid10.c, read_balance).
    `degraded`: one member is missing; a parity array then reads at the rate of as many members as hold data
    (measured: RAID6 of 6 flash disks gives 4 disks' worth, RAID5 of 6 gives 5).
    """
    members, copies = shape.members, shape.copies
    match shape.level:
        case "raid0" | "disk":
            return members * speed
        case "raid1":
            serving = members - degraded
            return (serving if streams is None else min(streams, serving)) * speed
        case "raid4":
            return shape.data * speed
        case "raid5" | "raid6":
            return (shape.data if rotational or degraded else members) * speed
        case "raid10":
            left = (copies - degraded) / copies
            if shape.spread == "f" or not rotational or streams is None:
                return members * left * speed
            return members / copies * min(streams, copies - degraded) * speed
        case never:
            assert_never(never)


def sequential_write(shape: ArrayShape, speed: float, *, rotational: bool) -> float:
    """Sequential write rate of one array in full stripes (no read-modify-write), bytes per second."""
    match shape.level:
        case "raid0" | "disk":
            return shape.members * speed
        case "raid1":
            return speed
        case "raid4" | "raid5" | "raid6":
            return shape.data * speed
        case "raid10":
            far = FAR_WRITE if rotational and shape.spread == "f" else 1.0
            return far * shape.members / shape.copies * speed
        case never:
            assert_never(never)


def random_read(shape: ArrayShape, iops: float, *, degraded: bool = False) -> float:
    """Random 4 KiB reads per second with all members busy. RAID4's parity member serves none unless degraded.

    Degraded, the busiest member bounds the rate: in a parity array one that serves its own reads and those that
    reconstruct the missing member (raid5.c, fetch_block), in a mirror the surviving copy.
    """
    match shape.level:
        case "raid0" | "disk":
            return shape.members * iops
        case "raid1":
            return (shape.members - degraded) * iops
        case "raid10":
            return shape.members * (shape.copies - degraded) / shape.copies * iops
        case "raid4":
            return shape.data / (2 if degraded and shape.data > 1 else 1) * iops
        case "raid5" | "raid6":
            busiest = 1 + shape.data / (shape.members - 1) if degraded else 1
            return shape.members / busiest * iops
        case never:
            assert_never(never)


def degraded_reads(shape: ArrayShape) -> float:
    """Mean disk reads per random 4 KiB read with one member missing."""
    if not shape.parity:
        return 1.0
    holding = shape.data if shape.level == "raid4" else shape.members
    return (holding - 1 + shape.data) / holding


def random_write(shape: ArrayShape, iops: float, *, chunks: int = 1) -> float:
    """Random writes per second, each to a page in `chunks` chunks of a row. RAID4's parity member takes all of them."""
    if shape.parity:
        reads, writes = parity_operations(shape, chunks)
        whole = shape.members * iops / (reads + writes)
        on_parity = 2 if modifies(shape, chunks) else 1
        return min(whole, iops / on_parity) if shape.level == "raid4" else whole
    return shape.members * iops / copies_of(shape)


def modifies(shape: ArrayShape, chunks: int = 1) -> bool:
    """True if md does read-modify-write (reads the old data and parity), not reconstruct-write (the rest of the row).

    md chooses the one with fewer reads, rcw if equal (raid5.c, handle_stripe_dirtying with rmw_level 1; RAID6 since
    4.1).
    """
    return chunks + shape.parity < shape.data - chunks


def parity_operations(shape: ArrayShape, chunks: int = 1) -> tuple[int, int]:
    """Disk reads and disk writes per user write to pages in `chunks` chunks of a row."""
    chunks = min(chunks, shape.data)
    reads = chunks + shape.parity if modifies(shape, chunks) else shape.data - chunks
    return reads, chunks + shape.parity


def copies_of(shape: ArrayShape) -> int:
    """Copies of each byte in a level without parity; 1 for RAID0."""
    match shape.level:
        case "raid1":
            return shape.members
        case "raid10":
            return shape.copies
        case _:
            return 1


def wire_share(shape: ArrayShape, work: Direction) -> float:
    """Bytes on the members' links per sequential user byte: counts written parity and copies, not skipped parity."""
    if work == "read":
        return 1.0
    if shape.parity:
        return shape.members / shape.data
    return float(copies_of(shape))


def mean_wire_share(layout: Layout, work: Direction) -> float:
    """`wire_share` over all arrays of a layout, each of which serves the same number of user bytes."""
    groups = layout.groups
    if len(groups) == 1:
        return wire_share(groups[0].shape, work)
    return sum(group.arrays * wire_share(group.shape, work) for group in groups) / layout.arrays


def partial_share(chunk_bytes: int, cache_pages: int = STRIPE_CACHE) -> float:
    """Worst-case share of the sequential parity write rate that a single writer reaches.

    md writes a row of chunks without reading only if the whole row is in the stripe cache (raid5.c); with fewer than
    four such rows in it, stripes are written before they are full. The default of 256 pages holds two rows of 512 KiB.
    """
    return PARTIAL_SHARE if cache_pages * PAGE < _ROWS_ENOUGH * chunk_bytes else 1.0


def cache_pages_for(chunk_bytes: int, streams: int = 1) -> int:
    """stripe_cache_size that holds four rows of chunks per writer; md accepts 17 to 32768."""
    return min(max(_ROWS_ENOUGH * streams * -(-chunk_bytes // PAGE), 17), 32768)


_MOST_PLACES = 512
"""places in a stripe where a request may end, that are looked at"""


@dataclass(frozen=True, slots=True)
class PartialWrite:
    """What a stream of writes of one size reads from a parity array, each waited for before the next.

    md writes a row of chunks without reading only if all of it is in the stripe cache (raid5.c,
    handle_stripe_dirtying). A request that ends inside a stripe makes md read for the part that it has; the next one
    finds that part in the cache. Counted in a virtual machine (Linux 6.1, 6+2 disks, chunks of 512 KiB): 0.25 reads per
    written byte with requests of 4 MiB, 0.125 with 8 MiB, none with 3 MiB, a whole stripe.
    """

    reads: float = 0.0
    """bytes read per byte written by the user"""
    phases: float = 0.0
    """times per request that md waits for members before it writes"""


def partial_write(shape: ArrayShape, chunk: int, size: int) -> PartialWrite:
    """Sequential writes of `size` bytes to one parity array that begins with a whole stripe."""
    stripe = shape.data * chunk
    size = max(size, PAGE)
    if size % stripe == 0:
        return PartialWrite()
    if size < chunk:  # each row meets one chunk after the other
        steps = _steps(shape, 1)
        return PartialWrite(reads=sum(steps) / shape.data, phases=sum(map(bool, steps)) / len(steps))
    if size < stripe:
        steps = _steps(shape, -(-size // chunk))
        return PartialWrite(reads=sum(steps) / shape.data, phases=sum(map(bool, steps)) * size / stripe)
    step = gcd(size, stripe)
    places = stripe // step
    looked = range(1, places, max(1, places // _MOST_PLACES))
    reads = [_cold(shape, place * step / chunk) for place in looked]
    share = (places - 1) / places / max(len(reads), 1)
    halves = partial_write(shape, chunk, size // 2).reads  # never more than its halves, one after the other
    return PartialWrite(reads=min(share * sum(reads) * chunk / size, halves), phases=share * sum(map(bool, reads)))


def _steps(shape: ArrayShape, chunks: int) -> list[int]:
    """Chunks read for each write of `chunks` of a row, until it is full; what was written or read stays cached."""
    data, parity = shape.data, shape.parity
    found: list[int] = []
    whole = False  # the cache holds all of the row
    for start in range(0, data, chunks):
        count = min(chunks, data - start)
        modify = count + (0 if start else parity)
        reconstruct = data - start - count
        found.append(0 if whole else min(modify, reconstruct))
        whole = whole or reconstruct <= modify
    return found


def _cold(shape: ArrayShape, chunks: float) -> float:
    """Chunks read for the first `chunks` of a row that is not in the cache; parts of a chunk are rows of pages."""
    full = int(chunks)
    part = chunks - full
    return part * _reads(shape, full + 1) + (1 - part) * _reads(shape, full)


def _reads(shape: ArrayShape, chunks: int) -> int:
    return parity_operations(shape, chunks)[0] if 0 < chunks < shape.data else 0


def beyond_cache(chunk: int, cache_pages: int) -> float:
    """Share of sequential writes that leave the stripe cache before their row is full: where it holds no row of chunks.

    The virtual machine, 6+1 disks: with 256 pages 0.03 reads per written byte with chunks of 512 KiB (two rows), 1.1
    with 2 MiB (half a row), 2.0, all of it, with 4 and 8 MiB; 512 pages cured 2 MiB.
    """
    return min(1.0, max(0.0, -log2(cache_pages * PAGE / chunk) / 2))


def members_share(shape: ArrayShape, reads: float) -> float:
    """Share of the members' write rate that is left when md reads `reads` bytes per byte written."""
    written = shape.members / shape.data
    return written / (written + reads)


def beyond_cache_share(shape: ArrayShape, chunk: int, cache_pages: int) -> float:
    """Share of the members' write rate that is left by `beyond_cache`: chunk by chunk, parity is written each time."""
    share = beyond_cache(chunk, cache_pages)
    if not share:
        return 1.0
    reads, writes = parity_operations(shape)
    whole = shape.members / shape.data
    return whole / ((1 - share) * whole + share * (reads + writes))
