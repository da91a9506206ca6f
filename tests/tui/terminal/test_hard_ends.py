"""The real app, killed and on odd terminals: bytes and modes of a pseudo-terminal."""

from __future__ import annotations

import os
import re
import signal
import socket
import termios
import time
from pathlib import Path

import pytest

from tests.tui.terminal.on_pty import PATIENCE, OnPty, on_pty

pytestmark = pytest.mark.process
APP = ("--inventory", "e2660")
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


def wait_until_stopped(process: int) -> None:
    end = time.monotonic() + PATIENCE
    while Path(f"/proc/{process}/stat").read_text("utf-8").split()[2] != "T":
        assert time.monotonic() < end
        time.sleep(0.01)


def files(home: Path) -> list[str]:
    return sorted(str(path.relative_to(home)) for path in home.rglob("*") if not path.is_dir())


@pytest.mark.parametrize("killed", ["app", "parent"])
def test_kill_9_of_either_process_leaves_a_sane_terminal_and_nothing_behind(killed: str, tmp_path: Path) -> None:
    with on_pty(APP, tmp_path, XTERM) as terminal:
        terminal.finds(b"SIME26600001")
        parent, app = terminal.parent_and_app()
        assert termios.tcgetattr(terminal.far) != terminal.before
        os.kill(app if killed == "app" else parent, signal.SIGKILL)
        assert terminal.process.wait(PATIENCE) == 128 + signal.SIGKILL
        assert gone(app)
        assert gone(parent)
        terminal.read()
        assert terminal.left_over() == []
    assert files(tmp_path) == []


@pytest.mark.parametrize("parent_stops", [False, True])
def test_a_hangup_that_comes_before_the_end_of_the_parent_is_noticed(parent_stops: bool, tmp_path: Path) -> None:
    """The shell ends with the parent; the kernel sends SIGHUP before a thread of the app has run."""
    with on_pty(APP, tmp_path, XTERM) as terminal:
        terminal.finds(b"SIME26600001")
        parent, app = terminal.parent_and_app()
        terminal.shell.shutdown(socket.SHUT_WR)  # the parent may stop with the app before it is killed
        os.kill(app, signal.SIGSTOP)
        if parent_stops:
            wait_until_stopped(parent)
        os.kill(parent, signal.SIGKILL)
        assert terminal.process.wait(PATIENCE) == 128 + signal.SIGKILL
        os.kill(app, signal.SIGCONT)
        assert gone(app)
        terminal.read()
        assert terminal.left_over() == []
    assert files(tmp_path) == []


ENDING = [
    pytest.param(number, marks=() if number.name in ("SIGQUIT", "SIGUSR1", "SIGALRM", "SIGINT", "SIGTERM")
                 else pytest.mark.thorough)
    for number in sorted(signal.valid_signals() & set(signal.Signals))
    if number.name not in ("SIGKILL", "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGCONT", "SIGCHLD", "SIGURG",
                           "SIGWINCH", "SIGPIPE", "SIGXFSZ")
]  # fmt: skip


@pytest.mark.parametrize("number", ENDING)
def test_every_signal_that_ends_the_group_leaves_a_sane_terminal(number: signal.Signals, tmp_path: Path) -> None:
    with on_pty(APP, tmp_path, XTERM) as terminal:
        terminal.finds(b"SIME26600001")
        parent, app = terminal.parent_and_app()
        assert "?1049h" in terminal.left_over()
        terminal.signal(number)
        assert terminal.process.wait(PATIENCE) == 128 + number
        assert gone(app)
        assert gone(parent)
        terminal.read()
        assert terminal.left_over() == []


@pytest.mark.parametrize("number", [signal.SIGPIPE, signal.SIGXFSZ, signal.SIGURG, signal.SIGCHLD, signal.SIGTTOU])
@pytest.mark.thorough
def test_a_signal_that_says_nothing_to_it_ends_nothing(number: signal.Signals, tmp_path: Path) -> None:
    with on_pty(APP, tmp_path, XTERM) as terminal:
        terminal.finds(b"SIME26600001")
        os.kill(terminal.parent_and_app()[0], number)
        assert b"Design" in terminal.press(b"2") + terminal.read()


@pytest.mark.parametrize("asked", ["group", "app", "parent"])
def test_a_shell_stops_it_with_a_sane_terminal_and_continues_it(asked: str, tmp_path: Path) -> None:
    """The shell takes the terminal as soon as it sees a stop: the app stayed stopped, its modes stayed on."""
    with on_pty(APP, tmp_path, XTERM) as terminal:
        terminal.finds(b"SIME26600001")
        parent, app = terminal.parent_and_app()
        for more in ("2", "3"):
            os.kill({"group": -parent, "app": app, "parent": parent}[asked], signal.SIGTSTP)
            if asked == "app":
                os.kill(app, signal.SIGTSTP)  # once more, while it stops: one stop all the same
            assert terminal.stops()
            assert [state(parent), state(app)] == ["T", "T"]
            terminal.read()
            assert terminal.left_over() == []
            terminal.continues()
            terminal.finds(b"?1049h")
            assert "?1049h" in terminal.left_over()
            terminal.press(more.encode())
        os.write(terminal.near, b"?")
        terminal.finds(b"Esc closes")
        for _ in range(2):
            terminal.press(b"q")
        assert terminal.ends() == 0
        assert terminal.left_over() == []


