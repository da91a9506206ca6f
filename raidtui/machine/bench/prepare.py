"""Prepares a benchmark from a target and a profile, on this machine or a simulated one."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from raidtui.machine.arrays.read import ArraysLook
from raidtui.machine.bench import scratch_dir, store
from raidtui.machine.bench.benchmark import Benchmark
from raidtui.machine.bench.conditions import conditions
from raidtui.machine.bench.fio_load import FioLoad
from raidtui.machine.bench.targets import BenchPlace, bench_disks, facts_of, memory, targets_of
from raidtui.machine.gauges.recording import GaugeRecorder
from raidtui.machine.gauges.sampler import SystemTicks
from raidtui.machine.gauges.scene import scene_of
from raidtui.machine.ports.runner import MachineReader
from raidtui.machine.run.work_folder import BENCHES, is_alive, readable
from raidtui.machine.simulated.bench_load import SimulatedClock, SimulatedLoad, staged
from raidtui.machine.simulated.ticks import SimulatedTicks
from raidtui.machine.system.runner import SystemReader
from raidtui.model.bench import Bench, BenchDisk, BenchResult, Profile, Task
from raidtui.model.choices import MADE_FILE_SYSTEMS, FileSystem
from raidtui.model.conditions import Conditions
from raidtui.model.design import Design
from raidtui.model.errors import Refused
from raidtui.model.finding import Finding
from raidtui.model.gauges import Scene
from raidtui.model.geometry import Prediction
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.plan import Plan
from raidtui.model.safe import safe
from raidtui.model.speed import Throughput
from raidtui.planner.arrays.layout import design_of
from raidtui.planner.design.assess import assess_plan
from raidtui.planner.design.infer_from_arrays import NotALayout, predict_inferred
from raidtui.planner.findings import warning
from raidtui.planner.measurement.bench_plan import BenchOptions, bench_plan

SPEED_UP = 20.0
"""default factor by which time of a simulated benchmark is faster"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A benchmark before its start: tasks, findings, duration and space."""

    bench: Bench
    """tasks, disks and prediction"""
    findings: tuple[Finding, ...]
    """with an error the benchmark must not start"""
    seconds: float
    """estimated"""
    bytes_used: int
    """peak use of the target"""
    begin: Callable[[Path], Benchmark]
    """returns the benchmark for a folder created by `store.create`"""


def prepare(
    places: tuple[BenchPlace, ...],
    inventory: Inventory,
    profile: Profile,
    ask: BenchOptions,
    *,
    plan: Plan | None = None,
    during_sync: bool = False,
) -> Prepared:
    """A benchmark of directories on this machine; `plan`: the plan that built them, if known.

    Raises Refused if they are not writable, or a tree that is to be copied contains one of them.
    """
    _require_outside(profile, places)
    known = {disk.kernel_name: disk for disk in inventory.disks if disk.kernel_name}
    names = {name for place in places for name in place.devices}
    scene = _only(scene_of(inventory), names)
    design, prediction = _predicted(places[0], inventory, plan)
    speed = prediction.throughput if prediction else None
    spins = any(known[name].rotational is not False for name in names if name in known)
    read, write = _paces(speed, spins, names)
    plans = []
    targets = []
    for place in places:
        facts = facts_of(place.path, read_bytes_per_s=read, write_bytes_per_s=write, spins=spins)
        found = targets_of(place, inventory, scene, root_user=os.geteuid() == 0)
        targets += [target for target in found if target not in targets]
        plans.append(bench_plan(profile, found, facts, ask))
    tasks: list[Task] = []
    for each in plans:
        tasks += [
            replace(task, number=len(tasks) + at) for at, task in enumerate(each.tasks, start=1) if task not in tasks
        ]
    disks = bench_disks(targets, scene, inventory.disks)
    findings = dict.fromkeys(finding for each in plans for finding in each.findings)
    bench = Bench(
        id=secrets.token_hex(16),
        started=datetime.now(UTC).isoformat("T", "seconds"),
        host=inventory.name,
        machine_id=inventory.machine_id,
        simulated=False,
        profile=profile.name,
        tasks=tuple(tasks),
        disks=disks,
        layout=prediction.layout if prediction else "",
        plan_digest=plan.digest if plan and not plan.simulated else "",
        prediction=prediction,
        conditions=_conditions(places, scene, disks, ask, design),
    )
    return Prepared(
        bench=bench,
        findings=(*findings, *_system(places), *sync_findings(SystemReader(), names, during_sync)),
        seconds=sum(task.seconds for task in tasks),
        bytes_used=max((task.bytes_used for task in tasks), default=0),
        begin=lambda folder: begin(bench, folder, during_sync=during_sync, precondition=ask.precondition),
    )


