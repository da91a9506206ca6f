"""A survey of regions and threads as sgpdd-survey of the Lustre I/O kit prints it, and beside its prediction.

Its line (lustre-iokit/sgpdd-survey, as of 2012):

    total_size  8388608K rsz 1024 crg     1 thr     1 write  275.18 MB/s     1 x 275.22 =  275.22 MB/s read ...

`total_size` is KiB over all devices, `rsz` KiB of a request, `crg` regions and `thr` requests in flight over all
devices. Behind the rate stand the regions and what the slowest of them did; where nobody told the regions apart that
part is left out. What it calls MB is MiB: it divides KiB by 1024.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from raidtui.model.bench import BenchResult, Task
from raidtui.model.safe import safe
from raidtui.model.units import KIB, MIB
from raidtui.planner.measurement.compare import compared
from raidtui.planner.measurement.expected import PROGRAM, positions

QUEUE = "queue"
"""the limit of a line that keeps too little in flight; `program` in the words of a benchmark"""
_PROFILE = "survey"
_LIMIT = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One direction of a line; bytes per second."""

    rate: float
    """of all regions together"""
    slowest: float | None = None
    """of the slowest region; None where nobody told them apart"""
    predicted: float | None = None
    """what the model says"""
    limit: str = ""
    """what is to bind"""


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
    write: Way | None = None
    """None where it was not measured"""
    read: Way | None = None
    """the same"""


def survey_rows(result: BenchResult) -> tuple[SurveyRow, ...]:
    """The lines of a benchmark whose profile is `survey` (or `survey-...`), sorted; none of another profile."""
    if not result.bench.profile.startswith(_PROFILE):
        return ()
    tasks = {task.number: task for task in result.bench.tasks}
    said = {row.task: row for row in compared(result)}
    lines: dict[tuple[int, int, int, int], dict[str, Way]] = {}
    for figure in result.figures:
        task = tasks.get(figure.task)
        if task is None or task.job.pattern not in ("read", "write") or figure.unit != "B/s":
            continue
        beside = said[figure.task]
        limit = QUEUE if beside.limit_predicted == PROGRAM else beside.limit_predicted
        way = Way(rate=figure.median, predicted=beside.predicted, limit=limit)
        lines.setdefault(_key(task), {})[task.job.pattern] = way
    return tuple(
        SurveyRow(
            total_bytes=total, record_bytes=record, regions=regions, threads=threads,
            write=ways.get("write"), read=ways.get("read"),
        )
        for (total, record, regions, threads), ways in sorted(lines.items())
    )  # fmt: skip


def _key(task: Task) -> tuple[int, int, int, int]:
    job = task.job
    total = job.stream_bytes * job.streams or task.bytes_used or task.target.size_bytes
    return total, job.block_bytes, positions(task), job.streams * job.depth


def survey_lines(rows: Iterable[SurveyRow]) -> tuple[str, ...]:
    """The lines as sgpdd-survey prints them."""
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


def survey_beside(rows: Sequence[SurveyRow]) -> tuple[str, ...]:
    """The same beside their prediction, 80 columns: MiB/s (the survey's MB/s) measured and predicted, ratio, limit."""
    half = f"{'MB/s':>8} {'model':>7} {'x':>4} {'binds':<{_LIMIT}}"
    titles = (f"{'':>13}{'write':<36}{'':>4}read", f"{'crg':>4} {'thr':>4} {half}  {half}")
    return tuple(line.rstrip() for line in (*titles, *(_beside(row) for row in rows)))


def _beside(row: SurveyRow) -> str:
    return f"{row.regions:4d} {row.threads:4d} {_half(row.write)}  {_half(row.read)}"


def _half(way: Way | None) -> str:
    if way is None or not way.predicted:
        measured = "-" if way is None else f"{way.rate / MIB:.2f}"
        return f"{measured:>8} {'-':>7} {'-':>4} {'':<{_LIMIT}}"
    ratio = way.rate / way.predicted
    shown = f"{ratio:4.2f}" if ratio < 9.995 else f"{ratio:4.0f}"
    return f"{way.rate / MIB:8.2f} {way.predicted / MIB:7.0f} {shown} {_short(way.limit):<{_LIMIT}}"


def _short(limit: str) -> str:
    """A limit in twelve cells: of a link what tells it from others."""
    for words, kept in (("expander ", ""), ("port multiplier ", ""), ("PCIe slot 0000:", "PCIe ")):
        if limit.startswith(words):
            return safe(kept + limit.removeprefix(words), longest=_LIMIT)
    return safe(limit, longest=_LIMIT)
