"""A benchmark on simulated disks: `raidtui.bench.prepare.prepare_simulated` asks for it."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from pathlib import Path

from raidtui.bench.plan import BenchOptions
from raidtui.bench.prepare import Prepared, gauges_path
from raidtui.bench.run import Benchmark
from raidtui.machine.gauges.sampler import GaugeRecorder
from raidtui.simulated.loads import SimulatedClock, SimulatedLoad, SimulatedTicks, staged
from raidtui.values.bench import Bench, Conditions, Profile
from raidtui.values.design import Design
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.prediction import Prediction


def prepared(
    inventory: Inventory, design: Design, disks: tuple[Disk, ...], prediction: Prediction, profile: Profile,
    ask: BenchOptions, *, mount_point: str, name: str, plan_digest: str, speed_up: float, start: float | None,
    bench_id: str | None,
) -> Prepared:  # fmt: skip
    """See `prepare_simulated`."""
    stage = staged(inventory, design, disks, prediction, profile, ask, mount_point=mount_point, name=name)
    clock = SimulatedClock(speed_up=speed_up, start=start)
    bench = Bench(
        id=bench_id or secrets.token_hex(16),
        started=datetime.fromtimestamp(clock.now(), UTC).isoformat("T", "seconds"),
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

    def start_in(folder: Path) -> Benchmark:
        load = SimulatedLoad(bench, stage.scene, clock)
        ticks = SimulatedTicks(stage.scene, load.gauges, arrays=load.arrays, clock=clock.now)
        recorder = GaugeRecorder(gauges_path(folder), stage.scene)
        return Benchmark(bench, folder, ticks, load, recorder=recorder, clock=clock)

    return Prepared(
        bench=bench,
        findings=stage.plan.findings,
        seconds=stage.plan.seconds,
        bytes_used=stage.plan.bytes_used,
        begin=start_in,
    )
