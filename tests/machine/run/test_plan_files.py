import errno
import json
import os
import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.engine import journal
from raidtui.engine.folders import ControlRequest
from raidtui.engine.journal import Journal
from raidtui.engine.process import carry_out
from raidtui.engine.runs import confirmed_plan, load, read_plan
from raidtui.engine.site import SimulatedSite
from raidtui.machine.inventory import shipped
from raidtui.machine.system.files import write_new
from raidtui.scripts.files import write_plan
from raidtui.values.codec import document_digest, from_json, plain, to_json
from raidtui.values.errors import BadInput, Exit, MachineFailed, Refused
from raidtui.values.plan import Plan
from raidtui.values.run import RunPurpose
from tests.planner.plans import plan_of
from tests.simulated.machine import FaultyMachine

WRITTEN = Path(__file__).parent / "written_plan.json"
"""(2+1)+1 on nas4, in the form with every field written out"""
DIGEST = "da8685cc96f2ad8189d35cbd6d03b3ff248bec2b68d71e3cd8695677ead72203"
NAMES = ("plan.json", "build.sh", "undo.sh", "runbook.md")


def test_a_plan_in_the_form_of_before_keeps_its_digest_in_the_short_one() -> None:
    plan, short = read_plan(WRITTEN), to_json(read_plan(WRITTEN))
    assert (plan.digest, document_digest(plan)) == (DIGEST, DIGEST)
    assert json.loads(WRITTEN.read_text()) == plain(plan) | {"schema": "raidtui/plan/2"}
    again = from_json(Plan, short, source="short")
    assert (again, again.digest, document_digest(again)) == (plan, DIGEST, DIGEST)


def test_a_build_of_a_plan_in_the_form_of_before_is_resumed_and_taken_back(tmp_path: Path) -> None:
    """Its file stays as it was written."""
    machine = FaultyMachine(shipped.load("nas4"))
    site = SimulatedSite(tmp_path, machine)
    folder = journal.create(tmp_path, read_plan(WRITTEN))
    (folder / "plan.json").write_bytes(WRITTEN.read_bytes())
    asked = iter([False] * 12)

    def does(purpose: RunPurpose, stop: Callable[[], bool]) -> int:
        with closing(Journal(folder, purpose)) as book:
            plan = confirmed_plan(folder, DIGEST)
            return carry_out(plan, site, machine, book, lambda: ControlRequest(during_sync=True, stop=stop()))

    assert does("build", lambda: next(asked, True)) == Exit.INTERRUPTED
    assert load(folder).run.outcome == "stopped"
    assert does("resume", lambda: False) == Exit.DONE
    assert load(folder).run.outcome == "finished"
    assert does("undo", lambda: False) == Exit.DONE


def test_the_short_form_of_sixty_disks() -> None:
    """At most 150 kB; each disk stands once with its path, and what names it has its number."""
    sixty = shipped.load("e2660")
    plan = replace(plan_of("4x(12+2)+4", sixty.disks, inventory=sixty), made="2026-01-31T12:00:00Z", raidtui="0.1.0")
    text = to_json(plan)
    found = json.loads(text)
    assert len(text) < 150_000
    assert [text.count(f'"{disk.path}"') for disk in plan.disks] == [1] * 60
    assert (found["made"], found["raidtui"]) == ("2026-01-31T12:00:00Z", "0.1.0")
    assert found["disks"][2]["number"] == 3
    wipe = found["steps"][2]["actions"]
    assert wipe[0]["argv"] == ["wipefs", "--all", *(f"@{number}" for number in range(1, 17))]
    assert wipe[4]["each"] == [f"@{number}" for number in range(1, 61)]
    assert wipe[4]["do"][0]["argv"] == ["blkdiscard", "--zeroout", "--offset=0", "--length=4194304", "@a"]
    assert from_json(Plan, text, source="short") == plan
    assert document_digest(plan) == plan.digest


@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [
        ('"@3"', '"@61"', "@61 in a step is the number of no disk"),
        ('"@3"', '"@x"', "@x in a step is the number of no disk"),
        ('"@3"', '"3@"', "@ in a step is the number of no disk"),
        ('"do": [', '"do": 3, "x": [', "its disks and steps must be lists of objects"),
        ('{"each": [', '{"more": 1, "each": [', "a table of a step has the lines `each` and the entries `do`"),
        ('"each": ["', '"each": [3, "', "a table of a step has the lines `each` and the entries `do`"),
        ('"@a"', '"@h"', "x: the document: steps.2: @h in a step is the number of no disk"),
        ('"number": 4', '"number": 3', "disks.3: its `number` must be a whole number from 1 on that no other disk has"),
        ('"number": 4', '"number": "4"', "disks.3: its `number` must be a whole number from 1 on"),
        ('"@a"', f'"{"@a" * 400_000}"', "steps.2: its tables and marks stand for more than a plan can have"),
        ('"@a"', f'"{"@1" * 400_000}"', "steps.2: its tables and marks stand for more than a plan can have"),
    ],
)
def test_a_mark_or_table_without_a_meaning_is_no_plan(old: str, new: str, wrong: str) -> None:
    text = to_json(read_plan(WRITTEN))
    assert old in text
    with pytest.raises(BadInput, match=re.escape(wrong)):
        from_json(Plan, text.replace(old, new), source="x")


def test_what_is_no_plan_says_what_writes_one(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text("{}")
    with pytest.raises(BadInput, match="run_id: Field required") as caught:
        read_plan(path)
    assert caught.value.hint == "name a plan written by raidtui plan --out"


def test_a_script_is_told_from_its_plan(tmp_path: Path) -> None:
    (tmp_path / "build.sh").write_text("#!/bin/bash\n")
    with pytest.raises(BadInput, match="is a script, not a plan") as refused:
        read_plan(tmp_path / "build.sh")
    assert refused.value.hint == "name the plan.json beside it; bash runs the script"


def test_all_four_files_are_written(tmp_path: Path) -> None:
    paths = write_plan(plan_of("raid1(2)"), tmp_path / "new" / "plan")
    assert [path.name for path in paths] == list(NAMES)
    assert [path.stat().st_mode & 0o777 for path in paths] == [0o600, 0o700, 0o700, 0o600]


@pytest.mark.parametrize("name", NAMES)
def test_a_dangling_link_refuses_before_anything_is_written(tmp_path: Path, name: str) -> None:
    (tmp_path / name).symlink_to("/nowhere/at/all")
    with pytest.raises(Refused, match=f"already holds {name}"):
        write_plan(plan_of("raid1(2)"), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("fails", range(4))
def test_when_one_file_cannot_be_written_none_is_left(
    tmp_path: Path, fails: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []
    sync = os.fsync

    def full(handle: int) -> None:
        calls.append(handle)
        if len(calls) == 2 * fails + 1:  # each file and its directory
            raise OSError(errno.ENOSPC, "No space left on device")
        sync(handle)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(MachineFailed, match=f"{NAMES[fails]}: No space left on device"):
        write_plan(plan_of("raid1(2)"), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_somebody_made_meanwhile_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("theirs")
    with pytest.raises(Refused, match="other exists already"):
        write_new(tmp_path / "other", "ours")
    assert (tmp_path / "other").read_text() == "theirs"
