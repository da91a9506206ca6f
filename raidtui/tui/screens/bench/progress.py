"""Progress of a benchmark in one line, and its status line. Nothing here draws."""

from __future__ import annotations

from raidtui.model.safe import safe
from raidtui.planner.text.bench import duration
from raidtui.tui.jobs.bench_rows import name_of
from raidtui.tui.jobs.bench_view import BenchView
from raidtui.tui.screens.bench.words import clock
from raidtui.tui.terminal.text import Line, Span

_PHASES = {"fill": "filling files", "precondition": "preconditioning drives"}


def progress(seen: BenchView) -> str:
    """`test 3 of 8: file-read, /srv/data, repeat 2 of 3, 0:41 of 0:35`; after the end, the outcome."""
    task = seen.task
    if not seen.busy:
        return seen.outcome
    if task is None:
        return "begins"
    gone = max((seen.tick.time if seen.tick is not None else seen.phase_began) - seen.phase_began, 0.0)
    if seen.waits_for:
        tail = f"waiting: {safe(seen.waits_for)}"
    elif seen.phase == "repeat":
        tail = f"repeat {seen.repeat} of {task.job.repeats}, {clock(gone)} of {clock(seen.phase_seconds)}"
    else:
        tail = f"{_PHASES[seen.phase]}, {clock(gone)}" if seen.phase in _PHASES else "preparing"
    return f"test {task.number} of {len(seen.bench.tasks)}: {safe(name_of((task,), short=True))}, {tail}"


def status_line(seen: BenchView) -> Line:
    """The default text of the note line."""
    left = sum(
        task.seconds for task in seen.bench.tasks if task.number >= (seen.task.number if seen.task is not None else 0)
    )
    spans = [Span(f"bench {seen.folder.name[:8]}", "strong"), Span(f" {seen.bench.profile}", "text")]
    if seen.bench.simulated:
        spans.append(Span(" SIMULATED", "title"))
    if seen.paused:
        spans.append(Span("  PAUSED: p continues", "warn"))
    elif seen.busy:
        spans.append(Span(f"  about {duration(left)} left", "muted"))
    elif not seen.busy:
        spans.append(Span("  7 shows the report, b starts a new bench", "muted"))
    return tuple(spans)
