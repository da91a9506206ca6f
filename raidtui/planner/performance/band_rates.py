"""Rates and rebuild of a hybrid layout: each band as an array of its own, then what they are together.

The volume is linear: a sequential stream runs in one band at a time, and the members of that band set its rate. All
bands share the disks, so that more streams in other bands add nothing. The figure is that of the slowest band, the
upper end of its error band that of the fastest. Random requests meet every band in proportion to what it holds; the
largest disks serve all of them. A band starts further in on a rotating disk than the one before it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from raidtui.model.assumptions import Assumptions
from raidtui.model.design import Design
from raidtui.model.durability import Rebuild
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.layout import Band, HybridLayout
from raidtui.model.limit import Limit
from raidtui.model.speed import Ceiling, DiskSpeed, Iops, Rate, Throughput
from raidtui.planner.amounts import rate
from raidtui.planner.members import ArrayDisks, disks_by_array, disks_of
from raidtui.planner.numbers import hours
from raidtui.planner.performance.disk_speed import disk_speed
from raidtui.planner.performance.disk_zones import speed_at
from raidtui.planner.performance.rebuild_time import busy_members, rebuild
from raidtui.planner.performance.shared_links import shared_links, sync_link
from raidtui.planner.performance.throughput import throughput


@dataclass(frozen=True, slots=True)
class BandArray:
    """A band as an array of its own."""

    design: Design
    """one array, as if no other were on its disks"""
    disks: ArrayDisks
    """with the sizes of the whole disks"""
    speeds: dict[str, DiskSpeed]
    """identity of each disk to its speed in the band"""
    assumptions: Assumptions
    """without the speeds of disks, which `speeds` has"""


def band_arrays(
    design: Design, disks: Sequence[Disk], assumptions: Assumptions, measured: Mapping[str, DiskSpeed] = {}
) -> tuple[BandArray, ...]:
    """The bands of `design`, which is laid on `disks` (`geometry.bands.on_disks`)."""
    layout = design.layout
    assert isinstance(layout, HybridLayout) and layout.bands is not None, "the layout is not cut for its disks"
    known = replace(assumptions, disk_bytes_per_s=None, disk_write_bytes_per_s=None, disk_iops=None)
    return tuple(
        BandArray(
            design=design.of_array(number),
            disks=share,
            speeds={disk.id: _inside(disk_speed(disk, assumptions, measured), disk, band) for disk in share.members},
            assumptions=known,
        )
        for number, (band, share) in enumerate(
            zip(layout.bands, disks_by_array(layout, disks_of(layout, disks)), strict=True)
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


def band_throughput(bands: Sequence[BandArray], held: Sequence[int], inventory: Inventory) -> Throughput:
    """Rates of the volume over `bands`, which hold `held` bytes each."""
    alone = [throughput(band.design, (band.disks,), inventory, band.assumptions, band.speeds) for band in bands]
    if len(alone) == 1:
        return alone[0]
    names = [f"{number} ({_band_text(band)})" for number, band in enumerate(bands, start=1)]
    slowest = min(alone, key=lambda each: each.seq_read.bytes_per_s)
    explained = {field: _ceilings([getattr(each, field) for each in alone], names) for field in alone[0].explained}
    apart = "; ".join(f"band {name} {rate(each.seq_read.bytes_per_s)}" for name, each in zip(names, alone, strict=True))
    return replace(
        slowest,
        seq_read=_slowest([each.seq_read for each in alone], names),
        seq_read_one_stream=_slowest([each.seq_read_one_stream for each in alone], names),
        seq_write=_slowest([each.seq_write for each in alone], names),
        seq_write_one_stream=_slowest([each.seq_write_one_stream for each in alone], names),
        rand_read=_shared([each.rand_read for each in alone], names, held),
        rand_write=_shared([each.rand_write for each in alone], names, held),
        degraded_seq_read=_slowest([each.degraded_seq_read for each in alone if each.degraded_seq_read], names),
        degraded_rand_read=_shared([each.degraded_rand_read for each in alone if each.degraded_rand_read], names, held),
        rebuilding_seq_read=(
            _slowest([each.rebuilding_seq_read for each in alone if each.rebuilding_seq_read], names)
            if slowest.rebuilding_seq_read
            else None
        ),
        explained=explained,
        unknown=tuple(dict.fromkeys(text for each in alone for text in each.unknown)),
        notes=(
            f"A stream runs in one band at a time; reading, by band: {apart}. Bands share their disks, so that streams "
            "in several bands share these rates.",
            *dict.fromkeys(text for each in alone for text in each.notes),
        ),
    )


def _band_text(band: BandArray) -> str:
    return f"{band.design.layout.level} of {len(band.disks.members)}"


def _slowest(found: Sequence[Rate], names: Sequence[str]) -> Rate:
    """The slowest band's rate, up to the end of the fastest one's error band."""
    least, name = min(zip(found, names, strict=True), key=lambda each: each[0].bytes_per_s)
    return replace(
        least,
        low=min(each.low for each in found),
        high=max(each.high for each in found),
        bottleneck=Limit("band", name),
        next=least.bottleneck,
        ceilings={Limit("band", own): max(each.ceilings.values()) for own, each in zip(names, found, strict=True)},
    )


def _shared(found: Sequence[Iops], names: Sequence[str], held: Sequence[int]) -> Iops:
    """Random requests over all bands, in proportion to what they hold: the largest disks serve every one of them."""
    total = sum(held)

    def mean(value: Callable[[Iops], float]) -> int:
        return round(total / sum(size / value(each) for each, size in zip(found, held, strict=True)))

    slowest, name, _ = max(zip(found, names, held, strict=True), key=lambda each: each[2] / each[0].iops)
    return replace(
        slowest,
        iops=mean(lambda each: each.iops),
        low=mean(lambda each: each.low),
        high=mean(lambda each: each.high),
        bottleneck=Limit("band", name),
        next=slowest.bottleneck,
        ceilings={Limit("band", own): min(each.ceilings.values()) for own, each in zip(names, found, strict=True)},
    )


def _ceilings(found: Sequence[Rate | Iops], names: Sequence[str]) -> tuple[Ceiling, ...]:
    """What each band allows, the lowest first."""
    made = [
        Ceiling(
            name=Limit("band", name),
            rate=each.bytes_per_s if isinstance(each, Rate) else each.iops,
            source="table",
            formula=f"the band alone, limited by {each.bottleneck}",
            remedy="disks of one size have one band",
        )
        for each, name in zip(found, names, strict=True)
    ]
    return tuple(sorted(made, key=lambda ceiling: ceiling.rate))


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
    (shape,) = band.design.layout.groups
    links = shared_links([band.disks.members], inventory, band.assumptions)
    slowest = min(
        band.speeds.values(), key=lambda speed: (min(speed.read_bytes_per_s, speed.write_bytes_per_s), speed.basis)
    )
    return rebuild(shape, size, slowest, band.assumptions, link=sync_link(links, busy=busy_members(shape)))
