"""A benchmark on simulated disks: `raidtui.bench.prepare` asks for it."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from raidtui.bench.plan import BenchOptions
from raidtui.bench.prepare import Prepared
from raidtui.bench.run import Benchmark
from raidtui.engine.folders import ControlRequest
from raidtui.simulated.loads import SimulatedClock, SimulatedLoad, SimulatedTicks, staged
from raidtui.values.bench import Bench, BenchOrder, Conditions, Profile
from raidtui.values.design import Design
from raidtui.values.errors import BadInput
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.prediction import Prediction


def prepared(
    inventory: Inventory, design: Design, disks: tuple[Disk, ...], prediction: Prediction, profile: Profile,
    ask: BenchOptions, *, mount_point: str, name: str, plan_digest: str, start: float | None, bench_id: str | None,
    lacks: Sequence[int],
) -> Prepared:  # fmt: skip
    """See `prepare_simulated`."""
    stage = staged(inventory, design, disks, prediction, profile, ask, mount_point=mount_point, name=name)
    begins = time.time() if start is None else start
    bench = Bench(
        id=bench_id or secrets.token_hex(16),
        started=datetime.fromtimestamp(begins, UTC).isoformat("T", "seconds"),
        host=inventory.name,
        simulated=True,
        profile=profile.name,
        tasks=stage.plan.tasks,
        disks=stage.disks,
        layout=stage.layout,
        plan_digest=plan_digest,
        prediction=prediction,
        conditions=Conditions(settings={"machine": "SIMULATED: every figure comes from the model, none was measured"}),
    )
    return Prepared(
        bench=bench,
        findings=stage.plan.findings,
        seconds=stage.plan.seconds,
        bytes_used=stage.plan.bytes_used,
        order=BenchOrder(scene=stage.scene, start=begins, lacks=tuple(lacks)),
    )


def begun(
    bench: Bench, order: BenchOrder, folder: Path, request: Callable[[], ControlRequest], *, speed_up: float
) -> Benchmark:
    """See `raidtui.bench.prepare.begun`."""
    if order.scene is None:
        raise BadInput(f"{folder}: the order of a simulated benchmark has no scene", hint="start a new one")
    clock = SimulatedClock(speed_up=speed_up, start=order.start)
    load = SimulatedLoad(bench, order.scene, clock, order.lacks)
    ticks = SimulatedTicks(order.scene, load.gauges, arrays=load.arrays, clock=clock.now)
    return Benchmark(bench, folder, ticks, load, request=request, clock=clock)
