"""The real app, killed and on odd terminals: bytes and modes of a pseudo-terminal."""

from __future__ import annotations

import os
import re
import signal
import termios
import time
from pathlib import Path

import pytest

from tests.tui.terminal.on_pty import PATIENCE, OnPty, on_pty

pytestmark = pytest.mark.process
APP = ("--inventory", "e2660")
ON = (b"?1049h", b"?1000h", b"?1003h", b"?1006h", b"?1015h", b"?2004h", b"?1004h", b"?25l")
XTERM = {"TERM": "xterm-256color", "LANG": "C.UTF-8"}
_PLACE = re.compile(rb"\x1b\[([0-9]+);([0-9]+)H")
_COLOUR = re.compile(rb"\x1b\[([0-9;]*)m")


def gone(process: int) -> bool:
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        if Path(f"/proc/{process}/stat").read_text("utf-8").split()[2] == "Z":
            return True
        time.sleep(0.1)
    return False


def files(home: Path) -> list[str]:
    return sorted(str(path.relative_to(home)) for path in home.rglob("*") if not path.is_dir())


def is_sane(terminal: OnPty) -> None:
    """Every mode that the app switched on is off, at last, and the line is as a shell wants it."""
    for mode in ON:
        on, off = mode, mode[:-1] + (b"h" if mode.endswith(b"l") else b"l")
        assert terminal.written.rfind(b"\x1b[" + off) >= terminal.written.rfind(b"\x1b[" + on), mode
    assert termios.tcgetattr(terminal.far) == terminal.before


@pytest.mark.parametrize("killed", ["app", "parent"])
def test_kill_9_of_either_process_leaves_a_sane_terminal_and_nothing_behind(killed: str, tmp_path: Path) -> None:
    with on_pty(APP, tmp_path, XTERM) as terminal:
        terminal.finds(b"SIME26600001")
        parent, app = terminal.parent_and_app()
        assert termios.tcgetattr(terminal.far) != terminal.before
        os.kill(app if killed == "app" else parent, signal.SIGKILL)
        assert terminal.process.wait(20) == 128 + signal.SIGKILL
        assert gone(app)
        assert gone(parent)
        terminal.read()
        is_sane(terminal)
    assert files(tmp_path) == []


def test_a_hangup_that_comes_before_the_end_of_the_parent_is_noticed(tmp_path: Path) -> None:
    """The shell ends with the parent; the kernel sends SIGHUP before a thread of the app has run."""
    with on_pty(APP, tmp_path, XTERM) as terminal:
        terminal.finds(b"SIME26600001")
        parent, app = terminal.parent_and_app()
        os.kill(app, signal.SIGSTOP)
        os.kill(parent, signal.SIGKILL)
        assert terminal.process.wait(20) == 128 + signal.SIGKILL
        os.kill(app, signal.SIGCONT)
        assert gone(app)
        terminal.read()
        is_sane(terminal)
    assert files(tmp_path) == []


def walk(terminal: OnPty) -> bytes:
    """What the app writes from its start over every screen and two dialogs to its end."""
    terminal.finds(b"SIME26600001")
    for key in (b"i", b"q", b"2", b"3", b"4", b"5", b"6", b"7", b"8", b"?", b"q", b"q"):
        terminal.press(key)
    assert terminal.ends() == 0
    is_sane(terminal)
    return terminal.written


def colours(written: bytes) -> set[str]:
    """Every code of the sequences that set colours and attributes."""
    return {code for found in _COLOUR.findall(written) for code in found.decode("ascii").split(";")}


ATTRIBUTES = {"", "0", "1", "7"}
"""reset, bold, reverse: what every terminal has"""
EIGHT = {str(base + number) for base in (30, 40) for number in (0, 1, 2, 3, 4, 5, 6, 7, 9)}


def test_the_c_locale_gets_ascii_only_and_no_color_no_colours(tmp_path: Path) -> None:
    with on_pty(APP, tmp_path, {"TERM": "xterm-256color", "LC_ALL": "C", "NO_COLOR": "1"}) as terminal:
        written = walk(terminal)
    assert b"60 disks" in written
    assert {byte for byte in written if byte > 126 or byte < 32} <= {0x1B, 0x0A, 0x0D, 0x07}
    assert colours(written) <= ATTRIBUTES | {"2", "39", "49"}


@pytest.mark.thorough
def test_a_console_of_sixteen_colours_gets_the_first_eight_and_bold(tmp_path: Path) -> None:
    with on_pty(APP, tmp_path, {"TERM": "linux", "LANG": "C.UTF-8"}) as terminal:
        written = walk(terminal)
    assert colours(written) <= ATTRIBUTES | EIGHT
    assert {"32", "36"} <= colours(written)
    assert b"\x1b[?1000h" not in written
    assert b"\x1b[>" not in written


def stands(terminal: OnPty, keys: bytes, row: int) -> None:
    """Types `keys`; sooner or later the terminal's cursor is left at this line, from 1."""
    terminal.press(keys)
    end = time.monotonic() + PATIENCE
    while (places := _PLACE.findall(terminal.written)) and int(places[-1][0]) != row and time.monotonic() < end:
        terminal.press(b"")
    assert int(places[-1][0]) == row


def test_the_terminals_cursor_stands_at_the_focus(tmp_path: Path) -> None:
    """A braille line and a screen reader follow it, hidden or not."""
    with on_pty(APP, tmp_path, XTERM) as terminal:
        terminal.finds(b"SIME26600001")
        stands(terminal, b"", 11)  # the first disk, below map and titles
        stands(terminal, b"j", 12)
        stands(terminal, b"\t", 3)  # the first line of the topology
        stands(terminal, b"?", 3)  # the first line of the dialog
        stands(terminal, b"q", 3)
        terminal.press(b"2")
        stands(terminal, b"jj", 8)  # below the answer
        stands(terminal, b"/", 24)  # the question, where the keys were
