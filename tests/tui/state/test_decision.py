"""Decisions and their history."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.advice.proposals.guide import Answers
from raidtui.advice.proposals.propose import propose
from raidtui.machine.inventory.shipped import load
from raidtui.predict.purchase import purchase
from raidtui.session.decision import (
    DecisionHistory,
    chosen_disks,
    first_decision,
    sensible_layout,
    toggled,
    with_answers,
)
from raidtui.values.decision import Decision
from raidtui.values.design import Design
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.layout import Layout
from raidtui.values.notation import parse, show
from raidtui.values.proposal import Constraints


def decision(layout: str) -> Decision:
    return Decision(design=Design(layout=parse(layout)))


def disk(number: int, size: int = 2000, state: str = "blank", stop: str | None = None) -> Disk:
    return Disk(id=f"d{number}", size_bytes=size, state=state, not_selectable=stop)  # type: ignore[arg-type]


def machine(*disks: Disk) -> Inventory:
    return Inventory(origin="machine", name="m", disks=disks)


@pytest.mark.parametrize(
    ("disks", "expected"),
    [
        (60, "4x(12+2)+4"), (84, "6x(11+2)+6"), (45, "3x(12+2)+3"), (24, "2x(9+2)+2"), (15, "(12+2)+1"), (8, "(5+2)+1"),
        (7, "(5+2)"), (16, "(13+2)+1"), (4, "(2+2)"), (3, "(2+1)"), (2, "raid1(2)"), (0, "raid1(2)"),
    ],
)  # fmt: skip
def test_where_a_session_starts(disks: int, expected: str) -> None:
    assert show(sensible_layout(disks)) == expected


@given(st.integers(2, 5000))
def test_what_a_session_starts_with_fits(disks: int) -> None:
    layout = sensible_layout(disks)
    assert layout.disks <= disks
    assert layout.survives >= 1


@pytest.mark.parametrize(
    ("sizes", "layout"),
    [
        ((500, 2000, 2000, 2000, 2000, 500), "(2+2)"),  # four count as 2000, six would count as 500
        ((250, 1000, 250, 1000, 250), "raid1(2)"),
        ((2000, 2004, 1999, 2090, 2400), "(3+2)"),
        ((2000, 2000, 2000, 4000, 4000), "(3+2)"),  # as 2000 five hold more than two of 4000
    ],
)
def test_the_first_layout_takes_as_many_of_the_largest_disks_as_hold_most(sizes: tuple[int, ...], layout: str) -> None:
    inventory = machine(*(disk(number, size) for number, size in enumerate(sizes)))
    first = first_decision(inventory)
    assert show(first.design.layout) == layout
    assert chosen_disks(inventory, first) == inventory.disks
    assert first.spread


@pytest.mark.parametrize(
    "disks", ["nas4", "trio", "nvme24", "2x2TB", "3x2TB", "5x2TB", "8x2TB", "12x2TB", "16x2TB", "30x2TB"]
)
def test_a_session_starts_with_what_the_search_proposes(disks: str) -> None:
    inventory = purchase(disks) if "x" in disks else load(disks)
    first = first_decision(inventory)
    proposal = propose(inventory, chosen_disks(inventory, first), Constraints(), first.assumptions)
    assert show(first.design.layout) in [pick.layout for pick in proposal.picks]


def test_only_disks_that_may_be_chosen_are_toggled() -> None:
    free, old, busy = disk(1), disk(2, state="content"), disk(3, state="content", stop="mounted")
    inventory = machine(free, old, busy)
    start = decision("raid1(2)")
    assert chosen_disks(inventory, start) == (free,)
    assert chosen_disks(inventory, toggled(start, free)) == ()
    assert chosen_disks(inventory, toggled(start, old)) == (free, old)
    assert toggled(start, busy) == start
    assert toggled(toggled(start, old), old) == start


def test_a_disk_that_is_in_use_by_now_is_no_longer_taken_over() -> None:
    start = toggled(decision("raid1(2)"), disk(1, state="content"))
    later = machine(disk(1, state="content", stop="mounted"))
    assert chosen_disks(later, start) == ()


layouts = st.sampled_from(["(3+1)", "(4+2)", "raid1(2)", "2x(4+2)+1", "raid10(6)"])


@given(st.lists(layouts, max_size=12), st.integers(0, 12))
def test_undo_and_redo_are_inverse(steps: list[str], back: int) -> None:
    history = DecisionHistory(now=decision("(12+2)"))
    for step in steps:
        history = history.to(decision(step))
    back = min(back, len(history.past))
    gone = history
    for _ in range(back):
        gone = gone.undo()
    for _ in range(back):
        gone = gone.redo()
    assert gone == history


def test_a_new_decision_forgets_what_was_undone_and_the_same_one_is_none() -> None:
    history = DecisionHistory(now=decision("(3+1)")).to(decision("(4+1)")).to(decision("(5+1)")).undo()
    assert history.to(decision("(4+1)")) is history
    assert history.to(decision("(6+1)")).future == ()
    assert [show(past.design.layout) for past in history.to(decision("(6+1)")).past] == ["(3+1)", "(4+1)"]


def test_answers_of_the_guide_change_the_design_only_where_they_ask() -> None:
    design = Design(layout=Layout.of(level="raid6", members=14, arrays=4, spares=4), metadata="1.0", fs="ext4")
    before = Decision(design=design, plan_name="mail")
    found = with_answers(before, Answers(purpose="small", visit="week"), load("e2660").disks)
    assert found.design == replace(design, chunk_bytes=65536, fs="xfs")
    assert (found.plan_name, found.purpose, found.assumptions.restock_days) == ("mail", "small", 7.0)
    assert found.constraints is not None
    assert (found.constraints.survive, found.constraints.spares) == (2, 1)
