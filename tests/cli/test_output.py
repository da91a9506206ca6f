"""What verbs print beside their result."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from raidtui.cli import main
from raidtui.cli.output import columns, narrate, working


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


def test_what_is_told_meanwhile_has_a_line_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    with working("reading the arrays"):
        until = time.monotonic() + 60
        while " s" not in screen.getvalue() and time.monotonic() < until:
            time.sleep(0.05)
        narrate("nas4 is as a run left it", simulated=True)
    assert "s\r\x1b[KSIMULATED  raidtui: nas4 is as a run left it\n" in screen.getvalue()
    before = len(screen.getvalue())
    narrate("done")
    assert screen.getvalue()[before:] == "raidtui: done\n"


def test_an_error_removes_the_line_too(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    with pytest.raises(ValueError, match="no"), working("comparing layouts"):
        raise ValueError("no")
    assert screen.getvalue() == ""


@pytest.fixture
def coloured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Colours are chosen by --color and restored afterwards."""
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)


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
