"""Simulated load of a benchmark: figures and gauges from the model, with a reproducible spread.

All its output is labelled: the bench, each repeat (label `simulated`) and the scene of the recording.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sin
from pathlib import Path
from typing import Literal

from raidtui.bench.expected import bench_disk, expected
from raidtui.bench.plan import BenchFacts, BenchOptions, BenchPlan, bench_plan, file_layout, needs_fill
from raidtui.machine.gauges.rates import IDLE
from raidtui.machine.gauges.scene import scene_of
from raidtui.machine.system.ports import Running
from raidtui.values.arrays import MemberState, ObservedArray
from raidtui.values.bench import Bench, BenchDisk, Latency, Profile, Repeat, Target, Task
from raidtui.values.design import Design
from raidtui.values.gauges import ArrayGauge, Gauge, Scene, Tick, WatchedArray
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.layout import ArrayShape, Layout
from raidtui.values.members import disks_by_array, disks_of
from raidtui.values.notation import show
from raidtui.values.prediction import ArrayGeometry, Prediction
from raidtui.values.speed import MD_THREAD, MEMBERS, PROGRAM, Limit, Throughput

SPREAD = 0.02
"""largest relative deviation of a repeat from the model's figure"""
MEMORY = 64 * 1024**3
"""memory of the simulated machine, bytes"""
_SEQUENTIAL = 512 * 1024


class SimulatedClock:
    """Clock that is `speed_up` times as fast and advances only while a benchmark waits; 0: without waiting."""

    def __init__(self, *, speed_up: float = 0.0, start: float | None = None) -> None:
        self._now = time.time() if start is None else start
        self._speed_up = speed_up

    def now(self) -> float:
        """See Clock."""
        return self._now

    def wait(self, seconds: float) -> None:
        """See Clock."""
        if self._speed_up:
            time.sleep(seconds / self._speed_up)
        self._now += seconds


class SimulatedLoad:
    """See Load: accesses no disk. `gauges` and `arrays` feed SimulatedTicks."""

    simulated = True

    def __init__(self, bench: Bench, scene: Scene, clock: SimulatedClock, lacks: Sequence[int] = ()) -> None:
        """`lacks`: missing members of each array of the scene."""
        self._bench = bench
        self._scene = scene
        self._lacks = dict(zip((array.name for array in scene.arrays), lacks, strict=False))
        self._clock = clock
        self._laid: tuple[object, ...] = ()
        self._now: _Now | None = None

    def prepare(self, task: Task) -> Running | None:
        """See Load."""
        shape = file_layout(task.job) if needs_fill(task.job) else ()
        if shape in ((), self._laid):
            return None
        speed = self._bench.prediction.throughput if self._bench.prediction else None
        pace = speed.seq_write.bytes_per_s if speed else 300e6
        self._laid = shape
        job = replace(task.job, pattern="write")
        measured = Repeat(value=pace, began=self._clock.now(), ended=self._clock.now())
        return self._running("fill", replace(task, job=job), task.bytes_used / pace, measured)

    def settle(self, task: Task) -> None:
        """See Load."""

    def measure(self, task: Task, repeat: int, _: Path) -> Running:
        """See Load."""
        job = task.job
        key = f"{self._bench.profile} {task.number} {repeat}"
        sway = 1 + SPREAD * (zlib.crc32(key.encode()) / 0x7FFFFFFF - 1)
        value = played(self._bench, task, degraded=any(self._lacks.values())) * sway
        small = job.pattern == "small-files"
        seconds = job.files / value if small else job.seconds
        began = self._clock.now() + job.warm_up_seconds
        iops = value / job.block_bytes if job.pattern in ("read", "write") else value
        wait = job.streams * job.depth / iops * 1000
        latency = Latency(mean_ms=wait, p50_ms=wait * 0.9, p99_ms=wait * 3, max_ms=wait * 8)
        parts = {"create": value * 3, "create and sync": value * 2.5, **({"list": value * 20} if job.tree else {})}
        parts |= {"read": value * 3.5, "delete": value * 3.2}
        measured = Repeat(
            value=value, began=began, ended=began + seconds, latency=None if small else latency,
            parts=parts if small else {},
        )  # fmt: skip
        return self._running("repeat", task, job.warm_up_seconds + seconds, measured)

    def check(self, task: Task) -> None:
        """See Load."""

    def done(self, _: Task, following: Task | None) -> None:
        """See Load."""
        self._now = None
        if following is None:
            self._laid = ()

    def clean(self) -> None:
        """See Load."""
        self._laid, self._now = (), None

    def gauges(self, _: float) -> Mapping[str, Gauge]:
        """Present gauges of each disk."""
        found = {disk.name: IDLE for disk in self._scene.disks}
        return found if self._now is None else found | _disks_at(self._now, self._scene, self._bench)

    def arrays(self, at: float) -> Mapping[str, ArrayGauge]:
        """Present gauges of each array; its thread uses a full core if the model has that bottleneck."""
        disks = self.gauges(at)
        full = self._now is not None and self._now.limit == MD_THREAD
        parity = _parity_share(self._bench)
        return {
            array.name: replace(_array_at(array, disks, parity, full=full), degraded=self._lacks.get(array.name, 0))
            for array in self._scene.arrays
        }

    def _running(self, phase: str, task: Task, seconds: float, measured: Repeat) -> Running:
        expectation = expected(self._bench, task)
        self._now = _Now(task, measured.value, expectation.limit if expectation is not None else MEMBERS)
        return _Played(self, self._clock, phase, seconds, measured)

    def idle(self) -> None:
        """Ends the present load."""
        self._now = None


