"""Time to rebuild one member: bound by the slowest of disk, sync_speed_max, link and md's sync thread.

tests/validation compares it with published resync, recovery and check rates, and names those that the constants of
the sync thread are fitted to. Kernels up to 5.13 are slower above 16 members.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from raidtui.predict.speed.disk_speed import BEND, hours_to_pass
from raidtui.values.amounts import hours, percent, rate
from raidtui.values.assumptions import Assumptions
from raidtui.values.layout import ArrayShape
from raidtui.values.prediction import Rebuild
from raidtui.values.speed import DiskSpeed, Limit
from raidtui.values.units import decimal_size

RAID6_SYNC = 2.6e9
"""bytes per second of all members together that the sync thread of one RAID6 moves (seen: 1.6 to 3.4)"""
RAID5_SYNC = 4.2e9
"""the same for RAID4 and RAID5"""
THREADED_SYNC = (2.1e9, 0.95e9)
"""with group_thread_cnt: a base, and an increment for each of 4 to 12 members (5.9 GB/s of 4 members, 13.5 of 12)"""
MIRROR_SYNC = 6.6e9
"""reading one copy and writing the other, together (one RAID1 of NVMe disks: 3.3 GB/s per member)"""
SLOW_SHARE = 1 / 3
"""share of the members' time that the rebuild gets in the slow case: reports of arrays in service made 41 to 73 % of
the idle rate"""
_LEAST_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class SyncCeiling:
    """A limit on the rebuild rate other than the disk itself."""

    bytes_per_s: float
    """per member"""
    limit: Limit
    """what does"""
    words: Callable[[], str]
    """how the rate was computed; only called where it is shown, since a search asks for thousands of rates"""

    @property
    def formula(self) -> str:
        """How the rate was computed."""
        return self.words()


def sync_ceiling(shape: ArrayShape, assumptions: Assumptions, link: tuple[float, Limit] | None = None) -> SyncCeiling:
    """The lowest limit other than the disk: sync_speed_max, md's thread, or a link; the first of them on a tie.

    `link` is (bytes per second per member, name) of the narrowest link while the whole that link; A link rate in
    `assumptions` is divided among the members that take part.
    """
    found = [_sync_speed_max(assumptions), _sync_thread(shape, assumptions)]
    if link is not None:
        pace, name = link
        found.append(SyncCeiling(pace, name, lambda: f"{rate(pace)} of {name} per member"))
    if assumptions.link_bytes_per_s is not None:
        busy, whole = busy_members(shape), assumptions.link_bytes_per_s
        found.append(
            SyncCeiling(whole / busy, Limit("link of all members"), lambda: f"{rate(whole)} link / {busy} members")
        )
    return min(found, key=lambda ceiling: ceiling.bytes_per_s)


def rebuild(
    shape: ArrayShape,
    size_bytes: int,
    speed: DiskSpeed,
    assumptions: Assumptions,
    *,
    link: tuple[float, Limit] | None = None,
) -> Rebuild | None:
    """Time to rebuild one member of `size_bytes` with `speed` of the slowest disk; None for a level without redundancy.

    The other members are read once and the new one is written once, in parallel. Raises ValueError unless size and
    rates are above 0.
    """
    pace = rebuild_pace(shape, size_bytes, speed, assumptions, link=link)
    if pace is None:
        return None
    outer = min(speed.read_bytes_per_s, speed.write_bytes_per_s)
    ceiling = sync_ceiling(shape, assumptions, link)
    idle, share = pace.idle_hours, pace.share
    return Rebuild(
        hours=pace.hours,
        idle_hours=idle,
        slow_hours=idle / SLOW_SHARE,
        bytes_per_s=int(size_bytes / idle / 3600),
        limit=pace.limit,
        formula=f"{decimal_size(size_bytes)} at {_disk(outer, speed.inner_share)}, at most {ceiling.formula},"
        f" takes {hours(idle)} on an idle array, {hours(idle / share)} with {percent(share)} of the members' time",
    )


class RebuildPace(NamedTuple):
    """How long a rebuild takes, and why."""

    idle_hours: float
    """on an idle array"""
    share: float
    """of the members' time that it gets"""
    limit: Limit

    @property
    def hours(self) -> float:
        """With its share of the members' time."""
        return self.idle_hours / self.share


def rebuild_pace(
    shape: ArrayShape,
    size_bytes: int,
    speed: DiskSpeed,
    assumptions: Assumptions,
    *,
    link: tuple[float, Limit] | None = None,
) -> RebuildPace | None:
    """The figures of `rebuild` without their explanation, for a search. Raises ValueError as it does."""
    if shape.survives == 0:
        return None
    if size_bytes <= 0:
        raise ValueError(f"expected a member size above 0, found {size_bytes} bytes")
    outer = min(speed.read_bytes_per_s, speed.write_bytes_per_s)
    ceiling = sync_ceiling(shape, assumptions, link)
    idle = _pass_hours(shape, size_bytes, outer, speed.inner_share, ceiling.bytes_per_s)
    held = hours_to_pass(size_bytes, ceiling.bytes_per_s, 1.0, ceiling.bytes_per_s)
    alone = _pass_hours(shape, size_bytes, outer, speed.inner_share, float(outer))
    share = min(max(assumptions.rebuild_share, _LEAST_SHARE), 1.0)
    return RebuildPace(idle, share, Limit("member") if alone >= held else ceiling.limit)


def slower_first(speed: DiskSpeed) -> tuple[float, str]:
    """Sort key: the disk that bounds a rebuild first."""
    return min(speed.read_bytes_per_s, speed.write_bytes_per_s), speed.basis


def _sync_speed_max(assumptions: Assumptions) -> SyncCeiling:
    most = assumptions.sync_max_bytes_per_s
    return SyncCeiling(float(most), Limit("sync_speed_max"), lambda: f"{rate(most)} sync_speed_max")


def _sync_thread(shape: ArrayShape, assumptions: Assumptions) -> SyncCeiling:
    """Limit of md's sync thread: it processes all members of a parity array; a mirror's copies one disk to another."""
    busy = busy_members(shape)
    if shape.parity == 0:
        total = MIRROR_SYNC
    elif assumptions.parity_threads > 0:
        start, each = THREADED_SYNC
        total = start + each * min(max(shape.members, 4), 12)
    else:
        total = RAID6_SYNC if shape.parity == 2 else RAID5_SYNC
    return SyncCeiling(total / busy, Limit("md sync thread"), lambda: f"{rate(total)} md sync thread / {busy} members")


def busy_members(shape: ArrayShape) -> int:
    """Members that take part in a resync: all of a parity array, source and target of a mirror."""
    return shape.members if shape.parity else 2


def _pass_hours(shape: ArrayShape, size: int, outer: float, inner_share: float, cap: float) -> float:
    """Hours for one pass. Far copies lie one section further in on the disk, where reads are slower."""
    whole = hours_to_pass(size, outer, inner_share, cap)
    if shape.level != "raid10" or shape.spread != "f":
        return whole
    first, both = (_first_hours(part / shape.copies, size, outer, inner_share, cap) for part in (1, 2))
    return whole - first + (both - first)


def _first_hours(part: float, size: int, outer: float, inner_share: float, cap: float) -> float:
    """Hours for the first `part` of the disk, modelled as a disk with a faster inner zone."""
    return hours_to_pass(size * part, outer, 1 - (1 - inner_share) * part**BEND, cap)


def _disk(outer: float, inner_share: float) -> str:
    if inner_share == 1:
        return rate(outer)
    return f"{rate(outer)} falling to {rate(outer * inner_share)}"
