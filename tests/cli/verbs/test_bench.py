"""`raidtui bench` as users and scripts run it. Runs that can go wrong are in tests/machine/bench/test_real_fio.py."""

from __future__ import annotations

import io
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from raidtui.bench import store
from raidtui.bench.events import BenchEvent, Event, Paused, PhaseStarted, Resumed
from raidtui.cli import main
from raidtui.engine.process import launch
from raidtui.machine.system.places import benches_root
from raidtui.values.bench import Job, Profile
from raidtui.values.codec import to_json
from tests.cli.commands import Terminal
from tests.executors import at_once
from tests.machine.bench.test_scratch_dir import left_by_a_kill

E2660 = ["4x(12+2)+4", "--inventory", "e2660", "--chunk", "256K", "--speed-up", "0"]
Printed = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("raidtui.cli.bench.launch", at_once)
    monkeypatch.setattr("raidtui.machine.system.places.os.geteuid", lambda: 1000)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    made = tmp_path / "target"
    made.mkdir()
    return made


def profile_file(tmp_path: Path, **more: Any) -> str:
    fields: dict[str, Any] = {
        "name": "read", "title": "", "target": "files", "pattern": "read", "block_bytes": 4096, "seconds": 1.0,
        "warm_up_seconds": 0.0, "repeats": 1, "stream_bytes": 1 << 20,
    }  # fmt: skip
    path = tmp_path / "mine.json"
    path.write_text(to_json(Profile(name="mine", title="", purpose="", jobs=(Job(**(fields | more)),))))
    return str(path)


