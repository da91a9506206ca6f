"""What verbs print beside their result."""

from __future__ import annotations

import io
import sys
import time

import pytest

from raidtui.cli import main
from raidtui.cli.output import paint, set_colours, working
from raidtui.model.choices import ColourChoice


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
    shown = paint(Screen() if terminal else io.StringIO())("warning")
    assert shown == ("\x1b[33mwarning\x1b[m" if coloured else "warning")


@pytest.mark.parametrize("place", [0, 1])
def test_the_option_stands_before_or_after_the_verb(
    place: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    words = ["model", "(3+1)", "--disks", "4x2TB"]
    words[place:place] = ["--color", "always"]
    assert main(words) == 0
    assert "\n\x1b[36mnote\x1b[m: No hot spare" in capsys.readouterr().out
