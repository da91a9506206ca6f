"""Decisions and their history."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.advice.proposals.propose import propose
from raidtui.machine.inventory.shipped import load
from raidtui.predict.stated_disks import purchase
from raidtui.session.decision import (
    DecisionHistory,
    change_words,
    chosen_disks,
    first_decision,
    toggled,
)
from raidtui.values.assumptions import Assumptions
from raidtui.values.decision import Decision
from raidtui.values.design import Design
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.notation import LayoutText, parse, show
from raidtui.values.proposal import Constraints


def decision(layout: str) -> Decision:
    return Decision(design=Design(layout=parse(layout)))


def disk(number: int, size: int = 2000, state: str = "blank", stop: str | None = None) -> Disk:
    return Disk(id=f"d{number}", size_bytes=size, state=state, not_selectable=stop)  # type: ignore[arg-type]


def machine(*disks: Disk) -> Inventory:
    return Inventory(origin="machine", name="m", disks=disks)


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


def test_what_a_decision_changed_is_named_to_the_value() -> None:
    """Also inside the assumptions and constraints, which the guide sets."""
    now = replace(
        decision("4x(12+2)+4"), assumptions=Assumptions(restock_days=7.0, disk_bytes_per_s=250_000_000),
        constraints=Constraints(survive=2, compare=(LayoutText.read("raid10(8)"),)), plan_name="backup",
    )  # fmt: skip
    before = decision("4x(12+2)+4")
    assert change_words(now, before) == (
        "disk 250 MB/s instead of automatic, restock days 7 instead of 30, constraints set, "
        "plan name backup instead of data"
    )
    assert change_words(before, now) == (
        "disk automatic instead of 250 MB/s, restock days 30 instead of 7, no constraints, "
        "plan name data instead of backup"
    )
    assert change_words(replace(now, constraints=Constraints(survive=1)), now) == (
        "survive 1 instead of 2, other compare"
    )
