"""Measurements of trials and drills: a profile's jobs on files, run by the benchmark engine."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from raidtui.bench import prepare, store
from raidtui.bench.events import Event
from raidtui.bench.plan import BenchOptions
from raidtui.bench.prepare import prepare_plan
from raidtui.bench.run import Benchmark
from raidtui.bench.targets import places_of_plan
from raidtui.bench.tuning import Interrupted, MountedTrial
from raidtui.engine.folders import ControlRequest, at_work
from raidtui.engine.process import install_signal_handlers, present_request
from raidtui.engine.site import locked
from raidtui.machine.system.files import save_document
from raidtui.values.bench import Pattern, Profile
from raidtui.values.errors import BadInput, MachineFailed
from raidtui.values.findings import errors, refused
from raidtui.values.inventory import Inventory
from raidtui.values.plan import Plan
from raidtui.values.trials import Workload

Inventories = Callable[[Plan], Inventory]


def files_only(profile: Profile) -> Profile:
    """The profile with its jobs on files only. Raises BadInput if it has none."""
    jobs = tuple(job for job in profile.jobs if job.target == "files")
    if not jobs:
        raise BadInput(
            f"no job of the profile '{profile.name}' uses files",
            hint="raidtui bench --list shows the jobs of each profile",
        )
    return replace(profile, jobs=jobs)


class BenchMeasure:
    """Implements `tuning.Measure`: one benchmark per call, stored in the given folder."""

    def __init__(
        self,
        profile: Profile,
        inventory: Inventories,
        *,
        seconds: float | None = None,
        repeats: int | None = None,
        during_sync: bool = False,
        start: Callable[[Plan], float] | None = None,
        on_event: Callable[[Event], None] = lambda _: None,
    ) -> None:
        """`during_sync`: measures during a rebuild and labels the figures.

        `start`: the present time of the simulated machine of a plan, seconds since 1970; without it, now.
        """
        self._profile = files_only(profile)
        self._inventory = inventory
        self._ask = BenchOptions(seconds=seconds, repeats=repeats)
        self._during_sync = during_sync
        self._start = start
        self._on_event = on_event
        self._running: Benchmark | None = None
        self._stopped = False

    def __call__(self, mounted: MountedTrial) -> tuple[Workload, ...]:
        """See Measure."""
        prepared = self._prepared(mounted)
        if refused(prepared.findings):
            first = errors(prepared.findings)[0]
            raise MachineFailed(first.message, hint=first.way_out)
        folder = store.create_at(mounted.folder, prepared.bench)
        self._running = prepared.begin(folder)
        if self._stopped:
            raise Interrupted
        try:
            result = self._running.run(self._on_event)
        finally:
            self._running = None
        if result.outcome == "stopped":
            raise Interrupted
        if result.outcome != "finished":
            raise MachineFailed(f"the benchmark {result.outcome}: {result.reason}", hint=f"its output is in {folder}")
        jobs = {task.number: task.job for task in result.bench.tasks}
        return tuple(
            Workload(job=jobs[figure.task].name, title=jobs[figure.task].title, figure=figure)
            for figure in result.figures
        )

    def stop(self) -> None:
        """See Measure."""
        self._stopped = True
        if (running := self._running) is not None:
            running.stop()

    def _prepared(self, mounted: MountedTrial) -> prepare.Prepared:
        plan, inventory = mounted.plan, self._inventory(mounted.plan)
        if not plan.simulated:
            return prepare.prepare(
                places_of_plan(plan), inventory, self._profile, self._ask, plan=plan, during_sync=self._during_sync
            )
        start = self._start(plan) if self._start is not None else None
        return prepare_plan(plan, inventory, self._profile, self._ask, speed_up=0, start=start)


def kept_profile(folder: Path, profile: Profile) -> None:
    """Copies the profile into the folder, where the executor reads it: later changes of the file have no effect."""
    save_document(folder / "profile.json", profile)


def profile_in(folder: Path) -> Profile:
    """The profile stored by `kept_profile`."""
    return prepare.load(str(folder / "profile.json"))


def patterns_in(folder: Path) -> dict[str, Pattern]:
    """Name to pattern of the jobs of the profile that was kept there; empty when there is none."""
    return {job.name: job.pattern for job in profile_in(folder).jobs} if (folder / "profile.json").exists() else {}


# The process of a tuning or a drill: run lock, signals, requests of viewers.


_LOOK_SECONDS = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialSession:
    """Lock and requests of such a process."""

    lock: int
    """descriptor of the held run lock"""
    request: Callable[[], ControlRequest]
    """present request of viewers and signals"""


@contextlib.contextmanager
def session(folder: Path, run_lock: Path, *, stop: Callable[[], None]) -> Iterator[TrialSession]:
    """Holds the run lock and the lock of `folder`; calls `stop` once when a stop is requested.

    SIGTERM and SIGINT request a stop, which reverts all changes first. SIGHUP is ignored.
    """
    os.umask(0o077)
    signals = install_signal_handlers()
    with (
        locked(run_lock) as lock,
        at_work(folder),
        stopped_on_request(folder, signals, stop) as request,
    ):
        yield TrialSession(lock=lock, request=request)


@contextlib.contextmanager
def stopped_on_request(
    folder: Path, signals: Sequence[int], stop: Callable[[], None]
) -> Iterator[Callable[[], ControlRequest]]:
    """Calls `stop` once, from a thread, when a viewer or one of `signals` requests it. Yields the present request."""
    over = threading.Event()

    def request() -> ControlRequest:
        return present_request(folder, signals)

    def look() -> None:
        while not over.wait(_LOOK_SECONDS):
            if request().stop:
                stop()
                return

    watcher = threading.Thread(target=look, name="requests", daemon=True)
    watcher.start()
    try:
        yield request
    finally:
        over.set()
        watcher.join()
