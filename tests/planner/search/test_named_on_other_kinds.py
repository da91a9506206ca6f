"""A named layout is compared on the disks that `raidtui model` places it on, also where its own kind has too few."""

from __future__ import annotations

from dataclasses import replace

import pytest

from raidtui.advice.proposals.propose import propose
from raidtui.predict.design import assess, predict
from raidtui.predict.placement.place import placed_disks
from raidtui.predict.purchase import purchase
from raidtui.session.decision import DesignOutcome
from raidtui.values.amounts import odds, rate
from raidtui.values.assumptions import DEFAULTS
from raidtui.values.decision import Decision
from raidtui.values.design import Design
from raidtui.values.inventory import Inventory, Smart
from raidtui.values.notation import LayoutText, parse
from raidtui.values.proposal import Constraints

ANY = Constraints()
MIXED = "10 rotating disks and 6 flash disks in one layout: the slower ones bound its speed."


def machine(disks: str, flash: str) -> Inventory:
    """A machine with rotating and with flash disks."""
    other = tuple(replace(disk, id=f"flash-{disk.id}") for disk in purchase(flash, rotational=False).disks)
    return Inventory(origin="chassis", name="two kinds", disks=purchase(disks).disks + other)


def answer(inventory: Inventory, layout: str, constraints: Constraints = ANY) -> str:
    """What `propose --compare LAYOUT` says."""
    asked = LayoutText(parse(layout))
    found = propose(inventory, inventory.disks, replace(constraints, compare=(asked,)), DEFAULTS).why_not
    return next(each.answer for each in found if each.question == f"And {asked}?")


@pytest.mark.parametrize("layout", ["(4+2)", "(8+2)", "(14+2)", "raid1(2)", "2x(6+2)", "raid5(15+1)"])
def test_the_figures_are_those_of_model(layout: str) -> None:
    inventory = machine("10x4TB", "6x1TB")
    design = Design(layout=parse(layout))
    disks = placed_disks(design.layout, inventory.disks)
    model = assess(design, disks, predict(design, disks), inventory, DEFAULTS, spread=True)
    assert model.throughput is not None and model.durability is not None
    read, write = model.throughput.seq_read, model.throughput.seq_write
    says = answer(inventory, layout)
    assert f"reads {rate(read.bytes_per_s)}, writes {rate(write.bytes_per_s)}" in says
    assert odds(model.durability.any_loss_1y) in says
    mixed = [finding.message for finding in model.findings if finding.code == "mixed-rotation"]
    assert mixed == ([MIXED] if design.layout.disks > 10 else [])
    assert (MIXED in says) == bool(mixed)
    shown = DesignOutcome(Decision(design=design), inventory).prediction.findings
    assert [finding.message for finding in shown if finding.code == "mixed-rotation"] == mixed


def test_a_kind_with_enough_disks_is_taken_though_another_holds_more() -> None:
    inventory = machine("4x8TB", "6x1TB")
    says = answer(inventory, "(4+2)")
    assert "On 6 flash disks, of which the proposal has none." in says
    assert "in one layout" not in says


def test_more_disks_than_there_are_of_all_kinds() -> None:
    assert answer(machine("4x8TB", "6x1TB"), "(9+2)") == "It takes 11 disks, of 10 here."


def test_a_failing_disk_is_taken_where_the_others_are_too_few_as_model_does() -> None:
    first, *others = purchase("6x4TB").disks
    inventory = Inventory(origin="chassis", name="ill", disks=(replace(first, smart=Smart(healthy=False)), *others))
    assert "SMART reports failing disks: purchase-01." in answer(inventory, "(4+2)")


def test_disks_that_cannot_share_a_volume() -> None:
    other = tuple(replace(disk, id=f"b-{disk.id}") for disk in purchase("4x4TB", sector=4096).disks)
    inventory = Inventory(origin="chassis", name="sectors", disks=purchase("4x4TB").disks + other)
    assert answer(inventory, "(4+2)") == "md, LVM or mkfs refuses it on these disks; see raidtui model."


def test_losing_an_enclosure_is_asked_of_the_disks_that_are_taken() -> None:
    inventory = machine("3x8TB", "8x1TB")
    shelved = tuple(
        replace(disk, place=replace(disk.place, enclosure=f"shelf {number % 4}"))
        for number, disk in enumerate(inventory.disks)
    )
    inventory = replace(inventory, disks=shelved)
    assert "losing one enclosure" not in answer(inventory, "(6+2)", Constraints(survive_domain="enclosure"))
    assert "losing one enclosure" in answer(inventory, "(7+1)", Constraints(survive_domain="enclosure"))
