"""Prepares a benchmark from a target and a profile, on this machine or a simulated one."""

from __future__ import annotations

import contextlib
import lzma
import os
import secrets
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from tarfile import TarError

from raidtui.advice.arrays import words
from raidtui.advice.arrays.state import design_of
from raidtui.advice.inferred_design import NotALayout, predict_inferred
from raidtui.bench import small_files, store
from raidtui.bench.fio_load import FioLoad, RawWrites
from raidtui.bench.plan import BenchOptions, bench_plan, profile_problem
from raidtui.bench.run import Benchmark, conditions
from raidtui.bench.targets import BenchPlace, bench_disks, facts_of, memory, place_of, targets_of
from raidtui.engine import journal
from raidtui.engine.folders import BENCHES, ControlRequest, is_alive, readable
from raidtui.machine.arrays.read import ArraysLook
from raidtui.machine.gauges.sampler import SystemTicks
from raidtui.machine.gauges.scene import scene_of
from raidtui.machine.system.files import PROFILE, read_named
from raidtui.machine.system.places import speeds_path
from raidtui.machine.system.ports import MachineReader
from raidtui.machine.system.runner import SystemReader
from raidtui.predict.design import assess, assess_plan
from raidtui.values.arrays import ObservedArray
from raidtui.values.assumptions import defaults_for
from raidtui.values.bench import Bench, BenchDisk, BenchOrder, BenchResult, Conditions, Job, Profile, Task
from raidtui.values.choices import MADE_FILE_SYSTEMS, FileSystem
from raidtui.values.codec import from_json
from raidtui.values.design import Design
from raidtui.values.errors import BadInput, RaidtuiError, Refused
from raidtui.values.findings import Finding, warning
from raidtui.values.gauges import Scene
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.plan import Plan, journal_mirrors
from raidtui.values.prediction import Prediction
from raidtui.values.safe import safe
from raidtui.values.satellites import part
from raidtui.values.speed import Throughput
from raidtui.values.target import TargetVersions
from raidtui.values.units import counted


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
    order: BenchOrder
    """how it is carried out"""


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
        conditions=_conditions(places, scene, disks, ask, design, inventory.target or TargetVersions()),
    )
    return Prepared(
        bench=bench,
        findings=(*findings, *_system(places), *sync_findings(SystemReader(), names, during_sync)),
        seconds=sum(task.seconds for task in tasks),
        bytes_used=max((task.bytes_used for task in tasks), default=0),
        order=BenchOrder(
            during_sync=during_sync,
            precondition=ask.precondition,
            mounts={str(place.path): place.mount.point for place in places},
            speeds=str(speeds_path()),
        ),
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


def begun(
    bench: Bench, order: BenchOrder, folder: Path, request: Callable[[], ControlRequest] = ControlRequest, *,
    speed_up: float = 0.0, raw_writes: RawWrites | None = None,
) -> Benchmark:  # fmt: skip
    """The benchmark in `folder`, to be started or continued. Raises Refused where its file systems are not mounted.

    `request`: what is asked of it; `speed_up`: of a simulated one, 0 takes no time; `raw_writes`: of one that writes to
    block devices."""
    if bench.simulated:
        made: Benchmark = part("simulated", "bench").begun(bench, order, folder, request, speed_up=speed_up)
        return made
    for path, point in order.mounts.items():
        if place_of(Path(path)).mount.point != point:
            raise Refused(f"nothing is mounted at {point} now, where {path} was to be measured", hint=f"mount {point}")
    load = FioLoad(bench, memory_bytes=memory(), precondition=order.precondition, raw_writes=raw_writes)
    scene = _only(_with_bench_ids(scene_of(), bench), _below(bench))
    ticks = SystemTicks(scene, only=scene.names or None)
    return Benchmark(bench, folder, ticks, load, request=request, during_sync=order.during_sync)


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
    start: float | None = None,
    bench_id: str | None = None,
    found: Sequence[ObservedArray] = (),
) -> Prepared:
    """A benchmark of `design` on simulated disks, labelled SIMULATED.

    `prediction` has its throughput; `start` and `bench_id` make it reproducible. `found`: its arrays as they are, if
    they were built. Raises Refused where one of them has failed.
    """
    require_not_failed(found)
    made: Prepared = part("simulated", "bench").prepared(
        inventory, design, disks, prediction, profile, ask, mount_point=mount_point, name=name,
        plan_digest=plan_digest, start=start, bench_id=bench_id, lacks=[array.lacks or 0 for array in found],
    )  # fmt: skip
    short = [array for array in found if array.lacks]
    return replace(made, findings=(*made.findings, *map(_degraded, short)))


