"""A person reads the plan, copies from it and exports it. Nothing is ever executed."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import pytest

from raidtui.model.inventory import Inventory
from raidtui.model.plan import Plan
from raidtui.tui.screens.commands import screen
from raidtui.tui.state.outcome import DesignOutcome
from raidtui.tui.state.session import Session
from tests.tui.robot import robot
from tests.tui.screens.disks.test_screen import BUSY


async def test_the_steps_say_what_they_erase() -> None:
    async with robot() as user:
        await user.press("4")
        assert user.sees("Create /dev/md/data-0: raid6 of 14 disks")
        assert user.sees("✗ ERASES 60")
        assert "erases 60 disks; nothing is executed" in user.note()


async def test_a_command_names_every_disk_beside_its_path() -> None:
    async with robot(width=120, height=50) as user:
        await user.press("4", "down", "down", "down")
        assert user.sees("mdadm --create /dev/md/data-0")
        assert user.sees("--level=6")
        assert user.sees("/dev/disk/by-id/wwn-0x3000013300000001 \\  d1s01  SIME26600001  2.00 TB")
        assert user.sees("... 11 more disks: Enter shows all")
        assert not user.sees("SIME26600057")
        await user.press("enter")
        assert user.sees("SIME26600057")


async def test_a_large_terminal_shows_every_step_at_once() -> None:
    async with robot(width=132, height=43) as user:
        await user.press("4")
        await user.settle()
        assert user.sees(" 1  Check the machine")
        assert user.sees("15  Verify everything")
        assert user.sees("UNDO")


async def test_a_very_large_terminal_shows_every_check_of_a_step() -> None:
    async with robot(width=200, height=60) as user:
        await user.press("4", "down", "down", "down")
        assert user.sees("/dev/md/data-0 has no signature")
        assert user.sees("All data on the array is lost.")
        assert user.sees("lvremove, vgremove, pvremove")
        assert not user.sees("Enter shows all")


async def test_a_very_large_terminal_shows_the_whole_script_from_the_step_on() -> None:
    async with robot(width=200, height=60) as user:
        await user.press("4", "end", "up", "up")
        right = [line[110:].strip("│┃ ") for line in user.lines()[1:-3]]
        assert "Step 13: Mount on /srv/data" in right[0]
        titles = [line for line in right if line[:2].isdigit()]
        assert titles == ["13  Mount on /srv/data", "14  Tune the arrays", "15  Verify everything"]
        await user.press("home", "down", "down", "down", "down")
        assert user.lines()[2][110:].strip("│┃ ") == "5  Create /dev/md/data-1: raid6 of 14 disks"


async def test_a_refused_design_says_why_and_what_to_do() -> None:
    async with robot() as user:
        await user.press("space", "4")
        assert user.sees("no plan: the design is refused")
        assert user.sees("60 disks")
        assert "u undoes the last decision" in user.note()
        await user.press("u")
        assert user.sees("Create /dev/md/data-0")


async def test_the_step_goes_to_the_clipboard_and_the_note_claims_no_more_than_it_knows() -> None:
    async with robot() as user:
        await user.press("4", "down", "down", "down", "y")
        copied = user.app.clipboard
        assert copied.startswith("mdadm --create /dev/md/data-0")
        assert "/dev/disk/by-id/wwn-0x3000013300000057" not in copied
        assert "/dev/disk/by-id/wwn-0x3000013300000039" in copied
        assert f"step 4: {len(copied)} bytes sent to the terminal's clipboard" in user.note()


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
        assert user.sees("export into directory ./raidtui-data")
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
        assert user.sees("/dev/md/tank-0")
        await user.press("n")
        await user.answers("a b")
        assert user.note().startswith("'a b' is not a valid name: expected 1 to 16 lower-case letters")
        await user.press("escape", "u")
        assert user.sees("/dev/md/data-0")


async def test_a_real_machine_is_planned_for_by_its_name() -> None:
    inventory = Inventory(origin="machine", name="stor01", machine_id="0" * 32, disks=BUSY.disks)
    async with robot(inventory) as user:
        await user.press("4", "down", "down", "down")
        assert user.sees("--homehost=stor01")


async def test_the_plan_of_many_disks_is_compiled_behind_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    go = Event()
    compiled = Session.plan

    def slow(session: Session, outcome: DesignOutcome | None = None) -> Plan:
        assert go.wait(30)
        return compiled(session, outcome)

    monkeypatch.setattr(screen, "MOST_AT_ONCE", 59)
    monkeypatch.setattr(Session, "plan", slow)
    async with robot() as user:
        await user.press("4")
        assert "compiling the plan of 60 disks" in user.note()
        assert not user.sees("refused")
        go.set()
        await user.app.workers.wait_for_complete()
        await user.press("home")
        assert user.sees("Create /dev/md/data-0: raid6 of 14 disks")
        assert "erases 60 disks; nothing is executed" in user.note()


async def test_a_script_beside_the_steps_has_the_width_of_its_pane_at_once() -> None:
    async with robot("e2660", width=200, height=60) as user:
        await user.press("4")
        await user.settle()
        assert user.sees("- /dev/md/data-0 does not exist")
        assert user.sees("- /etc/mdadm/mdadm.conf has no array data-0")
