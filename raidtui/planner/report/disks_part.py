"""Disks of a report: those of the plan and those measured, as one list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from raidtui.model.bench import BenchDisk, BenchResult
from raidtui.model.report import ReportBench, ReportDisk
from raidtui.planner.measurement.compare import slow_alone


def disks_of(planned: Sequence[ReportDisk], benches: Sequence[ReportBench]) -> tuple[ReportDisk, ...]:
    """All disks, in the order of the plan, then of the benchmarks; the last measurement of each is used."""
    found = {disk.id: replace(disk, read_bytes_per_s=None, share=None, slow=False) for disk in planned}
    speeds: dict[str, float] = {}
    slow: set[str] = set()
    for bench in benches:
        for disk in bench.result.bench.disks:
            found[disk.id] = _with_name(found.get(disk.id), disk)
        speeds |= single_disk_rates(bench.result)
        slow |= slow_disks(bench.result)
    return tuple(_measured(disk, speeds, slow, found) for disk in found.values())


def single_disk_rates(result: BenchResult) -> dict[str, float]:
    """Identity to sequential bytes per second of every disk that was read alone."""
    tasks = {task.number: task for task in result.bench.tasks}
    return {
        tasks[figure.task].target.disks[0]: figure.median
        for figure in result.figures
        if tasks[figure.task].target.kind == "disk"
        and tasks[figure.task].job.pattern == "read"
        and len(tasks[figure.task].target.disks) == 1
    }


def slow_disks(result: BenchResult) -> set[str]:
    """Identities of disks that are slower than their group, by the gauges or by their own figures."""
    seen = {disk for figure in result.figures if figure.seen for disk in figure.seen.slow_disks}
    return seen | {disk for disk, _ in slow_alone(result).values()}


def _with_name(known: ReportDisk | None, disk: BenchDisk) -> ReportDisk:
    if known is None:
        role = f"{disk.role} of {disk.array}" if disk.array and disk.role else disk.role
        return ReportDisk(id=disk.id, serial=disk.serial, model=disk.model, place=disk.place, name=disk.name, role=role)
    return replace(
        known,
        name=disk.name,
        serial=known.serial or disk.serial,
        model=known.model or disk.model,
        place=known.place if known.place.text else disk.place,
    )


def _measured(disk: ReportDisk, speeds: dict[str, float], slow: set[str], found: dict[str, ReportDisk]) -> ReportDisk:
    if disk.id not in speeds:
        return replace(disk, slow=disk.id in slow)
    alike = [rate for id, rate in speeds.items() if id in found and found[id].model == disk.model]
    middle = median(alike)
    share = speeds[disk.id] / middle if len(alike) >= 3 and middle > 0 else None
    return replace(disk, read_bytes_per_s=round(speeds[disk.id]), share=share, slow=disk.id in slow)
