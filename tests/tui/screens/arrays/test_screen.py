"""The Arrays screen: what it shows of a machine that lost a member, and what it does not read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from raidtui.machine.inventory.shipped import load
from raidtui.session import machine_watch
from raidtui.session.machine_watch import ArrayWatch
from raidtui.tui.screens import arrays
from raidtui.tui.screens.arrays import ArraysScreen
from raidtui.values.arrays import ObservedArrays, Reshape
from raidtui.values.errors import MachineFailed
from raidtui.values.inventory import Inventory, LackingArray
from tests.machine.simulation import Run, built_run
from tests.tui.robot import Robot, robot


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Two arrays on the chassis of the session; what happens to the machine is seen."""
    run = built_run(tmp_path, "2x(4+2)+1")

    monkeypatch.setattr(machine_watch, "machine_of", lambda *_: (run.machine, run.machine.inventory()))
    monkeypatch.setattr(arrays, "machine_of", machine_watch.machine_of)
    return run


async def shown(user: Robot) -> ArraysScreen:
    await user.press("9")
    await user.settle()
    page = user.app.page
    assert isinstance(page, ArraysScreen)
    return page


def bays(user: Robot, drawer: str) -> list[str]:
    """What the map shows in the bays of a drawer, below their numbers."""
    lines = [line[1:55] for line in user.lines()]
    at = next(number for number, line in enumerate(lines) if line.startswith(f" {drawer} │"))
    return lines[at + 1].replace("│", " ").split()


async def test_a_look_that_returns_while_the_app_closes_is_not_shown(built: Run) -> None:
    async with robot("e2660", width=132, height=43) as user:
        page = await shown(user)
    page.show_session()


