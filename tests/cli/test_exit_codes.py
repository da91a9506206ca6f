"""Exit codes as README has them: 0 done, 1 refused, 2 usage, 3 machine, 4 stale, 5 locked, 130 interrupted."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from raidtui.cli import follow_run, main, preflight
from raidtui.machine.run import journal
from raidtui.machine.run.journal import Journal
from raidtui.machine.run.launch import Launched
from raidtui.machine.run.plan_files import write_plan
from raidtui.machine.run.run_folders import load
from raidtui.machine.run.site import locked, site_for
from raidtui.machine.system.state_paths import simulated_root
from raidtui.model.errors import Locked, MachineFailed, Stale
from raidtui.model.plan import Plan
from raidtui.planner.design.purchase import purchase
from raidtui.tui.jobs.run_control import newest
from tests.planner.plans import plan_of

BOUGHT = purchase("5x2TB")
PLAN = plan_of("(3+1)+1", BOUGHT.disks, inventory=BOUGHT, host="purchase", fs="ext4")
RUN = PLAN.run_id[:8]
SECOND = plan_of("raid1(2)", BOUGHT.disks, inventory=BOUGHT, host="purchase", run_id="89ab" + "0" * 28)
SURE = ["--yes", "--confirm", PLAN.digest]
LAYOUT = ["(3+1)+1", "--disks", "5x2TB"]


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def plan(tmp_path: Path) -> str:
    write_plan(PLAN, tmp_path / "plan")
    return str(tmp_path / "plan" / "plan.json")


def begin(plan: Plan, *kinds: str) -> Path:
    folder = journal.create(simulated_root(), plan)
    site_for(plan, BOUGHT).prepare(folder)
    book = Journal(folder, "build")
    for kind in kinds:
        book.write(kind, digest=plan.digest if kind == "begun" else None, step=1 if kind in ("step", "proven") else 0)  # type: ignore[arg-type]
    book.close()
    return folder


DONE = [
    ["disks", "--disks", "5x2TB"],
    ["propose", "--disks", "5x2TB"],
    ["model", *LAYOUT],
    ["plan", *LAYOUT],
    ["script", *LAYOUT],
    ["status"],
    ["status", RUN],
    ["schema", "plan"],
    ["report"],
    ["bench", *LAYOUT, "--dry-run"],
    ["tune", *LAYOUT, "--dry-run"],
]
REFUSED = [
    ["propose", "--disks", "5x2TB", "--usable", "800TB"],
    ["model", "(13+1)", "--disks", "5x2TB"],
    ["plan", *LAYOUT, "--out", "plan"],
    ["build", "PLAN"],
    ["undo", RUN],
    ["wish", RUN, "pause"],
    ["build", "--attach"],
    ["tune", *LAYOUT],
    ["drill", RUN],
]
USAGE = [
    ["disks", "--disks", "5x2"],
    ["propose", "--disks", "5x2TB", "--usable", "much"],
    ["model", "(3+9)", "--disks", "5x2TB"],
    ["plan", *LAYOUT, "--mount", "/etc"],
    ["script", "none.json"],
    ["build", "none.json"],
    ["build"],
    ["resume", "ffffffff"],
    ["undo", "ffffffff"],
    ["status", "ffffffff"],
    ["wish", "ffffffff", "pause"],
    ["report", "ffffffff"],
    ["bench", "none.json"],
    ["tune"],
    ["drill", "ffffffff"],
    ["watch", "--replay", "none"],
]
MACHINE = [
    ["plan", *LAYOUT, "--out", "/proc/raidtui"],
    ["report", "--out", "/proc/raidtui"],
]
STALE = [["build", "PLAN", "--inventory", "nas4"]]
LOCKED = [["resume", RUN, *SURE], ["undo", RUN, *SURE]]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        *((each, 0) for each in DONE),
        *((each, 1) for each in REFUSED),
        *((each, 2) for each in USAGE),
        *((each, 3) for each in MACHINE),
        *((each, 4) for each in STALE),
    ],
)
def test_each_verbs_codes(arguments: list[str], code: int, plan: str, capsys: pytest.CaptureFixture[str]) -> None:
    if arguments[0] not in ("build", "tune") or "--attach" in arguments:
        begin(PLAN, "begun")
    assert main([plan if word == "PLAN" else word for word in arguments]) == code, capsys.readouterr().err


@pytest.mark.parametrize("arguments", LOCKED)
def test_another_run_at_work(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    begin(PLAN, "begun")
    with locked(simulated_root() / "lock"):
        assert main(arguments) == 5
    assert "another run holds the lock" in capsys.readouterr().err


def test_a_build_while_another_run_is_at_work(plan: str) -> None:
    with locked(simulated_root() / "lock"):
        assert main(["build", plan, *SURE]) == 5


def test_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("raidtui.cli.verbs.status.status", interrupted)
    assert main(["status"]) == 130


@pytest.mark.process
def test_who_loses_the_race_for_the_lock_hears_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = begin(PLAN, "begun")
    monkeypatch.setattr(preflight, "holder_of", lambda _: "")  # the other took it right after this look
    with locked(simulated_root() / "lock"):
        assert main(["resume", RUN, *SURE]) == 5
    assert "took the lock first; nothing was written" in capsys.readouterr().err
    assert [record.kind for record in journal.records(folder)] == ["begun"]


class Ended(Launched):
    """An executor in a unit: it ended, and its exit code is gone."""

    def running(self) -> bool:
        return False


def test_why_an_executor_never_began_is_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    begin(PLAN)
    begun = load(simulated_root() / PLAN.run_id)
    with locked(simulated_root() / "lock"), pytest.raises(Locked, match="took the lock first"):
        follow_run.watch(begun, Ended("", unit="raidtui.service"), as_json=False)
    with pytest.raises(MachineFailed, match="the executor ended before its first step: it wrote no output"):
        follow_run.watch(begun, Ended("", unit="raidtui.service"), as_json=False)
    write_plan(plan_of("raid1(2)", BOUGHT.disks, inventory=BOUGHT, host="purchase"), begun.folder / "x")
    (begun.folder / "x" / "plan.json").rename(begun.folder / "plan.json")
    with pytest.raises(Stale, match="is not the plan that was confirmed"):
        follow_run.watch(begun, Ended("", unit="raidtui.service"), as_json=False)


# One broken run hides no other.


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


BREAKS = [break_plan, break_journal, lose_journal, break_order, open_directory]


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
    assert newest((simulated_root(),), at_work=False) == whole, "the Build screen shows one that reads"
    assert newest((simulated_root(),), at_work=True) is None


@pytest.mark.parametrize("breaks", BREAKS)
def test_report_takes_the_newest_that_reads(breaks: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    begin(SECOND, "begun", "step", "proven")
    broken = begin(PLAN, "begun", "step")
    breaks(broken)  # type: ignore[operator]
    assert main(["report", "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["build"]["run_id"] == SECOND.run_id
    named = f"raidtui: {RUN} is left out: " in said.err
    assert named or breaks is lose_journal, "without its journal nobody knows when it was written to: it is the oldest"


def test_where_no_run_reads_report_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    break_plan(begin(PLAN, "begun"))
    assert main(["report"]) == 1
    assert "no run and no benchmark can be read" in capsys.readouterr().err


def test_a_journal_that_an_earlier_pause_broke_reads_now(capsys: pytest.CaptureFixture[str]) -> None:
    begin(PLAN, "begun", "step", "paused", "paused")
    assert main(["status", RUN]) == 0
    assert main(["report", "--json"]) == 0


def make_earlier(folder: Path) -> None:
    path = folder / "plan.json"
    path.write_text(path.read_text().replace('"raidtui/plan/2"', '"raidtui/plan/1"', 1))


def test_a_plan_of_an_earlier_raidtui_says_how_to_plan_again(plan: str, capsys: pytest.CaptureFixture[str]) -> None:
    make_earlier(Path(plan).parent)
    assert main(["build", plan, *SURE]) == 2
    said = capsys.readouterr().err
    assert f"{plan} is a plan of an earlier raidtui (raidtui/plan/1)" in said
    assert "plan again with raidtui plan" in said


def test_a_run_of_an_earlier_raidtui_is_listed_and_its_journal_shown(capsys: pytest.CaptureFixture[str]) -> None:
    folder = begin(PLAN, "begun", "step", "waiting", "stopped")
    make_earlier(folder)
    assert main(["status"]) == 0
    said = capsys.readouterr().err
    assert f"not read: run {RUN}: {folder}/plan.json is a plan of an earlier raidtui" in said
    assert "its last record: build stopped" in said
    assert main(["status", "--json"]) == 0
    (unread,) = json.loads(capsys.readouterr().out)["unread"]
    assert (unread["last"]["kind"], unread["last"]["sequence"]) == ("stopped", 4)
    assert main(["status", RUN]) == 0
    shown = capsys.readouterr()
    assert "plan again with raidtui plan" in shown.err
    assert [line.split()[0] for line in shown.out.splitlines()][1:] == ["==", "--", "STOPPED:"]
    assert main(["resume", RUN, *SURE]) == 2
    assert main(["undo", RUN, *SURE]) == 2
