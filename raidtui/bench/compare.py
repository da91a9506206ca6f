"""Compares a benchmark with its prediction: each figure with band, verdict, predicted and observed limit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, log
from statistics import median

from raidtui.bench.expected import Expected, expected, positions
from raidtui.bench.observed_limit import AT_RATE, carried_over_links, is_passed
from raidtui.bench.plan import RAW
from raidtui.predict.speed.speed import WORKS, band_of, class_of
from raidtui.values.amounts import listed, percent, rate
from raidtui.values.bench import Bench, BenchDisk, BenchResult, Compared, Figure, Label, Seen, Task, Verdict
from raidtui.values.codec import by_key
from raidtui.values.findings import Notes
from raidtui.values.safe import safe
from raidtui.values.speed import (
    MD_THREAD,
    NO_FIGURES,
    UNKNOWN,
    ArraySpread,
    Limit,
    MachineFigures,
    MeasuredFigure,
    Throughput,
    WorkClass,
)
from raidtui.values.units import KIB, MIB

_MANY = 3
_WIDEST = 4.0
"""upper over lower end of the widest band that judges"""
TOO_WIDE = f"its band is wider than x{_WIDEST:g}"
"""why a figure is not judged"""
_SPOILT: dict[Label, str] = {
    "cached": "a cache may have served requests",
    "disturbed": "other programs used the disks",
    "syncing": "an array was resyncing",
    "degraded": "a member was missing",
}
"""labels under which a figure is not comparable, unless the model predicts that state"""
_HELD: dict[Label, str] = {
    "syncing": "an array was resyncing: compared with the prediction during a rebuild",
    "degraded": "a member was missing: compared with the degraded prediction",
}


def compare_result(result: BenchResult) -> tuple[Compared, ...]:
    """The comparison of each figure of `result`, in order; the file system's size first, if it was measured.

    The size has task number 0, since no job measured it.
    """
    tasks = {task.number: task for task in result.bench.tasks}
    disks = {disk.id: disk_location(disk) for disk in result.bench.disks}
    laggards = {
        number: f"slow: {disks.get(disk, safe(disk))}, {percent(share)} of the others' rate"
        for number, (disk, share) in slow_alone(result).items()
    }
    carried = carried_over_links(result.figures)
    rows = [
        _row(result.bench, tasks[figure.task], figure, laggards.get(figure.task, ""), carried)
        for figure in result.figures
        if figure.task in tasks
    ]
    size = compare_usable_bytes(result.bench)
    return (size, *rows) if size else tuple(rows)


def compare_usable_bytes(bench: Bench) -> Compared | None:
    """Comparison of the file system's size as shown by df, predicted to the byte; None if not measured."""
    measured = bench.conditions.usable_bytes
    if measured is None:
        return None
    known = bench.prediction.filesystem if bench.prediction else None
    if known is None or not known.total_bytes:
        return Compared(task=0, name="df size", unit="B", measured=measured, verdict="no prediction")
    size = known.total_bytes
    verdict: Verdict = "ok" if measured == size else "low" if measured < size else "high"
    return Compared(
        task=0,
        name="df size",
        unit="B",
        measured=measured,
        predicted=size,
        low=size,
        high=size,
        ratio=measured / size,
        verdict=verdict,
        note=Notes(("predicted to the byte",)),
    )


def slow_alone(result: BenchResult) -> dict[int, tuple[str, float]]:
    """Task number to (identity, share of the median), of single disks slower than others of their model in that job."""
    tasks = {task.number: task for task in result.bench.tasks}
    models = {disk.id: disk.model or "" for disk in result.bench.disks}
    alike: dict[tuple[str, str], list[tuple[int, str, float]]] = {}
    for figure in result.figures:
        task = tasks.get(figure.task)
        if task is not None and task.target.kind == "disk" and len(task.target.disks) == 1:
            disk = task.target.disks[0]
            alike.setdefault((task.job.name, models.get(disk, "")), []).append((figure.task, disk, figure.median))
    return {
        group[at][0]: (group[at][1], share)
        for group in alike.values()
        for at, share in slower_than_peers([value for _, _, value in group]).items()
    }


def slower_than_peers(values: Sequence[float]) -> dict[int, float]:
    """Place to share of the median, of the rates of alike disks, each measured alone, that stay below it.

    Of fewer than three none can be called slow.
    """
    middle = median(values) if len(values) >= _MANY else 0.0
    return {at: value / middle for at, value in enumerate(values) if value < AT_RATE * middle}