def test_profiles_are_listed_with_what_is_kept(capsys: Printed) -> None:
    assert main(["bench", *E2660]) == 0
    capsys.readouterr()
    assert main(["bench", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:12]] == [
        "PROFILE", "quick", "ladder", "streams", "survey", "raw", "survey-raw", "random", "mixed", "small-files",
        "dd-like", "dd-sizes",
    ]  # fmt: skip
    assert lines[:2] == [
        "PROFILE      JOBS  WHAT IT MEASURES",
        "quick           5  A first look in minutes: short, no figures to sign",
    ]
    assert main(["status"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split()[1:7] == [
        "quick",
        "e2660",
        "SIMULATED",
        "bench",
        "finished",
        "5/5",
    ]
    assert main(["bench", "--list", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [profile["name"] for profile in document["profiles"]][:2] == ["quick", "ladder"]
    assert main(["status", "--json"]) == 0
    (kept,) = json.loads(capsys.readouterr().out)["jobs"]
    assert (kept["kind"], kept["simulated"], kept["outcome"]) == ("bench", True, "finished")
    assert main(["status", kept["id"][:8]]) == 0
    assert "5 of 5" in capsys.readouterr().out


def test_simulated_on_every_line(capsys: Printed, tmp_path: Path) -> None:
    assert main(["bench", *E2660, "--out", str(tmp_path / "b")]) == 0
    told = capsys.readouterr()
    assert all(line.startswith("SIMULATED") for line in told.out.splitlines())
    assert [line for line in told.out.splitlines() if line.count("SIMULATED") > 1] == []
    assert all(line.startswith("SIMULATED") for line in told.err.splitlines())
    assert sum("[simulated, short]" in line for line in told.out.splitlines()) == 5
    assert store.load(tmp_path / "b").outcome == "finished"


def test_events_as_json_lines(capsys: Printed) -> None:
    assert main(["bench", *E2660, "--json", "--seconds", "2"]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    kinds = [line["event"]["kind"] for line in events if line["event"]["kind"] != "tick"]
    assert kinds[:4] == ["began", "task", "phase", "phase"]
    assert kinds[-2:] == ["figure", "ended"]
    assert {event["simulated"] for event in events} == {True}
    assert events[-1]["event"]["result"]["outcome"] == "finished"


@pytest.mark.process
def test_it_goes_on_by_itself_and_is_asked_followed_and_stopped(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Printed
) -> None:
    """Its executor is a process of its own; the folder is named, as one that is in no list."""
    monkeypatch.setattr("raidtui.cli.bench.launch", launch)
    folder = tmp_path / "b"
    slow = [*E2660[:-1], "10", "--out", str(folder)]
    assert main(["bench", *slow, "--detach"]) == 0
    assert f"benchmark {folder}: it runs in its own session" in capsys.readouterr().err
    reader = store.EventReader(folder, 1)
    told: list[Event] = []

    def until(kind: type[Event], task: int) -> None:
        end = time.monotonic() + 60
        while not any(isinstance(event, kind) and getattr(event, "task", 0) == task for event in told):
            assert time.monotonic() < end, [type(event).__name__ for event in told]
            time.sleep(0.05)
            told.extend(reader.new())

    until(PhaseStarted, 1)
    assert store.load(folder).outcome == "running"
    assert main(["control", str(folder), "skip=1"]) == 0
    until(PhaseStarted, 2)
    assert main(["control", str(folder), "pause"]) == 0
    until(Paused, 2)
    assert main(["control", str(folder), "go"]) == 0
    until(Resumed, 2)
    assert main(["control", str(folder), "stop"]) == 0
    capsys.readouterr()
    assert main(["bench", "--attach", str(folder)]) == 130
    assert "stopped: 0 of 5 figures" in capsys.readouterr().out
    assert main(["control", str(folder), "stop"]) == 1
    assert main(["bench", "--attach", str(folder), "--json"]) == 130
    lines = [json.loads(line)["event"]["kind"] for line in capsys.readouterr().out.splitlines()]
    assert lines == [json.loads(to_json(BenchEvent(simulated=True, event=event)))["event"]["kind"] for event in
                     store.EventReader(folder).new()]  # fmt: skip
    assert (lines[0], lines[-1]) == ("began", "ended")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["x", "--profile", "nonsense"], "there is no profile 'nonsense'"),
        (["x", "--profile", "/nowhere/p.json"], "/nowhere/p.json cannot be read: No such file or directory"),
        (["x", "--seconds", "0"], "--seconds: 0 is out of range"),
        (["x", "--seconds", "nan"], "--seconds: nan is out of range"),
        (["x", "--repeats", "0"], "--repeats: 0 is out of range"),
        (["x", "--speed-up", "-1"], "--speed-up: -1 is out of range"),
        (["/nowhere"], "/nowhere is not a directory"),
        ([], "no target"),
        (["--resume", "12345678"], "no benchmark starts with '12345678'"),
        (["--resume", "zz"], "'zz' is not a benchmark id"),
        (["nonsense", "--inventory", "e2660"], "nonsense"),
        (["(12+3)", "--inventory", "e2660"], "(12+3)"),
    ],
)
def test_wrong_usage(words: list[str], said: str, capsys: Printed) -> None:
    assert main(["bench", *words]) == 2
    assert said in capsys.readouterr().err


def test_what_is_hostile_in_a_profile_is_shown_harmless(tmp_path: Path, capsys: Printed) -> None:
    path = profile_file(tmp_path, name="\x1b]0;x\x07")
    assert main(["bench", *E2660, "--profile", path]) == 2
    assert "\x1b" not in capsys.readouterr().err


def test_a_finished_one_is_not_resumed_nor_a_simulated_one(tmp_path: Path, capsys: Printed) -> None:
    assert main(["bench", *E2660, "--out", str(tmp_path / "b")]) == 0
    assert main(["bench", "--resume", str(tmp_path / "b"), "--yes"]) == 1
    assert "is finished" in capsys.readouterr().err


def test_a_simulated_one_is_found_by_its_id_too(capsys: Printed) -> None:
    """`status` lists it: it is not called unknown."""
    assert main(["bench", *E2660]) == 0
    (folder,) = benches_root(simulated=True).iterdir()
    assert main(["bench", "--resume", folder.name[:8], "--yes"]) == 1
    assert f"benchmark {folder.name[:8]} is finished" in capsys.readouterr().err


def test_nothing_is_removed_for_a_benchmark_that_others_may_have_changed(
    tmp_path: Path, target: Path, capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its places are read from its result: what killed benchmarks left there is removed only once that is trusted."""
    assert main(["bench", *E2660, "--out", str(tmp_path / "b")]) == 0
    path = tmp_path / "b" / "result.json"
    text = path.read_text().replace('"finished"', '"failed"').replace('"simulated": true', '"simulated": false')
    path.write_text(text.replace('"/srv/data"', f'"{target}"'))
    left = left_by_a_kill(target)
    (tmp_path / "b").chmod(0o777)
    capsys.readouterr()
    monkeypatch.setattr("raidtui.machine.system.places.os.geteuid", os.getuid)  # whose leftovers they are
    assert main(["bench", "--resume", str(tmp_path / "b"), "--yes"]) == 1
    assert "is writable by others" in capsys.readouterr().err
    assert left.is_dir()


def test_a_folder_that_is_not_empty_is_not_written_to(tmp_path: Path, capsys: Printed) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "theirs").write_text("x")
    assert main(["bench", *E2660, "--out", str(tmp_path / "b")]) == 1
    assert [path.name for path in (tmp_path / "b").iterdir()] == ["theirs"]


def test_a_layout_that_cannot_be_is_refused(capsys: Printed) -> None:
    assert main(["bench", "9x(12+2)", "--inventory", "e2660"]) == 1


def answered(monkeypatch: pytest.MonkeyPatch, text: str | None) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO() if text is None else Terminal(text))


@pytest.mark.needs("fio")
@pytest.mark.parametrize(
    "typed",
    [None, "yes please\n", *(pytest.param(typed, marks=pytest.mark.thorough) for typed in ("", "\n", "n\n", "Y es\n"))],
)
def test_nothing_starts_without_a_yes(
    typed: str | None, target: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    answered(monkeypatch, typed)
    monkeypatch.setattr("raidtui.cli.bench.launch", _never)
    assert main(["bench", str(target), "--profile", profile_file(tmp_path)]) == 1
    assert "nothing was written" in capsys.readouterr().err
    assert list(target.iterdir()) == []
    assert not (tmp_path / "state").exists()


def _never(*_: object) -> int:
    raise AssertionError("it started")


@pytest.mark.process
def test_a_dry_run_shows_the_exact_commands_and_writes_nothing(target: Path, tmp_path: Path, capsys: Printed) -> None:
    path = profile_file(tmp_path, streams=2)
    assert main(["bench", str(target), "--profile", path, "--dry-run"]) == 0
    told = capsys.readouterr()
    fill, read = [line.strip() for line in told.out.splitlines() if " && " in line]
    place, _, words = fill.partition(" && ")
    assert place.startswith(f"cd {target}/.raidtui-bench-")
    assert words == (
        "fio --output-format=json --eta=never --thread=1 --group_reporting=1 --rw=write --bs=1048576 --ioengine=libaio "
        "--iodepth=8 --direct=1 --end_fsync=1 --fallocate=none --exitall_on_error=1 --name=fill "
        "'--filename_format=stream.$jobnum' --size=1048576 --numjobs=2"
    )
    assert read.partition(" && ")[2] == (
        "fio --output-format=json --eta=never --readonly --thread=1 --group_reporting=1 --exitall_on_error=1 "
        "--time_based=1 --runtime=1 --rw=read --bs=4096 --ioengine=psync --direct=1 --randseed=1001 --fallocate=none "
        "--allow_file_create=0 --name=read '--filename_format=stream.$jobnum' --size=1048576 --numjobs=2"
    )
    assert "takes about 4 s, up to 2.000 MiB on the target while it runs; all files are removed afterwards" in told.out
    assert "warning: measurements shorter than 30 s are labelled short [short]" in told.err
    assert list(target.iterdir()) == []
    assert not (tmp_path / "state").exists()


@pytest.mark.process
def test_a_dry_run_as_json(target: Path, tmp_path: Path, capsys: Printed) -> None:
    assert main(["bench", str(target), "--profile", profile_file(tmp_path), "--dry-run", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["simulated"], document["bytes_used"]) == (False, 1 << 20)
    assert [command["argv"][0] for command in document["commands"]] == ["fio", "fio"]
    assert document["commands"][1]["argv"][-1] == "--numjobs=1"


@pytest.mark.process
def test_too_little_room_is_refused(target: Path, tmp_path: Path, capsys: Printed) -> None:
    path = profile_file(tmp_path, stream_bytes=1 << 59)
    assert main(["bench", str(target), "--profile", path, "--yes"]) == 1
    assert "error: 'read' needs 512.0 PiB of" in capsys.readouterr().err
    assert list(target.iterdir()) == []
