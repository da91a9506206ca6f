"""`raidtui --plain`: the walk from the questions to a build in lines, with answers typed, left out and refused."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.answers.confirm import phrase
from raidtui.cli import main
from raidtui.engine.runs import read_plan
from raidtui.predict.stated_disks import purchase
from raidtui.values.codec import to_json
from tests.tui.terminal.on_pty import on_pty

DISKS = ("--plain", "--disks", "5x20GB")
TO_PLAN = ("", "", "", "", "", "", "", "", "")
"""Enter to every question before the one for a directory"""
Answer = str | Callable[[], str]


class Typist(io.StringIO):
    """Standard input on which these answers are typed, each when it is asked for."""

    def __init__(self, answers: Sequence[Answer], *, terminal: bool = True) -> None:
        super().__init__()
        self._answers, self._terminal = list(answers), terminal

    def isatty(self) -> bool:
        return self._terminal

    def readline(self, size: int | None = -1) -> str:  # type: ignore[override]
        del size
        if not self._answers:
            return ""
        answer = self._answers.pop(0)
        return f"{answer if isinstance(answer, str) else answer()}\n"


def walked(
    monkeypatch: pytest.MonkeyPatch, answers: Sequence[Answer], *words: str, terminal: bool = True
) -> tuple[int, Typist]:
    typist = Typist(answers, terminal=terminal)
    monkeypatch.setattr(sys, "stdin", typist)
    return main(words or DISKS), typist


def test_enter_to_every_question_leads_to_a_plan_and_builds_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, typist = walked(monkeypatch, [*TO_PLAN, str(tmp_path / "plan"), ""])
    out = capsys.readouterr().out
    assert code == 0
    assert typist._answers == []
    assert "Question 1 of 4: What is it for?\n  1  big files: video, images, measurements\n" in out
    assert "Question 4 of 4: How soon is a failed disk replaced?" in out
    assert "Proposal 1: (3+2), suggested, " in out
    assert "\n  We suggest one array of 3+2 disks.\n  usable: " in out
    assert out.endswith("Build it now? A phrase is asked first. [no]: Nothing was built.\n")
    assert sorted(path.name for path in (tmp_path / "plan").iterdir()) == [
        "build.sh", "plan.json", "runbook.md", "undo.sh"]  # fmt: skip
    asked = [text for text in out.splitlines() if "]: " not in text and not text.startswith(str(tmp_path))]
    assert max(map(len, asked)) <= 79


def test_what_only_the_app_opens_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*DISKS, "--design", "one"]) == 2
    err = capsys.readouterr().err
    assert err == "raidtui: --plain opens no saved design\n         leave out --plain for the app\n"


def test_a_plan_that_is_not_written_is_not_built(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _ = walked(monkeypatch, [*TO_PLAN, "none"])
    assert code == 0
    assert capsys.readouterr().out.endswith("Nothing was built.\n")


def test_wrong_answers_are_asked_again_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "plan.json").write_text("mine")
    answers = [
        "9", "x", "", "2", "much", "20GB", "3", "1", "", "7", "raid5(3", "(3+1)+1", "maybe", "no", "a b", "", "data",
        "/srv/x", "", str(tmp_path), "none",
    ]  # fmt: skip
    code, typist = walked(monkeypatch, answers)
    out = capsys.readouterr().out
    assert code == 0
    assert typist._answers == []
    for reason in (
        "'9' is none of the numbers 1 to 4.",
        "'x' is none of the numbers 1 to 4.",
        "not possible: only one here",
        "'7' is none of the numbers 1 to ",
        "column 8",
        "'maybe' is neither yes nor no.",
        "already holds plan.json",
    ):
        assert reason in out.replace("\n", " "), reason
    assert "At least 20.0 GB usable" in out
    assert "(3+1)+1: " in out
    assert (tmp_path / "plan.json").read_text() == "mine"


@pytest.mark.parametrize("answered", [0, 1, 4, 6, len(TO_PLAN), len(TO_PLAN) + 1])
def test_the_end_of_the_input_ends_the_walk(
    answered: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, _ = walked(monkeypatch, [*TO_PLAN, str(tmp_path / "plan")][:answered])
    assert code == 1
    assert "ended without an answer; nothing was written to any disk" in capsys.readouterr().err


def test_a_pipe_plans_and_is_refused_a_build(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    plan = tmp_path / "plan" / "plan.json"
    answers: list[Answer] = [*TO_PLAN, str(plan.parent), "yes", lambda: phrase(read_plan(plan))]
    code, _ = walked(monkeypatch, answers, terminal=False)
    assert code == 1
    assert "confirmation needs a terminal; nothing was written" in capsys.readouterr().err


def test_a_wrong_phrase_builds_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, _ = walked(monkeypatch, [*TO_PLAN, str(tmp_path / "plan"), "yes", "erase"])
    assert code == 1
    assert "not confirmed; nothing was written" in capsys.readouterr().err


def test_a_machine_without_usable_disks_is_told_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    used = [replace(disk, not_selectable="in use") for disk in purchase("2x1TB").disks]
    (tmp_path / "used.json").write_text(to_json(replace(purchase("2x1TB"), disks=tuple(used))))
    code, _ = walked(monkeypatch, [], "--plain", "--inventory", str(tmp_path / "used.json"))
    assert code == 1
    assert "no disk here is free" in capsys.readouterr().err


@pytest.mark.process
def test_it_loads_no_textual() -> None:
    code = "import sys, raidtui.cli.verbs.plain; sys.exit('textual' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.process
def test_a_build_on_a_dumb_terminal_is_lines_and_nothing_else(tmp_path: Path) -> None:
    plan = tmp_path / "plan" / "plan.json"
    with on_pty(("--plain", "--disks", "5x1GB"), tmp_path, {"TERM": "dumb", "LANG": "C.UTF-8"}) as terminal:
        terminal.finds(b"1 to 4 [1]: ")
        for answer in (*TO_PLAN, str(plan.parent)):
            terminal.press(answer.encode() + b"\n")
        os.write(terminal.near, b"yes\n")  # a quick machine asks before a press has returned
        terminal.finds(b"to begin, anything else to cancel:")
        terminal.press(phrase(read_plan(plan)).encode() + b"\n")
        code, written = terminal.ends(), terminal.written.decode()
    assert code == 0, written[-2000:]
    run = read_plan(plan).run_id[:8]
    assert written.endswith(
        "FINISHED: every step is done and verified\r\n"
        f"SIMULATED  raidtui bench {run} measures it; raidtui undo {run} reverts it\r\n"
    )
    assert {char for char in written if not char.isprintable()} == {"\r", "\n"}
    assert written.count("\r") == written.count("\r\n")
