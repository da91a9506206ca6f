"""The process that carries out a tuning, a sweep of settings or a drill: the lock, signals, and wishes of viewers."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from raidtui.machine.run import requests
from raidtui.machine.run.executor_process import heed_signals
from raidtui.machine.run.requests import Wish
from raidtui.machine.run.run_folders import at_work
from raidtui.machine.run.site import locked
from raidtui.machine.system.state_paths import REAL_LOCK

_LOOK_SECONDS = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What such a process has."""

    lock: int
    """descriptor of the lock of the one run at a time, held"""
    wish: Callable[[], Wish]
    """what viewers and signals ask for"""


@contextlib.contextmanager
def session(folder: Path, root: Path, *, simulated: bool, stop: Callable[[], None]) -> Iterator[Session]:
    """Holds the lock, marks `folder` as worked on, and calls `stop` once when somebody wants it to end.

    SIGTERM and SIGINT mean: end, and put everything back first. SIGHUP means nothing. `root`: the directory of runs.
    """
    os.umask(0o077)
    asked = heed_signals()
    over = threading.Event()

    def wish() -> Wish:
        said = requests.read(folder)
        return replace(said, stop=said.stop or bool(asked))

    def look() -> None:
        while not over.wait(_LOOK_SECONDS):
            if wish().stop:
                stop()
                return

    with locked(root / "lock" if simulated else REAL_LOCK) as lock, at_work(folder):
        watcher = threading.Thread(target=look, name="wishes", daemon=True)
        watcher.start()
        try:
            yield Session(lock=lock, wish=wish)
        finally:
            over.set()
            watcher.join()
