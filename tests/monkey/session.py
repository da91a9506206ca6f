"""Plays a session on a terminal of its own, and judges it: it answers to its end, and leaves the terminal as it was."""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import tempfile
import termios
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from raidtui.tui.terminal.keyboard import LONGEST_GAP
from tests.monkey.acts import Session
from tests.tui.terminal.on_pty import OnPty, on_pty

PATIENCE = 60.0
"""seconds after which a program that does not answer is frozen"""
_ESCAPE = 0.7
"""seconds after which an Esc is one on every line"""
_CODE = re.compile(rb"\x1b\[[0-9;?<>=$ ]*[@-~]|\x1b\][^\x07]*\x07|\x1b[=>78]")
_PLACE = re.compile(r"raidtui/\S+\.py:\d+ in \w+")
_WORDS = 800
"""characters of the last words of a session that failed"""
_PHRASE = re.compile(rb"type the phrase: ([^\]]{5,60}?) \]")
_FIRST, _SMALL = 200, 12
"""characters of which some are of the first picture; lines or columns below which it has fewer"""
_BUSY = 0.3
"""share of a processor that an app nobody talks to does not need"""


@dataclass(frozen=True)
class Fault:
    """What was wrong."""

    what: str
    shown: str = ""
    """the last lines that it wrote"""


class _Over(Exception):
    """The program has ended."""


class _Wrong(Exception):
    """The program has a fault."""


def play(session: Session, *, program: tuple[str, ...] = ("-m", "raidtui")) -> Fault | None:
    """Plays `session`; its fault, None if there is none. `program`: words after Python's."""
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        words = ("--inventory", session.chassis)
        with on_pty(words, home, session.environ, size=session.size, program=program) as terminal:
            try:
                _begin(terminal)
                with contextlib.suppress(_Over):
                    for act in session.acts:
                        _do(terminal, *act)
                        _drain(terminal, 0.02)
                    _end(terminal, session.ending, pasting=_is_pasting(session))
                return _judged(terminal, session, home)
            except _Wrong as wrong:
                return Fault(str(wrong), _tail(terminal))
            finally:
                _clear_up(home)


def _begin(terminal: OnPty) -> None:
    """Waits for the first picture, or for the sentence of a terminal that is too small."""
    least = _FIRST if min(os.get_terminal_size(terminal.near)) > _SMALL else 1
    _until(terminal, lambda: b"?1049h" in terminal.written and len(_text(terminal)) >= least, "it does not begin")


def _do(terminal: OnPty, kind: str, value: object) -> None:
    match kind, value:
        case "type", bytes(keys):
            _write(terminal, keys)
        case "drip", bytes(keys):
            for key in keys:
                _write(terminal, bytes((key,)))
                _drain(terminal, 0.004)
        case "resize", (int(columns), int(rows)):
            terminal.resize(columns, rows)
        case "signal", str(name):
            _signal(terminal, name)
        case "stop", (str(name), str(how)):
            _stop(terminal, name, how)
        case "wait", float(seconds):
            _drain(terminal, seconds)
        case "stall", float(seconds):
            time.sleep(seconds)
        case "phrase", None:
            if found := _PHRASE.findall(_text(terminal)):
                _write(terminal, b"\x1b[B\r" + found[-1].replace(b", then: ", b"\r") + b"\r")
        case _:
            raise AssertionError(kind, value)


def _write(terminal: OnPty, keys: bytes) -> None:
    """Types `keys`, and reads what is written meanwhile: neither side waits for the other."""
    end = time.monotonic() + PATIENCE
    while keys:
        if time.monotonic() > end:
            raise _Wrong("it takes no keys")
        _drain(terminal, 0.0)
        if select.select([], [terminal.near], [], 0.05)[1]:
            keys = keys[os.write(terminal.near, keys[:256]) :]


def _signal(terminal: OnPty, name: str) -> None:
    with contextlib.suppress(ProcessLookupError, ValueError):
        terminal.signal(signal.Signals[f"SIG{name}"])


def _stop(terminal: OnPty, name: str, how: str) -> None:
    """Stops it; by a signal that it can handle, the terminal is as it was. Then it continues."""
    _drain(terminal, 0.1)
    _signal(terminal, name)
    _stopped(terminal, name, how)


def _stopped(terminal: OnPty, name: str, how: str) -> None:
    _until(terminal, lambda: bool(select.select([terminal.shell], [], [], 0)[0]), f"it does not stop at SIG{name}")
    if terminal.shell.recv(16) != b"stopped":
        raise _Over
    _drain(terminal, 0.1)
    if name == "TSTP" and (odd := terminal.left_over()):
        raise _Wrong(f"stopped, it leaves {', '.join(odd)}")
    if how == "bg":
        terminal.continues("bg")
        _stopped(terminal, name, "fg")
        return
    terminal.continues("fg")
    # Until it has the terminal again, that takes Ctrl-C as a signal.
    _until(terminal, lambda: termios.tcgetattr(terminal.far) != terminal.before, "it does not continue")


