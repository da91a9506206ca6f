"""Errors that follow from the design alone, for any disks: counts, chunk, options."""

from __future__ import annotations

from collections.abc import Iterator

from raidtui.predict.checks.encryption import check_encryption
from raidtui.predict.checks.journal import check_journal
from raidtui.sizes.xfs import BLOCK
from raidtui.values.amounts import rate, spares_text
from raidtui.values.design import Design
from raidtui.values.findings import Finding, error, note, warning
from raidtui.values.inventory import Lun
from raidtui.values.layout import ArrayGroup, Layout, least_members
from raidtui.values.units import GIB, KIB, MIB, counted, exact_binary

NO_DISK_WAY_OUT = (
    "raidtui disks shows what uses each disk; --only takes disks with old content, --disks 60x2TB describes a purchase"
)
MOST_DEVICES = {"1.2": 1920, "1.0": 1920, "0.90": 27}
"""most members and spares per superblock (super1.c, md_p.h)"""
MOST_RAID6 = 255
"""at 256 the kernel hits a BUG in crypto/async_tx/async_pq.c"""
MOST_PPL = 64
"""raid5-ppl.c: one bit each in a 64-bit word"""
MOST_ARRAYS = 511
"""minors that mdadm hands out by itself (mdopen.c:find_free_devnm)"""
MOST_LVM_STRIPES = 128
_LEAST_CHUNK = 4 * KIB
_LARGE_CHUNK = 16 * MIB
_MOST_READ_AHEAD = GIB
_PAGE = 4 * KIB
_LEAST_BITMAP_CHUNK = 4 * KIB
_MOST_BITMAP_CHUNK = 2 * GIB
"""the superblock's field has 32 bits"""
_PAGE = 4 * KIB


def check_count(layout: Layout, disks: int, journals: int = 0) -> list[Finding]:
    """Error if there are fewer disks than the layout and `journals` need, note if there are more."""
    wanted = layout.disks + journals
    if disks < wanted:
        spares = f" and {spares_text(layout.spares)}" if layout.spares else ""
        spares += f", {journals} for write journals" if journals else ""
        members = counted(layout.member_disks, "member")
        return [
            error(
                "not-enough-disks",
                f"The layout needs {counted(wanted, 'disk')} ({members}{spares}), found {disks}.",
                f"select {wanted - disks} more, or choose a smaller layout" if disks else NO_DISK_WAY_OUT,
            )
        ]
    if disks > wanted:
        left = disks - wanted
        are, member, them = ("is", "a member or spare", "it") if left == 1 else ("are", "members or spares", "them")
        return [
            note(
                "disks-left-over",
                f"{left} of {counted(disks, 'disk')} {are} not used.",
                f"make {them} {member}, or keep {them} unused",
            )
        ]
    return []


def check_design(design: Design) -> list[Finding]:
    """Findings about levels, counts, chunk and options; an error means that mdadm, LVM or mkfs refuses the design."""
    return [
        *_counts(design),
        *_chunk(design),
        *_options(design),
        *_bitmap_chunk(design),
        *_data_offset(design),
        *_read_ahead(design),
        *_sync_floor(design),
        *check_encryption(design),
        *check_journal(design),
    ]


