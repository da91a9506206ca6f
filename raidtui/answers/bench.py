"""Text of a benchmark: its estimate, its figures line by line, its outcome."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import median

from raidtui.answers.findings import columns, paragraph
from raidtui.bench.compare import compare_result, disk_location, survey_comparison_lines, survey_lines, survey_rows
from raidtui.bench.layer_loss import layer_loss_lines, layer_loss_sentence, layer_steps
from raidtui.bench.plan import writes_of
from raidtui.values.amounts import amount, percent
from raidtui.values.bench import Bench, BenchResult, Compared, Figure, Job, Label, Profile, Task, Verdict
from raidtui.values.codec import by_key
from raidtui.values.safe import safe
from raidtui.values.units import binary_size, counted, exact_binary


def duration(seconds: float) -> str:
    """`45 s`, `12 min`, `3 h 05 min`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02d} min"


def progress_words(bench: Bench, task: Task | None, began: float, now: float) -> str:
    """`42 %, about 66 s left`, by the times that its tests are expected to take; `task` runs since `began`."""
    whole = sum(each.seconds for each in bench.tasks)
    left = whole if task is None else sum(each.seconds for each in bench.tasks if each.number > task.number)
    if task is not None:
        left += max(task.seconds - max(now - began, 0.0), 0.0)
    return f"{percent(1 - left / whole if whole else 0.0)}, about {duration(left)} left"


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


# Text of a finished benchmark: comparison with the prediction, loss per layer, survey table.


WIDTH = 80
_NAME = 30
_MANY = 4
_FEW = 6
_APART = 0.1
_VERDICTS = {
    "ok": "ok",
    "low": "LOW",
    "high": "HIGH",
    "not judged": "n/j",
    "no prediction": "-",
    "not comparable": "n/c",
}


def measured_lines(result: BenchResult, *, bands: bool = True) -> tuple[str, ...]:
    """The whole text, at most 80 columns except for the survey's lines, which have sgpdd-survey's format.

    `bands`: see `comparison_lines`.
    """
    lines = [*_head(result), *comparison_lines(compare_result(result), alike_of(result), bands=bands)]
    disks = disk_lines(result)
    lines += ["", *disks] if disks else []
    rungs = layer_steps(result)
    if len(rungs) > 1:
        lines += ["", *layer_loss_lines(rungs)]
        sentence = layer_loss_sentence(rungs)
        lines += paragraph(sentence, WIDTH, first="", rest="") if sentence else []
    survey = survey_rows(result)
    if survey:
        lines += [
            "",
            "survey, measured and predicted (MB/s is MiB/s, as in sgpdd-survey)",
            *survey_comparison_lines(survey),
        ]
        lines += ["", *survey_lines(survey)]
    return tuple(lines)


def disk_lines(result: BenchResult) -> tuple[str, ...]:
    """For each test of several block devices: the rate of each disk from the gauges, and their sum.

    Of many disks only the slowest, the median and the fastest are shown.
    """
    known = {disk.id: disk for disk in result.bench.disks}
    tasks = {task.number: task for task in result.bench.tasks}
    lines = []
    for figure in result.figures:
        task = tasks.get(figure.task)
        if task is None or figure.seen is None:
            continue
        writes = not task.job.only_reads
        rates = figure.seen.disk_write_bytes_per_s if writes else figure.seen.disk_read_bytes_per_s
        if not rates:
            continue
        names = {each: disk_location(known[each]) if each in known else safe(each) for each in rates}
        rows = [(names[each], value) for each, value in rates.items()]
        if len(rows) > _FEW:
            ordered = sorted(rows, key=lambda row: row[1])
            rows = [(f"slowest: {ordered[0][0]}", ordered[0][1]), (f"fastest: {ordered[-1][0]}", ordered[-1][1])]
            rows.insert(1, (f"median of {len(rates)}", median(rates.values())))
        rows.append(("sum", sum(rates.values())))
        way = "write" if writes else "read"
        lines += [f"{figure.task:>3} {way:<5} {safe(name, longest=48):<48} {value / 1e6:>9.2f}" for name, value in rows]
    return ("rate of each disk, from the gauges (MB/s)", *lines) if lines else ()


def _head(result: BenchResult) -> list[str]:
    bench = result.bench
    lines = ["SIMULATED: these figures come from the model, no disk was accessed"] if bench.simulated else []
    of = f" of {bench.layout}" if bench.layout else ""
    lines.append(f"{safe(bench.profile)}{of} on {safe(bench.host)}, {safe(bench.started)}, {result.outcome}")
    if result.reason:
        lines += paragraph(safe(result.reason), WIDTH)
    return [*lines, ""]


def alike_of(result: BenchResult) -> dict[int, Job]:
    """Task number to job for jobs that run on many single disks: their rows are merged into one."""
    alone = {task.number: task.job for task in result.bench.tasks if task.target.kind == "disk"}
    counts = Counter(job.name for job in alone.values())
    return {number: job for number, job in alone.items() if counts[job.name] >= _MANY}


