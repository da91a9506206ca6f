"""What installers build where their format does not state a value; the version of each source that was read is given.

curtin 737e305d (July 2026), Subiquity 44e42fc6 (August 2026), Ignition a5d574a8 (July 2026), disko 878ec37 (March
2026), linux-system-roles.storage c0b1c71 (August 2026), blivet 8c63a2aa and anaconda 8eddd3c9 (2026), mdadm d1447022
(July 2026).
"""

from __future__ import annotations

from raidtui.installers.plan_view import FileSystemView, PlanView
from raidtui.values.design import DEFAULT_CHUNK
from raidtui.values.units import GIB, KIB, SECTOR, exact_binary

NO_BITMAP_WITH_RUN = (4, 4)
"""mdadm 4.4 and later makes no bitmap unless told to, where --run keeps it from asking (mdadm.c, commit e97c4e18)"""
_AUTO_BITMAP_KIB = 100 * GIB // KIB
"""members above this got an internal bitmap of themselves until mdadm 4.3 (Create.c)"""
ALL_OF_DISK = "one partition over each disk"
LVM_EXTENT = "4 MiB, from 1 MiB on"
"""lvm.conf's physical_extent_size and default_data_alignment"""


def mdadm_chunk(view: PlanView) -> str:
    """mdadm's chunk."""
    return exact_binary(DEFAULT_CHUNK) if view.arrays[0].geometry.chunk_bytes else ""


def mdadm_layout(view: PlanView) -> str:
    """mdadm's layout of the level (Create.c, map_name of default_layout)."""
    return {"raid10": "n2"}.get(view.arrays[0].level, "left-symmetric" if view.arrays[0].level != "raid1" else "")


def mdadm_bitmap(view: PlanView) -> str:
    """Bitmap that mdadm --create --run makes of itself; where mdadm's version is not known, the current one's."""
    target = view.plan.design.target
    version = None if target is None else target.mdadm_version
    component = view.arrays[0].geometry.component_bytes or 0
    if version is None or version >= NO_BITMAP_WITH_RUN:
        return "none"
    return "internal" if component // KIB > _AUTO_BITMAP_KIB else "none"


def internal_bitmap(view: PlanView) -> str:
    """blivet asks for an internal bitmap on every level with redundancy (devices/md.py, create_bitmap)."""
    return "internal" if view.arrays[0].level != "raid0" else ""


def partition_of_all(view: PlanView) -> str:
    """One partition over each disk, where the plan has whole disks as members."""
    return "" if view.on_partitions else ALL_OF_DISK


def partition_of_stated_size(view: PlanView) -> str:
    """One partition over each disk, where the plan states how large each is."""
    stated = view.plan.design.partitions
    return "" if stated is None or stated.size_bytes is None else ALL_OF_DISK


def linear_volume(view: PlanView) -> str:
    """A logical volume without stripes, or mdadm's chunk of a RAID0 over arrays."""
    if view.outer is not None:
        return f"RAID0 over {len(view.arrays)} arrays, chunk {exact_binary(DEFAULT_CHUNK)}"
    return "linear volume, array after array" if view.volume is not None else ""


def own_mkfs(view: PlanView) -> str:
    """Options of mkfs are left out where they would be those of another volume."""
    return f"mkfs.{view.filesystems[0].type} with what it detects" if view.filesystems else ""


def mkfs_by_blivet(view: PlanView) -> str:
    """Where arrays get the plan's chunk: its options of mkfs hold unless volume or layout, so the stripe, differ."""
    joined = view.volume is not None or view.outer is not None
    differs = view.arrays[0].level == "raid10" and mdadm_layout(view) != view.arrays[0].geometry.md_layout
    return own_mkfs(view) if joined or differs else ""


def options_by_blivet(view: PlanView, made: FileSystemView) -> tuple[str, ...]:
    """The options of mkfs that a file of blivet's states: all, or the UUID alone where they do not hold."""
    return made.uuid_option if mkfs_by_blivet(view) else made.mkfs_options_with_uuid


def mkfs_by_curtin(view: PlanView) -> str:
    """Where arrays get mdadm's chunk: the plan's options of mkfs hold if that is the plan's, too.

    curtin adds -s itself on disks of 4096-byte logical sectors; mkfs.xfs takes it only once (block/mkfs.py).
    """
    other = view.arrays[0].geometry.chunk_bytes not in (None, DEFAULT_CHUNK)
    states_sector = any(disk.logical_sector_bytes > SECTOR for disk in view.plan.disks)
    return own_mkfs(view) if other or states_sector else mkfs_by_blivet(view)


def anaconda_extent(view: PlanView) -> str:
    """anaconda takes extents that are a power of two alone (_execute_volume_group_data)."""
    return "" if view.volume is None or anaconda_takes(view.volume.extent_bytes) else LVM_EXTENT


def anaconda_takes(extent_bytes: int) -> bool:
    """True for an extent size that the volgroup command may state."""
    return extent_bytes & (extent_bytes - 1) == 0


def lvm_extent(view: PlanView) -> str:
    """LVM's own."""
    return LVM_EXTENT if view.volume is not None else ""
