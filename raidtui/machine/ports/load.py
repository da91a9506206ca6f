"""Port between a benchmark and its load generator: fio on this machine, or the model of a simulated one."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Protocol

from raidtui.model.bench import Repeat, Task


class Running(Protocol):
    """A started load."""

    phase: str
    """fill, precondition or repeat"""
    seconds: float
    """expected"""

    def ended(self) -> bool:
        """True after its own end; does not wait."""

    def kill(self) -> None:
        """Ends it and all its processes, also after its own end. Raises MachineFailed if they do not exit."""

    def outcome(self) -> Repeat:
        """Its measurement, after its end. Raises MachineFailed if it failed."""


class Load(Protocol):
    """Generates the load of tasks, one at a time."""

    simulated: bool
    """True if no disk is accessed"""

    def prepare(self, task: Task) -> Running | None:
        """Starts the next preparation of `task` (fill, precondition); None if it is ready to be measured."""

    def settle(self, task: Task) -> None:
        """Right before a repeat: syncs and drops caches. Raises MachineFailed if the target is gone."""

    def measure(self, task: Task, repeat: int, raw: Path) -> Running:
        """Starts a repeat; its output goes to the file `raw`."""

    def check(self, task: Task) -> None:
        """Raises MachineFailed if the target is no longer the one of the start."""

    def done(self, task: Task, following: Task | None) -> None:
        """Removes files of `task` that `following` does not need."""

    def clean(self) -> None:
        """Removes all its files from the targets; ignores missing ones. Raises MachineFailed."""


class Clock(Protocol):
    """Clock of a benchmark."""

    def now(self) -> float:
        """Seconds since 1970; never goes back."""

    def wait(self, wake: threading.Condition, seconds: float) -> None:
        """Waits `seconds`, or until `wake`, which the caller holds, is notified."""
