"""The Watch screen inside the app and alone, what it watches, and when it does not."""

from __future__ import annotations

import pytest

from raidtui.tui.screens.watch import WatchScreen
from raidtui.tui.start_watch import make_watch
from raidtui.values.errors import MachineFailed
from raidtui.values.gauges import Tick
from tests.tui.gauge_scenes import Played, scene
from tests.tui.robot import profile_of, robot
from tests.tui.stills import stills, taken


async def test_on_a_chassis_the_design_is_at_work_and_said_to_be_simulated() -> None:
    with stills():
        async with robot("e2660", width=120, height=36) as user:
            await user.press("8")
            page = await taken(user)
            assert "SIMULATED" in user.lines()[0]
            assert page.scene is not None
            assert page.scene.simulated
            assert [array.title for array in page.scene.arrays] == ["data-0", "data-1", "data-2", "data-3"]
            assert {len(array.members) for array in page.scene.arrays} == {14}
            assert user.sees("data-3 raid6 14+1")
            assert user.sees("md CPU")
            (slow,) = page.gauges.laggards.values()
            assert page.gauges.picture.disks[slow.name].array == "md126"
            assert slow.share == pytest.approx(0.26, abs=0.05)
            assert "for the rate that others reach at" in user.note()


async def test_lines_that_are_left_on_a_very_large_screen_show_the_bays() -> None:
    with stills():
        async with robot("e2660", width=200, height=60) as user:
            await user.press("8")
            await taken(user)
            rows = [line[:40].split() for line in user.lines() if line.startswith("│ drawer ")]
            assert [row[1:7] for row in rows] == [
                ["drawer", "1", "89", "████", "88", "████"], ["drawer", "2", "86", "███", "88", "████"],
                ["drawer", "3", "89", "████", "89", "████"], ["drawer", "4", "90", "████", "89", "████"],
                ["drawer", "5", "90", "████", "90", "████"],
            ]  # fmt: skip
            await user.pilot.click("#map", offset=(30, 3))
            assert "drawer 2 slot 02 sdn " in user.note()


async def test_few_ticks_fill_the_plots_and_an_old_one_needs_no_fine_scale() -> None:
    with stills():
        async with robot("e2660", width=132, height=43) as user:
            await user.press("8")
            await taken(user)
            end = next(number for number, line in enumerate(user.lines()) if line.startswith("╰"))
            plots = [line[1:-1].rstrip() for line in user.lines()[2:end]]
            assert "top 6.00 GB/s" in plots[2] and "last 40 s" in plots[3], plots
            assert "█" in plots[1], "the peak is near the top"
            assert len(plots[-1]) > 115, "20 ticks, two cells each"


async def test_on_the_least_large_terminal_the_disks_have_most_of_it_and_a_slow_one_has_a_mark() -> None:
    with stills():
        async with robot("e2660", width=110, height=32) as user:
            await user.press("8")
            await taken(user)
            words = [word for line in user.lines() for word in line.split()]
            assert all(f"d{drawer}s{slot:02d}" in words for drawer in (1, 2, 4, 5) for slot in range(1, 13))
            assert "▲d3s07" in words and user.sees("top 6.00 GB/s")


async def test_a_paused_display_fits_a_terminal_that_grows() -> None:
    with stills():
        async with robot("e2660", width=80, height=24) as user:
            await user.press("8")
            await taken(user)
            await user.press("p")
            await user.pilot.resize_terminal(132, 43)
            await user.pilot.pause()
            assert user.sees("All disks together") and user.sees("DISPLAY PAUSED")
            assert user.lines()[-5].split()[1:4] == ["d1s07", "d2s01", "d2s09"]
            assert not any("…" in line for line in user.lines()[:-2])


async def test_another_design_is_another_scene() -> None:
    with stills():
        async with robot("e2660") as user:
            await user.press("8")
            await taken(user)
            await user.press("2", "down", "down", "left", "8")
            page = await taken(user)
            assert page.scene is not None
            assert len(page.scene.arrays) != 4 or len(page.scene.arrays[0].members) != 14


async def test_nothing_is_sampled_while_nobody_looks() -> None:
    class Counted(Played):
        def take(self) -> Tick:
            return super().take()

    source = Counted(scene(60), lambda disk, number: 100.0)
    app = make_watch(lambda: source, profile_of(), interval=0.01)
    async with app.run_test(size=(80, 24)) as pilot:
        page = app.screen
        assert isinstance(page, WatchScreen)
        assert page.gauge_thread is not None
        while source.taken < 3:
            await pilot.pause(0.02)
        page.gauge_thread.rest()
        await pilot.pause(0.1)
        taken_then = source.taken
        await pilot.pause(0.2)
        assert source.taken == taken_then
        page.gauge_thread.go()
        while source.taken < taken_then + 3:
            await pilot.pause(0.02)


async def test_p_keeps_the_picture() -> None:
    source = Played(scene(60), lambda disk, number: float(number % 150))
    app = make_watch(lambda: source, profile_of(), interval=0.02)
    async with app.run_test(size=(80, 24)) as pilot:
        page = app.screen
        assert isinstance(page, WatchScreen)
        while page.gauges.picture.tick is None:
            await pilot.pause(0.02)
        await pilot.press("p")
        await pilot.pause()
        shown = page.gauges.picture.history.count
        await pilot.pause(0.2)
        assert page.gauges.picture.history.count == shown
        await pilot.press("p")
        while page.gauges.picture.history.count == shown:
            await pilot.pause(0.02)


async def test_a_machine_that_tells_nothing_says_why() -> None:
    def source() -> Played:
        raise MachineFailed("/proc/diskstats cannot be read", hint="mount /proc")

    app = make_watch(source, profile_of(), interval=0.0)
    async with app.run_test(size=(80, 24)) as pilot:
        page = app.screen
        assert isinstance(page, WatchScreen)
        for _ in range(50):
            await pilot.pause(0.02)
            lines = [strip.text for strip in page._compositor.render_strips()]
            if any("nothing to watch: /proc/diskstats cannot be read; mount /proc" in line for line in lines):
                return
        raise AssertionError("it was not said")


async def test_help_explanation_and_leaving_work_alone() -> None:
    source = Played(scene(60), lambda disk, number: 100.0, most=2)
    app = make_watch(lambda: source, profile_of(), interval=0.0)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause(0.1)
        for key, words in (("question_mark", "Keys: Watch"), ("f1", "/proc/diskstats")):
            await pilot.press(key)
            await pilot.pause()
            assert words in "\n".join(strip.text for strip in app.screen._compositor.render_strips())
            await pilot.press("escape")
        await pilot.press("q")
    assert app.return_code == 0


async def test_alone_it_shows_the_bays_that_the_machine_names() -> None:
    source = Played(scene(12, arrays=1), lambda disk, number: 100.0, most=2)
    app = make_watch(lambda: source, profile_of(), interval=0.0)
    async with app.run_test(size=(200, 60)) as pilot:
        lines: list[str] = []
        while not any("│ 100 ███████ │" in line for line in lines):
            await pilot.pause(0.02)
            lines = [strip.text for strip in app.screen._compositor.render_strips()]
        at = next(number for number, line in enumerate(lines) if line.startswith("│ enclosure shelf 0 "))
        assert lines[at + 2][:47] == "│ 1 │     01      │     02      │     03      │"
        assert lines[at + 3][:47] == "│   │    sd0x0    │    sd0x1    │    sd0x2    │"
        assert lines[at + 4][:47] == "│   │ 100 ███████ │ 100 ███████ │ 100 ███████ │"
