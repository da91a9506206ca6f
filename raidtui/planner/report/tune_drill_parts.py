"""Report sections of tunings and drills."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from raidtui.model.drill import DrillCompared, DrillResult, Pass
from raidtui.model.report import OpenPoint, Section, SectionTable
from raidtui.model.tune import Advice, TuneResult, Workload
from raidtui.planner.amounts import amount, moment, percent
from raidtui.planner.numbers import hours
from raidtui.planner.report.open_points import open_point
from raidtui.planner.text.tune import used_of_each


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
        points=(*points, *_notes("tune", result.warnings)),
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
        rows = tuple(_compared(each) for each in result.compared)
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


def _compared(each: DrillCompared) -> tuple[str, ...]:
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
        cells = []
        for job in jobs:
            figure = found.get(job)
            spread = f" ({percent(figure.spread)})" if figure and len(figure.repeats) > 1 else ""
            cells.append(f"{amount(figure.median, figure.unit)}{spread}" if figure else "-")
        rows.append((name, *cells))
    return (SectionTable(columns=(head, *jobs), rows=tuple(rows)),)


def _advice(found: Sequence[Advice]) -> list[str]:
    return [f"{each.job}: {each.reason}" if each.job else f"Recommended: {each.reason}" for each in found]


def _unfinished(what: str, outcome: str, reason: str) -> Iterator[OpenPoint]:
    if outcome != "finished":
        why = f": {reason}" if reason else ""
        code = f"{what.split()[-1]}-not-finished"
        yield open_point(code, f"the {what} is {outcome}{why}", "run it again, or sign that it is not required")


def _notes(code: str, warnings: Sequence[str]) -> tuple[OpenPoint, ...]:
    return tuple(OpenPoint(weight="note", code=f"{code}-note", text=warning) for warning in warnings)
