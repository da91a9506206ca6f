"""Load of the disks and arrays below a target during a job, as medians over ticks so that outliers count little."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from raidtui.model.bench import Task
from raidtui.model.by_key import by_key
from raidtui.model.gauges import Gauge, Scene, Tick, WatchedArray, WatchedDisk


@dataclass(frozen=True, slots=True)
class MemberMedians:
    """A disk under load: medians over the ticks; bytes per second, operations per second."""

    disk: WatchedDisk
    read: float
    write: float
    iops: float
    util: float
    await_ms: float
    queue: float

    @property
    def total(self) -> float:
        """Bytes per second read and written."""
        return self.read + self.write


def member_medians(scene: Scene, ticks: Sequence[Tick], task: Task) -> list[MemberMedians]:
    """The disks below the target with their medians."""
    wanted = set(task.target.disks)
    disks = [disk for disk in scene.disks if (disk.id or disk.name) in wanted] or _under(scene, task.target.array)
    members = []
    for disk in disks:
        gauges = [tick.disks[disk.name] for tick in ticks if disk.name in tick.disks]
        if (disk.role != "spare" or task.target.disks_alone) and gauges:
            members.append(_member(disk, gauges))
    return members


def _member(disk: WatchedDisk, gauges: Sequence[Gauge]) -> MemberMedians:
    def middle(of: Callable[[Gauge], float]) -> float:
        return median(map(of, gauges))

    return MemberMedians(
        disk=disk,
        read=middle(lambda gauge: gauge.read_bytes_per_s),
        write=middle(lambda gauge: gauge.write_bytes_per_s),
        iops=middle(lambda gauge: gauge.read_iops + gauge.write_iops),
        util=middle(lambda gauge: gauge.util),
        await_ms=middle(lambda gauge: gauge.await_ms),
        queue=middle(lambda gauge: gauge.queue),
    )


def target_arrays(scene: Scene, task: Task) -> list[WatchedArray]:
    """The md arrays below the target; all arrays if the target lists none."""
    known = {array.name: array for array in scene.arrays}
    names = [task.target.array] if task.target.array in known else []
    found: list[WatchedArray] = []
    while names:
        array = known.get(names.pop())
        if array is not None and array not in found:
            found.append(array)
            names += array.members
    if found:
        return found
    wanted = set(task.target.disks)
    held = {disk.array for disk in scene.disks if disk.id in wanted} - {""}
    return [array for array in scene.arrays if array.name in held]


def _under(scene: Scene, array: str) -> list[WatchedDisk]:
    """Disks of an array and of the arrays below it."""
    known = {each.name: each for each in scene.arrays}
    names, todo, done = set(), [array], set()
    while todo:
        name = todo.pop()
        if name in known and name not in done:
            done.add(name)
            todo += known[name].members
        else:
            names.add(name)
    return [disk for disk in scene.disks if disk.name in names]


def reads_per_write(ticks: Sequence[Tick], members: Sequence[MemberMedians]) -> float | None:
    """Bytes read over bytes written, of all members over all ticks; None if nothing was written."""
    names = [member.disk.name for member in members]
    read = written = 0.0
    for tick in ticks:
        for name in names:
            gauge = tick.disks.get(name)
            if gauge is not None:
                read += gauge.read_bytes_per_s * tick.seconds
                written += gauge.write_bytes_per_s * tick.seconds
    return read / written if written > 0 else None


def busiest_thread(ticks: Sequence[Tick], arrays: Sequence[WatchedArray]) -> tuple[str, float]:
    """(array with the busiest md threads, their share of a core)."""
    best = "", 0.0
    for array in arrays:
        shares = [tick.arrays[array.name].thread_share for tick in ticks if array.name in tick.arrays]
        if shares and median(shares) > best[1]:
            best = array.name, median(shares)
    return best


def below_links(members: Sequence[MemberMedians]) -> dict[str, list[MemberMedians]]:
    """Name of each expander, port multiplier and controller to the members below it."""
    found = by_key((key, each) for each in members for key in {each.disk.link, each.disk.controller} - {""})
    return dict(sorted(found.items()))
