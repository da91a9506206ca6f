"""Four questions without RAID words, and what their answers ask of a layout."""

from __future__ import annotations

import re

import pytest

from raidtui.advice.proposals.guide import (
    Answers,
    answered,
    chosen,
    domain_of,
    first_answers,
    questions,
    usable,
    wanted,
)
from raidtui.machine.inventory.shipped import load
from raidtui.predict.stated_disks import purchase
from raidtui.values.assumptions import Assumptions
from raidtui.values.inventory import Disk, Place
from raidtui.values.proposal import Constraints

SIXTY = load("e2660").disks
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


def test_what_most_people_want() -> None:
    asked = wanted(Answers(), Assumptions(), SIXTY)
    assert asked.constraints == Constraints(survive=2, spares=1, wishes=("capacity", "read", "write"))
    assert asked.assumptions == Assumptions(restock_days=30.0)
    assert (asked.purpose, asked.chunk_bytes, asked.fs) == ("streams", 512 * 1024, "xfs")


def test_databases_far_away_that_outlive_a_controller() -> None:
    answers = Answers(purpose="databases", room_bytes=20 * 10**12, breaks="shelf", visit="year")
    asked = wanted(answers, Assumptions(), SIXTY)
    assert asked.constraints == Constraints(
        usable_bytes=20_000_000_000_000, survive=1, spares=3, survive_domain="controller", levels=("raid1", "raid10"),
        wishes=("risk", "random-write", "random-read"),
    )  # fmt: skip
    assert asked.assumptions.restock_days == 365


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


def test_one_disk_that_may_fail_means_at_least_one() -> None:
    constraints = wanted(Answers(breaks="one"), Assumptions(), SIXTY).constraints
    assert (constraints.survive, constraints.levels) == (1, ())
    assert wanted(Answers(breaks="one", purpose="databases"), Assumptions(), SIXTY).constraints.levels == (
        "raid1",
        "raid10",
    )


def test_two_disks_cannot_outlive_two_failures() -> None:
    choices = [choice for question in questions(SIXTY[:2], Answers()) for choice in question.choices]
    two = next(choice for choice in choices if choice.name == "two")
    assert (two.possible, two.about) == (False, "not possible with 2 disks")
    assert first_answers(SIXTY[:2]).may_fail == "one"
    assert first_answers(SIXTY).may_fail == "two"


def test_databases_have_two_copies_unless_three_are_asked_for() -> None:
    databases = answered(first_answers(SIXTY), "purpose", "databases")
    assert chosen(databases, "breaks") == "one"
    assert wanted(databases, Assumptions(), SIXTY).constraints.survive == 1
    assert wanted(answered(databases, "breaks", "two"), Assumptions(), SIXTY).constraints.survive == 2
    assert chosen(answered(databases, "purpose", "backup"), "breaks") == "two"
    (about,) = [
        choice.about for question in questions(SIXTY, databases) for choice in question.choices if choice.name == "two"
    ]
    assert about == "three copies of everything"


def test_only_disks_that_go_together_count() -> None:
    """Two NVMe of a system beside six hard disks: eight disks would want a spare, six do not."""
    mixed = (*purchase("6x12TB").disks, *purchase("2x960GB", rotational=False).disks)
    assert wanted(Answers(), Assumptions(), mixed).constraints.spares == 0
    assert wanted(Answers(), Assumptions(), purchase("8x12TB").disks).constraints.spares == 1
    (about,) = [
        choice.about for question in questions(mixed, Answers()) for choice in question.choices if choice.name == "most"
    ]
    assert about == "6 of 8 disks, 72.0 TB"
    small = purchase("1x250GB,6x12TB").disks
    assert [disk.size_bytes // 10**12 for disk in usable(small)] == [12] * 6
