"""`raidtui status` and `report` where a run is broken."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.bench import drill, store
from raidtui.cli import main
from raidtui.engine.folders import RUNS
from raidtui.engine.journal import Journal
from raidtui.machine.system import places
from raidtui.machine.system.places import benches_root, simulated_root
from raidtui.session import job_list
from raidtui.session.jobs import newest
from raidtui.simulated.machine import SimulatedMachine
from raidtui.values.codec import from_json
from raidtui.values.run import RunStatus
from tests.cli.commands import finish
from tests.cli.left_runs import BOUGHT, PLAN, RUN, SECOND, begin
from tests.machine.benching import bench, task


def break_plan(folder: Path) -> None:
    (folder / "plan.json").write_text("{")


def break_journal(folder: Path) -> None:
    data = (folder / "journal").read_bytes()
    (folder / "journal").write_bytes(data.replace(b"begun", b"begyn", 1))


def lose_journal(folder: Path) -> None:
    (folder / "journal").unlink()


def break_order(folder: Path) -> None:
    book = Journal(folder, "build")
    book.write("finished")
    book.write("finished")
    book.close()


def open_directory(folder: Path) -> None:
    folder.chmod(0o777)


def nest_plan(folder: Path) -> None:
    (folder / "plan.json").write_text("[" * 100_000)


def enlarge_plan(folder: Path) -> None:
    os.truncate(folder / "plan.json", 33 << 20)


def make_plan_a_pipe(folder: Path) -> None:
    (folder / "plan.json").unlink()
    os.mkfifo(folder / "plan.json")


def nest_record(folder: Path) -> None:
    seal_a_line(folder, b"[" * 100_000)


def spoil_time(folder: Path) -> None:
    """A record with a checksum that fits, and a time that is none."""
    last = json.loads((folder / "journal").read_bytes().split(b"\0")[0].splitlines()[-1].partition(b" ")[2])
    seal_a_line(
        folder, json.dumps({**last, "sequence": last["sequence"] + 1, "kind": "proven", "time": "soon"}).encode()
    )


def seal_a_line(folder: Path, body: bytes) -> None:
    lines = (folder / "journal").read_bytes().split(b"\0")[0]
    seal = lines.splitlines()[-1].partition(b" ")[0]
    new = hashlib.sha256(seal + body).hexdigest()[:16].encode() + b" " + body + b"\n"
    (folder / "journal").write_bytes(lines + new)


BREAKS = [
    break_plan, break_journal, lose_journal, break_order, open_directory, nest_plan, enlarge_plan, make_plan_a_pipe,
    nest_record, spoil_time,
]  # fmt: skip


@pytest.mark.parametrize("breaks", BREAKS)
def test_status_lists_the_others_and_names_the_broken_one(breaks: object, capsys: pytest.CaptureFixture[str]) -> None:
    whole, broken = begin(SECOND, "begun", "step"), begin(PLAN, "begun", "step")
    breaks(broken)  # type: ignore[operator]
    assert main(["status"]) == 0
    said = capsys.readouterr()
    assert SECOND.run_id[:8] in said.out
    assert f"not read: run {RUN}: " in said.err
    assert len(said.err.strip().splitlines()) >= 2, "the way out"
    assert main(["status", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [run["run_id"] for run in document["runs"]] == [SECOND.run_id]
    assert [run["folder"] for run in document["unread"]] == [str(broken)]
    assert document["unread"][0]["reason"]
    assert document["unread"][0]["way_out"]
    assert main(["status", SECOND.run_id[:8]]) == 0
    assert main(["status", RUN]) in (1, 2, 3)
    assert newest((simulated_root(),), busy_only=False) == whole, "the Build screen shows one that reads"
    assert newest((simulated_root(),), busy_only=True) is None


def test_status_names_a_copy_of_a_run_beside_it(capsys: pytest.CaptureFixture[str]) -> None:
    """Somebody saved its directory under another name, later than the run was written to."""
    run = begin(PLAN, "begun", "step")
    copy = run.with_name("ab" * 16)
    shutil.copytree(run, copy)
    begin(SECOND, "begun")
    assert main(["status"]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.startswith("RUN ")
    assert [row.split()[0] for row in rows[:2]] == [SECOND.run_id[:8], RUN]
    assert rows[2:] == [f"{copy} is a copy of run {RUN}, which is in {run}"]
    assert main(["status", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert {each["folder"]: each.get("copy_of", "") for each in document["runs"]} == {
        str(simulated_root() / SECOND.run_id): "", str(run): "", str(copy): str(run)
    }  # fmt: skip


@pytest.mark.parametrize("breaks", BREAKS)
def test_report_takes_the_newest_that_reads(breaks: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    begin(SECOND, "begun", "step", "proven")
    broken = begin(PLAN, "begun", "step")
    breaks(broken)  # type: ignore[operator]
    assert main(["report", "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["build"]["run_id"] == SECOND.run_id
    named = f"raidtui: not read: {broken}" in said.err
    assert named or breaks is lose_journal, "without its journal nobody knows when it was written to: it is the oldest"


def test_where_no_run_reads_report_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "REAL_ROOT", tmp_path / "root")  # this machine may have runs of its own
    break_plan(begin(PLAN, "begun"))
    assert main(["report"]) == 1
    assert "no run and no benchmark can be read" in capsys.readouterr().err


def test_a_journal_with_two_pauses_in_a_row_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    begin(PLAN, "begun", "step", "paused", "paused")
    assert main(["status", RUN]) == 0
    assert main(["report", "--json"]) == 0


@pytest.mark.process
def test_status_names_an_array_whose_sync_is_still_limited(capsys: pytest.CaptureFixture[str]) -> None:
    """What an executor left that was killed while a limit was set."""
    finish(PLAN)
    (folder,) = RUNS.folders(simulated_root())
    array = {"uuid": PLAN.arrays[0].uuid, "device": PLAN.arrays[0].device, "name": "md127", "kib_per_s": 5000}
    (folder / "sync-limits.json").write_text(json.dumps({"boot": "b", "arrays": [array]}))
    words = (
        "the sync of /dev/md/data (md127) may still be limited; until the next boot: "
        "echo 5000 > /sys/block/md127/md/sync_speed_max"
    )
    capsys.readouterr()
    assert main(["status", RUN]) == 0
    assert words in capsys.readouterr().out
    assert main(["status", RUN, "--json"]) == 0
    assert from_json(RunStatus, capsys.readouterr().out, source="").left_behind == (words,)


def test_the_id_of_a_run_means_the_run_also_where_it_has_a_drill(capsys: pytest.CaptureFixture[str]) -> None:
    run = begin(PLAN, "begun", "step")
    drill.create(run, drill.ask_for(PLAN, 0), SimulatedMachine(BOUGHT))
    assert main(["status", RUN, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["schema"] == "raidtui/run/1"
    assert main(["status", f"{RUN}/drill", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ask"]["run_id"] == PLAN.run_id
    assert main(["control", RUN, "stop"]) == 1
    assert f"no executor is running for run {RUN}" in capsys.readouterr().err


def test_digits_that_a_run_and_another_job_begin_with_name_neither(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begin(PLAN, "begun")
    monkeypatch.setattr(job_list, "_named", lambda kind, _: [run] if kind is job_list.BENCH else [])
    assert main(["control", RUN, "stop"]) == 2
    assert f"2 jobs start with '{RUN}'" in capsys.readouterr().err


def test_a_damaged_result_costs_its_own_row_only_and_the_row_says_what_is_damaged(
    capsys: pytest.CaptureFixture[str],
) -> None:
    root = benches_root(simulated=True)
    whole, broken = (replace(bench(task(1)), id=digit * 32, simulated=True) for digit in "12")
    for each in (whole, broken):
        store.create_at(root / each.id, each)
    (root / broken.id / "result.json").write_text("{")
    assert main(["status"]) == 0
    said = capsys.readouterr()
    _, *rows = (row.split() for row in said.out.splitlines())
    assert [row[0] for row in rows] == ["11111111", "22222222"]
    assert rows[0][1:] == ["mine", "testhost", "SIMULATED", "bench", "not", "started", "0/1", "-"]
    assert rows[1][1:6] == ["-", "-", "bench", "not", "read"]
    assert "result.json" in rows[1][7]
    assert "not read: bench 22222222: " in said.err
    assert main(["status", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [job["id"] for job in document["jobs"]] == [whole.id]
    (odd,) = document["unread"]
    assert (odd["kind"], odd["folder"]) == ("bench", str(root / broken.id))
