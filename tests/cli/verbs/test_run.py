"""`raidtui build`, `resume` and `undo` as a user or a script runs them, on simulated disks."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from raidtui.answers.confirm import phrase
from raidtui.cli import main
from raidtui.engine import folders
from raidtui.engine.folders import RUNS, is_alive
from raidtui.engine.journal import records
from raidtui.engine.runs import load
from raidtui.engine.site import MACHINE
from raidtui.machine.system.places import simulated_root
from raidtui.predict.stated_disks import purchase
from raidtui.scripts.files import write_plan
from raidtui.values.codec import from_json
from raidtui.values.plan import Plan
from raidtui.values.run import RunEvent, RunList, RunStatus
from tests.cli.commands import FAST, called, finish, put, raidtui, typed
from tests.planner.plans import disks, machine, plan_of
from tests.simulated.machine import FaultyMachine

SLOW = "--speed-up=400"

BOUGHT = purchase("5x2TB")


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    made = plan_of("(3+1)+1", BOUGHT.disks, inventory=BOUGHT, host="purchase", fs="ext4")
    put(made, tmp_path)
    return made


@pytest.fixture
def path(plan: Plan, tmp_path: Path) -> str:
    return str(tmp_path / "plan.json")


def begun() -> tuple[Path, ...]:
    return RUNS.folders(simulated_root())


def until(what: Any, seconds: float = 60) -> None:
    """Waits until `what()` is true."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it never became so"
        time.sleep(0.05)


