"""Speeds of single disks measured by a benchmark, for later predictions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from raidtui.model.bench import BenchResult, Figure, Label, Task
from raidtui.model.inventory import Disk, Inventory, MeasuredSpeed

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
