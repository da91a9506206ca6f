"""A benchmark of many hosts as a section of a report: hosts, sums, each host's figures, spread, outliers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from raidtui.model.counted import counted
from raidtui.model.fleet.bench_result import FleetBench, FleetFigure, HostFigure, MeasuredHost
from raidtui.model.report import FLEET_BENCH, OpenPoint, Section, SectionTable
from raidtui.planner.amounts import amount, moment, percent, ratio_band
from raidtui.planner.fleet.bench.text import (
    ROUND_WORDS,
    STAGE_WORDS,
    began_text,
    outlier_text,
    slow_text,
)
from raidtui.planner.report.open_points import open_point
from raidtui.planner.text.bench_result import verdict_word
from raidtui.planner.text.tasks import LABELS
from raidtui.tools.nodeset import fold_nodeset

_RULE = (
    "Far from alike hosts (same layout) is a figure further from their median than 3.5 times 1.4826 MAD, and further "
    "than 15 % of the median; of fewer than three alike hosts none is named."
)


def fleet_section(found: FleetBench) -> Section:
    """The section. Text of hosts is escaped where it is drawn."""
    order = found.order
    what = f"the directory {order.directory}" if order.directory else f"sheet {(order.sheet_digest or '')[:12]}"
    lines = [
        f"Profile {order.profile.name} on {fold_nodeset(order.names)}, {what}, ordered {moment(order.made)} by "
        f"{order.control}: {', then '.join(ROUND_WORDS[of] for of in order.rounds)}.",
        "Each host measured by itself. A predicted sum is the sum of the hosts' predictions; the ends of their bands "
        "add, since the model errs alike on alike hosts.",
        _RULE,
    ]
    return Section(
        kind=FLEET_BENCH,
        title=f"Benchmark of {counted(len(order.hosts), 'host')}",
        simulated=order.simulated,
        lines=tuple(lines),
        tables=tuple(_tables(found)),
        points=tuple(_points(found)),
    )


def _tables(found: FleetBench) -> Iterator[SectionTable]:
    yield SectionTable(
        title="Hosts",
        columns=("host", "round", "outcome", "layout", "figures", "outputs of fio", "clock ahead", "benchmark"),
        rows=tuple(_host_row(host) for host in found.hosts),
    )
    yield SectionTable(
        title="All hosts together",
        columns=(
            "test", "round", "hosts", "predicted", "measured", "ratio", "band", "verdict", "began within", "labels",
        ),
        rows=tuple(_sum_row(figure) for figure in found.figures),
    )  # fmt: skip
    yield SectionTable(
        title="Each host",
        columns=("test", "round", "host", "predicted", "measured", "spread", "ratio", "verdict", "began after"),
        rows=tuple(_figure_row(figure, host) for figure in found.figures for host in figure.hosts),
    )
    if found.together:
        yield SectionTable(
            title="Does the sum hold up when all hosts run",
            columns=("test", "each alone", "all at once", "ratio"),
            rows=tuple(
                (each.title, amount(each.alone, each.unit), amount(each.at_once, each.unit), f"{each.ratio:.2f}")
                for each in found.together
            ),
        )
    if found.outliers:
        yield SectionTable(
            title="Far from alike hosts",
            columns=("host", "test", "round", "measured", "median", "MAD", "alike hosts", "of median"),
            rows=tuple(
                (
                    each.host, each.title, ROUND_WORDS[each.round], amount(each.measured, each.unit),
                    amount(each.median, each.unit), amount(each.mad, each.unit), str(each.peers), percent(each.share),
                )
                for each in found.outliers
            ),
        )  # fmt: skip
    if found.slow_disks:
        yield SectionTable(
            title="Slow disks",
            columns=("host", "disk", "round", "test", "compared with", "of median"),
            rows=tuple(
                (
                    each.host, each.place, ROUND_WORDS[each.round], each.job, each.peers,
                    "-" if each.share is None else percent(each.share),
                )
                for each in found.slow_disks
            ),
        )  # fmt: skip


def _host_row(host: MeasuredHost) -> tuple[str, ...]:
    clock = "-"
    if host.clock_ahead_s is not None and host.clock_error_s is not None:
        clock = f"{host.clock_ahead_s:.2f} s +-{host.clock_error_s:.2f}"
    outcome = f"{STAGE_WORDS[host.stage]}{f': {host.reason}' if host.reason else ''}"
    outputs = f"{host.raw_outputs}{f', {host.left_out} left there' if host.left_out else ''}"
    return (
        host.host, ROUND_WORDS[host.round], outcome, host.layout or "-", f"{host.figures} of {host.tests}", outputs,
        clock, host.bench_id[:8],
    )  # fmt: skip


def _sum_row(figure: FleetFigure) -> tuple[str, ...]:
    total = len(figure.hosts) + len(figure.missing)
    return (
        figure.title,
        ROUND_WORDS[figure.round],
        f"{len(figure.hosts)} of {total}",
        "-" if figure.predicted is None else amount(figure.predicted, figure.unit),
        amount(figure.sum, figure.unit),
        "-" if figure.ratio is None else f"{figure.ratio:.2f}",
        ratio_band(figure.predicted, figure.low, figure.high) or "-",
        verdict_word(figure.verdict),
        began_text(figure),
        ", ".join(figure.labels),
    )


def _figure_row(figure: FleetFigure, host: HostFigure) -> tuple[str, ...]:
    return (
        figure.title,
        ROUND_WORDS[figure.round],
        host.host,
        "-" if host.predicted is None else amount(host.predicted, figure.unit),
        amount(host.measured, figure.unit),
        percent(host.spread) if host.spread else "-",
        "-" if host.ratio is None else f"{host.ratio:.2f}",
        verdict_word(host.verdict),
        "-" if host.began_after_s is None else f"{host.began_after_s:.1f} s",
    )


def _points(found: FleetBench) -> Iterator[OpenPoint]:
    for finding in found.findings:
        if finding.severity == "note":
            yield OpenPoint(weight="note", code=finding.code, text=finding.message)
        else:
            yield open_point(finding.code, finding.message, finding.way_out)
    for outlier in found.outliers:
        way_out = "compare its disks, links and settings with an alike host: raidtui report there"
        yield open_point("host-outlier", outlier_text(outlier), way_out)
    for disk in found.slow_disks:
        yield open_point("slow-disk", slow_text(disk), "check SMART and the cabling, or make it a spare")
    for figure in found.figures:
        if figure.verdict == "low":
            name = f"{figure.title}, {ROUND_WORDS[figure.round]}"
            text = f"{name}: {amount(figure.sum, figure.unit)} is below the band of the predicted sum"
            yield open_point("fleet-low", text, "see which hosts are below their own band")
    labels = Counter(label for figure in found.figures for label in figure.labels)
    for label, count in sorted(labels.items()):
        if label not in ("simulated", "partial"):
            text = f"labelled {label}: {counted(count, 'sum')} with a figure that {LABELS[label]}"
            yield open_point(f"label-{label}", text, "measure again without this condition")
