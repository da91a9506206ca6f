"""Roofline data of a benchmark: the ceilings of one kind of I/O, and every result with a rate."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase

from raidtui.model.bench import Bench, Task
from raidtui.tui.jobs.bench_rows import BenchRow
from raidtui.tui.screens.bench.roofline import Point, Roof


def roof_of(bench: Bench, task: Task) -> Roof | None:
    """The ceilings of reads or of writes, depending on `task`; None without a prediction."""
    speed = bench.prediction.throughput if bench.prediction is not None else None
    if speed is None:
        return None
    writes = _writes(task)
    rate, iops = (speed.seq_write, speed.rand_write) if writes else (speed.seq_read, speed.rand_read)
    ceilings = sorted(((str(limit), float(most)) for limit, most in rate.ceilings.items()), key=lambda each: each[1])
    return Roof(title="writes" if writes else "reads", iops=float(iops.iops), ceilings=tuple(ceilings))


def points_of(rows: Sequence[BenchRow], task: Task) -> tuple[Point, ...]:
    """A point for each result on the whole: the single array, the volume, files. Parts have other ceilings."""
    found: list[Point] = []
    arrays = len({each.target.name for row in rows for each in row.tasks if each.target.kind == "array"})
    for row in rows:
        compared, first = row.compared, row.tasks[0]
        part = first.target.disks_alone or (first.target.kind == "array" and arrays > 1)
        if compared is None or compared.unit not in ("B/s", "IOPS") or part:
            continue
        size = first.job.block_bytes
        if len(found) == len(ascii_lowercase):
            break
        found.append(
            Point(
                letter=ascii_lowercase[len(found)],
                name=first.job.title,
                block_bytes=size,
                bytes_per_s=compared.measured * (size if compared.unit == "IOPS" else 1),
                ratio=compared.ratio,
                good=compared.verdict != "low",
                of_roof=_writes(first) == _writes(task),
            )
        )
    return tuple(found)


def _writes(task: Task) -> bool:
    return task.job.pattern in ("write", "randwrite", "small-files")
