"""Events of a running benchmark, in order. Viewers draw them, `--json` prints them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidtui.values.bench import Bench, BenchResult, Figure, Repeat, Task
from raidtui.values.codec_rules import Value
from raidtui.values.gauges import Tick


@dataclass(frozen=True, slots=True, kw_only=True)
class Began(Value):
    """First event, also of a resumed run."""

    kind: Literal["began"] = "began"
    bench: Bench
    """the benchmark"""
    figures: tuple[Figure, ...] = ()
    """figures of an earlier run, if it is resumed"""
    now: float = 0.0
    """seconds since 1970"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskStarted(Value):
    """A task starts; its `Waiting`, `PhaseStarted` and `RepeatDone` events follow."""

    kind: Literal["task"] = "task"
    task: Task
    """which"""
    now: float = 0.0
    """seconds since 1970"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting(Value):
    """The measurement waits: an array syncs or the disks are in use."""

    kind: Literal["waiting"] = "waiting"
    task: int
    """number of the task"""
    reason: str
    """reason of the wait, as text"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseStarted(Value):
    """A phase of a task starts: fill files, precondition disks, measure a repeat."""

    kind: Literal["phase"] = "phase"
    task: int
    """number of the task"""
    phase: str
    """`fill`, `precondition`, or `repeat`"""
    repeat: int = 0
    """from 1, of a repeat"""
    now: float = 0.0
    """seconds since 1970"""
    seconds: float = 0.0
    """duration with warm-up; an estimate, but exact for a repeat"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatDone(Value):
    """A finished repeat."""

    kind: Literal["repeat"] = "repeat"
    task: int
    """number of the task"""
    number: int
    """from 1"""
    repeat: Repeat
    """what it came to"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Abandoned(Value):
    """A repeat or preparation was aborted and its files removed; it is run again or not at all."""

    kind: Literal["abandoned"] = "abandoned"
    task: int
    """number of the task"""
    reason: str
    """paused, next job, stopped"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureDone(Value):
    """A task has a figure, stored in the result."""

    kind: Literal["figure"] = "figure"
    figure: Figure
    """what it came to"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFailed(Value):
    """A task failed: no figure, or one of fewer repeats than requested."""

    kind: Literal["failed"] = "failed"
    task: int
    """number of the task"""
    reason: str
    """reason, as text"""
    fatal: bool = False
    """True: the benchmark ends with it; False: the other tasks go on"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticked(Value):
    """The gauges, every second."""

    kind: Literal["tick"] = "tick"
    tick: Tick
    """of every disk and array of the scene"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused(Value):
    """The benchmark is paused until `go`."""

    kind: Literal["paused"] = "paused"
    task: int
    """number of the task that will continue"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed(Value):
    """The benchmark continues."""

    kind: Literal["resumed"] = "resumed"
    task: int
    """number of the task"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended(Value):
    """Last event; the load has ended and its files are removed."""

    kind: Literal["ended"] = "ended"
    result: BenchResult
    """the stored result"""
    named: bool = False
    """True: its reason is made of the failures of tasks that were not fatal, each of which was an event"""


Event = (
    Began | TaskStarted | Waiting | PhaseStarted | RepeatDone | Abandoned | FigureDone | TaskFailed | Ticked | Paused
    | Resumed | Ended
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class TickPlace(Value):
    """Stands for a `Ticked` in the file of events."""

    tick: int
    """byte of the recording at which its line begins"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchEvent(Value):
    """A line of raidtui bench --json."""

    schema: Literal["raidtui/bench-event/1"] = "raidtui/bench-event/1"
    """format of this document"""
    simulated: bool
    """no disk of this machine has to do with it"""
    event: Event
    """what happened"""
