"""An admin looks at a fleet: what is wrong and where, folded and unfolded, down to the disks and steps of one host."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from raidtui.fleet.tui.app import FleetApp
from raidtui.fleet.tui.hosts import FleetScreen
from raidtui.fleet.tui.rack import RackPane
from raidtui.fleet.tui.table import HostsTable
from raidtui.fleet.tui.thread import AskingFailed, News
from raidtui.fleet.values import FleetOverview, HostProblem
from raidtui.tui.terminal.profile import TIERS, Tier
from tests.tui.fleets import FleetRobot, alike, building, fleet_robot, looked, machines, thousand
from tests.tui.test_sizes import TOPIC
from tests.tui.test_tiers import HOSTILE, hostile_inventory, shown


def table(user: FleetRobot[FleetApp]) -> HostsTable:
    return user.app.page.query_one("#hosts", HostsTable)


async def test_what_is_wrong_and_where_is_seen_at_once() -> None:
    async with fleet_robot(*building()) as user:
        lines = user.lines()
        assert "SIMULATED  READ ONLY" in lines[0]
        assert lines[2].strip() == (
            "✗ 1 failed  ? 1 no answer  ▲ 3 differ  ▸ 8 building  ✓ 16 built  ○ 31 waiting"
        )  # fmt: skip
        assert lines[3].strip().startswith("erases 3481 disks; 4.996 PiB; read ")
        assert lines[5].split() == ["node01", *"✓" * 16, "[✗]", "▸", "▸", "▸"]
        assert lines[10].startswith(" ✗ failed        node17             1  11 of 15 steps done: mkfs.xfs")
        assert "node17: 11 of 15 steps done: mkfs.xfs exited with 1: No space left o" in lines[-2]


async def test_a_very_large_terminal_shows_every_reason_in_full() -> None:
    async with fleet_robot(*building(), width=200, height=60) as user:
        assert user.sees("unreachable: ssh: connect to host node44 port 22: No route to host")
        assert not user.sees("…")
        assert user.sees("Disks of node17")


async def test_a_large_terminal_shows_every_fact_and_step_of_a_host() -> None:
    async with fleet_robot(*building(), width=132, height=43) as user:
        await user.press("enter")
        assert user.sees("loss a year 1 in 8 400") and user.sees("15  Verify everything")


async def test_until_it_is_moved_the_cursor_is_on_the_gravest_row() -> None:
    overview, plans = building()
    async with fleet_robot(replace(overview, run=None, check=None, look=None), plans) as user:
        assert [row.name for row in table(user).rows] == ["node[01-57,59-60]", "node58"]
        user.app.post_message(News(overview, ""))
        await user.pilot.pause()
        assert table(user).row is not None and table(user).row.name == "node17"  # type: ignore[union-attr]


async def test_enter_unfolds_a_group_and_folds_it_again() -> None:
    async with fleet_robot(*building()) as user:
        await user.press("down", "down", "enter")
        assert [row.name for row in table(user).rows][2:5] == ["node[59-60]", "node59", "node60"]
        await user.press("down", "down")
        assert table(user).row is not None and table(user).row.name == "node60"  # type: ignore[union-attr]
        await user.press("left")
        assert [row.name for row in table(user).rows][2:4] == ["node[59-60]", "node58"]
        await user.press("right")
        assert len(table(user).rows) == 9


async def test_without_a_build_enter_opens_the_disks() -> None:
    async with fleet_robot(alike()) as user:
        await user.press("down", "enter")
        assert user.app.page.page_name == "Disks"
        assert "node58" in user.lines()[0]
        assert user.sees("59 disks")
        await user.press("5")
        assert user.sees("no plan of this host is at hand")


async def test_a_filter_finds_hosts_by_name_and_reason_and_escape_clears_it() -> None:
    async with fleet_robot(*building()) as user:
        await user.press("slash", *"space")
        assert [row.name for row in table(user).rows] == ["node17"]
        await user.press("enter", "escape")
        assert len(table(user).rows) == 7
        await user.press("a")
        assert [row.name for row in table(user).rows] == ["node17", "node44", "node[59-60]", "node58"]
        await user.press("escape", "s", "s")
        assert [row.name for row in table(user).rows][:3] == ["node[01-16]", "node17", "node[18-25]"]


async def test_the_rack_finds_the_row_and_changes_what_it_shows() -> None:
    async with fleet_robot(*building()) as user:
        rack = user.app.page.query_one("#rack", RackPane)
        rack.focus()
        await user.press("end")
        assert table(user).row is not None and table(user).row.name == "node[59-60]"  # type: ignore[union-attr]
        await user.press("up", "home")
        assert user.app.host == "node01"
        await user.press("v")
        assert user.lines()[5].split() == ["node01", "[●]" * 16, *"●" * 4]
        await user.press("v", "v", "v")
        assert user.lines()[5].split() == ["node01", "[✓]" * 16, "✗", "▸", "▸", "▸"]


async def test_of_a_thousand_hosts_none_that_is_wrong_is_hidden() -> None:
    async with fleet_robot(thousand()) as user:
        assert user.lines()[2].strip() == "? 2 no answer  ▲ 7 differ  ● 991 alike"
        assert user.sees("a cell is 5 hosts, the gravest shown")
        rack = "".join(user.lines()[5:9])
        assert rack.count("?") == 2
        assert 2 <= rack.count("▲") <= 4


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_a_key_costs_the_same_with_a_thousand_hosts(size: tuple[int, int]) -> None:
    """Processor time of ten moves over 991 rows that are unfolded; half a second is twenty times what one takes."""
    async with fleet_robot(thousand(), width=size[0], height=size[1]) as user:
        await user.press("down", "down", "down", "enter")
        assert len(table(user).rows) == 995
        began = time.process_time()
        await user.press(*["pagedown", "up"] * 5)
        assert (time.process_time() - began) / 10 < 0.5


@pytest.mark.parametrize("tier", TIERS)
async def test_hostile_hosts_send_no_character_that_the_terminal_cannot_show(tier: Tier) -> None:
    hosts = {**machines(4, "nas4", {}), "node4": hostile_inventory()}
    silent = {"node3": HostProblem(state="garbage", sentence=HOSTILE, hint=HOSTILE)}
    async with fleet_robot(looked(hosts, silent), tier=tier, width=200, height=60) as user:
        await user.press(*("down",) * 2)
        for screen in ("fleet", "disks", "build"):
            await user.app.action_show(screen)
            await user.pilot.pause()
            sent = "".join(
                segment.text for strip in user.app.screen._compositor.render_strips() for segment in strip
                if not segment.control
            )  # fmt: skip
            assert {char for char in sent if not shown(tier, char)} == set(), screen
            await user.press("w")
            assert not any("\x1b" in text for text in user.lines()), screen


async def test_what_is_asked_and_what_failed_stands_in_the_note_line() -> None:
    async with fleet_robot(FleetOverview(hosts=("n1", "n2"))) as user:
        assert user.sees("· not asked")
        user.app.post_message(News(user.app.overview, "asking for disks: 1 of 2 answered"))
        await user.pilot.pause()
        assert "asking for disks: 1 of 2 answered ..." in user.lines()[-2]
        user.app.post_message(AskingFailed("sheet/n1/plan.json is damaged; plan the fleet again"))
        await user.pilot.pause()
        assert "plan the fleet again" in user.lines()[-2]
        await user.press("R")
        assert "stored answers are shown" in user.lines()[-2]


@pytest.mark.parametrize("screen", ["fleet", "disks", "build"])
async def test_on_the_smallest_terminal_tab_brings_every_pane(screen: str) -> None:
    async with fleet_robot(*building(), width=60, height=18) as user:
        await user.app.action_show(screen)
        await user.pilot.pause()
        seen = set()
        for _ in user.app.page.small_panes():
            assert user.app.focused is not None and user.app.focused.region.height >= 3
            seen.add(user.app.focused.id)
            await user.press("tab")
        assert seen == {each.pane for each in user.app.page.small_panes()}


def test_the_topic_states_the_order_in_which_panes_are_left_out() -> None:
    row = f"| Fleet | {', '.join(each.pane for each in FleetScreen.SMALL)} |\n"
    assert row in TOPIC.read_text(encoding="utf-8")