def _row(bench: Bench, task: Task, figure: Figure, laggard: str, carried: Mapping[Limit, float]) -> Compared:
    name = f"{safe(task.job.title)}, {safe(task.target.name)}"
    notes = [laggard] if laggard else _slow(bench, figure)
    seen = figure.seen.limit if figure.seen else UNKNOWN
    if figure.seen and (most := _passed(figure.seen, carried)):
        notes.append(f"not limited by {seen}: it carried {rate(most)} in another test")
        seen = UNKNOWN
    if figure.seen and figure.seen.write_reads_share and figure.seen.write_reads_share > 0.01:
        notes.append(f"{percent(figure.seen.write_reads_share)} of the written bytes were read back")
    found = expected(bench, task, figure.labels)
    spoilt = [_SPOILT[label] for label in figure.labels if label in _SPOILT and not (found and label in _HELD)]
    for label in figure.labels:
        notes += [_HELD[label]] if found and label in _HELD else []
        notes += ["measured for less than 30 s"] if label == "short" else []
    cut = any("partial" in repeat.labels for repeat in figure.repeats)
    if "partial" in figure.labels:
        (spoilt if cut else notes).append("stopped early" if cut else "fewer repeats than requested")
    if found and found.unit != figure.unit:
        found = None
    if found is None:
        verdict: Verdict = "not comparable" if spoilt and task.job.predicted else "no prediction"
        note = Notes.of((*(spoilt if task.job.predicted else []), *notes))
        return Compared(
            task=task.number, name=name, unit=figure.unit, measured=figure.median, verdict=verdict, limit_seen=seen,
            note=note,
        )  # fmt: skip
    return Compared(
        task=task.number,
        name=name,
        unit=figure.unit,
        measured=figure.median,
        predicted=found.value,
        low=found.low,
        high=found.high,
        ratio=figure.median / found.value if found.value else None,
        verdict="not comparable" if spoilt else band_verdict(figure.median, found),
        limit_predicted=found.limit,
        limit_seen=seen,
        note=Notes.of((*spoilt, *notes, *found.notes)),
    )


def _passed(seen: Seen, carried: Mapping[Limit, float]) -> float:
    """What another test carried over the link that was taken for the limit, bytes per second; 0 if none went past."""
    own, most = seen.link_bytes_per_s.get(seen.limit), carried.get(seen.limit, 0.0)
    return most if own is not None and is_passed(own, most) else 0.0


def band_verdict(measured: float, found: Expected) -> Verdict:
    """`low`, `ok` or `high`: position of `measured` relative to the band, ends included.

    `not judged` within a band whose upper end is more than four times the lower one: almost anything lies in it.
    """
    if measured < found.low:
        return "low"
    if measured > found.high:
        return "high"
    return "not judged" if found.high > _WIDEST * found.low else "ok"


def _slow(bench: Bench, figure: Figure) -> list[str]:
    """The slow disks that the gauges found, by slot and serial number."""
    if figure.seen is None or not figure.seen.slow_disks:
        return []
    disks = {disk.id: disk for disk in bench.disks}
    named = [disk_location(disks[each]) if each in disks else safe(each) for each in figure.seen.slow_disks]
    return [f"slow: {listed(named)}"]


def disk_location(disk: BenchDisk) -> str:
    """`slot 7 of enc1, serial ZVT0A2K1`; the identity if neither is known."""
    parts = [safe(disk.place.text)] if disk.place.text else []
    parts += [f"serial {safe(disk.serial)}"] if disk.serial else []
    return ", ".join(parts) or safe(disk.id or disk.name)


# What a benchmark of this machine's arrays says about its other arrays: how near they come to their lowest ceiling.


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


# Survey of regions and threads in the format of sgpdd-survey (Lustre I/O kit), and compared with its prediction.
# Its line (lustre-iokit/sgpdd-survey, as of 2012):
# total_size 8388608K rsz 1024 crg 1 thr 1 write 275.18 MB/s 1 x 275.22 = 275.22 MB/s read ...
# `total_size` is KiB over all devices, `rsz` KiB of a request, `crg` regions and `thr` requests in flight over all
# devices. After the rate follow the regions and the rate of the slowest; omitted if regions were not measured
# separately. Its MB is MiB: it divides KiB by 1024.


