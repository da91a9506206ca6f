"""Speed, risk and placement of a design on its disks; each is None if the design has no valid prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from raidtui.model.assumptions import Assumptions
from raidtui.model.design import Design
from raidtui.model.durability import Durability
from raidtui.model.geometry import Prediction
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.layout import Layout
from raidtui.model.placement import Placement
from raidtui.model.speed import Throughput
from raidtui.planner.members import disks_by_array
from raidtui.planner.performance.disk_speed import disk_speed
from raidtui.planner.performance.rebuild_time import busy_members, rebuild
from raidtui.planner.performance.shared_links import sync_link
from raidtui.planner.performance.throughput import throughput
from raidtui.planner.placement.place import place, placement_of
from raidtui.planner.reliability.durability import durability


def placed_disks(layout: Layout, disks: Sequence[Disk]) -> tuple[Disk, ...]:
    """`disks` reordered by `place`: those that the layout takes first, then the others; unchanged if too few."""
    if layout.disks > len(disks):
        return tuple(disks)
    taken, _ = place(layout, disks)
    chosen = {disk.id for disk in taken}
    return (*taken, *(disk for disk in disks if disk.id not in chosen))


def placement(design: Design, disks: Sequence[Disk], prediction: Prediction, *, spread: bool) -> Placement | None:
    """Certificates and findings of the disks in their present order; `spread`: they were ordered by `placed_disks`."""
    if not prediction.arrays:
        return None
    return placement_of(design.layout, tuple(disks[: design.layout.disks]), tuple(disks), placed=spread)


def speed(
    design: Design, disks: Sequence[Disk], prediction: Prediction, inventory: Inventory, assumptions: Assumptions
) -> Throughput | None:
    """Predicted throughput of the design on the first disks of `disks`."""
    if not prediction.arrays:
        return None
    return throughput(
        design, disks_by_array(design.layout, tuple(disks[: design.layout.disks])), inventory, assumptions
    )


def risk(
    design: Design, disks: Sequence[Disk], prediction: Prediction, inventory: Inventory, assumptions: Assumptions
) -> Durability | None:
    """Rebuild time and risk of data loss of the design on the first disks of `disks`."""
    if not prediction.arrays:
        return None
    shares = disks_by_array(design.layout, tuple(disks[: design.layout.disks]))
    members = [share.members for share in shares]
    speeds = [disk_speed(disk, assumptions) for share in members for disk in share]
    slowest = min(speeds, key=lambda speed: min(speed.read_bytes_per_s, speed.write_bytes_per_s))
    component = max(array.component_bytes or array.array_bytes // array.members for array in prediction.arrays)
    link = sync_link(members, inventory, assumptions, busy=busy_members(design.layout))
    time = rebuild(design.layout, component, slowest, assumptions, link=link)
    joined = design.stack != "separate" and design.layout.arrays > 1
    return durability(design.layout, shares, component, time, assumptions, volume_joined=joined)


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
