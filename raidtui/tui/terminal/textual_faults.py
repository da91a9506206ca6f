"""Faults of Textual that raidtui works around, each with its number among Textual's issues and pull requests.

| number | what happens without this | where |
| --- | --- | --- |
| 6605 | keys that arrive together act in another order | `key_order` |
| 1582, 6298 | SIGTSTP is handled while the shell takes the terminal back: it stays raw, `fg` continues nothing | here |
| 1582 | a stray SIGCONT starts a second thread that reads keys | here |
| none | a paste whose end is lost on a noisy line takes all keys from then on | `keyboard` |
| none | a byte that is no UTF-8, or a key whose number is no character, ends the thread that reads keys | `keyboard` |
| 6706 | a terminal of 0 x 0 pixels ends the thread that reads keys, at the next movement of the mouse | `keyboard` |
| 4325 | an error of that thread ends the app with exit code 0 | here |
| 6153 | COLUMNS and LINES are believed against the terminal's own size | `profile` |
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import termios
import threading
from contextlib import suppress
from functools import partial

from textual.app import App

from raidtui.tui.terminal.restore import stop_in_background

INTERRUPTED = 128 + signal.SIGINT
"""exit code after SIGINT"""


class SoundApp(App[int]):
    """An app that stops and continues as shells expect, and whose exit code says that it failed."""

    @property
    def exit_code(self) -> int:
        """After it has run: 0 if it was left, 1 after an unexpected error, for which some threads set none."""
        return 1 if self.return_code is None else self.return_code

    def on_mount(self) -> None:
        """Takes over the signals of Textual's driver."""
        if not self.is_headless and signal.SIGTSTP in signal.pthread_sigmask(signal.SIG_BLOCK, ()):
            threading.Thread(target=self._await_stops, name="stops", daemon=True).start()
            loop = asyncio.get_running_loop()
            loop.add_signal_handler(signal.SIGCONT, self._continued)
            loop.add_signal_handler(signal.SIGINT, partial(self.exit, return_code=INTERRUPTED))

    def _await_stops(self) -> None:
        """Stops at each SIGTSTP, which is blocked: one that comes meanwhile is dropped when the process continues."""
        with suppress(RuntimeError):  # the app has ended
            while True:
                signal.sigwait({signal.SIGTSTP})
                self.call_from_thread(self._stop)

    def _stop(self) -> None:
        if self.is_running:  # else it ends, and would take the terminal again
            with self.suspend():
                os.kill(os.getpid(), signal.SIGSTOP)
                stop_in_background()

    def _continued(self) -> None:
        """After a stop: takes the terminal, which a shell may have reset, or draws what it may have drawn over."""
        if not self.is_running:
            return
        stop_in_background()
        if termios.tcgetattr(sys.stdin.fileno())[3] & termios.ICANON:
            with self.suspend():
                pass
        self.refresh(repaint=True, layout=True)
