"""Speed, risk and placement of a design on its disks; each is None if the design has no valid prediction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from raidtui.model.ask import Ask, AskedRate
from raidtui.model.assumptions import Assumptions
from raidtui.model.design import Design
from raidtui.model.durability import Durability, Rebuild
from raidtui.model.geometry import Prediction
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.layout import AnyLayout
from raidtui.model.placement import Placement
from raidtui.model.speed import DiskSpeed, Throughput
from raidtui.planner.members import ArrayDisks, disks_by_array
from raidtui.planner.performance.ask_rate import asked_rate
from raidtui.planner.performance.disk_speed import SpeedTable
from raidtui.planner.performance.rebuild_time import busy_members, rebuild, slower_first
from raidtui.planner.performance.shared_links import Links, shared_links, sync_link
from raidtui.planner.performance.throughput import array_set_of, throughput
from raidtui.planner.placement.place import placement_of
from raidtui.planner.reliability.durability import durability


def placement(design: Design, disks: Sequence[Disk], prediction: Prediction, *, spread: bool) -> Placement | None:
    """Certificates and findings of the disks in their present order; `spread`: they were ordered by `placed_disks`."""
    if not prediction.arrays:
        return None
    return placement_of(design.layout, tuple(disks[: design.layout.disks]), tuple(disks), placed=spread)


def speed(
    design: Design, disks: Sequence[Disk], prediction: Prediction, inventory: Inventory, assumptions: Assumptions
) -> Throughput | None:
    """Predicted throughput of the design on the first disks of `disks`."""
    if not prediction.has_sizes:
        return None
    return throughput(
        design, disks_by_array(design.layout, tuple(disks[: design.layout.disks])), inventory, assumptions
    )


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
    table = SpeedTable(assumptions, measured)
    slowest = min((table.of(disk) for share in members for disk in share), key=slower_first)
    times = [
        rebuild(group, component_bytes, slowest, assumptions, link=sync_link(links, busy=busy_members(group)))
        for group in layout.groups
    ]
    return max((time for time in times if time is not None), key=lambda time: time.hours, default=None)


def risk(
    design: Design, disks: Sequence[Disk], prediction: Prediction, inventory: Inventory, assumptions: Assumptions
) -> Durability | None:
    """Rebuild time and risk of data loss of the design on the first disks of `disks`.

    None where a member is a LUN: what its drives survive, how they are rebuilt and onto which spares is not known.
    """
    if not prediction.has_sizes or any(disk.lun for disk in disks[: design.layout.disks]):
        return None
    shares = disks_by_array(design.layout, tuple(disks[: design.layout.disks]))
    component = prediction.component_bytes
    links = shared_links([share.members for share in shares], inventory, assumptions)
    time = rebuild_time(design.layout, shares, component, links, assumptions)
    joined = design.stack != "separate" and design.layout.arrays > 1
    return durability(design.layout, shares, component, time, assumptions, volume_joined=joined)


def answers(
    asks: Sequence[Ask],
    design: Design,
    disks: Sequence[Disk],
    prediction: Prediction,
    inventory: Inventory,
    assumptions: Assumptions,
) -> tuple[AskedRate, ...]:
    """What each workload of `asks` gets from the design on the first disks of `disks`; empty without sizes."""
    if not asks or not prediction.has_sizes:
        return ()
    shares = disks_by_array(design.layout, tuple(disks[: design.layout.disks]))
    links = shared_links([share.members for share in shares], inventory, assumptions)
    array_set = array_set_of(design, shares, inventory, links, assumptions, {})
    return tuple(asked_rate(ask, design, array_set, prediction.arrays) for ask in asks)


def assess(
    design: Design,
    disks: Sequence[Disk],
    prediction: Prediction,
    inventory: Inventory,
    assumptions: Assumptions,
    *,
    spread: bool,
) -> Prediction:
    """`prediction` completed with throughput, durability and placement."""
    return replace(
        prediction,
        throughput=speed(design, disks, prediction, inventory, assumptions),
        durability=risk(design, disks, prediction, inventory, assumptions),
        placement=placement(design, disks, prediction, spread=spread),
    )
