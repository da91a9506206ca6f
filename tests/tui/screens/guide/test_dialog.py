"""The dialog of four questions, the card at its end, and a person who answers."""

from __future__ import annotations

import pytest

from raidtui.advice.proposals import pick_reasons
from raidtui.values.assumptions import Assumptions
from raidtui.values.notation import parse, show
from tests.tui.robot import Robot, robot


async def carded(user: Robot, has: str = "Enter takes it") -> list[str]:
    """The text between the frames of the card, once it is there and has these words."""
    await user.finds(has)
    return [line.strip(" │┃") for line in user.lines() if "│" in line]


async def test_four_answers_end_on_one_card_and_enter_takes_it() -> None:
    """Six keys; it took eight, with a table between."""
    async with robot("jbod84") as user:
        before = show(user.app.session.decision.design.layout)
        await user.press("g", "enter", "enter", "enter", "enter")
        said = " ".join(await carded(user))
        assert "We suggest 5 arrays of 14+2 disks and 4 spares." in said
        assert "any two disks of each array at a time, and no data is lost" in said
        assert "1.235 PiB" in said and "1 in 710 a year, at worst 1 in 75" in said
        assert "of an array 1 in 270 000 a year: a volume" in " ".join(said.split())
        assert not user.app.session.history.past
        await user.press("enter")
        await user.finds("is now the design")
        assert show(user.app.session.decision.design.layout) == "5x(14+2)+4"
        assert user.note() == "5x(14+2)+4 is now the design; 4 shows its commands, u undoes it"
        assert user.sees("Loss a year")
        await user.press("u")
        assert show(user.app.session.decision.design.layout) == before


async def test_one_failure_on_four_disks_is_raid5() -> None:
    async with robot("nas4") as user:
        await user.press("g", "enter", "enter", "up", "enter", "enter")
        said = " ".join(await carded(user))
        assert "We suggest one array of 3+1 disks." in said
        assert "any one disk at a time, and no data is lost" in said
        await user.press("enter")
        await user.finds("is now the design")
        assert user.app.session.decision.design.layout == parse("(3+1)")


async def test_a_high_risk_is_said_on_the_card_and_one_line_lowers_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pick_reasons, "HIGH_RISK", 1e-5)  # there is no other layout on any shipped chassis
    async with robot() as user:
        await user.press("g", "enter", "enter", "enter", "enter")
        said = " ".join(await carded(user))
        assert "We suggest 4 arrays of 12+2 disks and 4 spares." in said
        assert "High risk: a 1 in 10 000 chance of data loss" in said
        assert "Do not use it without a backup." in said
        assert user.sees("[ Safer: replace disks within a week ]   Enter takes it")
        await user.pilot.resize_terminal(60, 18)
        await user.finds("backup.   ")
        assert not any(user.app.glyphs.cut in text for text in user.lines() if text.startswith("│"))
        await user.press("enter")
        await user.eventually(lambda: user.sees("High risk") and not user.sees("Safer"))
        await user.press("enter")
        await user.finds("is now the design")
        assert user.app.session.decision.assumptions.restock_days == 7


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
        assert user.sees("any 2 disks of an array may fail without loss of data")
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
        assert user.sees("the 60 disks hold 120 TB in total")
        await user.answers("20TB")
        assert user.sees("(*) at least 20.0 TB")
        assert user.sees("(*) one disk") and user.sees("three copies of everything")
        await user.press("enter", "end", "enter")
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
        assert user.sees("not possible: only one here")
        assert user.sees("(*) two disks")
        assert user.sees("( ) a whole shelf")


@pytest.mark.parametrize("chassis", ["e2660", "nas4", "pod45", "jbod84", "nvme24", "trio"])
async def test_every_answer_is_read_whole_on_the_smallest_terminal(chassis: str) -> None:
    async with robot(chassis, width=60, height=18) as user:
        await user.press("2", "g")
        for _ in range(4):
            assert user.sees("What do you need?")
            box = [row for row in user.lines() if row.lstrip().startswith(("│", "|"))]
            assert box and not any("…" in row for row in box)
            await user.press("down", "down", "down", "down")
