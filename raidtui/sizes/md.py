"""Arithmetic of `mdadm --create` and of md in the kernel: one array, to the sector.

Source: mdadm 4.2 to 4.6 (Create.c, super0.c, super1.c, the same figures in all of them), Linux 6.1 and 6.12
(drivers/md/raid0.c, raid1.c, raid5.c, raid10.c, block/blk-settings.c). Sectors are 512 bytes, KiB are mdadm's unit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import lcm

from raidtui.values.choices import Bitmap, Metadata
from raidtui.values.design import DEFAULT_CHUNK, Design
from raidtui.values.layout import PARITY, MdLevel, Spread
from raidtui.values.members import ArrayDisks
from raidtui.values.prediction import ArrayGeometry
from raidtui.values.units import KIB, MIB, SECTOR, round_down, round_up

AUTO_BITMAP_KIB = 100 * MIB
"""100 GiB in KiB: above this component mdadm 4.2 adds a bitmap by itself"""
_PPL_SECTORS = 2048
_SUPERBLOCK_END = 16
"""sectors of a member before the bitmap or the partial parity log of metadata 1.2"""
_BAD_BLOCK_LOG = 8
"""sectors"""
_BITMAP_HEAD = 256
"""bytes of the bitmap's own superblock"""
_LEAST_BITMAP_CHUNK = 64 * MIB
_LEAST_READ_AHEAD_KIB = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayRequest:
    """The options of `mdadm --create` that determine the geometry of one array."""

    level: MdLevel
    member_bytes: tuple[int, ...]
    """capacities in command-line order: the first one determines the data offset of all"""
    spare_bytes: tuple[int, ...] = ()
    """capacities of the spares, which mdadm counts into the smallest component"""
    chunk_bytes: int
    """chunk; of no effect on RAID1"""
    metadata: Metadata = "1.2"
    bitmap: Bitmap = "auto"
    ppl: bool = False
    bitmap_chunk_bytes: int | None = None
    """`--bitmap-chunk`; None lets mdadm choose"""
    copies: int = 2
    """RAID10: copies of every chunk"""
    spread: Spread = "n"
    """RAID10: near, far or offset"""
    data_offset_sectors: int | None = None
    """`--data-offset`, for metadata 1.2; None lets mdadm choose"""
    device_bytes: int | None = None
    """most that counts of each device, as if it were no larger; of no effect on RAID0 and on the data offset"""
    most_bytes: int | None = None
    """`--size`: most that is used of each device; of no effect on RAID0, which has no component"""
    io_min_bytes: int = SECTOR
    """largest minimum_io_size of the devices given"""
    io_opt_bytes: tuple[int, ...] = ()
    """non-zero optimal_io_size of the devices given, one each, spares too"""

    @property
    def chunk_kib(self) -> int:
        """Chunk in KiB, mdadm's unit; 0 for a level without chunks."""
        return 0 if self.level == "raid1" else self.chunk_bytes // KIB


