"""Speed, risk and placement of a design on its disks; each is None if the design has no valid prediction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING

from raidtui.model.ask import AskedRate, WorkloadQuestion
from raidtui.model.assumptions import Assumptions, defaults_for
from raidtui.model.design import Design
from raidtui.model.durability import Durability
from raidtui.model.geometry import Prediction
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.layout import HybridLayout
from raidtui.model.placement import Placement
from raidtui.model.speed import DiskSpeed, Throughput
from raidtui.planner.geometry.bands import on_disks
from raidtui.planner.members import disks_by_array, disks_of
from raidtui.planner.performance.answers import asked_rate, throughput
from raidtui.planner.performance.sync_time import first_sync, rebuild_of
from raidtui.planner.performance.tunables import tuned
from raidtui.planner.performance.volume import band_arrays, band_rebuild, volume_of
from raidtui.planner.placement.place import placement_of
from raidtui.planner.reliability.durability import durability
from raidtui.planner.reliability.loss_rates import bytes_at_risk

if TYPE_CHECKING:
    from raidtui.model.plan import Plan


def assess_plan(plan: Plan, inventory: Inventory) -> tuple[tuple[Disk, ...], Prediction]:
    """The disks of a plan and its prediction on them, whole. Raises KeyError if `inventory` lacks one of them."""
    known = {disk.id: disk for disk in inventory.disks}
    disks = tuple(known[name] for name in plan.prediction.disks)
    return disks, assess(plan.design, disks, plan.prediction, inventory, defaults_for(disks), spread=False)


def placement(design: Design, disks: Sequence[Disk], prediction: Prediction, *, spread: bool) -> Placement | None:
    """Certificates and findings of the disks in their present order; `spread`: they were ordered by `placed_disks`."""
    if not prediction.arrays:
        return None
    return placement_of(design.layout, disks_of(design.layout, disks), tuple(disks), placed=spread)


def speed(
    design: Design, disks: Sequence[Disk], prediction: Prediction, inventory: Inventory, assumptions: Assumptions
) -> Throughput | None:
    """Predicted throughput of the design on the first disks of `disks`."""
    if not prediction.has_sizes:
        return None
    return throughput(volume_of(design, disks, prediction.arrays, inventory, tuned(assumptions, design)))


def risk(
    design: Design, disks: Sequence[Disk], prediction: Prediction, inventory: Inventory, assumptions: Assumptions
) -> Durability | None:
    """Rebuild time and risk of data loss of the design on the first disks of `disks`.

    None where a member is a LUN: what its drives survive, how they are rebuilt and onto which spares is not known.
    """
    if not prediction.has_sizes or any(map(attrgetter("lun"), disks_of(design.layout, disks))):
        return None
    assumptions = tuned(assumptions, design)
    if isinstance(design.layout, HybridLayout):
        return band_risk(design, disks, prediction, inventory, assumptions)
    shares, time = rebuild_of(design, disks, prediction, inventory, assumptions)
    joined = design.stack != "separate" and design.layout.arrays > 1
    component = prediction.component_bytes
    return durability(design.layout, shares, component, time, assumptions, volume_joined=joined)


def risk_and_sync(
    design: Design, disks: Sequence[Disk], prediction: Prediction, inventory: Inventory, assumptions: Assumptions
) -> Durability | None:
    """`risk` with the time of the first sync, which a search does not need."""
    found = risk(design, disks, prediction, inventory, assumptions)
    return found and replace(found, first_sync=first_sync(design, disks, prediction, inventory))


def band_risk(
    design: Design,
    disks: Sequence[Disk],
    prediction: Prediction,
    inventory: Inventory,
    assumptions: Assumptions,
    measured: Mapping[str, DiskSpeed] = {},
) -> Durability:
    """Risk of a hybrid layout: that of its first band, which has all disks, exposed until all bands are rebuilt.

    The bytes at risk are those of all bands. A disk that is not in all of them rebuilds sooner, which is not counted.
    """
    layout = on_disks(design, disks).layout
    assert isinstance(layout, HybridLayout)
    whole, bands = layout.whole, band_arrays(on_disks(design, disks), disks, assumptions, measured)
    components = [array.component_bytes or 0 for array in prediction.arrays]
    time = band_rebuild(bands, components, inventory)
    return durability(
        whole,
        disks_by_array(whole, disks_of(whole, disks)),
        _component_at_risk(layout, components),
        time,
        assumptions,
    )


def _component_at_risk(layout: HybridLayout, components: Sequence[int]) -> int:
    """Bytes per member of an array like the first band whose rebuild reads as much as those of all bands together."""
    read = sum(bytes_at_risk(shape, size) for shape, size in zip(layout.shapes, components, strict=True))
    return round(read / bytes_at_risk(layout.shapes[0], 1))


def answers(
    asks: Sequence[WorkloadQuestion],
    design: Design,
    disks: Sequence[Disk],
    prediction: Prediction,
    inventory: Inventory,
    assumptions: Assumptions,
) -> tuple[AskedRate, ...]:
    """What each workload of `asks` gets from the design on the first disks of `disks`; empty without sizes."""
    if not asks or not prediction.has_sizes:
        return ()
    volume = volume_of(design, disks, prediction.arrays, inventory, tuned(assumptions, design))
    return tuple(asked_rate(ask, volume) for ask in asks)


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
        durability=risk_and_sync(design, disks, prediction, inventory, assumptions),
        placement=placement(design, disks, prediction, spread=spread),
    )
