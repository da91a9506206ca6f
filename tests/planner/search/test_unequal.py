"""Arrays of unequal width among the offers: where every array counts in full and disks would stay idle otherwise."""

import pytest

from raidtui.advice.proposals.enumerate_layouts import widened
from raidtui.advice.proposals.propose import propose
from raidtui.predict.design import predict
from raidtui.predict.stated_disks import purchase
from raidtui.values.assumptions import DEFAULTS
from raidtui.values.choices import Stack
from raidtui.values.design import Design
from raidtui.values.notation import parse, show
from raidtui.values.proposal import Candidate, Constraints


def offers(disks: str, **asked: object) -> dict[str, Candidate]:
    bought = purchase(disks)
    found = propose(bought, bought.disks, Constraints(**asked))  # type: ignore[arg-type]
    return {each.layout: each for each in found.candidates}


@pytest.mark.parametrize("stack", ["md", "separate"])
def test_fifty_eight_disks_are_all_used(stack: Stack) -> None:
    """Four RAID6 and a spare leave 57 members: one array of 15 and three of 14, which hold 49 disks instead of 48."""
    found = offers("58x4TB", stack=stack)
    wider = found["(13+2)+3x(12+2)+1"]
    narrow = parse("4x(12+2)+2")
    assert wider.on_front
    assert wider.disks == narrow.disks == 58
    disks = purchase("58x4TB").disks
    equal_room = predict(Design(layout=narrow, stack=stack), disks).usable_bytes
    assert wider.usable_bytes / equal_room == pytest.approx(49 / 48, abs=0.001)
    assert any(each.picks and "+" in show(parse(name)) for name, each in found.items())


def test_an_lvm_stripe_gains_nothing_by_wider_arrays() -> None:
    assert "(13+2)+3x(12+2)+1" not in offers("58x4TB")


@pytest.mark.parametrize(
    ("layout", "asked", "enough", "wider"),
    [
        ("4x(12+2)+2", {}, 1, "(13+2)+3x(12+2)+1"),
        ("4x(12+2)+4", {}, 1, "3x(13+2)+(12+2)+1"),
        ("4x(12+2)+4", {"spares": 2}, 1, "2x(13+2)+2x(12+2)+2"),
        ("4x(12+2)+5", {}, 1, None),  # 4x(13+2)+1 is a layout of its own
        ("4x(12+2)+1", {}, 1, None),
        ("4x(12+2)+2", {"max_width": 14}, 1, None),
        ("4x(12+2)+2", {"stack": "lvm"}, 1, None),
        ("40x(12+2)+2", {}, 1, None),  # one disk of 480
        ("2x raid10(8)+2", {}, 1, None),
        ("raid0(8)", {}, 0, None),
        ("(12+2)+2", {}, 1, None),
    ],
)
def test_which_layouts_are_widened(layout: str, asked: dict[str, object], enough: int, wider: str | None) -> None:
    constraints = Constraints(**{"stack": "md", **asked})  # type: ignore[arg-type]
    found = widened(parse(layout), constraints, enough)
    assert (show(found) if found is not None else None) == wider


def test_a_required_domain_holds_for_them_too() -> None:
    """No placement of RAID6 over one enclosure survives its loss."""
    bought = purchase("58x4TB")
    asked = Constraints(stack="md", survive_domain="enclosure")
    assert propose(bought, bought.disks, asked, DEFAULTS).candidates == ()
