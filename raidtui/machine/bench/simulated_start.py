"""Simulated benchmarks of a plan that was built: they begin in the time of its machine, which is ahead of ours then."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from raidtui.machine.bench import store
from raidtui.machine.bench.prepare import Prepared, prepare_simulated
from raidtui.machine.run import journal
from raidtui.machine.run.work_folder import BENCHES, readable
from raidtui.model.bench import Profile
from raidtui.model.errors import RaidtuiError
from raidtui.model.inventory import Inventory
from raidtui.model.plan import Plan
from raidtui.planner.design.assess import assess_plan
from raidtui.planner.measurement.bench_plan import BenchOptions


def prepare_plan(
    plan: Plan, inventory: Inventory, profile: Profile, ask: BenchOptions, *, speed_up: float, start: float | None
) -> Prepared:
    """A benchmark of what `plan` builds on the simulated disks of `inventory`; see `prepare_simulated`."""
    disks, found = assess_plan(plan, inventory)
    mount_point = plan.filesystems[0].mount_point if plan.filesystems else f"/srv/{plan.name}"
    return prepare_simulated(
        inventory, plan.design, disks, found, profile, ask, mount_point=mount_point, name=plan.name,
        plan_digest=plan.digest, speed_up=speed_up, start=start,
    )  # fmt: skip


def begins_after(run: Path, benches: Path, plan: Plan) -> float:
    """Seconds since 1970: now, but not before the end of the run in `run` or of a benchmark of `plan` in `benches`."""
    return max([time.time(), *(datetime.fromisoformat(end).timestamp() for end in _ends(run, benches, plan))])


def _ends(run: Path, benches: Path, plan: Plan) -> Iterator[str]:
    """Times of the last record of the run, and of the ends of the plan's readable benchmarks."""
    with contextlib.suppress(RaidtuiError):
        if journal.is_begun(run):
            yield from (record.time for record in journal.records(run)[-1:])
    for _, result in readable(BENCHES.all_folders((benches,)), store.load):
        if result.bench.plan_digest == plan.digest and result.ended:
            yield result.ended
