"""A driver that waits for keys without looking ten times a second.

Textual's input thread wakes every 0.1 s, so that a lone Esc is told from the beginning of a sequence; an app that shows
little spends half of its processor time on that. Nothing can be pending when nothing was typed for a while: then it is
enough to wake for the next byte, and once in a while for the end of the app.
"""

from __future__ import annotations

import selectors
import time
from types import SimpleNamespace

from textual.drivers import linux_driver

_QUIET = 1.0
"""seconds without a byte after which nothing is pending, and the longest wait then: an end may be as late"""


class _PatientSelector(selectors.SelectSelector):
    def __init__(self) -> None:
        super().__init__()
        self._heard = time.monotonic()

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        quiet = time.monotonic() - self._heard > _QUIET
        found = super().select(_QUIET if quiet and timeout is not None else timeout)
        if found:
            self._heard = time.monotonic()
        return found


class IdleDriver(linux_driver.LinuxDriver):
    """Textual's own, but for how long its input thread waits."""

    def run_input_thread(self) -> None:
        """What Textual does, with a selector that waits longer. (It takes it from its module's `selectors`.)"""
        patient = SimpleNamespace(SelectSelector=_PatientSelector, EVENT_READ=selectors.EVENT_READ)
        linux_driver.selectors = patient  # type: ignore[assignment,attr-defined]
        super().run_input_thread()
