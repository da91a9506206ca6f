"""Text of a benchmark: its estimate, its figures line by line, its outcome."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence

from raidtui.model.bench import Bench, BenchResult, Figure, Profile
from raidtui.model.safe import safe
from raidtui.model.units import binary_size
from raidtui.planner.amounts import amount, percent
from raidtui.planner.measurement.bench_plan import writes_of
from raidtui.planner.text.summary import columns


def duration(seconds: float) -> str:
    """`45 s`, `12 min`, `3 h 05 min`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02d} min"


def profiles_table(profiles: Iterable[Profile]) -> list[str]:
    """One line per profile."""
    rows = [(safe(each.name), str(len(each.jobs)), safe(each.title)) for each in profiles]
    return columns([("PROFILE", "JOBS", "WHAT IT MEASURES"), *rows], right=(1,))


def estimate_lines(bench: Bench, seconds: float, bytes_used: int) -> list[str]:
    """The tasks, one per line, and the total time and space."""
    lines = [f"profile {safe(bench.profile)}: {len(bench.tasks)} figures"]
    names = _names(bench)
    lines += [
        f"  {task.number:>3}  {names[task.number]} {task.job.repeats} x {task.job.seconds:g} s" for task in bench.tasks
    ]
    room = f", up to {binary_size(bytes_used)} on the target while it runs" if bytes_used else ""
    lines.append(f"takes about {duration(seconds)}{room}; all files are removed afterwards")
    return lines


def figure_line(bench: Bench, figure: Figure) -> str:
    """`3  file-read on /srv/data  1.2 GB/s +-2 %  [short]`."""
    task = next(task for task in bench.tasks if task.number == figure.task)
    labels = f"  [{', '.join(figure.labels)}]" if figure.labels else ""
    spread = f"  spread {percent(figure.spread)}" if len(figure.repeats) > 1 else ""
    seen = f"  limit observed: {safe(str(figure.seen.limit))}" if figure.seen and figure.seen.limit.known else ""
    name = _names(bench)[task.number]
    return f"{task.number:>3}  {name} {amount(figure.median, figure.unit):>12}{spread}{labels}{seen}"


def result_lines(result: BenchResult, folder: str) -> list[str]:
    """Outcome and location of the result."""
    done = sum(len(figure.repeats) >= _repeats(result.bench, figure) for figure in result.figures)
    lines = [f"{result.outcome}: {done} of {len(result.bench.tasks)} figures; saved in {safe(folder)}"]
    again = not (result.bench.simulated or writes_of(result.bench.tasks))
    if result.outcome in ("stopped", "failed", "interrupted") and again:
        name = result.bench.id[:8] if folder.endswith(f"/{result.bench.id}") else safe(shlex.quote(folder))
        lines.append(f"  raidtui bench --resume {name} continues it")
    return lines


def benches_table(results: Sequence[BenchResult]) -> list[str]:
    """One line per saved benchmark; those of simulated machines begin with the word."""
    rows = [
        (
            "SIMULATED" if each.bench.simulated else "", each.bench.id[:8], each.bench.started,
            safe(each.bench.host, longest=20), safe(each.bench.profile), each.outcome,
            f"{len(each.figures)} of {len(each.bench.tasks)}",
        )
        for each in results
    ]  # fmt: skip
    return (
        columns([("", "BENCH", "STARTED", "HOST", "PROFILE", "OUTCOME", "FIGURES"), *rows], right=(6,)) if rows else []
    )


def command_line(argv: Sequence[str], folder: str = "") -> str:
    """A command as shell text, with the directory it is started in."""
    words = safe(" ".join(shlex.quote(word) for word in argv))
    return f"cd {safe(shlex.quote(folder))} && {words}" if folder else words


def _names(bench: Bench) -> Mapping[int, str]:
    """Job and target of each task by its number, all as wide as the longest."""
    names = {each.number: f"{safe(each.job.name)} on {safe(each.target.name, longest=40)}" for each in bench.tasks}
    wide = max(map(len, names.values()), default=0)
    return {number: f"{name:<{wide}}" for number, name in names.items()}


def _repeats(bench: Bench, figure: Figure) -> int:
    return next(task.job.repeats for task in bench.tasks if task.number == figure.task)
