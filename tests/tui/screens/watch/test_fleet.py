"""Hosts as lines, the worst first; Enter opens the disks of one; a host without an answer is never shown as zero."""

from __future__ import annotations

from raidtui.tui.screens.watch.fleet import FleetWatchScreen
from tests.tui.fleet_gauges import TICKS, PlayedFleet, watched_fleet


async def test_the_worst_hosts_come_first_with_the_reason() -> None:
    async with watched_fleet(PlayedFleet()) as user:
        hosts = user.page.hosts.rows
        assert [row.host for row in hosts[:5]] == ["node02", "node12", "node07", "node04", "node10"]
        text = user.lines()
        assert "60 hosts" in text[0]
        assert user.sees("58 of 60 answered")
        names = [line.split()[1] for line in text if ("node" in line and "answer" in line) or "peers" in line]
        assert names[:3] == ["node02", "node12", "node07"]
        (silent,) = [line for line in text if " node02 " in line]
        assert "no answer: ssh: connect" in silent and "0 %" not in silent
        (late,) = [line for line in text if " node12 " in line]
        assert "no answer for 15 s" in late and "90 %" in late


async def test_figures_of_a_host_without_an_answer_are_grey() -> None:
    async with watched_fleet(PlayedFleet()) as user:
        table = user.page.hosts
        lines = {row.host: table.line_at(at, 76) for at, row in enumerate(table.rows)}
        assert [span.tone for span in lines["node12"] if "90 %" in span.text] == ["muted"]
        assert [span.tone for span in lines["node20"] if "90 %" in span.text] == ["text"]


async def test_enter_opens_the_disks_of_a_host_and_escape_closes_them() -> None:
    async with watched_fleet(PlayedFleet()) as user:
        await user.press("down", "down", "down", "down", "enter")
        assert "node10" in user.lines()[0]
        assert user.sees("data0")
        assert "sd0x4" in user.page.gauges.laggards
        assert not user.page.hosts.display
        await user.press("escape")
        assert "60 hosts" in user.lines()[0]
        assert user.page.hosts.row is not None and user.page.hosts.row.host == "node10"


async def test_the_disks_of_a_host_that_stopped_to_answer_have_their_age() -> None:
    async with watched_fleet(PlayedFleet()) as user:
        await user.press("down", "enter")
        assert "node12" in user.lines()[0]
        assert user.sees("Disks 15 s ago")
        assert "no answer for 15 s" in user.lines()[-2]


async def test_a_screen_of_one_host_is_left_by_escape() -> None:
    async with watched_fleet(PlayedFleet()) as user:
        page = FleetWatchScreen(PlayedFleet(), interval=0.001, host="node05")
        await user.app.push_screen(page)
        while page.polls < TICKS:
            await user.pilot.pause(0.02)
        assert user.sees("data0") and "node05" in user.lines()[0]
        await user.press("escape")
        assert user.page is not page


async def test_a_host_that_never_answered_says_why() -> None:
    async with watched_fleet(PlayedFleet()) as user:
        await user.press("enter")
        assert user.sees("no figures: no answer: ssh: connect to host port 22: No route to host")


async def test_a_thousand_hosts() -> None:
    async with watched_fleet(PlayedFleet(1000, 4), width=60, height=18) as user:
        for width, height in ((60, 18), (80, 24), (200, 60)):
            await user.pilot.resize_terminal(width, height)
            await user.press("home")
            assert user.sees("1000 hosts"), width
            assert user.sees("node0007"), width
            await user.press("end")
            assert user.page.hosts.cursor == 999, width
            assert user.sees("node1000"), width


async def test_a_hostile_name_is_shown_safe() -> None:
    source = PlayedFleet(12, 4)
    source.hosts = (*source.hosts[:-1], "\x1b[31mred")
    async with watched_fleet(source) as user:
        assert "\x1b[31mred" not in "\n".join(user.lines())
