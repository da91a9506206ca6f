"""What is asked of a benchmark while it runs, from any thread: pause, go on, next job, stop."""

from __future__ import annotations

import threading


class Asked:
    """Holds the wishes; whoever runs looks at them, and waits on `_wake` where it waits at all."""

    def __init__(self) -> None:
        self._wake = threading.Condition()
        self._paused = self._next = self._stopped = False

    def pause(self) -> None:
        """Abandons the present repeat, whose files are removed, and waits for `go`."""
        self._wish(_paused=True)

    def go(self) -> None:
        """Goes on after a pause."""
        self._wish(_paused=False)

    def next_job(self) -> None:
        """Abandons the present task; its finished repeats count."""
        self._wish(_next=True)

    def stop(self) -> None:
        """Abandons the present repeat and ends the run; what is done so far counts."""
        self._wish(_stopped=True)

    def _wish(self, **wishes: bool) -> None:
        with self._wake:
            for name, value in wishes.items():
                setattr(self, name, value)
            self._wake.notify_all()
