"""The real program on a pseudo-terminal: what it writes, in which modes it leaves the terminal, what stays behind."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import signal
import socket
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).resolve().parents[3]
SHELL = Path(__file__).with_name("job_shell.py")
PATIENCE = 60.0
"""seconds after which a test gives up"""
TYPING = 0.25
"""seconds between two keys"""
QUIET = 0.6
"""seconds without output after which the screen is complete"""
_ON = (b"?1049h", b"?1000h", b"?1003h", b"?1006h", b"?1015h", b"?2004h", b"?1004h", b"?2026h", b"?25l")
"""modes that the app switches on, and off at its end"""


class OnPty:
    """A running program and its terminal."""

    def __init__(self, process: subprocess.Popen[bytes], near: int, far: int, shell: socket.socket) -> None:
        self.process, self.near, self.far, self.shell = process, near, far, shell
        self.before: list[object] = termios.tcgetattr(far)
        self.written = b""
        """everything written so far"""

    def read(self) -> bytes:
        """Output until nothing more comes."""
        found, end = b"", time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if not select.select([self.near], [], [], QUIET)[0]:
                break
            found += os.read(self.near, 65536)
        self.written += found
        return found

    def finds(self, wanted: bytes) -> bytes:
        """Output until `wanted` was written and nothing more comes."""
        found, end = b"", time.monotonic() + PATIENCE
        while wanted not in found and time.monotonic() < end:
            found += self.read()
        assert wanted in found, found[-2000:]
        return found

    def press(self, key: bytes) -> bytes:
        """Types `key`; returns what is written within a short time."""
        os.write(self.near, key)
        found, end = b"", time.monotonic() + TYPING
        while (left := end - time.monotonic()) > 0:
            if select.select([self.near], [], [], left)[0]:
                found += os.read(self.near, 65536)
        self.written += found
        return found

    def ends(self) -> int:
        """Waits for the end; returns the exit code."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < end:
            self.press(b"")
        self.read()
        return self.process.wait(1)

    def resize(self, columns: int, rows: int) -> None:
        """Changes the size of the terminal; the kernel tells the program."""
        fcntl.ioctl(self.near, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def signal(self, number: signal.Signals) -> None:
        """Sends a signal to parent and app, as the terminal does."""
        os.killpg(self.parent_and_app()[0], number)

    def stops(self) -> bool:
        """True once the shell has seen the program stop; reads meanwhile what it writes before that."""
        end = time.monotonic() + PATIENCE
        while not select.select([self.shell], [], [], 0)[0] and time.monotonic() < end:
            self.press(b"")
        return bool(select.select([self.shell], [], [], 0)[0]) and self.shell.recv(16) == b"stopped"

    def continues(self, how: Literal["fg", "bg"] = "fg") -> None:
        """Continues the program, which has stopped."""
        self.shell.send(how.encode())

    def left_over(self) -> list[str]:
        """The modes that the program switched on and left on, and settings of the line that it left changed."""
        odd = []
        for mode in _ON:
            on, off = mode, mode[:-1] + (b"h" if mode.endswith(b"l") else b"l")
            if self.written.rfind(b"\x1b[" + off) < self.written.rfind(b"\x1b[" + on):
                odd.append(mode.decode("ascii"))
        return odd + (["settings of the line"] if termios.tcgetattr(self.far) != self.before else [])

    def parent_and_app(self) -> tuple[int, int]:
        """The process that waits, the child of the shell, and the one that draws, its child."""
        parent = _child(self.process.pid)
        return parent, _child(parent)


def _child(process: int) -> int:
    (child,) = Path(f"/proc/{process}/task/{process}/children").read_text("ascii").split()
    return int(child)


@contextlib.contextmanager
def on_pty(
    words: Sequence[str],
    home: Path,
    environ: Mapping[str, str],
    *,
    size: tuple[int, int] = (80, 24),
    program: Sequence[str] = ("-m", "raidtui"),
) -> Iterator[OnPty]:
    """`python -m raidtui WORDS` on a terminal of its own, with its files below `home`."""
    near, far = pty.openpty()
    fcntl.ioctl(far, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    places = {name: str(home / name) for name in ("HOME", "TMPDIR", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
    for place in places.values():
        Path(place).mkdir(exist_ok=True)
    ours, shells = socket.socketpair()
    process = subprocess.Popen(
        # the shell leads the session, as a login does: the end of a leader would hang the terminal up
        ["setsid", "--ctty", sys.executable, "-I", "-S", str(SHELL), str(shells.fileno()),
         sys.executable, *program, *words],
        stdin=far, stdout=far, stderr=far, pass_fds=(shells.fileno(),), cwd=home,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **places, **environ},
    )  # fmt: skip
    with ours, shells:
        try:
            yield OnPty(process, near, far, ours)
        finally:
            process.kill()
            process.wait()
            os.close(near)
            os.close(far)
