"""What verbs print beside their result."""

from __future__ import annotations

import io
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from raidtui.cli import main
from raidtui.cli.output import columns, paint, set_colours, working
from raidtui.values.choices import ColourChoice


class Screen(io.StringIO):
    """Standard error that is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_learns_what_takes_more_than_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    with working("comparing layouts"):
        until = time.monotonic() + 60
        while not screen.getvalue() and time.monotonic() < until:
            time.sleep(0.05)
    assert screen.getvalue().startswith("\r\x1b[Kraidtui: comparing layouts, 1 s")
    assert screen.getvalue().endswith("\r\x1b[K"), "the line is removed"


def test_what_is_quick_says_nothing_and_neither_does_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream in (Screen(), io.StringIO()):
        monkeypatch.setattr(sys, "stderr", stream)
        with working("comparing layouts"):
            pass
        assert stream.getvalue() == ""


def test_an_error_removes_the_line_too(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    with pytest.raises(ValueError, match="no"), working("comparing layouts"):
        raise ValueError("no")
    assert screen.getvalue() == ""


@pytest.mark.parametrize(
    ("choice", "environment", "terminal", "coloured"),
    [
        ("auto", {"TERM": "linux"}, True, True),
        ("auto", {"TERM": "linux"}, False, False),
        ("auto", {"TERM": "dumb"}, True, False),
        ("auto", {"TERM": "linux", "NO_COLOR": "1"}, True, False),
        ("never", {"TERM": "linux"}, True, False),
        ("always", {"TERM": "linux", "NO_COLOR": "1"}, False, True),
    ],
)
def test_who_gets_colours(
    choice: ColourChoice, environment: dict[str, str], terminal: bool, coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    set_colours(choice)
    shown = paint(Screen() if terminal else io.StringIO())("warning", "warning")
    assert shown == ("\x1b[33mwarning\x1b[m" if coloured else "warning")


@pytest.fixture
def coloured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Colours are chosen by --color and restored afterwards."""
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)


@pytest.mark.usefixtures("coloured")
@pytest.mark.parametrize("place", [0, 1])
def test_the_option_stands_before_or_after_the_verb(place: int, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["model", "(3+1)", "--disks", "4x2TB"]
    words[place:place] = ["--color", "always"]
    assert main(words) == 0
    assert "\n\x1b[36mnote\x1b[m: Unknown, so not certified" in capsys.readouterr().out


@pytest.mark.usefixtures("coloured")
def test_a_proposal_marks_the_best_in_colour_and_loses_no_word_without(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["propose", "--disks", "6x2TB"]
    assert main(["--color", "never", *words]) == 0
    plain = capsys.readouterr().out
    assert "\x1b" not in plain
    assert main(["--color", "always", *words]) == 0
    shown = capsys.readouterr().out
    assert re.search("\n\x1b\\[1;32m[MBFSQ]+\x1b\\[m  .*TiB", shown), "a row of the table"
    assert re.search("\n\x1b\\[1;32m[A-Z, ]+: .*\x1b\\[m\n", shown), "the head of a proposal"
    assert "\n\x1b[36mnote\x1b[m: " in shown
    assert re.sub("\x1b\\[[0-9;]*m", "", shown) == plain


@pytest.mark.usefixtures("coloured")
@pytest.mark.parametrize(
    ("choice", "start"), [("always", "\x1b[1;31mraidtui:\x1b[m "), ("auto", "raidtui: "), ("never", "raidtui: ")]
)
def test_an_error_is_red_where_colours_are_wanted(choice: str, start: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--color", choice, "model", "(3+1)", "--disks", "4x2XB"]) == 2
    assert capsys.readouterr().err.startswith(start)


@pytest.mark.parametrize(
    ("given", "terminal", "wide"),
    [("", False, None), ("132", False, None), ("", True, 80), ("132", True, 132), ("0", True, 80), ("-5", True, 80)],
)
def test_only_a_terminal_has_columns(
    given: str, terminal: bool, wide: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", given)
    assert columns(Screen() if terminal else io.StringIO()) == wide


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["plan", "(3+1)", "--disks", "4x2TB"], ["planning 4 disks"]),
        (["plan", "(3+1)", "--disks", "4x2TB", "--out", "{}/new"], ["planning", "writing plan, scripts and runbook"]),
        (["script", "{}/plan.json", "--undo"], ["reading the plan", "writing the undo script"]),
        (["report", "--out", "{}/report"], ["reading runs and benchmarks"]),
    ],
)
def test_verbs_that_may_take_long_tell_a_terminal(
    words: list[str], named: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told: list[str] = []

    @contextmanager
    def noted(what: str) -> Iterator[None]:
        told.append(what)
        yield

    assert main(["plan", "(3+1)", "--disks", "4x2TB", "--out", str(tmp_path)]) == 0
    for module in ("plan", "report"):
        monkeypatch.setattr(f"raidtui.cli.verbs.{module}.working", noted)
    main([word.format(tmp_path) for word in words])
    for each in named:
        assert any(what.startswith(each) for what in told), told