def _folded(rows: Sequence[Compared], alike: Mapping[int, Job]) -> list[tuple[str, Compared]]:
    """(numbers, row): similar disks merged into one row, deviating ones separate."""
    shown: list[tuple[str, Compared]] = []
    for row in rows:
        job = alike.get(row.task)
        if job is None:
            shown.append((str(row.task) if row.task else "", row))
            continue
        group = [other for other in rows if other.task in alike and alike[other.task].name == job.name]
        middle = median(other.measured for other in group)
        plain = [other for other in group if other.verdict == "ok" and abs(other.measured - middle) <= _APART * middle]
        if row not in plain or len(plain) < _MANY:
            shown.append((str(row.task), row))
        elif row is plain[0]:
            value = median(other.measured for other in plain)
            name = f"{len(plain)} disks: {safe(job.title)}"
            ratio = value / row.predicted if row.predicted else None
            shown.append(
                (ranges([other.task for other in plain]), replace(row, name=name, measured=value, ratio=ratio))
            )
    return shown


def comparison_lines(rows: Sequence[Compared], alike: Mapping[int, Job] = {}, *, bands: bool = True) -> tuple[str, ...]:
    """The comparison table, and below it notes on its rows by number. `alike`: see `alike_of`.

    Without the column `bands` it is ten columns narrower.
    """
    if not rows:
        return ("nothing was measured",)
    head = (
        f"{'test':<{_NAME}} {'predicted':>11} {'measured':>11} {'ratio':>5}{' ' * 6 + 'band' if bands else ''} verdict"
    )
    lines = [head, "-" * (WIDTH if bands else len(head))]
    lines += [_row(numbers, row, bands=bands) for numbers, row in _folded(rows, alike)]
    notes = _gathered(rows)
    return (*lines, *(["", *notes] if notes else []))


def _gathered(rows: Sequence[Compared]) -> list[str]:
    """Limits and notes, each once with the numbers of its rows."""
    rows_by_text = by_key(
        (safe(text), row.task) for row in rows for text in (_limits(row), *row.note) if text and row.task
    )
    lines: list[str] = []
    for text, numbers in rows_by_text.items():
        lines += paragraph(f"{ranges(numbers)}: {text}", WIDTH, rest="      ")
    return lines


def ranges(numbers: Sequence[int]) -> str:
    """`1-3, 7`: ascending numbers as ranges."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)


def _row(numbers: str, row: Compared, *, bands: bool) -> str:
    name = safe(f"{numbers} {row.name}".strip(), longest=_NAME)
    predicted = "-" if row.predicted is None else amount(row.predicted, row.unit)
    ratio = "-" if row.ratio is None else f"{row.ratio:.2f}"
    tail = f"{band(row):>9} {verdict_word(row.verdict)}" if bands else verdict_word(row.verdict)
    return f"{name:<{_NAME}} {predicted:>11} {amount(row.measured, row.unit):>11} {ratio:>5} {tail}"


def verdict_word(verdict: Verdict) -> str:
    """`ok`, `LOW`, `HIGH`, `n/j` (not judged), `n/c` (not comparable) or `-`."""
    return _VERDICTS[verdict]


def band(row: Compared) -> str:
    """`0.59-1.30`: the band relative to the prediction; `exact` if it has no width."""
    if not row.predicted or row.low is None or row.high is None:
        return "-"
    low, high = row.low / row.predicted, row.high / row.predicted
    return "exact" if low == high else f"{low:.2f}-{high:.2f}"


def _limits(row: Compared) -> str:
    if not row.limit_predicted.known and not row.limit_seen.known:
        return ""
    if row.limit_seen.agrees_with(row.limit_predicted):
        return f"limit: {safe(str(row.limit_seen))}, as predicted"
    predicted = safe(str(row.limit_predicted)) or "none"
    return f"limit: predicted {predicted}, observed {safe(str(row.limit_seen)) or 'unknown'}"


# Text of jobs, tasks and the labels of their figures.


LABELS: dict[Label, str] = {
    "short": "ran for less than 30 s",
    "syncing": "was measured during a resync, recovery or check",
    "degraded": "was measured with a missing member",
    "partial": "stopped early",
    "cached": "may include reads from a cache",
    "disturbed": "was measured while other programs used the disks",
    "simulated": "comes from the model, no disk was accessed",
}
"""label to a predicate for a sentence about a figure"""


def task_name(task: Task) -> str:
    """`JOB on TARGET`."""
    return f"{task.job.title or task.job.name} on {task.target.name or task.target.kind}"


def job_words(job: Job) -> str:
    """`read, 1 MiB records, 8 streams, depth 4, direct`: the parameters of a job."""
    parts = [job.pattern, f"{exact_binary(job.block_bytes)} {'files' if job.pattern == 'small-files' else 'records'}"]
    parts.append(counted(job.streams, "stream"))
    if job.depth != 1:
        parts.append(f"depth {job.depth}")
    if job.regions != 1:
        parts.append(f"{job.regions} regions")
    if job.pattern == "randrw":
        parts.append(f"{percent(job.read_share)} reads")
    if job.sync_each:
        parts.append("fdatasync after each write")
    parts.append("direct" if job.direct else "buffered")
    return ", ".join(parts)
