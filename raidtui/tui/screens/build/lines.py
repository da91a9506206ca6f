"""A run in words: its steps, what runs now, its log. Values in, lines out; nothing here draws or reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from raidtui.model.plan import Step
from raidtui.model.run import Record, StepProgress
from raidtui.planner.text.run import kept
from raidtui.planner.text.shell_quote import quote, render
from raidtui.tui.jobs.run_view import RunView
from raidtui.tui.screens.build.array_lines import clock
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Mark, Span, Tone, fit, line, risk_mark, wrapped

_COUNT, _TOOK = 11, 9
"""cells for commands done and for the time a step took"""


class Entry(NamedTuple):
    """One line of the log."""

    time: str
    """UTC, HH:MM:SS"""
    step: int
    text: str
    tone: Tone = "text"
    output: str = ""
    """file with what the command said"""
    argv: tuple[str, ...] = ()
    """the command itself; `text` names disks by their slots"""


# Steps.


def taken_back(records: Sequence[Record]) -> frozenset[int]:
    """Steps that an undo has taken back and nothing has made again."""
    found: set[int] = set()
    for record in records:
        if record.kind == "proven":
            (found.add if record.purpose == "undo" else found.discard)(record.step)
    return frozenset(found)


def step_mark(progress: StepProgress, seen: RunView, glyphs: Glyphs, *, undone: bool) -> Mark:
    """How far a step is."""
    match progress.state:
        case "done":
            return Mark(glyphs.good, "done", "good")
        case "failed":
            return Mark(glyphs.failed, "FAILED", "bad")
        case "running" if not seen.busy:
            return Mark(glyphs.alert, "partly", "warn")
        case "running" if seen.run.now is not None and seen.run.now.kind in ("paused", "waiting"):
            return Mark(glyphs.alert, "waits", "warn")
        case "running":
            return Mark(glyphs.shut, "undoes" if seen.run.purpose == "undo" else "runs", "title")
        case "waiting" if undone:
            return Mark(glyphs.out, "undone", "muted")
        case "waiting":
            return Mark(glyphs.hole, "to do", "muted")


def step_line(step: Step, progress: StepProgress, mark: Mark, width: int, number: int, glyphs: Glyphs) -> Line:
    """One step: state, number, title; what it erases, or how far it is; the time it took."""
    title = max(width - 11 - number - _COUNT - 2 - _TOOK, 8)
    tone: Tone = "strong" if progress.state == "running" else "muted" if progress.state == "waiting" else "text"
    total = len(step.actions)
    if progress.state in ("running", "failed") and total:
        count = Span(f"{f'{progress.actions_done} of {total}':>{_COUNT}}", tone)
    elif progress.state == "waiting" and step.destroys:
        risk = risk_mark(step.risk, glyphs)
        count = Span(f"{f'{risk.word} {len(step.destroys)}':>{_COUNT}}", risk.tone)
    else:
        count = Span(" " * _COUNT)
    took = clock(progress.seconds) if progress.seconds >= 1 and progress.state != "waiting" else ""
    return (
        Span(f"{mark.glyph} {mark.word:<6} ", mark.tone),
        Span(f"{step.number:>{number}}  ", "muted"),
        Span(fit(step.title, title, glyphs) + " ", tone),
        count,
        Span(f"{took:>{_TOOK + 1}}", "muted"),
    )


# What runs now.


def headline(seen: RunView) -> Mark:
    """The state of the whole run in a word; the glyph stays empty."""
    if seen.starting:
        return Mark("", "starts", "title")
    undo = seen.run.purpose == "undo"
    match seen.run.outcome:
        case "finished":
            return Mark("", "taken back" if undo else "finished", "good")
        case "failed":
            return Mark("", "FAILED", "bad")
        case "stopped":
            return Mark("", "stopped", "warn")
        case "interrupted":
            return Mark("", "interrupted" if seen.records else "not begun", "warn")
        case "running":
            return Mark("", "taking back" if undo else "building", "title")


def now_lines(seen: RunView, width: int, room: int) -> list[Line]:
    """The command that runs and the end of what it says; how the run ended, where it has."""
    record = seen.run.now
    if seen.problem:
        return [line(row, "bad") for row in wrapped(seen.problem, width)]
    if seen.starting:
        return [line("the executor starts: lock, then everything is checked once more ...", "muted")]
    if record is None or seen.run.outcome != "running":
        return [line(text, tone) for part, tone in _ended(seen) for text in wrapped(part, width)][: max(room, 1)]
    if record.kind in ("paused", "waiting"):
        how = "m goes on during the sync" if record.kind == "waiting" else "p continues"
        return [line(f"step {record.step}: {record.text}; {how}", "warn")]
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
        return [line(f"step {record.step}: {record.text}", "strong"), line("looks before it acts ...", "muted")]
    return [line(record.text or record.kind, "muted")]


def _ended(seen: RunView) -> list[tuple[str, Tone]]:
    run, folder = seen.run, seen.folder
    match run.outcome:
        case "finished" if run.purpose == "undo":
            return [
                ("Taken back: nothing of the plan is left on the disks.", "good"),
                *((f"Kept, because it is not the plan's: {record.text}", "warn") for record in kept(seen.records)),
                ("What was on them before the plan is gone.", "muted"),
            ]
        case "finished":
            places = ", ".join(made.mount_point for made in seen.plan.filesystems) or "the arrays run"
            return [
                (f"Finished: every step is done and read back. {places}", "good"),
                (f"Journal and all output: {folder}", "muted"),
            ]
        case "failed":
            return [(f"Failed: {run.reason}", "bad"), ("Nothing runs. r resumes, U takes it back.", "text")]
        case "stopped":
            return [(f"Stopped: {run.reason}.", "warn"), ("Nothing is half-done. r resumes, U takes it back.", "text")]
        case "interrupted" if not seen.records:
            said = said_lines(seen.said)
            return [("The executor has not begun.", "warn"), *((row, "bad") for row in said[-4:] if row)]
        case _:
            return [
                ("Interrupted: the executor is gone; killed, or the power was cut.", "warn"),
                ("r looks at the disks and goes on from there; U takes it back.", "text"),
            ]


def command_rows(argv: Sequence[str], width: int, most: int) -> list[str]:
    """A command as shell text in at most `most` rows; what is left out is counted."""
    rows = render(argv, width=max(width - 8, 20)).split("\n")
    if len(rows) <= most:
        return rows
    shown = rows[:most]
    left = len(argv) - sum(len(row.removesuffix(" \\").split()) for row in shown)
    shown[-1] = f"{shown[-1].removesuffix(chr(92)).rstrip()} ... {left} more words: l" if left > 0 else shown[-1]
    return shown


def said_lines(said: bytes) -> list[str]:
    """What a command said, as a terminal would have left it; not yet safe."""
    text = said.decode("utf-8", "replace")
    return [_settled(row) for row in text.split("\n") if row.strip()]


def _settled(row: str) -> str:
    """A line with what was written over it: carriage returns and backspaces, as in the counters of mkfs."""
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


def entries(records: Sequence[Record], named: Mapping[str, str]) -> list[Entry]:
    """The journal as a log: a command is one line, with its exit code once it has ended. `named`: disks by path."""
    found: list[Entry] = []
    for record in records:
        time = record.time[11:19]
        match record.kind:
            case "begun":
                found.append(Entry(time, 0, f"an executor takes the run up: {record.purpose}", "title"))
            case "step":
                found.append(Entry(time, record.step, record.text, "strong"))
            case "intent":
                found.append(Entry(time, record.step, _short(record, named), "text", record.output, record.argv))
            case "result":
                code = record.exit or 0
                text = f"{f'exit {code}: ' if code else ''}{_short(record, named)}"
                found[-1:] = [Entry(time, record.step, text, "bad" if code else "text", record.output, record.argv)]
            case "proven" | "cleaned" | "finished":
                found.append(Entry(time, record.step, record.text, "good"))
            case "kept":
                found.append(Entry(time, record.step, f"kept: {record.text}", "warn"))
            case "paused" | "waiting" | "progress" | "stopped":
                found.append(Entry(time, record.step, record.text, "warn"))
            case "failed":
                found.append(Entry(time, record.step, f"FAILED: {record.text}", "bad"))
    return found


def entry_line(entry: Entry) -> Line:
    """One line of the log."""
    step = f"{entry.step:>3}" if entry.step else "   "
    return (Span(f"{entry.time} ", "muted"), Span(f"{step}  ", "muted"), Span(entry.text, entry.tone))


def _short(record: Record, named: Mapping[str, str]) -> str:
    if record.file is not None:
        return f"writes {record.file}"
    return " ".join(named.get(word) or quote(word) for word in record.argv)
