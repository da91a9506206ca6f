"""Assembles a report from a build, benchmarks and further sections."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace

from raidtui.answers.report.open_points import disks_of, open_points, report_verdict
from raidtui.values.codec import canonical_json
from raidtui.values.gauges import Scene, Tick
from raidtui.values.plan import Plan, PlanDisk
from raidtui.values.report import (
    CommandRun,
    Comparison,
    DiskHistory,
    Evidence,
    RateHistory,
    Report,
    ReportBench,
    ReportBuild,
    ReportDisk,
    Section,
    StepProof,
)
from raidtui.values.run import Record, Run

_ID = 12
"""hex digits of the identity"""


def report_of(
    *,
    made: str,
    version: str,
    host: str,
    machine_id: str | None = None,
    build: ReportBuild | None = None,
    planned: Sequence[ReportDisk] = (),
    benches: Sequence[ReportBench] = (),
    sections: Sequence[Section] = (),
    simulated: bool = False,
) -> Report:
    """The report. `made` is now (UTC, ISO 8601), `simulated` what is known beside the benchmarks and sections."""
    ran = tuple(sorted(benches, key=lambda bench: bench.result.bench.started))
    disks = disks_of(planned, ran)
    unreal = simulated or any(bench.result.bench.simulated for bench in ran) or any(each.simulated for each in sections)
    points = open_points(build, ran, sections, disks)
    verdict, why_none = report_verdict(points, build, ran, simulated=unreal)
    layouts = [bench.result.bench.layout for bench in ran if bench.result.bench.layout]
    report = Report(
        id="",
        made=made,
        raidtui=version,
        host=host,
        machine_id=machine_id,
        simulated=unreal,
        layout=build.layout if build else (layouts[-1] if layouts else ""),
        build=build,
        disks=disks,
        benches=ran,
        sections=tuple(sections),
        conditions=ran[-1].result.bench.conditions.form if ran else {},
        points=points,
        verdict=verdict,
        no_verdict=why_none,
    )
    return with_id(report)


def with_comparison(report: Report, comparison: Comparison) -> Report:
    """The report with a comparison added, under a new identity."""
    return with_id(replace(report, comparison=comparison))


def with_id(report: Report) -> Report:
    """The report with its identity: a hash of its content without the time."""
    text = canonical_json(replace(report, id="", made=""))
    return replace(report, id=hashlib.sha256(text.encode()).hexdigest()[:_ID])


# Build part of a report, from the plan and its journal alone.


def build_of(plan: Plan, run: Run, records: Sequence[Record], evidence: tuple[Evidence, ...] = ()) -> ReportBuild:
    """The build of `plan` from its journal `records`; `run` is their fold."""
    return ReportBuild(
        run_id=plan.run_id,
        name=plan.name,
        digest=plan.digest,
        layout=plan.prediction.layout,
        design=plan.design,
        prediction=plan.prediction,
        arrays=plan.arrays,
        filesystems=plan.filesystems,
        outcome=run.outcome,
        purpose=run.purpose,
        reason=run.reason,
        began=records[0].time if records else "",
        ended=records[-1].time if records else "",
        by=next((each.text for each in records if each.kind == "begun" and each.purpose == "build"), ""),
        steps=len(plan.steps),
        commands=_commands(records),
        proofs=_proofs(plan, records),
        evidence=evidence,
    )


def planned_disk(disk: PlanDisk) -> ReportDisk:
    """The ReportDisk of a plan's disk."""
    return ReportDisk(
        id=disk.id,
        serial=disk.serial,
        model=disk.model,
        place=disk.place,
        size_bytes=disk.size_bytes,
        role=disk.role,
    )


def _commands(records: Sequence[Record]) -> tuple[CommandRun, ...]:
    """Every intent record with the exit code of the result that follows it."""
    found = []
    for number, record in enumerate(records):
        if record.kind != "intent":
            continue
        behind = records[number + 1] if number + 1 < len(records) else None
        ended = behind is not None and behind.kind == "result"
        found.append(
            CommandRun(
                step=record.step,
                time=record.time,
                argv=record.argv,
                exit=behind.exit if ended and behind is not None else None,
                ended=ended,
                purpose=record.purpose,
            )
        )
    return tuple(found)


