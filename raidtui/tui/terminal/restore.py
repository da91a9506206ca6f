"""Parent process that restores the terminal, however the app ends.

After SIGTERM, SIGHUP or SIGKILL Textual leaves raw mode, the alternate screen and mouse reporting on. The app
therefore runs in a child process; the parent waits, forwards signals, and restores the terminal.
"""

from __future__ import annotations

import os
import signal
import sys
import termios
from collections.abc import Callable
from types import FrameType

from raidtui.machine.system.programs import fork

_RESTORE = (
    b"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l"  # mouse reporting off
    b"\x1b[?2004l\x1b[?1004l"  # bracketed paste and focus events off
    b"\x1b[?1049l\x1b[?25h\x1b[0m\r\x1b[K"  # leave the alternate screen, show the cursor, plain text, a clean line
)
_HANDED_ON = (signal.SIGTERM, signal.SIGHUP)


def guarded(app: Callable[[], int]) -> int:
    """Runs `app` in a child process. Returns its exit code, or 128 + signal number if a signal ended it."""
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    sys.stdout.flush()
    sys.stderr.flush()
    signal.pthread_sigmask(signal.SIG_BLOCK, _HANDED_ON)  # until both processes have installed their handlers
    child = fork(lambda: _child(app))

    def hand_on(number: int, frame: FrameType | None) -> None:
        del frame
        os.kill(child, number)

    for number in _HANDED_ON:
        signal.signal(number, hand_on)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _HANDED_ON)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        return os.waitstatus_to_exitcode(status)
    restore(terminal, before)
    return 128 + os.WTERMSIG(status)


def restore(terminal: int, before: list[object]) -> None:
    """Restores the modes in `before` (from tcgetattr) and switches off what the app switched on."""
    os.write(terminal, _RESTORE)
    termios.tcsetattr(terminal, termios.TCSAFLUSH, before)  # type: ignore[arg-type]


def _child(app: Callable[[], int]) -> int:
    for number in _HANDED_ON:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _HANDED_ON)
    try:
        return app()
    except KeyboardInterrupt:
        return 130
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
