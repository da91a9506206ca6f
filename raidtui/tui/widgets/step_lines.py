"""Steps of a run as lines: state, number, title, commands done, time. Nothing here draws."""

from __future__ import annotations

from raidtui.model.plan import Step
from raidtui.model.run import RunPurpose, StepProgress, StepState
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Mark, Span, Tone, fit, risk_mark

_COUNT, _TOOK = 11, 9
"""widths of the command count and of a step's duration"""


def step_mark(
    state: StepState, glyphs: Glyphs, *, purpose: RunPurpose, busy: bool, held: bool = False, undone: bool = False
) -> Mark:
    """Mark of a step's state. `busy`: an executor runs; `held`: it is paused or waits; `undone`: it was undone."""
    match state:
        case "done":
            return Mark(glyphs.good, "done", "good")
        case "failed":
            return Mark(glyphs.failed, "FAILED", "bad")
        case "running" if not busy:
            return Mark(glyphs.alert, "partly", "warn")
        case "running" if held:
            return Mark(glyphs.alert, "waits", "warn")
        case "running":
            return Mark(glyphs.shut, "undoes" if purpose == "undo" else "runs", "title")
        case "waiting" if undone:
            return Mark(glyphs.out, "undone", "muted")
        case "waiting":
            return Mark(glyphs.hole, "to do", "muted")


def step_line(step: Step, progress: StepProgress, mark: Mark, width: int, number: int, glyphs: Glyphs) -> Line:
    """One step: state, number, title; disks erased or commands done; duration."""
    tone: Tone = "strong" if progress.state == "running" else "muted" if progress.state == "waiting" else "text"
    total = len(step.actions)
    if progress.state in ("running", "failed") and total:
        count = Span(f"{f'{progress.actions_done} of {total}':>{_COUNT}}", tone)
    elif progress.state == "waiting" and step.destroys:
        risk = risk_mark(step.risk, glyphs)
        count = Span(f"{f'{risk.word} {len(step.destroys)}':>{_COUNT}}", risk.tone)
    else:
        count = Span("")
    took = clock(progress.seconds) if progress.seconds >= 1 and progress.state != "waiting" else ""
    time = Span(f"{took:>{_TOOK + 1}}" if took or count.text else "", "muted")
    title = max(width - 11 - number - 1 - len(count.text) - len(time.text), 8)
    return (
        Span(f"{mark.glyph} {mark.word:<6} ", mark.tone),
        Span(f"{step.number:>{number}}  ", "muted"),
        Span(fit(step.title, title, glyphs) + " ", tone),
        count,
        time,
    )


def clock(seconds: float) -> str:
    """`38 s`, `4:05 min`, `5:51 h`, `1 d 00:12`."""
    whole = int(seconds)
    if whole < 100:
        return f"{whole} s"
    minutes, hour = whole // 60, whole // 3600
    if hour < 1:
        return f"{minutes}:{whole % 60:02d} min"
    if hour < 24:
        return f"{hour}:{minutes % 60:02d} h"
    return f"{hour // 24} d {hour % 24:02d}:{minutes % 60:02d}"
