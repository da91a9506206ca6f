"""Speeds of single disks that a benchmark measured on the way: what the planner may reckon with from now on."""

from __future__ import annotations

from collections.abc import Mapping

from raidtui.model.bench import BenchResult, Figure, Label, Task
from raidtui.model.inventory import Disk, Inventory, Measured

LEAST_SECONDS = 2.0
"""measured for less, a figure is not kept; as long as `raidtui disks --measure` reads each end"""
LEAST_BLOCK = 128 * 1024
OUTER = 0.1
"""of a rotating disk, from its start: what was read within it counts as its outer zone"""
_SPOILT: frozenset[Label] = frozenset({"syncing", "cached", "disturbed", "partial", "simulated"})


def measured_disk_speeds(
    result: BenchResult, inventory: Inventory, kept: Mapping[str, Measured] | None = None
) -> dict[str, Measured]:
    """What the benchmark measured of disks of `inventory`, by identity.

    Only disks that were read alone, past the page cache, for real, with nothing else at work on them, and that are
    still of the size they had. The inner zone is not read by a benchmark: what `kept` has of it stays.
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
        found[disk.id] = Measured(
            outer_bytes_per_s=round(figure.median),
            inner_bytes_per_s=before.inner_bytes_per_s if before else None,
            day=(result.ended or bench.started)[:10],
        )
    return found


def _counts(task: Task, figure: Figure, disk: Disk) -> bool:
    """True when the figure is the sequential speed of the disk's outer zone."""
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