def _require_outside(profile: Profile, places: Iterable[BenchPlace]) -> None:
    """Raises Refused where a directory tree would be copied into itself, under whatever name it is known."""
    for source in (Path(job.tree) for job in profile.jobs if job.tree):
        for place in places:
            above = (place.path, *place.path.parents)
            if source.is_dir() and any(source.samefile(each) for each in above):
                raise Refused(
                    f"--tree {safe(str(source))} contains {safe(str(place.path))}, which is measured: it would be "
                    "copied into itself",
                    hint="name a tree elsewhere, or a directory outside of it",
                )


def begin(bench: Bench, folder: Path, *, during_sync: bool, precondition: bool = False) -> Benchmark:
    """The benchmark in `folder`, to be started or continued. Its targets must exist."""
    load = FioLoad(bench, memory_bytes=memory(), precondition=precondition)
    scene = _only(_with_bench_ids(scene_of(), bench), _below(bench))
    ticks = SystemTicks(scene, only=scene.names or None)
    return Benchmark(
        bench, folder, ticks, load, recorder=GaugeRecorder(gauges_path(folder), scene), during_sync=during_sync
    )


def check_names(result: BenchResult) -> None:
    """Raises Refused if devices still to be read are known by kernel name only and the machine was booted since."""
    done = {figure.task for figure in result.figures}
    left = [task for task in result.bench.tasks if task.number not in done and task.target.kind in ("array", "volume")]
    started = datetime.fromisoformat(result.bench.started).timestamp()
    if left and _booted() > started:
        raise Refused(
            f"the machine was booted since the benchmark started; {left[0].target.paths[0]} may be another device now",
            hint="start a new benchmark",
        )


def _booted() -> float:
    """Boot time of this machine, seconds since 1970 (/proc/uptime)."""
    return time.time() - float(Path("/proc/uptime").read_text().split()[0])


def prepare_simulated(
    inventory: Inventory,
    design: Design,
    disks: tuple[Disk, ...],
    prediction: Prediction,
    profile: Profile,
    ask: BenchOptions,
    *,
    mount_point: str = "/srv/data",
    name: str = "data",
    plan_digest: str = "",
    speed_up: float = SPEED_UP,
    start: float | None = None,
    bench_id: str | None = None,
) -> Prepared:
    """A benchmark of `design` on simulated disks, labelled SIMULATED.

    `prediction` has its throughput; `speed_up` 0 takes no time; `start` and `bench_id` make it reproducible.
    """
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


def _with_bench_ids(scene: Scene, bench: Bench) -> Scene:
    """The scene with the benchmark's ids of the disks; a disk without an id is found by its name."""
    ids = {disk.id for disk in bench.disks}
    names = {disk.name: disk.id for disk in bench.disks}
    disks = (disk if disk.id in ids else replace(disk, id=names.get(disk.name, disk.id)) for disk in scene.disks)
    return replace(scene, disks=tuple(disks))


def _below(bench: Bench) -> set[str]:
    return {disk.name for disk in bench.disks} | {task.target.array for task in bench.tasks}


def gauges_path(folder: Path) -> Path:
    """Path of this start's recording: gauges.jsonl, after a resume gauges-2.jsonl and so on."""
    number, path = 1, folder / store.GAUGES
    while path.exists():
        number += 1
        path = folder / f"gauges-{number}.jsonl"
    return path


