"""A build and benchmarks made by hand, for tests of reports: 2x(4+2)+1 on 13 disks, one of them at 60 % speed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

from raidtui import __version__
from raidtui.answers.report.assemble import build_of, history, planned_disk, report_of
from raidtui.bench.prepare import load as profile
from raidtui.engine.journal import replay
from raidtui.predict.design import assess
from raidtui.values.assumptions import defaults_for
from raidtui.values.bench import (
    Bench,
    BenchDisk,
    BenchResult,
    Compared,
    Conditions,
    Figure,
    Job,
    Latency,
    Repeat,
    Seen,
    Target,
    TargetKind,
    Task,
)
from raidtui.values.findings import Notes
from raidtui.values.gauges import Gauge, Scene, Tick, WatchedDisk
from raidtui.values.inventory import Disk, Place
from raidtui.values.plan import Command, Plan, WriteFile
from raidtui.values.report import Report, ReportBench
from raidtui.values.run import Record
from raidtui.values.speed import MEMBERS, UNKNOWN, Limit
from tests.planner.plans import disk, machine, plan_of

LAYOUT = "2x(4+2)+1"
MB = 1e6
MODEL = "ST4000NM0035"
SLOW = 7
"""number of the disk that is slow"""
START = 1_797_945_600.0
"""seconds since 1970: 2026-12-22T13:20:00Z"""
HOST = "stor01"


def found(**more: Any) -> tuple[Disk, ...]:
    """Thirteen disks in the bays of one enclosure."""
    return tuple(
        disk(
            number, 4_000_787_030_016, model=MODEL, rotational=True, serial=f"ZC1{number:03d}QX",
            kernel_name=f"sd{'abcdefghijklm'[number - 1]}",
            place=Place(controller="0000:03:00.0", enclosure="enc1", slot=f"A{number:02d}"), **more,
        )
        for number in range(1, 14)
    )  # fmt: skip


@cache
def plan(**more: Any) -> Plan:
    """The plan of the layout on those disks."""
    taken = found()
    return plan_of(
        LAYOUT, taken, inventory=replace(machine(*taken), name=HOST), host=HOST, chunk_bytes=256 * 1024, **more
    )


def records(made: Plan, *, steps: int | None = None) -> tuple[Record, ...]:
    """A journal in which the first `steps` steps (all of them unless said) went well, a second each."""
    kept: list[Record] = []

    def write(kind: Any, **more: Any) -> None:
        second = len(kept)
        time = f"2026-12-22T{8 + second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}.000+00:00"
        kept.append(Record(sequence=len(kept) + 1, kind=kind, time=time, boot="b", **more))

    write("begun")
    for step in made.steps[: len(made.steps) if steps is None else steps]:
        write("step", step=step.number, text=step.title)
        for number, action in enumerate(step.actions, start=1):
            match action:
                case Command():
                    write("intent", step=step.number, action=number, argv=action.argv)
                    write("result", step=step.number, action=number, argv=action.argv, exit=0)
                case WriteFile():
                    argv = ("write", action.path)
                    write("intent", step=step.number, action=number, argv=argv)
                    write("result", step=step.number, action=number, argv=argv)
        write("proven", step=step.number, text=f"{len(step.after)} checks passed")
    if steps is None:
        write("finished", text="all steps are proven")
    return tuple(kept)


CONDITIONS = {
    "kernel": "6.1.0-31-amd64",
    "mdadm": "4.2",
    "fio": "fio-3.33",
    "chunk": "256 KiB",
    "stripe_cache_size": "8192",
    "group_thread_cnt": "0",
    "scheduler": "mq-deadline",
    "read_ahead_kb": "4096",
    "sync": "idle",
}


def scene() -> Scene:
    """The disks as gauges know them."""
    return Scene(
        host=HOST,
        disks=tuple(
            WatchedDisk(name=each.kernel_name, id=each.id, serial=each.serial or "", slot=each.place.slot or "")
            for each in found()
        ),
    )  # fmt: skip


def bench_disks(made: Plan) -> tuple[BenchDisk, ...]:
    """The disks as a benchmark names them."""
    names = {each.id: each.kernel_name for each in found()}
    return tuple(
        BenchDisk(id=each.id, name=names[each.id], serial=each.serial or "", model=each.model or "", place=each.place,
                  array="md127" if "0" in each.role else "md126", role="spare" if "spare" in each.role else "member")
        for each in made.disks
    )  # fmt: skip


def _targets(kind: TargetKind, made: Plan) -> tuple[Target, ...]:
    disks = found()
    every = tuple(each.id for each in disks)
    match kind:
        case "disk":
            return tuple(
                Target(kind="disk", name=f"{each.place.slot} {each.serial}", paths=(f"/dev/{each.kernel_name}",),
                       disks=(each.id,), size_bytes=each.size_bytes)
                for each in disks
            )  # fmt: skip
        case "array":
            return tuple(
                Target(
                    kind="array", name=array.name, paths=(array.device,), disks=array.members, size_bytes=16 * 10**12
                )
                for array in made.arrays
            )
        case "arrays":
            return (Target(kind="arrays", name="both arrays", paths=(), disks=every, size_bytes=32 * 10**12),)
        case "disks":
            return (Target(kind="disks", name="all 13 disks", paths=(), disks=every, size_bytes=4 * 10**12),)
        case "volume":
            return (Target(kind="volume", name="/dev/data/data", paths=(), disks=every, size_bytes=32 * 10**12),)
        case "files":
            return (Target(kind="files", name="/srv/data", paths=("/srv/data",), disks=every, size_bytes=32 * 10**12),)


def _speed(job: Job, target: Target, slow_id: str) -> tuple[float, str]:
    """What this machine does, and what bounds it: disks of 205 MB/s, one of 123 MB/s, a parity thread."""
    one = 123.0 if slow_id in target.disks else 205.0
    write = job.pattern == "write"
    threads = job.streams * job.depth
    busy = min(1.0, 0.32 + 0.2 * math.log2(threads) / 2)
    seeks = 1.0 - 0.045 * math.log2(max(job.regions, 1))
    match target.kind:
        case "disk":
            return one * MB, "members"
        case "disks":
            return (12 * 205.0 + 123.0) * MB, "members"
        case "array":
            return 6 * one * 0.9 * MB, "members"
        case "volume" | "arrays":
            return 12 * 123.0 * 0.88 * MB, "members"
        case "files":
            most = 8 * 123.0 * 0.86 if write else 12 * 123.0 * 0.82
            return most * busy * seeks * MB, "members"


def result(name: str = "ladder", *, began: float = START, scale: float = 1.0, **more: Any) -> BenchResult:
    """A benchmark of that profile, every repeat in a known place; all speeds times `scale`."""
    made, disks = plan(), found()
    slow_id = disks[SLOW - 1].id
    tasks: list[Task] = []
    figures: list[Figure] = []
    now = began
    for job in profile(name).jobs:
        for target in _targets(job.target, made):
            number = len(tasks) + 1
            tasks.append(Task(number=number, job=job, target=target, seconds=40.0 * job.repeats, bytes_used=0))
            value, limit = _speed(job, target, slow_id)
            repeats = []
            for repeat in range(job.repeats):
                wobble = (1.0, 1.018, 0.988)[repeat % 3]
                repeats.append(
                    Repeat(
                        value=value * scale * wobble, began=now, ended=now + job.seconds,
                        fio=f"fio/{number:03d}-{repeat + 1}.json",
                        latency=Latency(mean_ms=4.1, p50_ms=3.9, p99_ms=11.5, max_ms=48.0),
                    )
                )  # fmt: skip
                now += job.seconds + job.warm_up_seconds
            back = 0.0004 if job.pattern == "write" else None
            values = sorted(each.value for each in repeats)
            middle = values[len(values) // 2]
            slow = (slow_id,) if slow_id in target.disks and target.kind == "disks" else ()
            figures.append(
                Figure(
                    task=number, unit="B/s", repeats=tuple(repeats), median=middle,
                    spread=(values[-1] - values[0]) / middle,
                    seen=Seen(
                        limit=Limit.read(limit), reason="every member is busy", slow_disks=slow, write_reads_share=back
                    ),
                )
            )  # fmt: skip
    taken = found()
    speed = replace(defaults_for(taken), disk_bytes_per_s=205_000_000)
    prediction = assess(made.design, taken, made.prediction, machine(*taken), speed, spread=False)
    started = datetime.fromtimestamp(began, UTC).isoformat()
    ended = datetime.fromtimestamp(now, UTC).isoformat()
    bench = Bench(
        id=name.encode().hex().ljust(32, "0")[:32], started=started, host=HOST, machine_id="f" * 32,
        simulated=False, profile=name, tasks=tuple(tasks), disks=bench_disks(made), layout=LAYOUT,
        plan_digest=made.digest, prediction=prediction, conditions=Conditions.read(CONDITIONS),
    )  # fmt: skip
    done = BenchResult(bench=bench, figures=tuple(figures), outcome="finished", ended=ended)
    return replace(done, **more)


def ticks(done: BenchResult, *, every: float = 5.0) -> Iterator[Tick]:
    """Gauges of that benchmark: busy in every repeat, idle between."""
    tasks = {task.number: task for task in done.bench.tasks}
    spans = [(each.began, each.ended, tasks[figure.task]) for figure in done.figures for each in figure.repeats]
    slow_id = found()[SLOW - 1].id
    now, end = spans[0][0], spans[-1][1]
    while now < end:
        task = next((task for began, ended, task in spans if began <= now < ended), None)
        yield Tick(
            time=now + every,
            seconds=every,
            disks={each.name: _gauge(each, task, slow_id, now) for each in done.bench.disks},
        )
        now += every


def _gauge(each: BenchDisk, task: Task | None, slow_id: str, now: float) -> Gauge:
    busy = task is not None and each.id in task.target.disks
    rate = (123.0 if each.id == slow_id else 205.0 if task and task.target.kind in ("disk", "disks") else 118.0) * MB
    rate *= 1 + 0.02 * math.sin(now / 7 + sum(map(ord, each.name)))
    write = task is not None and task.job.pattern == "write"
    rate = rate if busy else 0.0
    return Gauge(
        read_bytes_per_s=0.0 if write else rate, write_bytes_per_s=rate if write else 0.0,
        read_iops=0 if write else rate / 2**20, write_iops=rate / 2**20 if write else 0,
        util=1.0 if busy else 0.0, await_ms=8.0 if busy else 0.0, queue=2.0 if busy else 0.0,
    )  # fmt: skip


PREDICTED: dict[TargetKind, float] = {"disk": 205.0, "disks": 2665.0, "array": 780.0, "volume": 1560.0, "files": 1200.0}
"""MB/s, and the bands around them: figures of these tests, not of the model, whose bands follow new measurements"""


def beside(done: BenchResult) -> tuple[Compared, ...]:
    """Each figure beside its prediction."""
    rows = []
    tasks = {task.number: task for task in done.bench.tasks}
    for figure in done.figures:
        task = tasks[figure.task]
        name = f"{task.job.title}, {task.target.name}"
        seen = figure.seen.limit if figure.seen else UNKNOWN
        if done.bench.prediction is None:
            rows.append(
                Compared(task=figure.task, name=name, unit="B/s", measured=figure.median, verdict="no prediction")
            )
            continue
        wanted = PREDICTED[task.target.kind] * MB
        low, high = (0.95, 1.05) if task.target.kind in ("disk", "disks") else (0.18, 1.3)
        ratio = figure.median / wanted
        rows.append(
            Compared(
                task=figure.task, name=name, unit="B/s", measured=figure.median, predicted=wanted, low=low * wanted,
                high=high * wanted, ratio=ratio, verdict="low" if ratio < low else "high" if ratio > high else "ok",
                limit_predicted=MEMBERS, limit_seen=seen, note=Notes(("at the outer edge",)),
            )
        )  # fmt: skip
    return tuple(rows)


def reported(done: BenchResult, *, gauges: bool = False, **more: Any) -> ReportBench:
    """The benchmark as a report has it; with its gauges on demand, for they take a moment."""
    shown = history(scene(), ticks(done)) if gauges else None
    return ReportBench(result=done, compared=beside(done), history=shown, **more)


def report(*results: BenchResult, steps: int | None = None, gauges: bool = False, **more: Any) -> Report:
    """A report of the build and of those benchmarks."""
    made = plan()
    kept = records(made, steps=steps)
    run = replay(len(made.steps), kept, alive=False)
    return report_of(
        made="2026-12-22T14:00:00Z",
        version=__version__,
        host=HOST,
        machine_id="f" * 32,
        build=build_of(made, run, kept),
        planned=tuple(planned_disk(each) for each in made.disks),
        benches=tuple(reported(each, gauges=gauges) for each in results),
        **more,
    )
