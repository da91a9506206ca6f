"""Playback of a recorded benchmark: the same events in the same order, from its result and its gauges.

No load is run. Time may be scaled, and gaps without gauges are shortened.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from raidtui.machine.bench import store
from raidtui.machine.bench.controls import Controls
from raidtui.machine.bench.events import (
    Began,
    Ended,
    Event,
    FigureDone,
    Paused,
    PhaseStarted,
    RepeatDone,
    Resumed,
    TaskStarted,
    Ticked,
)  # fmt: skip
from raidtui.machine.gauges.recording import Replay
from raidtui.model.bench import BenchResult
from raidtui.model.errors import BadInput
from raidtui.model.gauges import Scene, Tick

SHOW_SECONDS = 60.0
"""real duration of a playback, whatever the recording's"""
LONGEST_GAP = 3.0
"""longest gap between two events, seconds of recorded time"""


class Playback(Controls):
    """Plays the benchmark in a folder. `speed`: recorded seconds per real second."""

    def __init__(
        self, folder: Path, *, speed: float | None = None, wait: Callable[[float], None] | None = None
    ) -> None:
        """Without `speed` the playback takes about a minute. `wait` waits real seconds; tests do not wait.

        Raises BadInput or MachineFailed if the recording cannot be read.
        """
        super().__init__()
        self.folder = folder
        self.result = store.load(folder)
        self._scene, ticks = _recorded(folder)
        self._events = timeline(self.result, ticks)
        whole = self._events[-1][0] - self._events[0][0] if self._events else 0.0
        self.speed = speed or max(whole / SHOW_SECONDS, 1.0)
        self._wait = wait

    @property
    def scene(self) -> Scene:
        """Disks and arrays of its ticks."""
        return self._scene

    def run(self, on_event: Callable[[Event], None]) -> BenchResult:
        """Passes every recorded event to `on_event`; returns the recorded result."""
        before = self._events[0][0] if self._events else 0.0
        on_event(Began(bench=self.result.bench, now=before))
        task = 0
        for at, event in self._events:
            self._pass(min(max(at - before, 0.0), LONGEST_GAP), task, on_event)
            if self._stopped:
                break
            if isinstance(event, TaskStarted):
                task, self._next = event.task.number, False
            before = at
            on_event(event)
        on_event(Ended(result=self.result))
        return self.result

    def _pass(self, seconds: float, task: int, on_event: Callable[[Event], None]) -> None:
        """Waits for recorded time to pass, longer while paused."""
        if self._wait is not None:
            self._wait(seconds / self.speed)
        with self._changed:
            until = time.monotonic() + (0 if self._wait else seconds / self.speed)
            while not self._hurried() and not self._paused and (left := until - time.monotonic()) > 0:
                self._changed.wait(left)
            if self._paused and not self._hurried():
                on_event(Paused(task=task))
                while self._paused and not self._hurried():
                    self._changed.wait()
                on_event(Resumed(task=task))
            if self._hurried():
                self._paused = False

    def _hurried(self) -> bool:
        return self._stopped or self._next


def _recorded(folder: Path) -> tuple[Scene, Sequence[Tick]]:
    """The gauges of the first start, then those of each resume."""
    paths = [folder / store.GAUGES, *sorted(folder.glob("gauges-*.jsonl"))]
    if not paths[0].exists():
        raise BadInput(f"no gauges were recorded in {folder}", hint=f"a benchmark's folder has {store.GAUGES}")
    replays = [Replay(path, torn_end=True) for path in paths]
    return replays[0].scene, [tick for replay in replays for tick in replay.all()]


def timeline(result: BenchResult, ticks: Iterable[Tick]) -> list[tuple[float, Event]]:
    """Every event with its time, in order: ticks, and the tasks, repeats and figures derived from the repeats.

    A task starts at the end of the previous one; the time until its first repeat is its preparation.
    """
    found: list[tuple[float, int, Event]] = [(tick.time, 1, Ticked(tick=tick)) for tick in ticks]
    tasks = {task.number: task for task in result.bench.tasks}
    ended = found[0][0] if found else 0.0
    for figure in result.figures:
        task = tasks[figure.task]
        found.append((ended, 5, TaskStarted(task=task, now=ended)))
        for number, repeat in enumerate(figure.repeats, 1):
            start = repeat.began - task.job.warm_up_seconds
            phase = PhaseStarted(
                task=task.number, phase="repeat", repeat=number, now=start, seconds=repeat.ended - start
            )
            found.append((start, 2, phase))
            found.append((repeat.ended, 3, RepeatDone(task=task.number, number=number, repeat=repeat)))
        ended = figure.repeats[-1].ended
        found.append((ended, 4, FigureDone(figure=figure)))
    return [(at, event) for at, _, event in sorted(found, key=lambda each: each[:2])]
