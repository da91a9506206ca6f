"""What the Watch app really writes: bytes a tick, counted at the other end of a pseudo-terminal."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator

QUIET, LONG_QUIET = 0.04, 0.25
"""seconds without a byte after which a tick counts as drawn, mostly; and surely"""


class Terminal:
    """The app on a pseudo-terminal of its own."""

    def __init__(self, end: int, gate: int) -> None:
        self._end, self._gate = end, gate
        self.last = b""

    def read(self, quiet: float = QUIET) -> int:
        """Bytes written until there is quiet for so many seconds."""
        self.last = b""
        while select.select([self._end], [], [], quiet)[0]:
            self.last += os.read(self._end, 65536)
        return len(self.last)

    def wait_for(self, text: bytes) -> None:
        """Until `text` was written."""
        seen = b""
        while text not in seen:
            seen += os.read(self._end, 65536)
        self.read(LONG_QUIET)

    def press(self, keys: str) -> None:
        """Types, and waits until what follows is drawn."""
        os.write(self._end, keys.encode())
        self.read(LONG_QUIET)

    def tick(self, quiet: float = QUIET) -> int:
        """Bytes written for the next tick; where the machine is busy, some of them are found by the next call."""
        os.write(self._gate, b".")
        return self.read(quiet)

    def mean(self, ticks: int) -> float:
        """Bytes a tick, nothing before and nothing after missed or counted."""
        self.read(LONG_QUIET)
        return (sum(self.tick() for _ in range(ticks - 1)) + self.tick(LONG_QUIET)) / ticks


@contextlib.contextmanager
def watching(count: int, change: str, *, term: str, columns: int = 80, rows: int = 24) -> Iterator[Terminal]:
    """The app on `count` disks; it is ended afterwards."""
    end, app_end = pty.openpty()
    fcntl.ioctl(app_end, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    gate_read, gate = os.pipe()
    command = [sys.executable, "-m", "tests.tui.watch_child", str(count), change, str(gate_read)]
    environ = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    environ |= {"TERM": term, "TEXTUAL_FPS": "30"}
    with subprocess.Popen(
        command, stdin=app_end, stdout=app_end, stderr=app_end, env=environ, pass_fds=(gate_read,)
    ) as process:
        os.close(app_end)
        os.close(gate_read)
        terminal = Terminal(end, gate)
        try:
            terminal.wait_for(b"keys")
            yield terminal
        finally:
            process.terminate()
            with contextlib.suppress(OSError):
                while os.read(end, 65536):
                    pass
            os.close(gate)
    os.close(end)
