"""Kinds of disks: most disks of a machine agree in all that sizes and findings depend on."""

from __future__ import annotations

from dataclasses import dataclass

from raidtui.model.inventory import Disk, Lun
from raidtui.planner.drive_families import is_shingled
from raidtui.planner.holds import is_path
from raidtui.planner.per_disk import PerDisk


@dataclass(frozen=True, slots=True, eq=False)
class DiskKind:
    """What alike disks have in common, one object for all of them; the fields are those of `Disk`."""

    size_bytes: int
    logical_sector_bytes: int
    physical_sector_bytes: int
    optimal_io_bytes: int
    rotational: bool | None
    lun: Lun | None
    remarkable: bool
    """True if anything in a disk's own state can be a finding"""


def _fields(disk: Disk) -> tuple[int, int, int, int, bool | None, Lun | None, bool]:
    remarkable = bool(
        disk.state != "blank"
        or disk.not_selectable is not None
        or disk.protected
        or disk.zoned != "none"
        or is_shingled(disk)
        or (disk.smart is not None and disk.smart.healthy is False)
        or (disk.uses and is_path(disk))
        or disk.bound_by_path
        or disk.multipath
        or disk.nominal_size
    )
    return (
        disk.size_bytes, disk.logical_sector_bytes, disk.physical_sector_bytes, disk.optimal_io_bytes, disk.rotational,
        disk.lun, remarkable,
    )  # fmt: skip


DISK_KINDS = PerDisk(lambda disk: DiskKind(*_fields(disk)), like=_fields)
"""the kind of each disk"""
