"""Figures part of a report: comparison with the prediction, single repeats, plots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from raidtui.answers.bench import (
    VERDICT_TONES,
    job_words,
    limit_text,
    loss_blocks,
    on_each_disk,
    survey_blocks,
    task_name,
    verdict_cell,
)
from raidtui.answers.report.open_points import open_point
from raidtui.answers.report.plots import HeatMap, OverTime, Plot, Ratios, Surface, bench_plots, ratio_plots
from raidtui.answers.trials import figure_text, used_of_each
from raidtui.values.amounts import amount, ends, hours, moment, percent
from raidtui.values.bench import VERDICTS, Compared, Figure, Repeat, Task, Unit
from raidtui.values.blocks import Block, Cell, Grid, Heading, Listing, Meter, Paragraph, PlotBlock, cells
from raidtui.values.report import OpenPoint, Report, ReportBench, Section, SectionTable
from raidtui.values.speed import UNKNOWN, Limit
from raidtui.values.trials import Advice, DrillCompared, DrillResult, Pass, TuneResult, Workload
from raidtui.values.units import counted

_TOGETHER = 6
"""least number of single disks whose figures share one row; the table of disks lists each"""
_COLUMNS = ("#", "test", "predicted", "band", "measured", "spread", "ratio", "", "verdict", "limit")


def figure_blocks(report: Report, *, plots_left_out: str) -> Iterator[Block]:
    """The blocks of all measurements."""
    yield _heading(report.benches)
    if not report.benches:
        yield Paragraph(text="Nothing was measured.")
        return
    overall = ratio_plots(report)
    plots = [tuple(bench_plots(number, bench, report)) for number, bench in enumerate(report.benches, start=1)]
    if plots_left_out and (overall or any(plots)):
        yield Paragraph(text=plots_left_out, tone="quiet")
    for bench in report.benches:
        if len(report.benches) > 1:
            yield Heading(text=_name(bench), level=3)
        yield _beside(bench)
    notes = _notes(report.benches)
    if notes:
        yield Listing(
            lines=notes,
            title=f"Basis of the predictions, {counted(len(notes), 'note')}",
            folded=True,
        )
    yield from _pictures(overall, plots_left_out)
    for number, (bench, mine) in enumerate(zip(report.benches, plots, strict=True), start=1):
        short, how = f"Benchmark: {bench.result.bench.profile}", _how(bench)
        yield Heading(text=f"Benchmark: {_name(bench)}", anchor=f"bench{number}", short=short, result=how)
        yield Paragraph(text=f"{how}.")
        yield from loss_blocks(bench.result)
        yield from survey_blocks(bench.result)
        yield from _pictures(mine, plots_left_out)
        yield _by_repeat(bench)


def _heading(benches: Sequence[ReportBench]) -> Heading:
    """Of the section, with the number of figures of each verdict."""
    judged = [row.verdict for bench in benches for row in bench.compared]
    counts = {word: judged.count(word) for word in VERDICTS}
    return Heading(
        text="Predicted and measured",
        anchor="figures",
        result=", ".join(f"{count} {word}" for word, count in counts.items() if count) or "nothing was measured",
        tone="bad" if counts["low"] else "good" if counts["ok"] else "quiet",
    )


def _notes(benches: Sequence[ReportBench]) -> tuple[str, ...]:
    """Each note once, with the numbers of its tests."""
    found: dict[str, list[str]] = {}
    for number, bench in enumerate(benches, start=1):
        for row in bench.compared:
            if note := str(row.note):
                where = f"{number}." if len(benches) > 1 else ""
                found.setdefault(note, []).append(f"{where}{row.task}" if row.task else row.name)
    return tuple(f"{', '.join(tests)}: {note}" for note, tests in found.items())


def _name(bench: ReportBench) -> str:
    asked = bench.result.bench
    return f"{asked.profile} on {asked.host}, {moment(asked.started)}" + (" SIMULATED" if asked.simulated else "")


def _how(bench: ReportBench) -> str:
    result = bench.result
    parts = [
        f"{len(result.figures)} of {len(result.bench.tasks)} tests have a figure; the benchmark is {result.outcome}"
    ]
    if result.reason:
        parts.append(result.reason)
    if bench.history:
        parts.append(f"gauges: {bench.history.ticks} ticks, shown as means over {bench.history.seconds:.0f} s")
    return "; ".join(parts)


def _pictures(plots: Sequence[Plot], left_out: str) -> Iterator[Block]:
    if left_out:
        return
    for plot in plots:
        yield PlotBlock(name=plot.name, title=plot.title, text=picture_text(plot))


def picture_text(plot: Plot) -> str:
    """Alternative text of a plot."""
    match plot:
        case OverTime():
            reads = [value for value in plot.history.read_bytes_per_s if value is not None]
            writes = [value for value in plot.history.write_bytes_per_s if value is not None]
            return (
                f"Bytes per second of all disks together over {len(plot.history.read_bytes_per_s)} intervals of "
                f"{plot.history.seconds:.0f} s. Reading up to {amount(max(reads, default=0), 'B/s')}, "
                f"writing up to {amount(max(writes, default=0), 'B/s')}. Grey: one repeat of the numbered test."
            )
        case HeatMap():
            slow = [label for label, marked in zip(plot.labels, plot.slow, strict=True) if marked]
            named = f"Slow: {', '.join(slow)}." if slow else "No disk is marked as slow."
            return f"Bytes per second of each of {len(plot.labels)} disks over time, a row each. {named}"
        case Surface():
            return f"Rate by concurrent regions (crg, down) and threads (thr, across), {plot.pattern}."
        case Ratios():
            out = f" {plot.left_out} more are only in the table." if plot.left_out else ""
            return f"Each figure over its prediction; the bar is the band, small marks are single repeats.{out}"


def _beside(bench: ReportBench) -> Grid:
    tasks = {task.number: task for task in bench.result.bench.tasks}
    figures = {figure.task: figure for figure in bench.result.figures}
    rows = {row.task: row for row in bench.compared}
    many = on_each_disk((task for task in tasks.values() if task.number in figures), _TOGETHER)
    hidden = {task.number for each in many for task in each}
    found = [_other(row) for number, row in rows.items() if number not in tasks]
    found += [_together(each, figures, rows) for each in many]
    found += [_row(tasks[number], figures[number], rows.get(number)) for number in figures if number not in hidden]
    return Grid(columns=_COLUMNS, rows=tuple(found), right=frozenset((0, 2, 3, 4, 5, 6)), optional=(5, 0, 9, 3))


def _row(task: Task, figure: Figure, row: Compared | None) -> tuple[Cell, ...]:
    return (
        *cells(str(task.number), task_name(task) + _labels(figure)),
        *_compared(row, amount(figure.median, figure.unit), percent(figure.spread) if len(figure.repeats) > 1 else "-"),
        _limit(
            row.limit_seen if row else figure.seen.limit if figure.seen else UNKNOWN,
            row.limit_predicted if row else UNKNOWN,
        ),
    )


def _labels(found: Figure | Repeat) -> str:
    """What the figure is labelled; that all is simulated stands above the table."""
    labels = [label for label in found.labels if label != "simulated"]
    return f" [{', '.join(labels)}]" if labels else ""


def _other(row: Compared) -> tuple[Cell, ...]:
    """Row of a value that no test measured, such as the size of the file system."""
    figures = _compared(row, amount(row.measured, row.unit), "-")
    return (*cells("-", row.name), *figures, _limit(row.limit_seen, row.limit_predicted))


def _limit(seen: Limit, predicted: Limit) -> Cell:
    """Cell with the observed limit and whether it was predicted."""
    return Cell(text=limit_text(seen, predicted) or "-", tone="" if seen.known else "quiet")


def _compared(row: Compared | None, measured: str, spread: str) -> tuple[Cell, ...]:
    """Cells: prediction, band, what was measured and its spread, ratio, meter, verdict."""
    seen = cells(measured, spread)
    if row is None or row.predicted is None or row.low is None or row.high is None or row.ratio is None:
        none = row.verdict if row else "no prediction"
        return (*cells("-", "-"), *seen, *cells("-", ""), Cell(text=none, tone="quiet"))
    meter = Meter(low=row.low / row.predicted, high=row.high / row.predicted, at=row.ratio) if row.predicted else None
    return (
        *cells(amount(row.predicted, row.unit), ends(row.predicted, row.low, row.high, row.unit)),
        *seen,
        Cell(text=f"{row.ratio:.2f}"),
        Cell(text="", meter=meter, tone=VERDICT_TONES.get(row.verdict, "quiet")),
        verdict_cell(row.verdict),
    )


def _together(tasks: Sequence[Task], figures: dict[int, Figure], rows: dict[int, Compared]) -> tuple[Cell, ...]:
    """One row for many single disks: the median, and the range from slowest to fastest."""
    found = [figures[task.number] for task in tasks]
    middle, unit = median(figure.median for figure in found), found[0].unit
    compared = [rows[task.number] for task in tasks if task.number in rows]
    good = sum(row.verdict == "ok" for row in compared)
    low = sum(row.verdict == "low" for row in compared)
    spread = (max(each.median for each in found) - min(each.median for each in found)) / middle if middle > 0 else 0.0
    ratios = [row.ratio for row in compared if row.ratio is not None]
    summary = f"{good} ok, {low} LOW" if low else f"{good} of {len(tasks)} ok"
    first, last = tasks[0].number, tasks[-1].number
    return (
        *cells(f"{first}-{last}", f"{tasks[0].job.title or tasks[0].job.name}: {len(tasks)} disks, median", "-", "-"),
        *cells(amount(middle, unit), percent(spread), f"{median(ratios):.2f}" if ratios else "-", ""),
        Cell(text=summary, tone="bad" if low else "good" if good else "quiet"),
        Cell(text="-"),
    )


def _by_repeat(bench: ReportBench) -> Grid:
    tasks = {task.number: task for task in bench.result.bench.tasks}
    rows = []
    for figure in bench.result.figures:
        task = tasks[figure.task]
        slowest = [repeat.latency for repeat in figure.repeats if repeat.latency]
        errors = sum(repeat.errors for repeat in figure.repeats)
        rows.append(
            (
                *cells(str(task.number), task_name(task)),
                Cell(text=job_words(task.job), tone="quiet"),
                Cell(text="; ".join(_repeat(repeat, figure.unit) for repeat in figure.repeats)),
                *cells(_ms([each.p50_ms for each in slowest]), _ms([each.p99_ms for each in slowest])),
                Cell(text=_ms([each.max_ms for each in slowest])),
                Cell(text=str(errors), tone="bad" if errors else ""),
            )
        )
    columns = ("#", "test", "load", "repeats", "p50 ms", "p99 ms", "max ms", "errors")
    return Grid(
        columns=columns, rows=tuple(rows), right=frozenset((0, 4, 5, 6, 7)), optional=(0, 7, 4, 6, 2),
        folded=f"Every repeat of {counted(len(rows), 'test')}",
    )  # fmt: skip


def _repeat(repeat: Repeat, unit: Unit) -> str:
    """The value of a repeat, and of each phase if there are several."""
    more = [f"{name} {amount(value, unit)}" for name, value in repeat.parts.items()]
    parts = [f"({', '.join(more)})"] if more else []
    return " ".join([amount(repeat.value, unit), *parts]) + _labels(repeat)


def _ms(values: Sequence[float]) -> str:
    """Worst latency over the repeats, as text."""
    if not values:
        return "-"
    worst = max(values)
    return f"{worst:.2f}" if worst < 10 else f"{worst:.1f}" if worst < 100 else f"{worst:.0f}"


# Report sections of tunings and drills.


def tune_section(result: TuneResult) -> Section:
    """Section of a tuning: trials before the final design."""
    tuning = result.tuning
    names = {variant.number: variant.name for variant in tuning.variants}
    tried = {names[trial.variant]: trial.workloads for trial in result.trials if trial.workloads}
    if not tuning.layout.layout.survives:
        sync = "no redundancy, no initial resync"
    else:
        sync = "the initial resync of each was awaited" if tuning.first_sync else "the initial resync was skipped"
    lines = [
        f"{len(tuning.variants)} trials of {tuning.layout} for {tuning.asked_layout} on {len(tuning.disks)} disks, "
        f"{used_of_each(tuning)} of each; {sync}; {result.outcome}.",
        *_advice(result.advice),
    ]
    points = list(_unfinished("tuning", result.outcome, result.reason))
    left = [names[trial.variant] for trial in result.trials if not trial.undone]
    if left:
        text = f"disks of trials not verified to be free of signatures afterwards: {', '.join(left)}"
        points.append(open_point("tune-left", text, "raidtui status shows the run, raidtui undo reverts it"))
    return Section(
        kind="tune",
        title=f"Tuning of {tuning.asked_layout}",
        simulated=tuning.simulated,
        lines=tuple(lines),
        tables=_table("trial", tried),
        points=(*points, *_drill_notes("tune", result.warnings)),
    )


def drill_section(result: DrillResult) -> Section:
    """Section of a drill: a member failed on purpose."""
    ask = result.ask
    failed = result.failed_serial or ask.failed
    spare = result.spare_serial or result.spare or "unknown"
    checked = (
        "the check did not finish" if result.mismatches is None else f"the check found {result.mismatches} mismatches"
    )
    lines = (
        f"Member {failed} of {ask.device} was failed on purpose; spare {spare} took its place; {result.outcome}.",
        f"{checked[0].upper()}{checked[1:]}. "
        + (
            "Every member is back in its planned role."
            if result.restored
            else "Members are not in their planned roles."
        ),
    )
    tables: list[SectionTable] = []
    if result.passes:
        columns = ("pass", "started", "duration", "rate per member", "under load", "observed")
        tables.append(SectionTable(columns=columns, rows=tuple(_pass(each) for each in result.passes)))
    if result.compared:
        columns = ("figure", "predicted", "band", "measured", "ratio", "note")
        rows = tuple(_drill_compared(each) for each in result.compared)
        tables.append(SectionTable(title="Comparison with the prediction", columns=columns, rows=rows))
    tables += _table("during the rebuild", {"measured": result.workloads} if result.workloads else {})
    return Section(
        kind="drill",
        title=f"Drill on {ask.device}",
        simulated=result.simulated,
        lines=lines,
        tables=tuple(tables),
        points=tuple(_drill_points(result)),
    )


def _drill_points(result: DrillResult) -> Iterator[OpenPoint]:
    yield from _unfinished("drill", result.outcome, result.reason)
    device = result.ask.device
    if result.mismatches:
        yield OpenPoint(
            weight="blocking", code="mismatches",
            text=f"the check after the drill found {result.mismatches} mismatched sectors on {device}",
            way_out="check SMART of its members and repeat the check before storing data on it",
        )  # fmt: skip
    elif result.mismatches is None and result.outcome == "finished":
        yield open_point("no-check", f"{device} was not checked after the drill", "check it")
    if result.ask.restore and not result.restored and result.outcome == "finished":
        text = f"members of {device} are not in their planned roles"
        yield open_point("not-restored", text, "run the drill again, or sign that they remain swapped")


def _pass(each: Pass) -> tuple[str, ...]:
    def rate(value: float | None) -> str:
        return amount(value, "B/s") if value is not None else "-"

    took = hours(each.seconds / 3600) if each.seconds >= 60 else f"{each.seconds:.0f} s"
    return (
        each.stage, moment(each.began), took, rate(each.bytes_per_s), rate(each.loaded_bytes_per_s),
        percent(each.watched_share),
    )  # fmt: skip


def _drill_compared(each: DrillCompared) -> tuple[str, ...]:
    def value(number: float) -> str:
        return hours(number) if each.unit == "h" else amount(number, "B/s")

    band = f"{value(each.low)} to {value(each.high)}" if each.low is not None and each.high is not None else "-"
    return each.name, value(each.predicted), band, value(each.measured), f"{each.ratio:.2f}", each.note


def _table(head: str, tried: Mapping[str, Sequence[Workload]]) -> tuple[SectionTable, ...]:
    """A table of medians with spread: one row per variant, one column per workload."""
    jobs = dict.fromkeys(each.job for workloads in tried.values() for each in workloads)
    if not jobs:
        return ()
    rows = []
    for name, workloads in tried.items():
        found = {each.job: each.figure for each in workloads}
        rows.append((name, *(figure_text(found[job]) if job in found else "-" for job in jobs)))
    return (SectionTable(columns=(head, *jobs), rows=tuple(rows)),)


def _advice(found: Sequence[Advice]) -> list[str]:
    return [f"{each.job}: {each.reason}" if each.job else f"Recommended: {each.reason}" for each in found]


def _unfinished(what: str, outcome: str, reason: str) -> Iterator[OpenPoint]:
    if outcome != "finished":
        why = f": {reason}" if reason else ""
        code = f"{what.split()[-1]}-not-finished"
        yield open_point(code, f"the {what} is {outcome}{why}", "run it again, or sign that it is not required")


def _drill_notes(code: str, warnings: Sequence[str]) -> tuple[OpenPoint, ...]:
    return tuple(OpenPoint(weight="note", code=f"{code}-note", text=warning) for warning in warnings)
