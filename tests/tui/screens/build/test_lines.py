"""A run in words: what commands said, who is slow, who is gone, how far steps are. Hostile text stays text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.engine.folders import ControlRequest
from raidtui.engine.journal import replay
from raidtui.machine.inventory.shipped import load
from raidtui.machine.system.ports import Syncing
from raidtui.session.run_view import RunView, tail
from raidtui.session.session import Session
from raidtui.tui.screens.build.lines import (
    Forecast,
    clock_words,
    command_rows,
    entries,
    forecast,
    headline,
    labels_of,
    now_lines,
    paused_words,
    run_step_mark,
    said_lines,
    slots_of,
    slowest,
    sync_lines,
    taken_back,
)
from raidtui.tui.terminal.glyphs import ASCII, UNICODE
from raidtui.tui.terminal.text import Line
from raidtui.tui.terminal.themes import DARK, tones
from raidtui.tui.widgets.confirm_dialog import disk_lines
from raidtui.tui.widgets.lines import clock
from raidtui.tui.widgets.pane import strip_of
from raidtui.values.assumptions import DEFAULTS
from raidtui.values.design import Design
from raidtui.values.inventory import Inventory
from raidtui.values.layout import Layout
from raidtui.values.location import Location
from raidtui.values.plan import Plan
from raidtui.values.run import Record, RecordKind
from tests.suite import examples
from tests.tui.test_tiers import HOSTILE, shown

INVENTORY = load("nas4")
FIRST = INVENTORY.disks[0].id


def planned(inventory: Inventory = INVENTORY) -> Plan:
    design = Design(layout=Layout(level="raid5", members=3, spares=1))
    return Session(inventory, run_id="0123456789abcdef" * 2, design=design).plan()


PLAN = planned()


def record(sequence: int, kind: RecordKind, **more: object) -> Record:
    return Record(sequence=sequence, kind=kind, time=f"2026-01-05T14:02:{sequence:02d}+00:00", boot="b", **more)  # type: ignore[arg-type]


def seen(*records: Record, alive: bool = True, **more: object) -> RunView:
    run = replay(len(PLAN.steps), records, alive=alive)
    return RunView(folder=Path("/runs/1"), act=PLAN, run=run, records=records, alive=alive, **more)  # type: ignore[arg-type]


def texts(lines: list[Line]) -> list[str]:
    return ["".join(span.text for span in line) for line in lines]


BEGUN = record(1, "begun")
STEP = record(2, "step", step=1, text="Check")
ASKED = record(3, "intent", step=1, action=1, argv=("mdadm", "--stop", "/dev/md/x"), output="output/0003")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (99.9, "99 s"), (100, "1:40 min"), (3599, "59:59 min"), (21061, "5:51 h"), (87180, "1 d 00:13")],
)
def test_time_is_told_as_people_tell_it(seconds: float, words: str) -> None:
    assert clock(seconds) == words


@pytest.mark.parametrize(
    ("said", "lines"),
    [
        (b"one\ntwo\n\n", ["one", "two"]),
        (b"10 %\r50 %\r100 %\r\ndone", ["100 %", "done"]),
        (b"inodes:   0/100\b\b\b\b\b\b\b 50/100\b\b\b\b\b\b\bdone   \n", ["inodes: done"]),
        (b"long line\rshort\n", ["shortline"]),
        (b"\b\b\bx", ["x"]),
        (b"\xff\xfe", ["��"]),
        (b"", []),
    ],
)
def test_what_was_written_over_is_gone(said: bytes, lines: list[str]) -> None:
    assert said_lines(said) == lines


def test_a_long_command_says_how_much_is_left_out() -> None:
    argv = ("mdadm", "--create", *(f"/dev/disk/by-id/wwn-{number:016}" for number in range(30)))
    rows = command_rows(argv, 80, 2)
    assert len(rows) == 2
    assert rows[0].startswith("mdadm --create /dev/disk/by-id/wwn-0000000000000000")
    assert rows[1].endswith("... 28 more words: Enter") or rows[1].endswith("... 29 more words: Enter")
    assert command_rows(argv, 80, 100)[-1].strip() == "/dev/disk/by-id/wwn-0000000000000029"


def test_now_shows_the_command_and_the_end_of_what_it_says() -> None:
    now = seen(BEGUN, STEP, ASKED, said=b"a\nb\nc\n")
    assert texts(now_lines(now, 78, 3)) == ["mdadm --stop /dev/md/x", "  c"]
    assert texts(now_lines(now, 78, 12)) == ["mdadm --stop /dev/md/x", "  a", "  b", "  c"]


def test_a_file_that_is_written_is_named() -> None:
    wrote = record(3, "intent", step=1, action=1, file="/etc/fstab", argv=("write", "/etc/fstab"))
    assert texts(now_lines(seen(BEGUN, STEP, wrote), 78, 3)) == ["writes /etc/fstab"]
    assert entries([BEGUN, STEP, wrote], {})[-1].text == "writes /etc/fstab"


def test_long_messages_are_wrapped_and_not_cut() -> None:
    waits = record(3, "waiting", step=1, text="waits until the arrays are in sync")
    assert texts(now_lines(seen(BEGUN, STEP, waits), 58, 3)) == [
        "step 1: waits until the arrays are in sync; c continues",
        "during the sync",
    ]
    failed = seen(BEGUN, STEP, record(3, "failed", step=1, text="no room " * 20), alive=False)
    assert texts(now_lines(failed, 58, 2))[-1] == "Nothing runs. r resumes, D undoes the build."


def test_how_it_ended_and_what_can_be_done() -> None:
    gone = seen(BEGUN, STEP, ASKED, alive=False)
    assert headline(gone).word == "interrupted"
    assert texts(now_lines(gone, 78, 3))[0] == "Interrupted: the executor is gone; it was killed or power failed."
    failed = seen(BEGUN, STEP, record(3, "failed", step=1, text="no room; make some"), alive=False)
    assert texts(now_lines(failed, 78, 3)) == [
        "Failed: no room; make some",
        "Nothing runs. r resumes, D undoes the build.",
    ]
    never = seen(alive=False, said=b"Traceback\nraidtui: the lock is held\n")
    assert headline(never).word == "not started"
    assert texts(now_lines(never, 78, 5))[-1] == "raidtui: the lock is held"
    torn = seen(BEGUN, problem="journal: line 2 is damaged")
    assert texts(now_lines(torn, 78, 3)) == ["journal: line 2 is damaged"]


def test_a_command_is_one_line_of_the_log_and_names_disks_by_slot() -> None:
    argv = ("wipefs", "--all", PLAN.disks[0].path)
    began = record(3, "intent", step=1, action=1, argv=argv, output="output/0003")
    ended = record(4, "result", step=1, action=1, argv=argv, exit=2, output="output/0003")
    log = entries([BEGUN, STEP, began, ended], slots_of(PLAN))
    assert [entry.text for entry in log] == [
        "executor started: build", "Check", f"exit 2: wipefs --all {slots_of(PLAN)[PLAN.disks[0].path]}",
    ]  # fmt: skip
    assert log[-1].tone == "bad"
    assert log[-1].argv == argv
    assert slots_of(PLAN)[PLAN.disks[0].path] == "b1"


def test_steps_say_how_far_they_are() -> None:
    running = seen(BEGUN, STEP)
    assert run_step_mark(running.run.steps[0], running, ASCII, undone=False).word == "runs"
    assert run_step_mark(running.run.steps[1], running, ASCII, undone=False).word == "to do"
    cut = seen(BEGUN, STEP, alive=False)
    assert run_step_mark(cut.run.steps[0], cut, ASCII, undone=False).word == "partly"
    waits = seen(BEGUN, STEP, record(3, "paused", step=1, text="paused by a viewer"))
    assert run_step_mark(waits.run.steps[0], waits, ASCII, undone=False).word == "waits"
    undone = (
        BEGUN, STEP, record(3, "proven", step=1), record(4, "finished"), record(5, "begun", purpose="undo"),
        record(6, "step", step=1, purpose="undo"), record(7, "proven", step=1, purpose="undo"),
    )  # fmt: skip
    assert taken_back(undone) == {1}
    assert taken_back((*undone, record(8, "begun"), record(9, "step", step=1), record(10, "proven", step=1))) == set()


def test_a_bar_an_array_with_speed_and_time_to_go() -> None:
    (array,) = PLAN.arrays
    sync = Syncing(device="md127", action="recover", done_sectors=500, all_sectors=2000, bytes_per_s=100)
    (drawn,) = texts(sync_lines(seen(BEGUN, arrays={array.device: sync}), Forecast(), 78, ASCII))
    assert drawn.startswith("A data  ooo+  #######------------------------ ")
    assert "25.0 %" in drawn
    assert drawn.rstrip().endswith("2.1 h left")
    (waits,) = texts(
        sync_lines(seen(BEGUN, arrays={array.device: replace(sync, action="pending")}), Forecast(), 78, ASCII)
    )
    assert waits.rstrip().endswith("pending")
    (still,) = texts(
        sync_lines(seen(BEGUN, arrays={array.device: replace(sync, bytes_per_s=0)}), Forecast(), 78, ASCII)
    )
    assert still.rstrip().endswith("no progress")
    assert texts(sync_lines(seen(BEGUN, arrays={array.device: None}), Forecast(), 78, ASCII))[0].endswith("+ in sync")
    assert texts(sync_lines(seen(BEGUN), Forecast(), 78, ASCII))[0].endswith("not created yet")


def test_the_slowest_member_is_named_and_marked_and_one_that_is_gone_too() -> None:
    slower = replace(INVENTORY.disks[1], sequential_bytes_per_s=60_000_000)
    same = [replace(disk, sequential_bytes_per_s=100_000_000) for disk in INVENTORY.disks]
    inventory = replace(INVENTORY, disks=(same[0], slower, *same[2:]))
    expected = forecast(PLAN, inventory, DEFAULTS)
    assert expected.slow == {slower.id: pytest.approx(0.4)}
    now = seen(BEGUN, gone=frozenset({FIRST}))
    assert slowest(now, expected) == (
        f"slowest: b2 {slower.serial} in data, 60.0 MB/s alone, 40 % below its array's median"
    )
    assert texts(sync_lines(now, expected, 78, ASCII))[0].startswith("A data  X!o+")
    assert labels_of(now, expected) == {same[2].id: "A", same[3].id: "+"}
    assert slowest(now, Forecast()) is None


def test_predicted_stands_against_elapsed() -> None:
    now = seen(BEGUN, elapsed=21061.0, wish=ControlRequest(sync_kib_per_s=20000))
    assert clock_words(now, Forecast(hours=5.8)) == "predicted 5.8 h, elapsed 5:51 h simulated, limited to 20.5 MB/s"
    sync = Syncing(device="md127", action="resync", done_sectors=1, all_sectors=2, bytes_per_s=1)
    over = replace(now, alive=False, arrays={"/dev/md/data": sync})
    assert clock_words(over, Forecast()) == "predicted unknown, elapsed 5:51 h simulated, clock stopped"
    real = replace(over, act=replace(PLAN, simulated=False))
    assert clock_words(real, Forecast()).endswith("elapsed 5:51 h, the sync goes on")
    assert clock_words(replace(over, run=replace(over.run, outcome="finished")), Forecast()).endswith(
        "the sync goes on"
    )


def test_a_pause_says_what_it_holds_and_what_goes_on() -> None:
    sync = Syncing(device="md127", action="resync", done_sectors=1, all_sectors=2, bytes_per_s=1)
    quiet = seen(BEGUN, wish=ControlRequest(pause=True))
    assert paused_words(quiet) == "PAUSED"
    assert paused_words(replace(quiet, arrays={"/dev/md/a": sync})) == "PAUSED, but 1 array syncs on"
    assert paused_words(replace(quiet, arrays={"/dev/md/a": sync, "/dev/md/b": sync, "/dev/md/c": None})) == (
        "PAUSED, but 2 arrays sync on"
    )


def test_an_undo_that_starts_is_not_called_a_build() -> None:
    built = seen(BEGUN, starting=True, purpose="undo")
    assert headline(built).word == "undo starts"


def test_a_finished_build_says_that_the_first_sync_goes_on() -> None:
    sync = Syncing(device="md127", action="resync", done_sectors=1, all_sectors=2, bytes_per_s=1)
    over = seen(BEGUN, alive=False)
    done = replace(over, run=replace(over.run, outcome="finished"), arrays={"/dev/md/data": sync})
    assert "The first sync goes on." in texts(now_lines(done, 78, 6))


def test_an_inventory_that_lacks_a_disk_predicts_nothing() -> None:
    assert forecast(PLAN, replace(INVENTORY, disks=INVENTORY.disks[1:]), DEFAULTS) == Forecast()
    assert forecast(PLAN, INVENTORY, DEFAULTS).hours > 1


def test_only_outputs_of_the_run_are_read(tmp_path: Path) -> None:
    (tmp_path / "output").mkdir()
    (tmp_path / "output" / "0001").write_bytes(b"x" * 9000)
    (tmp_path / "plan.json").write_bytes(b"secret")
    (tmp_path / "output" / "0002").symlink_to(tmp_path / "plan.json")
    assert len(tail(tmp_path, "output/0001")) == 8192
    assert tail(tmp_path, "output/0002") == b""
    assert tail(tmp_path, "output/../plan.json") == b""
    assert tail(tmp_path, "plan.json") == b""
    assert tail(tmp_path, "") == b""


def drawn(lines: list[Line]) -> str:
    styles = tones(DARK)
    strips = [strip_of(line, 78, styles, UNICODE, fill="text") for line in lines]
    assert {strip.cell_length for strip in strips} <= {78}
    return "".join(segment.text for strip in strips for segment in strip)


@examples(300)
@given(
    said=st.one_of(
        st.binary(max_size=400),
        st.lists(st.sampled_from([*HOSTILE, "\n", "\b", "\r"])).map(lambda chars: "".join(chars).encode()),
    )
)
def test_nothing_that_a_command_says_reaches_the_terminal_raw(said: bytes) -> None:
    now = seen(BEGUN, STEP, ASKED, said=said)
    assert {char for char in drawn(now_lines(now, 78, 8)) if not shown("unicode", char)} == set()


@examples(200)
@given(text=st.text(max_size=80))
def test_nothing_that_a_disk_says_reaches_the_terminal_raw(text: str) -> None:
    place = Location.read(f"{text}, enclosure {text}")
    said = {"serial": text, "model": text, "place": place, "content": (f"data {text}",)}
    disks = tuple(replace(disk, **said) for disk in PLAN.disks)  # type: ignore[arg-type]
    plan = replace(PLAN, disks=disks)
    assert {char for char in drawn(disk_lines(plan, "erase", 78, UNICODE)) if not shown("unicode", char)} == set()
    failed = seen(BEGUN, STEP, record(3, "failed", step=1, text=text), alive=False)
    assert {char for char in drawn(now_lines(failed, 78, 8)) if not shown("unicode", char)} == set()
