"""Bands over disks of mixed size are offered beside the plain layouts, where they hold more."""

from __future__ import annotations

import pytest

from raidtui.advice.proposals.propose import propose
from raidtui.predict.design import predict
from raidtui.predict.placement.place import placed_disks
from raidtui.predict.purchase import purchase
from raidtui.values.design import Design
from raidtui.values.notation import parse
from raidtui.values.proposal import Constraints, Proposal


def proposed(disks: str, **constraints: object) -> Proposal:
    inventory = purchase(disks)
    return propose(inventory, inventory.free, Constraints(**constraints))  # type: ignore[arg-type]


def hybrids(proposal: Proposal) -> dict[str, int]:
    return {each.layout: each.usable_bytes for each in proposal.candidates if each.layout.startswith("hybrid")}


def test_they_are_offered_with_the_sizes_of_the_model() -> None:
    found = hybrids(proposed("2x4TB,3x8TB"))
    assert set(found) == {"hybrid(5)", "hybrid(5,2)"}
    for layout, usable in found.items():
        design = Design(layout=parse(layout))
        assert predict(design, placed_disks(design.layout, purchase("2x4TB,3x8TB").disks)).usable_bytes == usable


def test_the_answer_says_what_they_gain_and_cost() -> None:
    (answer,) = (each for each in proposed("2x4TB,3x8TB").why_not if "hybrid(5)?" in each.question)
    assert answer.question == "And bands over the disks of mixed size, hybrid(5)?"
    assert answer.answer.startswith("It holds 21.67 TiB where (2+1) holds 14.45 TiB (50 % more)")


@pytest.mark.parametrize(
    ("disks", "constraints"),
    [
        ("5x4TB", {}),
        ("4x4TB,1x4010GB", {}),
        ("2x4TB,3x8TB", {"stack": "md"}),
        ("2x4TB,3x8TB", {"levels": ("raid10",)}),
        ("4x4TB,1x8TB", {}),
    ],
)
def test_not_where_they_hold_no_more_or_cannot_be(disks: str, constraints: dict[str, object]) -> None:
    assert not hybrids(proposed(disks, **constraints))


def test_they_keep_to_the_constraints() -> None:
    assert set(hybrids(proposed("2x4TB,3x8TB", survive=2))) == {"hybrid(5,2)"}
    assert set(hybrids(proposed("3x4TB,4x8TB", spares=1))) == {"hybrid(6)+1", "hybrid(6,2)+1"}
