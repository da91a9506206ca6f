"""Benchmark targets: the design on a simulated chassis, the run just built, a directory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from raidtui.bench import prepare as bench_prepare
from raidtui.bench import store
from raidtui.bench.plan import BenchOptions
from raidtui.bench.prepare import Prepared, begins_after, load, names
from raidtui.bench.targets import BenchPlace, place_of, places_of_plan, plan_of_place
from raidtui.machine.system.places import benches_root, run_roots
from raidtui.predict.design import assess
from raidtui.session.jobs import Started, begin_job
from raidtui.values.arrays import ObservedArray
from raidtui.values.bench import Bench, Profile, Task
from raidtui.values.errors import RaidtuiError, Refused
from raidtui.values.findings import errors
from raidtui.values.members import disks_of

if TYPE_CHECKING:
    from raidtui.tui.jobs.session_app import SessionApp
    from raidtui.values.design import Design
    from raidtui.values.inventory import Disk
    from raidtui.values.plan import Plan
    from raidtui.values.prediction import Prediction


_SHOW_SECONDS = 60.0
"""real seconds that a simulated benchmark takes, whatever its simulated duration"""
_LEAST_SPEED = 2.0


def profiles() -> tuple[Profile, ...]:
    """The profiles that ship with raidtui, in recommended order."""

    return tuple(load(name) for name in names())


def targets(app: SessionApp) -> tuple[BenchTarget, ...]:
    """The targets that exist now, the most likely first."""
    plan = _built(app)
    if app.session.inventory.simulated:
        return (_simulated(app, plan),)
    found = [_real(app, f"run {plan.run_id[:8]}: {_mounts(plan)}", plan, lambda: places_of_plan(plan))] if plan else []
    taken = {each.mount_point for each in plan.filesystems} if plan is not None else set()
    for directory in _mounted(app):
        if directory not in taken:
            with suppress(RaidtuiError):  # a system file system, or not writable
                found.append(directory_target(app, directory))
    return tuple(found)


def directory_target(app: SessionApp, directory: str) -> BenchTarget:
    """A directory on a file system of this machine. Raises RaidtuiError if it cannot be measured."""
    place = place_of(Path(directory))
    plan = plan_of_place(place, run_roots())
    return _real(app, f"{place.path} ({place.mount.fstype})", plan, lambda: (place_of(Path(directory)),))


def _built(app: SessionApp) -> Plan | None:
    """The plan of the run on the Build screen, if it finished on the present machine."""
    watch = app.run_follower.watch
    if watch is None or watch.seen.run.outcome != "finished" or watch.seen.run.purpose == "undo":
        return None
    return watch.plan if watch.plan.simulated == app.session.inventory.simulated else None


def _mounts(plan: Plan) -> str:
    return ", ".join(made.mount_point for made in plan.filesystems) or "no file system"


def _mounted(app: SessionApp) -> Sequence[str]:
    uses = (use for disk in app.session.inventory.disks for use in disk.uses)
    return tuple(dict.fromkeys(use.where for use in uses if use.kind == "mounted"))


def _real(app: SessionApp, title: str, plan: Plan | None, places: Callable[[], tuple[BenchPlace, ...]]) -> BenchTarget:
    def prepare(profile: Profile) -> Ready:
        found = bench_prepare.prepare(places(), app.session.inventory, profile, BenchOptions(), plan=plan)
        return _ready(app, found)

    return BenchTarget(
        title=title,
        about="It writes its own files in its own directory and removes them; devices below are only read.",
        simulated=False,
        prepare=prepare,
    )


def _simulated(app: SessionApp, plan: Plan | None) -> BenchTarget:
    session = app.session
    what = "the design as if it were built"
    if plan is not None:
        states = {array.state for array in _standing(app, plan)} & {"failed", "degraded"}
        what = f"run {plan.run_id[:8]} {max(states, default='as it was built')}"

    def prepare(profile: Profile) -> Ready:
        built = _standing(app, plan) if plan is not None else ()
        bench_prepare.require_not_failed(built)
        design, disks, prediction = _meant(app, plan, built)
        decision = session.decision
        found = bench_prepare.prepare_simulated(
            session.inventory, design, disks, prediction, profile, BenchOptions(), mount_point=decision.mount_point,
            name=plan.name if plan is not None else decision.plan_name,
            plan_digest=plan.digest if plan is not None else "", start=_start(app, plan), found=built,
        )  # fmt: skip
        return _ready(app, found, max(found.seconds / _SHOW_SECONDS, _LEAST_SPEED))

    return BenchTarget(
        title=f"simulated {session.inventory.name}: {what}",
        about="No disk is used: the model simulates results and gauges, in less time than disks would take.",
        simulated=True,
        prepare=prepare,
    )


def _standing(app: SessionApp, plan: Plan) -> Sequence[ObservedArray]:
    """The arrays of a plan as they are, in its order; none where they were not found."""
    seen = app.array_follower.seen
    return bench_prepare.of_plan(plan, seen.arrays) if seen is not None else ()


def _start(app: SessionApp, plan: Plan | None) -> float | None:
    """When the benchmark of the run on the Build screen begins; None for now."""
    watch = app.run_follower.watch
    if plan is None or watch is None:
        return None
    return begins_after(watch.folder, app.bench_follower.root or benches_root(simulated=True), plan)


def _meant(
    app: SessionApp, plan: Plan | None, built: Sequence[ObservedArray]
) -> tuple[Design, tuple[Disk, ...], Prediction]:
    """Design, disks and prediction: the plan's on the disks that its arrays have now, else the present design's."""
    outcome = app.session.outcome
    if plan is None:
        if not outcome.prediction.arrays:
            raise Refused("the design is invalid", hint="change it on Design (2)")
        design = outcome.design
        return design, disks_of(design.layout, outcome.disks), outcome.assessed

    disks = bench_prepare.disks_of_plan(plan, built, app.session.inventory)
    decision = app.session.decision
    found = assess(
        plan.design, disks, plan.prediction, app.session.inventory, decision.assumptions, spread=decision.spread
    )
    return plan.design, disks, found


def _ready(app: SessionApp, found: Prepared, speed_up: float = 1.0) -> Ready:
    wrong = errors(found.findings)
    if wrong:
        raise Refused("; ".join(finding.message for finding in wrong), hint=wrong[0].way_out)
    bench, order, player = found.bench, store.ordered(found.order, found.bench), app.bench_follower
    simulated = bench.simulated

    def begin() -> tuple[Path, Started]:
        folder = (player.root or benches_root(simulated=simulated)) / bench.id
        made = partial(store.create_at, folder, bench, order)
        factor = speed_up if player.speed_up is None else player.speed_up
        return begin_job(made, "bench", order.digest, app.run_follower.launch, simulated=simulated, speed_up=factor)

    return Ready(
        bench=found.bench,
        seconds=found.seconds,
        bytes_used=found.bytes_used,
        begin=begin,
        notes=tuple(f"{finding.message} ({finding.way_out})" for finding in found.findings),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A benchmark that is ready to start."""

    bench: Bench
    seconds: float
    """estimated duration in total"""
    bytes_used: int
    """maximum space used"""
    begin: Callable[[], tuple[Path, Started]]
    """creates its directory and starts its executor; raises RaidtuiError"""
    notes: Sequence[str] = ()
    """warnings before the start"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchTarget:
    """A place where a benchmark can run."""

    title: str
    about: str
    """which files and devices it uses, in a sentence"""
    simulated: bool
    prepare: Callable[[Profile], Ready]
    """reads the machine's state, which may take seconds; raises RaidtuiError if the benchmark cannot run there"""


@dataclass(slots=True)
class BenchChoice:
    """The profile and the target chosen so far."""

    profiles: tuple[Profile, ...] = ()
    targets: tuple[BenchTarget, ...] = ()
    profile_at: int = 0
    target_at: int = 0
    ready: Ready | None = None
    """benchmark of the chosen profile and target; None while it is prepared and if it is refused"""
    refusal: str = ""
    """reason of the refusal"""

    @property
    def profile(self) -> Profile | None:
        """The chosen one."""
        return self.profiles[self.profile_at] if self.profiles else None

    @property
    def target(self) -> BenchTarget | None:
        """The chosen one."""
        return self.targets[self.target_at] if self.targets else None

    @property
    def tasks(self) -> Sequence[Task]:
        """The tasks that would run."""
        return self.ready.bench.tasks if self.ready is not None else ()
