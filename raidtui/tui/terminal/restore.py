"""Two processes, each of which restores the terminal if the other one is killed.

After a signal that ends it Textual leaves raw mode, the alternate screen and mouse reporting on. The app therefore
runs in a child process; the parent waits, forwards every signal, and restores the terminal. A thread of the child
notices the end of the parent, restores the terminal and ends the app. A shell that leads the session may end with the
parent; the kernel then sends SIGHUP to the child, perhaps before that thread has run: see `_Ending`.

A shell stops the job with SIGTSTP and takes the terminal back as soon as the process that it knows has stopped: the
parent, which therefore stops after the app has restored the terminal and stopped, and continues it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import termios
import threading
import traceback
from collections.abc import Callable, Iterable
from types import FrameType

from raidtui.machine.system.programs import fork

_RESTORE = (
    b"\x1b[?2026l"  # show what was held back for one frame
    b"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1016l"  # mouse reporting off
    b"\x1b[?2004l\x1b[?1004l\x1b[?2048l\x1b[<u"  # bracketed paste, focus events, reports of size, kitty's keys off
    b"\x1b[?1049l\x1b[?25h\x1b[0m\r\x1b[K"  # leave the alternate screen, show the cursor, plain text, a clean line
)
_ENDING = (signal.SIGTERM, signal.SIGHUP)
"""signals on which the app restores the terminal itself if its parent is gone"""
_AWAITED = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}
_KEPT = (signal.SIGCHLD, signal.SIGTTIN, signal.SIGTTOU, signal.SIGURG)
"""signals that the parent does not forward"""
_OUTPUTS = (1, 2)
"""file descriptors: standard output and error"""
_GRACE = 10
"""seconds in which the app ends after its parent, with what it started"""


def guarded(app: Callable[[], int], keep: Callable[[], object] = lambda: None) -> int:
    """Runs `app` in a child process. Returns its exit code, or 128 + signal number if a signal ended it.

    `keep` is called before SIGTERM or SIGHUP ends it: it saves what would be lost.
    """
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    sys.stdout.flush()
    sys.stderr.flush()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored, the child would leave no exit code
    # in the child until its handlers are there, here for good
    masked = signal.pthread_sigmask(signal.SIG_BLOCK, _AWAITED)
    alive, held = os.pipe()  # the read end is at its end when the parent is
    ending = _Ending(os.getpid(), terminal, before, keep)

    def in_child() -> int:
        os.close(held)
        threading.Thread(target=ending.outlive, args=(alive,), daemon=True).start()
        return _child(app, ending, masked)

    child = fork(in_child)
    os.close(alive)
    status = _wait_for(child)
    os.close(held)
    if os.WIFSIGNALED(status):
        restore(terminal, before)
        return 128 + os.WTERMSIG(status)
    return os.waitstatus_to_exitcode(status)


def _wait_for(child: int) -> int:
    """Sends the signals that arrive on to `child` until it ends, and stops when it stops; its status, as of waitpid(2).

    A handler in Python would be too late for a signal that arrives right before the call of waitpid.
    """
    while True:
        number = signal.sigwait(_AWAITED)
        if signal.SIGCONT in signal.sigpending():
            os.kill(child, signal.SIGCONT)  # the group continues: a stop of the child is over, or will be at once
        if number not in _KEPT:
            os.kill(child, number)
        while (found := os.waitpid(child, os.WNOHANG | os.WUNTRACED)) != (0, 0):
            if not os.WIFSTOPPED(found[1]):
                return found[1]
            stop()
            os.kill(child, signal.SIGCONT)


def stop() -> None:
    """Stops this process until SIGCONT; not where no shell could continue it: the kernel ignores SIGTSTP there."""
    before = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGTSTP)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTSTP})
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTSTP})
    signal.signal(signal.SIGTSTP, before)


def restore(terminal: int, before: list[object]) -> None:
    """Restores the modes in `before` (from tcgetattr) and switches off what the app switched on."""
    os.write(terminal, _RESTORE)
    termios.tcsetattr(terminal, termios.TCSAFLUSH, before)  # type: ignore[arg-type]


class _Ending:
    """How the child ends if the parent cannot restore the terminal any more."""

    def __init__(self, parent: int, terminal: int, before: list[object], keep: Callable[[], object]) -> None:
        self._parent_pid, self._terminal, self._before, self._keep = parent, terminal, before, keep

    def outlive(self, alive: int) -> None:
        """Waits for the end of the parent; then restores the terminal and ends this process as Ctrl-C would."""
        os.read(alive, 1)
        self._restore()
        os.kill(os.getpid(), signal.SIGINT)

    def by_signal(self, number: int, frame: FrameType | None) -> None:
        """Signal handler: ends this process by `number`, after it has restored the terminal if the parent is gone."""
        del frame
        if os.getppid() != self._parent_pid:
            signal.signal(signal.SIGCONT, signal.SIG_IGN)  # Textual would take the terminal again
            self._restore()
        signal.signal(number, signal.SIG_IGN)  # the parent forwards what the group got too
        with contextlib.suppress(Exception):  # it interrupts the app anywhere
            self._keep()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    def _restore(self) -> None:
        """Restores the terminal, to which no other thread writes from then on.

        The process has its grace from then on: a terminal stopped by Ctrl-S takes nothing.
        """
        signal.alarm(_GRACE)
        with contextlib.suppress(OSError, termios.error):  # the terminal may be gone too
            nowhere = os.open(os.devnull, os.O_WRONLY)
            for output in _OUTPUTS:
                os.dup2(nowhere, output)
            os.write(self._terminal, _RESTORE)
            if not self._another_has_it():
                termios.tcsetattr(self._terminal, termios.TCSAFLUSH, self._before)  # type: ignore[arg-type]

    def _another_has_it(self) -> bool:
        """True if a shell has the terminal again: it has restored its modes, and may be reading a line in others."""
        try:
            return os.tcgetpgrp(self._terminal) != os.getpgrp()
        except OSError:  # the session's leader has ended: no process has it
            return False


def stop_in_background() -> None:
    """Stops this process until it has the terminal: a shell may continue it without."""
    terminal = sys.stdin.fileno()
    with contextlib.suppress(OSError):  # there is no other process that could have it
        while os.tcgetpgrp(terminal) != os.getpgrp():
            os.kill(os.getpid(), signal.SIGSTOP)


def _child(app: Callable[[], int], ending: _Ending, masked: Iterable[int]) -> int:
    for number in _ENDING:
        signal.signal(number, ending.by_signal)
    signal.pthread_sigmask(signal.SIG_SETMASK, {*masked, signal.SIGTSTP})  # a thread of the app waits for it
    try:
        return app()
    except KeyboardInterrupt:
        return 130
    except Exception:
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
