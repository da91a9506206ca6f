"""The processes that carry out trials or a drill, each with the measurements that it needs."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from raidtui.cli.tune_progress import exit_code
from raidtui.machine.inventory.by_path import bound_as
from raidtui.machine.inventory.probe import probe
from raidtui.machine.ports.runner import Runner
from raidtui.machine.run.run_folders import confirmed_plan
from raidtui.machine.run.site import MACHINE, lock_in, site_of_run
from raidtui.machine.simulated.machine import SimulatedMachine
from raidtui.machine.system.host import SystemHost
from raidtui.machine.system.input_files import MACHINE_FILE, read_own
from raidtui.machine.trials import drill as drills
from raidtui.machine.trials import tuning
from raidtui.machine.trials.measure import BenchMeasure, profile_in
from raidtui.machine.trials.process import session
from raidtui.model.inventory import Inventory
from raidtui.model.plan import Plan
from raidtui.model.tune import Tuning


def tune(folder: Path, digest: str, *, speed_up: float) -> int:
    """Carries out the trials of the tuning in `folder`, whose digest was confirmed."""
    made, _ = tuning.read(folder, digest)
    measure = _measure(folder, made)
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
    measure = _measure_of_drill(folder)
    stop = measure.stop if measure is not None else (lambda: None)
    with session(folder, lock_in(run.parent, plan), stop=stop) as held:
        site = site_of_run(run, plan, speed_up=speed_up)
        clock = _clock(site.runner(held.lock))
        made = drills.Drill(folder, plan, site, held.lock, held.request, clock=clock, measure=measure)
        return drills.exit_of(made.run())


def _measure(folder: Path, made: Tuning) -> BenchMeasure:
    """Measures the profile in `folder`; each measurement reads the inventory anew."""

    def inventory(plan: Plan) -> Inventory:
        if not plan.simulated:
            return bound_as(plan, probe(SystemHost()))
        place = folder if (folder / MACHINE).exists() else folder.parent
        return SimulatedMachine.from_json(read_own(place / MACHINE, MACHINE_FILE).decode("utf-8")).inventory()

    return BenchMeasure(
        profile_in(folder), inventory, seconds=made.seconds, repeats=made.repeats, start=_start_in(folder)
    )


def _measure_of_drill(folder: Path) -> BenchMeasure | None:
    """Measures the profile in `folder` during the rebuild; None when the drill was started without one."""
    if not (folder / "profile.json").exists():
        return None

    def inventory(plan: Plan) -> Inventory:
        return site_of_run(folder.parent, plan).inventory(plan)

    seconds = drills.load(folder).ask.seconds
    return BenchMeasure(
        profile_in(folder), inventory, seconds=seconds, repeats=1, during_sync=True, start=_start_in(folder)
    )


def _start_in(folder: Path) -> Callable[[Plan], float]:
    """Present time of the simulated machine of a run, seconds since 1970; `folder`: two levels below the runs."""
    root = folder.parent.parent
    return lambda plan: site_of_run(root / plan.run_id, plan).reader().clock().timestamp()


def _clock(runner: Runner) -> Callable[[], float]:
    """Seconds as the machine of `runner` counts them; a simulated one has its own time."""
    return (lambda: runner.now) if isinstance(runner, SimulatedMachine) else time.monotonic
