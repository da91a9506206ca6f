"""Data of a report's plots; the drawing is done elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from raidtui.answers.bench import task_name
from raidtui.values.bench import BenchResult, Compared, Figure
from raidtui.values.report import RateHistory, Report, ReportBench, ReportDisk
from raidtui.values.units import exact_binary

_ROWS = 40
"""maximum lines of the dot plot"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatSpan:
    """Time span of a repeat."""

    task: int
    began: float
    """seconds since the history's start"""
    ended: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OverTime:
    """Total rate of all disks over time."""

    name: str
    title: str
    history: RateHistory
    spans: tuple[RepeatSpan, ...]
    simulated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatMap:
    """Rate of each disk over time."""

    name: str
    title: str
    history: RateHistory
    labels: tuple[str, ...]
    """slot and serial of each disk of the history"""
    slow: tuple[bool, ...]
    spans: tuple[RepeatSpan, ...]
    simulated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """Rates of a survey by regions (rows) and threads (columns)."""

    name: str
    title: str
    pattern: str
    regions: tuple[int, ...]
    threads: tuple[int, ...]
    values: tuple[tuple[float | None, ...], ...]
    """bytes per second, one row per number of regions"""
    simulated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Dots:
    """One line of the dot plot: figures and band as ratios to the prediction."""

    label: str
    low: float
    high: float
    ratios: tuple[tuple[float, str], ...]
    """ratios of the medians, each with its verdict"""
    repeats: tuple[float, ...]
    """ratios of single repeats"""
    verdict: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratios:
    """Dot plot of measured over predicted figures."""

    name: str
    title: str
    rows: tuple[Dots, ...]
    left_out: int
    simulated: bool


Plot = OverTime | HeatMap | Surface | Ratios


def plots_of(report: Report) -> tuple[Plot, ...]:
    """All plots with data."""
    each = (bench_plots(number, bench, report) for number, bench in enumerate(report.benches, start=1))
    return (*ratio_plots(report), *(plot for plots in each for plot in plots))


def ratio_plots(report: Report) -> tuple[Ratios, ...]:
    """The dot plot over all benchmarks; empty without a prediction."""
    rows = [row for bench in report.benches for row in _dots(bench)]
    if not rows:
        return ()
    return (
        Ratios(
            name="ratios",
            title="Measured over predicted",
            rows=tuple(rows[:_ROWS]),
            left_out=max(len(rows) - _ROWS, 0),
            simulated=report.simulated,
        ),
    )


def bench_plots(number: int, bench: ReportBench, report: Report) -> Iterator[Plot]:
    """Plots of one benchmark; `number`: its place in the report, from 1."""
    asked = bench.result.bench
    heading = f"{asked.profile} on {asked.host}"
    if bench.history is not None:
        spans = _spans(bench.result, bench.history)
        yield OverTime(
            name=f"bench{number}-time", title=f"All disks together: {heading}", history=bench.history, spans=spans,
            simulated=asked.simulated,
        )  # fmt: skip
        known = {disk.name: disk for disk in report.disks if disk.name}
        names = [disk.name for disk in bench.history.disks]
        yield HeatMap(
            name=f"bench{number}-disks",
            title=f"Each disk: {heading}",
            history=bench.history,
            labels=tuple(disk_label(known[name]) if name in known else name for name in names),
            slow=tuple(name in known and known[name].slow for name in names),
            spans=spans,
            simulated=asked.simulated,
        )
    yield from _surfaces(number, bench)


def disk_label(disk: ReportDisk) -> str:
    """Short label: slot and serial."""
    return " ".join(part for part in (disk.place.slot, disk.serial or disk.name or disk.id) if part)


def _spans(result: BenchResult, history: RateHistory) -> tuple[RepeatSpan, ...]:
    return tuple(
        RepeatSpan(task=figure.task, began=repeat.began - history.began, ended=repeat.ended - history.began)
        for figure in result.figures
        for repeat in figure.repeats
        if repeat.ended > repeat.began
    )


def _dots(bench: ReportBench) -> Iterator[Dots]:
    """Lines of the dot plot; disks with the same job share one."""
    tasks = {task.number: task for task in bench.result.bench.tasks}
    figures = {figure.task: figure for figure in bench.result.figures}
    groups: dict[tuple[str, str], list[Compared]] = {}
    for row in bench.compared:
        task = tasks.get(row.task)
        if task is None or not row.predicted or row.low is None or row.high is None:
            continue
        key = (task.job.name, "") if task.target.kind == "disk" else (task.job.name, str(row.task))
        groups.setdefault(key, []).append(row)
    for rows in groups.values():
        task = tasks[rows[0].task]
        many = len(rows) > 1
        verdicts = [row.verdict for row in rows]
        yield Dots(
            label=f"{task.job.title or task.job.name}: {len(rows)} disks" if many else task_name(task),
            low=min((row.low or 0.0) / row.predicted for row in rows if row.predicted),
            high=max((row.high or 0.0) / row.predicted for row in rows if row.predicted),
            ratios=tuple((row.measured / row.predicted, row.verdict) for row in rows if row.predicted),
            repeats=() if many else _repeats(figures.get(rows[0].task), rows[0]),
            verdict=next(
                (word for word in ("low", "high", "not comparable", "not judged") if word in verdicts), verdicts[0]
            ),
        )


def _repeats(figure: Figure | None, row: Compared) -> tuple[float, ...]:
    if figure is None or not row.predicted:
        return ()
    return tuple(repeat.value / row.predicted for repeat in figure.repeats)


def _surfaces(number: int, bench: ReportBench) -> Iterator[Surface]:
    """One grid per pattern, record size and target with several regions and threads."""
    tasks = {task.number: task for task in bench.result.bench.tasks}
    groups: dict[tuple[str, int, str], dict[tuple[int, int], float]] = {}
    for figure in bench.result.figures:
        task = tasks[figure.task]
        if figure.unit == "B/s" and task.job.pattern in ("read", "write"):
            cells = groups.setdefault((task.job.pattern, task.job.block_bytes, task.target.name), {})
            cells[(task.job.regions, task.job.streams * task.job.depth)] = figure.median
    index = 0
    for (pattern, block, target), cells in groups.items():
        regions = tuple(sorted({region for region, _ in cells}))
        threads = tuple(sorted({thread for _, thread in cells}))
        if len(regions) < 2 or len(threads) < 2:
            continue
        index += 1
        yield Surface(
            name=f"bench{number}-survey{index}",
            title=f"Survey, {pattern}, {exact_binary(block)} records, {target}",
            pattern=pattern,
            regions=regions,
            threads=threads,
            values=tuple(tuple(cells.get((region, thread)) for thread in threads) for region in regions),
            simulated=bench.result.bench.simulated,
        )
