"""A person reads the plan, copies from it and exports it. Nothing is ever executed."""

from __future__ import annotations

import re
from pathlib import Path
from threading import Event

import pytest

from raidtui.scripts.build_script import build_script
from raidtui.scripts.undo_script import undo_script
from raidtui.session.decision import DesignOutcome
from raidtui.session.session import Session
from raidtui.tui.screens import commands
from raidtui.tui.terminal.text import Line
from raidtui.values.inventory import Inventory
from raidtui.values.plan import Plan
from tests.tui.robot import robot
from tests.tui.screens.disks.test_screen import BUSY


async def test_the_parts_say_what_they_erase() -> None:
    async with robot() as user:
        await user.press("4")
        assert [" ".join(line.split()) for line in user.lines()[2:9]] == [
            "script # part risk",
            "build.sh Disks and functions ✓ reads",
            "1 Check ✓ reads",
            "2 Arrays ✗ ERASES 60",
            "3 Boot and alerts ▲ writes",
            "4 Volume ▲ writes",
            "5 File system ▲ writes",
        ]
        assert "erases 60 disks; nothing is executed" in user.note()


@pytest.mark.parametrize(("width", "height", "pages"), [(80, 24, 2), (132, 43, 1), (200, 60, 0)])
async def test_every_disk_is_named_by_path_serial_number_and_slot(width: int, height: int, pages: int) -> None:
    async with robot(width=width, height=height) as user:
        await user.press("4", "tab", *["pagedown"] * pages)
        text = " ".join(" ".join(line.strip("│┃ ") for line in user.lines()).split())
        shown = dict(re.findall(r"data-0 \d+ (\S+) 2000398934016 512 SIME266000(\d\d) drawer \d slot \d\d,", text))
        assert len(shown) >= 4
        assert all(link == f"wwn-0x30000133{int(number):08x}" for link, number in shown.items())


async def test_a_large_terminal_shows_every_part_at_once() -> None:
    async with robot(width=132, height=43) as user:
        await user.press("4")
        await user.settle()
        assert [" ".join(line.strip("│ ").split()) for line in user.lines()[2:15]] == [
            "script # part risk",
            "build.sh Disks and functions ✓ reads",
            "1 Check ✓ reads",
            "2 Arrays ✗ ERASES 60",
            "3 Boot and alerts ▲ writes",
            "4 Volume ▲ writes",
            "5 File system ▲ writes",
            "6 Settings ▲ writes",
            "7 Read back ✓ reads",
            "undo.sh Disks and functions ✓ reads",
            "1 Look ✓ reads",
            "2 Remove ✗ ERASES 60",
            "3 Read back ✓ reads",
        ]


def text_of(row: Line) -> str:
    return "".join(span.text for span in row)


async def test_a_refused_design_says_why_and_what_to_do() -> None:
    async with robot() as user:
        await user.press("space", "4")
        assert user.sees("no plan: the design is refused")
        assert user.sees("60 disks")
        assert "u undoes the last decision" in user.note()
        await user.press("u")
        assert user.sees("2  Arrays")


async def test_the_whole_script_goes_to_the_clipboard_and_the_note_claims_no_more_than_it_knows() -> None:
    async with robot() as user:
        await user.press("4", "down", "down", "y")
        plan = user.app.session.plan()
        copied = user.app.clipboard
        assert copied == build_script(plan).text
        assert f"build.sh: {len(copied)} bytes sent to the terminal's clipboard" in user.note()
        await user.press("end", "y")
        assert user.app.clipboard == undo_script(plan).text
        assert user.note().startswith("undo.sh: ")


async def test_what_is_too_long_for_a_clipboard_goes_to_a_file_that_the_next_copy_replaces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    written = tmp_path / "raidtui" / "copied.txt"
    async with robot(width=240, height=40) as user:
        await user.press("4")
        for char in "xy":
            user.app.copy(char * 80_000, "script")
            await user.pilot.pause()
            assert user.note() == f"script: 80000 bytes written to {written} (too long for a terminal's clipboard)"
            assert written.read_text() == char * 80_000
            assert list(written.parent.iterdir()) == [written]
            assert written.stat().st_mode & 0o777 == 0o600


async def test_a_copy_that_no_file_takes_is_not_claimed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "raidtui").write_text("a file where the directory should be")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    async with robot(width=240, height=40) as user:
        await user.press("4")
        user.app.copy("x" * 80_000, "script")
        await user.pilot.pause()
        assert user.note().startswith("script: not copied: too long for a terminal's clipboard, and ")
        assert user.note().endswith("/raidtui is a file, not a directory")


async def test_the_whole_plan_is_exported_into_the_directory_that_was_asked_for(tmp_path: Path) -> None:
    async with robot(width=160, height=40) as user:
        await user.press("4", "e")
        assert user.sees("export into directory > ./raidtui-data")
        target = tmp_path / "out"
        await user.press("ctrl+a", "ctrl+k")
        await user.types("x")
        user.app.screen.focused.value = str(target)  # type: ignore[union-attr]
        await user.press("enter")
        assert user.note().startswith(f"written to {target}: plan.json, build.sh, undo.sh, runbook.md")
        assert sorted(path.name for path in target.iterdir()) == ["build.sh", "plan.json", "runbook.md", "undo.sh"]
        assert (target / "build.sh").stat().st_mode & 0o777 == 0o700
        await user.press("e", "ctrl+a", "ctrl+k")
        user.app.screen.focused.value = str(target)  # type: ignore[union-attr]
        await user.press("enter")
        assert "already holds" in user.note()


async def test_name_and_mount_point_are_part_of_the_design_and_can_be_undone() -> None:
    async with robot() as user:
        await user.press("4", "n")
        await user.answers("tank")
        assert user.app.session.history.now.plan_name == "tank"
        assert user.app.session.history.now.mount_point == "/srv/tank"
        assert "'tank': erases 60 disks" in user.note()
        await user.press("n")
        await user.answers("a b")
        assert user.note().startswith("'a b' is not a valid name: expected 1 to 16 of a-z")
        await user.press("escape", "u", "y")
        assert "\nreadonly ARRAYS=(data-{0..3}) DEVICES=(/dev/md/data-{0..3})\n" in user.app.clipboard


async def test_a_real_machine_is_planned_for_by_its_name() -> None:
    inventory = Inventory(origin="machine", name="stor01", machine_id="0" * 32, disks=BUSY.disks)
    async with robot(inventory) as user:
        await user.press("4", "down", "down")
        assert user.sees("--homehost=stor01")


async def test_the_plan_of_many_disks_is_compiled_behind_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    go = Event()
    compiled = Session.plan

    def slow(session: Session, outcome: DesignOutcome | None = None) -> Plan:
        assert go.wait(30)
        return compiled(session, outcome)

    monkeypatch.setattr(commands, "MOST_AT_ONCE", 59)
    monkeypatch.setattr(Session, "plan", slow)
    async with robot() as user:
        await user.press("4")
        assert "compiling the plan of 60 disks" in user.note()
        assert not user.sees("refused")
        go.set()
        await user.app.workers.wait_for_complete()
        await user.press("home")
        assert user.sees("2  Arrays")
        assert "erases 60 disks; nothing is executed" in user.note()


async def test_the_parts_take_the_lines_that_they_need_from_the_first_picture_on() -> None:
    async with robot(width=200, height=60) as user:
        await user.press("4")
        await user.settle()
        lines = user.lines()
        assert lines[1].startswith("╭─ Scripts ─")
        assert lines[16].startswith("╭─ Disks ─"), "twelve parts, their titles and the frame"
