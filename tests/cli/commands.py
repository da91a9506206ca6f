"""The command line as tests run it: in this process, as a program, and with words typed on a terminal."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from raidtui.cli import main
from raidtui.machine.inventory.shipped import load
from raidtui.scripts.files import write_plan
from raidtui.values.notation import parse
from raidtui.values.plan import Plan
from tests.planner.plans import plan_of

FAST = "--speed-up=1000000"


class Terminal(io.StringIO):
    """Standard input that is a terminal with these words typed on it."""

    def isatty(self) -> bool:
        return True


def typed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Replaces standard input by a terminal with `text` typed on it."""
    monkeypatch.setattr(sys, "stdin", Terminal(text))


def answer(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    """Standard output of a verb that ends with this exit code."""
    assert main(arguments) == code
    return capsys.readouterr().out


def document(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    """JSON document that a verb prints."""
    return json.loads(answer(capsys, *arguments, "--json", code=code))


def raidtui(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the program itself, without a terminal."""
    return subprocess.run(
        [sys.executable, "-m", "raidtui", *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        check=False, timeout=120,
    )  # fmt: skip


def called(*arguments: str) -> subprocess.CompletedProcess[str]:
    """What `raidtui` would give, asked in this process: a start of Python takes longer than most verbs."""
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        code = code_of(arguments)
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


def code_of(arguments: Sequence[str]) -> int:
    """Exit code of a command line; argparse leaves by SystemExit."""
    try:
        return main(list(arguments))
    except SystemExit as left:
        assert isinstance(left.code, int)
        return left.code


def put(plan: Plan, folder: Path) -> Path:
    """The file of `plan` in `folder`, with the scripts beside it; a worker writes them once and copies them."""
    if plan.digest not in _WRITTEN:
        _WRITTEN[plan.digest] = tempfile.TemporaryDirectory()
        write_plan(plan, Path(_WRITTEN[plan.digest].name))
    shutil.copytree(_WRITTEN[plan.digest].name, folder, dirs_exist_ok=True)
    return folder / "plan.json"


_WRITTEN: dict[str, tempfile.TemporaryDirectory[str]] = {}


def finish(plan: Plan, *options: str) -> None:
    """The state directory has the finished run of `plan` on simulated disks; a worker builds it once and copies it."""
    state = Path(os.environ["XDG_STATE_HOME"])
    assert not state.exists(), "nothing else of this test may be copied with it"
    if plan.digest in _FINISHED:
        shutil.copytree(_FINISHED[plan.digest].name, state, dirs_exist_ok=True)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = put(plan, Path(folder) / "plan")
        done = called("build", str(path), *options, "--yes", "--confirm", plan.digest, FAST)
    assert done.returncode == 0, done.stderr
    _FINISHED[plan.digest] = tempfile.TemporaryDirectory()
    shutil.copytree(state, _FINISHED[plan.digest].name, dirs_exist_ok=True)


_FINISHED: dict[str, tempfile.TemporaryDirectory[str]] = {}
"""a copy of the state directory after a build, by the digest of its plan"""


def built(layout: str = "(2+1)+1") -> tuple[str, list[str]]:
    """Id of a finished run on simulated disks of e2660, and the options that confirm its plan."""
    inventory = load("e2660")
    plan = plan_of(layout, inventory.disks[: parse(layout).disks], inventory=inventory)
    finish(plan, "--inventory", "e2660", "--wait-for-sync")
    return plan.run_id[:8], ["--yes", "--confirm", plan.digest]
