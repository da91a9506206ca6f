"""Events of a running benchmark, in order. Viewers draw them, `--json` prints one per line."""

from __future__ import annotations

from dataclasses import dataclass

from raidtui.model.bench import Bench, BenchResult, Figure, Repeat, Task
from raidtui.model.codec_rules import Value
from raidtui.model.gauges import Tick


@dataclass(frozen=True, slots=True, kw_only=True)
class Began(Value):
    """First event, also of a resumed run."""

    bench: Bench
    """the benchmark"""
    figures: tuple[Figure, ...] = ()
    """figures of an earlier run, if it is resumed"""
    now: float = 0.0
    """seconds since 1970"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskStarted(Value):
    """A task starts; its `Waiting`, `PhaseStarted` and `RepeatDone` events follow."""

    task: Task
    """which"""
    now: float = 0.0
    """seconds since 1970"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting(Value):
    """The measurement waits: an array syncs or the disks are in use."""

    task: int
    """number of the task"""
    reason: str
    """reason of the wait, as text"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseStarted(Value):
    """A phase of a task starts: fill files, precondition disks, wait for the common start, measure a repeat."""

    task: int
    """number of the task"""
    phase: str
    """`fill`, `precondition`, `waiting`, or `repeat`"""
    repeat: int = 0
    """from 1, of a repeat"""
    now: float = 0.0
    """seconds since 1970"""
    seconds: float = 0.0
    """duration with warm-up; an estimate, but exact for a repeat"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatDone(Value):
    """A finished repeat."""

    task: int
    """number of the task"""
    number: int
    """from 1"""
    repeat: Repeat
    """what it came to"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Abandoned(Value):
    """A repeat or preparation was aborted and its files removed; it is run again or not at all."""

    task: int
    """number of the task"""
    reason: str
    """paused, next job, stopped"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureDone(Value):
    """A task has a figure, stored in the result."""

    figure: Figure
    """what it came to"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFailed(Value):
    """A task failed: no figure, or one of fewer repeats than requested."""

    task: int
    """number of the task"""
    reason: str
    """reason, as text"""
    fatal: bool = False
    """True: the benchmark ends with it; False: the other tasks go on"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticked(Value):
    """The gauges, every second."""

    tick: Tick
    """of every disk and array of the scene"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused(Value):
    """The benchmark is paused until `go`."""

    task: int
    """number of the task that will continue"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed(Value):
    """The benchmark continues."""

    task: int
    """number of the task"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended(Value):
    """Last event; the load has ended and its files are removed."""

    result: BenchResult
    """the stored result"""
    named: bool = False
    """True: its reason is made of the failures of tasks that were not fatal, each of which was an event"""


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
