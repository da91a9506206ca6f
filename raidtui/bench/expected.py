"""Expected result of one benchmark task: the model's rate, adjusted for the position of the task's data, its number of
streams and its queue depth.

Ceilings and relative band width are those of `Throughput`; seeks between streams those of `in_flight`. A low queue
depth lowers the figure and widens its band, since there are no such measurements on md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from raidtui.machine.gauges.expected_load import ExpectedLoads, PresentWork, parts_of
from raidtui.predict.speed.disk_speed import BEND, disk_speed, speed_at
from raidtui.predict.speed.in_flight import outstanding, queue_ceiling, stream_share_read, stream_share_write
from raidtui.predict.speed.raid_level_rates import mean_wire_share
from raidtui.values.amounts import percent
from raidtui.values.assumptions import defaults_for
from raidtui.values.bench import Bench, BenchDisk, BenchResult, Figure, Label, Predicted, Task, Unit
from raidtui.values.gauges import Scene, WatchedDisk
from raidtui.values.inventory import Disk, Inventory, MeasuredSpeed, Smart
from raidtui.values.layout import ArrayShape
from raidtui.values.location import Location
from raidtui.values.prediction import Prediction
from raidtui.values.speed import MD_THREAD, MEMBERS, PROGRAM, UNKNOWN, DiskSpeed, Iops, Limit, Rate, Throughput
from raidtui.values.units import grouped

AGAIN = 0.05
"""tolerance between two measurements of one disk: repeated runs differ by 1.8 to 4 % (45-disk field report)"""
REBUILD_LOW, REBUILD_HIGH = 0.59, 1.15
"""measured over predicted rebuild rates, range of nine in ten (35 rows of `rebuild.csv`)"""
_SATURATED = 4.0
"""from so many times what the path needs in flight on, no queue is short; the knee leaves half a percent there"""
_SYNCED: dict[Predicted, Predicted] = {
    "seq_read": "rebuilding_seq_read",
    "seq_read_one_stream": "rebuilding_seq_read",
    "degraded_seq_read": "rebuilding_seq_read",
}
_DEGRADED: dict[Predicted, Predicted] = {
    "seq_read": "degraded_seq_read",
    "seq_read_one_stream": "degraded_seq_read",
    "rand_read": "degraded_rand_read",
}
_WITHOUT_MEMBER: frozenset[Predicted] = frozenset((
    "disk", "rebuild", "rebuilding_seq_read", *_DEGRADED.values()
))  # fmt: skip
"""figures that hold where a member is missing"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """Expected result of a task."""

    value: float
    """expected figure in `unit`"""
    low: float
    """lower end of the band"""
    high: float
    """upper end"""
    unit: Unit
    """unit of value, low and high"""
    limit: Limit
    """predicted limit: a ceiling, or the program"""
    notes: tuple[str, ...] = ()
    """how the figure was derived"""


def expected(bench: Bench, task: Task, labels: tuple[Label, ...] = ()) -> Expected | None:
    """Expected result of `task` under `labels`; None if the model has no such figure.

    A task during a resync is compared with the figure during a rebuild, one on an array with a missing member with the
    degraded figure.
    """
    prediction = bench.prediction
    if prediction is None or prediction.throughput is None:
        return None
    wanted = task.job.predicted
    if "syncing" in labels and wanted not in ("disk", "rebuild"):
        wanted = wanted if wanted == "rebuilding_seq_read" else _SYNCED.get(wanted, "")
    elif "degraded" in labels and wanted not in _WITHOUT_MEMBER:
        wanted = _DEGRADED.get(wanted, "")
    match wanted:
        case "":
            return None
        case "disk":
            return _of_disks(bench, prediction, prediction.throughput, task)
        case "rebuild":
            return _of_rebuild(prediction)
        case _:
            return _of_arrays(bench, prediction, prediction.throughput, wanted, task)


def zone_of(task: Task, disk: DiskSpeed) -> tuple[float, str]:
    """(share of the outer zone's speed at the task's data, note); (1, "") for flash."""
    if not disk.rotational:
        return 1.0, ""
    if task.position is not None:
        share = speed_at(min(max(task.position, 0.0), 1.0), 1.0, disk.inner_share)
        return share, f"data at {percent(task.position)} of the disks: {share:.2f} of the outer zone"
    job, target = task.job, task.target
    if target.kind == "files":
        return 1.0, f"files assumed to be in the outer zone, {disk.inner_share:.2f} of its speed at the inner end"
    devices = len(target.disks) if target.kind == "disks" else len(target.paths) if target.kind == "arrays" else 1
    span = job.stream_bytes * max(job.streams, job.regions) * devices
    if not job.stream_bytes or span >= target.size_bytes:
        return 1.0, "at the outer edge"
    reached = span / target.size_bytes
    share = 1 - (1 - disk.inner_share) * float(reached**BEND) / (BEND + 1)
    return share, f"the first {percent(reached, 2)} of the device"


def _of_disks(bench: Bench, prediction: Prediction, speed: Throughput, task: Task) -> Expected:
    """Expected rate of disks read or written directly: alone, or together up to the ceilings of shared links."""
    known = {disk.id: disk.expected for disk in bench.disks}
    disks = [known.get(each) or speed.disk for each in task.target.disks] or [speed.disk]
    shares = [zone_of(task, disk)[0] for disk in disks]
    reads = task.job.only_reads
    figure = speed.seq_read if reads else speed.seq_write
    rates = [disk.read_bytes_per_s if reads else disk.write_bytes_per_s for disk in disks]
    total = sum(rate * share for rate, share in zip(rates, shares, strict=True))
    low = min(1 - AGAIN, *(disk.low for disk in disks))
    high = max(1 + AGAIN, *(disk.high for disk in disks))
    limit = MEMBERS
    if len(disks) > 1:
        wire = 1.0 if reads else mean_wire_share(prediction.layout.layout, "write")
        links = {name: rate * wire for name, rate in figure.ceilings.items() if name.is_shared_link}
        name, most = min(links.items(), key=lambda item: item[1], default=(UNKNOWN, float("inf")))
        if most < total:
            limit, total = name, most
            low, high = (edge / figure.bytes_per_s for edge in (figure.low, figure.high))
    sources = sorted({disk.basis for disk in disks})
    notes = [text for text in (zone_of(task, disks[0])[1],) if text]
    notes += [f"disks as {sources[0]}"] if len(sources) == 1 else []
    return Expected(value=total, low=low * total, high=high * total, unit="B/s", limit=limit, notes=tuple(notes))


def _of_rebuild(prediction: Prediction) -> Expected | None:
    """Mean bytes per second per member during a rebuild of an idle array."""
    risk = prediction.durability
    if risk is None or risk.rebuild is None:
        return None
    rate, slowest = risk.rebuild.bytes_per_s, risk.rebuild.hours and risk.rebuild.idle_hours / risk.rebuild.hours
    notes = ("on an idle array", "the lower end is for the assumed share of the members' time")
    low = REBUILD_LOW * min(slowest or 1.0, 1.0)
    limit = risk.rebuild.limit
    return Expected(value=rate, low=low * rate, high=REBUILD_HIGH * rate, unit="B/s", limit=limit, notes=notes)


def _of_arrays(
    bench: Bench, prediction: Prediction, speed: Throughput, field: Predicted, task: Task
) -> Expected | None:
    figure: Rate | Iops | None = getattr(speed, field)
    if figure is None:
        return None
    point = figure.iops if isinstance(figure, Iops) else figure.bytes_per_s
    if not point or not figure.ceilings or not min(figure.ceilings.values()):
        return None
    factor = point / min(figure.ceilings.values())
    ceilings, share, notes = _adjusted(bench, prediction, speed, figure, task)
    without_seeks = min(ceilings.values())
    ceilings[MEMBERS] = ceilings.get(MEMBERS, float("inf")) * share
    name, lowest = min(ceilings.items(), key=lambda item: item[1])
    low, high = figure.low / point, figure.high / point
    if name == MEMBERS and figure.bottleneck != MEMBERS and not isinstance(figure, Iops):
        low, high = low * speed.disk.low, high * speed.disk.high
    value = full = factor * lowest
    low, high = low * value, high * factor * without_seeks
    in_flight = outstanding(prediction, speed, figure, task)
    if in_flight is not None and in_flight.reach < _SATURATED * lowest:
        value = factor * queue_ceiling(in_flight.amount, in_flight.each, lowest)
        low *= value / full
        if in_flight.reach < lowest:
            name = PROGRAM
            low = min(low, in_flight.low)
            notes.append(f"only {in_flight.text} in flight")
        if in_flight.partial and in_flight.low < low:
            low = in_flight.low
            notes.append("partial-stripe writes may cause read-modify-write")
    unit: Unit = "IOPS" if isinstance(figure, Iops) else "B/s"
    return Expected(value=value, low=low, high=high, unit=unit, limit=name, notes=tuple(notes))


def _adjusted(
    bench: Bench, prediction: Prediction, speed: Throughput, figure: Rate | Iops, task: Task
) -> tuple[dict[Limit, float], float, list[str]]:
    """The ceilings of one figure for this task, and the share of the members' rate left after seeks between streams.

    That share lowers the figure and the lower end; not the upper end, since large requests and deep queues may hide it.
    """
    ceilings = {name: float(rate) for name, rate in figure.ceilings.items()}
    notes: list[str] = []
    arrays = len(prediction.arrays)
    if task.target.kind == "array" and arrays > 1:
        for name in (MEMBERS, MD_THREAD):
            if name in ceilings:
                ceilings[name] /= arrays
        pace = _own_pace(bench, speed, figure, task)
        if pace != 1:
            ceilings[MEMBERS] = ceilings.get(MEMBERS, float("inf")) * pace
            notes.append(f"its slowest member has {pace:.2f} of the rate of the slowest of all")
        notes.append(f"one of {arrays} arrays, shared links assumed busy with all arrays")
    if isinstance(figure, Iops):
        return ceilings, 1.0, notes
    zone, words = zone_of(task, speed.disk)
    if words:
        notes.append(words)
    places = positions(task)
    share = 1.0
    if speed.disk.rotational and places > 1:
        share = stream_share_read(places) if task.job.only_reads else stream_share_write(places)
        notes.append(f"{places} streams: {share:.2f} of the members' rate left after seeks")
    ceilings[MEMBERS] = ceilings.get(MEMBERS, float("inf")) * zone
    return ceilings, share, notes


def _own_pace(bench: Bench, speed: Throughput, figure: Rate | Iops, task: Task) -> float:
    """Speed of the slowest member of this array over that of the slowest of all, on which the prediction is based."""
    own = [disk.expected for disk in bench.disks if disk.id in task.target.disks and disk.role != "spare"]

    def pace(disk: DiskSpeed) -> int:
        if isinstance(figure, Iops):
            return disk.read_iops if task.job.only_reads else disk.write_iops
        return disk.read_bytes_per_s if task.job.only_reads else disk.write_bytes_per_s

    known = [pace(disk) for disk in own if disk is not None]
    return min(known) / pace(speed.disk) if len(known) == len(own) and known and pace(speed.disk) else 1.0


def positions(task: Task) -> int:
    """Number of places that a sequential task accesses at once: its regions, else one file per stream."""
    job = task.job
    return job.regions if job.regions > 1 else job.streams


def loads_of(bench: Bench, scene: Scene, task: Task) -> ExpectedLoads | None:
    """What each member of the benchmark's arrays should move during `task`; None where that is not known."""
    job = task.job
    if bench.prediction is None or task.target.disks_alone or job.pattern == "small-files":
        return None
    reads = 1.0 if job.only_reads else job.read_share if job.pattern == "randrw" else 0.0
    alone = job.direct and job.streams * job.depth == 1
    work = PresentWork(reads, job.random, positions(task), alone)
    shapes: dict[tuple[str, int], ArrayShape] = {
        (shape.level, shape.members): shape for shape in bench.prediction.layout.layout.shapes
    }
    known = {disk.name: disk.expected for disk in bench.disks}
    parts = {}
    for array in scene.arrays:
        shape = shapes.get((array.level, len(array.members)))
        speeds = [speed for name in array.members if (speed := known.get(name)) is not None]
        if shape is not None and len(speeds) == len(array.members):
            serving = [float(speed.read_bytes_per_s) for speed in speeds] if shape.level == "raid1" else ()
            rotational = any(speed.rotational for speed in speeds)
            parts[array.name] = parts_of(shape, work, rotational=rotational, serving=serving)
    return ExpectedLoads(scene, parts) if parts else None


