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
from raidtui.model.notation import parse, show
from raidtui.model.proposal import Constraints
from raidtui.tui.screens.guide.answers import (
    Answers,
    Visit,
    answered,
    chosen,
    decided,
    domain_of,
    first_answers,
    questions,
    understood,
)
from raidtui.tui.screens.guide.suggestion import shape_words
from raidtui.tui.state.decision import Decision
from tests.tui.robot import Robot, robot

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


def test_one_disk_that_may_fail_asks_for_raid5_where_the_use_names_no_level() -> None:
    def levels(answers: Answers, disks: int = 60) -> tuple[str, ...]:
        constraints = decided(answers, FIRST, SIXTY[:disks]).constraints
        assert constraints is not None
        return constraints.levels

    assert levels(Answers(breaks="one")) == ("raid5",)
    assert levels(Answers(breaks="one", purpose="databases")) == ("raid1", "raid10")
    assert levels(Answers(breaks="one"), 2) == ()
    assert levels(Answers()) == ()


def test_two_disks_cannot_outlive_two_failures() -> None:
    choices = [choice for question in questions(SIXTY[:2], Answers()) for choice in question.choices]
    two = next(choice for choice in choices if choice.name == "two")
    assert (two.possible, two.about) == (False, "not possible with 2 disks")
    assert first_answers(SIXTY[:2]).breaks == "one"
    assert first_answers(SIXTY).breaks == "two"


@pytest.mark.parametrize(
    ("layout", "words"),
    [
        ("4x(9+2)+1", "4 arrays of 9+2 disks and 1 spare"), ("(3+1)", "one array of 3+1 disks"),
        ("raid1(2)", "a mirror of 2 disks"), ("6x raid1(2)+2", "6 mirrors of 2 disks and 2 spares"),
        ("raid10(8)", "one array of 8 disks in 2 copies"),
        ("2x(12+2)+3x(10+2)+2", "2 arrays of 12+2 disks, 3 arrays of 10+2 disks and 2 spares"),
    ],
)  # fmt: skip
def test_a_layout_in_plain_words(layout: str, words: str) -> None:
    assert shape_words(parse(layout)) == words


async def carded(user: Robot) -> list[str]:
    """The text between the frames of the card, once it is there."""
    await user.finds("Enter takes it")
    return [line.strip(" │┃") for line in user.lines() if "│" in line]


async def test_four_answers_end_on_one_card_and_enter_takes_it() -> None:
    """Six keys; it took eight, with a table between."""
    async with robot("pod45") as user:
        await user.press("g", "enter", "enter", "enter", "enter")
        said = " ".join(await carded(user))
        assert "We suggest 4 arrays of 9+2 disks and 1 spare." in said
        assert "any two disks of each array at a time, and no data is lost" in said
        assert "65.03 TiB for files" in said and "a year, as modelled" in said
        assert not user.app.session.history.past
        await user.press("enter")
        await user.finds("is now the design")
        assert show(user.app.session.decision.design.layout) == "4x(9+2)+1"
        assert user.note() == "4x(9+2)+1 is now the design; 4 shows its commands, u undoes it"
        assert user.sees("Loss a year")
        await user.press("u")
        assert show(user.app.session.decision.design.layout) == "3x(12+2)+3"


async def test_one_failure_on_four_disks_is_raid5() -> None:
    async with robot("nas4") as user:
        await user.press("g", "enter", "enter", "up", "enter", "enter")
        said = " ".join(await carded(user))
        assert "We suggest one array of 3+1 disks." in said
        assert "any one disk at a time, and no data is lost" in said
        await user.press("enter")
        await user.finds("is now the design")
        assert user.app.session.decision.design.layout == parse("(3+1)")


async def test_what_the_disks_cannot_do_is_said_and_the_answers_can_be_changed() -> None:
    async with robot("trio") as user:
        await user.press("g", "enter", "down", "enter")
        await user.types("1.9 TB")
        await user.press("enter", "enter", "enter")
        await user.finds("These disks cannot do all of that.")
        await user.press("enter")
        assert user.sees("What is it for?") and user.sees("(*) at least 1.90 TB")


@pytest.mark.usefixtures("compare")
async def test_all_layouts_are_one_key_from_the_card() -> None:
    async with robot("nas4") as user:
        await user.press("g", "enter", "enter", "enter", "enter")
        await carded(user)
        await user.press("down", "enter")
        await user.finds("Your requirements")
        assert user.sees("no data is lost if any two disks of an array fail")
        await user.press("down")
        assert not user.sees("Your requirements")
        await user.press("u")
        assert user.app.session.decision.constraints is None
        assert user.app.session.decision.assumptions == Assumptions()


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
        await carded(user)
        await user.press("enter")
        await user.finds("is now the design")
        constraints = user.app.session.decision.constraints
        assert constraints is not None
        assert constraints.levels == ("raid1", "raid10")
        assert user.app.session.decision.design.layout.level in ("raid1", "raid10")


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
