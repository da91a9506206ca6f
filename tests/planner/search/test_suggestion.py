"""The layout that the guide suggests; the same in the app and in `raidtui --plain`."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from raidtui.machine.inventory.shipped import load
from raidtui.model.assumptions import Assumptions
from raidtui.planner.design.guide_answers import Answers, wanted
from raidtui.planner.search.propose import propose
from raidtui.planner.search.suggestion import HIGH_RISK, Suggestion, suggestion


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
    monkeypatch.setattr("raidtui.planner.search.suggestion.HIGH_RISK", 1e-9)
    assert card("nas4", Answers()).warning.startswith("High risk: a 1 in ")


def test_what_the_disks_cannot_do_has_no_layout() -> None:
    found = card("trio", Answers(room_bytes=1_900_000_000_000))
    assert found.candidate is None
    assert found.sentence.startswith("These disks cannot do all of that. ")