@dataclass(frozen=True, slots=True)
class _Now:
    """Present load."""

    task: Task
    value: float
    limit: Limit
    """its bottleneck in the model"""


class _Played:
    def __init__(
        self, load: SimulatedLoad, clock: SimulatedClock, phase: str, seconds: float, measured: Repeat
    ) -> None:
        self.phase, self.seconds = phase, seconds
        self._load, self._clock, self._measured = load, clock, measured
        self._until = clock.now() + seconds

    def ended(self) -> bool:
        """See Running."""
        return self._clock.now() >= self._until

    def kill(self) -> None:
        """See Running."""
        self._load.idle()

    def outcome(self) -> Repeat:
        """See Running."""
        self._load.idle()
        return self._measured


def played(bench: Bench, task: Task, *, degraded: bool = False) -> float:
    """The model's figure of a task, `degraded` that with a member missing where it has one; without one, a plausible
    figure for display only."""
    expectation = (expected(bench, task, ("degraded",)) if degraded else None) or expected(bench, task)
    if expectation is not None:
        return expectation.value
    speed = bench.prediction.throughput if bench.prediction else None
    if speed is None:
        return 1e8 if task.job.pattern in ("read", "write") else 1000.0
    read, write, requests = speed.rand_read.iops, speed.rand_write.iops, task.job.streams * task.job.depth
    alone = 120.0 if speed.disk.rotational else 10_000.0
    job = task.job
    match job.pattern:
        case "read":
            return float(speed.seq_read.bytes_per_s)
        case "write" if job.sync_each:
            return alone * job.block_bytes
        case "write":
            return float(speed.seq_write.bytes_per_s)
        case "randrw":
            mixed = 1 / (job.read_share / read + (1 - job.read_share) / write)
            return min(mixed, speed.seq_write.bytes_per_s / job.block_bytes)
        case "randread":
            return min(float(read), requests * alone)
        case "randwrite":
            return min(float(write), requests * alone / 2)
        case "small-files":
            return 900.0 if speed.disk.rotational else 6000.0


def _disks_at(now: _Now, scene: Scene, bench: Bench) -> dict[str, Gauge]:
    """The disks below the target share the work evenly; parity is written too."""
    task = now.task
    wanted = set(task.target.disks)
    disks = [disk for disk in scene.disks if disk.id in wanted and (disk.role != "spare" or task.target.kind == "disk")]
    if not disks:
        return {}
    job = task.job
    moved = now.value if job.pattern in ("read", "write") else now.value * job.block_bytes
    reads = {"read": 1.0, "randread": 1.0, "randrw": job.read_share, "small-files": 0.3}.get(job.pattern, 0.0)
    parity = _parity_share(bench) if not task.target.disks_alone else 1.0
    speed = bench.prediction.throughput if bench.prediction else None
    most = float(speed.disk.read_bytes_per_s) if speed else 0.0
    each = moved / len(disks)
    gauge = _gauge(each * reads, each * (1 - reads) * parity, min(job.block_bytes, _SEQUENTIAL), job.depth)
    if now.limit == PROGRAM and most:
        gauge = replace(gauge, util=min(0.7, each / most), queue=min(1.0, gauge.queue))
    return {disk.name: gauge for disk in disks}