def bench_disk(disk: WatchedDisk, known: Disk | None) -> BenchDisk:
    """The disk in a benchmark's result; with the speed to expect of it if it is `known`."""
    return BenchDisk(
        id=disk.id or disk.name, name=disk.name, serial=disk.serial, model=disk.model, array=disk.array,
        place=Location.in_bench(disk.slot, disk.enclosure), role="" if disk.role == "idle" else disk.role,
        firmware=(known.firmware or "") if known is not None else "",
        health=health_text(known.smart) if known is not None and known.smart is not None else "",
        expected=disk_speed(known, defaults_for((known,))) if known is not None else None,
    )  # fmt: skip


def health_text(smart: Smart) -> str:
    """What SMART says of a disk, in few words: `passed, 3 reallocated, 12 000 h`."""
    verdict = {True: "passed", False: "FAILING", None: ""}[smart.healthy]
    moved = f"{smart.reallocated} reallocated" if smart.reallocated else ""
    return ", ".join(part for part in (verdict, moved, f"{grouped(smart.hours)} h" if smart.hours else "") if part)


# Speeds of single disks measured by a benchmark, for later predictions.


LEAST_SECONDS = 2.0
"""least seconds of a usable measurement; equal to `raidtui disks --measure` per zone"""
LEAST_BLOCK = 128 * 1024
OUTER = 0.1
"""share of a rotating disk from its start that counts as its outer zone"""
_SPOILT: frozenset[Label] = frozenset({"syncing", "cached", "disturbed", "partial", "simulated"})