def _counts(design: Design) -> Iterator[Finding]:
    layout = design.layout
    least = least_members(layout.level, layout.first.copies)
    members = [group.shape.members for group in layout.groups]
    if min(members) < least:
        yield error(
            "too-few-members",
            f"{layout.level} needs at least {least} members, found {min(members)}.",
            "add members",
        )
        return
    devices = max(shape.members + layout.spares_of(array) for array, shape in enumerate(layout.shapes))
    most = MOST_DEVICES[design.metadata]
    if devices > most:
        yield error(
            "too-many-members",
            f"{devices} devices in one array: metadata {design.metadata} supports {most}, including spares.",
            "make several arrays" + (", or use metadata 1.2" if design.metadata == "0.90" else ""),
        )
    if layout.level == "raid6" and max(members) > MOST_RAID6:
        yield error(
            "too-many-members",
            f"RAID6 of {max(members)} members: the kernel crashes above {MOST_RAID6}.",
            "make several arrays of fewer members",
        )
    if design.ppl and max(members) > MOST_PPL:
        yield error(
            "too-many-members",
            f"{max(members)} members: a partial parity log supports at most {MOST_PPL}.",
            "make several arrays, or use a bitmap",
        )
    if layout.arrays > 1 and design.stack == "lvm" and layout.arrays > MOST_LVM_STRIPES:
        yield error(
            "too-many-arrays",
            f"{layout.arrays} arrays: LVM supports at most {MOST_LVM_STRIPES} stripes.",
            "make fewer, wider arrays, or use the md stack",
        )
    devices_made = layout.arrays + (1 if layout.arrays > 1 and design.stack == "md" else 0)
    if devices_made > MOST_ARRAYS:
        yield error(
            "too-many-arrays",
            f"{devices_made} md devices: mdadm can number at most {MOST_ARRAYS}.",
            "make fewer, wider arrays",
        )
    if layout.plain and layout.arrays > 1 and design.stack == "md":
        yield error(
            "md-over-disks",
            f"The md stack joins arrays, and {layout.arrays}x disk has none.",
            f"write raid0({layout.arrays}), or use the LVM stack",
            "stack",
        )
    if layout.plain and layout.spares:
        yield error(
            "spares-without-md",
            f"Disks without md have no use for spares; the layout has {layout.spares}.",
            "remove the spares, or choose a level with redundancy",
        )
    alone = layout.arrays == 1 or design.stack == "separate"
    if layout.plain and design.fs == "none" and alone and design.trial is None:
        yield error(
            "nothing-to-build",
            "A disk without md and without a file system: nothing is left to build.",
            "choose xfs or ext4",
            "fs",
        )
    if layout.level == "raid0" and layout.spares:
        yield error(
            "spares-on-raid0",
            f"RAID0 has no redundancy, so md accepts no spares; the layout has {layout.spares}.",
            "remove the spares, or choose a level with redundancy",
        )


def _read_ahead(design: Design) -> Iterator[Finding]:
    size, layout = design.read_ahead_bytes, design.layout
    if size is None:
        return
    if not 0 < size <= _MOST_READ_AHEAD or size % _PAGE:
        yield error(
            "read-ahead",
            f"Invalid read-ahead {exact_binary(size)}: expected 4 KiB to 1 GiB, in multiples of 4 KiB.",
            "leave it out for two full stripes",
        )
    elif design.fs == "none" or (layout.plain and (layout.arrays == 1 or design.stack == "separate")):
        yield error(
            "read-ahead-of-nothing",
            "A read-ahead needs a file system on an array or a volume: it is set where those are made.",
            "leave the read-ahead out",
        )


def _sync_floor(design: Design) -> Iterator[Finding]:
    least, most = design.sync_min_bytes_per_s, design.sync_max_bytes_per_s
    if least is not None and most is not None and least > most:
        yield error(
            "sync-floor",
            f"Invalid sync floor {rate(least)}: it is above the limit of a sync, {rate(most)}.",
            "state a lower --sync-min, or a higher --sync-max",
        )


