"""Geometry of one striped or linear logical volume over arrays: start, size and number of its extents.

Source: lvm2 2.03.16 (pvcreate --dataalignment, vgcreate -s, lvcreate -i -I -l 100%FREE).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm

from raidtui.values.design import Design
from raidtui.values.inventory import Disk, Lun
from raidtui.values.layout import ArrayShape
from raidtui.values.prediction import ArrayGeometry, CryptGeometry, LvmGeometry
from raidtui.values.units import KIB, MIB, round_up

_EXTENT_STEP = 128 * KIB
"""an extent size that is not a power of two must be a multiple of this"""


def extent_bytes(full_stripe: int) -> int:
    """The smallest legal extent of at least 1 MiB that is a whole number of full stripes of `full_stripe` bytes."""
    return round_up(MIB, lcm(full_stripe, _EXTENT_STEP))


def lvm_geometry(array_bytes: Sequence[int], *, full_stripe: int, stripe_bytes: int) -> LvmGeometry:
    """The volume over arrays of `array_bytes` each, striped over all of them by `stripe_bytes`.

    `full_stripe` is the data in one full stripe of an array, or the LVM stripe for levels without stripes; a common
    multiple where the arrays' full stripes differ.
    The first extent starts at one extent from the start of each array (`pvcreate --dataalignment`), so every
    extent begins on a full stripe. Unequal arrays give as many extents as the smallest has.
    """
    extent, extents_each = striped_extents(min(array_bytes), full_stripe)
    return LvmGeometry(
        pe_start_bytes=extent,
        extent_bytes=extent,
        stripes=len(array_bytes),
        stripe_bytes=stripe_bytes,
        extents=len(array_bytes) * extents_each,
    )


def striped_extents(array_bytes: int, full_stripe: int) -> tuple[int, int]:
    """(bytes of an extent, extents of each array) of `lvm_geometry` over arrays of at least `array_bytes`."""
    extent = extent_bytes(full_stripe)
    return extent, max(0, (array_bytes - extent) // extent)


def linear_geometry(array_bytes: Sequence[int], *, full_stripe: int, chunk: int) -> LvmGeometry:
    """The volume that takes all extents of arrays of `array_bytes` each, one array after another (--type linear).

    LVM takes the largest array first (lib/metadata/lv_manip.c sorts the areas by size).

    `full_stripe` is that of the array which the file system is aligned to: the first extent of every array starts at a
    multiple of it. An extent of at least 4 MiB, LVM's default, is a whole number of chunks of `chunk` bytes.
    """
    start, extent = extent_bytes(full_stripe), round_up(4 * MIB, lcm(chunk, _EXTENT_STEP))
    return LvmGeometry(
        pe_start_bytes=start,
        extent_bytes=extent,
        stripes=1,
        stripe_bytes=0,
        extents=sum(max(0, (size - start) // extent) for size in array_bytes),
    )


def joined_bytes(arrays: Sequence[ArrayGeometry], crypts: Sequence[CryptGeometry] | None) -> list[int]:
    """Bytes of each device that a volume joins: of the arrays, or of what is opened on them."""
    if crypts is None:
        return [array.array_bytes for array in arrays]
    return [crypt.size_bytes for crypt in crypts]


def free_extents(volume: LvmGeometry, array_bytes: Sequence[int]) -> int:
    """Extents of larger arrays that the volume over arrays of `array_bytes` leaves free in its volume group."""
    return sum((size - volume.pe_start_bytes) // volume.extent_bytes for size in array_bytes) - volume.extents


# The true full stripe of a volume, which mkfs is told because the layers do not report it.


def true_stripe(design: Design, file_system: int = 0, lun: Lun | None = None) -> tuple[int, int]:
    """(bytes of a stripe unit, units in a full stripe) to pass to mkfs, regardless of the volume's reported topology.

    `file_system` is its number if each array has its own. (0, 0) for a single mirror or disk, which has no stripe. On a
    volume over arrays of unequal width it is a full stripe of the narrowest from every array: the most that fills one
    of each; on a linear volume over bands that of the array which holds most, since they have no stripe in common.
    `lun`: the geometry that all disks have behind their controllers. LVM over LUNs stripes by their chunk, so the unit
    is that chunk and the width all data drives; an md RAID0 keeps that where its chunk is a whole number of their full
    stripes, else the unit is md's chunk.
    """
    layout = design.layout
    if layout.hybrid is not None:
        widest = layout.hybrid.widest_stripe
        return (design.chunk_bytes, widest.data) if widest.parity else (0, 0)
    if design.stack == "separate":
        return joined_stripe(layout.shapes[file_system], 1, design.chunk_bytes, lun)
    narrowest = min((group.shape for group in layout.groups), key=lambda shape: shape.data)
    return joined_stripe(narrowest, layout.arrays, design.chunk_bytes, lun)


def joined_stripe(shape: ArrayShape, joined: int, chunk_bytes: int, lun: Lun | None = None) -> tuple[int, int]:
    """`true_stripe` of a volume over `joined` arrays, of which the narrowest is shaped as those of `shape`."""
    if shape.level == "disk":
        unit, width = (lun.chunk_bytes, lun.data) if lun else (chunk_bytes, 1)
        return (unit, joined * width) if lun or joined > 1 else (0, 0)
    if shape.level == "raid1" and joined == 1:
        return (lun.chunk_bytes, lun.data) if lun else (0, 0)
    unit, width = chunk_bytes, 1
    if lun is not None and shape.level == "raid0" and chunk_bytes % lun.full_stripe_bytes == 0:
        unit, width = lun.chunk_bytes, lun.data
    return unit, width * joined * shape.data


# A disk or LUN without md: its size is that of the device, its stripe that of the LUN where its geometry is stated.


_READ_AHEAD_KIB = 128
"""read_ahead_kb that the kernel sets at least (block/blk-settings.c)"""


def plain_geometry(disk: Disk) -> ArrayGeometry:
    """The device as it is. `io_min_bytes` and `io_opt_bytes` are what it reports, which for a LUN may be nothing."""
    lun = disk.lun
    return ArrayGeometry(
        level="disk",
        members=1,
        spares=0,
        chunk_bytes=lun.chunk_bytes if lun else None,
        data_offset_sectors=0,
        array_bytes=disk.size_bytes,
        io_min_bytes=disk.physical_sector_bytes,
        io_opt_bytes=disk.optimal_io_bytes,
        full_stripe_bytes=lun.full_stripe_bytes if lun else 0,
        read_ahead_kib=max(_READ_AHEAD_KIB, 2 * disk.optimal_io_bytes // KIB),
    )


def common_lun(disks: Sequence[Disk]) -> Lun | None:
    """The geometry of the LUNs if all disks are LUNs of one geometry, whatever their drives' rates; else None."""
    lun = disks[0].lun if disks else None
    return lun if lun and all(disk.lun and disk.lun.shape == lun.shape for disk in disks) else None
