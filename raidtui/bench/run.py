"""Runs a benchmark: every task in order, repeats, gauges every second, the result on disk after each figure.

What is asked of it is read ten times a second: to pause, to leave a task, to stop. Each aborts the running repeat and
removes its files; an aborted repeat is measured again or not at all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Literal

from raidtui.bench import store
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
from raidtui.bench.observed_limit import carried_over_links, observed_limit
from raidtui.bench.plan import SHORT_SECONDS
from raidtui.engine.folders import ControlRequest
from raidtui.machine.system import programs
from raidtui.machine.system.host import RealClock
from raidtui.machine.system.ports import Clock, Load, Running, Ticks
from raidtui.machine.system.versions import machine_facts
from raidtui.values.bench import Bench, BenchOutcome, BenchResult, Figure, Label, Repeat, Seen, Task, Unit
from raidtui.values.errors import MachineFailed, RaidtuiError
from raidtui.values.gauges import Scene, Tick
from raidtui.values.safe import safe

TICK_SECONDS = 1.0
"""between two readings of the gauges"""
_STEP = 0.1
_QUIET_SECONDS = 5.0
"""longest wait until other I/O and our own writeback end"""
_LONG_SECONDS, _SELDOM_SECONDS = 60.0, 10.0
"""a wait for a sync, which may take days, after which ticks are this far apart: one of 60 disks takes 13 KB"""
_QUIET_BYTES_PER_S = 2e6
"""sum over all disks of a target"""


class _Cut(Exception):
    """The running repeat was aborted."""


class _Stop(Exception):
    """A stop was requested."""


class _Next(Exception):
    """The next task was requested."""


class Benchmark:
    """One benchmark in its folder. `load` generates the load, `ticks` reads the gauges, `request` what is asked."""

    def __init__(
        self,
        bench: Bench,
        folder: Path,
        ticks: Ticks,
        load: Load,
        *,
        request: Callable[[], ControlRequest] = ControlRequest,
        during_sync: bool = False,
        clock: Clock | None = None,
    ) -> None:
        self.bench = bench
        self.folder = folder
        self._ticks = ticks
        self._load = load
        self._request = request
        self._during_sync = during_sync
        self._clock = clock or RealClock()
        self._on_event: Callable[[Event], None] = lambda _: None
        self._log: store.EventLog | None = None
        self._figures: dict[int, Figure] = {}
        self._window: list[Tick] = []
        self._measured: list[Tick] = []
        self._next_tick = 0.0
        self._failures: list[str] = []

    @property
    def scene(self) -> Scene:
        """Disks and arrays of its ticks."""
        return self._ticks.scene

    # The run.

    def run(self, on_event: Callable[[Event], None] = lambda _: None) -> BenchResult:
        """Runs all tasks and returns the stored result; each event is written to the folder, and passed to `on_event`.

        The caller holds the lock of the folder. Failures of tasks are in the result. Raises MachineFailed if the folder
        is not writable.
        """
        self._on_event = on_event
        self._figures = {figure.task: figure for figure in store.load(self.folder).figures}
        self._log = store.EventLog(self.folder, self.scene, simulated=self.bench.simulated)
        try:
            outcome, reason, named = self._run()
            result = self._result(outcome, reason)
            store.save(self.folder, result)
            self._tell(Ended(result=result, named=named))
        finally:
            self._log.close()
        return result

    def _run(self) -> tuple[BenchOutcome, str, bool]:
        """Runs every task; outcome, reason, and True if an event named each failure in it.

        Always ends the load and removes its files from the targets.
        """
        self._tell(Began(bench=self.bench, figures=self._ordered(), now=self._clock.now()))
        try:
            self._take()  # later ticks cover the time since this one
            for at, task in enumerate(self.bench.tasks):
                if not self._complete(task):
                    following = next((each for each in self.bench.tasks[at + 1 :] if not self._complete(each)), None)
                    self._task(task, following)
        except _Stop:
            return self._cleaned("stopped", "asked to stop")
        except RaidtuiError as problem:
            return self._cleaned("failed", problem.with_hint)
        except OSError as problem:
            return self._cleaned("failed", str(problem))
        except BaseException:
            self._cleaned("failed", "")
            raise
        if self._failures:
            return self._cleaned("failed", "; ".join(self._failures), named=True)
        return self._cleaned("finished", "")

    def _cleaned(self, outcome: BenchOutcome, reason: str, named: bool = False) -> tuple[BenchOutcome, str, bool]:
        try:
            self._load.clean()
        except MachineFailed as problem:
            outcome, reason, named = "failed", "; ".join(filter(None, (reason, problem.with_hint))), False
        return outcome, reason, named

    def _task(self, task: Task, following: Task | None) -> None:
        """Runs the remaining repeats of one task and reports its figure."""
        done = list(self._figures[task.number].repeats) if task.number in self._figures else []
        self._measured.clear()
        self._tell(TaskStarted(task=task, now=self._clock.now()))
        try:
            while len(done) < task.job.repeats:
                self._wait_while_paused(task)
                try:
                    repeat = self._repeat(task, len(done) + 1)
                except _Cut:
                    continue  # `_wait_while_paused` applies the request
                done.append(repeat)
                self._keep(task, done, partial=len(done) < task.job.repeats)
                self._tell(RepeatDone(task=task.number, number=len(done), repeat=repeat))
        except _Next:
            self._load.clean()
        except MachineFailed as problem:
            fatal = task.target.kind == "files" or not task.job.only_reads
            self._tell(TaskFailed(task=task.number, reason=problem.with_hint, fatal=fatal))
            if fatal:
                raise  # what is only read may fail by itself: a disk, an array
            self._failures.append(f"{task.job.name} on {task.target.name}: {problem.with_hint}")
            self._load.clean()
        self._load.done(task, following)
        if task.number in self._figures:
            self._tell(FigureDone(figure=self._figures[task.number]))

    def _repeat(self, task: Task, number: int) -> Repeat:
        """Prepares the target and measures once."""
        self._load.check(task)
        while (preparing := self._load.prepare(task)) is not None:
            self._watch(task, preparing, 0)
            preparing.outcome()
        self._load.settle(task)
        labels = self._quiet(task)
        self._load.check(task)
        raw = self.folder / store.raw_name(task.number, number)
        running = self._load.measure(task, number, raw)
        self._window.clear()
        self._watch(task, running, number)
        self._load.check(task)
        measured = running.outcome()
        self._window = [tick for tick in self._window if measured.began < tick.time - tick.seconds / 2 < measured.ended]
        self._measured += self._window
        labels = (*labels, *self._labels(task, measured))
        kept = raw.exists() and unit_of(task) != "files/s"
        printed = store.raw_name(task.number, number) if kept else ""
        return replace(measured, fio=printed, labels=tuple(dict.fromkeys(labels)))

    def _watch(self, task: Task, running: Running, repeat: int) -> None:
        """Reads the gauges until `running` ends. Raises _Cut on a request, after killing it."""
        self._tell(
            PhaseStarted(
                task=task.number, phase=running.phase, repeat=repeat, now=self._clock.now(), seconds=running.seconds
            )
        )
        try:
            while not running.ended():
                self._wait(task)
                if self._tick():
                    self._load.check(task)
        except BaseException:
            running.kill()
            raise

    def _wait(self, task: Task) -> None:
        """Waits one step. Raises _Cut on a request."""
        self._clock.wait(_STEP)
        if why := self._asked(task):
            self._tell(Abandoned(task=task.number, reason=why))
            raise _Cut

    def _asked(self, task: Task) -> Literal["", "stopped", "next job", "paused"]:
        """What aborts the task now."""
        request = self._request()
        if request.stop:
            return "stopped"
        if request.skip == task.number:
            return "next job"
        return "paused" if request.pause else ""

    def _wait_while_paused(self, task: Task) -> None:
        """Returns when the next repeat may start. Raises _Stop, _Next."""
        if self._asked(task) == "paused":
            self._load.clean()
            self._tell(Paused(task=task.number))
            while self._asked(task) == "paused":
                self._clock.wait(_STEP)  # without ticks: nobody may be there for days
            self._tell(Resumed(task=task.number))
        asked = self._asked(task)
        if asked == "stopped":
            raise _Stop
        if asked == "next job":
            raise _Next

    # Gauges.

    def _tick(self) -> bool:
        """Reads the gauges if a tick is due."""
        if self._clock.now() < self._next_tick:
            return False
        due = self._next_tick
        self._take()
        self._next_tick = max(due + TICK_SECONDS, self._clock.now() + TICK_SECONDS / 2)
        return True

    def _take(self) -> Tick:
        self._next_tick = self._clock.now() + TICK_SECONDS
        tick = self._ticks.take()
        self._window.append(tick)
        self._tell(Ticked(tick=tick))
        return tick

    def _quiet(self, task: Task) -> tuple[Label, ...]:
        """Waits until no array below the target syncs and its disks are idle. Returns labels for what remained."""
        announced = False
        began = self._clock.now()
        until = began + _QUIET_SECONDS
        while True:
            long = self._clock.now() - began > _LONG_SECONDS
            tick = self._interval(task, _SELDOM_SECONDS if long else TICK_SECONDS)
            busy = None if self._during_sync else self._syncing(task, tick)
            if busy and not announced:
                self._tell(Waiting(task=task.number, reason=f"{busy}; it would share the disks"))
                announced = True
            if busy:
                until = self._clock.now() + _QUIET_SECONDS
                continue
            moved = sum(
                gauge.read_bytes_per_s + gauge.write_bytes_per_s
                for name, gauge in tick.disks.items()
                if name in self._disks(task)
            )
            if moved <= _QUIET_BYTES_PER_S or self._syncing(task, tick):
                return ()
            if self._clock.now() >= until:
                return ("disturbed",)

    def _interval(self, task: Task, seconds: float) -> Tick:
        """Gauges of the next `seconds`. Raises _Cut on a request."""
        start = self._clock.now()
        self._take()
        while self._clock.now() < start + seconds:
            self._wait(task)
        return self._take()

    def _syncing(self, task: Task, tick: Tick) -> str | None:
        names = self._arrays(task)
        busy = [
            f"{name}: {array.sync_action}"
            for name, array in sorted(tick.arrays.items())
            if name in names and array.sync_action not in ("idle", "frozen", "")
        ]
        return ", ".join(busy) or None

    def _labels(self, task: Task, measured: Repeat) -> tuple[Label, ...]:
        labels = list(measured.labels)
        if self._load.simulated:
            labels.append("simulated")
        if measured.ended - measured.began < SHORT_SECONDS - 0.5:
            labels.append("short")
        names = self._arrays(task)
        if any(self._syncing(task, tick) for tick in self._window):
            labels.append("syncing")
        if any(array.degraded for tick in self._window for name, array in tick.arrays.items() if name in names):
            labels.append("degraded")
        return tuple(labels)

    def _disks(self, task: Task) -> frozenset[str]:
        wanted = set(task.target.disks)
        return frozenset(disk.name for disk in self.bench.disks if disk.id in wanted)

    def _arrays(self, task: Task) -> frozenset[str]:
        """Kernel names of the arrays below a target and of the arrays on them."""
        found = {task.target.array} | set(self._disks(task))
        for array in self._ticks.scene.arrays:  # an outer array comes after its members
            if found & {*array.members, *array.spares}:
                found.add(array.name)
        return frozenset(found)

    # Results.

    def _keep(self, task: Task, repeats: list[Repeat], *, partial: bool) -> None:
        self._figures[task.number] = figure_of(task, repeats, self._seen(task), partial=partial)
        store.save(self.folder, self._result("running", ""))

    def _seen(self, task: Task) -> Seen | None:
        """Bottleneck of this run's repeats, from their gauges; None without ticks."""
        if not self._measured:
            return None
        carried = carried_over_links(figure for number, figure in self._figures.items() if number != task.number)
        return observed_limit(self._ticks.scene, tuple(self._measured), task, self.bench.prediction, carried)

    def _complete(self, task: Task) -> bool:
        figure = self._figures.get(task.number)
        return figure is not None and len(figure.repeats) >= task.job.repeats

    def _ordered(self) -> tuple[Figure, ...]:
        return tuple(self._figures[number] for number in sorted(self._figures))

    def _result(self, outcome: BenchOutcome, reason: str) -> BenchResult:
        ended = "" if outcome == "running" else datetime.fromtimestamp(self._clock.now(), UTC).isoformat("T", "seconds")
        return BenchResult(bench=self.bench, figures=self._ordered(), outcome=outcome, reason=reason, ended=ended)

    def _tell(self, event: Event) -> None:
        if self._log is not None:
            self._log.write(event)
        self._on_event(event)


