"""How fast a design is: the lowest of every ceiling, times what measurements left of it, with the ceiling's name.

rate = band.point * min(members, links, md, program, memory). The band's ends take each ceiling at its own ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from raidtui.model.assumptions import DEFAULTS, Assumptions
from raidtui.model.design import Design
from raidtui.model.inventory import Controller, Disk, Inventory
from raidtui.model.limit import UNKNOWN
from raidtui.model.speed import Ceiling, DiskSpeed, Iops, Rate, Throughput
from raidtui.planner.members import ArrayDisks
from raidtui.planner.performance import confidence_bands as bands
from raidtui.planner.performance.ceilings import bounds, hidden_ceilings
from raidtui.planner.performance.confidence_bands import Band
from raidtui.planner.performance.disk_speed import disk_speed
from raidtui.planner.performance.disk_zones import mean_share
from raidtui.planner.performance.link_capacity import disk_capacity
from raidtui.planner.performance.operating_point import Pace, Setting, Work
from raidtui.planner.performance.raid_level_rates import partial_share
from raidtui.planner.performance.shared_links import ways
from raidtui.planner.performance.throughput_notes import notes

WORKS = {
    "seq_read": Work("read"),
    "seq_read_one_stream": Work("read", streams=1),
    "seq_write": Work("write"),
    "seq_write_one_stream": Work("write", streams=1),
    "rand_read": Work("read", random=True),
    "rand_write": Work("write", random=True),
    "degraded_seq_read": Work("read", degraded=True),
    "degraded_rand_read": Work("read", random=True, degraded=True),
    "rebuilding_seq_read": Work("read", degraded=True),
}
"""field of `Throughput` to what is asked"""


@dataclass(frozen=True, slots=True)
class _Answer:
    """The figures of one kind of work."""

    point: int
    low: int
    high: int
    ceilings: tuple[Ceiling, ...]
    """lowest first"""
    unknown: tuple[str, ...]


def throughput(
    design: Design,
    shares: Sequence[ArrayDisks],
    inventory: Inventory,
    assumptions: Assumptions = DEFAULTS,
    measured: Mapping[str, DiskSpeed] = {},
) -> Throughput:
    """Rates of `design` on the members in `shares`, rotating disks at their outer zone.

    `inventory` shows the links, `measured` gives rates by disk identity. At least one array with one member.
    """
    layout = design.layout
    setting = setting_of(design, shares, inventory, assumptions, measured)
    rebuilding = layout.survives > 0 and assumptions.rebuild_share < 1
    asked = {field: work for field, work in WORKS.items() if not work.degraded or layout.survives > 0}
    if not rebuilding:
        asked.pop("rebuilding_seq_read", None)
    answers = {}
    for field, work in asked.items():
        left = 1 - assumptions.rebuild_share if field == "rebuilding_seq_read" else 1.0
        partial = partial_share(design.chunk_bytes) if field == "seq_write_one_stream" and layout.parity else 1.0
        answers[field] = _answer(setting, work, left, partial)
    rates = {field: _rate(answer) for field, answer in answers.items() if not WORKS[field].random}
    iops = {field: _iops(answer) for field, answer in answers.items() if WORKS[field].random}
    inner = setting.slowest.inner_share
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
        mean_share=mean_share(inner),
        inner_share=inner,
        disk=setting.slowest,
        unknown=tuple(dict.fromkeys(text for answer in answers.values() for text in answer.unknown)),
        explained={field: answer.ceilings for field, answer in answers.items()},
        notes=notes(design, setting),
    )


def band_of(work: Work, *, rotational: bool, parity: bool) -> Band:
    """The band that measurements of such work fell into."""
    if work.random:
        if work.kind == "read":
            return bands.RANDOM_READ
        if not parity:
            return bands.RANDOM_OTHER_WRITE
        return bands.RANDOM_PARITY_WRITE_DISK if rotational else bands.RANDOM_PARITY_WRITE_FLASH
    if rotational:
        return bands.DISK_SEQUENTIAL
    if work.kind == "read":
        return bands.FLASH_READ
    return bands.FLASH_PARITY_WRITE if parity else bands.FLASH_OTHER_WRITE


def setting_of(
    design: Design,
    shares: Sequence[ArrayDisks],
    inventory: Inventory,
    assumptions: Assumptions,
    measured: Mapping[str, DiskSpeed],
) -> Setting:
    """The arrays with the pace of their slowest members and the links between them and memory."""
    members = [share.members for share in shares]
    controllers = {controller.pci: controller for controller in inventory.controllers}
    speeds = [[disk_speed(disk, assumptions, measured) for disk in array] for array in members]
    found, hidden = ways(members, inventory, assumptions)
    return Setting(
        layout=design.layout,
        joined=design.stack != "separate" or len(members) == 1,
        paces=tuple(pace_of(*array, controllers) for array in zip(members, speeds, strict=True)),
        slowest=slowest_of([speed for array in speeds for speed in array]),
        ways=found,
        hidden=hidden,
        parity_threads=assumptions.parity_threads,
        memory_bytes_per_s=assumptions.memory_bytes_per_s,
    )


def pace_of(disks: Sequence[Disk], speeds: Sequence[DiskSpeed], controllers: Mapping[str, Controller]) -> Pace:
    """The slowest figures among `disks`, which have these speeds."""
    links = [disk_capacity(disk, controllers.get(disk.place.controller or "")) for disk in disks]
    return Pace(
        read=min(speed.read_bytes_per_s for speed in speeds),
        write=min(speed.write_bytes_per_s for speed in speeds),
        read_iops=min(speed.read_iops for speed in speeds),
        write_iops=min(speed.write_iops for speed in speeds),
        link=min((link for link in links if link is not None), default=None),
        rotational=any(speed.rotational for speed in speeds),
    )


def slowest_of(speeds: Sequence[DiskSpeed]) -> DiskSpeed:
    """The member that all wait for."""
    return min(speeds, key=lambda speed: (speed.read_bytes_per_s, speed.write_bytes_per_s))


def _answer(setting: Setting, work: Work, left: float, partial: float) -> _Answer:
    """The lowest ceiling and its band.

    `left` is the share of everything that a rebuild leaves, `partial` what partial stripes leave of members and md
    at worst.
    """
    found = [bound.beside_rebuild(left) for bound in bounds(setting, work)]
    band = band_of(work, rotational=setting.rotational, parity=setting.layout.parity > 0)
    point = min(bound.point for bound in found)
    hidden = [(text, left * least) for text, least in hidden_ceilings(setting, work) if left * least < point]
    lows = [bound.low * (partial if bound.stripes else 1.0) for bound in found]
    low = min(lows + [bands.UNKNOWN_LINK.low * least for _, least in hidden])
    unknown = [text for text, _ in hidden]
    unknown += [bound.unknown for bound in found if bound.unknown and bound.low < point]
    return _Answer(
        point=round(band.point * point),
        low=round(band.low * low),
        high=round(band.high * min(bound.high for bound in found)),
        ceilings=tuple(sorted((bound.ceiling for bound in found), key=lambda ceiling: ceiling.rate)),
        unknown=tuple(unknown),
    )


def _rate(answer: _Answer) -> Rate:
    lowest = answer.ceilings
    return Rate(
        bytes_per_s=answer.point,
        low=answer.low,
        high=answer.high,
        bottleneck=lowest[0].name,
        next=lowest[1].name if len(lowest) > 1 else UNKNOWN,
        ceilings={ceiling.name: ceiling.rate for ceiling in lowest},
    )


def _iops(answer: _Answer) -> Iops:
    lowest = answer.ceilings
    return Iops(
        iops=answer.point,
        low=answer.low,
        high=answer.high,
        bottleneck=lowest[0].name,
        next=lowest[1].name if len(lowest) > 1 else UNKNOWN,
        ceilings={ceiling.name: ceiling.rate for ceiling in lowest},
    )
