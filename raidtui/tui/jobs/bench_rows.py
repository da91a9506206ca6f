"""Benchmark tasks as table rows: waiting, running, measured beside predicted. Nothing here draws."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from statistics import median
from typing import Literal

from raidtui.model.bench import Compared, Figure, Task
from raidtui.planner.measurement.expected import Expected

RowState = Literal["waiting", "running", "done", "left out"]
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
    passed = over or tasks[-1].number < at
    return "left out" if passed else "waiting"


def _middle(judged: Sequence[Compared]) -> Compared | None:
    """The comparison with the median value (the lower of two) and the worst verdict of all."""
    if not judged:
        return None
    usual = median(each.measured for each in judged)
    one = min(judged, key=lambda each: (abs(each.measured - usual), each.task))
    gravest = min((each.verdict for each in judged), key=_GRAVITY.index)
    return replace(one, verdict=gravest)
