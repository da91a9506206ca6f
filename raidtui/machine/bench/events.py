"""What a benchmark tells while it runs, in the order it happens. Viewers draw it, `--json` prints it line by line."""

from __future__ import annotations

from dataclasses import dataclass

from raidtui.model.bench import Bench, BenchResult, Figure, Repeat, Task
from raidtui.model.codec_rules import Value
from raidtui.model.gauges import Tick


@dataclass(frozen=True, slots=True, kw_only=True)
class Began(Value):
    """First of all, also of a resumed run."""

    bench: Bench
    """what was asked"""
    figures: tuple[Figure, ...] = ()
    """those that an earlier run of it left, when it is resumed"""
    now: float = 0.0
    """seconds since 1970"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskStarted(Value):
    """A task is next; `Waiting`, `PhaseStarted` and `RepeatDone` of it follow."""

    task: Task
    """which"""
    now: float = 0.0
    """seconds since 1970"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting(Value):
    """Nothing is measured until something passes: an array syncs, others use the disks."""

    task: int
    """number of the task"""
    reason: str
    """what for, in words"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseStarted(Value):
    """A part of a task: files are filled, disks conditioned, a repeat is measured."""

    task: int
    """number of the task"""
    phase: str
    """`fill`, `precondition`, or `repeat`"""
    repeat: int = 0
    """from 1, of a repeat"""
    now: float = 0.0
    """seconds since 1970"""
    seconds: float = 0.0
    """how long it will take, warm-up included; an estimate but for a repeat"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatDone(Value):
    """A repeat that counts."""

    task: int
    """number of the task"""
    number: int
    """from 1"""
    repeat: Repeat
    """what it came to"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Abandoned(Value):
    """A repeat or a preparation that was cut off; its files are gone and it will be run again, if at all."""

    task: int
    """number of the task"""
    reason: str
    """paused, next job, stopped"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureDone(Value):
    """A task came to a figure; it is in the result on disk."""

    figure: Figure
    """what it came to"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFailed(Value):
    """A task came to no figure, or to one of fewer repeats than asked for."""

    task: int
    """number of the task"""
    reason: str
    """why, in words"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticked(Value):
    """The gauges, every second."""

    tick: Tick
    """of every disk and array of the scene"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused(Value):
    """Nothing runs until `go`."""

    task: int
    """number of the task that will go on"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed(Value):
    """It goes on."""

    task: int
    """number of the task"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended(Value):
    """Last of all; nothing runs and nothing is left on the target."""

    result: BenchResult
    """as it is on disk"""


Event = (
    Began | TaskStarted | Waiting | PhaseStarted | RepeatDone | Abandoned | FigureDone | TaskFailed | Ticked | Paused
    | Resumed | Ended
)  # fmt: skip

NAMES: dict[type, str] = {
    Began: "began",
    TaskStarted: "task",
    Waiting: "waiting",
    PhaseStarted: "phase",
    RepeatDone: "repeat",
    Abandoned: "abandoned",
    FigureDone: "figure",
    TaskFailed: "failed",
    Ticked: "tick",
    Paused: "paused",
    Resumed: "resumed",
    Ended: "ended",
}
"""event to its name in JSON lines"""
