"""Four questions without RAID words, what they ask of a layout, and a person who answers them."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from raidtui.machine.inventory.shipped import load
from raidtui.model.assumptions import Assumptions
from raidtui.model.design import Design
from raidtui.model.inventory import Disk, Place
from raidtui.model.layout import Layout
from raidtui.model.proposal import Constraints
from raidtui.tui.screens.guide.answers import (
    Answers,
    Visit,
    answered,
    chosen,
    decided,
    domain_of,
    questions,
    understood,
)
from raidtui.tui.state.decision import Decision
from tests.tui.robot import robot

SIXTY = load("e2660").disks
FIRST = Decision(design=Design(layout=Layout(level="raid6", members=14, arrays=4, spares=4)))
RAID_WORDS = re.compile(
    r"raid|array|parity|spare|mirror|stripe|chunk|level|member|redundan|resync|rebuild|degrade|hot|domain|\bmd\b",
    re.IGNORECASE,
)


@pytest.mark.parametrize("chassis", ["e2660", "pod45", "nas4", "trio", "jbod84", "nvme24"])
def test_no_question_and_no_answer_holds_a_raid_word(chassis: str) -> None:
    for question in questions(load(chassis).disks, Answers(room_bytes=50 * 10**12)):
        for text in (question.words, *(f"{choice.words} {choice.about}" for choice in question.choices)):
            assert RAID_WORDS.search(text) is None, text


def test_every_question_has_one_answer_picked_and_every_answer_one_line() -> None:
    for question in questions(SIXTY, Answers()):
        assert [choice.name for choice in question.choices].count(chosen(Answers(), question.field)) == 1
        for choice in question.choices:
            assert len(choice.words) <= 22
            assert 0 < len(choice.about) <= 49


def test_picking_every_answer_is_kept() -> None:
    for question in questions(SIXTY, Answers()):
        for choice in question.choices:
            if choice.name != "least":
                assert chosen(answered(Answers(), question.field, choice.name), question.field) == choice.name
    assert chosen(Answers(room_bytes=1), "room_bytes") == "least"


def test_what_most_people_want() -> None:
    decision = decided(Answers(), FIRST, SIXTY)
    assert decision.constraints == Constraints(survive=2, spares=1, wishes=("capacity", "read", "write"))
    assert decision.assumptions == Assumptions(restock_days=30.0)
    assert decision.design == FIRST.design


def test_databases_far_away_that_outlive_a_controller() -> None:
    answers = Answers(purpose="databases", room_bytes=20 * 10**12, breaks="shelf", visit="year")
    decision = decided(answers, FIRST, SIXTY)
    assert decision.constraints == Constraints(
        usable_bytes=20_000_000_000_000, survive=1, spares=3, survive_domain="controller", levels=("raid1", "raid10"),
        wishes=("risk", "write", "read"),
    )  # fmt: skip
    assert decision.assumptions.restock_days == 365


def test_small_files_get_a_small_chunk_and_everything_else_of_the_design_stays() -> None:
    before = replace(FIRST, design=replace(FIRST.design, metadata="1.0", fs="ext4"), plan_name="mail")
    decision = decided(Answers(purpose="small", visit="week"), before, SIXTY)
    assert decision.design == replace(before.design, chunk_bytes=65536, fs="xfs")
    assert decision.plan_name == "mail"
    assert decision.constraints is not None
    assert decision.constraints.spares == 1


@pytest.mark.parametrize(("visit", "spares"), [("week", 1), ("month", 1), ("half-year", 2), ("year", 3)])
def test_spares_last_until_somebody_comes(visit: Visit, spares: int) -> None:
    """Three for sixty disks in an unattended year, one in a month: at most 1 year in 10 is short of them."""
    constraints = decided(Answers(visit=visit), FIRST, SIXTY).constraints
    assert constraints is not None
    assert constraints.spares == spares


def test_what_may_break_whole_is_the_largest_thing_there_are_several_of() -> None:
    def disks(**places: str) -> tuple[Disk, ...]:
        def place(number: int) -> Place:
            return Place(**{kind: f"two{number % 2}" if name == "two" else name for kind, name in places.items()})

        return tuple(
            Disk(id=f"wwn-0x5000{number}", size_bytes=2000398934016, state="blank", place=place(number))
            for number in range(4)
        )

    assert domain_of(disks(enclosure="two", controller="two")) == "enclosure"
    assert domain_of(disks(enclosure="one", controller="two")) == "controller"
    assert domain_of(disks(enclosure="one", controller="one", expander="two")) == "expander"
    assert domain_of(disks(enclosure="one")) is None
    (shelf,) = [
        choice for question in questions(disks(), Answers()) for choice in question.choices if choice.name == "shelf"
    ]
    assert not shelf.possible


def test_what_was_understood_is_said_in_sentences() -> None:
    asked = Constraints(
        usable_bytes=50 * 10**12, survive=1, spares=4, survive_domain="enclosure", levels=("raid1", "raid10"),
        wishes=("risk", "write"),
    )  # fmt: skip
    assert understood(asked, Assumptions(restock_days=365.0), 64 * 1024) == (
        "At least 50.0 TB usable; no data is lost if any one disk of an array fails, or any one enclosure.",
        "A failed disk is replaced within 365 days, 4 hot spares until then.",
        "Only raid1, raid10: with parity a small write costs four or six disk operations, with mirrors one per copy.",
        "Chunk 64 KiB, so that small files fill whole stripes sooner.",
        "First priority: safety, then writing.",
    )


@pytest.mark.usefixtures("compare")
async def test_four_times_enter_and_once_more_shows_what_fits() -> None:
    async with robot() as user:
        assert "g starts the guide" in user.note()
        await user.press("g")
        assert user.sees("What is it for?")
        assert user.sees("(*) two disks")
        await user.press("enter", "enter", "enter", "enter")
        assert not user.app.session.history.past
        await user.press("enter")
        await user.pilot.pause(0.1)
        assert user.sees("Your requirements")
        assert user.sees("no data is lost if any two disks of an array fail")
        assert user.note() == "constraints: survive 2 spares 1 wish capacity,read,write   / changes them"
        assert user.sees(" a  2×(27+2)+2")
        await user.press("down")
        assert not user.sees("Your requirements")
        await user.press("u")
        assert user.app.session.decision.constraints is None
        assert user.app.session.decision.assumptions == Assumptions()
        await user.press("1")
        assert "g starts the guide" in user.note()


@pytest.mark.usefixtures("compare")
async def test_an_amount_is_typed_and_a_wrong_one_refused_with_words() -> None:
    async with robot() as user:
        await user.press("2", "g", "down", "down", "space")
        assert user.sees("(*) databases, VMs")
        await user.press("enter", "down", "enter")
        await user.types("500 TB")
        await user.press("enter")
        assert user.sees("the 60 disks hold 120 TB in all")
        await user.answers("20TB")
        assert user.sees("(*) at least 20.0 TB")
        await user.press("up", "enter", "end", "enter")
        await user.pilot.pause(0.1)
        constraints = user.app.session.decision.constraints
        assert constraints is not None
        assert constraints.levels == ("raid1", "raid10")


@pytest.mark.parametrize("key", ["escape", "q"])
async def test_closing_the_questions_decides_nothing(key: str) -> None:
    async with robot() as user:
        await user.press("g", "down", "enter", key)
        assert user.sees("Topology")
        assert not user.app.session.history.past


async def test_what_cannot_break_here_cannot_be_picked() -> None:
    async with robot("nas4") as user:
        await user.press("g", "enter", "enter", "down", "enter")
        assert user.sees("not possible: all disks share a single one")
        assert user.sees("(*) two disks")
        assert user.sees("( ) a whole shelf")


async def test_letters_typed_into_a_question_open_nothing() -> None:
    async with robot() as user:
        await user.press("slash", "g")
        assert user.app.screen.focused.value == "g"  # type: ignore[union-attr]
