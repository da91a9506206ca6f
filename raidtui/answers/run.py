"""A run: its state as blocks, its journal records and its resync progress as lines."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import assert_never

from raidtui.answers.plain_text import fitted
from raidtui.engine.folders import is_id
from raidtui.engine.living import LivingAct
from raidtui.programs.shell_quote import program_text
from raidtui.values.amounts import percent, rate
from raidtui.values.blocks import Block, Grid, Paragraph, cells
from raidtui.values.plan import Plan
from raidtui.values.run import ArraySync, JobStatus, Record, Run, RunOutcome, RunPurpose, RunUnread
from raidtui.values.safe import safe
from raidtui.values.units import counted

NOT_STARTED = "not started"
"""the state of a run whose journal has no record yet"""
_BAR = 24
_ROWS = 4
"""rows of a command on a terminal"""
_NEXT: dict[RunOutcome, str] = {
    "running": "raidtui build --attach {0} follows it; raidtui control {0} pause, go or stop controls it",
    "finished": "raidtui bench {0} measures it; raidtui undo {0} reverts it",
    "stopped": "raidtui resume {0} continues it; raidtui undo {0} reverts it",
    "failed": "raidtui resume {0} continues it once the cause is fixed; raidtui undo {0} reverts it",
    "interrupted": "raidtui resume {0} checks the disks and continues it; raidtui undo {0} reverts it",
}


def record_lines(record: Record, plan: Plan) -> tuple[str, ...]:
    """The lines of one journal record."""
    match record.kind:
        case "begun":
            return (f"{record.purpose} of plan {plan.digest[:8]} on {safe(plan.host)}, {len(plan.steps)} steps",)
        case "step":
            risk = plan.steps[record.step - 1].risk
            return (f"== {record.step}/{len(plan.steps)} {safe(record.text)} [{risk}]",)
        case "paused" | "waiting" | "progress":
            return (f"-- {safe(record.text)}",)
        case _:
            return action_lines(record)


def action_lines(record: Record) -> tuple[str, ...]:
    """The lines of a record of a command, its result, or the end of a run; empty for other records."""
    match record.kind:
        case "intent":
            return (f"   $ {command_text(record.argv)}",)
        case "result":
            return () if not record.exit else (f"   exit code {record.exit}; output: {record.output}",)
        case "proven" | "cleaned":
            return (f"   ok: {safe(record.text)}",)
        case "kept":
            return (f"   kept: {safe(record.text)}",)
        case "stopped" | "failed" | "finished":
            return (f"{record.kind.upper()}: {safe(record.text)}",)
        case "begun" | "step" | "sampled" | "paused" | "waiting" | "progress":
            return ()
        case _:
            assert_never(record.kind)


class TerminalLines:
    """Lines of the records of a run for a terminal: wrapped at its width, of long commands the first rows, of commands
    alike that follow each other the first and how many more there are. The journal and the script have each in full."""

    def __init__(self, plan: Plan, width: int) -> None:
        self._plan, self._width = plan, width
        self._alike, self._more = "", 0

    def of(self, record: Record) -> list[str]:
        """The lines that `record` adds."""
        if record.kind == "result" and not record.exit:
            return []
        alike = program_text(record.argv) if record.kind == "intent" else ""
        if alike and alike == self._alike:
            self._more += 1
            return []
        lines = [f"     and {self._more} more {safe(self._alike)}"] if self._more else []
        if self._more and record.kind == "result":  # of several at a time the one that failed
            lines += fitted([f"   of these: {command_text(record.argv)}"], self._width)
        self._alike, self._more = alike, 0
        rows = fitted(record_lines(record, self._plan), self._width)
        if alike and len(rows) > _ROWS:
            left = sum(len(row.split()) for row in rows[_ROWS - 1 :])
            rows[_ROWS - 1 :] = [f"     and {left} more words"]
        return lines + rows


def command_text(argv: Sequence[str]) -> str:
    """A command as shell text; control characters are made visible."""
    return safe(shlex.join(argv))


def sync_line(syncs: Sequence[tuple[str, str, int, int, int]], width: int | None = None) -> str:
    """Running resyncs in one line; each is (array, action, sectors done, all sectors, bytes per second per member).

    The slowest has the progress bar, as long as `width` columns leave room for; empty if nothing resyncs.
    """
    if not syncs:
        return ""
    name, action, done, whole, speed = min(syncs, key=lambda each: _share(each[2], each[3]))
    share = _share(done, whole)
    pace = _pace(speed, (whole - done) * 512 / speed if speed > 0 else None)
    others = f"; {len(syncs) - 1} more" if len(syncs) > 1 else ""
    head, tail = f"{safe(name)} {action} ", f"{percent(share, 1)}, {pace}{others}"
    cells = _BAR if width is None else max(min(_BAR, width - len(head) - len(tail) - 3), 0)
    filled = int(share * cells)
    bar = f"[{'#' * filled}{'.' * (cells - filled)}] " if cells else ""
    return f"{head}{bar}{tail}"[:width]


def _array_line(sync: ArraySync) -> str:
    """An array that is not in sync, and how long that lasts."""
    pace = f", {_pace(sync.bytes_per_s, sync.seconds_left)}" if sync.seconds_left else ""
    return f"syncing: {safe(sync.device)} {safe(sync.action)} {percent(sync.done, 1)}{pace}"


def _pace(bytes_per_s: int, seconds_left: float | None) -> str:
    """How fast a sync is, and how long it lasts where that is known."""
    left = "" if seconds_left is None else f", {_duration(seconds_left)} left"
    return f"{rate(bytes_per_s)} per member{left}"


def run_blocks(plan: Plan, run: Run, records: Sequence[Record], syncs: Sequence[ArraySync] = ()) -> tuple[Block, ...]:
    """One run: its steps with their state, its arrays that sync, the reason of its end, the commands that apply now."""
    short = plan.run_id[:8]
    outcome = NOT_STARTED if run.outcome == "interrupted" and not records else run.outcome
    undone = run.purpose == "undo" and run.outcome == "finished"
    rows = tuple(
        cells(
            str(step.number), "undone" if undone else progress.state,
            f"{progress.seconds:.0f}" if progress.seconds else "-", step.title,
        )
        for step, progress in zip(plan.steps, run.steps, strict=True)
    )  # fmt: skip
    lines: list[str] = []
    if run.outcome == "running" and records and records[-1].kind == "intent":
        lines.append(f"running: {command_text(records[-1].argv)}")
    if run.outcome == "running":
        lines += _zeroing_line(plan, records)
    head = f"run {short}: {run.purpose} of plan {plan.digest[:8]} ({plan.name}) on {plan.host}: {outcome}"
    grid = Grid(columns=("#", "STATE", "SECONDS", "STEP"), rows=rows, right=frozenset((0, 2)))
    last = (*map(_array_line, syncs), way_on(plan, run.purpose, run.outcome))
    return (
        Paragraph(text=head), grid, *(Paragraph(text=each) for each in lines), *end_blocks(plan, run, records),
        *(Paragraph(text=each) for each in last),
    )  # fmt: skip


def _zeroing_line(plan: Plan, records: Sequence[Record]) -> tuple[str, ...]:
    """How long zeroing takes, as measured, while members are zeroed."""
    zeroing = {step.number for step in plan.steps if step.stage == "zero"}
    if not records or records[-1].step not in zeroing:
        return ()
    said = (record for record in reversed(records) if record.kind == "progress" and record.step in zeroing)
    return tuple(f"{record.time[11:16]} {safe(record.text)}" for record in said)[:1]


def end_blocks(act: Plan | LivingAct, run: Run, records: Sequence[Record]) -> tuple[Paragraph, ...]:
    """How a run, or an act on arrays that run, ended, and what it kept on disks; of one at work only the latter."""
    kept = tuple(
        Paragraph(text=f"Kept, because it is not part of the plan: {record.text}", tone="warn")
        for record in left_on_disks(records)
    )
    match run.outcome:
        case "running":
            return kept
        case "finished" if run.purpose == "undo":
            head = Paragraph(text="Undone: no signature or line of the plan is left on the disks.", tone="good")
            return head, *kept, Paragraph(text="Their content from before the plan is lost.", tone="quiet")
        case "finished" if isinstance(act, Plan):
            places = ", ".join(made.mount_point for made in act.filesystems) or "the arrays are running"
            head = Paragraph(text=f"Finished: every step is done and verified. {places}", tone="good")
            return head, *kept
        case "finished":
            left = [each.number for each in run.steps if each.state == "running"]  # it ended without its proof
            if not left:
                return (Paragraph(text="Finished: every step is done and read back. 9 shows the array.", tone="good"),)
            but = f"Finished but for {counted(len(left), 'step')}; the others are read back. 9 shows the array."
            why = {record.step: record.text for record in records if record.kind == "progress" and record.step in left}
            return Paragraph(text=but, tone="warn"), *(
                Paragraph(text=f"Step {number}: {why.get(number, 'not done')}", tone="warn") for number in left
            )
        case "failed":
            return Paragraph(text=f"Failed: {run.reason}", tone="bad"), *kept, Paragraph(text="Nothing runs.")
        case "stopped":
            head = Paragraph(text=f"Stopped: {run.reason}.", tone="warn")
            return head, *kept, Paragraph(text="Every command that began was completed.")
        case "interrupted" if not records:
            return (Paragraph(text="The executor has not started.", tone="warn"),)
        case "interrupted":
            text = "Interrupted: the executor is gone; it was killed or power failed."
            return Paragraph(text=text, tone="warn"), *kept
        case _:
            assert_never(run.outcome)


def way_on(plan: Plan, purpose: RunPurpose, outcome: RunOutcome) -> str:
    """The commands that apply to a run now."""
    short = plan.run_id[:8]
    if purpose != "undo" or outcome == "running":
        return _NEXT[outcome].format(short)
    if outcome != "finished":
        return f"raidtui undo {short} continues it"
    layout = shlex.quote(safe(plan.prediction.layout))
    return f"it is undone; to build again, make a new plan: raidtui plan {layout} --out DIR"


def left_on_disks(records: Sequence[Record]) -> tuple[Record, ...]:
    """Records of content that the last executor of a run left on disks because the plan did not create it."""
    begun = max((place for place, record in enumerate(records) if record.kind == "begun"), default=0)
    return tuple(record for record in records[begun:] if record.kind == "kept")


def outcome_words(job: JobStatus) -> str:
    """How it ended; of one whose journal has no record yet, that it was not started: its executor may be starting."""
    return NOT_STARTED if job.outcome == "interrupted" and not job.last else job.outcome


def jobs_table(jobs: Sequence[JobStatus], unread: Sequence[RunUnread] = ()) -> Block:
    """One row per job; `unread` come last, each with the file that is damaged."""
    if not jobs and not unread:
        return Paragraph(text="no runs")
    rows = tuple(
        cells(
            job.id[:8] if is_id(job.id) else job.id, job.name, job.host + (" SIMULATED" if job.simulated else ""),
            job.kind, outcome_words(job), f"{job.done}/{job.of}",
            f"{job.last[:19].replace('T', ' ')} UTC" if job.last else "-",
        )
        for job in jobs
    )  # fmt: skip
    damaged = tuple(
        cells(short_name(each), "-", "-", each.kind, "not read", "-", each.reason.replace(f"{each.folder}/", ""))
        for each in unread
    )
    return Grid(columns=("RUN", "PLAN", "HOST", "WHAT", "STATE", "STEPS", "LAST RECORD"), rows=(*rows, *damaged))


def short_name(unread: RunUnread) -> str:
    """How commands name a job that cannot be read."""
    *_, above, name = Path(unread.folder).parts
    if is_id(name):
        return name[:8]
    return f"{above[:8]}/{name}" if unread.kind == "drill" else name


def _share(done: int, whole: int) -> float:
    return min(done / whole, 1.0) if whole > 0 else 0.0


def _duration(seconds: float) -> str:
    minutes = int(seconds // 60)
    if minutes < 1:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"
