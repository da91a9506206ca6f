"""Text of a finished benchmark: comparison with the prediction, loss per layer, survey table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median

from raidtui.model.bench import BenchResult, Compared, Job, Verdict
from raidtui.model.by_key import by_key
from raidtui.model.safe import safe
from raidtui.planner.amounts import amount
from raidtui.planner.measurement.compare import compare_result, disk_location
from raidtui.planner.measurement.layer_loss import layer_loss_lines, layer_loss_sentence, layer_steps
from raidtui.planner.measurement.survey import survey_comparison_lines, survey_lines, survey_rows
from raidtui.planner.text.findings import paragraph

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
