"""Trials and drills as blocks: confirmation pages and results; their journal records as lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raidtui.answers.run import action_lines
from raidtui.bench.tuning import best_of
from raidtui.values.amounts import amount, hours, percent, rate, ratio_band, spares_text
from raidtui.values.bench import Figure
from raidtui.values.blocks import Block, Grid, Heading, Item, Items, Paragraph, cells
from raidtui.values.plan import Plan
from raidtui.values.run import Record
from raidtui.values.safe import safe
from raidtui.values.trials import DrillAsk, DrillCompared, DrillResult, Pass, TuneResult, Tuning, Workload
from raidtui.values.units import binary_size, counted, exact_binary

ABREAST = 5
"""maximum columns of figures in a table of a wide terminal"""


def tuning_blocks(tuning: Tuning, seconds: float) -> tuple[Block, ...]:
    """The trials and their estimated `seconds`; the confirmation page of the first plan, with its disks, follows."""
    count = len(tuning.variants)
    if not tuning.layout.layout.survives:
        sync = "without redundancy there is no initial resync"
    elif tuning.first_sync:
        sync = "the initial resync of each is awaited"
    else:
        sync = "the initial resync is skipped (--assume-clean), since no data is kept"
    shared = f" on {counted(tuning.arrays, 'array')}" if tuning.arrays < count else ""
    own = any(each.mkfs or each.mount_options for each in tuning.variants)
    differ = "chunk, file system and options" if own else "chunk and file system"
    columns = ("TRIAL", "CHUNK", "FILE SYSTEM", "VOLUME", "RUN", *(("MKFS", "MOUNT OPTIONS") if own else ()))
    rows = [
        cells(
            str(each.number), exact_binary(each.chunk_bytes), each.fs, binary_size(each.volume_bytes), each.run_id[:8],
            *((each.mkfs or "-", each.mount_options or "-") if own else ()),
        )
        for each in tuning.variants
    ]  # fmt: skip
    reused = "Trials of one run share its array. Only file system and mount are made again for the next."
    return (
        Paragraph(
            text=f"Tune {tuning.asked_layout}: {counted(count, 'trial')}{shared} of {tuning.layout} on the same "
            f"{len(tuning.disks)} disks, one after the other. Meanwhile {used_of_each(tuning)} of each disk is used; "
            f"{sync}."
        ),
        Paragraph(
            text=f"Each is built, mounted in its own directory, measured with '{tuning.profile}' and removed. Its "
            f"disks are then verified to be zero at both ends. Total time about {hours(seconds / 3600)}."
        ),
        *((Paragraph(text=reused),) if shared else ()),
        Grid(columns=columns, rows=tuple(rows), right=frozenset((0, 1, 3)), optional=(4,)),
        Paragraph(text=f"The plans of the trials differ only in {differ}."),
    )


def used_of_each(tuning: Tuning) -> str:
    """`at most 2 GiB`, or `all`."""
    return "all" if tuning.whole_disks else f"at most {exact_binary(tuning.slice_bytes)}"


def tune_blocks(result: TuneResult, abreast: int = ABREAST) -> tuple[Block, ...]:
    """Outcome, tables of at most `abreast` figures a row, recommendation, warnings, remaining actions of a tuning."""
    tuning = result.tuning
    names = {variant.number: variant.name for variant in tuning.variants}
    tried = {names[trial.variant]: trial.workloads for trial in result.trials}
    notes = [f"{names[each.variant]}: {each.outcome}: {each.reason}" for each in result.trials if each.reason]
    notes += [f"{safe(each.job, longest=24)}: {each.reason}" for each in result.advice if each.job]
    notes += [f"recommended: {each.reason}" for each in result.advice if not each.job]
    items = tuple(Item(mark="", text=safe(note, longest=600)) for note in notes)
    items += tuple(Item(mark="note", text=warning, tone="quiet") for warning in result.warnings)
    return (
        Paragraph(text=f"Tuning {tuning.id[:8]} of {tuning.asked_layout}: {result.outcome}"),
        *((Paragraph(text=f"reason: {safe(result.reason, longest=600)}"),) if result.reason else ()),
        *tune_tables(tried, abreast), *((Items(items=items),) if items else ()),
    )  # fmt: skip


def tune_tables(tried: Mapping[str, Sequence[Workload]], abreast: int = ABREAST) -> tuple[Block, ...]:
    """Medians with spread: one row per workload, one column per variant; of many variants, one row per variant."""
    jobs = list(dict.fromkeys(each.job for workloads in tried.values() for each in workloads))
    found = {name: {each.job: each.figure for each in workloads} for name, workloads in tried.items()}
    names = list(tried)
    if len(names) <= abreast:
        rows = tuple(cells(safe(job, longest=24), *(_cell(found[name], job) for name in names)) for job in jobs)
        return (Grid(columns=("WORKLOAD", *names), rows=rows, right=frozenset(range(1, len(names) + 1))),)
    grids: list[Block] = []
    for some in (jobs[start : start + abreast] for start in range(0, len(jobs), abreast)):
        tops = {job: best_of({name: found[name][job] for name in names if job in found[name]}) for job in some}
        rows = tuple(cells(name, *(_mark(name, tops[job]) + _cell(found[name], job) for job in some)) for name in names)
        columns = ("TRIAL", *(safe(job, longest=24) for job in some))
        grids.append(Grid(columns=columns, rows=rows, right=frozenset(range(1, len(some) + 1))))
    legend = "* best of a column; = equal to it: the difference is below the noise of the repeats"
    return (*grids, Paragraph(text=legend, tone="quiet"))


def _cell(found: Mapping[str, Figure], job: str) -> str:
    return figure_text(found[job]) if job in found else "-"


def _mark(name: str, top: tuple[str, Sequence[str]]) -> str:
    return "* " if name == top[0] else "= " if name in top[1] else ""


def figure_text(figure: Figure) -> str:
    """`412 MB/s (6 %)`: the median, and the relative spread (highest - lowest) / median."""
    spread = f" ({percent(figure.spread)})" if len(figure.repeats) > 1 else ""
    return f"{amount(figure.median, figure.unit)}{spread}"


_NUMBERS = frozenset((1, 2, 3, 4))
_NAMES = {"rebuild": "rebuild onto the spare", "replace": "copy back", "check": "check"}


def drill_page(ask: DrillAsk, plan: Plan, *, going_on: bool) -> tuple[Block, ...]:
    """The confirmation page: the steps of the drill and the disk that is failed."""
    disk = next(disk for disk in plan.disks if disk.id == ask.failed)
    array = plan.arrays[ask.array]
    back = (
        "the disk becomes a member again and the spare a spare" if ask.restore else "the disk stays as the spare"
    )  # fmt: skip
    steps = (
        f"fail member {ask.role}: {disk.place.text or disk.path}, serial {disk.serial or 'unknown'}, "
        f"{disk.model or 'no model'}",
        "md must start the rebuild onto the spare by itself; the rebuild is monitored and measured",
        f"then {back}, and an md check verifies every block",
    )
    return (
        Heading(
            text=f"Drill on {array.device} ({plan.prediction.arrays[ask.array].level} of {len(array.members)} disks, "
            f"{spares_text(len(array.spares))}) of plan {plan.digest[:8]} on {plan.host}"
            + (", resumed where it was interrupted:" if going_on else ":")
        ),
        Items(items=tuple(Item(mark="", text=each) for each in steps)),
        Paragraph(
            text=f"Until the rebuild ends the array survives {_left(plan)}. mdadm --monitor reports the failed disk by "
            "mail."
        ),
        *(
            (Paragraph(text=f"Workloads run on its file system during the rebuild: {ask.profile}"),)
            if ask.profile
            else ()
        ),
        *((Paragraph(text="THE ARRAY HOLDS DATA (--with-data): have a backup.", tone="bad"),) if ask.with_data else ()),
        Paragraph(text=f"Digest of the plan: {plan.digest}"),
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


def drill_blocks(result: DrillResult) -> tuple[Block, ...]:
    """Outcome, passes, comparison and workloads of the drill."""
    ask = result.ask
    lines = [f"Drill on {ask.device}: {result.outcome}"]
    if result.reason:
        lines.append(f"reason: {safe(result.reason, longest=600)}")
    if result.spare:
        lines.append(
            f"failed: serial {result.failed_serial or 'unknown'}, member {ask.role}; its spare: serial "
            f"{result.spare_serial or 'unknown'}"
        )
    blocks: list[Block] = [Paragraph(text=line) for line in lines]
    if result.passes:
        columns = ("PASS", "STARTED AFTER", "DURATION", "RATE PER MEMBER", "UNDER LOAD")
        rows = tuple(cells(*_pass_row(each)) for each in result.passes)
        blocks.append(Grid(columns=columns, rows=rows, right=_NUMBERS, optional=(1, 4)))
    if result.compared:
        columns = ("FIGURE", "MEASURED", "PREDICTED", "RATIO", "BAND")
        rows = tuple(cells(*_compared_row(each)) for each in result.compared)
        blocks.append(Grid(columns=columns, rows=rows, right=_NUMBERS, optional=(4,)))
    ends = [f"note: {each.name}: {each.note}" for each in result.compared if each.note]
    ends += [f"{_when(each, result)}, {each.job}: {figure_text(each.figure)}" for each in result.workloads]
    if result.outcome == "finished" and not any(each.stage == "rebuild" for each in result.passes):
        ends.append("the rebuild onto the spare ended unobserved: its rate is unknown")
    if result.mismatches is not None:
        ends.append(f"check: {result.mismatches} sectors mismatch" if result.mismatches else "check: no mismatch")
    if result.restored:
        ends.append("every disk is back in its planned role")
    return (*blocks, *(Paragraph(text=line) for line in ends))


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
