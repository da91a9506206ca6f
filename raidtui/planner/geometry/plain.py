"""A disk or LUN without md: its size is that of the device, its stripe that of the LUN where its geometry is stated."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.model.geometry import ArrayGeometry
from raidtui.model.inventory import Disk, Lun
from raidtui.model.units import KIB

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
