"""A run as lines: its steps, the running command, its log. Nothing here draws or reads files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from raidtui.machine.run.living import LivingAct
from raidtui.model.plan import Plan
from raidtui.model.replacement import Replacement
from raidtui.model.run import Record, StepProgress
from raidtui.model.safe import safe
from raidtui.planner.text.run import left_on_disks
from raidtui.planner.text.shell_quote import quote, render
from raidtui.tui.jobs.run_view import RunView
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Mark, Span, Tone, line, wrapped
from raidtui.tui.widgets.step_lines import step_mark


class LogEntry(NamedTuple):
    """One line of the log."""

    time: str
    """UTC, HH:MM:SS"""
    step: int
    text: str
    tone: Tone = "text"
    output: str = ""
    """file with the command's output"""
    argv: tuple[str, ...] = ()
    """the exact command; `text` names disks by slot"""


# Steps.


def taken_back(records: Sequence[Record]) -> frozenset[int]:
    """Steps that were undone and not repeated since."""
    found: set[int] = set()
    for record in records:
        if record.kind == "proven":
            (found.add if record.purpose == "undo" else found.discard)(record.step)
    return frozenset(found)


def run_step_mark(progress: StepProgress, seen: RunView, glyphs: Glyphs, *, undone: bool) -> Mark:
    """Mark of the state of a step of `seen`."""
    run = seen.run
    held = run.now is not None and run.now.kind in ("paused", "waiting")
    return step_mark(progress.state, glyphs, purpose=run.purpose, busy=seen.busy, held=held, undone=undone)


# The running command.


def headline(seen: RunView) -> Mark:
    """The state of the whole run as one word; the glyph is empty."""
    if seen.starting:
        return Mark("", "undo starts" if seen.purpose == "undo" else "starts", "title")
    undo, replaces = seen.run.purpose == "undo", seen.run.purpose == "replace"
    match seen.run.outcome:
        case "finished":
            return Mark("", "undone" if undo else "finished", "good")
        case "failed":
            return Mark("", "FAILED", "bad")
        case "stopped":
            return Mark("", "stopped", "warn")
        case "interrupted":
            return Mark("", "interrupted" if seen.records else "not started", "warn")
        case "running":
            return Mark("", "undoing" if undo else "replacing" if replaces else "building", "title")


def paused_words(seen: RunView) -> str:
    """What a pause holds, and what goes on meanwhile."""
    syncing = sum(sync is not None for sync in seen.arrays.values())
    if not syncing:
        return "PAUSED"
    return f"PAUSED, but {syncing} array{'s sync' if syncing > 1 else ' syncs'} on"