def require_not_failed(found: Iterable[ObservedArray]) -> None:
    """Raises Refused where an array that is to be measured has failed."""
    for array in found:
        if "failed" in array.states:
            raise Refused(
                f"{words.name(array)} is {words.state_words(array)}: there is nothing to measure",
                hint=f"raidtui replace {words.name(array)} shows what may still be saved; an undo of its run frees it",
            )


def _degraded(array: ObservedArray) -> Finding:
    return warning(
        "array-degraded",
        f"{words.name(array)} is {words.state_words(array)}: its speed is measured with a member missing, and compared "
        "with that of a degraded array.",
        f"raidtui replace {words.name(array)} first, to measure it whole",
        words.name(array),
    )


def _with_bench_ids(scene: Scene, bench: Bench) -> Scene:
    """The scene with the benchmark's ids of the disks; a disk without an id is found by its name."""
    ids = {disk.id for disk in bench.disks}
    names = {disk.name: disk.id for disk in bench.disks}
    disks = (disk if disk.id in ids else replace(disk, id=names.get(disk.name, disk.id)) for disk in scene.disks)
    return replace(scene, disks=tuple(disks))


def _below(bench: Bench) -> set[str]:
    return {disk.name for disk in bench.disks} | {task.target.array for task in bench.tasks}


def sweep(places: Iterable[Path], where: Path) -> tuple[Path, ...]:
    """Removes the files of killed benchmarks in `places` and on the targets of the benchmarks stored in `where`."""
    ended = [path for _, paths in readable(BENCHES.all_folders((where,)), _paths_of_ended) for path in paths]
    return store.sweep((*places, *ended))


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
    places: tuple[BenchPlace, ...], scene: Scene, disks: tuple[BenchDisk, ...], ask: BenchOptions,
    design: Design | None, target: TargetVersions,
) -> Conditions:  # fmt: skip
    found = conditions(scene, (disk.name for disk in disks))
    made = (("xfsprogs", target.xfsprogs), ("e2fsprogs", target.e2fsprogs))
    found |= {name: version for name, version in made if version}
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


# Profiles of benchmarks: those shipped with raidtui, and files of the user (`raidtui schema profile`).


_SHIPPED = Path(__file__).parents[1] / "profiles"
_ORDER = ("quick", "ladder", "streams", "survey", "raw", "survey-raw", "random", "mixed", "small-files", "dd-like")


def names() -> tuple[str, ...]:
    """Names of the shipped profiles, the default first."""
    found = sorted(path.stem for path in _SHIPPED.glob("*.json"))
    return tuple(sorted(found, key=lambda name: _ORDER.index(name) if name in _ORDER else len(_ORDER)))


def load(name: str) -> Profile:
    """The shipped profile `name`, else the one in the file `name`. Raises BadInput if there is none."""
    if name in names():
        return _read(_SHIPPED / f"{name}.json")
    path = Path(name)
    if "/" not in name and not name.endswith(".json"):
        raise BadInput(f"there is no profile '{name}'", hint=f"shipped profiles: {', '.join(names())}; or name a file")
    return _read(path)


