"""What verbs print beside their result."""

from __future__ import annotations

import io
import sys
import time

import pytest

from raidtui.cli.output import working


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
