import errno
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from raidtui.engine import journal
from raidtui.engine.folders import RUNS, at_work, is_alive
from raidtui.engine.journal import Journal
from raidtui.engine.runs import JournalReader, follow, load
from raidtui.values.errors import BadInput, Locked, MachineFailed
from raidtui.values.run import Record
from tests.faults.bench import bench
from tests.faults.scene import canonical
from tests.planner.plans import plan_of
from tests.simulated.fault_model import Killed

FIRST, SECOND = plan_of("raid1(2)"), plan_of("raid1(2)", run_id="0123" + "f" * 28)


def test_runs_are_found_by_the_beginning_of_their_id(tmp_path: Path) -> None:
    assert RUNS.folders(tmp_path / "no") == ()
    one, two = (journal.create(tmp_path, plan) for plan in (FIRST, SECOND))
    (tmp_path / "lock").touch()
    assert set(RUNS.folders(tmp_path)) == {one, two}
    assert RUNS.find((tmp_path / "no", tmp_path), "01234") == one
    cases = (("0123", "2 runs start"), ("ffff", "no run starts"), ("012", "not a run"), ("../..", "not a run"))
    for prefix, words in cases:
        with pytest.raises(BadInput, match=words):
            RUNS.find((tmp_path,), prefix)


def test_a_start_interrupted_before_the_journal_is_whole_leaves_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as full:
        full.setattr(os, "posix_fallocate", no_room)
        with pytest.raises(MachineFailed, match="No space left"):
            journal.create(tmp_path, FIRST)
    assert RUNS.folders(tmp_path) == ()
    folder = journal.create(tmp_path, FIRST)
    assert RUNS.folders(tmp_path) == (folder,)
    assert (folder / "journal").stat().st_size == journal.ROOM
    assert load(folder).records == ()


@pytest.mark.parametrize("last", ["output", "journal"])
def test_a_start_interrupted_before_the_plan_is_written_leaves_no_run_and_is_made_again(
    tmp_path: Path, last: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a power cut leaves the directory; the plan is its last file, so no executor has begun."""

    def cut(*_: object, **__: object) -> None:
        raise Killed

    made = bench(canonical(), tmp_path)
    with monkeypatch.context() as power:
        power.setattr(journal, {"output": "_allocate", "journal": "write_durably"}[last], cut)
        with pytest.raises(Killed):
            journal.create(made.root, made.plan)
    assert (made.folder / last).exists() and not (made.folder / "plan.json").exists()
    assert RUNS.folders(made.root) == ()
    with pytest.raises(BadInput, match="no run starts with"):
        RUNS.find((made.root,), made.plan.run_id[:8])
    assert made.begin().code == 0
    assert journal.records(made.folder)[-1].kind == "finished"


def no_room(*_: int) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_alive_is_a_kernel_lock_and_goes_with_its_holder(tmp_path: Path) -> None:
    folder = journal.create(tmp_path, FIRST)
    assert not is_alive(folder)
    with at_work(folder):
        assert is_alive(folder)
        with pytest.raises(Locked, match="another executor"), at_work(folder, patience=0):
            raise AssertionError
    assert not is_alive(folder)


def test_a_loaded_run_is_what_its_journal_says(tmp_path: Path) -> None:
    folder = journal.create(tmp_path, FIRST)
    writer = Journal(folder, "build")
    writer.write("begun")
    writer.write("step", step=1)
    writer.write("proven", step=1)
    begun = load(folder)
    assert (begun.plan, begun.alive, begun.run.outcome) == (FIRST, False, "interrupted")
    assert [step.state for step in begun.run.steps[:2]] == ["done", "waiting"]
    with at_work(folder):
        assert load(folder).run.outcome == "running"


def writing(writer: Journal, kinds: list[str]) -> Callable[[float], None]:
    """A pause in which the executor writes on."""

    def pause(_: float) -> None:
        if kinds:
            writer.write(kinds.pop(0), step=1)  # type: ignore[arg-type]

    return pause


def test_a_viewer_reads_on_until_the_executor_has_ended(tmp_path: Path) -> None:
    folder = journal.create(tmp_path, FIRST)
    writer = Journal(folder, "build")
    writer.write("begun")
    left = ["step", "proven", "finished"]
    seen: list[Record] = []
    for batch in follow(folder, JournalReader(folder).new, running=lambda: bool(left), pause=writing(writer, left)):
        seen += batch
    assert [each.kind for each in seen] == ["begun", "step", "proven", "finished"]
    assert seen == list(writer.records)


def test_a_viewer_may_leave_out_what_it_knows(tmp_path: Path) -> None:
    folder = journal.create(tmp_path, FIRST)
    writer = Journal(folder, "build")
    for kind in ("begun", "failed", "begun"):
        writer.write(kind)
    assert [each.sequence for batch in follow(folder, JournalReader(folder, after=2).new) for each in batch] == [3]


def test_half_a_line_is_read_when_it_is_whole(tmp_path: Path) -> None:
    folder = journal.create(tmp_path, FIRST)
    writer = Journal(folder, "build")
    writer.write("begun")
    path = folder / "journal"
    whole = path.read_bytes()
    path.write_bytes(whole[:30])
    assert list(follow(folder, JournalReader(folder).new)) == [()]

    def mend(_: float) -> None:
        path.write_bytes(whole)

    waits = [True, True]
    reader = JournalReader(folder)
    batches = list(follow(folder, reader.new, running=lambda: bool(waits and waits.pop()), pause=mend))
    assert [each.kind for batch in batches for each in batch] == ["begun"]


def test_a_damaged_journal_is_put_aside_not_thrown_away(tmp_path: Path) -> None:
    folder = journal.create(tmp_path, FIRST)
    writer = Journal(folder, "build")
    for kind in ("begun", "begun"):
        writer.write(kind)
    data = (folder / "journal").read_bytes()
    (folder / "journal").write_bytes(data.replace(b"begun", b"begyn", 1))
    with pytest.raises(BadInput, match="line 1 is damaged"):
        load(folder)
    journal.renew(folder)
    assert load(folder).records == ()
    assert b"begyn" in (folder / "journal.damaged-1").read_bytes()
    assert json.loads((folder / "plan.json").read_text())["digest"] == FIRST.digest


@pytest.mark.parametrize("name", ["missing", "a\0b"])
def test_what_is_no_directory_of_a_run_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput, match="expected the directory of a run"), at_work(tmp_path / name):
        pass
