"""One layout on one pool has one answer: search, `raidtui model`, the plan and Design agree to the digit."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.advice.proposals.propose import propose
from raidtui.machine.inventory import shipped
from raidtui.predict.design import assess, predict
from raidtui.predict.placement.place import placed_disks
from raidtui.predict.stated_disks import choose_disks, purchase
from raidtui.session.decision import DesignOutcome
from raidtui.steps.build import compile_plan
from raidtui.tui.screens.compare.table import present_candidate
from raidtui.values.assumptions import defaults_for
from raidtui.values.choices import STACKS, Stack
from raidtui.values.decision import Decision
from raidtui.values.design import Design
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.layout import Layout
from raidtui.values.notation import parse
from raidtui.values.proposal import Constraints
from raidtui.values.speed import ArraySpread, Limit, MachineFigures, MeasuredFigure, MeasuredLink, WorkClass
from tests.suite import examples

CHASSIS = tuple(shipped.load(name) for name in shipped.names())


@st.composite
def measured(draw: st.DrawFn, pools: st.SearchStrategy[Inventory]) -> Inventory:
    """A pool of `pools`, half of the time with figures of its machine: some links, memory, md's threads, scatter."""
    pool = draw(pools)
    if draw(st.booleans()):
        return pool
    limits = [Limit(link.kind.replace("-", " "), link.name) for link in pool.links]  # type: ignore[arg-type]
    limits += [Limit("PCIe slot", each.pci) for each in pool.controllers]
    rates = st.integers(10**8, 10**11)

    def figure() -> MeasuredFigure | None:
        rate = draw(st.none() | rates)
        if rate is None:
            return None
        return MeasuredFigure(bytes_per_s=rate, error=1.1, how="copied", day="2026-01-31", kernel="6.1.0")

    links = tuple(
        MeasuredLink(
            limit=limit, disks=("a", "b"), bytes_per_s=draw(rates), alone_bytes_per_s=10**9, error=1.02,
            at_least=draw(st.booleans()), day="2026-01-31", kernel="6.1.0",
        )
        for limit in limits
        if draw(st.booleans())
    )  # fmt: skip
    known: tuple[tuple[WorkClass, ...], ...] = ((), ("disk sequential",), ("flash read", "flash parity write"))
    classes = draw(st.sampled_from(known))
    scatter = tuple(
        ArraySpread(work=work, ratio=draw(st.floats(0.5, 1.2)), figures=3, day="2026-01-31", kernel="6.1.0")
        for work in classes
    )
    figures = MachineFigures(
        memory=figure(), one_reader=figure(), raid6=figure(), xor=figure(), md_write=figure(), links=links,
        scatter=scatter,
    )  # fmt: skip
    return replace(pool, figures=figures)


@st.composite
def pools(draw: st.DrawFn) -> Inventory:
    """A shipped chassis, or up to a dozen disks of several sizes, kinds and places."""
    if draw(st.booleans()):
        return draw(st.sampled_from(CHASSIS))
    sizes = draw(st.lists(st.sampled_from(("250GB", "1TB", "1990GB", "2TB", "4TB", "16TB")), min_size=1, max_size=3))
    counts = [draw(st.integers(1, 6)) for _ in sizes]
    bought = purchase(",".join(f"{count}x{size}" for count, size in zip(counts, sizes, strict=True)))
    shelves = draw(st.integers(0, 3))
    flash = draw(st.integers(0, 5))

    def placed(number: int, disk: Disk) -> Disk:
        place = replace(disk.place, enclosure=f"shelf {number % shelves}") if shelves else disk.place
        return replace(disk, place=place, rotational=number % 5 != flash)

    return replace(bought, disks=tuple(placed(number, disk) for number, disk in enumerate(bought.disks)))


