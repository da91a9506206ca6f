"""Assembles a report from a build, benchmarks and further sections."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from raidtui.model.codec import canonical_json
from raidtui.model.report import Comparison, Report, ReportBench, ReportBuild, ReportDisk, Section
from raidtui.planner.report.disks_part import disks_of
from raidtui.planner.report.open_points import open_points, report_verdict

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
        conditions=ran[-1].result.bench.conditions.texts if ran else {},
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