def sweep(places: Iterable[Path], where: Path) -> tuple[Path, ...]:
    """Removes the files of killed benchmarks in `places` and on the targets of the benchmarks stored in `where`."""
    ended = [path for _, paths in readable(BENCHES.all_folders((where,)), _paths_of_ended) for path in paths]
    return scratch_dir.sweep((*places, *ended))


def _paths_of_ended(folder: Path) -> tuple[Path, ...]:
    """Where the benchmark in `folder` wrote its files; none while it runs."""
    tasks = () if is_alive(folder) else store.load(folder).bench.tasks
    return tuple(Path(task.target.paths[0]) for task in tasks if task.target.kind == "files")


def _predicted(place: BenchPlace, inventory: Inventory, plan: Plan | None) -> tuple[Design | None, Prediction | None]:
    """Prediction for the plan's design on the present disks, else for the existing arrays."""
    if plan is not None and {disk.id for disk in inventory.disks}.issuperset(plan.prediction.disks):
        return plan.design, assess_plan(plan, inventory)[1]
    if not any(name.startswith("md") for name in place.devices):
        return None, None
    fs: FileSystem = next((kind for kind in MADE_FILE_SYSTEMS if kind == place.mount.fstype), "none")
    seen = ArraysLook(SystemReader(), inventory, around=False).take()
    as_built = design_of(place.volume, seen.arrays, seen.volumes, inventory, fs=fs)
    return (
        (None, None) if isinstance(as_built, NotALayout) else (as_built.design, predict_inferred(as_built, inventory))
    )


def _paces(speed: Throughput | None, spins: bool, names: Iterable[str]) -> tuple[float, float]:
    """Bytes per second of reading and writing, for estimates only."""
    if speed is not None:
        return float(speed.seq_read.bytes_per_s), float(speed.seq_write.bytes_per_s)
    count = max(1, sum(not name.startswith("md") for name in names))
    each = 150e6 if spins else 500e6
    return each * count, each * count * 0.6


def _only(scene: Scene, names: Iterable[str]) -> Scene:
    """The part of a scene below the targets, or all of it if that is unknown. Every disk has an id."""
    wanted = set(names) - {""}
    arrays = tuple(array for array in scene.arrays if array.name in wanted or wanted & {*array.members, *array.spares})
    inside = wanted | {name for array in arrays for name in (*array.members, *array.spares)}
    disks = tuple(replace(disk, id=disk.id or disk.name) for disk in scene.disks if disk.name in inside or not inside)
    return replace(scene, disks=disks, arrays=arrays)


def _conditions(
    places: tuple[BenchPlace, ...], scene: Scene, disks: tuple[BenchDisk, ...], ask: BenchOptions, design: Design | None
) -> Conditions:
    found = conditions(scene, (disk.name for disk in disks))
    for place in places:
        found[f"{place.path} file system"] = f"{place.mount.fstype} at {place.mount.point}"
    if ask.precondition:
        found["preconditioned"] = "files were written twice before measuring"
    if design is not None:
        found["chunk of the design"] = str(design.chunk_bytes)
    usable = None
    if design is not None and len(places) == 1:
        room = os.statvfs(places[0].path)
        usable = room.f_blocks * room.f_frsize
    return Conditions(usable_bytes=usable, settings=found)


def _system(places: tuple[BenchPlace, ...]) -> tuple[Finding, ...]:
    message = "{} is on the system's root file system: other programs use it, and it may run full"
    return tuple(
        warning("system-file-system", message.format(place.path), "name the mount point of the array", str(place.path))
        for place in places
        if place.mount.point == "/"
    )


def sync_findings(reader: MachineReader, names: Iterable[str], during_sync: bool) -> tuple[Finding, ...]:
    """A warning if one of the arrays syncs; `names`: kernel names of arrays and other devices."""
    wanted = set(names)
    busy = ", ".join(f"{s.device}: {s.action}" for s in reader.syncing() if s.device in wanted)
    if not busy:
        return ()
    way_out = (
        "figures are labelled syncing" if during_sync else "--during-sync measures during it and labels the figures"
    )
    then = "" if during_sync else "; the benchmark waits for its end"
    return (warning("syncing", f"{busy}{then}", way_out),)