def measured_disk_speeds(
    result: BenchResult, inventory: Inventory, kept: Mapping[str, MeasuredSpeed] | None = None
) -> dict[str, MeasuredSpeed]:
    """Disk identity to the speed measured by the benchmark, for disks of `inventory`.

    Only real disks that were read alone with direct I/O and no other load, and whose size is unchanged. A benchmark
    reads only the outer zone: the other figures are taken from `kept`.
    """
    bench = result.bench
    if bench.simulated or inventory.simulated:
        return {}
    tasks = {task.number: task for task in bench.tasks}
    disks = {disk.id: disk for disk in inventory.disks if disk.id}
    found = {}
    for figure in result.figures:
        task = tasks.get(figure.task)
        disk = disks.get(task.target.disks[0]) if task and len(task.target.disks) == 1 else None
        if task is None or disk is None or not _counts(task, figure, disk):
            continue
        before = (kept or {}).get(disk.id)
        rate, day = round(figure.median), (result.ended or bench.started)[:10]
        found[disk.id] = (
            replace(before, outer_bytes_per_s=rate, day=day)
            if before
            else MeasuredSpeed(outer_bytes_per_s=rate, day=day, kernel=bench.conditions.settings.get("kernel", ""))
        )
    return found


def _counts(task: Task, figure: Figure, disk: Disk) -> bool:
    """True if the figure is the sequential speed of the disk's outer zone."""
    job = task.job
    alone = task.target.kind == "disk" and task.target.size_bytes == disk.size_bytes
    sequential = job.pattern == "read" and job.direct and job.streams == 1 and job.block_bytes >= LEAST_BLOCK
    spans = [repeat.ended - repeat.began for repeat in figure.repeats]
    clean = not _SPOILT & {*figure.labels} and not any(repeat.errors for repeat in figure.repeats)
    if not (alone and sequential and clean and spans and figure.unit == "B/s" and figure.median >= 1):
        return False
    reached = figure.median * (max(spans) + job.warm_up_seconds)
    outer = disk.rotational is False or reached <= OUTER * disk.size_bytes
    return min(spans) >= LEAST_SECONDS and outer and not task.position
