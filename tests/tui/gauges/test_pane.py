"""The gauges as a person sees them, in a small terminal and a wide one, and what is drawn again of a tick."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from raidtui.machine.gauges.expected_load import LoadSeen
from raidtui.machine.gauges.slow_disks import Laggard
from raidtui.tui.gauges.pane import NO_LOADS
from raidtui.tui.screens.watch import WatchScreen
from raidtui.tui.start_watch import make_watch
from raidtui.tui.terminal.profile import TIERS, Tier
from raidtui.tui.watch_app import AloneApp
from raidtui.values.gauges import ArrayGauge, Scene, Tick, WatchedArray, WatchedDisk
from tests.tui.gauge_scenes import Played, gauge, scene, tick
from tests.tui.robot import profile_of
from tests.tui.test_tiers import HOSTILE, shown


class Watcher:
    """The app with its source silent: the test hands it ticks."""

    def __init__(self, app: AloneApp, pilot: Any, of: Scene) -> None:
        self.app, self.pilot, self.scene = app, pilot, of
        page = app.screen
        assert isinstance(page, WatchScreen)
        self.pane = page.gauges

    async def show(self, now: Tick, laggards: Sequence[Laggard] = (), loads: Mapping[str, LoadSeen] = NO_LOADS) -> None:
        self.pane.show(now, laggards, loads)
        await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    def lines(self) -> list[str]:
        return [strip.text.rstrip() for strip in self.app.screen._compositor.render_strips()]

    def line(self, word: str) -> str:
        return next(line for line in self.lines() if word in line)


@asynccontextmanager
async def watcher(
    of: Scene, *, width: int = 80, height: int = 24, tier: Tier = "unicode", theme: str = "raidtui"
) -> AsyncIterator[Watcher]:
    source = Played(of, lambda disk, number: 0.0, most=0)
    app = make_watch(lambda: source, profile_of(tier, theme), interval=0.0)
    async with app.run_test(size=(width, height)) as pilot:
        await pilot.pause(0.05)
        while app.screen.query_one("#gauges").scene is None:  # type: ignore[attr-defined]
            await pilot.pause(0.02)
        yield Watcher(app, pilot, of)


def steady(disk: int, number: int) -> float:
    return 100.0 + disk


async def test_sixty_disks_in_a_small_terminal_are_a_grid_under_their_arrays() -> None:
    async with watcher(scene(60)) as user:
        await user.show(tick(user.scene, 1, steady))
        assert user.lines()[1].startswith("── Disks by array: MB/s ──")
        assert (
            user.lines()[2] == ("  60 disks   7770 MB/s read     0 write   7770 IOPS  CPU  12 %      ▇ = 200 MB/s"[1:])
        )
        assert user.line("data0 raid6 14+4") == (
            " data0 raid6 14+4  1491 r     0 w  PCIe 00:00.0 ━━━━━  97 %  md CPU ━━───  31 %"
        )
        assert user.lines()[4] == "  s01   100▅ s02   101▅ s03   102▅ s04   103▅ s05   104▅ s06   105▅ s07   106▅"
        assert user.lines()[6] == " +s57   114▅+s58   115▅+s59   116▅+s60   117▅"


async def test_all_of_sixty_disks_stand_in_a_wide_terminal_with_groups_unbroken() -> None:
    async with watcher(scene(60), width=200, height=60) as user:
        await user.show(tick(user.scene, 1, steady))
        words = " ".join(user.lines()).split()
        assert [words.count(f"sd0x{number}") for number in range(60)] == [1] * 60
        assert user.line("data0 ").count("data2 ") == 1


@pytest.mark.parametrize("tier", TIERS)
async def test_a_thousand_disks_are_one_character_each(tier: Tier) -> None:
    async with watcher(scene(1000), tier=tier) as user:
        await user.press("G", "G")
        await user.show(tick(user.scene, 1, lambda disk, number: 0.0 if disk % 60 == 5 else 160.0))
        row = {"unicode": "▆▆▆▆▆▁▆▆", "console": "88888.88", "ascii": "88888.88"}[tier]
        assert user.line("shelf 16").strip().startswith(f"shelf 16 {row}")


async def test_without_arrays_disks_stand_by_what_tells_them_apart() -> None:
    async with watcher(scene(120, arrays=0)) as user:
        await user.show(tick(user.scene, 1, steady))
        assert "by enclosure" in user.lines()[1]
        await user.press("G", "G")
        assert "by controller" in user.lines()[1]
        user.pane.set_scene(scene(180))
        await user.show(tick(scene(180), 1, steady))
        assert "by controller" in user.lines()[1]


def slow(name: str, share: float = 0.26) -> Laggard:
    return Laggard(
        name=name, share=share, seconds=38.0, direction="read", group="md1", busy=0.92, group_busy=0.68, same_rate=True
    )


async def test_where_no_disk_has_room_for_a_name_the_slow_one_has_it_in_place_of_its_value() -> None:
    plain = scene(60)
    drawers = tuple(
        replace(disk, slot=f"drawer {int(disk.name[4:]) // 12 + 1} slot {int(disk.name[4:]) % 12 + 1:02d}")
        for disk in plain.disks
    )
    async with watcher(replace(plain, disks=drawers), height=18) as user:
        await user.show(tick(user.scene, 1, lambda disk, _: 90.0), [slow("sd0x17")])
        rows = [line.split() for line in user.lines() if "  90▇  90▇" in line]
        assert rows[0][:3] == ["90▇", "90▇", "90▇"]
        assert [word for row in rows for word in row if word != "90▇"] == ["d2s06"]


async def test_a_laggard_is_marked_named_and_found_by_a() -> None:
    async with watcher(scene(60)) as user:
        await user.show(tick(user.scene, 1, steady), [slow("sd0x17")])
        assert "▲ 1 slow" in user.lines()[1]
        assert "▲s18   121" in user.line("s17 ")
        await user.press("a")
        assert "outliers only" in user.lines()[1]
        (row,) = (line for line in user.lines() if "sd0x" in line and "busy 92 %" in line)
        assert row.startswith(" ▲ s18 sd0x17   121")
        assert row.rstrip().endswith("▅ busy 92 %"), "after a short history, whose bars stand below those of the others"
        assert not any("sd0x16" in line for line in user.lines())
        await user.show(tick(user.scene, 2, steady))
        assert any("no disk is slower than its group" in line for line in user.lines())
        await user.press("a")
        assert any("s17" in line for line in user.lines())


async def test_the_note_says_who_the_picked_disk_is() -> None:
    async with watcher(scene(60)) as user:
        await user.show(tick(user.scene, 1, steady))
        await user.press("down", "right")
        assert user.pane.picked is not None
        assert user.lines()[-2].strip() == "slot 02 sd0x1 NL2000SAS72 SN00001  shelf 0, 0000:00:00.0"
        await user.press("down", "down")
        assert user.pane.picked.name == "sd0x57"
        await user.press("end")
        assert user.pane.picked.name == "sd0x55"
        await user.press("home")
        assert user.pane.picked.name == "sd0x0"


async def test_a_click_picks_and_the_wheel_scrolls() -> None:
    async with watcher(scene(60)) as user:
        await user.show(tick(user.scene, 1, steady))
        await user.pilot.click("#gauges", offset=(14, 3))
        assert user.pane.picked is not None
        assert user.pane.picked.name == "sd0x1"
        await user.press("V")
        await user.pilot._post_mouse_events([__import__("textual").events.MouseScrollDown], "#gauges", (5, 5), button=0)
        assert user.pane.top == 3


async def test_a_disk_that_is_gone_says_so() -> None:
    async with watcher(scene(60)) as user:
        now = tick(user.scene, 1, steady)
        left = {name: each for name, each in now.disks.items() if name != "sd0x2"}
        await user.show(replace(now, disks=left))
        assert "✗s03  gone" in user.lines()[4]
        await user.press("V")
        assert user.line("sd0x2 ").split() == ["✗", "s03", "sd0x2", "gone"]


async def test_a_sync_has_a_bar_and_a_missing_member_is_said() -> None:
    async with watcher(scene(60)) as user:
        now = tick(user.scene, 1, steady)
        array = ArrayGauge(
            gauge=gauge(100.0), state="clean", degraded=1, sync_action="recover", sync_done=0.224,
            sync_bytes_per_s=181e6,
        )  # fmt: skip
        await user.show(replace(now, arrays={**now.arrays, "md1": array}))
        assert user.line("recover") == "   recover  ━━━━━━───────────────────  22.4 %  181 MB/s/member  2.4 h left"
        assert user.line("data1 ").endswith("✗ 1 missing")
        await user.show(tick(user.scene, 2, steady))
        assert not any("recover" in line for line in user.lines())


def hostile_scene() -> Scene:
    disks = tuple(
        WatchedDisk(
            name=f"sd{number}{HOSTILE}", serial=HOSTILE, model=HOSTILE, slot=f"{HOSTILE} {number}", enclosure=HOSTILE,
            controller=HOSTILE, link=HOSTILE, array=HOSTILE, role="member",
        )
        for number in range(8)
    )  # fmt: skip
    array = WatchedArray(name=HOSTILE, title=HOSTILE, level=HOSTILE, members=tuple(disk.name for disk in disks))
    return Scene(host=HOSTILE, disks=disks, arrays=(array,))


@pytest.mark.parametrize("tier", TIERS)
async def test_hostile_words_are_shown_and_not_obeyed(tier: Tier) -> None:
    of = hostile_scene()
    async with watcher(of, tier=tier) as user:
        sync = ArrayGauge(gauge=gauge(1.0), state=HOSTILE, sync_action=HOSTILE, sync_done=0.5)
        for number, key in enumerate(("", "", "V", "V", "a", "a", "G", "V", "G", "v", "down")):
            now = tick(of, number, lambda disk, _, number=number: 5.0 + 2.0 * (number % 2))  # type: ignore[misc]
            await user.show(replace(now, arrays={HOSTILE: sync}), [slow(of.disks[0].name)])
            await user.press(*[key] if key else [])
            sent = "".join(
                segment.text
                for strip in user.app.screen._compositor.render_strips()
                for segment in strip
                if not segment.control
            )
            assert {char for char in sent if not shown(tier, char)} == set(), (number, key)


async def test_no_colour_leaves_the_gauges_without_any(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with watcher(scene(60), tier="ascii", theme="raidtui-ansi") as user:
        for number in (1, 2, 3):
            await user.show(tick(user.scene, number, lambda disk, number: 30.0 * number), [slow("sd0x17")])
        colours = {
            colour.name
            for strip in user.app.screen._compositor.render_strips()
            for segment in strip
            if segment.style is not None
            for colour in (segment.style.color, segment.style.bgcolor)
            if colour is not None
        }
        assert colours <= {"default"}


async def test_a_pane_not_laid_out_yet_and_a_narrow_one_have_a_heading() -> None:
    async with watcher(scene(4)) as user:
        for width in range(90):
            words = "".join(span.text for span in user.pane.heading_line(width, boxed=True))
            assert user.pane.heading[: max(width - 7, 0)] in words
            assert len(words) == max(width, 6)
