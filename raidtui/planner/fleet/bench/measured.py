"""What the figures of all hosts come to: sums beside predicted sums, how far apart hosts began, alone and at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from raidtui.model.bench import BenchResult, Compared, Figure, Job, Label, Task, Verdict
from raidtui.model.by_key import by_key
from raidtui.model.counted import counted
from raidtui.model.finding import Finding, gravest_first
from raidtui.model.fleet.bench_order import FleetBenchOrder, Round
from raidtui.model.fleet.bench_result import (
    FleetBench,
    FleetFigure,
    HostFigure,
    MeasuredHost,
    Together,
)
from raidtui.model.limit import UNKNOWN
from raidtui.model.safe import safe
from raidtui.planner.findings import note, warning
from raidtui.planner.fleet.bench.outliers import outliers, slow_disks
from raidtui.planner.measurement.compare import band_verdict, compare_result
from raidtui.planner.measurement.expected import Expected
from raidtui.tools.nodeset import fold_nodeset

_SKEW = 0.1
"""share of the measured time by which hosts may begin apart"""
_LEAST_SKEW = 1.0
"""seconds by which they may in any case"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostResult:
    """What is known of one host in one round."""

    host: MeasuredHost
    result: BenchResult | None = None
    """None where nothing was fetched"""
    begin_s: float | None = None
    """the common begin by the clock of the host's figures"""


def fleet_bench(order: FleetBenchOrder, found: Sequence[HostResult]) -> FleetBench:
    """The document of all rounds. `found`: every host in every round, in the order of rounds and hosts."""
    figures = tuple(figure for of in order.rounds for figure in _figures(order, of, _in_round(found, of)))
    results = {of: {each.host.host: each.result for each in _in_round(found, of) if each.result} for of in order.rounds}
    layouts = {(each.host.round, each.host.host): each.host.layout for each in found}
    return FleetBench(
        order=order,
        hosts=tuple(each.host for each in found),
        figures=figures,
        outliers=outliers(figures, layouts),
        slow_disks=tuple(disk for of in order.rounds for disk in slow_disks(of, results[of])),
        together=tuple(_together(figures)),
        findings=gravest_first((*_of_hosts(found), *_of_figures(figures), *_several(order, found))),
    )


def _in_round(found: Sequence[HostResult], of: Round) -> list[HostResult]:
    return [each for each in found if each.host.round == of]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Measured:
    """A host's figure of a job."""

    of: HostResult
    task: Task
    figure: Figure
    row: Compared

    def began(self, repeat: int) -> float:
        """Start of a repeat (from 0) after the common begin, seconds."""
        return self.figure.repeats[repeat].began - (self.of.begin_s or 0.0)

    def ended(self, repeat: int) -> float:
        return self.figure.repeats[repeat].ended - (self.of.begin_s or 0.0)


def _figures(order: FleetBenchOrder, of: Round, hosts: Sequence[HostResult]) -> Iterator[FleetFigure]:
    measured = {each.host.host: _by_job(each) for each in hosts}
    for job in order.profile.jobs:
        if any(len(jobs.get(job.name, ())) > 1 for jobs in measured.values()):
            continue
        rows = [jobs[job.name][0] for jobs in measured.values() if job.name in jobs]
        if rows:
            present = {row.of.host.host for row in rows}
            yield _figure(of, job, rows, tuple(name for name in order.names if name not in present))


def _by_job(host: HostResult) -> Mapping[str, list[_Measured]]:
    if host.result is None:
        return {}
    tasks = {task.number: task for task in host.result.bench.tasks}
    rows = {row.task: row for row in compare_result(host.result)}
    found: dict[str, list[_Measured]] = {}
    for figure in host.result.figures:
        task = tasks[figure.task]
        each = _Measured(of=host, task=task, figure=figure, row=rows[figure.task])
        found.setdefault(task.job.name, []).append(each)
    return found


def _figure(of: Round, job: Job, rows: Sequence[_Measured], missing: tuple[str, ...]) -> FleetFigure:
    total = _sum(of, rows)
    at_once = of == "at-once" and all(row.of.begin_s is not None for row in rows)
    repeats = range(min(len(row.figure.repeats) for row in rows))
    within = max((_spread([row.began(at) for row in rows]) for at in repeats), default=0.0) if at_once else None
    is_apart = within is not None and apart(within, rows[0].task.job.seconds)
    labels: dict[Label, None] = dict.fromkeys(label for row in rows for label in row.figure.labels)
    if missing or is_apart:
        labels["partial"] = None
    predicted = _predicted_sum(rows)
    return FleetFigure(
        round=of,
        job=job.name,
        title=job.title,
        target=job.target,
        unit=rows[0].figure.unit,
        hosts=tuple(_host_figure(row, at_once=at_once) for row in rows),
        missing=missing,
        sum=total,
        predicted=predicted.value if predicted else None,
        low=predicted.low if predicted else None,
        high=predicted.high if predicted else None,
        ratio=total / predicted.value if predicted and predicted.value else None,
        verdict=_verdict(rows, total, predicted, is_apart=is_apart),
        labels=tuple(labels),
        began_within_s=within,
        began_error_s=_clock_error(rows) if at_once else None,
        together=min((_overlap(rows, at) for at in repeats), default=0.0) if at_once else None,
    )


