"""The command line as tests run it: in this process, as a program, and with words typed on a terminal."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from raidtui.cli import main

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


def built(folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[str, list[str]]:
    """Id of a finished run on simulated disks, and the options that confirm its plan."""
    chassis = ["--inventory", "e2660"]
    path = folder / "plan" / "plan.json"
    assert main(["plan", "(2+1)+1", *chassis, "--out", str(path.parent)]) == 0
    plan = json.loads(path.read_text())
    sure = ["--yes", "--confirm", plan["digest"]]
    assert main(["build", str(path), *chassis, *sure, "--speed-up", "100000", "--json"]) == 0
    capsys.readouterr()
    return plan["run_id"][:8], sure
