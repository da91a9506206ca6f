"""View of a benchmark: the state that follows from its events, and its tasks as table rows. It draws nothing."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import Literal, assert_never

from raidtui.bench import store
from raidtui.bench.compare import compare_result
from raidtui.bench.events import (
    Abandoned,
    Began,
    Ended,
    Event,
    FigureDone,
    Paused,
    PhaseStarted,
    RepeatDone,
    Resumed,
    TaskFailed,
    TaskStarted,
    Ticked,
    Waiting,  # fmt: skip
)
from raidtui.bench.expected import Expected, expected, loads_of
from raidtui.bench.observed_limit import carried_over_links, observed_limit
from raidtui.engine.folders import is_alive
from raidtui.machine.gauges.expected_load import ExpectedLoads, LoadSeen
from raidtui.machine.gauges.slow_disks import Laggard, SlowDiskWindow
from raidtui.session.jobs import Started
from raidtui.values.bench import Bench, BenchOutcome, BenchResult, Compared, Figure, Seen, Task
from raidtui.values.errors import MachineFailed
from raidtui.values.gauges import Scene, Tick

RowState = Literal["waiting", "running", "done", "left out", "not run"]
_GRAVITY = ("low", "high", "ok", "not judged", "not comparable", "no prediction")


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchRow:
    """One row of the table: a task, or a job that runs on each disk in turn."""

    tasks: tuple[Task, ...]
    """more than one only if each disk is read alone"""
    state: RowState
    done: int
    """number of tasks with a result"""
    expected: Expected | None
    """of the first task"""
    compared: Compared | None
    """comparison of the task; of several the median one, with the worst verdict"""
    all_compared: tuple[Compared, ...] = ()
    """comparison of every task with a result"""
    figure: Figure | None = None
    """of the task; the middle one of several"""

    @property
    def long_name(self) -> str:
        """Title of the job and name of its target."""
        return name_of(self.tasks)

    @property
    def short_name(self) -> str:
        """Name of the job and name of its target."""
        return name_of(self.tasks, short=True)


def name_of(tasks: Sequence[Task], *, short: bool = False) -> str:
    """Job and target: the job's title, or its name if `short`."""
    job = tasks[0].job
    where = tasks[0].target.name if len(tasks) == 1 else f"{len(tasks)} disks in turn"
    return f"{job.name if short else job.title}, {where}"


def rows(
    tasks: Sequence[Task],
    figures: Mapping[int, Figure],
    compared: Mapping[int, Compared],
    expected: Mapping[int, Expected],
    *,
    at: int,
    over: bool,
) -> tuple[BenchRow, ...]:
    """One row per task, in order; `at`: number of the running task, `over`: True if no other task will run."""
    found = []
    for together in row_tasks(tasks):
        done = [task for task in together if task.number in figures]
        judged = tuple(compared[task.number] for task in done if task.number in compared)
        middle = _middle(judged)
        found.append(
            BenchRow(
                tasks=together,
                state=_state(together, len(done), at=at, over=over),
                done=len(done),
                expected=expected.get(together[0].number),
                compared=middle,
                all_compared=judged,
                figure=figures[middle.task] if middle is not None else None,
            )
        )
    return tuple(found)


def row_tasks(tasks: Iterable[Task]) -> list[tuple[Task, ...]]:
    """The tasks of each row: one, or one job that reads each disk alone."""
    alone = groupby(tasks, key=lambda task: (task.job.name, 0) if task.target.kind == "disk" else ("", task.number))
    return [tuple(group) for _, group in alone]


def _state(tasks: Sequence[Task], done: int, *, at: int, over: bool) -> RowState:
    if not over and any(task.number == at for task in tasks):
        return "running"
    if done == len(tasks) or (done and over):
        return "done"
    if tasks[-1].number < at:
        return "left out"
    return "not run" if over else "waiting"


def _middle(judged: Sequence[Compared]) -> Compared | None:
    """The comparison with the median value (the lower of two) and the worst verdict of all."""
    if not judged:
        return None
    usual = median(each.measured for each in judged)
    one = min(judged, key=lambda each: (abs(each.measured - usual), each.task))
    gravest = min((each.verdict for each in judged), key=_GRAVITY.index)
    return replace(one, verdict=gravest)


KEPT_TICKS = 60
"""number of newest ticks that determine limit and laggards"""


