import errno
import os
from pathlib import Path

import pytest

from raidtui.engine.runs import read_plan
from raidtui.machine.system.files import write_new
from raidtui.scripts.files import write_plan
from raidtui.values.errors import BadInput, MachineFailed, Refused
from tests.planner.plans import plan_of

WRITTEN = "575a44504e31e2af9ff62c4c4a1bfbf6c53f89548b8275fd5b3e6c7841c4809f"
NAMES = ("plan.json", "build.sh", "undo.sh", "runbook.md")


def test_a_plan_written_before_a_field_was_added_keeps_its_digest() -> None:
    """Fields that were added since are absent from it: an interrupted build is resumed by the next version."""
    plan = read_plan(Path(__file__).parent / "written_plan.json")
    assert (plan.digest, plan.design.layout.level) == (WRITTEN, "raid1")


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
