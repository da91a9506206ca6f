"""The guide suggests the same layout in the app and in `raidtui --plain`, with the same words and figures."""

from __future__ import annotations

import pytest

from raidtui.machine.inventory import shipped
from tests.cli.verbs.test_plain import walked
from tests.suite import few
from tests.tui.robot import robot
from tests.tui.screens.guide.test_dialog import carded

ONE = ("", "", "1", "")
"""purpose, room, failures, visit: Enter takes what suits most users"""
USUAL = ("", "", "", "")
KEYS: dict[tuple[str, ...], tuple[str, ...]] = {
    USUAL: ("g", "enter", "enter", "enter", "enter"),
    ONE: ("g", "enter", "enter", "up", "enter", "enter"),
}
LUNS = "e2660-luns"


@pytest.mark.parametrize(
    ("chassis", "answers"),
    few(((chassis, answers) for answers in KEYS for chassis in sorted({*shipped.names()} - {LUNS})), 4),
)
async def test_both_suggest_the_same(
    chassis: str, answers: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    walked(monkeypatch, answers, "--plain", "--inventory", chassis)
    told = capsys.readouterr().out
    proposal = told.partition("Proposal 1: ")[2].partition("\n\n")[0]
    layout, words = proposal.partition(",")[0], " ".join(proposal.split())
    async with robot(chassis) as user:
        # on few disks one that may fail is picked already
        await user.press(*(KEYS[USUAL] if chassis == "trio" else KEYS[answers]))
        card = " ".join(await carded(user))
        await user.press("enter")
        await user.settle()
        assert layout and user.note().startswith(f"{layout} is now the design"), (layout, user.note())
    suggested = words.partition("We suggest ")[2].partition(" usable: ")
    assert f"We suggest {suggested[0]}" in " ".join(card.split())


async def test_of_luns_both_say_what_can_be_done_instead(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    walked(monkeypatch, USUAL, "--plain", "--inventory", LUNS)
    told = capsys.readouterr().out
    reason = "4 disks are LUNs of hardware controllers: a proposal compares risk and rebuild time, which are unknown"
    way_out = "To go on, see single layouts with raidtui model, for example 4x disk, an LVM stripe over the LUNs."
    async with robot(LUNS) as user:
        await user.press(*KEYS[USUAL])
        card = await carded(user, "Change the answers")
    for text in (told, " ".join(card)):
        assert f"{reason} for LUNs. {way_out}" in " ".join(text.split())
