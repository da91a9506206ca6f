"""What a benchmark of this machine's arrays says about its other arrays: how near they come to their lowest ceiling."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import exp, log

from raidtui.model.bench import BenchResult, Compared, Label, Task
from raidtui.model.by_key import by_key
from raidtui.model.limit import MD_THREAD, Limit
from raidtui.model.machine_figures import NO_FIGURES, ArraySpread, MachineFigures, MeasuredFigure, WorkClass
from raidtui.model.speed import Throughput
from raidtui.planner.measurement.compare import compare_result
from raidtui.planner.performance.speed import WORKS, band_of, class_of

FENCE = 3.0
"""a figure further below the middle of its class than this factor is a fault, not scatter (as in the validation)"""
ABOVE = 1.1
"""a figure further above its measured ceiling than this factor was served by a cache, or not written at all"""
_MOST = 100
"""benchmarks that a mean is taken over; with more, old ones fade"""
_THREAD_ERROR = 1.1
"""what md's thread writes differs by so much between arrays of one machine: nine of ten, from `WITHIN`"""

_THREADS = "group_thread_cnt"
_OTHER_STATE: frozenset[Label] = frozenset({"degraded", "syncing"})


def figures_of_benchmark(result: BenchResult, before: MachineFigures | None) -> MachineFigures:
    """`before` updated by the benchmark; NO_FIGURES if it says nothing.

    A row counts if its verdict is comparable and its predicted limit is a rate that was measured or stated, so that an
    unknown disk or link is not taken for scatter. Each benchmark weighs as one array, whatever the number of its rows.
    Where md's thread was predicted and seen as the limit of writes, the row is what the thread writes instead.
    """
    bench = result.bench
    if bench.simulated or bench.prediction is None or bench.prediction.throughput is None:
        return NO_FIGURES
    usable = before is not None and before.machine_id == bench.machine_id
    known = before if before is not None and usable else MachineFigures(machine_id=bench.machine_id)
    day, kernel = (result.ended or bench.started)[:10], bench.conditions.settings.get("kernel", "")
    thread = _thread_write(result)
    found = _ratios(result, bench.prediction.throughput, parity=_has_parity(result))
    ratios = by_key((work, log(ratio)) for work, ratio in found)
    if not ratios and thread is None:
        return NO_FIGURES
    earlier = {each.work: each for each in known.scatter}
    for work, logs in ratios.items():
        earlier[work] = _with(earlier.get(work), work, sum(logs) / len(logs), day, kernel)
    if thread is not None:
        how = "written in a benchmark that it limited"
        known = replace(
            known,
            md_write=MeasuredFigure(bytes_per_s=round(thread), error=_THREAD_ERROR, how=how, day=day, kernel=kernel),
        )
    return replace(known, scatter=tuple(earlier.values()))


def _with(before: ArraySpread | None, work: WorkClass, mean: float, day: str, kernel: str) -> ArraySpread:
    """`before` and one more benchmark with this mean of logarithms."""
    count = min(before.figures, _MOST - 1) if before else 0
    total = count * log(before.ratio) if before else 0.0
    return ArraySpread(work=work, ratio=exp((total + mean) / (count + 1)), figures=count + 1, day=day, kernel=kernel)


def _ratios(result: BenchResult, speed: Throughput, *, parity: bool) -> Iterator[tuple[WorkClass, float]]:
    """Class and measured over lowest ceiling of every row that counts."""
    for task, row in _rows(result):
        field = task.job.predicted
        figure = getattr(speed, field)
        point = figure.iops if WORKS[field].random else figure.bytes_per_s
        lowest = min(figure.ceilings.values(), default=0)
        if not point or not lowest or not row.ratio or not _is_known(speed, field, row.limit_predicted):
            continue
        ratio = row.ratio * point / lowest
        work, rotational = WORKS[field], speed.disk.rotational
        middle = band_of(work, rotational=rotational, parity=parity).point
        if middle / FENCE <= ratio <= ABOVE:
            yield class_of(work, rotational=rotational, parity=parity), ratio


def _is_known(speed: Throughput, field: str, limit: Limit) -> bool:
    sources = {ceiling.name: ceiling.source for ceiling in speed.explained.get(field, ())}
    return limit != MD_THREAD and sources.get(limit) in ("measured", "said")


def _thread_write(result: BenchResult) -> float | None:
    """Bytes per second that md's thread of one array wrote at most, where it was the limit; None where it was not.

    Arrays with group_thread_cnt have more threads and say nothing.
    """
    settings = result.bench.conditions.settings
    if any(value != "0" for name, value in settings.items() if name.endswith(f" {_THREADS}")):
        return None
    prediction = result.bench.prediction
    arrays = len(prediction.arrays) if prediction else 0
    found = [
        row.measured / (1 if task.target.kind == "array" else arrays)
        for task, row in _rows(result)
        if task.job.predicted == "seq_write" and row.limit_predicted == row.limit_seen == MD_THREAD and arrays
    ]
    return max(found, default=None)


def _rows(result: BenchResult) -> Iterator[tuple[Task, Compared]]:
    """Every comparable row of arrays at one of the model's workloads on a whole array."""
    tasks = {task.number: task for task in result.bench.tasks}
    whole = {figure.task for figure in result.figures if not _OTHER_STATE & {*figure.labels}}
    for row in compare_result(result):
        task = tasks.get(row.task)
        if task is None or task.number not in whole:
            continue
        if task.job.predicted not in WORKS or WORKS[task.job.predicted].state:
            continue
        if row.verdict in ("ok", "low", "high", "not judged") and row.measured > 0:
            yield task, row


def _has_parity(result: BenchResult) -> bool:
    prediction = result.bench.prediction
    return prediction is not None and any(array.parity > 0 for array in prediction.arrays)
