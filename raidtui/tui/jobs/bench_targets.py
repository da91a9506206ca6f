"""Benchmark targets: the design on a simulated chassis, the run just built, a directory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from raidtui.machine.bench import prepare as bench_prepare
from raidtui.machine.bench import store
from raidtui.machine.bench.prepare import Prepared
from raidtui.machine.bench.targets import Place, place_of, places_of_plan
from raidtui.machine.run.site import simulated_root
from raidtui.model.bench import Profile
from raidtui.model.errors import RaidtuiError, Refused
from raidtui.planner.measurement.bench_plan import Ask
from raidtui.tui.jobs.bench_choice import Ready, Spot
from raidtui.tui.jobs.bench_player import Player

if TYPE_CHECKING:
    from raidtui.model.design import Design
    from raidtui.model.geometry import Prediction
    from raidtui.model.inventory import Disk
    from raidtui.model.plan import Plan
    from raidtui.tui.app import RaidtuiApp


_SHOW_SECONDS = 60.0
"""real seconds that a simulated benchmark takes, whatever its simulated duration"""
_LEAST_SPEED = 2.0


def profiles() -> tuple[Profile, ...]:
    """The profiles that ship with raidtui, in recommended order."""
    from raidtui.machine.bench.profiles import load, names

    return tuple(load(name) for name in names())


def benches(*, simulated: bool) -> Path:
    """Directory of benchmarks; simulated and measured ones are kept apart."""
    return simulated_root() / "benches" if simulated else store.root()


def spots(app: RaidtuiApp) -> tuple[Spot, ...]:
    """The targets that exist now, the most likely first."""
    plan = _built(app)
    if app.session.inventory.simulated:
        return (_simulated(app, plan),)
    found = [_real(app, f"run {plan.run_id[:8]}: {_mounts(plan)}", plan, lambda: places_of_plan(plan))] if plan else []
    taken = {each.mount_point for each in plan.filesystems} if plan is not None else set()
    for directory in _mounted(app):
        if directory not in taken:
            with suppress(RaidtuiError):  # a system file system, or not writable
                found.append(directory_spot(app, directory))
    return tuple(found)


def directory_spot(app: RaidtuiApp, directory: str) -> Spot:
    """A directory on a file system of this machine. Raises RaidtuiError if it cannot be measured."""
    place = place_of(Path(directory))
    return _real(app, f"{place.path} ({place.mount.fstype})", None, lambda: (place_of(Path(directory)),))


def _built(app: RaidtuiApp) -> Plan | None:
    """The plan of the run on the Build screen, if it finished on the present machine."""
    watch = app.following.watch
    if watch is None or watch.seen.run.outcome != "finished" or watch.seen.run.purpose == "undo":
        return None
    return watch.plan if watch.plan.simulated == app.session.inventory.simulated else None


def _mounts(plan: Plan) -> str:
    return ", ".join(made.mount_point for made in plan.filesystems) or "no file system"


def _mounted(app: RaidtuiApp) -> Sequence[str]:
    uses = (use for disk in app.session.inventory.disks for use in disk.uses)
    return tuple(dict.fromkeys(use.where for use in uses if use.active and use.where.startswith("/")))


def _real(app: RaidtuiApp, title: str, plan: Plan | None, places: Callable[[], tuple[Place, ...]]) -> Spot:
    def prepare(profile: Profile) -> Ready:
        found = bench_prepare.prepare(places(), app.session.inventory, profile, Ask(), plan=plan)
        return _ready(app, found)

    return Spot(
        title=title,
        about="It writes its own files in its own directory and removes them; devices below are only read.",
        simulated=False,
        prepare=prepare,
    )


def _simulated(app: RaidtuiApp, plan: Plan | None) -> Spot:
    session, benching = app.session, app.benching
    what = f"run {plan.run_id[:8]} as it was built" if plan is not None else "the design as if it were built"

    def prepare(profile: Profile) -> Ready:
        design, disks, prediction = _meant(app, plan)
        decision = session.decision

        def prepared(speed_up: float) -> Prepared:
            return bench_prepare.prepare_simulated(
                session.inventory, design, disks, prediction, profile, Ask(), mount_point=decision.mount_point,
                name=plan.name if plan is not None else decision.plan_name,
                plan_digest=plan.digest if plan is not None else "", speed_up=speed_up,
            )  # fmt: skip

        if benching.speed_up is not None:
            return _ready(app, prepared(benching.speed_up))
        return _ready(app, prepared(max(prepared(0.0).seconds / _SHOW_SECONDS, _LEAST_SPEED)))

    return Spot(
        title=f"simulated {session.inventory.name}: {what}",
        about=f"No disk is used: the model simulates results and gauges, in about {_SHOW_SECONDS:.0f} seconds.",
        simulated=True,
        prepare=prepare,
    )


def _meant(app: RaidtuiApp, plan: Plan | None) -> tuple[Design, tuple[Disk, ...], Prediction]:
    """Design, disks and prediction: the plan's, else the present design's."""
    outcome = app.session.outcome
    if plan is None:
        if not outcome.prediction.arrays:
            raise Refused("the design is invalid", hint="change it on Design (2)")
        design = outcome.decision.design
        return design, tuple(outcome.disks[: design.layout.disks]), outcome.assessed
    from raidtui.planner.design.assess import assessed

    known = {disk.id: disk for disk in app.session.inventory.disks}
    missing = [name for name in plan.prediction.disks if name not in known]
    if missing:
        raise Refused(f"{missing[0]} of the plan is missing", hint="R reads the disks again")
    disks = tuple(known[name] for name in plan.prediction.disks)
    decision = app.session.decision
    found = assessed(
        plan.design, disks, plan.prediction, app.session.inventory, decision.assumptions, spread=decision.spread
    )
    return plan.design, disks, found


def _ready(app: RaidtuiApp, found: Prepared) -> Ready:
    wrong = [finding for finding in found.findings if finding.severity == "error"]
    if wrong:
        raise Refused("; ".join(finding.message for finding in wrong), hint=wrong[0].way_out)

    def begin() -> Player:
        folder = store.create(app.benching.root or benches(simulated=found.bench.simulated), found.bench)
        return found.begin(folder)

    return Ready(
        bench=found.bench,
        seconds=found.seconds,
        bytes_used=found.bytes_used,
        begin=begin,
        notes=tuple(f"{finding.message} ({finding.way_out})" for finding in found.findings),
    )
