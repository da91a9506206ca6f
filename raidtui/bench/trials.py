"""Measurements of trials and drills: a profile's jobs on files, run by the benchmark engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from raidtui.bench import prepare, store
from raidtui.bench.plan import BenchOptions
from raidtui.bench.prepare import prepare_plan
from raidtui.bench.targets import places_of_plan
from raidtui.engine.folders import ControlRequest, at_work
from raidtui.engine.process import Requests
from raidtui.engine.site import Site, site_of_run
from raidtui.machine.system.files import save_document
from raidtui.values.bench import Pattern, Profile
from raidtui.values.errors import BadInput, Exit, MachineFailed
from raidtui.values.findings import errors, refused
from raidtui.values.inventory import Inventory
from raidtui.values.plan import Plan
from raidtui.values.trials import Workload

Inventories = Callable[[Plan], Inventory]


@dataclass(frozen=True, slots=True, kw_only=True)
class MountedTrial:
    """Mounted file system to measure: the first of its plan."""

    plan: Plan
    folder: Path
    """for the measurement's files; empty or missing"""


MeasureMounted = Callable[[MountedTrial], tuple[Workload, ...]]
"""runs the user's workloads on a mounted file system and removes their files: the result of each; raises MachineFailed,
Interrupted when it is asked to stop"""


class Interrupted(Exception):
    """A stop was requested during a measurement."""


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
        request: Requests = ControlRequest,
    ) -> None:
        """`during_sync`: measures during a rebuild and labels the figures.

        `start`: the present time of the simulated machine of a plan, seconds since 1970; without it, now; `request`:
        what is asked, of which a stop counts.
        """
        self._profile = files_only(profile)
        self._inventory = inventory
        self._ask = BenchOptions(seconds=seconds, repeats=repeats)
        self._during_sync = during_sync
        self._start = start
        self._request = request

    def __call__(self, mounted: MountedTrial) -> tuple[Workload, ...]:
        """See Measure."""
        prepared = self._prepared(mounted)
        if refused(prepared.findings):
            first = errors(prepared.findings)[0]
            raise MachineFailed(first.message, hint=first.way_out)
        folder = store.create_at(mounted.folder, prepared.bench)

        def stops() -> ControlRequest:
            return ControlRequest(stop=self._request().stop)

        with at_work(folder):
            result = prepare.begun(prepared.bench, prepared.order, folder, stops).run()
        if result.outcome == "stopped":
            raise Interrupted
        if result.outcome != "finished":
            raise MachineFailed(f"the benchmark {result.outcome}: {result.reason}", hint=f"its output is in {folder}")
        jobs = {task.number: task.job for task in result.bench.tasks}
        return tuple(
            Workload(job=jobs[figure.task].name, title=jobs[figure.task].title, figure=figure)
            for figure in result.figures
        )

    def _prepared(self, mounted: MountedTrial) -> prepare.Prepared:
        plan, inventory = mounted.plan, self._inventory(mounted.plan)
        if not plan.simulated:
            return prepare.prepare(
                places_of_plan(plan), inventory, self._profile, self._ask, plan=plan, during_sync=self._during_sync
            )
        start = self._start(plan) if self._start is not None else None
        return prepare_plan(plan, inventory, self._profile, self._ask, start=start)


def kept_profile(folder: Path, profile: Profile) -> None:
    """Copies the profile into the folder, where the executor reads it: later changes of the file have no effect."""
    save_document(folder / "profile.json", profile)


def profile_in(folder: Path) -> Profile:
    """The profile stored by `kept_profile`."""
    return prepare.load(str(folder / "profile.json"))


def patterns_in(folder: Path) -> dict[str, Pattern]:
    """Name to pattern of the jobs of the profile that was kept there; empty when there is none."""
    return {job.name: job.pattern for job in profile_in(folder).jobs} if (folder / "profile.json").exists() else {}


def measure_in(
    folder: Path, request: Requests, *, seconds: float | None, repeats: int | None, during_sync: bool = False
) -> BenchMeasure:
    """Measures the profile kept in `folder`, two levels below the runs, on the machine of each as it is then."""

    def site(plan: Plan) -> Site:
        return site_of_run(folder.parent.parent / plan.run_id, plan)

    return BenchMeasure(
        profile_in(folder), lambda plan: site(plan).inventory(plan), seconds=seconds, repeats=repeats,
        during_sync=during_sync, start=lambda plan: site(plan).reader().clock().timestamp(), request=request,
    )  # fmt: skip


def exit_of(outcome: str) -> Exit:
    """Exit code for the outcome of a benchmark, of trials or of a drill."""
    if outcome == "finished":
        return Exit.DONE
    return Exit.INTERRUPTED if outcome in ("stopped", "interrupted") else Exit.MACHINE
