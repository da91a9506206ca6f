"""The process of a tuning or a drill: run lock, signals, requests of viewers."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from raidtui.machine.run.executor_process import install_signal_handlers, present_request
from raidtui.machine.run.requests import ControlRequest
from raidtui.machine.run.site import locked
from raidtui.machine.run.work_folder import at_work

_LOOK_SECONDS = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialSession:
    """Lock and requests of such a process."""

    lock: int
    """descriptor of the held run lock"""
    request: Callable[[], ControlRequest]
    """present request of viewers and signals"""


@contextlib.contextmanager
def session(folder: Path, run_lock: Path, *, stop: Callable[[], None]) -> Iterator[TrialSession]:
    """Holds the run lock and the lock of `folder`; calls `stop` once when a stop is requested.

    SIGTERM and SIGINT request a stop, which reverts all changes first. SIGHUP is ignored.
    """
    os.umask(0o077)
    signals = install_signal_handlers()
    with (
        locked(run_lock) as lock,
        at_work(folder),
        stopped_on_request(folder, signals, stop) as request,
    ):
        yield TrialSession(lock=lock, request=request)


@contextlib.contextmanager
def stopped_on_request(
    folder: Path, signals: Sequence[int], stop: Callable[[], None]
) -> Iterator[Callable[[], ControlRequest]]:
    """Calls `stop` once, from a thread, when a viewer or one of `signals` requests it. Yields the present request."""
    over = threading.Event()

    def request() -> ControlRequest:
        return present_request(folder, signals)

    def look() -> None:
        while not over.wait(_LOOK_SECONDS):
            if request().stop:
                stop()
                return

    watcher = threading.Thread(target=look, name="requests", daemon=True)
    watcher.start()
    try:
        yield request
    finally:
        over.set()
        watcher.join()
