"""Predicted figures of what an installer builds instead, by the one model: each loss alone, the rest as planned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from raidtui.model.assumptions import Assumptions
from raidtui.model.design import DEFAULT_CHUNK, Design, Partitions
from raidtui.model.export import Attribute, AttributeCarriage, FigureChange, FigureUnit
from raidtui.model.geometry import Prediction
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.layout import Layout
from raidtui.model.plan import Plan
from raidtui.planner.design.assess import assess
from raidtui.planner.design.predict import predict
from raidtui.planner.members import disks_by_array, disks_of

_MODELLED: frozenset[Attribute] = frozenset(
    {"chunk", "layout", "volume", "bitmap", "spares", "spare group", "member device"}
)
_LEAST_CHANGE = 0.01
"""a smaller relative difference is none"""


@dataclass(frozen=True, slots=True)
class PlanPool:
    """The plan's disks as an inventory has them, in the plan's order, and what is assumed of them."""

    disks: tuple[Disk, ...]
    inventory: Inventory
    assumptions: Assumptions


def plan_disks(plan: Plan, inventory: Inventory) -> tuple[Disk, ...] | None:
    """The plan's disks in the order that its layout takes them; None unless `inventory` has all of them."""
    known = {disk.id: disk for disk in inventory.disks}
    if not all(each in known for each in plan.prediction.disks):
        return None
    return tuple(known[each] for each in plan.prediction.disks)


def with_figures(
    plan: Plan, losses: Sequence[AttributeCarriage], pool: PlanPool | None
) -> tuple[AttributeCarriage, ...]:
    """`losses` with the figures that differ; unchanged without the disks."""
    if pool is None or not any(loss.carriage == "lost" for loss in losses):
        return tuple(losses)
    planned = _assessed(plan.design, pool)
    return tuple(
        replace(loss, figures=tuple(_figures(plan, loss, planned, pool)), modelled=loss.attribute in _MODELLED)
        if loss.carriage == "lost"
        else loss
        for loss in losses
    )


def _assessed(design: Design, pool: PlanPool) -> Prediction:
    prediction = predict(design, pool.disks)
    return assess(design, pool.disks, prediction, pool.inventory, pool.assumptions, spread=False)


def _figures(plan: Plan, loss: AttributeCarriage, planned: Prediction, pool: PlanPool) -> Iterator[FigureChange]:
    design = plan.design
    match loss.attribute:
        case "chunk":
            yield from _changes(planned, _assessed(replace(design, chunk_bytes=DEFAULT_CHUNK), pool))
        case "layout" if isinstance(design.layout, Layout):
            near = replace(design, layout=replace(design.layout, spread="n", copies=2))
            yield from _changes(planned, _assessed(near, pool))
        case "volume":
            yield from _one_array(design, planned, pool)
        case "bitmap":
            yield from _resync(planned)
        case "spares" if isinstance(design.layout, Layout):
            bare = replace(design, layout=replace(design.layout, spares=0))
            yield from _risk(planned, _assessed(bare, replace(pool, disks=disks_of(bare.layout, pool.disks))))
        case "spare group":
            unshared = replace(pool, assumptions=replace(pool.assumptions, monitor=False))
            yield from _risk(planned, _assessed(design, unshared))
        case "member device" if design.partitions is None:
            cut = predict(replace(design, partitions=Partitions()), pool.disks)
            yield from _change("usable", "bytes", planned.usable_bytes, cut.usable_bytes, least=0)
        case _:
            return


def _changes(planned: Prediction, built: Prediction) -> Iterator[FigureChange]:
    """Speed and room."""
    before, after = planned.throughput, built.throughput
    if before is not None and after is not None:
        yield from _change("sequential read", "bytes/s", before.seq_read.bytes_per_s, after.seq_read.bytes_per_s)
        yield from _change("sequential write", "bytes/s", before.seq_write.bytes_per_s, after.seq_write.bytes_per_s)
        yield from _change("random 4K reads", "1/s", before.rand_read.iops, after.rand_read.iops)
        yield from _change("random 4K writes", "1/s", before.rand_write.iops, after.rand_write.iops)
    yield from _change("usable", "bytes", planned.usable_bytes, built.usable_bytes)


def _one_array(design: Design, planned: Prediction, pool: PlanPool) -> Iterator[FigureChange]:
    """Of a linear volume: a stream runs on one array at a time. An array of another chunk is not modelled."""
    if design.stack != "lvm":
        return
    share = disks_by_array(design.layout, disks_of(design.layout, pool.disks))[0]
    alone = replace(pool, disks=share.members)
    built = _assessed(replace(design, layout=design.layout.shapes[0]), alone)
    before, after = planned.throughput, built.throughput
    if before is not None and after is not None:
        yield from _change("sequential read", "bytes/s", before.seq_read.bytes_per_s, after.seq_read.bytes_per_s)
        yield from _change("sequential write", "bytes/s", before.seq_write.bytes_per_s, after.seq_write.bytes_per_s)


def _resync(planned: Prediction) -> Iterator[FigureChange]:
    """Time that a resync of whole members takes on an idle array, where the plan has only what was written last."""
    rebuild = None if planned.durability is None else planned.durability.rebuild
    if rebuild is not None:
        yield FigureChange(figure="full resync after a power cut", unit="hours", planned=0, built=rebuild.idle_hours)


def _risk(planned: Prediction, built: Prediction) -> Iterator[FigureChange]:
    before, after = planned.durability, built.durability
    if before is not None and after is not None:
        yield from _change("data loss by disks within a year", "probability", before.disks_loss_1y, after.disks_loss_1y)
        yield from _change(
            "hours a year with a member missing", "hours", before.degraded_hours_per_year, after.degraded_hours_per_year
        )


def _change(
    figure: str, unit: FigureUnit, planned: float, built: float, *, least: float = _LEAST_CHANGE
) -> Iterator[FigureChange]:
    if abs(planned - built) > least * max(abs(planned), abs(built)):
        yield FigureChange(figure=figure, unit=unit, planned=planned, built=built)
