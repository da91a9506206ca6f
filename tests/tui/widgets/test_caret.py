"""The place of each pane's cursor, which the terminal's own follows."""

from __future__ import annotations

import pytest
from textual.geometry import Offset

from raidtui.tui.widgets.pane import Pane
from tests.tui.robot import robot
from tests.tui.stills import stills, taken


@pytest.mark.parametrize(
    ("keys", "size", "place"),
    [
        ((), (80, 24), Offset(1, 10)),
        (("down", "down"), (80, 24), Offset(1, 12)),
        (("shift+tab",), (80, 24), Offset(50, 3)),
        (("shift+tab", "right", "down"), (80, 24), Offset(52, 4)),
        (("2", "down"), (80, 24), Offset(1, 6)),
        (("2", "down"), (200, 60), Offset(2, 9)),
        (("2", "shift+tab"), (80, 24), Offset(1, 2)),
        (("4", "tab"), (80, 24), Offset(1, 10)),
    ],
)
async def test_the_cursor_of_a_pane(keys: tuple[str, ...], size: tuple[int, int], place: Offset) -> None:
    async with robot(width=size[0], height=size[1]) as user:
        await user.press(*keys)
        focused = user.app.focused
        assert isinstance(focused, Pane)
        assert focused.region.offset + focused.caret() == place


async def test_the_cursor_of_the_gauges_stands_at_the_picked_disk() -> None:
    with stills():
        async with robot() as user:
            await user.press("8")
            page = await taken(user)
            assert page.gauges.caret() == Offset(0, 0)
            await user.press("right")
            name = page.gauges.picture.picked
            place = page.gauges.region.offset + page.gauges.caret()
            assert name == "sda"
            assert user.lines()[place.y].split()[0] == "d1s01"