def now_lines(seen: RunView, width: int, room: int) -> list[Line]:
    """The running command and the end of its output; after the end, the outcome of the run."""
    record = seen.run.now
    if seen.problem:
        return [line(row, "bad") for row in wrapped(seen.problem, width)]
    if seen.starting:
        return [line("the executor is starting: it takes the lock, then repeats all checks ...", "muted")]
    if record is None or seen.run.outcome != "running":
        return [line(text, tone) for part, tone in _ended(seen) for text in wrapped(part, width)]
    if record.kind == "waiting" and not isinstance(seen.act, Plan):
        return [line(row, "warn") for row in wrapped(f"step {record.step}: {record.text}", width)]
    if record.kind in ("paused", "waiting"):
        how = "c continues during the sync" if record.kind == "waiting" else "md goes on with a sync; p continues"
        return [line(row, "warn") for row in wrapped(f"step {record.step}: {record.text}; {how}", width)]
    if record.kind in ("intent", "result") and record.argv:
        said = said_lines(seen.said) if record.output else []
        kept = min(len(said), max(room - 2, 0) if room < 6 else room // 2)
        rows = command_rows(record.argv, width, max(room - kept, 1))
        if record.file is not None:
            rows = [f"writes {record.file}"]
        return [
            *(line(row, "strong") for row in rows),
            *(line(f"  {row}", "muted") for row in said[len(said) - kept :]),
        ]
    if record.kind == "step":
        return [line(f"step {record.step}: {record.text}", "strong"), line("checking the disks first ...", "muted")]
    return [line(record.text or record.kind, "muted")]


def _ended(seen: RunView) -> list[tuple[str, Tone]]:
    run, folder = seen.run, seen.folder
    undoes = ", D undoes the build" if isinstance(seen.act, Plan) else ""
    match run.outcome:
        case "finished" if not isinstance(seen.act, Plan):
            found = run.now.text.partition("; ")[2] if run.now is not None else ""
            checked = any(sync is not None and sync.action == "check" for sync in seen.arrays.values())
            return [
                ("Finished: every step is done and read back. 9 shows the array.", "good"),
                *([(f"Now pull {pulled}.", "strong")] if (pulled := _pulled(seen.act)) else ()),
                *([("md checks all members now; the array is in use meanwhile.", "text")] if checked else ()),
                *([(found, "muted")] if found else ()),
                (f"Journal and output: {folder}", "muted"),
            ]
        case "finished" if run.purpose == "undo":
            return [
                ("Undone: no signature or line of the plan is left on the disks.", "good"),
                *(
                    (f"Kept, because it is not part of the plan: {record.text}", "warn")
                    for record in left_on_disks(seen.records)
                ),
                ("Their content from before the plan is lost.", "muted"),
            ]
        case "finished":
            places = ", ".join(made.mount_point for made in seen.plan.filesystems) or "the arrays are running"
            syncing = sum(sync is not None and sync.action != "check" for sync in seen.arrays.values())
            return [
                (f"Finished: every step is done and verified. {places}", "good"),
                ("6 measures it, 7 reports it.", "text"),
                *_syncing_on(syncing, len(seen.act.arrays)),
                (f"Journal and output: {folder}", "muted"),
            ]
        case "failed":
            return [(f"Failed: {run.reason}", "bad"), (f"Nothing runs. r resumes{undoes}.", "text")]
        case "stopped":
            return [
                (f"Stopped: {run.reason}.", "warn"),
                (f"Every command that began was completed. r resumes{undoes}.", "text"),
            ]
        case "interrupted" if not seen.records:
            said = said_lines(seen.said)
            return [("The executor has not started.", "warn"), *((row, "bad") for row in said[-4:] if row)]
        case _:
            return [
                ("Interrupted: the executor is gone; it was killed or power failed.", "warn"),
                (f"r checks the disks and continues from there{undoes}.", "text"),
            ]


def _pulled(act: Plan | LivingAct) -> str:
    """The disk that a replacement took out, by slot and serial number; empty where it is not known."""
    old = act.old if isinstance(act, Replacement) else None
    if old is None or not (old.bay or old.serial):
        return ""
    serial = f", serial {safe(old.serial, longest=40)}" if old.serial else ""
    return f"{safe(old.bay or old.device)}{serial}"


def _syncing_on(syncing: int, arrays: int) -> list[tuple[str, Tone]]:
    of = f" of {syncing} of {arrays} arrays" if arrays > 1 else ""
    return [(f"The first sync{of} goes on.", "warn")] if syncing else []


def command_rows(argv: Sequence[str], width: int, most: int) -> list[str]:
    """A command as shell text in at most `most` rows; omitted words are counted."""
    rows = render(argv, width=max(width - 8, 20)).split("\n")
    if len(rows) <= most:
        return rows
    shown = rows[:most]
    left = len(argv) - sum(len(row.removesuffix(" \\").split()) for row in shown)
    shown[-1] = f"{shown[-1].removesuffix(chr(92)).rstrip()} ... {left} more words: Enter" if left > 0 else shown[-1]
    return shown


def said_lines(said: bytes) -> list[str]:
    """A command's output as a terminal would show it; not yet safe."""
    text = said.decode("utf-8", "replace")
    return [_settled(row) for row in text.split("\n") if row.strip()]


def _settled(row: str) -> str:
    """A line after its carriage returns and backspaces are applied, as in the counters of mkfs."""
    cells: list[str] = []
    at = 0
    for char in row.rstrip("\r"):
        if char == "\r":
            at = 0
        elif char == "\b":
            at = max(at - 1, 0)
        else:
            cells[at : at + 1] = [char]
            at += 1
    return "".join(cells).rstrip()


# The log.


def entries(records: Sequence[Record], named: Mapping[str, str]) -> list[LogEntry]:
    """The journal as log entries: one per command, with its exit code after it has ended. `named`: disks by path."""
    found: list[LogEntry] = []
    for record in records:
        time = record.time[11:19]
        match record.kind:
            case "begun":
                found.append(LogEntry(time, 0, f"executor started: {record.purpose}", "title"))
            case "sampled":
                pass
            case "step":
                found.append(LogEntry(time, record.step, record.text, "strong"))
            case "intent":
                found.append(LogEntry(time, record.step, _short(record, named), "text", record.output, record.argv))
            case "result":
                code = record.exit or 0
                text = f"{f'exit {code}: ' if code else ''}{_short(record, named)}"
                at = next((at for at in reversed(range(len(found))) if found[at].output == record.output), len(found))
                ended = LogEntry(time, record.step, text, "bad" if code else "text", record.output, record.argv)
                found[at : at + 1] = [ended]
            case "proven" | "cleaned" | "finished":
                found.append(LogEntry(time, record.step, record.text, "good"))
            case "kept":
                found.append(LogEntry(time, record.step, f"kept: {record.text}", "warn"))
            case "paused" | "waiting" | "progress" | "stopped":
                found.append(LogEntry(time, record.step, record.text, "warn"))
            case "failed":
                found.append(LogEntry(time, record.step, f"FAILED: {record.text}", "bad"))
    return found


def entry_line(entry: LogEntry) -> Line:
    """One line of the log."""
    step = f"{entry.step:>3}" if entry.step else "   "
    return (Span(f"{entry.time} ", "muted"), Span(f"{step}  ", "muted"), Span(entry.text, entry.tone))


def _short(record: Record, named: Mapping[str, str]) -> str:
    if record.file is not None:
        return f"writes {record.file}"
    return " ".join(named.get(word) or quote(word) for word in record.argv)