def _chunk(design: Design) -> Iterator[Finding]:
    layout, chunk = design.layout, design.chunk_bytes
    joined = layout.arrays > 1 and design.stack != "separate"
    if layout.level in ("raid1", "disk") and not joined:
        return
    size = exact_binary(chunk)
    if chunk < _LEAST_CHUNK or chunk % KIB:
        yield error(
            "chunk-out-of-range",
            f"Invalid chunk {size}: mdadm needs at least 4 KiB, in whole KiB.",
            "use 64 KiB to 1 MiB; mdadm's default is 512 KiB",
            "chunk",
        )
        return
    power_of_two = chunk & (chunk - 1) == 0
    if not power_of_two and layout.level not in ("raid0", "raid1", "disk"):
        yield error(
            "chunk-not-power-of-two",
            f"Invalid chunk {size}: {layout.level} needs a power of two.",
            f"use {_powers_around(chunk)}",
            "chunk",
        )
    elif not power_of_two and joined and design.stack == "lvm":
        yield error(
            "chunk-not-power-of-two",
            f"Invalid chunk {size}: it is also the LVM stripe size, which must be a power of two.",
            f"use {_powers_around(chunk)}, or the md stack",
            "chunk",
        )
    elif design.fs != "none" and chunk % BLOCK:
        yield error(
            "chunk-not-block-multiple",
            f"Invalid chunk {size}: it is not a multiple of the file system's 4 KiB block.",
            "use a multiple of 4 KiB",
            "chunk",
        )
    elif chunk > _LARGE_CHUNK:
        yield warning(
            "chunk-large",
            f"A chunk of {size} is larger than any tested (16 MiB).",
            "use 64 KiB to 1 MiB unless a benchmark favours more",
            "chunk",
        )


def _powers_around(chunk: int) -> str:
    below = 1 << (chunk.bit_length() - 1)
    return f"{exact_binary(below)} or {exact_binary(below * 2)}"


def _options(design: Design) -> Iterator[Finding]:
    layout = design.layout
    outer_raid0 = layout.arrays > 1 and design.stack == "md"
    if design.metadata == "0.90" and (layout.level == "raid0" or outer_raid0):
        yield error(
            "raid0-needs-metadata-1",
            "Metadata 0.90 cannot record the layout of a RAID0, so mdadm refuses it.",
            "use metadata 1.2",
            "metadata",
        )
    if design.metadata == "1.0" and outer_raid0:
        # of several superblocks mdadm uses the newest one (util.c, guess_super_type; super1.c, load_super1)
        yield error(
            "stripe-shows-on-disks",
            "With metadata 1.0 the outer RAID0's superblock is visible on the disks: a boot might assemble them.",
            "use metadata 1.2",
            "metadata",
        )
    if design.ppl and layout.level != "raid5":
        yield error(
            "ppl-needs-raid5",
            f"The partial parity log exists for RAID5 only, not for {layout.level}.",
            "use a bitmap instead",
            "consistency-policy",
        )
    if design.ppl and design.bitmap == "internal":
        yield error(
            "ppl-with-bitmap",
            "An array has a partial parity log or a bitmap, not both.",
            "remove one of them",
            "bitmap",
        )
    if design.ppl and design.metadata == "0.90":
        yield error(
            "ppl-needs-metadata-1",
            "Metadata 0.90 has no room for a partial parity log.",
            "use metadata 1.2",
            "metadata",
        )
    if design.bitmap == "internal" and layout.plain:
        yield error(
            "bitmap-without-md",
            "A disk without md has no bitmap.",
            "set the bitmap to auto or none",
            "bitmap",
        )
    if design.bitmap == "internal" and layout.level == "raid0":
        yield error(
            "bitmap-on-raid0",
            "RAID0 has no redundancy to resync, so md accepts no bitmap.",
            "set the bitmap to auto or none",
            "bitmap",
        )
    if design.bitmap == "none" and layout.survives and not design.logs:
        yield note(
            "no-bitmap",
            "Without a bitmap every unclean shutdown causes a full resync.",
            "use an internal bitmap; with its 64 MiB chunk it costs little",
            "bitmap",
        )


def _bitmap_chunk(design: Design) -> Iterator[Finding]:
    chunk = design.bitmap_chunk_bytes
    if chunk is None:
        return
    if design.bitmap == "none" or design.logs or design.layout.level in ("raid0", "disk"):
        reason = "the bitmap is turned off" if design.bitmap == "none" else "the array has no bitmap"
        yield error(
            "bitmap-chunk-without-bitmap",
            f"A bitmap chunk of {exact_binary(chunk)} is stated, but {reason}.",
            "remove --bitmap-chunk, or choose an internal bitmap on a level with redundancy",
            "bitmap-chunk",
        )
    elif not _LEAST_BITMAP_CHUNK <= chunk <= _MOST_BITMAP_CHUNK or chunk & (chunk - 1):
        yield error(
            "bitmap-chunk-invalid",
            f"Invalid bitmap chunk {exact_binary(chunk)}: mdadm needs a power of two from 4 KiB to 2 GiB.",
            "use 64 MiB to 1 GiB; without --bitmap-chunk mdadm chooses",
            "bitmap-chunk",
        )


