"""Linux driver that waits for keys without polling ten times a second.

Textual's input thread wakes every 0.1 s, to distinguish a lone Esc from the start of a sequence; a mostly idle app
spends half of its CPU time on that. After some time without input nothing can be pending: waking for the next
byte, and now and then for the end of the app, is enough then.
"""

from __future__ import annotations

import os
import select
import selectors
import signal
import time
from types import SimpleNamespace

from textual import constants
from textual.drivers import linux_driver

from raidtui.tui.terminal.any_bytes import AnyBytesParser, forgiving_decoder
from raidtui.tui.terminal.slow_keys import SlowKeyParser

_QUIET = 1.0
"""seconds without input after which nothing is pending, and the timeout from then on: it bounds the delay at exit"""


SLOW_ESCAPE = 0.5
"""seconds that a lone Esc is waited for on a serial line (`Profile.apply`)"""


class PatientSelector(selectors.SelectSelector):
    """Waits longer once nothing was typed for a while; ends the app when its terminal is gone."""

    def __init__(self) -> None:
        super().__init__()
        self._heard = time.monotonic()

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """See selectors.BaseSelector."""
        quiet = time.monotonic() - self._heard > _QUIET
        found = super().select(_QUIET if quiet and timeout is not None else timeout)
        if found:
            self._heard = time.monotonic()
            if any(_hung_up(key.fd) for key, _ in found):
                os.kill(os.getpid(), signal.SIGHUP)  # no shell may be there that would get it
                time.sleep(_QUIET)
        return found


def _hung_up(terminal: int) -> bool:
    """True if the terminal is gone: it can be read forever, and has nothing to read."""
    poll = select.poll()
    poll.register(terminal, 0)
    return any(event & select.POLLHUP for _, event in poll.poll(0))


class IdleDriver(linux_driver.LinuxDriver):
    """Textual's Linux driver with a longer timeout of the input thread, which no byte ends."""

    def run_input_thread(self) -> None:
        """Runs Textual's input thread with a selector that waits longer, and a decoder and parser that take any byte.

        Textual finds them through its module's names.
        """
        parser = SlowKeyParser if constants.ESCAPE_DELAY >= SLOW_ESCAPE else AnyBytesParser
        linux_driver.XTermParser = parser  # type: ignore[attr-defined]
        linux_driver.getincrementaldecoder = forgiving_decoder  # type: ignore[assignment,attr-defined]
        patient = SimpleNamespace(SelectSelector=PatientSelector, EVENT_READ=selectors.EVENT_READ)
        linux_driver.selectors = patient  # type: ignore[assignment,attr-defined]
        super().run_input_thread()
