"""The layout that the guide suggests; the same in the app and in `raidtui --plain`."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from raidtui.advice.proposals.guide import Answers, first_answers, wanted
from raidtui.advice.proposals.pick_reasons import Suggestion, suggestion
from raidtui.advice.proposals.picks import HIGH_RISK
from raidtui.advice.proposals.propose import propose
from raidtui.machine.inventory.shipped import load
from raidtui.predict.stated_disks import purchase
from raidtui.values.assumptions import Assumptions
from raidtui.values.proposal import Constraints


def card(chassis: str, answers: Answers, assumptions: Assumptions | None = None) -> Suggestion:
    inventory = load(chassis)
    disks = [disk for disk in inventory.disks if disk.state == "blank" and disk.not_selectable is None]
    asked = wanted(answers, assumptions or Assumptions(), disks)
    proposal = propose(inventory, disks, asked.constraints, asked.assumptions)
    return suggestion(proposal, asked.constraints, asked.assumptions)


ONE_FAILS: Sequence[tuple[str, str]] = [
    ("e2660", "4x(12+2)+4"), ("pod45", "3x(12+2)+3"), ("nas4", "(3+1)"), ("trio", "raid1(2)"), ("nvme24", "2x(9+2)+2"),
]  # fmt: skip
"""chassis and layout where one disk may fail; most room is one RAID5 of high risk on the first two"""


@pytest.mark.parametrize(("chassis", "layout"), ONE_FAILS)
def test_nothing_is_suggested_that_the_card_calls_a_high_risk(chassis: str, layout: str) -> None:
    found = card(chassis, Answers(breaks="one"))
    assert found.candidate is not None
    assert (found.candidate.layout, found.warning) == (layout, "")
    assert found.candidate.any_loss_1y < HIGH_RISK


def test_a_high_risk_without_an_alternative_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("raidtui.advice.proposals.pick_reasons.HIGH_RISK", 1e-9)
    assert card("nas4", Answers()).warning.startswith("High risk: a 1 in ")


def test_what_the_disks_cannot_do_has_no_layout() -> None:
    found = card("trio", Answers(room_bytes=1_900_000_000_000))
    assert found.candidate is None
    assert found.sentence.startswith("These disks cannot do all of that. ")


@pytest.mark.parametrize(
    ("disks", "layout"),
    [
        ("4x18TB", "(2+2)"), ("12x20TB", "(9+2)+1"), ("60x2TB", "4x(12+2)+4"), ("84x10TB", "5x(14+2)+4"),
        ("36x16TB", "3x(9+2)+3"), ("3x1TB", "(2+1)"),
    ],
)  # fmt: skip
def test_propose_without_a_wish_suggests_what_the_guide_does(disks: str, layout: str) -> None:
    """By one function: a proposal led to RAID10 of four disks where the guide said (2+2), as an expert does."""
    inventory = purchase(disks)
    proposal = propose(inventory, inventory.disks, Constraints())
    assert (proposal.picks[0].name, proposal.picks[0].layout) == ("suggested", layout)
    asked = wanted(first_answers(inventory.disks), Assumptions(), inventory.disks)
    guided = suggestion(
        propose(inventory, inventory.disks, asked.constraints, asked.assumptions), asked.constraints, asked.assumptions
    )
    assert guided.candidate is not None
    assert guided.candidate.layout == layout


def test_a_goal_that_comes_first_is_suggested_by_the_balance() -> None:
    inventory = purchase("4x18TB")
    proposal = propose(inventory, inventory.disks, Constraints(wishes=("random-write",)))
    assert proposal.picks[0].layout == "raid10(4)"
