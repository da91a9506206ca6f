"""Geometry of one striped or linear logical volume over arrays: start, size and number of its extents.

Source: lvm2 2.03.16 (pvcreate --dataalignment, vgcreate -s, lvcreate -i -I -l 100%FREE).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm

from raidtui.model.geometry import LvmGeometry
from raidtui.model.units import KIB, MIB, round_up

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


def free_extents(volume: LvmGeometry, array_bytes: Sequence[int]) -> int:
    """Extents of larger arrays that the volume over arrays of `array_bytes` leaves free in its volume group."""
    return sum((size - volume.pe_start_bytes) // volume.extent_bytes for size in array_bytes) - volume.extents