_PROFILE = "survey"
_LIMIT = 12
_NOT_JUDGED = "n/j"


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyColumn:
    """Read or write rates of a line, bytes per second."""

    rate: float
    """all regions together"""
    slowest: float | None = None
    """slowest region; None if not measured separately"""
    predicted: float | None = None
    """predicted rate"""
    limit: Limit = UNKNOWN
    """predicted limit"""
    verdict: Verdict = "no prediction"
    """of the rate"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyRow:
    """One line of a survey."""

    total_bytes: int
    """over all regions"""
    record_bytes: int
    """one request"""
    regions: int
    """crg, over all devices"""
    threads: int
    """thr: requests in flight over all devices"""
    write: SurveyColumn | None = None
    """None if not measured"""
    read: SurveyColumn | None = None
    """the same"""


def survey_rows(result: BenchResult) -> tuple[SurveyRow, ...]:
    """Sorted lines of a benchmark with profile `survey` (or `survey-...`); empty for other profiles."""
    if not result.bench.profile.startswith(_PROFILE):
        return ()
    tasks = {task.number: task for task in result.bench.tasks}
    said = {row.task: row for row in compare_result(result)}
    lines: dict[tuple[int, int, int, int, str], dict[str, SurveyColumn]] = {}
    for figure in result.figures:
        task = tasks.get(figure.task)
        if task is None or task.job.pattern not in ("read", "write") or figure.unit != "B/s":
            continue
        beside = said[figure.task]
        way = SurveyColumn(
            rate=figure.median, predicted=beside.predicted, limit=beside.limit_predicted, verdict=beside.verdict
        )
        lines.setdefault(_key(task), {})[task.job.pattern] = way
    return tuple(
        SurveyRow(
            total_bytes=total, record_bytes=record, regions=regions, threads=threads,
            write=ways.get("write"), read=ways.get("read"),
        )
        for (total, record, regions, threads, _), ways in sorted(lines.items())
    )  # fmt: skip


def _key(task: Task) -> tuple[int, int, int, int, str]:
    """Figures of the line, and the target: arrays measured one by one have lines of their own."""
    job = task.job
    devices = max(1, len(task.target.paths)) if task.target.kind in RAW else 1
    total = job.stream_bytes * job.streams * devices or task.bytes_used or task.target.size_bytes
    return total, job.block_bytes, positions(task) * devices, job.streams * job.depth * devices, task.target.name


def survey_lines(rows: Iterable[SurveyRow]) -> tuple[str, ...]:
    """The lines in the format of sgpdd-survey."""
    return tuple(_line(row) for row in rows)


def _line(row: SurveyRow) -> str:
    words = (
        f"total_size {row.total_bytes // KIB:8d}K rsz {row.record_bytes // KIB:4d}"
        f" crg {row.regions:5d} thr {row.threads:5d}"
    )
    for name, way in (("write", row.write), ("read", row.read)):
        if way is not None:
            words += f" {name} {way.rate / MIB:7.2f} MB/s"
        if way is not None and way.slowest is not None:
            words += f" {row.regions:5d} x {way.slowest / MIB:6.2f} = {row.regions * way.slowest / MIB:7.2f} MB/s"
    return words


def survey_comparison_lines(rows: Sequence[SurveyRow]) -> tuple[str, ...]:
    """A table of 80 columns: measured and predicted MiB/s (the survey's MB/s), ratio, limit.

    A rate that is not judged has no ratio.
    """
    half = f"{'MB/s':>8} {'model':>7} {'x':>4} {'binds':<{_LIMIT}}"
    titles = (f"{'':>13}{'write':<36}{'':>4}read", f"{'crg':>4} {'thr':>4} {half}  {half}")
    ways = [way for row in rows for way in (row.write, row.read) if way is not None]
    legend = (f"{_NOT_JUDGED}: not judged, {TOO_WIDE}",) if any(way.verdict == "not judged" for way in ways) else ()
    return tuple(line.rstrip() for line in (*titles, *(_beside(row) for row in rows), *legend))


def _beside(row: SurveyRow) -> str:
    return f"{row.regions:4d} {row.threads:4d} {_half(row.write)}  {_half(row.read)}"


def _half(way: SurveyColumn | None) -> str:
    if way is None or not way.predicted:
        measured = "-" if way is None else f"{way.rate / MIB:.2f}"
        return f"{measured:>8} {'-':>7} {'-':>4} {'':<{_LIMIT}}"
    ratio = way.rate / way.predicted
    shown = f"{ratio:4.2f}" if ratio < 9.995 else f"{ratio:4.0f}"
    shown = f"{_NOT_JUDGED:>4}" if way.verdict == "not judged" else shown
    return f"{way.rate / MIB:8.2f} {way.predicted / MIB:7.0f} {shown} {_short(way.limit):<{_LIMIT}}"


def _short(limit: Limit) -> str:
    """A limit in twelve cells; a link is shortened to its distinguishing part."""
    match limit.kind:
        case "program":
            text = "queue"
        case "expander" | "port multiplier":
            text = limit.name
        case "PCIe slot":
            text = f"PCIe {limit.name.removeprefix('0000:')}"
        case _:
            text = str(limit)
    return safe(text, longest=_LIMIT)