class BenchView:
    """State of a benchmark: updated by every event, read by the screen when it draws."""

    def __init__(self, bench: Bench, scene: Scene, folder: Path) -> None:
        self.bench, self.scene, self.folder = bench, scene, folder
        self.figures: dict[int, Figure] = {}
        self.ticks: deque[Tick] = deque(maxlen=KEPT_TICKS)
        self.task: Task | None = None
        self.phase, self.repeat = "", 0
        self.task_began = 0.0
        """seconds since 1970"""
        self.paused = False
        self.waits_for = ""
        self.trouble: dict[int, str] = {}
        """reason why a task has no result, by its number"""
        self.outcome: BenchOutcome = "running"
        self.reason = ""
        self.ended = ""
        self.laggards: tuple[Laggard, ...] = ()
        """disks that were slower than their group in the newest ticks"""
        self.loads: Mapping[str, LoadSeen] = {}
        """what the members move and what is expected of them, while a repeat runs"""
        self._comparison = SlowDiskWindow(scene, window=KEPT_TICKS)
        self._expected_loads: ExpectedLoads | None = None
        self._window = 0
        """number of newest ticks that belong to the present repeat"""
        self._expected: dict[int, Expected | None] = {}
        self._compared: Mapping[int, Compared] = {}

    @property
    def busy(self) -> bool:
        """True until it ends, also while paused."""
        return self.outcome == "running"

    @property
    def result(self) -> BenchResult:
        """The result as it would be on disk now."""
        figures = tuple(self.figures[number] for number in sorted(self.figures))
        return BenchResult(
            bench=self.bench, figures=figures, outcome=self.outcome, reason=self.reason, ended=self.ended
        )

    @property
    def tick(self) -> Tick | None:
        """The newest tick."""
        return self.ticks[-1] if self.ticks else None

    @property
    def window(self) -> Sequence[Tick]:
        """The ticks of the present repeat."""
        return list(self.ticks)[len(self.ticks) - min(self._window, len(self.ticks)) :]

    @property
    def limit(self) -> Seen | None:
        """The observed limit now; after the end that of the last task."""
        if not self.busy:
            last = max(self.figures, default=0)
            return self.figures[last].seen if last else None
        if self.task is None or not self.window or self.phase != "repeat":
            return None
        carried = carried_over_links(each for number, each in self.figures.items() if number != self.task.number)
        return observed_limit(self.scene, self.window[-10:], self.task, self.bench.prediction, carried)

    def expected(self, task: Task) -> Expected | None:
        """The prediction for a task."""
        if task.number not in self._expected:
            self._expected[task.number] = expected(self.bench, task)
        return self._expected[task.number]

    @property
    def compared(self) -> Mapping[int, Compared]:
        """Every result so far compared with its prediction, by task number."""
        return self._compared

    def rows(self) -> tuple[BenchRow, ...]:
        """The rows of the table."""
        wanted = {task.number: found for task in self.bench.tasks if (found := self.expected(task)) is not None}
        at = self.task.number if self.task is not None else 0
        return rows(self.bench.tasks, self.figures, self._compared, wanted, at=at, over=not self.busy)

    def apply(self, event: Event) -> None:
        """Applies an event."""
        match event:
            case Began(figures=figures):
                self._take(figures)
            case TaskStarted(task=task, now=now):
                self.task, self.phase, self.repeat, self.waits_for, self.task_began = task, "", 0, "", now
                self._window = 0
            case Waiting(reason=reason):
                self.waits_for, self.phase = reason, "wait"
            case PhaseStarted(phase=phase, repeat=repeat):
                self.phase, self.repeat = phase, repeat
                self.waits_for, self._window, self.loads = "", 0, {}
                running = self.task if phase == "repeat" else None
                self._expected_loads = loads_of(self.bench, self.scene, running) if running is not None else None
            case RepeatDone() | Abandoned():
                self.phase, self.loads, self._expected_loads = "", {}, None
            case FigureDone(figure=figure):
                self._take((figure,))
            case TaskFailed(task=number, reason=reason):
                self.trouble[number] = reason
            case Ticked(tick=tick):
                self.ticks.append(tick)
                self._window += 1
                self._comparison.add(tick)
                self.laggards = self._comparison.laggards()
                if self._expected_loads is not None:
                    self._expected_loads.add(tick)
                    self.loads = self._expected_loads.now()
            case Paused():
                self.paused = True
            case Resumed():
                self.paused = False
            case Ended(result=result):
                self.outcome, self.reason, self.ended = result.outcome, result.reason, result.ended
                self.task, self.phase, self.paused = None, "", False
                self.loads, self._expected_loads = {}, None
                self._take(result.figures)
            case _:
                assert_never(event)

    def _take(self, figures: Sequence[Figure]) -> None:
        self.figures |= {figure.task: figure for figure in figures}
        self._compared = {each.task: each for each in compare_result(self.result)}


class BenchWatch:
    """Polls one benchmark; `look` reads files, so call it in a thread."""

    def __init__(self, folder: Path, started: Started | None = None) -> None:
        """`started`: its executor, if this app started it."""
        self.folder, self._started = folder, started
        self._reader = store.EventReader(folder)

    def look(self, seen: BenchView | None) -> tuple[BenchView | None, Sequence[Event]]:
        """What is known of it, None while it starts, and the events since the last look. Raises RaidtuiError."""
        # first: an executor that has exited has written everything
        busy = is_alive(self.folder) or (self._started is not None and self._started.running())
        if seen is None:
            if (scene := self._reader.scene) is None and busy:
                return None, ()
            result = store.load(self.folder)
            if scene is None:
                raise MachineFailed(result.reason)
            seen = BenchView(result.bench, scene, self.folder)
        found = self._reader.new(KEPT_TICKS)
        if not busy and not found:
            found = (Ended(result=store.load(self.folder)),)
        return seen, found