def unit_of(task: Task) -> Unit:
    """Unit of a task's figure."""
    match task.job.pattern:
        case "read" | "write":
            return "B/s"
        case "small-files":
            return "files/s"
        case _:
            return "IOPS"


def figure_of(task: Task, repeats: list[Repeat], seen: Seen | None, *, partial: bool) -> Figure:
    """The figure of a task from its repeats, at least one."""
    values = [repeat.value for repeat in repeats]
    middle = median(values)
    labels = [label for repeat in repeats for label in repeat.labels]
    return Figure(
        task=task.number,
        unit=unit_of(task),
        repeats=tuple(repeats),
        median=middle,
        spread=(max(values) - min(values)) / middle if middle else 0.0,
        labels=tuple(dict.fromkeys([*labels, "partial"] if partial else labels)),
        seen=seen,
    )


# Conditions of a benchmark: versions, and settings of arrays and disks that change its figures.


_ARRAY = (
    ("level", "md/level"), ("chunk", "md/chunk_size"), ("layout", "md/layout"),
    ("stripe_cache_size", "md/stripe_cache_size"), ("group_thread_cnt", "md/group_thread_cnt"),
    ("consistency_policy", "md/consistency_policy"), ("bitmap", "md/bitmap/location"), ("sync", "md/sync_action"),
    ("degraded", "md/degraded"), ("sync_speed_max", "md/sync_speed_max"), ("read_ahead_kb", "queue/read_ahead_kb"),
)  # fmt: skip
_DISK = (
    ("scheduler", "queue/scheduler"), ("read_ahead_kb", "queue/read_ahead_kb"), ("write_cache", "queue/write_cache"),
    ("nr_requests", "queue/nr_requests"), ("max_sectors_kb", "queue/max_sectors_kb"),
)  # fmt: skip
_VERSION_SECONDS = 20


