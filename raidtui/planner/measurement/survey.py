"""Survey of regions and threads in the format of sgpdd-survey (Lustre I/O kit), and compared with its prediction.

Its line (lustre-iokit/sgpdd-survey, as of 2012):

    total_size  8388608K rsz 1024 crg     1 thr     1 write  275.18 MB/s     1 x 275.22 =  275.22 MB/s read ...

`total_size` is KiB over all devices, `rsz` KiB of a request, `crg` regions and `thr` requests in flight over all
devices. After the rate follow the regions and the rate of the slowest; omitted if regions were not measured
separately. Its MB is MiB: it divides KiB by 1024.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from raidtui.model.bench import BenchResult, Task, Verdict
from raidtui.model.limit import UNKNOWN, Limit
from raidtui.model.safe import safe
from raidtui.model.units import KIB, MIB
from raidtui.planner.measurement.bench_plan import RAW
from raidtui.planner.measurement.compare import TOO_WIDE, compare_result
from raidtui.planner.measurement.expected import positions

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