async def test_an_array_that_is_reshaped_takes_no_other_change(built: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The simulated mdadm knows no reshape: the look is told of one."""
    look = ArrayWatch.take

    def told(self: ArrayWatch, *arguments: Any, **more: Any) -> tuple[ObservedArrays, Inventory]:
        seen, inventory = look(self, *arguments, **more)
        first, second = (replace(each, sync=None) for each in seen.arrays)
        change = Reshape(before=replace(first.shape, devices=5), position_bytes=2**30)
        return replace(seen, arrays=(replace(first, states=("reshaping", "active"), reshape=change), second)), inventory

    monkeypatch.setattr(ArrayWatch, "take", told)
    async with robot("e2660", width=132, height=43) as user:
        await shown(user)
        assert user.sees("Reshape") and user.sees("▸ RESHAPES 5 to 6 members, up to 1 GiB of the array")
        assert not user.sees("To repair") and not user.sees("r  replace")
        for key in ("r (replace)", "E (extend)"):
            await user.press(key[0])
            assert user.note() == f"{key} has no effect now: md126 is being reshaped, and md takes no other change"


async def test_a_member_that_goes_while_the_screen_looks_is_named_and_stays_in_its_bay(built: Run) -> None:
    async with robot("e2660", width=132, height=43) as user:
        await shown(user)
        assert user.lines()[0].rstrip().startswith(" raidtui     1 Disks")
        assert "9 Arrays" in user.lines()[0]
        assert user.note() == "2 arrays: 2 clean; 2 syncing"
        assert bays(user, "d1") == ["A", "A", "A", "A", "A", "A", "B", "B", "B", "B", "B", "B"]
        assert bays(user, "d2")[0] == "+", "as on Design and Build"

        built.machine.unplug(built.plan.disks[1].id)
        built.machine.advance(10)
        user.app.array_follower.look_now()
        await user.settle()
        assert user.note() == "2 arrays: 1 degraded, 1 clean; 2 syncing"
        assert user.lines()[1] == " drawer 1 slot 02 of data-0 is missing: 9 shows what to do"
        assert user.sees("✗ MISSING  drawer 1 slot 02           SIME26600002    no disk answers there")
        assert user.sees("state  degraded (1 of 6 members missing), clean")
        assert user.sees("1  -       drawer 1 slot 02  SIME26600002  missing")
        assert bays(user, "d1")[:4] == ["A", "✗", "A", "A"]
        assert user.sees("A md127 data-0  raid6 of 6  degraded"), "the label of its bays, as on Design"


async def test_the_alarm_takes_its_line_from_the_lowest_panes_of_design(built: Run) -> None:
    built.machine.unplug(built.plan.disks[1].id)
    built.machine.advance(10)
    async with robot("e2660", width=132, height=43) as user:
        await user.press("2")
        calm = user.lines()
        await shown(user)
        await user.press("2")
        lines = user.lines()
        assert "is missing" in lines[1]
        assert lines[2:7] == calm[1:6] and "┏━┓ ┏━━" in lines[3], "the figures stay as large as they were"
        assert lines[-3].startswith("╰") and lines[-3].endswith("╯")


async def test_a_very_large_terminal_begins_the_text_right_under_the_list(built: Run) -> None:
    async with robot("e2660", width=200, height=60) as user:
        await shown(user)
        assert user.lines()[2].startswith("│ A md127 data-0  raid6 of 6  clean")
        assert user.lines()[5].startswith("╭─ md127 data-0 ──")
        assert sum("drawer " in line[108:] for line in user.lines()[:21]) == 5


async def test_a_terminal_of_80_columns_shows_state_and_members_without_scrolling(built: Run) -> None:
    built.machine.unplug(built.plan.disks[1].id)
    built.machine.advance(10)
    async with robot("e2660") as user:
        await shown(user)
        assert user.lines()[0] == "1Disks 2Design 3Compare 4Commands 5Build 6Bench 7Report 8Watch!9Arrays SIMULATED"
        assert user.lines()[1:12] == [
            " member 1 of data-0 is missing: 9 shows what to do",
            "── To repair ───────────────────────────────────────────────────────────────────",
            " md127 data-0  DEGRADED: survives 1 more",
            "  ✗ MISSING  member 1                                   nothing fills this slot",
            "  + SPARE    drawer 2 slot 01    sdm    SIME26600013    takes the place next",
            "  ● 5 of 6 members in sync     r  replace: steps, phrase, light of the slot",
            "── Arrays ──────────────────────────────────────────────────────────────────────",
            " md127 data-0  raid6 of 6  degraded, clean  resync 0.2 %, 5.8 h left",
            " md126 data-1  raid6 of 6  clean            resync 0.2 %, 5.8 h left",
            "── md127 data-0 ────────────────────────────────────────────────── 1-11 of 47 ──",
            " state  degraded (1 of 6 members missing), clean",
        ]
        assert user.sees("wait for the rebuild; do not shut down or pull disks")
        assert user.lines()[-1].startswith("  r  replace   E  extend")
        built.machine.plug(built.plan.disks[1].id)
        user.app.array_follower.look_now()
        await user.settle()
        assert user.sees(" ▲ DROPPED  drawer 1 slot 02 ")
        assert user.sees("SIME26600002    answers again")


async def test_a_chassis_without_arrays_and_a_machine_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    async with robot("e2660") as user:
        page = await shown(user)
        assert user.sees("no md array here; 2 Design, then 4 Commands and b build one")
        assert not page.text.display
        assert not user.sees("extend")

        def refused(*_: object, **__: object) -> object:
            raise MachineFailed("/sys/block: Permission denied")

        monkeypatch.setattr(ArrayWatch, "take", refused)
        user.app.array_follower.look_now()
        await user.settle()
        assert user.note() == "arrays not read: /sys/block: Permission denied"


async def test_nothing_is_read_while_another_screen_is_shown(built: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[bool] = []
    take = ArrayWatch.take

    def seen(*given: Any, around: bool = True) -> Any:
        looks.append(around)
        return take(*given, around=around)

    monkeypatch.setattr(ArrayWatch, "take", seen)
    async with robot("e2660") as user:
        await shown(user)
        user.app.array_follower.look_now()
        await user.settle()
        assert looks[-1], "Arrays reads all"
        await user.press("1")
        looks.clear()
        user.app.array_follower.look_now()
        await user.settle()
        assert looks == []


async def test_disks_points_to_an_array_that_lacks_a_member() -> None:
    lacking = (LackingArray(name="md0", level="raid5", devices=4, lacks=1),)
    async with robot(replace(load("e2660"), lacking=lacking)) as user:
        assert user.lines()[0] == "1Disks 2Design 3Compare 4Commands 5Build 6Bench 7Report 8Watch!9Arrays SIMULATED"
        assert user.lines()[1] == " md0 (raid5): 1 of 4 members missing: 9 shows what to do"


async def test_what_the_audit_finds_about_the_array_stands_below_it(built: Run) -> None:
    built.machine.unplug(built.plan.disks[1].id)
    built.machine.advance(10)
    async with robot("e2660", width=132, height=60) as user:
        await shown(user)
        assert user.sees("─ md127 data-0 ─")  # the cursor starts on the array that lacks a member
        assert user.sees("[array-degraded]")
        assert user.sees("wait for the rebuild; do not shut down or")
        await user.press("down")
        assert not user.sees("[array-degraded]")
        assert user.sees("[check-not-scheduled]")


async def test_what_an_extension_takes_is_the_page_of_the_command_line(built: Run) -> None:
    before = built.machine.commands
    async with robot("e2660", width=132, height=60) as user:
        await shown(user)
        await user.press("E")
        assert user.note() == "spare sdx; bitmap none, internal or 256M; grow; shelf md1 md2; reshape '(14+2)'"
        await user.answers("spare sdx")
        await user.finds("[ type the phrase: extend md127 ]")
        assert user.sees("1. Add the disk as a spare")
        assert user.sees("mdadm --manage /dev/md127 --add-spare /dev/disk/by-id/")
        assert "spares 1 2 " in " ".join(" ".join(user.lines()).split())
        await user.press("enter")
        assert user.note() == "cancelled: no disk was changed"
        await user.press("E")
        assert user.sees("extend md127 > spare sdx")
        await user.answers("spare sdh")
        await user.finds("sdh cannot be used")
        assert not user.sees("type the phrase")
        await user.press("escape", "E")
        await user.answers("spares")
        await user.finds("spares is no kind of extension; spare sdx; bitmap none")
    assert built.machine.commands == before


async def test_the_disk_that_failed_is_one_key_away(built: Run) -> None:
    built.machine.unplug(built.plan.disks[1].id)
    built.machine.advance(10)
    before = built.machine.commands
    async with robot("e2660", width=132, height=60) as user:
        await shown(user)
        await user.press("r")
        await user.finds("new disk in md127")
        assert "Blank and large enough: sdn d2s02, sdo d2s03, sdp d2s04, sdq d2s05 and 43 more." in user.note()
        await user.press("enter")
        await user.finds("[ type the phrase: replace in md127 by SIME26600014 ]")
        assert user.sees("goes       a disk that is gone (member 1)")
        assert user.sees("meanwhile  it survives 1 further failure")
        assert user.sees("mdadm --manage /dev/md127 --add-spare /dev/disk/by-id/")
        await user.press("enter")
        assert user.note() == "cancelled: no disk was changed"
        await user.press("r")
        await user.answers("sda with sdn")
        await user.finds("md127 has another missing member: replace that one first.")
        assert user.sees("goes       sda (member 0, drawer 1 slot 01, serial SIME26600001)")
        await user.press("escape", "down", "r")
        await user.answers("sdx9")
        await user.finds("sdx9 is no member of md126")
        assert not user.sees("type the phrase")
    assert built.machine.commands == before


async def test_keys_typed_while_a_page_is_late_are_for_it(built: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    ready = Event()

    def slow(*_: object) -> object:
        ready.wait()
        return built.machine, built.machine.inventory()

    async with robot("e2660", width=132, height=43) as user:
        await shown(user)
        monkeypatch.setattr(arrays, "machine_of", slow)
        user.post("E", "enter", "2", "q", "2")
        ready.set()
        await user.settle()
        assert user.app.page.page_name == "Design"
        assert user.app.screen is user.app.page


async def test_a_look_while_an_extension_is_shown_leaves_the_keys_of_the_page(built: Run) -> None:
    async with robot("e2660", width=132, height=43) as user:
        await shown(user)
        keys = user.lines()[-1]
        assert ":  palette" in keys
        page = user.app.page
        assert isinstance(page, ArraysScreen)
        await user.press("E", "enter")
        await user.settle()
        assert user.app.screen is not page
        await user.app.array_follower._look("all")
        await user.pilot.pause()
        await user.press("escape")
        assert user.lines()[-1] == keys


async def test_keys_typed_ahead_of_an_extension_reach_its_page_and_those_behind_it_the_screens(built: Run) -> None:
    async with robot("e2660", width=132, height=43) as user:
        await shown(user)
        await user.writes("E", "enter", "down", "q", "2", "S", "A", "enter", "9", "down")
        await user.settle()
        assert list(user.app.session.saved) == ["A"]
        page = user.app.page
        assert isinstance(page, ArraysScreen)
        assert page.list.cursor == 1