def _gauge(read: float, write: float, request: int, depth: int) -> Gauge:
    iops = (read + write) / request
    wait = min(1000.0, 1000 * depth / iops) if iops else 0.0
    return Gauge(
        read_bytes_per_s=read, write_bytes_per_s=write, read_iops=read / request, write_iops=write / request,
        util=0.97 if iops else 0.0, await_ms=wait, read_await_ms=wait if read else 0.0,
        write_await_ms=wait if write else 0.0, queue=float(depth) if iops else 0.0,
    )  # fmt: skip


def _parity_share(bench: Bench) -> float:
    """Bytes written to members for each byte of data."""
    arrays = bench.prediction.arrays if bench.prediction else ()
    if not arrays:
        return 1.0
    shares = [_share_written(array) for array in arrays]
    return shares[0] if len(set(shares)) == 1 else sum(shares) / len(shares)


def _share_written(array: ArrayGeometry) -> float:
    if array.full_stripe_bytes and array.chunk_bytes and array.parity > 0:
        return array.members * array.chunk_bytes / array.full_stripe_bytes
    return 2.0 if array.level in ("raid1", "raid10") else 1.0


def _array_at(array: WatchedArray, disks: Mapping[str, Gauge], parity: float, *, full: bool) -> ArrayGauge:
    own = [disks[name] for name in array.members if name in disks]
    read = sum(gauge.read_bytes_per_s for gauge in own)
    write = sum(gauge.write_bytes_per_s for gauge in own) / parity
    busy = replace(
        IDLE, read_bytes_per_s=read, write_bytes_per_s=write, read_iops=sum(gauge.read_iops for gauge in own),
        write_iops=sum(gauge.write_iops for gauge in own) / parity,
    )  # fmt: skip
    share = 0.98 if full and read + write else min(0.6, (read + write) / 4e9)
    return ArrayGauge(gauge=busy, state="active" if write else "clean", thread_share=share)


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """A simulated machine with the tasks of a benchmark."""

    plan: BenchPlan
    """tasks and estimates"""
    scene: Scene
    """its disks and arrays"""
    disks: tuple[BenchDisk, ...]
    """below the targets"""
    layout: str
    """canonical"""
    prediction: Prediction
    """what the figures come from"""


def staged(
    inventory: Inventory, design: Design, disks: tuple[Disk, ...], prediction: Prediction, profile: Profile,
    ask: BenchOptions, *, mount_point: str = "/srv/data", name: str = "data",
) -> Staged:  # fmt: skip
    """The machine as if `design` had been built on `disks` (members of the first array first), and the tasks."""
    scene = _scene(inventory, design, disks)
    targets = _targets(scene, prediction, mount_point, name)
    speed = prediction.throughput
    filesystem = prediction.filesystem
    facts = BenchFacts(
        memory_bytes=MEMORY,
        free_bytes=filesystem.available_bytes if filesystem else prediction.volume_bytes,
        read_bytes_per_s=speed.seq_read.bytes_per_s if speed else 500e6,
        write_bytes_per_s=speed.seq_write.bytes_per_s if speed else 300e6,
    )
    known = {disk.id: disk for disk in disks}
    return Staged(
        plan=bench_plan(profile, targets, facts, ask),
        scene=scene,
        disks=tuple(bench_disk(disk, known[disk.id]) for disk in scene.disks if disk.id in known),
        layout=show(design.layout),
        prediction=prediction,
    )


def _scene(inventory: Inventory, design: Design, disks: tuple[Disk, ...]) -> Scene:
    scene = scene_of(inventory)
    shares = disks_by_array(design.layout, disks_of(design.layout, disks))
    roles: dict[str, tuple[str, bool]] = {}
    for number, share in enumerate(shares):
        roles |= {disk.id: (f"md{number}", False) for disk in share.members}
        roles |= {disk.id: (f"md{number}", True) for disk in share.spares}
    watched = tuple(
        replace(disk, array=roles[disk.id][0], role="spare" if roles[disk.id][1] else "member")
        if disk.id in roles
        else disk
        for disk in scene.disks
    )
    names = {disk.id: disk.name for disk in watched}
    arrays = tuple(
        WatchedArray(
            name=f"md{number}", level=design.layout.shapes[number].level,
            members=tuple(names[disk.id] for disk in share.members),
            spares=tuple(names[disk.id] for disk in share.spares),
        )
        for number, share in enumerate(shares)
    )  # fmt: skip
    order = {array.name: number for number, array in enumerate(arrays)}
    in_order = sorted(watched, key=lambda disk: (order.get(disk.array, len(order)), disk.role == "spare"))
    return replace(scene, simulated=True, disks=tuple(in_order), arrays=arrays)


