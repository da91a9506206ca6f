"""Predicted throughput of a design: the lowest ceiling times an empirical factor, with the ceiling's name.

rate = band.point * min(members, links, md, program, memory). Low and high use the ends of the band and of each ceiling.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from raidtui.model.assumptions import DEFAULTS, Assumptions
from raidtui.model.design import Design
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.limit import UNKNOWN, Limit
from raidtui.model.machine_figures import NO_FIGURES, MachineFigures, WorkClass
from raidtui.model.speed import BandCause, Ceiling, DiskSpeed, Iops, Rate, Throughput
from raidtui.planner.members import ArrayDisks
from raidtui.planner.performance.ceilings import bounds, hidden_ceilings
from raidtui.planner.performance.confidence_bands import RateFactor
from raidtui.planner.performance.disk_speed import speed_table
from raidtui.planner.performance.disk_zones import mean_share
from raidtui.planner.performance.interval import Bound, expected, explained
from raidtui.planner.performance.measured_overrides import class_band
from raidtui.planner.performance.operating_point import ArraySet, MemberRates, SpeedWork
from raidtui.planner.performance.raid_level_rates import partial_share
from raidtui.planner.performance.shared_links import Attachment, Links, link_table, shared_links
from raidtui.planner.performance.throughput_notes import throughput_notes
from raidtui.planner.performance.tunables import stripe_cache_pages

WORKS = {
    "seq_read": SpeedWork("read"),
    "seq_read_one_stream": SpeedWork("read", streams=1),
    "seq_write": SpeedWork("write"),
    "seq_write_one_stream": SpeedWork("write", streams=1),
    "rand_read": SpeedWork("read", random=True),
    "rand_write": SpeedWork("write", random=True),
    "degraded_seq_read": SpeedWork("read", degraded=True),
    "degraded_rand_read": SpeedWork("read", random=True, degraded=True),
    "rebuilding_seq_read": SpeedWork("read", degraded=True),
}
"""field of `Throughput` to its workload"""


@dataclass(frozen=True, slots=True)
class _Answer:
    """Predicted rate of one workload, with its band and ceilings."""

    point: int
    bounds: tuple[Bound, ...]
    """lowest first"""
    band: RateFactor
    partial: float
    """the worst share under partial-stripe writes"""
    unknown: tuple[str, ...]

    @property
    def limit(self) -> Limit:
        """Name of the binding ceiling."""
        return self.bounds[0].ceiling.name

    @property
    def ceilings(self) -> tuple[Ceiling, ...]:
        """Lowest first."""
        return tuple(bound.ceiling for bound in self.bounds)

    @property
    def ends(self) -> tuple[int, int, BandCause | None]:
        """Both ends of the band, and what widens it most."""
        low, high, cause = explained(self.bounds, self.band, self.partial)
        return round(low), round(high), cause


def throughput(
    design: Design,
    shares: Sequence[ArrayDisks],
    inventory: Inventory,
    assumptions: Assumptions = DEFAULTS,
    measured: Mapping[str, DiskSpeed] = {},
) -> Throughput:
    """Predicted rates of `design` on the members in `shares` (at least one); rotating disks at their outer zone.

    `inventory` describes the links; `measured` maps disk identities to measured rates.
    """
    layout = design.layout
    links = shared_links([share.members for share in shares], inventory, assumptions)
    array_set = array_set_of(design, shares, inventory, links, assumptions, measured)
    rebuilding = layout.survives > 0 and assumptions.rebuild_share < 1
    asked = {field: work for field, work in WORKS.items() if not work.degraded or layout.survives > 0}
    if not rebuilding:
        asked.pop("rebuilding_seq_read", None)
    answers = {field: _answer_for(field, design, array_set, assumptions) for field in asked}
    rates = {key: Rate(bytes_per_s=own.point, **_around(own)) for key, own in answers.items() if not WORKS[key].random}
    iops = {key: Iops(iops=own.point, **_around(own)) for key, own in answers.items() if WORKS[key].random}
    inner = array_set.slowest.inner_share
    return Throughput(
        seq_read=rates["seq_read"],
        seq_read_one_stream=rates["seq_read_one_stream"],
        seq_write=rates["seq_write"],
        seq_write_one_stream=rates["seq_write_one_stream"],
        rand_read=iops["rand_read"],
        rand_write=iops["rand_write"],
        degraded_seq_read=rates.get("degraded_seq_read"),
        degraded_rand_read=iops.get("degraded_rand_read"),
        rebuilding_seq_read=rates.get("rebuilding_seq_read"),
        mean_share=mean_share(inner, array_set.slowest.middle_share),
        inner_share=inner,
        disk=array_set.slowest,
        unknown=tuple(dict.fromkeys(text for answer in answers.values() for text in answer.unknown)),
        explained={field: answer.ceilings for field, answer in answers.items()},
        notes=throughput_notes(design, array_set),
    )


def band_of(work: SpeedWork, *, rotational: bool, parity: bool, figures: MachineFigures = NO_FIGURES) -> RateFactor:
    """The confidence band of this class of workload on the machine with these `figures`."""
    return class_band(class_of(work, rotational=rotational, parity=parity), figures)


def class_of(work: SpeedWork, *, rotational: bool, parity: bool) -> WorkClass:
    """The class of this workload."""
    if work.random:
        if work.kind == "read":
            return "random read disk" if rotational else "random read"
        if not parity:
            return "random write disk" if rotational else "random write"
        return "random parity write disk" if rotational else "random parity write flash"
    if rotational:
        return "disk sequential"
    if work.kind == "read":
        return "flash read"
    return "flash parity write" if parity else "flash write"


def array_set_of(
    design: Design,
    shares: Sequence[ArrayDisks],
    inventory: Inventory,
    links: Links,
    assumptions: Assumptions,
    measured: Mapping[str, DiskSpeed],
) -> ArraySet:
    """The arrays with the rates of their slowest members, and `links`, those between the members and memory."""
    members = [share.members for share in shares]
    attached = link_table(inventory, assumptions).attachments.of_arrays(members)
    every = list(zip(attached, speed_table(assumptions, measured).of_arrays(members), strict=True))
    alike = [(own, *map(id, fast)) for own, fast in every]
    kinds = dict(zip(alike, every, strict=True))
    same: dict[MemberRates, MemberRates] = {}  # every workload compares equal ones, fastest as one object
    found = {kind: same.setdefault(rates := slowest_rates(own, fast), rates) for kind, (own, fast) in kinds.items()}
    return ArraySet(
        layout=design.layout,
        shapes=design.layout.shapes,
        striped=design.stack != "separate" or len(members) == 1,
        member_rates=tuple([found[kind] for kind in alike]),
        slowest=slowest_disk(speed for _, fast in kinds.values() for speed in fast),
        links=links[0],
        unknown_links=links[1],
        kernel=design.target.kernel_version if design.target else None,
        assumptions=assumptions,
        figures=inventory.figures or NO_FIGURES,
        chunk_bytes=design.chunk_bytes,
        cache_pages=stripe_cache_pages(design),
        lun_drives=_drives_of_lun(members),
    )


def _drives_of_lun(arrays: Sequence[Sequence[Disk]]) -> int:
    """Drives of the largest LUN; 0 unless every member is one."""
    luns = [disk.lun for members in arrays for disk in members] if arrays[0][0].lun else [None]
    return 0 if None in luns else max(sum(lun.shape[:2]) for lun in luns if lun)


def slowest_rates(attachments: Iterable[Attachment], speeds: Sequence[DiskSpeed]) -> MemberRates:
    """Lowest rates among disks with these `attachments` and `speeds`, one each."""
    links = {attachment.own for attachment in attachments}
    kinds = list({id(speed): speed for speed in speeds}.values())
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


def _answer_for(field: str, design: Design, array_set: ArraySet, assumptions: Assumptions) -> _Answer:
    """Prediction of one field of `Throughput`."""
    work, parity = WORKS[field], design.layout.parity > 0
    left = 1 - assumptions.rebuild_share if field == "rebuilding_seq_read" else 1.0
    partial = (
        partial_share(design.chunk_bytes, array_set.cache_pages) if field == "seq_write_one_stream" and parity else 1.0
    )
    found = [bound.beside_rebuild(left) for bound in bounds(array_set, work)]
    band = band_of(work, rotational=array_set.rotational, parity=parity, figures=array_set.figures)
    point = expected(found, partial)
    unknown = [text for text, least in hidden_ceilings(array_set, work) if left * least < point]
    unknown += [bound.unknown for bound in found if bound.unknown and bound.low < point]
    return _Answer(
        point=round(band.point * point),
        bounds=tuple(sorted(found, key=lambda bound: bound.ceiling.rate)),
        band=band,
        partial=partial,
        unknown=tuple(unknown),
    )


def _around(answer: _Answer) -> dict[str, Any]:
    """What `Rate` and `Iops` say of a rate besides it."""
    lowest, (low, high, cause) = answer.ceilings, answer.ends
    return {
        "low": low,
        "high": high,
        "bottleneck": lowest[0].name,
        "next": lowest[1].name if len(lowest) > 1 else UNKNOWN,
        "ceilings": {ceiling.name: ceiling.rate for ceiling in lowest},
        "spread": cause,
    }
