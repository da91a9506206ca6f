"""Every screen on every size of terminal: what stays on a small one, and what a terminal below the minimum does."""

from __future__ import annotations

from pathlib import Path

import pytest

from raidtui.tui.screens.arrays import ArraysScreen
from raidtui.tui.screens.base import BaseScreen
from raidtui.tui.screens.bench.screen import BenchScreen
from raidtui.tui.screens.build.screen import BuildScreen
from raidtui.tui.screens.commands import CommandsScreen
from raidtui.tui.screens.compare.screen import CompareScreen
from raidtui.tui.screens.design.screen import DesignScreen
from raidtui.tui.screens.disks.screen import DisksScreen
from raidtui.tui.screens.report import ReportScreen
from raidtui.tui.screens.watch import WatchScreen
from tests.tui.robot import SCREENS, Robot, robot

TOPIC = Path(__file__).resolve().parents[2] / "raidtui" / "topics" / "terminals.md"
FIRST = {
    "1": "table", "2": "form", "3": "layouts", "4": "parts", "5": "steps", "6": "choose", "7": "sections",
    "8": "gauges", "9": "list",
}  # fmt: skip
"""the pane of each screen that stays longest"""
EMPTY = {"5": "now", "7": "text", "9": "list"}
"""the only pane of a screen that has nothing to show yet"""


CLASSES: tuple[type[BaseScreen], ...] = (
    ArraysScreen, DisksScreen, DesignScreen, CompareScreen, CommandsScreen, BuildScreen, BenchScreen, ReportScreen,
    WatchScreen,
)  # fmt: skip


@pytest.mark.parametrize("screen", CLASSES)
def test_the_topic_states_the_order_in_which_panes_are_left_out(screen: type[BaseScreen]) -> None:
    orders = [screen.SMALL]
    if issubclass(screen, BenchScreen):
        orders.append(screen.SMALL_CHOOSING)
    row = f"| {screen.page_name} | " + "; before the start ".join(
        ", ".join(each.pane for each in order) for order in orders
    )
    assert f"{row} |\n" in TOPIC.read_text(encoding="utf-8")


def shown(user: Robot) -> list[str]:
    """Ids of the panes on the screen that have lines, in the order of their places."""
    return [pane.id or "" for pane in user.app.screen.query("#body > *") if pane.display and pane.region.height > 1]


async def test_a_status_line_of_tmux_takes_no_pane_away() -> None:
    found = []
    for height in (24, 23):
        async with robot(width=80, height=height) as user:
            panes = {}
            for digit in SCREENS:
                await user.press(digit)
                await user.settle()
                panes[digit] = shown(user)
                bodies = user.app.screen.query("#body > *")
                assert all(pane.region.height > 1 for pane in bodies if pane.display), digit
            found.append(panes)
    assert found[0] == found[1]


async def test_on_the_smallest_terminal_tab_brings_every_pane() -> None:
    async with robot(width=60, height=18) as user:
        for digit in SCREENS:
            await user.press(digit)
            await user.settle()
            page = user.app.page
            if digit in EMPTY:
                assert shown(user) == [EMPTY[digit]]
                continue
            assert FIRST[digit] in shown(user)
            seen = set()
            for _ in page.small_panes():
                assert page.focused is not None
                assert page.focused.id in shown(user), digit
                assert page.focused.region.height >= 3, digit
                assert sum(pane.region.height for pane in page.query("#body > *") if pane.display) <= 15, digit
                seen.add(page.focused.id)
                await user.press("tab")
            able = {each.pane for each in page.small_panes() if page.query_one(f"#{each.pane}").allow_focus()}
            assert seen == able, digit


async def test_growing_brings_every_pane_back() -> None:
    async with robot(width=60, height=18) as user:
        await user.press("2")
        assert shown(user) == ["answer", "form", "result"]
        await user.pilot.resize_terminal(80, 24)
        await user.pilot.pause()
        assert shown(user) == ["answer", "form", "result", "findings", "placement"]


async def test_a_terminal_that_grows_shows_what_it_shows_when_opened_at_that_size() -> None:
    async with robot(width=132, height=43) as opened, robot(width=80, height=24) as grown:
        for user, sizes in ((opened, ()), (grown, ((132, 43), (132, 30), (132, 43)))):
            await user.press("4")
            await user.settle()
            for size in sizes:
                await user.pilot.resize_terminal(*size)
                await user.pilot.pause()
        assert grown.lines() == opened.lines()


async def test_the_title_of_a_small_terminal_names_only_its_own_screen() -> None:
    async with robot(width=60, height=18) as user:
        await user.press("4")
        assert user.lines()[0].split() == ["1", "2", "3", "4", "Commands", "5", "6", "7", "8", "9", "e2660",
                                           "SIMULATED", "DRY", "RUN"]  # fmt: skip


async def test_a_terminal_below_the_minimum_shows_one_sentence() -> None:
    for size in ((59, 18), (1, 1)):
        async with robot(width=size[0], height=size[1]) as user:
            for (width, height), told in (
                (size, ["raidtui needs 60x18, this terminal has 59x18"] if size == (59, 18) else None),
                ((60, 17), ["raidtui needs 60x18, this terminal has 60x17"]),
                ((40, 10), ["needs 60x18"]),
                ((12, 5), ["needs 60x18"]),
                ((11, 5), ["60x18"]),
                ((3, 50), None),
                ((200, 10), ["raidtui needs 60x18, this terminal has 200x10"]),
            ):
                await user.pilot.resize_terminal(width, height)
                await user.pilot.pause()
                if told is not None:
                    assert [text.strip() for text in user.lines() if text.strip()] == told


