"""A disk of a simulated machine fails: every screen names it, and Arrays replaces it until the array is whole."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from raidtui.values.design import Design
from raidtui.values.layout import Layout
from tests.tui.builds import Executors
from tests.tui.robot import Robot, robot


@pytest.fixture(autouse=True)
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Simulated runs of a test are in a directory of its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "raidtui" / "simulated"


@asynccontextmanager
async def built(layout: Layout) -> AsyncIterator[tuple[Robot, Executors]]:
    """A person whose array was built and synced on the four disks of nas4."""
    executors = Executors()
    async with robot("nas4", launch=executors, design=Design(layout=layout)) as user:
        executors.holds_in_sync = True
        await user.press("4", "b")
        await user.finds("[ Cancel ]")
        await typed_phrase(user)
        await user.finds("waits until the arrays are in sync")
        executors.release()
        await user.finds("Finished: every step is done and verified.")
        yield user, executors
        executors.release()


async def typed_phrase(user: Robot) -> str:
    """Types the phrase that the sheet asks for; returns it."""
    said = next(row for row in user.lines() if "type the phrase: " in row)
    words = said.partition("type the phrase: ")[2].partition(" ]")[0]
    await user.press("end", "enter")
    await user.answers(words)
    return words


async def command(user: Robot, text: str) -> None:
    """Types a command after the colon."""
    await user.press("colon")
    await user.types(text)
    await user.press("enter")
    await user.settle()


THREE = Layout.of(level="raid5", members=3)


async def test_a_disk_fails_and_is_replaced_until_the_array_is_whole(runs: Path) -> None:
    async with built(THREE) as (user, executors):
        took = next(row for row in user.lines() if "elapsed" in row).partition("elapsed ")[2].partition(" simul")[0]
        await command(user, "fail bay 2")
        for digit in "12345678":
            await user.press(digit)
            await user.eventually(lambda: user.lines()[1] == " bay 2 of data is missing: 9 shows what to do")
            assert "!9" in user.lines()[0]
        await user.press("1")
        row = next(row for row in user.lines() if "SIMNAS40002" in row)
        assert row.partition("512e")[2].split() == ["✗", "faulty", "in", "use:", "member", "of", "md127…"]

        await user.press("9")
        await user.settle()
        assert user.lines()[2:6] == [
            "── To repair ───────────────────────────────────────────────────────────────────",
            " md127 data  DEGRADED: one more failure loses data",
            "  ✗ PULL     bay 2               sdb    SIMNAS40002     faulty",
            "  ● 2 of 3 members in sync     r  replace: steps, phrase, light of the slot",
        ]
        await user.press("r")
        await user.finds("[ Cancel ]")
        assert user.sees("SIMULATED  Replace a member of md127: it stays in use meanwhile")
        executors.hold()
        assert await typed_phrase(user) == "replace in md127 by SIMNAS40004"
        await user.finds("fills b4 SIMNAS40004 in md127")
        assert user.sees("predicted 23 h in use, 12 h idle, elapsed")
        assert user.sees("REPLACING") or user.sees("*5Build")
        await user.press("b")
        user.app.page.run_changed()  # as each look at the run does
        assert user.note() == "b works on 4 Commands (build), 6 Bench (start)"
        assert executors.started == ["build", "replace"]
        executors.release()
        await user.finds("Finished: every step is done and read back. 9 shows the array.")
        assert user.sees("6 of 6 done")
        assert user.sees("Now pull bay 2, serial SIMNAS40002.")

        await user.press("9")
        await user.settle()
        assert "9 shows what to do" not in user.lines()[1]
        assert not user.sees("To repair")
        assert user.sees("raid5 of 3  clean")
        (folder,) = (runs / "changes").iterdir()
        assert folder.name.startswith("replace-") and (folder / "act.json").exists()
        await user.press("5")
        await user.finds("Finished: every step is done and verified.")
        assert user.sees(f"{took} simulated")


async def test_a_spare_takes_over_and_a_new_disk_in_the_slot_becomes_the_spare(runs: Path) -> None:
    async with built(Layout.of(level="raid5", members=3, spares=1)) as (user, executors):
        await command(user, "fail sdb")
        await user.eventually(lambda: user.lines()[1].startswith(" bay 2 of data is missing; bay 4 fills, "))
        await user.press("9")
        await user.settle()
        lines = user.lines()
        assert lines[3] == " md127 data  DEGRADED: one more failure loses data"
        assert lines[4] == "  ✗ PULL     bay 2               sdb    SIMNAS40002     faulty"
        assert lines[5].startswith("  ▸ FILLING  bay 4               sdd    SIMNAS40004     ")
        assert lines[5].endswith(" h left")
        await user.press("r")
        await user.finds("No blank disk fits.")
        assert user.sees("press : and type swap with the slot of the failed disk")
        await user.press("escape")
        await command(user, "swap bay 2")
        await user.press("1")
        assert user.sees("filling")
        assert not user.sees("SIMNAS40002")
        await user.press("9")
        await user.settle()
        await user.press("r")
        await user.finds("[ Cancel ]")
        assert user.sees("how        a spare has its place already: the new disk becomes the spare")
        assert user.sees("time       seconds: nothing is rebuilt onto the new disk")
        await typed_phrase(user)
        await user.finds("Finished but for 1 step; the others are read back. 9 shows the array.")
        assert user.sees("Step 2: the check did not begin; later: mdadm --misc --action=check")
        assert user.sees("every step but 2 is done and read back; mdadm finds all arrays")
        await user.press("9")
        await user.settle()
        assert user.sees("+ spare") or user.sees("spare")
        assert executors.started == ["build", "replace"]


async def test_on_a_whole_array_the_key_names_the_one_that_lost_a_member(runs: Path) -> None:
    async with built(Layout.of(level="raid1", members=2, arrays=2)) as (user, _):
        await command(user, "fail bay 2")
        await user.press("9")
        await user.finds("PULL     bay 2")
        await user.press("down", "r")
        await user.finds("is to repair: Esc, choose it. No member of md126")


async def test_an_array_is_extended_by_a_spare_which_build_follows(runs: Path) -> None:
    async with built(THREE) as (user, executors):
        await user.press("9")
        await user.settle()
        await user.press("E")
        await user.finds("extend md127")
        await user.answers("spare sdd")
        await user.finds("[ Cancel ]")
        assert user.sees("SIMULATED  Extend md127: it stays in use meanwhile")
        assert await typed_phrase(user) == "extend md127"
        await user.finds("Finished: every step is done and read back. 9 shows the array.")
        assert executors.started == ["build", "extend"]
        (folder,) = (runs / "changes").iterdir()
        assert folder.name.startswith("extend-") and (folder / "act.json").exists()
        await user.press("9")
        await user.settle()
        assert [row.split()[-1] for row in user.lines() if "SIMNAS40004" in row] == ["spare"]


async def test_another_app_follows_a_replacement_that_runs(runs: Path) -> None:
    async with built(THREE) as (user, executors):
        await command(user, "fail b2")
        await user.press("9")
        await user.settle()
        await user.press("r")
        await user.finds("[ Cancel ]")
        executors.hold()
        await typed_phrase(user)
        await user.finds("fills b4 SIMNAS40004 in md127")
        async with robot("nas4", launch=Executors(), roots=lambda: (runs,)) as other:
            await other.settle()
            await other.press("5")
            await other.finds("fills b4 SIMNAS40004 in md127")
            await command(other, "fail b3")
            await other.press("1")
            await other.finds("faulty")
            executors.release()
            await other.eventually(lambda: not other.app.run_follower.busy)


async def test_a_stopped_replacement_goes_on(runs: Path) -> None:
    async with built(THREE) as (user, executors):
        await command(user, "fail b2")
        await user.press("9")
        await user.settle()
        await user.press("r")
        await user.finds("[ Cancel ]")
        executors.hold()
        await typed_phrase(user)
        await user.finds("fills b4 SIMNAS40004 in md127")
        await user.press("x")
        await user.answers("stop")
        executors.release()
        await user.finds("Every command that began was completed. r resumes.")
        assert not user.sees("D  undo build")
        await user.press("r")
        await user.answers("resume")
        await user.finds("Finished: every step is done and read back. 9 shows the array.")
        assert executors.started == ["build", "replace", "replace"]


async def test_what_cannot_be_failed_is_said_in_a_line(runs: Path) -> None:
    async with robot("nas4") as user:
        await command(user, "fail b2")
        assert user.note() == "no array is built on this chassis yet: 4 Commands, then b"
    async with built(THREE) as (user, _):
        await user.press("1")
        await command(user, "fail b4")
        assert user.note() == "no array has b4 SIMNAS40004, or it has failed before; 9 shows the arrays and their disks"
        await command(user, "fail b9")
        assert user.note().startswith("b9 is no disk of this machine")