@examples(60)
@given(measured(pools()), st.data())
def test_every_verb_and_screen_gives_the_same_answer(inventory: Inventory, data: st.DataObject) -> None:
    disks = choose_disks(inventory)
    assumptions = defaults_for(disks)
    stack: Stack = data.draw(st.sampled_from(STACKS))
    candidates = propose(inventory, disks, Constraints(stack=stack), assumptions).candidates
    if not candidates:
        return
    unequal = [each for each in candidates if parse(each.layout).unequal]
    candidate = data.draw(st.sampled_from([*candidates, *unequal]))
    design = Design(layout=parse(candidate.layout), stack=stack)
    chosen = placed_disks(design.layout, disks)
    model = assess(design, chosen, predict(design, chosen), inventory, assumptions, spread=True)
    assert model.throughput is not None
    assert model.durability is not None
    rates, risk = model.throughput, model.durability
    assert (
        candidate.usable_bytes, candidate.seq_read_bytes_per_s, candidate.seq_write_bytes_per_s,
        candidate.read_bottleneck, candidate.write_bottleneck, candidate.rebuild_hours,
        candidate.annual_array_loss_probability, candidate.annual_sector_loss_probability,
        candidate.annual_enclosure_loss_probability, candidate.any_loss_1y,
    ) == (
        model.usable_bytes, rates.seq_read.bytes_per_s, rates.seq_write.bytes_per_s,
        rates.seq_read.bottleneck, rates.seq_write.bottleneck, risk.rebuild_hours,
        risk.annual_array_loss_probability, risk.annual_sector_loss_probability,
        risk.annual_enclosure_loss_probability, risk.any_loss_1y,
    )  # fmt: skip
    outcome = DesignOutcome(Decision(design=design, assumptions=assumptions), inventory)
    shown = present_candidate(outcome)
    assert shown is not None
    assert shown == replace(candidate, on_front=False, shown=False, picks=(), breaks=None)
    if inventory.origin == "purchase":
        return
    plan = compile_plan(design, inventory, chosen, predict(design, chosen), run_id="0f" * 16, name="data",
                        mount_point="/srv/data", host="here")  # fmt: skip
    members, legs = design.layout.member_disks, plan.arrays[: design.layout.arrays]
    if design.layout.hybrid:  # a disk is in every band that it reaches, and all are in the first
        assert plan.arrays[0].members == model.disks[:members]
    else:
        assert sum((array.members for array in legs), ()) == model.disks[:members]
    assert {spare for array in plan.arrays for spare in array.spares} == set(model.disks[members:])
    assert plan.prediction.filesystems == model.filesystems


@pytest.mark.parametrize("bought", ["2x4TB,2x16TB", "1x1TB,1x4TB,2x20TB"])
def test_layouts_of_disks_of_several_speeds_are_as_fast_in_propose_as_in_model(bought: str) -> None:
    inventory = purchase(bought)
    disks = choose_disks(inventory)
    assumptions = defaults_for(disks)
    for candidate in propose(inventory, disks, Constraints(), assumptions).candidates:
        design = Design(layout=parse(candidate.layout))
        chosen = placed_disks(design.layout, disks)
        model = assess(design, chosen, predict(design, chosen), inventory, assumptions, spread=False).throughput
        assert model is not None
        found = candidate.seq_read_bytes_per_s, candidate.seq_write_bytes_per_s
        assert found == (model.seq_read.bytes_per_s, model.seq_write.bytes_per_s), candidate.layout


@examples(150)
@given(pools(), st.integers(1, 4), st.sampled_from(("raid0", "raid1", "raid5", "raid6", "raid10")), st.integers(0, 2))
def test_members_are_alike_and_no_unused_disk_would_fit_better(
    inventory: Inventory, arrays: int, level: str, spares: int
) -> None:
    disks = choose_disks(inventory)
    members = {"raid0": 1, "raid1": 2, "raid5": 3, "raid6": 4, "raid10": 4}[level]
    layout = Layout.of(level=level, members=members, arrays=arrays, spares=spares)  # type: ignore[arg-type]
    if layout.disks > len(disks):
        return
    ordered = placed_disks(layout, disks)
    assert sorted(disk.id for disk in ordered) == sorted(disk.id for disk in disks)
    used = ordered[: layout.disks]
    kinds = {_kind(disk) for disk in used}
    if len(kinds) == 1:
        sizes = sorted((disk.size_bytes for disk in disks if _kind(disk) in kinds), reverse=True)
        assert min(disk.size_bytes for disk in used) >= 0.99 * sizes[layout.disks - 1]
    else:
        assert max(Counter(_kind(disk) for disk in disks).values()) < layout.disks


def _kind(disk: Disk) -> tuple[bool | None, int]:
    return disk.rotational, disk.logical_sector_bytes


def test_disks_that_nothing_distinguishes_keep_their_order() -> None:
    inventory = purchase("60x2TB")
    assert placed_disks(parse("4x(12+2)+4"), inventory.disks) == inventory.disks


def test_a_small_disk_is_left_over_not_built_in() -> None:
    inventory = purchase("1x250GB,6x4TB")
    assert placed_disks(parse("(4+2)"), inventory.disks)[-1] is inventory.disks[0]
    assert placed_disks(parse("raid1(2)"), inventory.disks)[:2] == inventory.disks[1:3]
