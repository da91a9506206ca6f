"""Compares two reports: before and after a change, two chunks, two servers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from raidtui.answers.bench import job_words
from raidtui.values.bench import Figure, Job, Label, TargetKind, Task, Unit
from raidtui.values.design import Design
from raidtui.values.findings import some
from raidtui.values.report import Changed, ComparedReport, Comparison, Difference, Judged, Report
from raidtui.values.units import counted, exact_binary

_WEAKENS: frozenset[Label] = frozenset(("short", "syncing", "degraded", "partial", "cached", "disturbed", "simulated"))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """A figure of one report, or the disks of one job together."""

    job: Job
    kind: TargetKind
    key: str
    """key that matches a target in both reports"""
    target: str
    """displayed name"""
    unit: Unit
    values: tuple[float, ...]
    middle: float
    labels: tuple[Label, ...]
    several: bool = False

    @property
    def name(self) -> str:
        """`JOB on TARGET`, for the list of unmatched figures."""
        return f"{self.job.name} on {self.target or self.kind}"

    @property
    def spread(self) -> float:
        """(highest - lowest) / median."""
        return (max(self.values) - min(self.values)) / self.middle if self.middle > 0 else 0.0


def compare_reports(before: Report, after: Report) -> Comparison:
    """Differences from `before` to `after`. Figures are matched by job and kind of target.

    Several targets of a kind are matched by name; different sets of disks are compared as groups, by their median.
    """
    there, here = _rows(before), _rows(after)
    figures: list[Difference] = []
    only_before: list[str] = []
    only_after: list[str] = []
    for key in dict.fromkeys((*there, *here)):
        pairs, left, right = _paired(there.get(key, ()), here.get(key, ()))
        figures += [_difference(one, other) for one, other in pairs]
        only_before += [row.name for row in left]
        only_after += [row.name for row in right]
    return Comparison(
        before=_side(before),
        after=_side(after),
        figures=tuple(sorted(figures, key=lambda each: each.kind == "disk")),
        only_before=tuple(only_before),
        only_after=tuple(only_after),
        changed=(*_conditions(before, after), *_disks(before, after)),
    )


def _rows(report: Report) -> dict[tuple[str, TargetKind, Unit], tuple[_Row, ...]]:
    """Figures by job, kind and unit; the last one if a job ran more than once on a target."""
    found: dict[tuple[str, TargetKind, Unit], dict[str, _Row]] = {}
    for bench in report.benches:
        tasks = {task.number: task for task in bench.result.bench.tasks}
        for figure in bench.result.figures:
            task = tasks[figure.task]
            row = _row(task, figure)
            found.setdefault((task.job.name, task.target.kind, figure.unit), {})[row.key] = row
    return {key: tuple(rows.values()) for key, rows in found.items()}


def _row(task: Task, figure: Figure) -> _Row:
    """Matching key of a target; a disk is matched by identity, regardless of its bay."""
    alone = task.target.kind == "disk" and task.target.disks
    return _Row(
        job=task.job,
        kind=task.target.kind,
        key=task.target.disks[0] if alone else task.target.name,
        target=task.target.name,
        unit=figure.unit,
        values=tuple(repeat.value for repeat in figure.repeats),
        middle=figure.median,
        labels=figure.labels,
    )


def _paired(
    there: Sequence[_Row], here: Sequence[_Row]
) -> tuple[list[tuple[_Row, _Row]], tuple[_Row, ...], tuple[_Row, ...]]:
    """Matched pairs, and the unmatched rows of either side."""
    by_key = {row.key: row for row in here}
    pairs = [(row, by_key[row.key]) for row in there if row.key in by_key]
    same = {row.key for row, _ in pairs}
    left = tuple(row for row in there if row.key not in same)
    right = tuple(row for row in here if row.key not in same)
    if not left or not right:
        return pairs, left, right
    if len(left) == len(right) == 1 and left[0].kind != "disk":
        return [*pairs, (left[0], right[0])], (), ()
    if left[0].kind == "disk":
        return [*pairs, (_together(left), _together(right))], (), ()
    return pairs, left, right


def _together(rows: Sequence[_Row]) -> _Row:
    """Several disks merged into one row with their medians as values."""
    middles = tuple(row.middle for row in rows)
    return _Row(
        job=rows[0].job,
        kind=rows[0].kind,
        key="",
        target=counted(len(rows), "disk"),
        unit=rows[0].unit,
        values=middles,
        middle=median(middles),
        labels=tuple(dict.fromkeys(label for row in rows for label in row.labels)),
        several=len(rows) > 1,
    )


def _difference(before: _Row, after: _Row) -> Difference:
    return Difference(
        job=after.job.name,
        kind=after.kind,
        target=after.target,
        unit=after.unit,
        before=before.middle,
        after=after.middle,
        before_spread=before.spread,
        after_spread=after.spread,
        ratio=after.middle / before.middle if before.middle > 0 else 0.0,
        judged=_judged(before, after),
        note=_note(before, after),
    )


def _judged(before: _Row, after: _Row) -> Judged:
    """`more` or `less` only if the ranges of the repeats do not overlap."""
    if job_words(before.job) != job_words(after.job):
        return "not the same job"
    if len(before.values) < 2 or len(after.values) < 2:
        return "one repeat, no spread"
    if min(after.values) > max(before.values):
        return "more"
    return "less" if max(after.values) < min(before.values) else "no difference that the repeats show"


def _note(before: _Row, after: _Row) -> str:
    parts = []
    if job_words(before.job) != job_words(after.job):
        parts.append(f"{job_words(before.job)} before; {job_words(after.job)} now")
    for word, row in (("before", before), ("now", after)):
        labels = [label for label in row.labels if label in _WEAKENS]
        if labels:
            parts.append(f"{', '.join(labels)} {word}")
    if before.several or after.several:
        parts.append("different disks: medians of the group, spread between disks")
    return "; ".join(parts)


def _side(report: Report) -> ComparedReport:
    return ComparedReport(
        id=report.id,
        host=report.host,
        when=report.benches[0].result.bench.started if report.benches else report.made,
        layout=report.layout,
        simulated=report.simulated,
    )


def _conditions(before: Report, after: Report) -> tuple[Changed, ...]:
    there = {"host": before.host, "layout": before.layout, "plan": _plan(before), **before.conditions}
    here = {"host": after.host, "layout": after.layout, "plan": _plan(after), **after.conditions}
    if before.build and after.build:
        there |= _asked(before.build.design)
        here |= _asked(after.build.design)
    names = dict.fromkeys((*there, *here))
    return tuple(
        Changed(name=name, before=there.get(name, ""), after=here.get(name, ""))
        for name in names
        if there.get(name, "") != here.get(name, "")
    )


def _plan(report: Report) -> str:
    """Digest of the plan that was built or measured."""
    digests = [bench.result.bench.plan_digest for bench in report.benches if bench.result.bench.plan_digest]
    digest = report.build.digest if report.build else digests[-1] if digests else ""
    return digest[:12]


def _asked(design: Design) -> dict[str, str]:
    return {"planned chunk": exact_binary(design.chunk_bytes), "planned file system": design.fs}


def _disks(before: Report, after: Report) -> tuple[Changed, ...]:
    there = {disk.id: disk for disk in before.disks}
    here = {disk.id: disk for disk in after.disks}
    gone = [f"{there[id].serial or id} {there[id].model or ''}".strip() for id in there if id not in here]
    new = [f"{here[id].serial or id} {here[id].model or ''}".strip() for id in here if id not in there]
    if not gone and not new:
        return ()
    return (Changed(name="disks", before=some(gone, 8), after=some(new, 8)),)
