"""The processes that carry out trials or a drill, each with the measurements that it needs."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import cast

from raidtui.bench import drill as drills
from raidtui.bench import tuning
from raidtui.bench.trials import BenchMeasure, profile_in, session
from raidtui.cli.follow import exit_code
from raidtui.engine.runs import confirmed_plan
from raidtui.engine.simulation import SimulatedRunner
from raidtui.engine.site import Site, lock_in, site_of_run
from raidtui.values.plan import Plan


def tune(folder: Path, digest: str, *, speed_up: float) -> int:
    """Carries out the trials of the tuning in `folder`, whose digest was confirmed."""
    made, _ = tuning.read(folder, digest)
    measure = _measure(folder, seconds=made.seconds, repeats=made.repeats)
    with session(folder, lock_in(folder.parent.parent, made), stop=measure.stop) as held:
        result = tuning.carry_out_tuning(
            folder, digest, held.lock, measure, tuning.ProgressFile(folder), held.request,
            speed_up=speed_up if made.simulated else None,
        )  # fmt: skip
    return exit_code(result.outcome)


def drill(folder: Path, digest: str, *, speed_up: float) -> int:
    """Carries out the drill in `folder` on the run whose plan was confirmed by its digest."""
    run = folder.parent
    plan = confirmed_plan(run, digest)
    seconds = drills.load(folder).ask.seconds
    with_load = (folder / "profile.json").exists()
    measure = _measure(folder, seconds=seconds, repeats=1, during_sync=True) if with_load else None
    stop = measure.stop if measure is not None else (lambda: None)
    with session(folder, lock_in(run.parent, plan), stop=stop) as held:
        site = site_of_run(run, plan, speed_up=speed_up)
        clock = _clock(site, held.lock)
        made = drills.Drill(folder, plan, site, held.lock, held.request, clock=clock, measure=measure)
        return drills.exit_of(made.run())


def _measure(folder: Path, *, seconds: float | None, repeats: int | None, during_sync: bool = False) -> BenchMeasure:
    """Measures the profile in `folder`, two levels below the runs, on the machine of each as it is then."""

    def site(plan: Plan) -> Site:
        return site_of_run(folder.parent.parent / plan.run_id, plan)

    return BenchMeasure(
        profile_in(folder), lambda plan: site(plan).inventory(plan), seconds=seconds, repeats=repeats,
        during_sync=during_sync, start=lambda plan: site(plan).reader().clock().timestamp(),
    )  # fmt: skip


def _clock(site: Site, lock: int) -> Callable[[], float]:
    """Seconds as the machine counts them; a simulated one has its own time."""
    machine = cast(SimulatedRunner, site.runner(lock))
    return (lambda: machine.now) if site.simulated else time.monotonic