def executor_of(folder: Path) -> int:
    """Process id of the executor at work on a run."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            words = (entry / "cmdline").read_bytes().split(b"\0") if (entry / "cmdline").exists() else []
            if b"execute" in words and str(folder).encode() in words:
                return int(entry.name)
    raise AssertionError("no executor")


# Confirmation: in all of these nothing is begun.


@pytest.mark.parametrize("verb", [["build"], ["resume"], ["undo"], ["script"], ["bench", "--raw", "read"]])
def test_a_directory_is_answered_with_the_plan_in_it(verb: list[str], path: str, tmp_path: Path) -> None:
    told = called(*verb, str(tmp_path))
    assert told.returncode == 2
    assert told.stderr == f"raidtui: {tmp_path} is a directory\n         name the plan in it: {path}\n"


@pytest.mark.parametrize("answer", ["", "\n", "yes\n", "erase 5\n", "erase 5 00000000\n"])
def test_a_wrong_phrase_enter_or_the_end_of_input_begins_nothing(
    path: str, answer: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, answer)
    assert main(["build", path]) == 1
    assert "not confirmed; nothing was written" in capsys.readouterr().err
    assert begun() == ()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([], 1, "confirmation needs a terminal"),
        (["--yes"], 2, "must be given together"),
        (["--confirm", "DIGEST"], 2, "must be given together"),
        (["--yes", "--confirm", "TAIL"], 1, "--confirm is not the digest"),
        (
            ["--yes", "--confirm", "DIGEST", "--accept-content", "nothing"],
            2,
            "no disk of the plan has this serial number",
        ),
    ],
)
def test_without_a_terminal_both_options_are_needed(
    plan: Plan, path: str, arguments: list[str], code: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = {"DIGEST": plan.digest, "TAIL": plan.digest[-8:]}
    assert main(["build", path, *(said.get(word, word) for word in arguments)]) == code
    assert words in capsys.readouterr().err
    assert begun() == ()


def test_no_environment_confirms(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RAIDTUI_YES", "YES", "CI", "DEBIAN_FRONTEND"):
        monkeypatch.setenv(name, "1")
    assert main(["build", path]) == 1
    assert begun() == ()


def test_the_page_is_shown_first_and_every_line_is_labelled(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", path]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert all(line.startswith("SIMULATED") for line in lines)
    assert all(any(disk.id in line for line in lines) for disk in BOUGHT.disks)


def test_a_changed_plan_is_not_begun(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(path).write_text(Path(path).read_text().replace("--level=5", "--level=0", 1))
    assert main(["build", path]) == 2
    assert "its digest does not match" in capsys.readouterr().err


def test_a_plan_for_other_disks_is_stale(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", path, "--inventory", "nas4"]) == 4
    err = capsys.readouterr().err
    assert err.count("[disk-missing]") == 5
    assert "the plan no longer fits this machine: 5 problems; nothing was written" in err
    assert begun() == ()


def test_the_findings_are_in_the_json_too(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", path, "--inventory", "nas4", "--json"]) == 4
    said = json.loads(capsys.readouterr().out)
    assert [finding["code"] for finding in said["findings"]] == ["disk-missing"] * 5


def test_a_plan_for_real_disks_is_not_built_on_simulated_ones(tmp_path: Path) -> None:
    write_plan(plan_of("raid1(2)", inventory=machine(*disks(2))), tmp_path)
    assert main(["build", str(tmp_path / "plan.json"), "--inventory", "e2660"]) == 2


# Whole runs, whose executors are processes of their own.


@pytest.mark.process
def test_built_seen_and_taken_back(plan: Plan, path: str) -> None:
    done = raidtui("build", path, "--during-sync", "--yes", "--confirm", plan.digest, FAST)
    assert done.returncode == 0, done.stderr
    assert all(line.startswith("SIMULATED") for line in done.stdout.splitlines())
    assert "FINISHED: every step is done and verified" in done.stdout
    assert "runs in its own session" in done.stderr
    short = plan.run_id[:8]
    said = from_json(RunList, called("status", "--json").stdout, source="stdout").runs
    assert [(run.run_id, run.outcome, run.steps_done) for run in said] == [(plan.run_id, "finished", 11)]
    (sync,) = said[0].syncing
    assert (sync.device, sync.action) == ("/dev/md/data", "recover")
    assert 0 < sync.done < 1
    shown = called("status", short).stdout
    assert "finished" in shown
    assert re.search(r"syncing: /dev/md/data recover \d+\.\d %, [\d.]+ MB/s per member, \d+ h \d\d min left", shown)
    again = called("build", path, "--yes", "--confirm", plan.digest)
    assert again.returncode == 1
    assert "was started before" in again.stderr
    verified = called("resume", short, FAST)
    assert verified.returncode == 0
    assert "== 11/11 Verify everything" in verified.stdout
    assert "$" not in verified.stdout, "a finished build is only read back"
    attached = called("build", "--attach", short)
    assert attached.returncode == 0
    assert "mkfs.ext4" in attached.stdout
    assert called("undo", short).returncode == 1
    undone = called("undo", short, "--yes", "--confirm", plan.digest, FAST)
    assert undone.returncode == 0, undone.stdout[-2000:]
    assert "FINISHED: no signature or line of the plan is left" in undone.stdout
    assert called("resume", short).returncode == 1
    (folder,) = begun()
    private = {entry.name: oct(entry.stat().st_mode & 0o77) for entry in (folder, *folder.rglob("*"))}
    assert set(private.values()) == {"0o0"}


@pytest.mark.process
def test_files_are_only_lost_with_their_count(plan: Plan, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    finish(plan)
    (folder,) = begun()
    machine = FaultyMachine.kept(folder / MACHINE)
    for number in range(3):
        machine.write_text(f"/srv/data/letter-{number}.txt", "x", 0o644)
    undo = ("undo", plan.run_id[:8], "--yes", "--confirm", plan.digest, FAST)
    alone = called(*undo)
    assert alone.returncode == 1
    page = " ".join(alone.stdout.replace("SIMULATED", "").split())
    assert "/srv/data, ext4, 3 files, 12.00 KiB used: letter-0.txt, letter-1.txt, letter-2.txt" in page
    assert "the page above shows 3 files, the command line has no --lose-files; nothing was written" in alone.stderr
    assert "if they are not needed: --lose-files 3" in alone.stderr
    assert called(*undo, "--lose-files", "2").returncode == 1
    assert called("undo", plan.run_id[:8], "--lose-files", "3").returncode == 2
    assert not (folder / "given-up.json").exists()
    assert main(["undo", plan.run_id[:8]]) == 1
    done = called(*undo, "--lose-files", "3")
    assert done.returncode == 0, done.stderr
    assert "FINISHED: no signature or line of the plan is left" in done.stdout


@pytest.mark.process
def test_both_phrases_are_typed_where_files_are(
    plan: Plan, path: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    finish(plan)
    (folder,) = begun()
    FaultyMachine.kept(folder / MACHINE).write_text("/srv/data/letter.txt", "x", 0o644)
    first = phrase(plan, "undo")
    for words in ("lose 1 file\n", f"{first}\n", f"{first}\nlose 1 files\n", f"{first}\n{first}\n"):
        typed(monkeypatch, words)
        assert main(["undo", path]) == 1
    assert "Type 'lose 1 file' to lose these files, anything else to cancel: " in capsys.readouterr().out
    assert records(folder)[-1].purpose == "build"
    typed(monkeypatch, f"{first}\nlose 1 file\n")
    assert main(["undo", path, FAST]) == 0


@pytest.mark.process
def test_what_is_not_the_plans_refuses_before_anything_is_asked(
    plan: Plan, path: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    finish(plan)
    (folder,) = begun()
    FaultyMachine.kept(folder / MACHINE).stand("/dev/md/data", "loop")
    typed(monkeypatch, f"{phrase(plan, 'undo')}\n")
    assert main(["undo", path, FAST]) == 1
    said = capsys.readouterr()
    assert "refused: /dev/md/data is used by a loop device: loop7 on /dev/md127" in said.out
    assert "Type '" not in said.out
    assert "/dev/md/data is used by a loop device: loop7 on /dev/md127; nothing was removed" in said.err
    assert "detach it with losetup --detach; then undo again" in said.err
    assert records(folder)[-1].purpose == "build"


@pytest.mark.process
def test_killed_resumed_stopped_and_followed(plan: Plan, path: str) -> None:
    short = plan.run_id[:8]
    assert called("build", path, "--wait-for-sync", "--yes", "--confirm", plan.digest, "--detach", SLOW).returncode == 0
    (folder,) = begun()
    until(lambda: load(folder).run.steps[4].state == "done")
    assert called("control", short, "pause").returncode == 0
    os.kill(executor_of(folder), signal.SIGKILL)
    until(lambda: not is_alive(folder))
    assert from_json(RunStatus, called("status", short, "--json").stdout, source="stdout").outcome == "interrupted"
    assert called("control", short, "stop").returncode == 1
    gone = called("build", "--attach", short)
    assert gone.returncode == 3
    assert f"raidtui resume {short}" in gone.stderr

    assert called("resume", short, "--detach", SLOW).returncode == 0
    until(lambda: load(folder).run.outcome == "running")
    assert called("resume", path).returncode == 5, "one executor at a time"
    os.kill(executor_of(folder), signal.SIGHUP)
    os.kill(executor_of(folder), signal.SIGTERM)
    until(lambda: not is_alive(folder))
    assert load(folder).run.outcome == "stopped"

    done = called("resume", path, "--json", "--during-sync", FAST)
    assert done.returncode == 0, done.stderr
    asked = folders.read_request(folder)
    assert (asked.wait_for_sync, asked.during_sync) == (False, True), "the later word counts"
    events = [from_json(RunEvent, line, source="stdout") for line in done.stdout.splitlines()]
    assert {(event.run_id, event.simulated) for event in events} == {(plan.run_id, True)}
    assert [event.record.kind for event in (events[0], events[-1])] == ["begun", "finished"]
    assert load(folder).run.outcome == "finished"


@pytest.mark.process
def test_ctrl_c_leaves_the_build_running(plan: Plan, path: str) -> None:
    viewer = subprocess.Popen(
        [sys.executable, "-m", "raidtui", "build", path, "--wait-for-sync", "--yes", "--confirm", plan.digest, SLOW],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    until(lambda: begun() and load(begun()[0]).run.steps[4].state == "done")
    viewer.send_signal(signal.SIGINT)
    _, err = viewer.communicate(timeout=30)
    assert viewer.returncode == 130
    assert f"raidtui build --attach {plan.run_id[:8]} follows it again" in err
    (folder,) = begun()
    assert is_alive(folder)
    assert called("control", plan.run_id[:8], "stop").returncode == 0
    until(lambda: not is_alive(folder))
    assert load(folder).run.outcome == "stopped"


@pytest.mark.process
def test_a_lost_journal_is_no_loss(plan: Plan, path: str) -> None:
    finish(plan)
    (folder,) = begun()
    data = bytearray((folder / "journal").read_bytes())
    data[40] ^= 1
    (folder / "journal").write_bytes(data)
    by_run = called("resume", plan.run_id[:8])
    assert by_run.returncode == 2
    assert "raidtui resume with the plan" in by_run.stderr
    assert called("resume", path).returncode == 1, "a run nobody remembers is confirmed anew"
    by_plan = called("resume", path, "--yes", "--confirm", plan.digest, FAST)
    assert by_plan.returncode == 0, by_plan.stderr
    assert "mdadm --create" not in by_plan.stdout
    assert (folder / "journal.damaged-1").exists()


@pytest.mark.process
def test_undo_where_nothing_is(plan: Plan, path: str) -> None:
    done = called("undo", path, "--yes", "--confirm", plan.digest)
    assert done.returncode == 1
    assert "nothing of this plan is here; nothing was written" in done.stdout
