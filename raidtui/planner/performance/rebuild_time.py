"""How long md takes to rebuild one member: the slowest of disk, sync_speed_max, link and md's own thread.

Held against published resync, recovery and check rates by tests/validation, which says which of them the constants of
the sync thread are fitted to. Kernels up to 5.13 are slower above 16 members.
"""

from __future__ import annotations

from dataclasses import dataclass

from raidtui.model.assumptions import Assumptions
from raidtui.model.durability import Rebuild
from raidtui.model.layout import Layout
from raidtui.model.limit import Limit
from raidtui.model.speed import DiskSpeed
from raidtui.model.units import decimal_size
from raidtui.planner.numbers import hours, rate
from raidtui.planner.performance.disk_zones import BEND, hours_to_pass

RAID6_SYNC = 2.6e9
"""bytes per second of all members together that the sync thread of one RAID6 moves (seen: 1.6 to 3.4)"""
RAID5_SYNC = 4.2e9
"""the same for RAID4 and RAID5"""
THREADED_SYNC = (2.1e9, 0.95e9)
"""with group_thread_cnt: a start and so much for each of 4 to 12 members (5.9 GB/s of 4 members, 13.5 of 12)"""
MIRROR_SYNC = 6.6e9
"""reading one copy and writing the other, together (one RAID1 of NVMe disks: 3.3 GB/s per member)"""
SLOW_SHARE = 0.25
"""share of the members' time in the slow case"""
_LEAST_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class Pace:
    """What holds a rebuild back beside the disk itself."""

    bytes_per_s: float
    """per member"""
    limit: Limit
    """what does"""
    formula: str
    """how it follows"""


def sync_rate(layout: Layout, assumptions: Assumptions, link: tuple[float, Limit] | None = None) -> Pace:
    """The lowest bound beside the disk: sync_speed_max, a link, or md's thread. The first named where they are equal.

    `link` is what the topology leaves each member while all of an array sync, bytes per second, and that link; a link
    that the admin said is shared by those members that take part.
    """
    found = [_sync_speed_max(assumptions), _sync_thread(layout, assumptions)]
    if link is not None:
        found.append(Pace(link[0], link[1], f"{rate(link[0])} of {link[1]} per member"))
    if assumptions.link_bytes_per_s is not None:
        busy, whole = busy_members(layout), assumptions.link_bytes_per_s
        found.append(Pace(whole / busy, Limit("link of all members"), f"{rate(whole)} link / {busy} members"))
    return min(found, key=lambda pace: pace.bytes_per_s)


def rebuild(
    layout: Layout,
    size_bytes: int,
    speed: DiskSpeed,
    assumptions: Assumptions,
    *,
    link: tuple[float, Limit] | None = None,
) -> Rebuild | None:
    """Time to rebuild one member of `size_bytes` where the slowest disk is `speed`; None where nothing is rebuilt.

    Other members are read once and the new one is written once, all in step. Raises ValueError for a size or rate
    that is not above 0.
    """
    if layout.survives == 0:
        return None
    if size_bytes <= 0:
        raise ValueError(f"no member has {size_bytes} bytes")
    outer = min(speed.read_bytes_per_s, speed.write_bytes_per_s)
    pace = sync_rate(layout, assumptions, link)
    idle = _pass_hours(layout, size_bytes, outer, speed.inner_share, pace.bytes_per_s)
    share = min(max(assumptions.rebuild_share, _LEAST_SHARE), 1.0)
    held = hours_to_pass(size_bytes, pace.bytes_per_s, 1.0, pace.bytes_per_s)
    alone = _pass_hours(layout, size_bytes, outer, speed.inner_share, float(outer))
    return Rebuild(
        hours=idle / share,
        idle_hours=idle,
        slow_hours=idle / SLOW_SHARE,
        bytes_per_s=int(size_bytes / idle / 3600),
        limit=Limit("member") if alone >= held else pace.limit,
        formula=f"{decimal_size(size_bytes)} at {_disk(outer, speed.inner_share)}, at most {pace.formula},"
        f" takes {hours(idle)} on an idle array; at {share:.0%} of the members' time {hours(idle / share)}",
    )


def _sync_speed_max(assumptions: Assumptions) -> Pace:
    most = assumptions.sync_max_bytes_per_s
    return Pace(float(most), Limit("sync_speed_max"), f"{rate(most)} sync_speed_max")


def _sync_thread(layout: Layout, assumptions: Assumptions) -> Pace:
    """One thread handles all members of a parity array; a mirror's copies one disk to another."""
    busy = busy_members(layout)
    if layout.parity == 0:
        total = MIRROR_SYNC
    elif assumptions.parity_threads > 0:
        start, each = THREADED_SYNC
        total = start + each * min(max(layout.members, 4), 12)
    else:
        total = RAID6_SYNC if layout.parity == 2 else RAID5_SYNC
    return Pace(total / busy, Limit("md sync thread"), f"{rate(total)} md sync thread / {busy} members")


def busy_members(layout: Layout) -> int:
    """Members that take part: all of a parity array, source and target of a mirror."""
    return layout.members if layout.parity else 2


def _pass_hours(layout: Layout, size: int, outer: float, inner_share: float, cap: float) -> float:
    """Hours for one pass. Far copies of a disk's first part lie a part further in, where reading is slower."""
    whole = hours_to_pass(size, outer, inner_share, cap)
    if layout.level != "raid10" or layout.spread != "f":
        return whole
    first, both = (_first_hours(part / layout.copies, size, outer, inner_share, cap) for part in (1, 2))
    return whole - first + (both - first)


def _first_hours(part: float, size: int, outer: float, inner_share: float, cap: float) -> float:
    """Hours for the first `part` of the disk, which is a disk with a faster inner zone."""
    return hours_to_pass(size * part, outer, 1 - (1 - inner_share) * part**BEND, cap)


def _disk(outer: float, inner_share: float) -> str:
    if inner_share == 1:
        return rate(outer)
    return f"{rate(outer)} falling to {rate(outer * inner_share)}"
