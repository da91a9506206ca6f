from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from raidtui.cli import main
from raidtui.machine.inventory import shipped


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits: sleeping moves the clocks on."""
    now = [5000.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    monkeypatch.setattr("time.sleep", sleep)
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    monkeypatch.setattr("time.time", lambda: now[0])


def ticks(capsys: pytest.CaptureFixture[str], *arguments: str, simulated: bool = True) -> list[dict[str, Any]]:
    assert main(["watch", "--json", *arguments]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {line["simulated"] for line in lines} == {simulated}
    return [line["tick"] for line in lines]


KEYS = {
    "read_bytes_per_s", "write_bytes_per_s", "read_iops", "write_iops", "util", "await_ms", "read_await_ms",
    "write_await_ms", "queue",
}  # fmt: skip


def test_json_of_this_machine(capsys: pytest.CaptureFixture[str]) -> None:
    found = ticks(capsys, "--interval", "2", "--count", "3", simulated=False)
    assert [each["time"] for each in found] == [5002.0, 5004.0, 5006.0]
    for each in found:
        assert set(each) - {"temperatures"} == {"time", "seconds", "disks", "arrays", "busy_share"}
        assert all(set(gauge) == KEYS and 0 <= gauge["util"] <= 1 for gauge in each["disks"].values())


def test_a_chassis_says_on_every_line_that_it_is_simulated(capsys: pytest.CaptureFixture[str]) -> None:
    found = ticks(capsys, "--inventory", "nas4", "--count", "2")
    assert [list(each["disks"]) for each in found] == [["sda", "sdb", "sdc", "sdd"]] * 2


def test_only_some(capsys: pytest.CaptureFixture[str]) -> None:
    serial = shipped.load("nas4").disks[2].serial
    assert serial
    scene_only = ticks(capsys, "--inventory", "nas4", "--count", "1", "sdb", serial)
    assert list(scene_only[0]["disks"]) == ["sdb", "sdc"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--interval", "0"], "--interval: 0 is out of range"),
        (["--interval", "nan"], "out of range"),
        (["--count", "0"], "--count: 0 is out of range"),
        (["sdzzz"], "no disk or array is named sdzzz"),
        (["--inventory", "nowhere.json"], "nowhere.json"),
    ],
)
def test_what_cannot_be(capsys: pytest.CaptureFixture[str], arguments: list[str], why: str) -> None:
    assert main(["watch", "--json", "--count", "1", *arguments]) == 2
    told = capsys.readouterr()
    assert (told.out, why in told.err) == ("", True), told.err


def test_the_disks_of_another_machine(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    other = json.loads((Path(shipped.__file__).parents[2] / "chassis" / "trio.json").read_text())
    path = tmp_path / "other.json"
    path.write_text(json.dumps(other | {"origin": "machine", "name": "store"}))
    assert main(["watch", "--json", "--count", "1", "--inventory", str(path)]) == 2
    assert "the disks of store are not attached here" in capsys.readouterr().err


@pytest.mark.process
def test_the_first_line_comes_soon_and_loads_no_screen() -> None:
    code = (
        "import sys; from raidtui.cli import main; main(['watch', '--json', '--count', '1', '--interval', '0.05']);"
        "print(sorted({name.split('.')[0] for name in sys.modules} & {'textual', 'rich', 'pydantic'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    tick, modules = done.stdout.splitlines()
    assert (json.loads(tick)["schema"], modules) == ("raidtui/watch-tick/1", "[]")


@pytest.mark.process
def test_whoever_closes_the_pipe_or_interrupts_ends_it() -> None:
    argv = [sys.executable, "-m", "raidtui", "watch", "--interval", "0.05", "--json"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as watch:
        assert watch.stdout is not None
        assert watch.stderr is not None
        watch.stdout.readline()
        watch.stdout.close()
        assert (watch.wait(20), watch.stderr.read()) == (0, b"")
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as watch:
        assert watch.stdout is not None
        assert watch.stderr is not None
        watch.stdout.readline()
        watch.send_signal(2)
        assert (watch.wait(20), watch.stderr.read()) == (130, b"")


@pytest.mark.process
def test_on_a_terminal_with_a_count_it_is_a_table() -> None:
    ours, theirs = pty.openpty()
    argv = [sys.executable, "-m", "raidtui", "watch", "--interval", "0.05", "--count", "1"]
    with subprocess.Popen(argv, stdin=theirs, stdout=theirs, stderr=theirs) as watch:
        os.close(theirs)
        said = b""
        while b"processors" not in said and (watch.poll() is None or not said):
            said += os.read(ours, 4096)
        assert watch.wait(20) == 0
    os.close(ours)
    assert b"\x1b" not in said


def test_a_workload_is_about_arrays_of_this_machine(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", "--inventory", "trio", "--count", "1", "--ask", "read"]) == 2
    assert "--ask is about arrays of this machine" in capsys.readouterr().err


@pytest.mark.process
def test_a_workload_is_read_and_without_arrays_nothing_is_expected(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", "--count", "1", "--interval", "0.1", "--plain", "--ask", "raed"]) == 2
    assert "raidtui help watch describes --ask" in capsys.readouterr().err
    assert main(["watch", "--count", "1", "--interval", "0.1", "--plain", "--ask", "read,streams=2"]) == 0
    assert "expected" not in capsys.readouterr().out
