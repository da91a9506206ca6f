"""A person builds on a simulated machine: confirms, watches, pauses, stops, resumes, leaves, comes back, takes back."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.strip import Strip

from raidtui.answers.confirm import phrase
from raidtui.engine import folders
from raidtui.engine.site import MACHINE
from raidtui.machine.inventory.shipped import load
from raidtui.predict.options import with_value
from raidtui.session import jobs
from raidtui.session.session import Session
from raidtui.tui.terminal.text import line
from raidtui.tui.widgets.confirm_dialog import plan_dialog
from raidtui.tui.widgets.pane import Pane
from raidtui.tui.widgets.slot_map import SlotMap
from raidtui.values.design import Design
from raidtui.values.findings import warning
from raidtui.values.inventory import Inventory, Use
from raidtui.values.layout import Layout
from raidtui.values.options import ROW
from tests.simulated.machine import FaultyMachine
from tests.tui.builds import Executors, standing
from tests.tui.robot import Robot, robot
from tests.tui.test_tiers import HOSTILE, sent, shown


@pytest.fixture(autouse=True)
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Simulated runs of a test lie in a directory of its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "raidtui" / "simulated"


@asynccontextmanager
async def builder(inventory: Inventory | str = "trio", **more: Any) -> AsyncIterator[tuple[Robot, Executors]]:
    """A person at the app, and the executors that it starts."""
    executors = more.pop("executors", None) or Executors()
    design = Design(layout=Layout.of(level="raid5", members=3, spares=1)) if inventory == "nas4" else None
    async with robot(inventory, launch=executors, design=design, **more) as user:
        yield user, executors
        executors.release()


async def confirm(user: Robot) -> str:
    """From any screen: Commands, b, the phrase as it stands on the sheet. Returns it."""
    await user.press("4", "b")
    await user.finds("[ Cancel ]")
    said = next(row for row in user.lines() if "type the phrase: " in row)
    words = said.partition("type the phrase: ")[2].partition(" ]")[0]
    await user.press("end", "enter")
    await user.answers(words)
    await user.finds("Log, times in UTC")
    return words


async def test_the_whole_walk_works_without_a_single_disk(runs: Path) -> None:
    async with builder("nas4") as (user, executors):
        assert user.sees("SIMULATED")
        for digit in "2345":
            await user.press(digit)
            assert user.sees("SIMULATED")
        assert user.sees("No build yet") and user.sees("The steps that build (2+1)+1:") and user.sees("ERASES 3")
        executors.holds_in_sync = True
        words = await confirm(user)
        assert words.startswith("erase 4 ")
        await user.finds("waits until the arrays are in sync")
        assert user.sees("*5Build 6Bench")
        assert user.sees("raid5 of 3 disks")
        executors.release()
        await user.finds("Finished: every step is done and verified. /srv/data")
        assert user.sees("11 of 11 done")
        await user.finds("predicted 12 h, elapsed 11:30 h simulated")
        assert user.sees("5Build 6Bench")
        assert "SIMULATED finished" in user.note()
        assert executors.started == ["build"]
        (folder,) = [entry for entry in runs.iterdir() if entry.is_dir()]
        assert (folder / "plan.json").exists()
        await user.press("1")
        await user.finds("3 in array  + 1 spare")
        assert user.note().startswith("4 disks, 15.8 TB raw; 0 chosen")
        await user.press("7")
        await user.finds("Commands run")
        assert user.sees("NO VERDICT") and user.sees("10 of 10 steps verified, build finished")


async def test_a_build_that_ends_while_another_screen_is_shown_has_ended_on_build(runs: Path) -> None:
    async with builder("nas4") as (user, executors):
        executors.holds_in_sync = True
        await confirm(user)
        await user.finds("waits until the arrays are in sync")
        await user.press("1")
        executors.release()
        executors.join()
        await user.eventually(lambda: not user.app.run_follower.busy)
        await user.press("5")
        assert user.sees("Finished: every step is done and verified. /srv/data")


async def test_enter_alone_never_confirms_and_the_cursor_starts_on_cancel(runs: Path) -> None:
    async with builder() as (user, executors):
        await user.press("4", "b")
        await user.finds("[ Cancel ]")
        await user.press("enter")
        assert user.note() == "cancelled: no disk was changed"
        await user.press("b")
        await user.finds("[ Cancel ]")
        await user.press("down", "enter", "enter", "enter")
        assert user.sees("wrong phrase; expected: erase 2 ")
        await user.answers("erase 2 00000000")
        assert user.sees("wrong phrase; expected: erase 2 ")
        await user.press("escape")
        assert user.sees("[ Cancel ]")
        await user.press("escape")
        assert user.note() == "cancelled: no disk was changed"
        assert executors.started == []
        assert not runs.exists()


async def test_the_confirm_page_lists_every_disk(runs: Path) -> None:
    async with builder("e2660") as (user, _):
        await user.press("4", "b")
        await user.finds("[ Cancel ]")
        assert user.sees("SIMULATED  Build plan ")
        assert user.sees("ERASES 60 disks")
        assert user.sees("All disks: NL2000SAS72, 2.00 TB, enclosure ")
        assert user.sees("drawer 1 slot 01  SIME26600001  member 0 of data-0")
        serials = {f"SIME266000{number:02}" for number in range(1, 61)}
        await user.press("tab")
        found: set[str] = set()
        for _ in range(8):
            found |= {serial for serial in serials if user.sees(serial)}
            await user.press("pagedown")
        assert found == serials
        await user.press("end")
        assert user.sees(user.app.session.plan().digest)
        assert not runs.exists()


async def test_what_is_unwise_stands_on_the_page_and_forbids_nothing(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unheard = warning("no-alarm", "Nobody will hear of a failed disk: there is no sendmail.", "install what takes mail")
    monkeypatch.setattr(jobs, "checked", lambda *_, **__: (unheard,))
    async with builder("nas4") as (user, _):
        await user.press("4", "b")
        await user.finds("[ Cancel ]")
        assert user.sees("warning: Nobody will hear of a failed disk: there is no sendmail.")
        assert user.sees("install what takes mail")
    assert not runs.exists()


async def test_content_is_given_up_class_by_class(runs: Path) -> None:
    inventory = load("nas4")
    left = (Use(kind="file-system", where="ext4 backup", active=False),)
    first = replace(inventory.disks[0], state="content", uses=left, not_selectable=None)
    async with robot(replace(inventory, disks=(first, *inventory.disks[1:]))) as user:
        await user.press("space")
        plan = user.app.session.plan()
        assert [str(content) for content in plan.disks[0].content] == ["file-system ext4 backup"]
        results: list[bool | None] = []
        await user.app.push_screen(plan_dialog(plan, user.app.glyphs), results.append)
        await user.pilot.pause()
        assert user.sees("✗ file-system ext4 backup")
        await user.press("e")
        assert user.sees("not given up yet: file-system") and not user.sees("type it here")
        assert results == []
        await user.press("end", "enter")
        assert user.sees("not given up yet: file-system")
        await user.press("home", "space")
        assert user.sees("[x] give up: file-system on 1 disk")
        await user.press("end", "enter")
        await user.answers(phrase(plan))
        assert results == [True]
        assert not runs.exists()


async def test_a_pause_starts_nothing_further(runs: Path) -> None:
    executors = Executors()
    executors.hold()
    async with builder("nas4", executors=executors) as (user, _):
        await confirm(user)
        await user.finds("runs ")
        await user.press("p")
        await user.finds("PAUSED: p continues")
        assert user.sees("p  continue") and not user.sees("p  pause")
        executors.release()
        await user.finds("paused by a viewer")
        done = len(user.app.run_follower.watch.seen.records)  # type: ignore[union-attr]
        await user.pilot.pause(0.5)
        assert len(user.app.run_follower.watch.seen.records) == done  # type: ignore[union-attr]
        await user.press("p")
        await user.finds("Finished")


async def test_a_sync_is_throttled_and_need_not_be_waited_for(runs: Path) -> None:
    async with builder("nas4") as (user, executors):
        executors.holds_in_sync = True
        await confirm(user)
        await user.finds("c continues during the sync")
        await user.press("t")
        await user.answers("fast")
        assert "invalid rate" in user.note()
        await user.answers("50")
        user.app.page.show_run()  # type: ignore[attr-defined]  # as each look at the run does
        await user.press("end")
        assert user.note() == "50 has no unit: write 50MB/s or 50KiB/s"
        await user.answers("20MB/s")
        await user.finds("limited to 20.0 MB/s")
        folder = user.app.run_follower.watch.folder  # type: ignore[union-attr]
        assert folders.read_request(folder).sync_kib_per_s == 19531
        assert user.sees("c  do not wait") and not user.sees("c  wait for sync")
        await user.press("c")
        await user.eventually(lambda: not folders.read_request(folder).wait_for_sync)
        executors.release()
        await user.finds("Finished")
        assert user.sees("h left")
        assert user.sees("steps took") and user.sees("simulated, the sync goes on")


async def test_it_stops_before_the_next_command_and_is_resumed(runs: Path) -> None:
    executors = Executors()
    executors.hold()
    async with builder("nas4", executors=executors) as (user, _):
        await confirm(user)
        await user.finds("runs ")
        await user.press("x")
        await user.answers("")
        assert user.note() == "type stop, or press Esc"
        await user.answers("stop")
        executors.release()
        await user.finds("Stopped: asked to stop; nothing runs.")
        assert user.sees("5Build 6Bench")
        await user.press("p")
        assert not folders.read_request(user.app.run_follower.watch.folder).pause  # type: ignore[union-attr]
        await user.press("r")
        await user.answers("resume")
        await user.finds("Finished")
        assert executors.started == ["build", "resume"]


async def test_a_killed_executor_is_seen_and_resumed(runs: Path) -> None:
    executors = Executors()
    executors.hold()
    async with builder("nas4", executors=executors) as (user, _):
        await confirm(user)
        await user.finds("runs ")
        executors.kill()
        await user.finds("Interrupted: the executor is gone")
        assert "interrupted" in user.note()
        await user.press("r")
        await user.answers("resume")
        await user.finds("Finished")


async def test_leaving_is_said_and_coming_back_shows_it(runs: Path) -> None:
    executors = Executors()
    executors.holds_in_sync = True
    async with builder("nas4", executors=executors) as (user, _):
        await confirm(user)
        await user.finds("c continues during the sync")
        name = user.app.run_follower.watch.folder.name[:8]  # type: ignore[union-attr]
        said = f"raidtui: the simulated run {name} continues; raidtui build --attach {name} shows it again"
        assert user.app.run_follower.exit_message() == said
        await user.press("q")
        assert [str(each) for each in user.app._exit_renderables] == [said]
        executors.hold()
        async with robot("nas4", roots=lambda: (runs,), launch=executors) as later:
            await later.finds("*5Build 6Bench")
            await later.press("5")
            await later.finds("c continues during the sync")
            executors.release()
            await later.finds("Finished")
            assert later.sees("5Build 6Bench")
            assert later.app.run_follower.exit_message() == ""
        async with robot("nas4", roots=lambda: (runs,), launch=executors) as last:
            assert last.sees(" 5Build 6Bench")
            await last.press("9")
            await last.finds("md127")  # found without a look at Build
            await last.press("5")
            await last.finds("Finished")
        async with robot("e2660", roots=lambda: (runs,), launch=executors) as other:
            await other.press("5")
            await other.finds("Finished")
            await other.press("9")
            await other.finds("no md array here")  # the run is of another machine


async def test_who_begins_to_type_the_phrase_on_cancel_types_it_on_its_line(runs: Path) -> None:
    async with builder() as (user, executors):
        await user.press("4", "b")
        await user.finds("[ Cancel ]")
        said = next(row for row in user.lines() if "type the phrase: " in row)
        words = said.partition("type the phrase: ")[2].partition(" ]")[0]
        await user.types(words)
        assert user.sees(f"type it here > {words}")
        assert executors.started == []
        await user.press("enter")
        await user.finds("Log, times in UTC")
        assert executors.started == ["build"]


async def test_other_keys_than_the_first_letter_of_the_phrase_begin_nothing(runs: Path) -> None:
    async with builder() as (user, executors):
        await user.press("4", "b")
        await user.finds("[ Cancel ]")
        await user.press("x", "1", "enter")
        assert user.note() == "cancelled: no disk was changed"
        assert executors.started == []


async def test_what_the_plan_made_is_taken_back_after_another_phrase(runs: Path) -> None:
    async with builder("nas4") as (user, executors):
        await confirm(user)
        await user.finds("Finished")
        await user.press("D")
        await user.finds("Undo plan ")
        assert user.sees("removes everything from 4 disks")
        plan = user.app.run_follower.watch.plan  # type: ignore[union-attr]
        await user.press("end", "enter")
        await user.answers(phrase(plan))
        assert user.sees("wrong phrase; expected: undo 4 ")
        await user.answers(phrase(plan, "undo"))
        await user.finds("Undone: no signature or line of the plan is left on the disks.")
        assert user.sees("undone") and user.sees("removed")
        assert not user.sees("ERASES") and not user.sees("missing")
        assert executors.started == ["build", "undo"]
        assert user.lines()[-1].split()[:2] == ["Enter", "output"], "nothing is left to undo"
        assert user.sees("4 Commands, then b, builds again.")
        assert user.sees(" undone ──") and not user.sees("to do") and not user.sees(" done ──")
        assert user.app.page.query_one("#map", SlotMap).groups == {}, "no disk is in an array"
        for key in ("D (undo build)", "r (resume)"):
            await user.press(key[0])
            assert user.note() == f"{key} has no effect now: it is undone; 4 Commands, then b, builds again"
        await user.press("x")
        assert user.note() == "x (stop) has no effect now: no step runs; it works while one does"
        again = await confirm(user)
        assert again != phrase(plan)
        await user.finds("Finished")


def kept_machine(user: Robot) -> FaultyMachine:
    """The machine of the run that is shown, as its executor left it."""
    return FaultyMachine.kept(user.app.run_follower.watch.folder / MACHINE)  # type: ignore[union-attr]


async def test_files_on_the_array_are_shown_and_given_up_by_a_second_phrase(runs: Path) -> None:
    async with builder("nas4") as (user, executors):
        await confirm(user)
        await user.finds("Finished")
        machine = kept_machine(user)
        for number in range(12):
            machine.write_text(f"/srv/data/photo-{number:02}.jpg", "x" * 9000, 0o644)
        await user.press("D")
        await user.finds("Content of the arrays now:")
        plan = user.app.run_follower.watch.plan  # type: ignore[union-attr]
        words = phrase(plan, "undo")
        assert user.sees(f"[ type the phrase: {words}, then: lose 12 files ]")
        rows = [row[3:78].rstrip() for row in user.lines()]
        assert rows[rows.index("Content of the arrays now:") + 1 :][:7] == [
            "",
            "✗ /srv/data, xfs, 12 files, 144.0 KiB used: photo-00.jpg, photo-01.jpg,",
            "  photo-02.jpg, photo-03.jpg, photo-04.jpg, photo-05.jpg, photo-06.jpg,",
            "  photo-07.jpg and 4 more in its top directory",
            "i The count is of inodes in use: files, directories and links, and deleted",
            "  files that are still open.",
            "✗ All of it will be lost; a second phrase confirms this: lose 12 files",
        ]
        await user.press("end", "enter")
        await user.answers("lose 12 files")
        assert user.sees(f"wrong phrase; expected: {words}")
        await user.answers(words)
        await user.pilot.pause()
        await user.answers(words)
        assert user.sees("wrong phrase; expected: lose 12 files")
        assert executors.started == ["build"]
        await user.answers("lose 12 files")
        await user.finds("Undone: no signature or line of the plan is left on the disks.")
        assert executors.started == ["build", "undo"]


async def test_esc_between_the_two_phrases_leaves_everything(runs: Path) -> None:
    async with builder("nas4") as (user, executors):
        await confirm(user)
        await user.finds("Finished")
        kept_machine(user).write_text("/srv/data/letter.txt", "x", 0o644)
        await user.press("D")
        await user.finds("/srv/data, xfs, 1 file, 4.000 KiB used: letter.txt")
        await user.press("end", "enter")
        await user.answers(phrase(user.app.run_follower.watch.plan, "undo"))  # type: ignore[union-attr]
        await user.pilot.pause()
        await user.press("escape", "escape")
        await user.finds("Log, times in UTC")
        assert executors.started == ["build"]


async def test_what_is_not_the_plans_refuses_the_undo_with_a_way_out(runs: Path) -> None:
    async with builder("nas4") as (user, executors):
        await confirm(user)
        await user.finds("Finished")
        kept_machine(user).stand("/dev/md/data", "loop")
        await user.press("D")
        await user.finds("Not undone: content that does not belong to the plan")
        assert user.sees("/dev/md/data is used by a loop device: loop7 on /dev/md127")
        assert user.sees("detach it with losetup --detach; then undo again")
        assert user.sees("To practise again on blank disks: quit, then rm -r")
        await user.press("escape")
        assert executors.started == ["build"]


async def test_what_a_command_says_is_shown_as_text(runs: Path) -> None:
    async with builder("nas4", width=120, height=40) as (user, executors):
        executors.holds_in_sync = True
        await confirm(user)
        await user.finds("c continues during the sync")
        folder = user.app.run_follower.watch.folder  # type: ignore[union-attr]
        for output in (folder / "output").iterdir():
            output.write_bytes(HOSTILE.encode() * 50)
        await user.press("end", "enter")
        await user.press("escape")
        await user.press("home", "down", "down", "enter")
        assert user.sees("[/red]\\e[31mE\\e]0;own\\x07")
        assert {char for char in sent(user) if not shown("unicode", char)} == set()
        await user.press("escape")


async def test_no_step_and_no_line_of_the_log_is_cut_for_good(runs: Path) -> None:
    async with builder("nas4") as (user, _):
        await confirm(user)
        await user.finds("Finished")
        await user.press(*["up"] * 5)
        (row,) = [row for row in user.lines() if "Add the arrays to" in row]
        assert "Add the arrays to mdadm.conf and the initramfs" in row
        user.app.set_focus(user.app.page.query_one("#log"))
        (at,) = [number for number, row in enumerate(user.lines()) if "28 checks passed; mdadm finds all" in row]
        assert user.lines()[at].endswith("…")
        await user.pilot.click(offset=(20, at))
        await user.press("enter")
        assert user.sees("mdadm finds all arrays by its configuration;") and user.sees("│ /boot/initrd.img-6.1.0-28")
        await user.press("escape")
        assert not user.sees("/boot/initrd.img-6.1.0-28")


async def test_a_real_machine_is_only_looked_at_unless_that_was_allowed(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = replace(load("nas4"), origin="machine")
    executors = Executors()
    async with robot(machine, launch=executors, width=120, height=30) as user:
        assert not user.sees("SIMULATED")
        await user.press("4", "b")
        assert user.note().startswith("this app is read-only; as root: raidtui build DIR/plan.json")
        await user.press("5")
        assert user.sees("as root")
        assert user.sees("raidtui --allow-writes")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    async with robot(machine, launch=executors, allow_writes=True, width=120, height=30) as user:
        assert user.sees("MAY WRITE")
        await user.press("4", "b")
        assert user.note().startswith("only root can write to disks")
    assert executors.started == []


async def test_only_lines_that_changed_are_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async with robot() as user:
        await user.press("5")
        pane = user.app.page.query_one("#now", Pane)
        first = [line("one"), line("two"), line("three")]
        pane.renew(lambda _: first)
        await user.pilot.pause()
        drawn: list[int] = []
        render_line = pane.render_line

        def noted(y: int) -> Strip:
            drawn.append(y)
            return render_line(y)

        monkeypatch.setattr(pane, "render_line", noted)
        pane.renew(lambda _: [line("one"), line("2"), line("three")])
        await user.pilot.pause()
        assert drawn == [2]  # the heading is line 0
        pane.renew(lambda _: first, aside="more")
        await user.pilot.pause()
        assert drawn == [2, 0, 2]


async def test_a_large_terminal_shows_the_chassis_and_every_array_beside_all_steps(runs: Path) -> None:
    inventory = load("e2660")
    plan = Session(inventory, run_id="ab" * 16).plan()
    with standing(inventory, plan, seconds=9000) as root:
        async with robot(inventory, width=132, height=43, roots=lambda: (root,)) as user:
            await user.press("5")
            await user.finds("14:04:28")
            shown = user.lines()
            at = next(number for number, row in enumerate(shown) if row.startswith("│ d3 │"))
            numbers, arrays = (row[5:56].replace("│", " ").split() for row in shown[at : at + 2])
            assert numbers == [f"{number:02d}" for number in range(1, 13)]
            assert arrays == [*"CDDAABBCCD+A"]
            assert all(any(f" {step}  " in row[60:] for row in shown[1:17]) for step in range(1, 16))
            assert all(user.sees(f" data-{array}  ●●●●") for array in range(4))


async def test_a_run_begun_elsewhere_is_found_and_one_whose_directory_is_gone_ends_nothing(runs: Path) -> None:
    inventory = load("nas4")
    plan = Session(inventory, run_id="ab" * 16).plan()
    async with robot(inventory, roots=lambda: (runs,)) as user:
        await user.press("5")
        assert user.sees("No build yet")
        await user.press("1")
        with standing(inventory, plan, seconds=10) as root:
            runs.parent.mkdir(parents=True, exist_ok=True)
            runs.symlink_to(root)
            await user.press("5")
            await user.finds("14:02:")
            await user.finds("*5Build 6Bench")
        # the path before it may be so long that the message wraps
        await user.eventually(lambda: "No such file or directory" in " ".join(" ".join(user.lines()).split()))
        assert user.sees("5Build 6Bench")


SECRET = "seven lean cows"


async def typed(user: Robot, label: str, text: str) -> None:
    """A hidden answer: only dots of it are shown."""
    await user.finds(label)
    await user.types(text)
    assert not user.sees(text) and user.sees("\N{BULLET}" * len(text))
    await user.press("enter")


async def test_a_passphrase_is_typed_twice_hidden_and_asked_again_by_a_resume(runs: Path) -> None:
    executors = Executors()
    executors.hold()
    async with builder("nas4", executors=executors) as (user, _):
        user.app.session.decide(with_value(ROW.encrypt, user.app.session.decision, "volume"))
        await user.press("4", "b")
        await user.finds("[ Cancel ]")
        words = phrase(user.app.session.plan())
        await user.press("end", "enter")
        await user.answers(words)
        await user.finds("passphrase of the encrypted volumes")
        await user.answers("")
        assert user.note() == "an empty passphrase protects nothing"
        await typed(user, "passphrase of the encrypted volumes", SECRET)
        await typed(user, "the same passphrase again", "eight")
        await user.finds("the two are not the same: type it again")
        await typed(user, "passphrase of the encrypted volumes", SECRET)
        await typed(user, "the same passphrase again", SECRET)
        await user.finds("runs ")
        assert executors.passphrase is not None and executors.passphrase.text == SECRET
        executors.kill()
        await user.finds("Interrupted: the executor is gone")
        await user.press("r")
        await user.answers("resume")
        await typed(user, "passphrase of the encrypted volumes", SECRET)
        await typed(user, "the same passphrase again", SECRET)
        await user.finds("Finished")
        assert executors.passphrase.text == ""
        assert not [path for path in runs.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]


async def test_esc_at_the_passphrase_starts_nothing(runs: Path) -> None:
    async with builder("nas4") as (user, executors):
        user.app.session.decide(with_value(ROW.encrypt, user.app.session.decision, "volume"))
        await user.press("4", "b")
        await user.finds("[ Cancel ]")
        await user.press("end", "enter")
        await user.answers(phrase(user.app.session.plan()))
        await user.finds("passphrase of the encrypted volumes")
        assert user.note().startswith("typed twice, not stored; without it the data is lost.")
        await user.press("escape")
        assert user.note() == "cancelled: nothing was started"
        assert executors.started == []
