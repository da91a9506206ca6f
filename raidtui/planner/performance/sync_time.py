"""How long a design's arrays take: to rebuild a member, and for their first sync."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raidtui.model.assumptions import DEFAULTS, Assumptions
from raidtui.model.design import Design
from raidtui.model.durability import Rebuild
from raidtui.model.geometry import Prediction
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.layout import AnyLayout, HybridLayout
from raidtui.model.speed import DiskSpeed
from raidtui.planner.geometry.bands import on_disks
from raidtui.planner.members import ArrayDisks, disks_by_array, disks_of
from raidtui.planner.performance.band_rates import band_arrays, band_rebuild
from raidtui.planner.performance.disk_speed import speed_table
from raidtui.planner.performance.rebuild_time import busy_members, rebuild, slower_first
from raidtui.planner.performance.shared_links import Links, shared_links, sync_link


def rebuild_time(
    layout: AnyLayout,
    shares: Sequence[ArrayDisks],
    component_bytes: int,
    links: Links,
    assumptions: Assumptions,
    measured: Mapping[str, DiskSpeed] = {},
) -> Rebuild | None:
    """Time to rebuild a member of `component_bytes` on the slowest disk of `shares`; None without redundancy.

    Of arrays of unequal width it is the longest. `links` are those of the arrays' members.
    """
    members = [share.members for share in shares]
    slowest = min(speed_table(assumptions, measured).distinct(members), key=slower_first)
    times = [
        rebuild(group, component_bytes, slowest, assumptions, link=sync_link(links, busy=busy_members(group)))
        for group in layout.groups
    ]
    return max((time for time in times if time is not None), key=lambda time: time.hours, default=None)


def rebuild_of(
    design: Design, disks: Sequence[Disk], prediction: Prediction, inventory: Inventory, assumptions: Assumptions
) -> tuple[tuple[ArrayDisks, ...], Rebuild | None]:
    """The disks of each array, and the time to rebuild a member."""
    shares = disks_by_array(design.layout, disks_of(design.layout, disks))
    links = shared_links([share.members for share in shares], inventory, assumptions)
    return shares, rebuild_time(design.layout, shares, prediction.component_bytes, links, assumptions)


def first_sync_hours(
    design: Design, disks: Sequence[Disk], prediction: Prediction, inventory: Inventory
) -> float | None:
    """Hours of the first sync of all arrays on idle disks, with the default assumptions; None without redundancy.

    All arrays sync at the same time, each as fast as a rebuild; those of bands share disks: one after the other.
    """
    if not design.layout.survives or not prediction.has_sizes:
        return None
    if isinstance(design.layout, HybridLayout):
        bands = band_arrays(on_disks(design, disks), disks, DEFAULTS, {})
        time = band_rebuild(bands, [array.component_bytes or 0 for array in prediction.arrays], inventory)
    else:
        _, time = rebuild_of(design, disks, prediction, inventory, DEFAULTS)
    return None if time is None else round(time.idle_hours, 3)


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
    return sum(sizes) if isinstance(design.layout, HybridLayout) else max(sizes)
