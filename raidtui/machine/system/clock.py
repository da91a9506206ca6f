"""This machine's time, behind the port `Clock`."""

from __future__ import annotations

import threading
import time


class RealClock:
    """This machine's time; a clock that is set meanwhile does not matter."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    def now(self) -> float:
        """See Clock."""
        return self._offset + time.monotonic()

    def wait(self, wake: threading.Condition, seconds: float) -> None:
        """See Clock."""
        wake.wait(seconds)
