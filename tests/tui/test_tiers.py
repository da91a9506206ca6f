"""Whatever a terminal can show, nothing else is sent to it: every screen in every tier, and hostile disks."""

from __future__ import annotations

import unicodedata

import pytest

from raidtui.tui.terminal.glyphs import GLYPHS
from raidtui.tui.terminal.profile import TIERS, Tier
from raidtui.values.inventory import Controller, Disk, Inventory, Place, Use
from tests.suite import few
from tests.tui.robot import Robot, robot

CONSOLE = set("─│┌┐└┘├┤┬┴┼═║╔╗╚╝╠╣╦╩╬█░▒•°±²µ·")
"""what the default fonts of Debian, Ubuntu, RHEL and the kernel share beyond ASCII"""
HOSTILE = "[/red]\x1b[31mE\x1b]0;own\x07\n\r\t\x9b2J\u202ertl\u200b\u2066[bold]$(reboot)`id`\u0301\ufeff表"
SCREENS: dict[str, tuple[str, ...]] = {
    "disks": (),
    "detail": ("i",),
    "filter": ("slash", "s"),
    "guide": ("g",),
    "help": ("question_mark",),
    "palette": ("colon", "t"),
    "temperature": ("shift+tab", "v", "v"),
    "design": ("2",),
    "explain": ("2", "f1"),
    "domains": ("2", "f"),
    "notation": ("2", "slash"),
    "figures": ("2", "tab", "end"),
    "formula": ("2", "home", "down", "down", "down", "down", "f1"),
    "compare": ("3",),
    "why": ("3", "w"),
    "commands": ("4",),
    "expanded": ("4", "down", "down", "down", "enter"),
    "files": ("4", "end", "up", "up"),
    "no run": ("5",),
    "bench": ("6",),
    "no report": ("7",),
    "watch": ("8",),
    "refused": ("shift+tab", "space", "2"),
}
"""one after the other from the Disks screen, in this order: a pane keeps its focus and its cursor"""


def hostile_inventory() -> Inventory:
    disks = tuple(
        Disk(
            id=f"wwn-0x5000{number}", size_bytes=2000398934016, kernel_name=f"sd{HOSTILE}", serial=f"{HOSTILE}{number}",
            vendor=HOSTILE, model=HOSTILE, firmware=HOSTILE, by_id=(f"wwn-0x5000{number}",), by_path=HOSTILE,
            hctl=HOSTILE, transport=HOSTILE, zoned="none",
            place=Place(controller=HOSTILE, expander=HOSTILE, port=HOSTILE, enclosure=HOSTILE,
                        slot=f"{HOSTILE} {number}"),
            state="blank" if number < 6 else "content",
            uses=() if number < 6 else (Use(kind="mounted", where=HOSTILE, active=True),),
            not_selectable=None if number < 6 else HOSTILE,
        )
        for number in range(8)
    )  # fmt: skip
    controller = Controller(pci=HOSTILE, driver=HOSTILE, name=HOSTILE)
    return Inventory(
        origin="machine", name=HOSTILE, title=HOSTILE, controllers=(controller,), disks=disks, unread=(HOSTILE,)
    )


def sent(user: Robot) -> str:
    """Every character of the picture as it goes to the terminal."""
    return "".join(
        segment.text
        for strip in user.app.screen._compositor.render_strips()
        for segment in strip
        if not segment.control
    )


def shown(tier: Tier, char: str) -> bool:
    if char.isascii():
        return " " <= char <= "~"
    match tier:
        case "ascii":
            return False
        case "console":
            return char in CONSOLE
        case "unicode":
            return unicodedata.category(char)[0] not in "CZ" and unicodedata.combining(char) == 0


@pytest.mark.parametrize(
    ("tier", "disks"),
    few(
        [
            ("ascii", "hostile"),
            ("ascii", "e2660"),
            ("console", "e2660"),
            ("console", "hostile"),
            ("unicode", "e2660"),
            ("unicode", "hostile"),
        ],
        2,
    ),
)
async def test_only_characters_of_the_tier_are_sent(tier: Tier, disks: str) -> None:
    inventory = hostile_inventory() if disks == "hostile" else disks
    pictures: set[str] = set()
    async with robot(inventory, tier=tier) as user:
        for screen, keys in SCREENS.items():
            await user.closes()
            for key in ("1", *keys):
                await user.press(key)
            await user.pilot.pause(0.1)
            picture = sent(user)
            assert {char for char in picture if not shown(tier, char)} == set(), screen
            assert picture not in pictures or disks == "hostile", f"{screen} looks like another one"
            pictures.add(picture)


async def test_hostile_text_is_shown_as_text_and_never_as_markup() -> None:
    async with robot(hostile_inventory(), width=200, height=60) as user:
        assert user.sees("[/red]\\e[31m")
        assert user.sees("\\u202e")
        assert user.sees("[bold]$(reboot)`id`")


@pytest.mark.parametrize("tier", TIERS)
def test_every_glyph_is_one_the_tier_can_show(tier: Tier) -> None:
    glyphs = GLYPHS[tier]
    for name in glyphs._fields:
        for char in getattr(glyphs, name) if name != "tier" else "":
            assert shown(tier, char), f"{name} {char!r}"
            assert unicodedata.east_asian_width(char) not in "WF"


async def test_no_colour_leaves_the_terminal_without_any(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with robot(tier="ascii", theme="raidtui-ansi") as user:
        for digit in "12345":
            await user.press(digit)
            colours = {
                name
                for strip in user.app.screen._compositor.render_strips()
                for segment in strip
                if segment.style is not None
                for colour in (segment.style.color, segment.style.bgcolor)
                if colour is not None and (name := colour.name) != "default"
            }
            assert colours == set()
