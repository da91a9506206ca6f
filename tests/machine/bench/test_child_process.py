"""Programs as children: they die with whoever started them, leave nobody behind, and failures are told in words."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from raidtui.bench.child_process import Child
from raidtui.values.bench import Repeat
from raidtui.values.errors import MachineFailed

pytestmark = pytest.mark.process
PARENT = """
import sys, time
from raidtui.bench.child_process import Child
child = Child([sys.argv[1], *sys.argv[2:]], cwd="/", output=None, phase="repeat", seconds=1, read=lambda *_: None)
print(child.pid, flush=True)
time.sleep(60)
"""
SLEEPERS = "import os, time\nos.fork()\nos.fork()\ntime.sleep(60)"


def child(tmp_path: Path, *argv: str) -> Child:
    def read(printed: str, said: str, code: int) -> Repeat:
        return Repeat(value=float(code), began=0, ended=0, parts={printed: 0, said: 0})

    return Child(argv, cwd=str(tmp_path), output=tmp_path / "out", phase="repeat", seconds=1.0, read=read)


def group(number: int) -> list[int]:
    """Living processes of a process group."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == number and fields[0] != "Z":
            found.append(int(entry.parent.name))
    return found


def gone(number: int) -> bool:
    """Within ten seconds nobody of the group lives any more."""
    until = time.monotonic() + 10
    while group(number) and time.monotonic() < until:
        time.sleep(0.02)
    return not group(number)


def test_what_it_prints_and_says_and_how_it_ended(tmp_path: Path) -> None:
    started = child(tmp_path, "/bin/sh", "-c", "pwd; echo no >&2; exit 3")
    while not started.ended():
        time.sleep(0.01)
    found = started.outcome()
    assert (found.value, list(found.parts)) == (3.0, [f"{tmp_path}\n", "no\n"])
    assert (tmp_path / "out").read_text() == f"{tmp_path}\n"
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o600
    started.kill()


def test_its_environment_and_input_are_fixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_PRELOAD", "/nowhere.so")
    started = child(tmp_path, "/usr/bin/env")
    while not started.ended():
        time.sleep(0.01)
    (printed, _) = started.outcome().parts
    assert sorted(printed.split()) == ["LC_ALL=C", "LVM_SUPPRESS_FD_WARNINGS=1", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"]


def test_killed_with_all_that_it_started(tmp_path: Path) -> None:
    started = child(tmp_path, sys.executable, "-c", SLEEPERS)
    until = time.monotonic() + 10
    while len(group(started.pid)) < 4 and time.monotonic() < until:
        time.sleep(0.02)
    assert len(group(started.pid)) == 4
    started.kill()
    assert gone(started.pid)


def test_what_it_left_running_is_ended_with_it(tmp_path: Path) -> None:
    started = child(tmp_path, "/bin/sh", "-c", "sleep 60 & exit 0")
    while not started.ended():
        time.sleep(0.01)
    started.outcome()
    assert gone(started.pid)


def test_it_dies_with_a_parent_that_is_killed() -> None:
    """SIGKILL, which no process can catch."""
    parent = subprocess.Popen([sys.executable, "-c", PARENT, "/bin/sleep", "60"], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    with parent.stdout:
        number = int(parent.stdout.readline())
    until = time.monotonic() + 10
    while b"sleep" not in Path(f"/proc/{number}/cmdline").read_bytes()[:12] and time.monotonic() < until:
        time.sleep(0.02)
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    assert gone(number)


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(MachineFailed, match="cannot be started"):
        Child(["/x"], cwd=str(tmp_path / "nowhere"), output=None, phase="", seconds=0, read=lambda *_: None)  # type: ignore[arg-type]
