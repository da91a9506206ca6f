"""How long arrays take: to rebuild a member, for their first sync, and for another shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from raidtui.predict.speed.disk_speed import speed_table
from raidtui.predict.speed.rebuild_time import busy_members, rebuild, slower_first
from raidtui.predict.speed.shared_links import shared_links, sync_link
from raidtui.predict.speed.tunables import tuned
from raidtui.predict.speed.volume import band_arrays, band_rebuild
from raidtui.sizes.partitions import on_disks
from raidtui.values.assumptions import DEFAULTS, Assumptions
from raidtui.values.design import Design
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.layout import ArrayShape
from raidtui.values.members import disks_by_array, disks_of
from raidtui.values.prediction import FirstSyncHours, Prediction, Rebuild
from raidtui.values.units import KIB


def rebuild_of(
    design: Design,
    disks: Sequence[Disk],
    prediction: Prediction,
    inventory: Inventory,
    assumptions: Assumptions,
    *,
    first_sync: bool = False,
) -> Rebuild | None:
    """Time to rebuild a member of `design` on the slowest of the first of `disks`; None without redundancy.

    Of arrays of unequal width it is the longest; bands share the disks, so that one follows the other. `first_sync`:
    time of the first sync instead, of which md counts every copy in a RAID10.
    """
    layout = design.layout
    if layout.hybrid is not None:
        bands = band_arrays(on_disks(design, disks), disks, assumptions)
        return band_rebuild(bands, [array.component_bytes or 0 for array in prediction.arrays], inventory)
    members = [share.members for share in disks_by_array(layout, disks_of(layout, disks))]
    links = shared_links(members, inventory, assumptions)
    slowest = min(speed_table(assumptions).distinct(members), key=slower_first)
    times = []
    for shape in (group.shape for group in layout.groups):
        said, busy = assumptions, busy_members(shape)
        if first_sync and shape.level == "raid10":
            most = int(assumptions.sync_max_bytes_per_s / counted_per_member_byte(shape))
            said, busy = replace(assumptions, sync_max_bytes_per_s=most), shape.members
        times.append(rebuild(shape, prediction.component_bytes, slowest, said, link=sync_link(links, busy=busy)))
    return max((time for time in times if time is not None), key=lambda time: time.hours, default=None)


def first_sync_hours(
    design: Design, disks: Sequence[Disk], prediction: Prediction, inventory: Inventory
) -> float | None:
    """Hours of the first sync of all arrays on idle disks, with the default assumptions; None without redundancy.

    All arrays sync at the same time, each as fast as a rebuild, but for RAID10, of which md counts the array's sectors
    against sync_speed_max; those of bands share disks: one after the other. Source: md/raid10.c raid10_run, md/md.c
    md_do_sync.
    """
    if not design.layout.survives or not prediction.has_sizes:
        return None
    time = rebuild_of(design, disks, prediction, inventory, tuned(DEFAULTS, design), first_sync=True)
    return None if time is None else round(time.idle_hours, 3)


def counted_per_member_byte(shape: ArrayShape) -> float:
    """Bytes that md counts in a first sync, a check or a repair for each byte of a member: of RAID10 the array's, of
    other levels those of one member. Source: md/raid10.c raid10_run, resync_max_sectors."""
    return shape.members / shape.copies if shape.level == "raid10" else 1.0


def counted_bytes(design: Design, prediction: Prediction) -> float:
    """Most bytes that md counts in the first sync of one of the arrays, or of the bands that share disks."""
    return synced_bytes(design, prediction) * max(counted_per_member_byte(shape) for shape in design.layout.shapes)


REWRITTEN = (0.2, 0.3, 0.45)
"""rate of a first sync that finds parity wrong, over one that finds it right: low, point, high. RAID6 of four used
disks of 2 TB made 21 to 41 MB/s a member, 101 where the parity was right (public reports): md writes P and Q behind
where it has read, and the heads go back for that"""


def rewriting_hours(design: Design, hours: float) -> tuple[float, float, float] | None:
    """(least, expected, most) hours of a first sync over what used disks hold; `hours`: where parity is right.

    None where no parity is rewritten: mdadm builds the last member of RAID4 and RAID5 anew, and mirrors are copied.
    """
    if all(shape.level != "raid6" for shape in design.layout.shapes):
        return None
    low, point, high = (hours / share for share in reversed(REWRITTEN))
    return low, point, high


def first_sync(
    design: Design, disks: Sequence[Disk], prediction: Prediction, inventory: Inventory
) -> FirstSyncHours | None:
    """Both times of the first sync; None without redundancy, and where the members are zeroed in its place."""
    idle = None if design.zeroes else first_sync_hours(design, disks, prediction, inventory)
    if idle is None:
        return None
    least, _, most = rewriting_hours(design, idle) or (None, None, None)
    return FirstSyncHours(hours=idle, least_used_hours=least, most_used_hours=most)


def zeroing_hours(design: Design, disks: Sequence[Disk], prediction: Prediction) -> float | None:
    """Hours of zeroing all members at the same time if each zeroes as fast as it writes, by the default assumptions.

    None without redundancy. No data crosses a link for that: Write Zeroes names a range.
    """
    if not design.layout.survives or not prediction.has_sizes:
        return None
    slowest = min(speed.write_bytes_per_s for speed in speed_table(DEFAULTS).distinct([disks]))
    return round(synced_bytes(design, prediction) / slowest / 3600, 3)


def synced_bytes(design: Design, prediction: Prediction) -> int:
    """Most bytes of one disk that are in arrays: of the largest component; of bands all, which share disks."""
    sizes = [array.component_bytes or 0 for array in prediction.arrays]
    return sum(sizes) if design.layout.hybrid else max(sizes)


RESHAPED = (24e6, 72e6)
"""bytes a second of each hard disk while md moves every stripe to another place; seven public reports, one of them
above: 24 to 28 (two), 37, 42, 56, 64 and 77 MB/s"""
IN_BACKUP_FILE = (4e6, 12e6)
"""the same where mdadm copies every stripe to a backup file first, some MiB at a time with an fsync each: two reports,
7.0 and 7.3 MB/s (Grow.c, progress_reshape)"""
SMALL_IN_BACKUP_FILE = (1.6e6, 4.7e6)
"""the same with chunks of less than 64 KiB: one report, 2.7 MB/s at 4 KiB"""
_SMALL_CHUNK = 64 * KIB


def reshape_hours(component_bytes: int, least_chunk_bytes: int, *, in_file: bool) -> tuple[float, float] | None:
    """(least, most) hours of a reshape of hard disks, `component_bytes` of each; None where nobody reported one.

    `in_file`: all of it goes through a backup file. `least_chunk_bytes`: the smaller one of the old and the new chunk.
    """
    small = least_chunk_bytes < _SMALL_CHUNK
    if small and not in_file:
        return None
    slow, fast = (SMALL_IN_BACKUP_FILE if small else IN_BACKUP_FILE) if in_file else RESHAPED
    return component_bytes / fast / 3600, component_bytes / slow / 3600
