"""Measurements of trials and drills: a profile's jobs on files, run by the benchmark engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from raidtui.machine.bench import prepare, profiles, store
from raidtui.machine.bench.benchmark import Benchmark
from raidtui.machine.bench.events import Event
from raidtui.machine.bench.simulated_start import prepare_plan
from raidtui.machine.bench.targets import places_of_plan
from raidtui.machine.system.documents import save_document
from raidtui.machine.trials.tuning import Interrupted, MountedTrial
from raidtui.model.bench import Pattern, Profile
from raidtui.model.errors import BadInput, MachineFailed
from raidtui.model.finding import errors, refused
from raidtui.model.inventory import Inventory
from raidtui.model.plan import Plan
from raidtui.model.tune import Workload
from raidtui.planner.measurement.bench_plan import BenchOptions

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
    return profiles.load(str(folder / "profile.json"))


def patterns_in(folder: Path) -> dict[str, Pattern]:
    """Name to pattern of the jobs of the profile that was kept there; empty when there is none."""
    return {job.name: job.pattern for job in profile_in(folder).jobs} if (folder / "profile.json").exists() else {}
