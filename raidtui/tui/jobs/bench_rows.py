"""The tasks of a benchmark as rows of a table: waiting, running, measured beside predicted. Nothing here draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from statistics import median
from typing import Literal

from raidtui.model.bench import Compared, Figure, Task
from raidtui.planner.measurement.expected import Expected

State = Literal["waiting", "running", "done", "left out"]
_GRAVITY = ("low", "high", "ok", "not comparable", "no prediction")


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchRow:
    """One line of the table: a task, or one job on each disk alone."""

    tasks: tuple[Task, ...]
    """several only where each disk is read alone"""
    state: State
    done: int
    """tasks that have a figure"""
    expected: Expected | None
    """of the first task"""
    compared: Compared | None
    """of the task; of several the middle one, with the gravest verdict"""
    all_compared: tuple[Compared, ...] = ()
    """of every task that has a figure"""
    figure: Figure | None = None
    """of the task; the middle one of several"""

    @property
    def long_name(self) -> str:
        """What is run on what."""
        return name_of(self.tasks)

    @property
    def short_name(self) -> str:
        """The same by the job's name."""
        return name_of(self.tasks, short=True)


def name_of(tasks: Sequence[Task], *, short: bool = False) -> str:
    """What is run on what: the job's title, or its name."""
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
    """A row a task, in order; `at` is the number of the one that runs, `over` says that no other will."""
    found = []
    for _, group in groupby(tasks, key=_together):
        together = tuple(group)
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


def _together(task: Task) -> tuple[str, int]:
    return (task.job.name, 0) if task.target.kind == "disk" else ("", task.number)


def _state(tasks: Sequence[Task], done: int, *, at: int, over: bool) -> State:
    if not over and any(task.number == at for task in tasks):
        return "running"
    if done == len(tasks) or (done and over):
        return "done"
    passed = over or tasks[-1].number < at
    return "left out" if passed else "waiting"


def _middle(judged: Sequence[Compared]) -> Compared | None:
    """The one whose figure is the median (the lower of two), told with the gravest verdict of all."""
    if not judged:
        return None
    usual = median(each.measured for each in judged)
    one = min(judged, key=lambda each: (abs(each.measured - usual), each.task))
    gravest = min((each.verdict for each in judged), key=_GRAVITY.index)
    return replace(one, verdict=gravest)