def _sum(of: Round, rows: Sequence[_Measured]) -> float:
    """See `FleetFigure.sum`."""
    if of == "turns":
        return sum(row.figure.median for row in rows)
    repeats = range(min(len(row.figure.repeats) for row in rows))
    return median(sum(row.figure.repeats[at].value for row in rows) for at in repeats)


def apart(within_s: float, seconds: float) -> bool:
    """True if hosts that began within so many seconds of a measurement give no common figure."""
    return within_s > max(_LEAST_SKEW, _SKEW * seconds)


def _spread(values: Sequence[float]) -> float:
    return max(values) - min(values)


def _overlap(rows: Sequence[_Measured], repeat: int) -> float:
    """Share of a repeat in which all hosts measured."""
    longest = max(row.ended(repeat) - row.began(repeat) for row in rows)
    common = min(row.ended(repeat) for row in rows) - max(row.began(repeat) for row in rows)
    return min(1.0, max(0.0, common / longest)) if longest > 0 else 0.0


def _clock_error(rows: Sequence[_Measured]) -> float | None:
    """The two largest errors of clocks; None where one is not known."""
    errors = [row.of.host.clock_error_s for row in rows]
    known = sorted((error for error in errors if error is not None), reverse=True)
    return sum(known[:2]) if len(known) == len(errors) else None


def _host_figure(row: _Measured, *, at_once: bool) -> HostFigure:
    compared = row.row
    return HostFigure(
        host=row.of.host.host, measured=row.figure.median, spread=row.figure.spread, predicted=compared.predicted,
        low=compared.low, high=compared.high, ratio=compared.ratio, verdict=compared.verdict, labels=row.figure.labels,
        began_after_s=row.began(0) if at_once else None,
    )  # fmt: skip


def _predicted_sum(rows: Sequence[_Measured]) -> Expected | None:
    """Sum of the predictions. The model errs alike on alike hosts, so the ends of the bands add."""
    value = low = high = 0.0
    for row in (each.row for each in rows):
        if row.predicted is None or row.low is None or row.high is None:
            return None
        value, low, high = value + row.predicted, low + row.low, high + row.high
    return Expected(value=value, low=low, high=high, unit=rows[0].figure.unit, limit=UNKNOWN)


def _verdict(rows: Sequence[_Measured], total: float, predicted: Expected | None, *, is_apart: bool) -> Verdict:
    if predicted is None:
        return "no prediction"
    if is_apart or any(row.row.verdict == "not comparable" for row in rows):
        return "not comparable"
    return band_verdict(total, predicted)


def _together(figures: Sequence[FleetFigure]) -> Iterator[Together]:
    """Tests that all hosts have in both rounds."""
    at_once = {figure.job: figure for figure in figures if figure.round == "at-once"}
    for alone in figures:
        both = at_once.get(alone.job)
        if alone.round != "turns" or both is None or alone.missing or both.missing or not alone.sum:
            continue
        yield Together(
            job=alone.job, title=alone.title, unit=alone.unit, alone=alone.sum, at_once=both.sum,
            ratio=both.sum / alone.sum,
        )  # fmt: skip


def _of_hosts(found: Sequence[HostResult]) -> Iterator[Finding]:
    hosts = (each.host for each in found if each.host.stage != "finished")
    reasons = by_key(((host.round, host.stage, safe(host.reason, longest=200)), host.host) for host in hosts)
    for (_, stage, reason), names in reasons.items():
        why = f": {reason}" if reason else ""
        yield warning(
            "host-not-finished", f"{fold_nodeset(names)} {stage}{why}; sums are without what is missing",
            "measure again when the cause is gone, or leave it out with -w", fold_nodeset(names),
        )  # fmt: skip


def _of_figures(figures: Sequence[FleetFigure]) -> Iterator[Finding]:
    for figure in figures:
        if figure.began_within_s is not None and "partial" in figure.labels and not figure.missing:
            yield warning(
                "began-apart",
                f"{safe(figure.title)}: the hosts began {figure.began_within_s:.1f} s apart; their sum is no figure of "
                "all at once",
                "measure longer (--seconds), or see which host was late in the table of hosts", figure.job,
            )  # fmt: skip


def _several(order: FleetBenchOrder, found: Sequence[HostResult]) -> Iterator[Finding]:
    """Jobs that a host ran on several targets: there is no sum of them."""
    names = []
    for job in order.profile.jobs:
        counts = [
            sum(task.job.name == job.name for task in each.result.bench.tasks)
            for each in found
            if each.result is not None
        ]
        if max(counts, default=0) > 1:
            names.append(job.name)
    if names:
        yield note(
            "several-targets",
            f"{counted(len(names), 'test')} on several targets of a host, without a sum: {', '.join(names)}",
            "raidtui report on that host, or on its folder here, shows each target",
        )
