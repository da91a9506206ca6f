"""A run in words: what commands said, who is slow, who is gone, how far steps are. Hostile text stays text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.answers.confirm import disk_blocks
from raidtui.answers.plain_text import plain_lines
from raidtui.answers.run import run_blocks
from raidtui.engine.folders import ControlRequest
from raidtui.engine.journal import replay
from raidtui.machine.inventory.shipped import load
from raidtui.machine.system.ports import Syncing
from raidtui.session.run_view import RunView, tail
from raidtui.session.session import Session
from raidtui.tui.screens.build.lines import (
    Forecast,
    forecast,
    headline,
    labels_of,
    now_lines,
    paused_words,
    slowest,
    sync_lines,
)
from raidtui.tui.terminal.glyphs import ASCII, UNICODE
from raidtui.tui.terminal.text import Line
from raidtui.tui.terminal.themes import DARK, tones
from raidtui.tui.widgets.lines import block_lines
from raidtui.tui.widgets.pane import strip_of
from raidtui.values.assumptions import DEFAULTS
from raidtui.values.design import Design
from raidtui.values.inventory import Inventory
from raidtui.values.layout import Layout
from raidtui.values.location import Location
from raidtui.values.plan import Plan
from raidtui.values.run import Record, RecordKind
from tests.planner.plans import disks, plan_of
from tests.suite import examples
from tests.tui.test_tiers import HOSTILE, shown

INVENTORY = load("nas4")
FIRST = INVENTORY.disks[0].id


def planned(inventory: Inventory = INVENTORY) -> Plan:
    design = Design(layout=Layout.of(level="raid5", members=3, spares=1))
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


def test_how_it_ended_and_what_can_be_done() -> None:
    gone = seen(BEGUN, STEP, ASKED, alive=False)
    assert headline(gone).word == "interrupted"
    assert texts(now_lines(gone, 78, 3))[0] == "Interrupted: the executor is gone; it was killed or power failed."
    failed = seen(BEGUN, STEP, record(3, "failed", step=1, text="no room; make some"), alive=False)
    assert texts(now_lines(failed, 78, 3)) == [
        "Failed: no room; make some",
        "Nothing runs. r resumes, D undoes the build.",
    ]
    status = plain_lines(run_blocks(PLAN, failed.run, failed.records))
    assert status[-3:-1] == ["Failed: no room; make some", "Nothing runs."], "as raidtui status says it"
    assert status[-1].startswith("raidtui resume ")
    assert texts(now_lines(seen(), 100, 3)) == [
        "the executor is starting: it takes the lock, then repeats all checks ...",
    ]
    never = seen(alive=False, said=b"Traceback\nraidtui: the lock is held\n")
    assert headline(never).word == "not started"
    assert texts(now_lines(never, 78, 5))[-1] == "raidtui: the lock is held"
    torn = seen(BEGUN, problem="journal: line 2 is damaged")
    assert texts(now_lines(torn, 78, 3)) == ["journal: line 2 is damaged"]


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


def test_a_mirror_of_a_write_journal_has_a_line_and_its_disks_the_mark_of_a_journal() -> None:
    plan = plan_of("(3+1)", disks(6), journal=2)
    now = replace(seen(BEGUN), act=plan)
    lines = texts(sync_lines(now, Forecast(), 78, ASCII))
    assert lines[0].startswith("A data      oooo=")
    assert lines[1].startswith("= data-log  oo")
    labels = labels_of(now, Forecast())
    assert [labels[disk.id] for disk in plan.disks] == ["A", "A", "A", "A", "=", "="]


def test_a_pause_says_what_it_holds_and_what_goes_on() -> None:
    sync = Syncing(device="md127", action="resync", done_sectors=1, all_sectors=2, bytes_per_s=1)
    quiet = seen(BEGUN, wish=ControlRequest(pause=True))
    assert paused_words(quiet) == "PAUSED"
    assert paused_words(replace(quiet, arrays={"/dev/md/a": sync})) == "PAUSED, but 1 array syncs on"
    assert paused_words(replace(quiet, arrays={"/dev/md/a": sync, "/dev/md/b": sync, "/dev/md/c": None})) == (
        "PAUSED, but 2 arrays sync on"
    )


def test_a_finished_build_says_that_the_first_sync_goes_on() -> None:
    sync = Syncing(device="md127", action="resync", done_sectors=1, all_sectors=2, bytes_per_s=1)
    over = seen(BEGUN, alive=False)
    done = replace(over, run=replace(over.run, outcome="finished"), arrays={"/dev/md/data": sync})
    assert "The first sync goes on." in texts(now_lines(done, 78, 6))


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
    lines = block_lines(disk_blocks(disks, "WILL BE", content=True), 78, UNICODE)
    assert {char for char in drawn(lines) if not shown("unicode", char)} == set()
    failed = seen(BEGUN, STEP, record(3, "failed", step=1, text=text), alive=False)
    assert {char for char in drawn(now_lines(failed, 78, 8)) if not shown("unicode", char)} == set()
