"""Benchmarks, scenes and ticks for tests: 4x(12+2)+1 of 285 MB/s disks behind one cable, or 2x(4+2) without any."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from raidtui.predict.design import assess, predict
from raidtui.values.assumptions import DEFAULTS
from raidtui.values.bench import (
    Bench,
    BenchDisk,
    BenchResult,
    Conditions,
    Figure,
    Job,
    Label,
    Repeat,
    Seen,
    Target,
    Task,
    Unit,
)
from raidtui.values.design import Design
from raidtui.values.gauges import ArrayGauge, Gauge, Scene, Tick, WatchedArray, WatchedDisk
from raidtui.values.inventory import Inventory
from raidtui.values.location import Location
from raidtui.values.notation import parse
from raidtui.values.prediction import Prediction
from raidtui.values.speed import Ceiling, Limit
from tests.planner.pools import shelf

MIB = 1024 * 1024
MB = 10**6
LAYOUT = "4x(12+2)+1"


@cache
def inventory(disks: int = 57, expanders: int = 1) -> Inventory:
    return shelf(disks, expanders)


@cache
def prediction(layout: str = LAYOUT, expanders: int = 1) -> Prediction:
    design = Design(layout=parse(layout))
    found = inventory(design.layout.disks, expanders)
    return assess(design, found.disks, predict(design, found.disks), found, DEFAULTS, spread=False)


def target(kind: Any = "files", name: str = "/srv", disks: Sequence[str] | None = None, array: str = "") -> Target:
    below = tuple(disks) if disks is not None else tuple(disk.id for disk in inventory().disks[:56])
    return Target(kind=kind, name=name, paths=(), disks=below, size_bytes=10**15, array=array)


def task(number: int = 1, on: Target | None = None, *, position: float | None = None, **job: Any) -> Task:
    """A sequential read of 1 MiB, much in flight, held against `seq_read`, unless `job` says otherwise."""
    asked: dict[str, Any] = {
        "name": "job", "title": "sequential read", "target": (on or target()).kind, "pattern": "read",
        "block_bytes": MIB, "streams": 1, "depth": 512, "predicted": "seq_read",
    } | job  # fmt: skip
    return Task(number=number, job=Job(**asked), target=on or target(), seconds=1, bytes_used=0, position=position)


def bench(
    tasks: Sequence[Task],
    *,
    profile: str = "ladder",
    said: Prediction | None = None,
    conditions: Mapping[str, str] | None = None,
    disks: Sequence[BenchDisk] | None = None,
) -> Bench:
    known = tuple(
        BenchDisk(id=disk.id, name=f"sd{n}", serial=f"SER{n:03}", place=Location.in_plan(f"{n}", "enc1"), role="member")
        for n, disk in enumerate(inventory().disks)
    )
    return Bench(
        id="0" * 32, started="2026-01-31T10:00:00+00:00", host="stor01", simulated=False, profile=profile,
        tasks=tuple(tasks), disks=known if disks is None else tuple(disks), layout=LAYOUT,
        prediction=prediction() if said is None else said, conditions=Conditions.read(conditions or {}),
    )  # fmt: skip


def figure(number: int, value: float, *labels: Label, unit: Unit = "B/s", seen: Seen | None = None) -> Figure:
    repeat = Repeat(value=value, began=0, ended=30, labels=tuple(labels))
    return Figure(
        task=number, unit=unit, repeats=(repeat,), median=value, spread=0, labels=tuple(labels), seen=seen
    )  # fmt: skip


def result(of: Bench, *figures: Figure) -> BenchResult:
    return BenchResult(bench=of, figures=figures, outcome="finished")


def gauge(
    read: float = 0, write: float = 0, *, iops: float = 100, util: float = 1.0, wait: float = 10, queue: float = 8
) -> Gauge:
    """Rates in MB/s."""
    return Gauge(
        read_bytes_per_s=read * MB, write_bytes_per_s=write * MB, read_iops=iops if read else 0,
        write_iops=0 if read else iops, util=util, await_ms=wait, queue=queue,
    )  # fmt: skip


def scene(
    disks: int = 56, arrays: int = 4, *, level: str = "raid6", ceilings: Mapping[str, Ceiling] | None = None
) -> Scene:
    """`disks` dealt to `arrays` in order, all behind one expander; the disks are those of `inventory`."""
    each = disks // arrays
    return Scene(
        host="stor01",
        disks=tuple(
            WatchedDisk(
                name=f"sd{n}", id=f"disk-{n:03d}", serial=f"SER{n:03}", slot=str(n), link="expander-0:0",
                controller="0000:03:00.0", array=f"md{n // each}", role="member", rotational=True,
            )
            for n in range(disks)
        ),
        arrays=tuple(
            WatchedArray(name=f"md{a}", level=level, members=tuple(f"sd{n}" for n in range(a * each, (a + 1) * each)))
            for a in range(arrays)
        ),
        ceilings={name: (ceiling,) for name, ceiling in (ceilings or {}).items()},
    )  # fmt: skip


def link(name: str, rate: float) -> Ceiling:
    """A link of so many MB/s."""
    return Ceiling(name=Limit.read(name), rate=round(rate * MB), source="sysfs", formula="")


def ticks(of: Scene, each: Gauge, odd: Mapping[str, Gauge] | None = None, *, thread: float = 0.1) -> list[Tick]:
    """Ten seconds in which every disk does `each` but for those in `odd`."""
    disks = {disk.name: (odd or {}).get(disk.name, each) for disk in of.disks}
    arrays = {array.name: ArrayGauge(gauge=each, state="active", thread_share=thread) for array in of.arrays}
    return [Tick(time=float(second), seconds=1, disks=disks, arrays=arrays) for second in range(10)]