async def test_the_sentence_replaces_what_lies_over_a_screen() -> None:
    async with robot() as user:
        for keys in (("question_mark",), ("4", "b"), ("g",), ("colon",), ("2", "slash")):
            await user.closes()
            await user.press("1", *keys)
            await user.settle()
            before = user.lines()
            await user.pilot.resize_terminal(50, 10)
            await user.pilot.pause()
            assert [text.strip() for text in user.lines() if text.strip()] == [
                "raidtui needs 60x18, this terminal has 50x10"
            ], keys
            await user.pilot.resize_terminal(80, 24)
            await user.pilot.pause()
            assert user.lines() == before, keys


async def test_no_key_acts_on_a_terminal_below_the_minimum() -> None:
    async with robot() as user:
        session, screen = user.app.session, user.app.screen
        decided = session.decision
        await user.pilot.resize_terminal(59, 24)
        await user.pilot.pause()
        await user.press("space", "g", "2", "right", "colon", "slash", "x", "enter", "question_mark", "b", "f1", "tab")
        assert session.decision == decided
        assert user.app.screen is screen
        await user.pilot.resize_terminal(80, 24)
        await user.pilot.pause()
        await user.press("space")
        assert session.decision != decided


@pytest.mark.parametrize("key", ["q", "ctrl+q"])
async def test_quitting_works_below_the_minimum(key: str) -> None:
    async with robot(width=30, height=10) as user:
        await user.press(key)
        assert user.app._exit


@pytest.mark.parametrize(("width", "rows"), [(60, 2), (80, 2), (132, 1)])
async def test_a_long_message_takes_more_lines_and_is_not_cut(width: int, rows: int) -> None:
    said = (
        "disks not read: cannot open /dev/sda: Permission denied; run it as root, or choose a chassis with --inventory"
    )
    async with robot(width=width, height=24) as user:
        user.app.page.say(said)
        await user.pilot.pause()
        assert " ".join(text.strip() for text in user.lines()[-1 - rows : -1]) == said
        user.app.page.say("")
        await user.pilot.pause()
        assert "60 chosen" in user.note()
        assert said.split()[-1] not in "\n".join(user.lines())


@pytest.mark.parametrize("size", [(60, 18), pytest.param((132, 43), marks=pytest.mark.thorough)])
async def test_z_shows_the_focused_pane_alone_and_all_of_them_again(size: tuple[int, int]) -> None:
    async with robot(width=size[0], height=size[1]) as user:
        for digit in SCREENS:
            await user.press(digit)
            await user.settle()
            before = {pane: user.app.screen.query_one(f"#{pane}").region for pane in shown(user)}
            page = user.app.page
            assert page.focused is not None and page.focused.id is not None
            await user.press("z")
            assert shown(user) == [page.focused.id], digit
            assert page.focused.region.height == size[1] - 3, digit
            await user.press("tab")
            assert page.focused is not None and shown(user) == [page.focused.id], digit
            await user.press("shift+tab", "z")
            assert {pane: page.query_one(f"#{pane}").region for pane in shown(user)} == before, digit


@pytest.mark.parametrize(
    ("keys", "typed", "shown_as"),
    [
        (("g", "enter", "down", "enter"), "50TB", "at least > 50TB"),
        (("4", "b", "down", "enter"), "nope", "type it here > nope"),
        (("slash",), "sda", "filter > sda"),
    ],
)
async def test_what_is_typed_is_seen_on_the_smallest_terminal(keys: tuple[str, ...], typed: str, shown_as: str) -> None:
    async with robot(width=60, height=18) as user:
        await user.press(*keys)
        await user.settle()
        await user.types(typed)
        wanted = shown_as.format(digest=user.app.session.plan().digest[-8:])
        assert any(wanted in text for text in user.lines())


OPENED = {
    "filter": ("1", "slash"), "save": ("2", "S"), "constraints": ("3", "slash"), "export": ("4", "e"),
    "start": ("6", "b"), "value": ("2", "enter"), "palette": ("colon",), "guide": ("g",),
    "amount": ("g", "enter", "down", "enter"), "help": ("question_mark",), "confirm": ("4", "b"),
    "phrase": ("4", "b", "down", "enter"), "nothing": ("2", "tab"),
}  # fmt: skip


@pytest.mark.parametrize("opened", OPENED)
async def test_what_has_the_keys_has_them_again_after_a_terminal_too_small(opened: str, compare: None) -> None:
    """A split of tmux is enough: no key did anything afterwards, not even Esc."""
    async with robot("nas4") as user:
        await user.press(*OPENED[opened])
        await user.settle()
        before, focused = user.lines(), user.app.focused
        assert focused is not None
        await user.pilot.resize_terminal(50, 15)
        await user.press("x")
        await user.pilot.resize_terminal(80, 24)
        await user.pilot.pause()
        assert user.app.focused is focused
        assert (user.lines()[:-2], user.lines()[-1]) == (before[:-2], before[-1])
        await user.closes()
        await user.press("8")
        assert user.app.page.page_name == "Watch"
