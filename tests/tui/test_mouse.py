"""What looks clickable is: tabs, hints, arrows, bays, rows, buttons."""

from __future__ import annotations

import pytest

from raidtui.tui.widgets.confirm_dialog import ConfirmDialog
from raidtui.values.notation import show
from tests.tui.robot import Robot, robot


async def click(user: Robot, text: str, *, from_line: int = 0) -> None:
    """Clicks on the first `text` at or below a line of the screen."""
    at = next((x, y) for y, line in enumerate(user.lines()) if y >= from_line and (x := line.find(text)) >= 0)
    await user.pilot.click(offset=at)
    await user.pilot.pause()


async def test_tabs_and_hints_are_clicked() -> None:
    async with robot() as user:
        await click(user, "2Design")
        assert user.app.page.page_name == "Design"
        await click(user, "8Watch")
        assert user.app.page.page_name == "Watch"
        await click(user, "1Disks")
        await click(user, "filter", from_line=23)
        assert user.app.page.asking
        await user.press("escape")
        await click(user, "keys", from_line=23)
        assert user.sees("Esc closes")


async def test_an_arrow_of_a_field_changes_it() -> None:
    async with robot() as user:
        await user.press("2")
        line = next(y for y, text in enumerate(user.lines()) if text.startswith(" Arrays"))
        await click(user, "‹", from_line=line)
        assert show(user.app.session.decision.design.layout) == "3x(12+2)+4"


async def test_a_bay_is_picked_and_a_row_too() -> None:
    async with robot() as user:
        row = next(y for y, text in enumerate(user.lines()) if "drawer 2" in text and "●" in text)
        x = user.lines()[row].index("●", 40)
        await user.pilot.click(offset=(x + 2, row))
        await user.pilot.pause()
        assert user.sees("14 of 60")


async def test_cancel_is_clicked_and_the_other_button_still_asks_for_the_phrase() -> None:
    async with robot("nas4") as user:
        await user.press("4", "b")
        await user.finds("[ Cancel ]")
        await click(user, "[ type")
        assert isinstance(user.app.screen, ConfirmDialog)
        assert user.app.screen.asking
        await user.press("escape")
        await click(user, "[ Cancel ]")
        assert user.app.page is user.app.screen_stack[-1]


@pytest.mark.parametrize(("screen", "key"), [("1", "slash"), ("2", "slash"), ("3", "slash"), ("4", "e"), ("6", "b")])
async def test_a_click_beside_a_question_leaves_the_keys_to_it(compare: None, screen: str, key: str) -> None:
    """A robot found it: the question was open, and no key did anything, not even Esc."""
    async with robot("nas4") as user:
        await user.press(screen)
        await user.settle()
        await user.press(key, "x")
        await user.pilot.click(offset=(30, 6))
        await user.pilot.pause()
        await user.types("yz")
        assert user.lines()[-1].endswith("xyz")
        await user.press("escape", "escape")
        assert not user.app.page.asking
        await user.press("8")
        assert user.app.page.page_name == "Watch"


async def test_a_click_on_the_disks_leaves_the_phrase_to_be_typed() -> None:
    async with robot("nas4") as user:
        await user.press("4", "b")
        await user.finds("[ Cancel ]")
        await click(user, "[ type")
        await user.pilot.click(offset=(20, 6))
        await user.pilot.pause()
        await user.types("xyz")
        assert user.sees(" xyz")
        await user.press("escape")
        await click(user, "[ Cancel ]")
        assert user.app.page is user.app.screen_stack[-1]
