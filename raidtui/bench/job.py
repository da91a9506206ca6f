"""The executor of a benchmark: the process that measures, in the folder that was made for it."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

from raidtui.bench import prepare, raw, store
from raidtui.bench.plan import writes_of
from raidtui.bench.trials import exit_of
from raidtui.engine.folders import at_work
from raidtui.engine.process import Requests, requests_to
from raidtui.engine.site import locked
from raidtui.machine.inventory.block_tree import bound_by_path
from raidtui.machine.inventory.probe import probe
from raidtui.machine.system.host import SystemHost
from raidtui.machine.system.places import REAL_LOCK
from raidtui.values.bench import BenchOrder, BenchResult
from raidtui.values.errors import Exit, RaidtuiError, Refused


def execute(folder: Path, digest: str, *, speed_up: float) -> int:
    """The executor of the benchmark in `folder`, whose order was begun by its digest. Returns the exit code.

    SIGTERM and SIGINT stop it. SIGHUP is ignored."""
    return carry_on(folder, digest, requests_to(folder), speed_up=speed_up)


def carry_on(folder: Path, digest: str, request: Requests, *, speed_up: float) -> Exit:
    """Measures what is left to be measured. Raises, and keeps as the result, what kept it from beginning.

    Raises Refused for a finished one, whose result stays.

    What writes to block devices holds the run lock from before its last look until after its last write."""
    bench, order = store.confirmed(folder, digest)
    with at_work(folder), contextlib.ExitStack() as held:
        if store.load(folder).outcome == "finished":
            raise Refused(f"the benchmark in {folder} is finished", hint="start a new one")
        try:
            writes = None
            if not bench.simulated and writes_of(bench.tasks):
                writes = raw.writes_in(folder, bench, order, held.enter_context(locked(REAL_LOCK)))
            benchmark = prepare.begun(bench, order, folder, request, speed_up=speed_up, raw_writes=writes)
            result = benchmark.run()
        except RaidtuiError as problem:
            store.save(folder, replace(store.load(folder), outcome="failed", reason=problem.with_hint))
            raise
        _keep_measured(result, order)
    return exit_of(result.outcome)


def _keep_measured(result: BenchResult, order: BenchOrder) -> None:
    """Prints what was stored for the planner; a failure does not fail the benchmark."""
    if order.speeds:
        for line in store.keep_measured(result, lambda: bound_by_path(probe(SystemHost())), Path(order.speeds)):
            print(line, flush=True)