def conditions(scene: Scene, disks: Iterable[str], root: str = "/") -> dict[str, str]:
    """Name to value, for all arrays of `scene` and for `disks` (kernel names); one entry for a value of all disks."""
    found = machine_facts(root)
    found |= {"kernel": os.uname().release, "fio": _version("fio"), "mdadm": _version("mdadm")}
    wanted = tuple(disks)
    for array in scene.arrays:
        for name, file in _ARRAY:
            found[f"{array.name} {name}"] = _line(Path(f"{root}/sys/block/{array.name}/{file}"))
    for name, file in _DISK:
        values = {disk: _line(Path(f"{root}/sys/block/{disk.replace('/', '!')}/{file}")) for disk in wanted}
        if len(set(values.values())) == 1:
            found[f"disks {name}"] = next(iter(values.values()))
        else:
            found |= {f"{disk} {name}": value for disk, value in values.items()}
    return {name: value for name, value in found.items() if value}


def _line(path: Path) -> str:
    try:
        text = safe(path.read_text(errors="replace").strip(), longest=120)
    except OSError:
        return ""
    chosen = next((word[1:-1] for word in text.split() if word.startswith("[") and word.endswith("]")), "")
    return chosen or text


def _version(name: str) -> str:
    """Version line of a program."""
    found = programs.find(name)
    if found is None:
        return ""
    try:
        done = programs.ask([found, "--version"], _VERSION_SECONDS)
    except (OSError, programs.Overdue):
        return ""
    lines = (done.stdout or done.stderr).strip().splitlines()
    return safe(lines[0].strip(), longest=80) if lines else ""
