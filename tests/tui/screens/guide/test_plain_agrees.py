"""The guide suggests the same layout in the app and in `raidtui --plain`, with the same words and figures."""

from __future__ import annotations

import io
import sys

import pytest

from raidtui.cli import main
from raidtui.machine.inventory import shipped
from tests.tui.robot import Robot, robot

ONE = ("", "", "1", "")
"""purpose, room, failures, visit: Enter takes what suits most users"""
USUAL = ("", "", "", "")
KEYS: dict[tuple[str, ...], tuple[str, ...]] = {
    USUAL: ("g", "enter", "enter", "enter", "enter"),
    ONE: ("g", "enter", "enter", "up", "enter", "enter"),
}
LUNS = "e2660-luns"


def plain(
    chassis: str,
    answers: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> str:
    """What `--plain` prints after these answers."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(answers) + "\n"))
    main(("--plain", "--inventory", chassis))
    return capsys.readouterr().out


def shown(user: Robot) -> str:
    """The text of the card, in one line."""
    return " ".join(" ".join(line.strip(" │┃") for line in user.lines() if "│" in line).split())


@pytest.mark.parametrize("answers", KEYS)
@pytest.mark.parametrize("chassis", sorted({*shipped.names()} - {LUNS}))
async def test_both_suggest_the_same(
    chassis: str, answers: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = plain(chassis, answers, monkeypatch, capsys)
    proposal = told.partition("Proposal 1: ")[2].partition("\n\n")[0]
    layout, words = proposal.partition(",")[0], " ".join(proposal.split())
    async with robot(chassis) as user:
        await user.press(*KEYS[answers])
        await user.finds("Enter takes it")
        card = shown(user)
        await user.press("enter")
        await user.settle()
        assert layout and user.note().startswith(f"{layout} is now the design"), (layout, user.note())
    suggested = words.partition("We suggest ")[2].partition(" room: ")
    assert f"We suggest {suggested[0]}" in card


async def test_of_luns_both_say_what_can_be_done_instead(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = plain(LUNS, USUAL, monkeypatch, capsys)
    reason = "4 disks are LUNs of hardware controllers: a proposal compares risk and rebuild time, which nobody knows"
    way_out = "To go on, see single layouts with raidtui model, for example 4x disk, an LVM stripe over the LUNs."
    async with robot(LUNS) as user:
        await user.press(*KEYS[USUAL])
        await user.finds("Change the answers")
        for text in (" ".join(told.split()), shown(user)):
            assert f"{reason} of LUNs. {way_out}" in text
