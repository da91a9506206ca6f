"""The door between a benchmark and what makes the load: fio on this machine, or the model of a simulated one."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from raidtui.model.bench import Label, Latency, Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What one repeat came to."""

    value: float
    """in the task's unit"""
    began: float
    """seconds since 1970, after the warm-up"""
    ended: float
    """seconds since 1970"""
    errors: int = 0
    """I/O errors"""
    latency: Latency | None = None
    """of its requests"""
    labels: tuple[Label, ...] = ()
    """what to know of it"""
    parts: dict[str, float] = field(default_factory=dict)
    """the same value by phase, where there are phases"""
    by_host: dict[str, float] = field(default_factory=dict)
    """the same by host, where several take part"""


class Running(Protocol):
    """A load that was started."""

    phase: str
    """fill, precondition or repeat"""
    seconds: float
    """expected"""

    def ended(self) -> bool:
        """True when it ended by itself; does not wait."""

    def kill(self) -> None:
        """Ends it now and returns when nothing of it runs; also after it ended. MachineFailed when it cannot be."""

    def outcome(self) -> Measured:
        """What it came to, after it ended. MachineFailed when that is nothing."""


class Load(Protocol):
    """Makes the load of tasks, one at a time."""

    simulated: bool
    """True when no disk is touched"""

    def prepare(self, task: Task) -> Running | None:
        """The next thing to do before a repeat of `task`: filling, conditioning; None when it is ready to measure."""

    def settle(self, task: Task) -> None:
        """Right before a repeat: writes what is dirty, drops what is cached. MachineFailed: the target is gone."""

    def measure(self, task: Task, repeat: int, raw: Path) -> Running:
        """Starts a repeat; all that is said goes to the file `raw`."""

    def check(self, task: Task) -> None:
        """Raises MachineFailed when the target is no longer what it was at the start."""

    def done(self, task: Task, following: Task | None) -> None:
        """Removes what `task` left and `following` does not need."""

    def clean(self) -> None:
        """Removes everything it ever made on a target. Never raises for what is already gone; MachineFailed else."""


class Clock(Protocol):
    """Time as a benchmark lives it."""

    def now(self) -> float:
        """Seconds since 1970; never goes back."""

    def wait(self, wake: threading.Condition, seconds: float) -> None:
        """Lets `seconds` pass, or less when `wake`, which the caller holds, is notified."""
