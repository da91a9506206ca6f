"""Every verb has a function, and exits with the codes that its help lists (`model.errors.Exit`)."""

from __future__ import annotations

import shlex
import subprocess
import sys
from importlib import import_module
from io import BytesIO, TextIOWrapper

import pytest

from raidtui.cli import main
from raidtui.cli.options.parser import parser
from raidtui.engine.site import locked
from raidtui.machine.system.places import simulated_root
from raidtui.values.errors import Exit
from tests.cli.left_runs import PLAN, RUN, SURE, begin

MAIN = import_module("raidtui.cli.main")
LAYOUT = ["(3+1)+1", "--disks", "5x2TB"]
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
    ["control", RUN, "pause"],
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
    ["control", "ffffffff", "pause"],
    ["report", "ffffffff"],
    ["bench", "none.json"],
    ["tune"],
    ["drill", "ffffffff"],
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
def test_each_verbs_codes(arguments: list[str], code: int, left_plan: str, capsys: pytest.CaptureFixture[str]) -> None:
    if arguments[0] not in ("build", "tune") or "--attach" in arguments:
        begin(PLAN, "begun")
    assert main([left_plan if word == "PLAN" else word for word in arguments]) == code, capsys.readouterr().err


@pytest.mark.parametrize("arguments", LOCKED)
def test_another_run_at_work(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    begin(PLAN, "begun")
    with locked(simulated_root() / "lock"):
        assert main(arguments) == 5
    assert "another run holds the lock" in capsys.readouterr().err


def test_a_build_while_another_run_is_at_work(left_plan: str) -> None:
    with locked(simulated_root() / "lock"):
        assert main(["build", left_plan, *SURE]) == 5


def test_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("raidtui.cli.verbs.status.status", interrupted)
    assert main(["status"]) == 130


def test_every_verb_has_a_function() -> None:
    verbs = parser().verbs
    assert verbs is not None
    assert {*verbs.parsers, "app"} == set(MAIN.VERBS)
    for verb, module in MAIN.VERBS.items():
        assert callable(getattr(import_module(f"raidtui.{module}"), verb.replace("-", "_")))


@pytest.mark.process
@pytest.mark.parametrize(
    ("closed", "words", "code"),
    [
        pytest.param("<&-", "--plain --disks 4x2TB", 1, marks=pytest.mark.thorough),
        pytest.param("<&-", "fleet-host", 3, marks=pytest.mark.thorough),
        pytest.param(">&-", "propose --disks 4x2TB", 0, marks=pytest.mark.thorough),
        (">&-", "--plain --disks 4x2TB", 1),
        pytest.param("2>&-", "propose --disks 4x2XB", 2, marks=pytest.mark.thorough),
        ("<&- >&- 2>&-", "model (3+1) --disks 4x2TB", 0),
    ],
)
def test_closed_streams_are_no_traceback(closed: str, words: str, code: int) -> None:
    """None of their numbers goes to a file that is opened later."""
    quoted = " ".join(shlex.quote(word) for word in words.split())
    shell = f"{shlex.quote(sys.executable)} -m raidtui {quoted} {closed}"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert "Traceback" not in done.stderr
    assert done.returncode == code


@pytest.mark.process
@pytest.mark.parametrize("call", ["model '(3+1)' --disks 4x2TB", "--help", "--version", "model --help"])
def test_a_full_disk_below_the_output_is_no_traceback(call: str) -> None:
    shell = f"{shlex.quote(sys.executable)} -m raidtui {call} >/dev/full"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.stderr.splitlines() == [
        "raidtui: standard output cannot be written: No space left on device",
        "         make room where it goes, or send it elsewhere",
    ]
    assert done.returncode == 3


def test_an_answer_that_is_no_utf8_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    printed = BytesIO()
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(b"\xfc\n"), "utf-8"))
    monkeypatch.setattr("sys.stdout", TextIOWrapper(printed, "ascii"))
    assert main(["--plain", "--disks", "6x4TB"]) == Exit.REFUSED
    sys.stdout.flush()
    assert b"'\\xfc' is none of the numbers 1 to 4." in printed.getvalue()
