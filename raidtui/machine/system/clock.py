"""This machine's clock; implements the port `Clock`."""

from __future__ import annotations

import threading
import time


class RealClock:
    """This machine's time, monotonic: setting the clock has no effect."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    def now(self) -> float:
        """See Clock."""
        return self._offset + time.monotonic()

    def wait(self, wake: threading.Condition, seconds: float) -> None:
        """See Clock."""
        wake.wait(seconds)
