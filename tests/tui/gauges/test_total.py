"""History of all disks together: its columns, when it moves on, and where it is shown."""

from __future__ import annotations

import asyncio

import pytest

from raidtui.tui.gauges.total import column
from raidtui.tui.screens.watch import WatchScreen
from raidtui.tui.start_watch import make_watch
from tests.tui.gauge_scenes import Played, scene
from tests.tui.robot import profile_of, robot
from tests.tui.stills import stills, taken

EIGHTHS = "▁▂▃▄▅▆▇█"


@pytest.mark.parametrize(
    ("value", "rows", "marks", "expected"),
    [
        (0.0, 2, EIGHTHS, " ▁"),
        (100.0, 2, EIGHTHS, "██"),
        (50.0, 2, EIGHTHS, "▂█"),
        (25.0, 2, EIGHTHS, " ▅"),
        (1.0, 2, EIGHTHS, " ▂"),
        (150.0, 3, EIGHTHS, "███"),
        (100.0, 2, "_.:=#", "##"),
        (30.0, 2, "_.:=#", " =" ),
        (0.0, 1, "·░▒█", "·"),
    ],
)  # fmt: skip
def test_a_column_is_filled_from_below(value: float, rows: int, marks: str, expected: str) -> None:
    assert column(value, 100.0, rows, marks) == expected


@pytest.mark.parametrize(
    ("width", "height", "shown"), [(80, 24, False), (109, 60, False), (120, 36, True), (132, 43, True), (200, 60, True)]
)
async def test_large_terminals_show_it_above_the_gauges(width: int, height: int, shown: bool) -> None:
    with stills():
        async with robot(width=width, height=height) as user:
            await user.press("8")
            page = await taken(user)
            assert page.total.display is shown
            assert user.sees("All disks together") is shown
            if shown:
                assert page.total.region.bottom == page.gauges.region.y
                assert user.sees("4.94 GB/s")
                assert user.sees("of 10.0 GB/s")
            assert user.sees("d5s12")


async def test_a_full_plot_moves_on_and_the_newest_tick_stays_in_it() -> None:
    app = make_watch(lambda: Played(scene(8), lambda disk, number: float(number)), profile_of(), interval=0.01)
    async with app.run_test(size=(120, 40)):
        page = app.screen
        assert isinstance(page, WatchScreen)
        seen = {0}
        ticks = page.gauges.picture.history
        while ticks.count < 250 or (max(seen) <= 90 and ticks.count < 5000):  # a busy machine draws only some of them
            await asyncio.sleep(0.05)
            # the line of zeroes of the first plot: a mark for each tick
            bottom = page.total.line_at(page.total.line_count() // 2 - 1, 116)[-1].text
            assert len(bottom) == 120 - 4 - 12
            seen.add(len(bottom.rstrip()))
        assert max(seen) > 90
        assert set(bottom.rstrip()) <= set(EIGHTHS)
