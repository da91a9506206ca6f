"""`?` and `raidtui help keys` show one table of keys."""

from __future__ import annotations

from raidtui.tui.app import RaidtuiApp
from raidtui.tui.widgets.dialogs import key_rows
from raidtui.tui.widgets.pane import Pane
from tests.regenerate_keys import COMMON, FLEET, TOPIC, table, text
from tests.tui.fleets import alike, fleet_robot
from tests.tui.robot import SCREENS, robot

HOW = "run `python -m tests.regenerate_keys`, read the difference, and commit it"


async def test_the_topic_is_what_the_bindings_say() -> None:
    rows = await table()
    assert text(rows) == TOPIC.read_text(encoding="utf-8"), HOW
    assert list(rows) == [COMMON, *(page.kind.page_name for page in RaidtuiApp.PAGES), *FLEET]


async def test_the_dialog_shows_no_key_that_the_table_lacks() -> None:
    rows = await table()
    async with robot() as user:
        for digit in SCREENS:
            await user.press(digit)
            known = {(key, row.words) for row in (*rows[COMMON], *rows[user.app.page.page_name]) for key in row.keys}
            for pane in user.app.page.query(Pane):
                pane.focus()
                await user.pilot.pause()
                shown = key_rows(active.binding for active in user.app.page.active_bindings.values())
                assert {(key, row.words) for row in shown for key in row.keys} <= known
                assert len(user.app.page.help_lines()) == len(shown) > 10


async def test_the_dialog_of_the_fleet_shows_no_key_that_the_table_lacks() -> None:
    rows = await table()
    known = {(key, row.words) for name in (COMMON, *FLEET) for row in rows[name] for key in row.keys}
    async with fleet_robot(alike()) as user:
        for page in user.app.PAGES:
            await user.app.action_show(page.name)
            for pane in user.app.page.query(Pane):
                pane.focus()
                await user.pilot.pause()
                shown = key_rows(active.binding for active in user.app.page.active_bindings.values())
                assert {(key, row.words) for row in shown for key in row.keys} <= known