def _proofs(plan: Plan, records: Sequence[Record]) -> tuple[StepProof, ...]:
    """Proofs of the steps: after the last execution of the step, and not undone since."""
    when: dict[int, str] = {}
    for record in records:
        if record.kind == "proven" and record.purpose != "undo":
            when[record.step] = record.time
        elif record.kind in ("step", "proven", "cleaned"):
            when.pop(record.step, None)
    return tuple(
        StepProof(
            step=step.number,
            title=step.title,
            proven=step.number in when,
            time=when.get(step.number, ""),
            sentences=tuple(reading.what for reading in step.after),
        )
        for step in plan.steps
        if step.after
    )


# History of a recording: its ticks as means over equal intervals, small enough for plots and reports.


INTERVALS = 600
"""maximum intervals: one point per pixel or two of a plot"""
CELLS = 120_000
"""maximum of disks times intervals"""


def history(scene: Scene, ticks: Iterable[Tick]) -> RateHistory | None:
    """Means over intervals of one or more seconds, as the limits require; None without ticks.

    A tick counts in every interval it overlaps, by the overlap. Ticks are processed one by one, so memory does not grow
    with the length of the recording.
    """
    most = max(min(INTERVALS, CELLS // max(len(scene.disks), 1)), 2)
    began = wide = 0.0
    sums = _Sums(tuple(disk.name for disk in scene.disks))
    count = 0
    for tick in ticks:
        if tick.seconds <= 0:
            continue
        if not count:
            began, wide = tick.time - tick.seconds, 1.0
        count += 1
        while tick.time - began > most * wide:
            sums.halve()
            wide *= 2
        sums.add(tick, began, wide)
    if not count:
        return None
    return sums.means(began, wide, count)


class _Sums:
    """Accumulated bytes and seconds per interval."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names
        self._seconds: list[float] = []
        self._read: list[float] = []
        self._write: list[float] = []
        self._disks: dict[str, list[float]] = {name: [] for name in names}
        self._known: dict[str, list[float]] = {name: [] for name in names}

    def add(self, tick: Tick, began: float, wide: float) -> None:
        """Adds a tick to the intervals it overlaps."""
        left = max(tick.time - tick.seconds - began, 0.0)
        right = tick.time - began
        for place in range(int(left / wide), int(right / wide) + 1):
            lies = min(right, (place + 1) * wide) - max(left, place * wide)
            if lies <= 0:
                continue
            self._reach(place)
            self._seconds[place] += lies
            for name, gauge in tick.disks.items():
                if name not in self._disks:
                    continue
                self._read[place] += gauge.read_bytes_per_s * lies
                self._write[place] += gauge.write_bytes_per_s * lies
                self._disks[name][place] += (gauge.read_bytes_per_s + gauge.write_bytes_per_s) * lies
                self._known[name][place] += lies

    def halve(self) -> None:
        """Merges pairs of adjacent intervals."""
        for line in self._lines():
            line[:] = [sum(line[place : place + 2]) for place in range(0, len(line), 2)]

    def means(self, began: float, wide: float, ticks: int) -> RateHistory:
        """The means in bytes per second."""
        return RateHistory(
            began=began,
            seconds=wide,
            read_bytes_per_s=_means(self._read, self._seconds),
            write_bytes_per_s=_means(self._write, self._seconds),
            disks=tuple(
                DiskHistory(name=name, bytes_per_s=_means(self._disks[name], self._known[name])) for name in self._names
            ),
            ticks=ticks,
        )

    def _lines(self) -> list[list[float]]:
        return [self._seconds, self._read, self._write, *self._disks.values(), *self._known.values()]

    def _reach(self, place: int) -> None:
        missing = place + 1 - len(self._seconds)
        if missing > 0:
            for line in self._lines():
                line.extend([0.0] * missing)


def _means(sums: list[float], seconds: list[float]) -> tuple[int | None, ...]:
    return tuple(round(sum_ / lasted) if lasted > 0 else None for sum_, lasted in zip(sums, seconds, strict=True))
