"""Text of a drill: confirmation page, journal records, result."""

from __future__ import annotations

from raidtui.model.counted import counted
from raidtui.model.drill import DrillAsk, DrillCompared, DrillResult, Pass
from raidtui.model.plan import Plan
from raidtui.model.run import Record
from raidtui.model.safe import safe
from raidtui.model.tune import Workload
from raidtui.planner.amounts import rate, ratio_band
from raidtui.planner.numbers import hours, spares_text
from raidtui.planner.text.run import action_lines
from raidtui.planner.text.summary import columns
from raidtui.planner.text.tune import figure_text

_NAMES = {"rebuild": "rebuild onto the spare", "replace": "copy back", "check": "check"}


def drill_page(ask: DrillAsk, plan: Plan, *, going_on: bool) -> tuple[str, ...]:
    """The confirmation page: the steps of the drill and the disk that is failed."""
    disk = next(disk for disk in plan.disks if disk.id == ask.failed)
    array = plan.arrays[ask.array]
    back = (
        "the disk becomes a member again and the spare a spare" if ask.restore else "the disk stays as the spare"
    )  # fmt: skip
    return (
        f"Drill on {array.device} ({plan.prediction.arrays[ask.array].level} of {len(array.members)} disks, "
        f"{spares_text(len(array.spares))}) of plan {plan.digest[:8]} on {safe(plan.host)}"
        + (", resumed where it was interrupted:" if going_on else ":"),
        f"  fail member {ask.role}: {safe(disk.place.text or disk.path)}, serial {safe(disk.serial or 'unknown')}, "
        f"{safe(disk.model or 'no model')}",
        "  md must start the rebuild onto the spare by itself; the rebuild is monitored and measured",
        f"  then {back}, and an md check verifies every block",
        f"Until the rebuild ends the array survives {_left(plan)}. mdadm --monitor reports the failed disk by mail.",
        *(["Workloads run on its file system during the rebuild: " + safe(ask.profile)] if ask.profile else []),
        *(["THE ARRAY HOLDS DATA (--with-data): have a backup."] if ask.with_data else []),
        "",
        f"Digest of the plan: {plan.digest}",
    )


def _left(plan: Plan) -> str:
    left = plan.design.layout.survives - 1
    return counted(left, "more failure") if left > 0 else "no further failure"


def record_lines(record: Record) -> tuple[str, ...]:
    """The lines of one journal record."""
    match record.kind:
        case "begun":
            return (f"{record.time[11:19]} started",)
        case "step":
            return (f"== {record.step} {safe(record.text)}",)
        case "paused" | "waiting" | "progress":
            return (f"-- {record.time[11:19]} {safe(record.text)}",)
        case _:
            return action_lines(record)


def result_lines(result: DrillResult) -> tuple[str, ...]:
    """Outcome, passes, comparison and workloads of the drill."""
    ask = result.ask
    lines = [f"Drill on {ask.device}: {result.outcome}"]
    if result.reason:
        lines.append(f"reason: {safe(result.reason, longest=600)}")
    if result.spare:
        lines.append(
            f"failed: serial {safe(result.failed_serial or 'unknown')}, member {ask.role}; its spare: serial "
            f"{safe(result.spare_serial or 'unknown')}"
        )
    if result.passes:
        lines += ["", *columns([("PASS", "STARTED AFTER", "DURATION", "RATE PER MEMBER", "UNDER LOAD"),
                                *map(_pass_row, result.passes)], right=(1, 2, 3, 4))]  # fmt: skip
    if result.compared:
        lines += ["", *columns([("FIGURE", "MEASURED", "PREDICTED", "RATIO", "BAND"),
                                *map(_compared_row, result.compared)], right=(1, 2, 3, 4))]  # fmt: skip
        lines += [f"note: {each.name}: {each.note}" for each in result.compared if each.note]
    lines += [f"{_when(each, result)}, {safe(each.job)}: {figure_text(each.figure)}" for each in result.workloads]
    if result.outcome == "finished" and not any(each.stage == "rebuild" for each in result.passes):
        lines.append("the rebuild onto the spare ended unobserved: its rate is unknown")
    if result.mismatches is not None:
        lines.append(f"check: {result.mismatches} sectors mismatch" if result.mismatches else "check: no mismatch")
    if result.restored:
        lines.append("every disk is back in its planned role")
    return tuple(lines)


def _when(each: Workload, result: DrillResult) -> str:
    during = result.simulated or "syncing" in each.figure.labels
    return "during the rebuild" if during else "after the end of the rebuild"


def _pass_row(each: Pass) -> tuple[str, ...]:
    return (
        _NAMES[each.stage] + ("" if each.whole else " (its end)"),
        f"{each.started_after_seconds:.1f} s",
        f"{each.seconds:.0f} s" if each.seconds < 600 else hours(each.seconds / 3600),
        rate(each.bytes_per_s) if each.bytes_per_s else "too fast to measure",
        rate(each.loaded_bytes_per_s) if each.loaded_bytes_per_s else "-",
    )


def _compared_row(each: DrillCompared) -> tuple[str, ...]:
    band = ratio_band(each.predicted, each.low, each.high) or "-"
    return (each.name, rate(each.measured), rate(each.predicted), f"{each.ratio:.2f}", band)
