"""What one array gives of its members, level by level: user bytes or operations per second, before links and CPU.

`speed` and `iops` are those of the slowest member: md waits for it. Rotating disks pay for passing over what is not
wanted (parity, the other copy), flash does not. Kernel files are under drivers/md/.
"""

from __future__ import annotations

from typing import Literal, assert_never

from raidtui.model.layout import Layout

FAR_WRITE = 0.92
"""share of a far layout's writes on rotating disks: each copy is half a disk away (measured on three disks)"""
STRIPE_CACHE = 256
"""stripe_cache_size, pages per member: the default of raid5.h (NR_STRIPES)"""
PAGE = 4096
"""bytes; parity is handled in rows of one page per member (raid5.h, RAID5_STRIPE_SIZE)"""
PARTIAL_SHARE = 0.55
"""what is left of sequential writes that go out as partial stripes; good to a factor of two"""
_ROWS_ENOUGH = 4

Work = Literal["read", "write"]


def sequential_read(
    layout: Layout, speed: float, *, streams: int | None = None, rotational: bool, degraded: bool = False
) -> float:
    """Bytes per second that one array reads in order; `streams` None is as many as it takes.

    Striped over all members (raid0.c). A mirror serves a stream from one member (raid1.c, read_balance). Parity
    chunks are skipped but the head passes over them (raid5.c, raid5_read_one_chunk). Members with a near or offset
    copy idle or pass over it, and serve further streams; far copies are not in the way (raid10.c, read_balance).
    `degraded` is with one member missing: rows of a parity array are then put together from as many members as hold
    data (measured: RAID6 of 6 flash disks gives 4 disks' worth, RAID5 of 6 gives 5).
    """
    members, copies = layout.members, layout.copies
    match layout.level:
        case "raid0":
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
    """Bytes per second that one array takes in whole stripes: nothing is read first."""
    match layout.level:
        case "raid0":
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
    """Reads of a page per second, all members kept busy. RAID4's parity member serves none while all are there.

    Degraded, the busiest member counts: of a parity array one that serves its own reads and the lost member's
    (raid5.c, fetch_block), of mirrors one whose twin is lost.
    """
    match layout.level:
        case "raid0":
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
    """Disk reads for each random read of a page with one member missing, on average."""
    if not layout.parity:
        return 1.0
    holding = layout.data if layout.level == "raid4" else layout.members
    return (holding - 1 + layout.data) / holding


def random_write(layout: Layout, iops: float, *, chunks: int = 1) -> float:
    """Writes per second, each of pages in `chunks` chunks of one row. RAID4's parity member sees all of them."""
    if layout.level in ("raid4", "raid5", "raid6"):
        reads, writes = parity_operations(layout, chunks)
        whole = layout.members * iops / (reads + writes)
        on_parity = 2 if modifies(layout, chunks) else 1
        return min(whole, iops / on_parity) if layout.level == "raid4" else whole
    return layout.members * iops / copies_of(layout)


def modifies(layout: Layout, chunks: int = 1) -> bool:
    """True when md reads what it overwrites and the parity (rmw), not the rest of the row (rcw).

    It takes what needs fewer reads, rcw when equal (raid5.c, handle_stripe_dirtying with rmw_level 1; RAID6 since 4.1).
    """
    return chunks + layout.parity < layout.data - chunks


def parity_operations(layout: Layout, chunks: int = 1) -> tuple[int, int]:
    """Disk reads and disk writes for one user write of pages in `chunks` chunks of a row."""
    chunks = min(chunks, layout.data)
    reads = chunks + layout.parity if modifies(layout, chunks) else layout.data - chunks
    return reads, chunks + layout.parity


def copies_of(layout: Layout) -> int:
    """How many members hold each byte of a level without parity; 1 for RAID0."""
    match layout.level:
        case "raid1":
            return layout.members
        case "raid10":
            return layout.copies
        case _:
            return 1


def wire_share(layout: Layout, work: Work) -> float:
    """Bytes on the members' links for each user byte, sequential: parity and copies travel, skipped parity does not."""
    if work == "read":
        return 1.0
    if layout.parity:
        return layout.members / layout.data
    return float(copies_of(layout))


def partial_share(chunk_bytes: int, cache_pages: int = STRIPE_CACHE) -> float:
    """Share of sequential parity writes to expect of one writer at worst.

    A row of chunks goes out without reads only when it is whole in the stripe cache (raid5.c); with fewer than four
    such rows in it, writes leave before their row is full. The default of 256 pages holds two rows of 512 KiB.
    """
    return PARTIAL_SHARE if cache_pages * PAGE < _ROWS_ENOUGH * chunk_bytes else 1.0


def cache_pages_for(chunk_bytes: int, streams: int = 1) -> int:
    """stripe_cache_size that keeps four rows of chunks for each writer; md takes 17 to 32768."""
    return min(max(_ROWS_ENOUGH * streams * -(-chunk_bytes // PAGE), 17), 32768)
