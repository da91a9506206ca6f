"""Benchmarks of hosts with figures written by hand."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.model.bench import Bench, BenchDisk, BenchResult, Figure, Job, Profile, Repeat, Seen, Target, Task
from raidtui.model.fleet.bench_order import FleetBenchOrder, OrderedHost, Round
from raidtui.model.fleet.bench_result import MeasuredHost
from raidtui.model.limit import UNKNOWN
from raidtui.planner.fleet.bench.measured import HostResult

READ = Job(
    name="read", title="sequential read", target="files", pattern="read", block_bytes=1 << 20, seconds=10.0,
    warm_up_seconds=2.0, repeats=2,
)  # fmt: skip
FILES = Target(kind="files", name="/srv", paths=("/srv",), disks=(), size_bytes=1 << 30)


def order(hosts: Sequence[str], *rounds: Round, jobs: Sequence[Job] = (READ,)) -> FleetBenchOrder:
    return FleetBenchOrder(
        id="0" * 32, made="2026-01-31T12:00:00Z", control="admin@one", rounds=rounds or ("at-once",), directory="/srv",
        hosts=tuple(OrderedHost(host=host) for host in hosts),
        profile=Profile(name="mine", title="", purpose="", jobs=tuple(jobs)),
    )  # fmt: skip


def measured(
    host: str,
    values: Sequence[float],
    *,
    of: Round = "at-once",
    begin: float = 1000.0,
    late: float = 0.0,
    layout: str = "",
    error: float = 0.1,
) -> HostResult:
    """A host whose repeats of READ have these values; each lasts 10 s and begins `late` after its slot."""
    repeats = tuple(
        Repeat(value=value, began=begin + late + 20 * at, ended=begin + late + 20 * at + 10)
        for at, value in enumerate(values)
    )
    middle = sorted(values)[len(values) // 2] if len(values) % 2 else sum(sorted(values)[:2]) / 2
    figure = Figure(task=1, unit="B/s", repeats=repeats, median=middle, spread=0.0)
    bench = Bench(
        id="1" * 32, started="2026-01-31T12:00:00+00:00", host=host, simulated=False, profile="mine",
        tasks=(Task(number=1, job=READ, target=FILES, seconds=30, bytes_used=0),), disks=(), layout=layout,
    )  # fmt: skip
    return HostResult(
        host=MeasuredHost(host=host, round=of, bench_id="1" * 32, stage="finished", layout=layout, clock_error_s=error),
        result=BenchResult(bench=bench, figures=(figure,), outcome="finished"),
        begin_s=begin if of == "at-once" else None,
    )


def of_disks(host: str, rates: dict[str, float], *, slow: Sequence[str] = ()) -> HostResult:
    """A host whose disks were each read alone; its gauges found those in `slow`."""
    disks = tuple(BenchDisk(id=name, name=name, serial=name.upper(), model="ST2000") for name in rates)
    job = Job(name="disk-read", title="each disk", target="disk", pattern="read", block_bytes=1 << 20)
    tasks = tuple(
        Task(
            number=number, job=job, seconds=30, bytes_used=0,
            target=Target(kind="disk", name=name, paths=(f"/dev/{name}",), disks=(name,), size_bytes=1 << 40),
        )
        for number, name in enumerate(rates, start=1)
    )  # fmt: skip
    figures = tuple(
        Figure(
            task=number, unit="B/s", repeats=(Repeat(value=value, began=0.0, ended=30.0),), median=value, spread=0.0,
            seen=Seen(limit=UNKNOWN, reason="", slow_disks=tuple(slow) if number == 1 else ()),
        )
        for number, value in enumerate(rates.values(), start=1)
    )  # fmt: skip
    bench = Bench(
        id="1" * 32, started="2026-01-31T12:00:00+00:00", host=host, simulated=False, profile="mine", tasks=tasks,
        disks=disks,
    )  # fmt: skip
    return HostResult(
        host=MeasuredHost(host=host, round="at-once", bench_id="1" * 32, stage="finished"),
        result=BenchResult(bench=bench, figures=figures, outcome="finished"),
        begin_s=0.0,
    )