def _targets(scene: Scene, prediction: Prediction, mount_point: str, name: str) -> tuple[Target, ...]:
    used = [disk for disk in scene.disks if disk.array]
    ids = tuple(disk.id for disk in used)
    alone = scene.arrays[0].name if len(scene.arrays) == 1 else ""
    found = [
        Target(
            kind="disk", name=f"slot {disk.slot}" if disk.slot else disk.serial or disk.name, disks=(disk.id,),
            paths=(f"/dev/{disk.name}",), size_bytes=disk.size_bytes, array=disk.array,
        )
        for disk in used
    ]  # fmt: skip
    members = [target for disk, target in zip(used, found, strict=True) if disk.role == "member"]
    if len(members) > 1:
        found.append(Target.at_once(members, alone))
    for array, geometry in zip(scene.arrays, prediction.arrays, strict=False):
        own = {*array.members, *array.spares}
        found.append(
            Target(
                kind="array", name=array.name, paths=(f"/dev/{array.name}",), array=array.name,
                disks=tuple(disk.id for disk in used if disk.name in own), size_bytes=geometry.array_bytes,
            )
        )  # fmt: skip
    if len(scene.arrays) > 1:
        found.append(
            Target(
                kind="arrays", name=f"{len(scene.arrays)} arrays at once",
                disks=tuple(disk for each in members for disk in each.disks),
                paths=tuple(f"/dev/{array.name}" for array in scene.arrays),
                size_bytes=sum(geometry.array_bytes for geometry in prediction.arrays),
            )
        )  # fmt: skip
        found.append(
            Target(
                kind="volume", name=f"{name}-data", paths=(f"/dev/mapper/{name}-data",), disks=ids,
                size_bytes=prediction.volume_bytes,
            )
        )  # fmt: skip
    room = prediction.filesystem.available_bytes if prediction.filesystem else prediction.volume_bytes
    files = Target(kind="files", name=mount_point, paths=(mount_point,), disks=ids, size_bytes=room, array=alone)
    return (*found, files)


# Ticks of simulated disks: a given load with a small reproducible variation.


_TICK_TURN = 20.0
_FEW = 4
_TICK_REQUEST = 512 * 1024
UNREST = 0.03
"""relative variation of the figures"""
DiskLoad = Callable[[float], Mapping[str, Gauge]]
"""what each disk does so many seconds after the start"""
ArrayLoad = Callable[[float], Mapping[str, ArrayGauge]]
"""the same of arrays"""


def _no_arrays(_: float) -> Mapping[str, ArrayGauge]:
    return {}


class SimulatedTicks:
    """See `machine.ticks.Ticks`. The scene is marked as simulated, whatever it was before."""

    def __init__(
        self,
        scene: Scene,
        load: DiskLoad,
        *,
        arrays: ArrayLoad = _no_arrays,
        clock: Callable[[], float] | None = None,
        speed: float = 1.0,
    ) -> None:
        """`clock`: seconds since 1970, this machine's when None; `speed`: how much faster time passes for the disks."""
        self.scene = replace(scene, simulated=True)
        self._load, self._arrays, self._speed = load, arrays, speed
        self._clock = clock or time.time
        self._start = self._then = self._clock()
        self._number = 0

    def take(self) -> Tick:
        """See Ticks."""
        now = self._clock()
        seconds = max(now - self._then, 0.001)
        self._then = now
        self._number += 1
        at = (now - self._start) * self._speed
        disks = {name: unsteady(gauge, f"{name} {self._number}") for name, gauge in self._load(at).items()}
        return Tick(time=now, seconds=seconds, disks=disks, arrays=dict(self._arrays(at)))


def unsteady(gauge: Gauge, key: str) -> Gauge:
    """`gauge` a little up or down; how far follows from `key` alone."""
    spread = zlib.crc32(key.encode("utf-8", "replace")) * 0x9E3779B1 & 0xFFFFFFFF  # alike keys, unlike shares
    share = 1 + UNREST * (spread / 0x7FFFFFFF - 1)
    return replace(
        gauge,
        read_bytes_per_s=gauge.read_bytes_per_s * share,
        write_bytes_per_s=gauge.write_bytes_per_s * share,
        read_iops=gauge.read_iops * share,
        write_iops=gauge.write_iops * share,
        util=min(gauge.util * share, 1.0),
        queue=gauge.queue * share,
    )


