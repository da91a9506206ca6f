"""Controls of a running benchmark, for any thread: pause, go, next job, stop."""

from __future__ import annotations

import threading


class Controls:
    """Thread-safe flags pause, next and stop; the benchmark's loop checks them and waits on `_changed`."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._paused = self._next = self._stopped = False

    def pause(self) -> None:
        """Aborts the present repeat, removes its files, and waits for `go`."""
        self._set(_paused=True)

    def go(self) -> None:
        """Continues after a pause."""
        self._set(_paused=False)

    def next_job(self) -> None:
        """Aborts the present task; its finished repeats count."""
        self._set(_next=True)

    def stop(self) -> None:
        """Aborts the present repeat and ends the run; finished repeats count."""
        self._set(_stopped=True)

    def _set(self, **flags: bool) -> None:
        with self._changed:
            for name, value in flags.items():
                setattr(self, name, value)
            self._changed.notify_all()