def of_tree(source: Path) -> tuple[Profile, tuple[str, ...]]:
    """A profile that unpacks or copies `source`, and what of it is skipped, by name. Raises BadInput."""
    found, skipped = [], []
    try:
        for name, size, why, _ in small_files.members(str(source.absolute())):
            if why:
                skipped.append(f"{safe(name, longest=200)}: {why}")
            else:
                found.append(size)
    except (OSError, EOFError, ValueError, TarError, zlib.error, lzma.LZMAError) as problem:
        why = safe(str(getattr(problem, "strerror", "") or problem), longest=200)
        raise BadInput(f"--tree {safe(str(source))}: {why}", hint="name a tar file or a directory") from problem
    sizes = [size for size in found if size is not None]
    if not sizes:
        raise BadInput(f"--tree {safe(str(source))} has no regular file", hint="name a tar file or a directory")
    folders = len(found) - len(sizes)
    title = f"tree of {counted(len(sizes), 'file')} in {folders} {'directory' if folders == 1 else 'directories'}"
    job = Job(
        name="tree", title=title, target="files", pattern="small-files", direct=False,
        block_bytes=max(1, -(-sum(sizes) // len(sizes))), files=len(sizes), warm_up_seconds=0.0,
        tree=str(source.absolute()),
    )  # fmt: skip
    purpose = "Unpacks or copies a tree, writes it out, lists it, reads it back and deletes it."
    return Profile(name="tree", title=title, purpose=purpose, jobs=(job,)), tuple(skipped)


def _read(path: Path) -> Profile:
    profile = from_json(Profile, read_named(path, PROFILE), source=str(path))
    if wrong := profile_problem(profile):
        raise BadInput(f"{path}: {wrong}", hint="raidtui schema profile prints its format")
    return profile


# Simulated benchmarks of a plan that was built: they begin in the time of its machine, which is ahead of ours then.


def prepare_plan(
    plan: Plan, inventory: Inventory, profile: Profile, ask: BenchOptions, *, start: float | None,
    found: Sequence[ObservedArray] = (),
) -> Prepared:  # fmt: skip
    """A benchmark of what `plan` builds on the simulated disks of `inventory`; see `prepare_simulated`. `found`: the
    arrays of their machine."""
    require_not_failed(own := of_plan(plan, found))
    disks = disks_of_plan(plan, own, inventory)
    journals = {mirror.uuid for mirror in journal_mirrors(plan.arrays)}
    own = [array for array in own if array.uuid not in journals]
    predicted = assess(plan.design, disks, plan.prediction, inventory, defaults_for(disks), spread=False)
    mount_point = plan.filesystems[0].mount_point if plan.filesystems else f"/srv/{plan.name}"
    return prepare_simulated(
        inventory, plan.design, disks, predicted, profile, ask, mount_point=mount_point, name=plan.name,
        plan_digest=plan.digest, start=start, found=own,
    )  # fmt: skip


def disks_of_plan(plan: Plan, own: Sequence[ObservedArray], inventory: Inventory) -> tuple[Disk, ...]:
    """The disks of a plan, in its order; for one that was replaced the one that has its slot in `own`, its arrays.
    Raises Refused where one is neither."""
    known = {disk.id: disk for disk in inventory.disks}
    now = {array.uuid: array.members for array in own}
    for array in plan.arrays:
        members = now.get(array.uuid, ())
        slots = {member.slot: member.disk_id for member in members if member.state in ("in-sync", "rebuilding")}
        known |= {name: known[slots[at]] for at, name in enumerate(array.members) if slots.get(at) in known}
    if missing := [name for name in plan.prediction.disks if name not in known]:
        raise Refused(f"{safe(missing[0])} of the plan is missing", hint="replace it: raidtui arrays shows its array")
    return tuple(known[name] for name in plan.prediction.disks)


def of_plan(plan: Plan, found: Iterable[ObservedArray]) -> list[ObservedArray]:
    """The arrays that `plan` built, in its order; none unless all are there."""
    known = {array.uuid: array for array in found}
    own = [known[array.uuid] for array in plan.arrays if array.uuid in known]
    return own if len(own) == len(plan.arrays) else []


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