def demonstration(scene: Scene) -> DiskLoad:
    """A load for looking at: groups of disks read in turn, for twenty seconds each, one disk slower than its group.

    The figures are made up: 180 MB/s of a spinning disk, 2 GB/s of flash.
    """
    named = [(disk, disk.array or disk.link or disk.controller) for disk in scene.disks]
    groups = sorted({group for _, group in named})
    slow = scene.disks[len(scene.disks) // 3].name if len(scene.disks) > _FEW else ""

    def load(at: float) -> Mapping[str, Gauge]:
        turn = groups[int(at / _TICK_TURN) % len(groups)] if groups else ""
        return {
            disk.name: _reading(disk.rotational is not False, 0.7 if disk.name == slow else 1.0)
            if group == turn
            else IDLE
            for disk, group in named
        }

    return load


def _reading(spins: bool, share: float) -> Gauge:
    rate = (180e6 if spins else 2e9) * share
    requests = rate / _TICK_REQUEST
    return Gauge(
        read_bytes_per_s=rate, write_bytes_per_s=0.0, read_iops=requests, write_iops=0.0, util=1.0,
        await_ms=1000 / requests, read_await_ms=1000 / requests, queue=1.0,
    )  # fmt: skip


# Simulated load of a planned design: its arrays read, write and rest in turn at the model's speed.


_TURN = 24.0
_NO_MEMBER: tuple[MemberState, ...] = ("faulty", "dropped", "missing")
_STAGGER = 2.5
_REQUEST = 512 * 1024
_SWAY = 0.08
_SLOW = 0.74
"""pace of the slow member over that of the others"""
_READING, _WRITING, _RANDOM = range(3)
_SMALL = 4096


def planned_scene(scene: Scene, layout: Layout, disks: Sequence[Disk], names: Sequence[str]) -> Scene:
    """`scene` with the arrays of `layout` on `disks`, called `names`, in place of those it has."""
    arrays: list[WatchedArray] = []
    known = {disk.id: disk.name for disk in scene.disks}
    for number, of in enumerate(disks_by_array(layout, disks)):
        members = tuple(known[disk.id] for disk in of.members)
        spares = tuple(known[disk.id] for disk in of.spares)
        name = f"md{127 - number}" if number < 128 else f"md_{number}"
        level = layout.shapes[number].level
        arrays.append(WatchedArray(name=name, title=names[number], level=level, members=members, spares=spares))
    return _with_arrays(scene, arrays)


def standing_scene(scene: Scene, found: Sequence[ObservedArray]) -> Scene:
    """`scene` with these arrays in place of those it has."""
    known = {disk.name for disk in scene.disks}
    return _with_arrays(
        scene,
        [
            WatchedArray(
                name=array.name, title=array.path.removeprefix("/dev/md/"), level=array.level,
                members=tuple(each.disk for each in array.members if each.disk in known and each.state != "spare"),
                spares=tuple(each.disk for each in array.spares if each.disk in known),
            )
            for array in found
        ],
    )  # fmt: skip


def _with_arrays(scene: Scene, arrays: Sequence[WatchedArray]) -> Scene:
    parts: dict[str, tuple[int, str, Literal["member", "spare", "idle"]]] = {}
    for number, array in enumerate(arrays):
        parts |= dict.fromkeys(array.members, (number, array.name, "member"))
        parts |= dict.fromkeys(array.spares, (number, array.name, "spare"))
    last: tuple[int, str, Literal["member", "spare", "idle"]] = (len(arrays), "", "idle")
    order = sorted(
        scene.disks, key=lambda disk: (parts.get(disk.name, last)[0], parts.get(disk.name, last)[2] == "spare")
    )
    return replace(
        scene,
        arrays=tuple(arrays),
        disks=tuple(
            replace(disk, array=parts.get(disk.name, last)[1], role=parts.get(disk.name, last)[2]) for disk in order
        ),
    )


def at_work(
    scene: Scene, shapes: Sequence[ArrayShape], speed: Throughput, clock: Callable[[], float] = time.time,
    found: Sequence[ObservedArray] = (),
) -> SimulatedTicks:  # fmt: skip
    """Ticks of the arrays of `scene`, which have these `shapes`; one member is slower than it should be. `found`: the
    same arrays as they are: nothing moves on one that has failed, nor on a disk that is no member of it any more."""
    play = _Play(scene, shapes, speed, found)
    return SimulatedTicks(scene, play.disks, arrays=play.arrays, clock=clock)


class _Play:
    """Streams of reads, streams of writes, random reads: a turn each, the arrays a little after one another."""

    def __init__(
        self, scene: Scene, shapes: Sequence[ArrayShape], speed: Throughput, found: Sequence[ObservedArray]
    ) -> None:
        self._scene, self._shapes, self._speed = scene, shapes, speed
        self._failed = {array.name for array in found if "failed" in array.states}
        self._lacks = {array.name: array.lacks or 0 for array in found}
        gone = {each.disk for array in found for each in array.members if each.state in _NO_MEMBER}
        self._out = gone | {name for each in scene.arrays if each.name in self._failed for name in each.members}
        second = scene.arrays[min(1, len(scene.arrays) - 1)].members if scene.arrays else ()
        self._slow = second[len(second) // 2] if len(second) > 2 else ""

    def disks(self, at: float) -> Mapping[str, Gauge]:
        """What each disk does."""
        found = dict.fromkeys((disk.name for disk in self._scene.disks), IDLE)
        for number, array in enumerate(self._scene.arrays):
            each = self._member(at - _STAGGER * number, number)
            found |= {name: each for name in array.members if name not in self._out}
            if (
                self._slow in array.members and self._slow not in self._out
            ):  # the others wait for it: all move the same, it alone is busier
                slow = {name: getattr(each, name) / _SLOW for name in ("await_ms", "read_await_ms", "write_await_ms")}
                found[self._slow] = replace(each, util=min(each.util / _SLOW, 1.0), queue=each.queue / _SLOW, **slow)
        return found

    def arrays(self, at: float) -> Mapping[str, ArrayGauge]:
        """What each array does."""
        found = {}
        for number, array in enumerate(self._scene.arrays):
            one = self._member(at - _STAGGER * number, number) if array.name not in self._failed else IDLE
            share = self._shapes[number].data / self._shapes[number].members
            gauge = replace(
                one,
                read_bytes_per_s=one.read_bytes_per_s * len(array.members),
                write_bytes_per_s=one.write_bytes_per_s * len(array.members) * share,
                read_iops=one.read_iops * len(array.members),
                write_iops=one.write_iops * len(array.members) * share,
            )
            writes = gauge.write_bytes_per_s * len(self._scene.arrays) / max(self._speed.seq_write.bytes_per_s, 1)
            found[array.name] = ArrayGauge(
                gauge=gauge, state=self._state(array.name, one), degraded=self._lacks.get(array.name, 0),
                thread_share=0.45 * min(writes, 1.0),
            )  # fmt: skip
        return found

    def _state(self, array: str, member: Gauge) -> str:
        if array in self._failed:
            return "broken"
        return "active" if member is not IDLE else "clean"

    def _member(self, at: float, number: int) -> Gauge:
        turn = int(at // _TURN) % 3 if at >= 0 else -1
        if turn < 0:
            return IDLE
        sway = 1 - _SWAY * (1 + sin(at / 3 + number)) / 2
        arrays, members = len(self._scene.arrays), self._shapes[number].members
        disk = self._speed.disk
        if turn == _RANDOM:
            iops = sway * self._speed.rand_read.iops / (arrays * members)
            return _reads(iops, _SMALL, min(iops / max(disk.read_iops, 1), 1.0))
        if turn == _READING:
            rate = sway * self._speed.seq_read.bytes_per_s / (arrays * members)
            return _reads(rate / _REQUEST, _REQUEST, min(rate / max(disk.read_bytes_per_s, 1), 1.0))
        rate = sway * self._speed.seq_write.bytes_per_s / (arrays * self._shapes[number].data)
        util = min(rate / max(disk.write_bytes_per_s, 1), 1.0)
        return Gauge(
            read_bytes_per_s=0.0, write_bytes_per_s=rate, read_iops=0.0, write_iops=rate / _REQUEST, util=util,
            await_ms=8 * util, write_await_ms=8 * util, queue=rate / _REQUEST * 0.008 * util,
        )  # fmt: skip


def _reads(iops: float, size: int, util: float) -> Gauge:
    wait = 4 + 12 * util
    return Gauge(
        read_bytes_per_s=iops * size, write_bytes_per_s=0.0, read_iops=iops, write_iops=0.0, util=util, await_ms=wait,
        read_await_ms=wait, queue=iops * wait / 1000,
    )  # fmt: skip
