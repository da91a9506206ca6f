"""What speed is asked of: the arrays of a design on their disks, and the bands of a hybrid layout.

The volume over bands is linear. All bands share the disks, so that more streams in other bands add nothing. A band
starts further in on a rotating disk than the one before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from raidtui.predict.speed.disk_speed import disk_speed, speed_at, speed_table
from raidtui.predict.speed.operating_point import ArraySet, MemberRates
from raidtui.predict.speed.rebuild_time import busy_members, rebuild
from raidtui.predict.speed.shared_links import Attachment, link_table, shared_links, sync_link
from raidtui.sizes.partitions import on_disks
from raidtui.values.amounts import hours
from raidtui.values.assumptions import DEFAULTS, Assumptions
from raidtui.values.design import Design
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.layout import Band
from raidtui.values.members import ArrayDisks, disks_by_array, disks_of, shares_of
from raidtui.values.prediction import ArrayGeometry, Rebuild
from raidtui.values.speed import NO_FIGURES, DiskSpeed


@dataclass(frozen=True, slots=True)
class SpeedVolume:
    """The arrays that a workload runs on together; those of each band of a hybrid layout apart."""

    bands: tuple[ArraySet, ...]
    """one, if the layout is not a hybrid"""
    held: tuple[int, ...] = ()
    """bytes that each band holds"""

    @property
    def names(self) -> list[str]:
        """`1 (raid5 of 5)` of each band."""
        shapes = [arrays.shapes[0] for arrays in self.bands]
        return [f"{number} ({shape.level} of {shape.members})" for number, shape in enumerate(shapes, start=1)]

    @property
    def survives(self) -> bool:
        """True if a member of each array may be missing."""
        return all(arrays.layout.survives > 0 for arrays in self.bands)


def volume_of(
    design: Design,
    disks: Sequence[Disk],
    arrays: Sequence[ArrayGeometry],
    inventory: Inventory,
    assumptions: Assumptions = DEFAULTS,
) -> SpeedVolume:
    """The `arrays` of `design` on the first disks of `disks`; `inventory` describes the links."""
    if design.layout.hybrid is None:
        shares = shares_of(design, disks)
        return SpeedVolume((array_set_of(design, shares, inventory, assumptions, arrays),))
    every = zip(band_arrays(on_disks(design, disks), disks, assumptions), arrays, strict=True)
    bands = [
        array_set_of(band.design, (band.disks,), inventory, band.assumptions, (array,), (band.speeds,))
        for band, array in every
    ]
    return SpeedVolume(tuple(bands), tuple(array.array_bytes for array in arrays))


def array_set_of(
    design: Design,
    shares: Sequence[ArrayDisks],
    inventory: Inventory,
    assumptions: Assumptions = DEFAULTS,
    arrays: Sequence[ArrayGeometry] = (),
    speeds: Sequence[Sequence[DiskSpeed]] | None = None,
) -> ArraySet:
    """Arrays on the members in `shares` (at least one), with the rates of their slowest members and their links.

    `speeds`: of each member of each array; None: of the whole disks.
    """
    members = [share.members for share in shares]
    own = replace(assumptions, disk_bytes_per_s=None, disk_write_bytes_per_s=None, disk_iops=None)
    journals = [disk_speed(disk, own) for share in shares for disk in share.journal]
    links, unknown_links = shared_links(members, inventory, assumptions)
    attached = link_table(inventory, assumptions).attachments.of_arrays(members)
    if speeds is None:
        speeds = speed_table(assumptions).of_arrays(members)
    return ArraySet(
        design=design,
        arrays=tuple(arrays),
        shapes=design.layout.shapes,
        striped=design.stack != "separate" or len(members) == 1,
        member_rates=tuple(map(slowest_rates, attached, speeds)),
        slowest=slowest_disk(speed for fast in speeds for speed in fast),
        links=links,
        unknown_links=unknown_links,
        assumptions=assumptions,
        figures=inventory.figures or NO_FIGURES,
        lun_drives=_drives_of_lun(members),
        journal=min(journals, key=lambda speed: speed.write_bytes_per_s, default=None),
    )


def _drives_of_lun(arrays: Sequence[Sequence[Disk]]) -> int:
    """Drives of the largest LUN; 0 unless every member is one."""
    luns = [disk.lun for members in arrays for disk in members] if arrays[0][0].lun else [None]
    return 0 if None in luns else max(sum(lun.shape[:2]) for lun in luns if lun)


def slowest_rates(attachments: Iterable[Attachment], speeds: Sequence[DiskSpeed]) -> MemberRates:
    """Lowest rates among disks with these `attachments` and `speeds`, one each."""
    links = {attachment.own for attachment in attachments}
    kinds = set(speeds)
    return MemberRates(
        read=min(speed.read_bytes_per_s for speed in kinds),
        write=min(speed.write_bytes_per_s for speed in kinds),
        read_iops=min(speed.read_iops for speed in kinds),
        write_iops=min(speed.write_iops for speed in kinds),
        link=min((link for link in links if link is not None), default=None),
        rotational=any(speed.rotational for speed in kinds),
        serving=tuple(speed.read_bytes_per_s for speed in speeds),
    )


def slowest_disk(speeds: Iterable[DiskSpeed]) -> DiskSpeed:
    """The speed of the slowest disk, by read then write rate."""
    return min(speeds, key=lambda speed: (speed.read_bytes_per_s, speed.write_bytes_per_s))


@dataclass(frozen=True, slots=True)
class BandArray:
    """A band as an array of its own."""

    design: Design
    """one array, as if no other were on its disks"""
    disks: ArrayDisks
    """with the sizes of the whole disks"""
    speeds: tuple[DiskSpeed, ...]
    """of each member in the band"""
    assumptions: Assumptions
    """without the speeds of disks, which `speeds` has"""


def band_arrays(design: Design, disks: Sequence[Disk], assumptions: Assumptions) -> tuple[BandArray, ...]:
    """The bands of `design`, which is laid on `disks` (`geometry.bands.on_disks`)."""
    layout, hybrid = design.layout, design.layout.hybrid
    assert hybrid is not None and hybrid.bands is not None, "the layout is not cut for its disks"
    known = replace(assumptions, disk_bytes_per_s=None, disk_write_bytes_per_s=None, disk_iops=None)
    return tuple(
        BandArray(
            design=design.of_array(number),
            disks=share,
            speeds=tuple(_inside(disk_speed(disk, assumptions), disk, band) for disk in share.members),
            assumptions=known,
        )
        for number, (band, share) in enumerate(
            zip(hybrid.bands, disks_by_array(layout, disks_of(layout, disks)), strict=True)
        )
    )


def _inside(speed: DiskSpeed, disk: Disk, band: Band) -> DiskSpeed:
    """The speed of a disk between start and end of a band."""
    start, end = (
        speed_at(min(1.0, at / disk.size_bytes), 1.0, speed.inner_share)
        for at in (band.start_bytes, band.start_bytes + band.size_bytes)
    )
    return replace(
        speed,
        read_bytes_per_s=round(speed.read_bytes_per_s * start),
        write_bytes_per_s=round(speed.write_bytes_per_s * start),
        inner_share=end / start,
        middle_share=None,
    )


def band_rebuild(bands: Sequence[BandArray], components: Sequence[int], inventory: Inventory) -> Rebuild | None:
    """Time to rebuild the largest disk: its bands one after the other, since md delays resyncs that share disks."""
    times = [_rebuild(band, size, inventory) for band, size in zip(bands, components, strict=True)]
    known = [time for time in times if time is not None]
    if not known:
        return None
    longest = max(known, key=lambda time: time.hours)
    idle = sum(time.idle_hours for time in known)
    total = sum(time.hours for time in known)
    parts = "; ".join(f"band {number}: {time.formula}" for number, time in enumerate(known, start=1))
    return Rebuild(
        hours=total,
        idle_hours=idle,
        slow_hours=sum(time.slow_hours for time in known),
        bytes_per_s=int(sum(components) / idle / 3600),
        limit=longest.limit,
        formula=longest.formula if len(known) == 1 else f"one band after the other, {hours(total)} in all. {parts}",
    )


def _rebuild(band: BandArray, size: int, inventory: Inventory) -> Rebuild | None:
    shape = band.design.layout.first
    links = shared_links([band.disks.members], inventory, band.assumptions)
    slowest = min(band.speeds, key=lambda speed: (min(speed.read_bytes_per_s, speed.write_bytes_per_s), speed.basis))
    return rebuild(shape, size, slowest, band.assumptions, link=sync_link(links, busy=busy_members(shape)))