def _data_offset(design: Design) -> Iterator[Finding]:
    offset = design.data_offset_bytes
    if offset is None:
        return
    if design.layout.plain:
        yield error(
            "data-offset-without-md",
            "A disk without md has no data offset: its file system starts at its first byte.",
            "remove --data-offset, or choose a level of md",
            "data-offset",
        )
    elif design.metadata != "1.2":
        # 0.90 has no such field (super0.c); for 1.0 super1.c leaves room for the offset out of the member's size
        yield error(
            "data-offset-needs-metadata-1.2",
            f"With metadata {design.metadata} data starts at the beginning of each member: no data offset is possible.",
            "use metadata 1.2, or remove --data-offset",
            "data-offset",
        )
    elif offset % _PAGE:
        below = offset // _PAGE * _PAGE
        yield error(
            "data-offset-misaligned",
            f"Invalid data offset {exact_binary(offset)}: it lies inside a physical sector of 4 KiB.",
            f"use {exact_binary(below)} or {exact_binary(below + _PAGE)}; a multiple of 1 MiB is usual",
            "data-offset",
        )


# Advice on designs that md accepts: redundancy, width, spares.


_WIDE = 24
"""data disks above which an array is called wide"""
_WIDE_RAID5 = 8
"""members above which RAID5 is called wide"""


def check_advice(design: Design, lun: Lun | None = None) -> Iterator[Finding]:
    """Findings about risk, width and spares; none of them is an error. `lun`: the geometry that all disks share."""
    layout = design.layout
    widest = layout.widest.shape
    if layout.level == "raid0":
        together = widest.members if design.stack == "separate" else layout.member_disks
        yield warning(
            "raid0-no-redundancy",
            f"RAID0 over {together} disks: the first disk failure loses all data.",
            "use it only for data that can be recreated",
        )
    if layout.plain and lun is None:
        together = 1 if design.stack == "separate" else layout.arrays
        yield warning(
            "disk-no-redundancy",
            "A disk without md: its failure loses all data."
            if together == 1
            else f"A stripe over {together} disks without md: the first disk failure loses all data.",
            "use it only for data that can be recreated, or as the baseline of a benchmark",
        )
    if layout.level == "raid4":
        yield note(
            "raid4-parity-disk",
            "RAID4 writes all parity to one disk, which bounds small writes.",
            "use RAID5: the same capacity with distributed parity",
        )
    if layout.level == "raid5" and widest.members > _WIDE_RAID5:
        yield warning(
            "raid5-wide",
            f"RAID5 of {widest.members}: after one failure all sectors of {widest.members - 1} disks must be readable.",
            "use RAID6: one more disk, and it survives an unreadable sector",
        )
    if layout.level == "raid6" and min(group.shape.members for group in layout.groups) == 4:
        yield note(
            "raid6-of-four",
            "RAID6 of four has the capacity of RAID10: slower small writes, but any two disks may fail.",
            "use raid10(4) if write speed matters more",
        )
    if widest.data > _WIDE and layout.level not in ("raid0", "raid1"):
        yield warning(
            "wide-array",
            f"{widest.data} data disks in one array: rebuilds are slow and full-stripe writes rare.",
            f"use several arrays of fewer disks, such as {_narrower(layout.widest)}",
        )
    if 0 < layout.spares < layout.arrays:
        yield note(
            "spares-shared",
            f"Spares for {layout.spares} of {layout.arrays} arrays: the others rely on mdadm --monitor to move them.",
            "give every array its own spare, or keep the plan's spare-group and mdadm --monitor",
        )


def _narrower(group: ArrayGroup) -> str:
    parts = -(-group.shape.data // 12)
    return f"{parts * group.arrays} of about {-(-group.shape.members // parts)} members"
