"""Keys act in the order typed, on the screen, dialog or field that they were typed for, however fast they come."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from textual.widgets import Input

from raidtui.advice.proposals.propose import SearchProgress
from raidtui.session import jobs
from raidtui.session.search_thread import SearchRequest, Steps
from raidtui.tui.screens.compare import screen
from raidtui.tui.screens.disks.screen import DisksScreen
from raidtui.tui.widgets.dialogs import TextDialog
from raidtui.tui.widgets.pane import Pane
from raidtui.values.notation import show
from tests.suite import few
from tests.tui.builds import Executors
from tests.tui.key_sequences import differences, ends
from tests.tui.robot import PATIENCE, Robot, robot


def layout(user: Robot) -> str:
    """The layout of the present design."""
    return show(user.app.session.decision.design.layout)


async def until(condition: Callable[[], bool]) -> None:
    """Waits for `condition` while keys are kept waiting."""
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.02)


async def test_a_disk_is_excluded_before_the_next_screen_is_shown() -> None:
    async with robot() as user:
        await user.writes("space", "2")
        assert user.app.page.page_name == "Design"
        assert len(user.app.session.decision.left_out) == 1


async def test_a_value_is_changed_before_the_next_screen_is_shown() -> None:
    async with robot() as user:
        await user.press("2")
        before = layout(user)
        await user.writes("down", "greater_than_sign", "3")
        assert user.app.page.page_name == "Compare"
        assert layout(user) != before


async def test_keys_behind_a_digit_act_on_its_screen() -> None:
    async with robot() as user:
        await user.writes("2", "down", "left", "3", "1", "space", "2", "u", "1", "space")
        assert user.app.page.page_name == "Disks"
        assert layout(user) == "4x(13+1)+4"
        assert len(user.app.session.decision.left_out) == 1


async def test_a_dialog_that_opens_while_its_screen_is_laid_out_stops_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    async with robot() as user:
        page = user.app.page

        def covered(_: Callable[[], None]) -> bool:
            user.app.push_screen(TextDialog("late", ()))
            return True  # and calls back when the dialog is gone

        monkeypatch.setattr(page, "call_after_refresh", covered)
        page.layout_due = True
        async with asyncio.timeout(PATIENCE):
            await user.writes("escape", "2")
        assert user.app.page.page_name == "Design"


async def test_a_question_that_lost_the_focus_has_the_next_key() -> None:
    async with robot() as user:
        await user.press("2", "slash")
        page = user.app.page
        field = page.query_one(Input)
        field.can_focus = False  # as on a terminal that is too small for it
        page.set_focus(page.query(Pane).first())
        await user.pilot.pause()
        field.can_focus = True
        assert page.focused is not field
        await user.press("x")
        assert field.value.endswith("x")
        await user.press("escape")
        assert not page.asking


async def test_what_opens_keeps_the_keys_typed_behind_it() -> None:
    async with robot() as user:
        await user.writes("slash", *"d1s02", "enter", "2")
        assert user.app.page.page_name == "Design"
        assert user.app.get_screen("disks", DisksScreen).table.words == "d1s02"
        await user.writes("question_mark", "down", "q", "1")
        assert user.app.screen is user.app.page
        assert user.app.page.page_name == "Disks"


async def test_keys_typed_ahead_into_the_palette_find_and_run_one_command() -> None:
    async with robot() as user:
        await user.writes("colon", *"undo", "enter", "enter", "enter")
        assert user.sees("nothing to undo") or isinstance(user.app.screen, TextDialog)
        assert user.app.is_running


async def test_the_screen_is_drawn_again_in_a_dialog_and_in_a_question_too(monkeypatch: pytest.MonkeyPatch) -> None:
    async with robot() as user:
        drawn: list[bool] = []
        monkeypatch.setattr(user.app, "action_redraw", lambda: drawn.append(True))
        for keys in ((), ("question_mark",), ("escape", "slash"), ("escape", "g"), ("escape", "colon")):
            await user.press(*keys, "ctrl+l")
        assert len(drawn) == 5


async def test_a_page_of_the_palette_is_turned_at_once() -> None:
    """Textual's own palette knows no page before it is drawn."""
    async with robot() as user:
        await user.press("colon", "escape")
        await user.writes("pagedown", "colon", "pagedown", "pageup", "escape", "pageup", "colon")
        await user.closes()
        assert user.app.is_running


async def test_a_benchmark_starts_where_everything_was_typed_ahead(tmp_path: Path) -> None:
    executors = Executors()
    async with robot("nas4", bench_root=tmp_path, launch=executors) as user:
        await user.writes("6", "b", *"start", "enter")
        await user.eventually(lambda: user.app.bench_follower.seen is not None)
        assert user.app.bench_follower.ask(lambda wish: replace(wish, stop=True))
        executors.join()


async def test_keys_for_a_screen_that_still_searches_wait_for_what_it_finds() -> None:
    async with robot() as user:
        await user.writes("3", "down", "down", "enter")
        assert user.app.page.page_name == "Design"
        ahead = layout(user)
    async with robot() as user:
        await user.press("3")
        await user.settle()
        await user.press("down", "down", "enter")
        assert layout(user) == ahead


async def test_ctrl_c_drops_the_keys_that_wait_and_a_screen_that_never_loads_can_be_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gate = Event()

    def steps(_: SearchRequest) -> Steps:
        gate.wait()
        yield SearchProgress(judged=0, of=1)
        raise AssertionError

    monkeypatch.setattr(screen, "steps_of", steps)
    try:
        async with robot() as user:
            user.post("3", "down", "space", "2")
            await until(lambda: user.app.page.page_name == "Compare")
            user.post("ctrl+c", "1")
            await until(lambda: user.app.page.page_name == "Disks")
            await user.press("space")
            assert len(user.app.session.decision.left_out) == 1
    finally:
        gate.set()


async def test_ctrl_c_gives_up_a_dialog_that_is_being_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Event()
    monkeypatch.setattr(jobs, "objections", lambda *_: gate.wait() and (None, ()))
    async with robot("nas4") as user:
        user.post("4", "b", "1", "2")
        await until(lambda: user.sees("reading the disks again"))
        user.post("ctrl+c")
        await until(lambda: user.sees("interrupted: the keys that waited are dropped"))
        gate.set()
        await user.settle()
        assert user.app.screen is user.app.page
        assert user.app.page.page_name == "Commands"
        await user.press("ctrl+c")
        assert user.note() == "q quits"


@pytest.mark.parametrize("seed", few(range(40), 4))
def test_a_sequence_ends_alike_at_any_pace(seed: int) -> None:
    """`python -m tests.tui.key_sequences SEED NUMBER` draws others."""
    keys, found = ends(f"2026 {seed}")
    assert differences(found) == [], " ".join(keys)