def _is_pasting(session: Session) -> bool:
    """True if the end of a paste was never typed."""
    typed = b"".join(value for _, value in session.acts if isinstance(value, bytes))
    return typed.rfind(b"200~") > typed.rfind(b"201~")


def _end(terminal: OnPty, ending: str, *, pasting: bool) -> None:
    """Shows that it still answers, and leaves it."""
    if ending and ending != "PIPE":
        _signal(terminal, ending)
        _until(terminal, lambda: False, f"it does not end at SIG{ending}")
    _signal(terminal, "CONT")
    terminal.resize(80, 24)
    _drain(terminal, LONGEST_GAP + 1.5 if pasting else 0.5)
    _write(terminal, b"\x03")
    for page, key in (("Design", b"2"), ("Disks", b"1")):
        for _ in range(6):
            _write(terminal, b"\x1b")
            _drain(terminal, _ESCAPE)
        _write(terminal, key + b"?")
        _until(terminal, partial(_redrawn, terminal, f"Keys: {page}".encode()), f"it does not show {page} and its keys")
    _until(terminal, lambda: _is_calm(terminal), "it is busy although nobody does anything")
    for _ in range(10):
        _write(terminal, b"\x1b")
        _drain(terminal, _ESCAPE)
        for keys in (b"q", b"\r", b"leave\r"):
            _write(terminal, keys)
            _drain(terminal, 0.5)
    _until(terminal, lambda: False, "it cannot be left")


def _redrawn(terminal: OnPty, wanted: bytes) -> bool:
    """True if the whole picture, drawn again, has `wanted`."""
    before = len(terminal.written)
    _write(terminal, b"\x0c")
    _drain(terminal, 0.5)
    return wanted in _CODE.sub(b"", terminal.written[before:])


def _is_calm(terminal: OnPty) -> bool:
    def used() -> int:
        app = terminal.parent_and_app()[1]
        fields = Path(f"/proc/{app}/stat").read_text("utf-8").rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    try:
        before = used()
        _drain(terminal, 0.5)
        return (used() - before) / os.sysconf("SC_CLK_TCK") / 0.5 < _BUSY
    except (OSError, ValueError) as gone:
        raise _Over from gone


def _judged(terminal: OnPty, session: Session, home: Path) -> Fault | None:
    """The fault of a program that has ended."""
    code = terminal.process.wait(PATIENCE)
    with contextlib.suppress(_Over):
        _drain(terminal, 0.2)
    expected = {0}
    if b"^C" in terminal.written:  # typed while the line was that of the shell
        expected.add(128 + signal.SIGINT)
    if session.ending and session.ending != "PIPE":
        expected.add(128 + signal.Signals[f"SIG{session.ending}"])
    if b"Traceback" in terminal.written or code not in expected:
        return Fault(f"it ended with code {code}", _tail(terminal))
    if odd := terminal.left_over():
        return Fault(f"ended, it leaves {', '.join(odd)}", _tail(terminal))
    if left := [words for _, words in _processes(home) if "execute" not in words]:
        return Fault(f"it leaves processes: {left}")
    return None


def _until(terminal: OnPty, condition: Callable[[], bool], otherwise: str) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise _Wrong(otherwise)
        _drain(terminal, 0.05)


def _drain(terminal: OnPty, seconds: float) -> None:
    """Reads what is written for `seconds`. Raises _Over once the program has ended."""
    end = time.monotonic() + seconds
    while True:
        left = max(end - time.monotonic(), 0)
        if select.select([terminal.near], [], [], left)[0]:
            terminal.written += os.read(terminal.near, 65536)
        elif left == 0:
            break
    if terminal.process.poll() is not None:
        raise _Over


def _text(terminal: OnPty) -> bytes:
    return _CODE.sub(b"", terminal.written[-60_000:])


def _tail(terminal: OnPty) -> str:
    """The places of an error in the program, and the last words."""
    text = _CODE.sub(b"", terminal.written).decode("utf-8", "replace")
    places = dict.fromkeys(_PLACE.findall(text[text.find("Traceback") :])) if "Traceback" in text else ()
    return "\n".join((*places, text[-_WORDS:].strip()))


def _processes(home: Path) -> list[tuple[int, str]]:
    """Processes whose files are below `home`, with their words."""
    found = []
    for process in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if process.name.isdecimal() and f"XDG_STATE_HOME={home}/".encode() in (process / "environ").read_bytes():
                words = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
                if words:
                    found.append((int(process.name), words))
    return found


def _clear_up(home: Path) -> None:
    """Ends what goes on without the app: a simulated build."""
    for process, _ in _processes(home):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