def array_geometry(ask: ArrayRequest) -> ArrayGeometry:
    """The array that mdadm and the kernel create for `ask`; sizes are 0 if a device is too small for its metadata."""
    offset = data_offset(ask)
    component = component_kib(ask, offset)
    chunkless = ask.level == "raid1"
    members = len(ask.member_bytes)
    full_stripe = _full_stripe(ask, members)
    io_min = max(ask.io_min_bytes, SECTOR if chunkless else ask.chunk_bytes)
    # raid5.c stacks every device twice (data_offset and new_data_offset), which shows only once 32 bits overflow
    io_opt = stacked_io_opt(full_stripe, ask.io_opt_bytes * (2 if PARITY[ask.level] else 1))
    return ArrayGeometry(
        level=ask.level,
        members=members,
        spares=len(ask.spare_bytes),
        chunk_bytes=None if chunkless else ask.chunk_bytes,
        data_offset_sectors=offset,
        component_bytes=_component_bytes(ask, component, members),
        array_bytes=_array_sectors(ask, offset, component, members) * SECTOR,
        io_min_bytes=io_min,
        io_opt_bytes=io_opt,
        full_stripe_bytes=full_stripe,
        read_ahead_kib=max(_LEAST_READ_AHEAD_KIB, 2 * io_opt // KIB),
        md_layout=_md_layout(ask),
        bitmap_chunk_bytes=_bitmap_chunk(ask, component),
    )


def least_member_bytes(ask: ArrayRequest, component_bytes: int) -> int:
    """Bytes of the smallest device of which an array made as `ask` uses so much."""
    sectors = component_bytes // SECTOR
    match ask.metadata:
        case "1.2":
            return (sectors + data_offset(ask)) * SECTOR
        case "0.90":
            return (round_up(sectors, 128) + 128) * SECTOR
        case "1.0":
            least = round_up(sectors, 8) + 24
            while _free_sectors(ask, least * SECTOR, 0) < sectors:
                least += sectors - _free_sectors(ask, least * SECTOR, 0)
                least = round_up(least, 8)
            return least * SECTOR


def joining_bytes(metadata: str, component_bytes: int, data_offset_bytes: int) -> int:
    """Bytes that mdadm wants of a device that joins an array that exists (Manage.c; avail_size of super0.c, super1.c).

    A superblock at the end takes 8 KiB and a log of bad blocks of 4 KiB, that of 0.90 the last whole 64 KiB.
    """
    sectors = component_bytes // SECTOR
    match metadata[:3]:
        case "0.9":
            return (round_up(sectors, 128) + 128) * SECTOR
        case "1.0":
            return data_offset_bytes + (round_up(sectors, 8) + 24) * SECTOR
        case _:
            return data_offset_bytes + component_bytes


def data_offset(ask: ArrayRequest) -> int:
    """Sectors before the data on every member; computed from the first device (super1.c:validate_geometry1)."""
    if ask.metadata != "1.2":
        return 0
    if ask.data_offset_sectors is not None:
        return ask.data_offset_sectors
    first = ask.member_bytes[0] // SECTOR
    reserved = _PPL_SECTORS if ask.ppl else bitmap_space(first)
    headroom = 128 * MIB // SECTOR
    while headroom * 1024 > first and (ask.chunk_kib == 0 or headroom // 2 >= 4 * ask.chunk_kib):
        headroom //= 2
    return round_up(24 + reserved + headroom, 2048)


def fits(ask: ArrayRequest, size_bytes: int) -> bool:
    """True if a device of `size_bytes` holds the metadata and at least one chunk (64 KiB on RAID1) as a member."""
    least = ask.chunk_bytes if ask.chunk_kib else 64 * KIB
    return _free_sectors(ask, size_bytes, data_offset(ask)) * SECTOR >= least


def least_data_offset(ask: ArrayRequest, component: int) -> int:
    """Sectors that metadata 1.2 needs before the data; `component` is in KiB.

    With less mdadm puts the bad block log into the bitmap or the partial parity log (super1.c:write_init_super1).
    """
    if ask.ppl:
        return _SUPERBLOCK_END + _PPL_SECTORS + _BAD_BLOCK_LOG
    chunk = _bitmap_chunk(ask, component)
    if chunk is None:
        return _SUPERBLOCK_END + _BAD_BLOCK_LOG
    bits = -(-_bitmap_covers(ask, component) * KIB // chunk)
    return _SUPERBLOCK_END + round_up(-(-bits // 8) + _BITMAP_HEAD, 8 * SECTOR) // SECTOR + _BAD_BLOCK_LOG


def bitmap_space(sectors: int) -> int:
    """Sectors that 1.x metadata reserves for a bitmap on a device of `sectors` (super1.c:choose_bm_space)."""
    if sectors < 128:
        return 0
    if sectors - 128 >= 200 * 1024 * MIB // SECTOR:
        return 256
    return 128 if sectors - 8 > 8 * 1024 * MIB // SECTOR else 8


def component_kib(ask: ArrayRequest, offset: int) -> int:
    """KiB used of each device: the minimum over all devices, spares included (Create.c)."""
    devices = ask.member_bytes + ask.spare_bytes
    if ask.device_bytes is not None and ask.level != "raid0":
        devices += (ask.device_bytes,)
    least = max(0, _free_sectors(ask, min(devices), offset) // 2)
    if ask.most_bytes is not None and ask.level != "raid0":
        least = min(least, ask.most_bytes // KIB)
    if ask.level == "raid1":
        return least & ~63
    return least & ~(ask.chunk_kib - 1) if ask.level != "raid0" else least


def stacked_io_opt(own: int, devices: Sequence[int]) -> int:
    """optimal_io_size in bytes: the least common multiple of the array's own and each device's, wrapped to 32 bits.

    block/blk-settings.c:blk_stack_limits; a device that reports 0 has no effect.
    """
    for other in devices:
        own = (lcm(own, other) if own and other else own or other) & 0xFFFFFFFF
    return own


def _free_sectors(ask: ArrayRequest, size_bytes: int, offset: int) -> int:
    sectors = size_bytes // SECTOR
    match ask.metadata:
        case "1.2":
            return sectors - offset
        case "1.0":
            # super1.c:write_init_super1 keeps no bitmap space where there is no component, as on RAID0
            space = 0 if ask.level == "raid0" else _PPL_SECTORS if ask.ppl else bitmap_space(sectors)
            return round_down(sectors, 8) - 24 - space
        case "0.90":
            return round_down(sectors, 128) - 128


def _full_stripe(ask: ArrayRequest, members: int) -> int:
    """Bytes of data in a full stripe; 0 without chunks. The kernel multiplies io_opt by as many members."""
    if ask.level == "raid1":
        return 0
    if ask.level == "raid10" and ask.spread == "n" and members % ask.copies == 0:
        return ask.chunk_bytes * (members // ask.copies)
    return ask.chunk_bytes * (members - PARITY[ask.level])


def _array_sectors(ask: ArrayRequest, offset: int, component: int, members: int) -> int:
    chunk = ask.chunk_bytes // SECTOR
    match ask.level:
        case "raid0":
            # raid0.c rounds down to the chunk in create_strip_zones, then masks again in raid0_size as if the
            # chunk were a power of two: for other chunks a few sectors more are lost.
            sizes = Counter(ask.member_bytes)
            free = {size: round_down(max(0, _free_sectors(ask, size, offset)), chunk) & ~(chunk - 1) for size in sizes}
            if len(sizes) == 1:
                return members * free[ask.member_bytes[0]]
            return sum(free[size] * count for size, count in sizes.items())
        case "raid1":
            return component * 2
        case "raid4" | "raid5" | "raid6":
            return component * 2 * (members - PARITY[ask.level])
        case "raid10":
            return _raid10_chunks(ask, component, members) * chunk


def _raid10_chunks(ask: ArrayRequest, component: int, members: int) -> int:
    near, far = (ask.copies, 1) if ask.spread == "n" else (1, ask.copies)
    return component // ask.chunk_kib // far * members // near


def _component_bytes(ask: ArrayRequest, component: int, members: int) -> int | None:
    if ask.level == "raid0":
        return None
    if ask.level != "raid10":
        return component * KIB
    # raid10.c:calc_sectors uses no more of each member than whole stripes of copies need
    return -(-_raid10_chunks(ask, component, members) * ask.copies // members) * ask.chunk_bytes


def _bitmap_chunk(ask: ArrayRequest, component: int) -> int | None:
    if ask.level == "raid0" or ask.ppl or ask.bitmap == "none":
        return None
    if ask.bitmap == "auto" and ask.bitmap_chunk_bytes is None and component <= AUTO_BITMAP_KIB:
        return None
    least = least_bitmap_chunk(ask, component)
    if least is None:
        return None
    return ask.bitmap_chunk_bytes or max(least, _LEAST_BITMAP_CHUNK)


def least_bitmap_chunk(ask: ArrayRequest, component: int) -> int | None:
    """Smallest chunk in bytes whose bitmap fits the space reserved for it (super1.c:add_internal_bitmap1).

    `component` is in KiB. None: no space is reserved.
    """
    room = 60 * KIB + _BITMAP_HEAD if ask.metadata == "0.90" else bitmap_space(component * 2) * SECTOR
    return least_chunk_within(room, _bitmap_covers(ask, component) * KIB)


def least_chunk_within(room_bytes: int, covered_bytes: int) -> int | None:
    """Smallest chunk in bytes whose bitmap of so many bytes fits the room; None: no bitmap does."""
    most_bits = (room_bytes - _BITMAP_HEAD) * 8
    if most_bits <= 0:
        return None
    chunk = 4 * KIB
    bits = covered_bytes // chunk + 1
    while bits > most_bits:
        chunk *= 2
        bits = (bits + 1) // 2
    return chunk


def bitmap_bytes(covered_bytes: int, chunk_bytes: int) -> int:
    """Bytes of a bitmap with a bit for each chunk, and of its head."""
    return -(-(covered_bytes // chunk_bytes + 1) // 8) + _BITMAP_HEAD


def _bitmap_covers(ask: ArrayRequest, component: int) -> int:
    """KiB that the bitmap covers: of a member, but of RAID10 the data of the array."""
    return component * len(ask.member_bytes) // ask.copies if ask.level == "raid10" else component


def _md_layout(ask: ArrayRequest) -> str | None:
    match ask.level:
        case "raid5" | "raid6":
            return "left-symmetric"
        case "raid10":
            return f"{ask.spread}{ask.copies}"
        case "raid0" | "raid1" | "raid4":
            return None


# Converts a design into the ArrayRequest of each array: the options of `mdadm --create`.


def array_request(design: Design, share: ArrayDisks) -> ArrayRequest:
    """The `mdadm --create` options of the array on `share`."""
    return ArrayRequest(
        level=design.layout.first.md_level,
        member_bytes=tuple(disk.size_bytes for disk in share.members),
        spare_bytes=tuple(disk.size_bytes for disk in share.spares),
        chunk_bytes=design.chunk_bytes,
        metadata=design.metadata,
        bitmap="none" if design.journal_disks else design.bitmap,
        bitmap_chunk_bytes=design.bitmap_chunk_bytes,
        data_offset_sectors=None if design.data_offset_bytes is None else design.data_offset_bytes // SECTOR,
        ppl=design.ppl,
        copies=design.layout.first.copies,
        spread=design.layout.first.spread,
        device_bytes=design.member_bytes,
        most_bytes=design.trial.slice_bytes if design.trial else None,
        io_min_bytes=max(disk.physical_sector_bytes for disk in share.disks),  # raid5_run stacks a journal, too
        io_opt_bytes=tuple(disk.optimal_io_bytes for disk in share.disks if disk.optimal_io_bytes),
    )


def mirror_request(share: ArrayDisks) -> ArrayRequest:
    """The `mdadm --create` options of the mirror that carries the write journal of the array on `share`."""
    return ArrayRequest(
        level="raid1",
        member_bytes=tuple(disk.size_bytes for disk in share.journal),
        chunk_bytes=DEFAULT_CHUNK,
        bitmap="internal",
        io_min_bytes=max(disk.physical_sector_bytes for disk in share.journal),
        io_opt_bytes=tuple(disk.optimal_io_bytes for disk in share.journal if disk.optimal_io_bytes),
    )


def outer_array_request(design: Design, arrays: Sequence[ArrayGeometry]) -> ArrayRequest:
    """The `mdadm --create` options of the RAID0 over `arrays`.

    Its chunk is the full stripe of the narrowest (for mirrors the design's chunk), and its data starts on a full stripe
    of every array: the 129 MiB that mdadm chooses by itself is a multiple of hardly any.
    """
    ask = ArrayRequest(
        level="raid0",
        member_bytes=tuple(array.array_bytes for array in arrays),
        chunk_bytes=min(full_stripes(design, arrays)),
        metadata=design.metadata,
        io_min_bytes=max(array.io_min_bytes for array in arrays),
        io_opt_bytes=tuple(array.io_opt_bytes for array in arrays if array.io_opt_bytes),
    )
    return replace(ask, data_offset_sectors=round_up(data_offset(ask), lcm(*full_stripes(design, arrays)) // SECTOR))


def full_stripes(design: Design, arrays: Sequence[ArrayGeometry]) -> tuple[int, ...]:
    """Bytes of data in a full stripe of each array, the design's chunk for mirrors."""
    return tuple(array.full_stripe_bytes or design.chunk_bytes for array in arrays)
