"""Predicted figures of what an installer builds instead, by the one model: each loss alone, the rest as planned."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from raidtui.installers.exported import Attribute, AttributeCarriage, Export, FigureChange, FigureUnit
from raidtui.predict.design import assess, predict
from raidtui.programs.shell_quote import ascii_text
from raidtui.values.amounts import amounts, hours, iops, odds, rate
from raidtui.values.assumptions import Assumptions
from raidtui.values.design import DEFAULT_CHUNK, Design, Partitions
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.layout import Layout
from raidtui.values.members import disks_by_array, disks_of
from raidtui.values.plan import Plan
from raidtui.values.prediction import Prediction
from raidtui.values.units import binary_size, grouped

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
        case "layout" if (group := design.layout.equal) is not None:
            shape = replace(group.shape, spread="n", copies=2)
            near = replace(design, layout=replace(design.layout, groups=(replace(group, shape=shape),)))
            yield from _changes(planned, _assessed(near, pool))
        case "volume":
            yield from _one_array(design, planned, pool)
        case "bitmap":
            yield from _resync(planned)
        case "spares" if design.layout.equal is not None:
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
    built = _assessed(replace(design, layout=Layout.joined(design.layout.shapes[:1])), alone)
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


# Figures of a loss as text: `sequential write 4.9 -> 4.4 GB/s`.


def change_text(change: FigureChange) -> str:
    """One figure, as planned and as built."""
    planned, built = (_figure(change, value) for value in (change.planned, change.built))
    if planned == built and change.unit == "bytes":
        planned, built = (f"{grouped(int(value))} bytes" for value in (change.planned, change.built))
    if change.unit == "bytes/s":
        return f"{change.figure} {amounts((change.planned, change.built), 'B/s', ' -> ')}"
    return f"{change.figure} {planned} -> {built}"


def lost_text(loss: AttributeCarriage) -> str:
    """`chunk (256 KiB) becomes 512 KiB: sequential write 4.9 -> 4.4 GB/s. REASON`."""
    figures = ", ".join(change_text(change) for change in loss.figures)
    if loss.modelled and not figures:
        figures = "no predicted figure differs by 1 %"
    text = f"{loss.attribute} ({loss.planned}) becomes {loss.built}"
    return f"{text}: {figures}. {loss.reason}" if figures else f"{text}. {loss.reason}"


def _figure(change: FigureChange, value: float) -> str:
    match change.unit:
        case "bytes/s":
            return rate(value)
        case "1/s":
            return iops(value)
        case "bytes":
            return binary_size(round(value))
        case "hours":
            return hours(value) if value else "none"
        case "probability":
            return odds(value)


# Lines that say what an export carries and loses, as the command line prints them.


def losses_lines(made: Export, width: int) -> list[str]:
    """Counts, each loss with its figures, and the notes, in lines of at most `width` characters."""
    carried, same, lost = (made.count(each) for each in ("carried", "default", "lost"))
    lines = [
        f"{made.format} ({made.way}): {carried} attributes carried, {same} as the installer's default, {lost} lost, "
        f"{made.count('unused')} unused"
    ]
    for each in made.attributes:
        if each.carriage == "lost":
            lines += _wrapped(f"lost: {lost_text(each)}", width)
    for note in made.notes:
        lines += _wrapped(note, width)
    return lines


def _wrapped(text: str, width: int) -> Iterator[str]:
    yield from textwrap.wrap(ascii_text(text), width, initial_indent="  ", subsequent_indent="    ")