def test_in_the_background_it_stays_stopped_until_it_has_the_terminal(tmp_path: Path) -> None:
    with on_pty(APP, tmp_path, XTERM) as terminal:
        terminal.finds(b"SIME26600001")
        terminal.signal(signal.SIGTSTP)
        assert terminal.stops()
        terminal.continues("bg")
        assert terminal.stops()
        terminal.read()
        assert terminal.left_over() == []
        terminal.continues()
        terminal.finds(b"SIME26600001")


def test_after_a_stop_that_no_program_can_prevent_it_takes_the_terminal_again(tmp_path: Path) -> None:
    """SIGSTOP; the shell resets the line, and draws its prompt over the picture."""
    with on_pty(APP, tmp_path, XTERM) as terminal:
        terminal.finds(b"SIME26600001")
        terminal.signal(signal.SIGSTOP)
        assert terminal.stops()
        terminal.continues()
        terminal.finds(b"SIME26600001")
        assert "settings of the line" in terminal.left_over()
        assert b"Design" in terminal.press(b"2") + terminal.read()
        parent, app = terminal.parent_and_app()
        for process in (app, parent, app):  # continued without a stop it draws again, and reads each key once
            os.kill(process, signal.SIGCONT)
        terminal.read()
        terminal.press(b"1")
        stands(terminal, b"j", 12)


def state(process: int) -> str:
    """S while it sleeps, T while it is stopped."""
    return Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()[0]


def test_an_error_keeps_the_design_and_names_it_last(tmp_path: Path) -> None:
    broken = (
        "from raidtui.tui.screens.disks.screen import DisksScreen; from raidtui.cli.main import main; import sys\n"
        "def broken(self): raise KeyError(0)\n"
        "DisksScreen.action_sort = broken; sys.exit(main())"
    )
    with on_pty(APP, tmp_path, XTERM, program=("-c", broken)) as terminal:
        terminal.finds(b"SIME26600001")
        os.write(terminal.near, b" s")
        assert terminal.ends() == 1
        assert terminal.left_over() == []
        last = terminal.written.splitlines()[-1].decode()
        assert last.strip() == (
            "raidtui: the design 4x(12+2)+4 is saved as kept-1: raidtui --inventory e2660 --design kept-1"
        )
    assert files(tmp_path) == ["XDG_STATE_HOME/raidtui/designs/kept-1.json"]
    with on_pty((*APP, "--design", "kept-1"), tmp_path, XTERM) as terminal:
        terminal.finds(b"Spares")
        assert b"59 chosen" in terminal.press(b"1") + terminal.read()


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_a_line_that_hangs_up_keeps_the_design(number: signal.Signals, tmp_path: Path) -> None:
    with on_pty(APP, tmp_path, XTERM) as terminal:
        terminal.finds(b"SIME26600001")
        os.write(terminal.near, b" ")
        terminal.finds(b"59 chosen")
        terminal.signal(number)
        assert terminal.ends() == 128 + number
        assert terminal.left_over() == []
    assert files(tmp_path) == ["XDG_STATE_HOME/raidtui/designs/kept-1.json"]


def test_a_terminal_of_no_pixels_keeps_its_mouse(tmp_path: Path) -> None:
    with on_pty(APP, tmp_path, XTERM) as terminal:
        terminal.finds(b"SIME26600001")
        os.write(terminal.near, b"\x1b[48;24;80;0;0t\x1b[<35;10;10M\x1b[<0;12;1M\x1b[<0;12;1m")
        terminal.finds(b"Arrays")  # the second tab, Design


@pytest.mark.parametrize("size", ["40", "500"])
def test_the_terminals_own_size_counts_not_the_environments(size: str, tmp_path: Path) -> None:
    with on_pty(APP, tmp_path, XTERM | {"COLUMNS": size, "LINES": size}) as terminal:
        terminal.finds(b"SIME26600001")
        terminal.press(b"?")
        terminal.resize(132, 43)
        terminal.finds(b"Esc closes")
        places = [int(row) for row, _ in _PLACE.findall(terminal.written)]
        assert 24 < max(places) <= 43


def walk(terminal: OnPty) -> bytes:
    """What the app writes from its start over every screen and two dialogs to its end."""
    terminal.finds(b"SIME26600001")
    for key in (b"i", b"q", b"2", b"3", b"4", b"5", b"6", b"7", b"8", b"?", b"q", b"q"):
        terminal.press(key)
    assert terminal.ends() == 0
    assert terminal.left_over() == []
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
