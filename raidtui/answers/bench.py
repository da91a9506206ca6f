"""A benchmark: its estimate and its progress as lines, its result as blocks."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Literal

from raidtui.answers.plain_text import columns
from raidtui.bench.compare import (
    compare_result,
    disk_location,
    survey_comparison_lines,
    survey_lines,
    survey_rows,
)
from raidtui.bench.expected import Expected
from raidtui.bench.layer_loss import layer_loss_sentence, layer_steps
from raidtui.bench.plan import writes_of
from raidtui.machine.gauges.slow_disks import Laggard
from raidtui.values.amounts import amount, percent, ratio_band
from raidtui.values.bench import Bench, BenchResult, Compared, Figure, Job, Label, Profile, Task, Verdict
from raidtui.values.blocks import Block, BlockTone, Cell, Grid, Heading, Item, Items, Listing, Pairs, Paragraph, cells
from raidtui.values.codec import by_key
from raidtui.values.gauges import Scene
from raidtui.values.location import short_slot
from raidtui.values.safe import safe
from raidtui.values.speed import Limit
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


# A finished benchmark as blocks: comparison with the prediction, rates of disks, loss per layer, survey, outcome.


_MANY = 4
_FEW = 6
_APART = 0.1
VERDICT_TONES: dict[Verdict, BlockTone] = {"ok": "good", "low": "bad", "high": "warn"}
"""of verdicts; any other is quiet"""
_BOTH: tuple[Literal["read", "write"], ...] = ("read", "write")


def result_blocks(result: BenchResult, folder: str) -> tuple[Block, ...]:
    """What was measured, then the outcome and the location of the result."""
    done = sum(len(figure.repeats) >= _repeats(result.bench, figure) for figure in result.figures)
    ended = f"{result.outcome}: {done} of {len(result.bench.tasks)} figures; saved in {folder}"
    blocks: list[Block] = [*measured_blocks(result, labelled=True), Heading(text=ended)]
    again = not (result.bench.simulated or writes_of(result.bench.tasks))
    if result.outcome in ("stopped", "failed", "interrupted") and again:
        name = result.bench.id[:8] if folder.endswith(f"/{result.bench.id}") else shlex.quote(folder)
        blocks.append(Paragraph(text=f"raidtui bench --resume {name} continues it"))
    return tuple(blocks)


def measured_blocks(result: BenchResult, *, labelled: bool = False) -> tuple[Block, ...]:
    """Which benchmark it was, and its figures. `labelled`: each of its lines is shown behind the label SIMULATED."""
    bench = result.bench
    told = f"{'' if labelled else 'SIMULATED: '}these figures come from the model, no disk was accessed"
    of = f" of {bench.layout}" if bench.layout else ""
    head = f"{bench.profile}{of} on {bench.host}, {bench.started}, {result.outcome}"
    rows = compare_result(result)
    return (
        *((Paragraph(text=told, tone="warn"),) if bench.simulated else ()), Paragraph(text=head),
        *((Paragraph(text=result.reason),) if result.reason else ()),
        *comparison_blocks(rows, alike_of(result)), *_disk_rates(result),
        *loss_blocks(result), *survey_blocks(result),
    )  # fmt: skip


def _disk_rates(result: BenchResult) -> tuple[Grid, ...]:
    """For each test of several block devices: the rate of each disk from the gauges, and their sum.

    Of many disks only the slowest, the median and the fastest are shown.
    """
    known = {disk.id: disk for disk in result.bench.disks}
    tasks = {task.number: task for task in result.bench.tasks}
    found = []
    for figure in result.figures:
        task = tasks.get(figure.task)
        if task is None or figure.seen is None:
            continue
        writes = not task.job.only_reads
        rates = figure.seen.disk_write_bytes_per_s if writes else figure.seen.disk_read_bytes_per_s
        if not rates:
            continue
        rows = [(disk_location(known[each]) if each in known else each, value) for each, value in rates.items()]
        if len(rows) > _FEW:
            ordered = sorted(rows, key=lambda row: row[1])
            rows = [(f"slowest: {ordered[0][0]}", ordered[0][1]), (f"fastest: {ordered[-1][0]}", ordered[-1][1])]
            rows.insert(1, (f"median of {len(rates)}", median(rates.values())))
        rows.append(("sum", sum(rates.values())))
        way = "write" if writes else "read"
        found += [cells(str(figure.task), way, safe(name, longest=48), f"{value / 1e6:.2f}") for name, value in rows]
    columns = ("#", "", "rate of each disk, from the gauges (MB/s)", "")
    return (Grid(columns=columns, rows=tuple(found), right=frozenset((0, 3))),) if found else ()


def loss_blocks(result: BenchResult) -> Iterator[Block]:
    """Loss per layer, if at least two layers were measured."""
    for pattern in _BOTH:
        rungs = layer_steps(result, pattern)
        if len(rungs) < 2:
            continue
        yield Heading(text=f"Where speed is lost, {pattern}", level=3)
        yield Grid(
            columns=("layer", "rate", "kept", "of", "reason"),
            rows=tuple(
                (
                    *cells(rung.name, amount(rung.bytes_per_s, "B/s")),
                    *cells(percent(rung.kept) if rung.kept is not None else "-", rung.below or "-"),
                    Cell(text=rung.reason or "-", tone="quiet"),
                )
                for rung in rungs
            ),
            right=frozenset((1, 2)),
        )
        if sentence := layer_loss_sentence(rungs):
            yield Paragraph(text=sentence)


def survey_blocks(result: BenchResult) -> Iterator[Block]:
    """The survey in sgpdd-survey's format, and its comparison."""
    if rows := survey_rows(result):
        yield Listing(lines=survey_comparison_lines(rows), title="Survey, measured and predicted (MB is MiB)")
        yield Listing(lines=survey_lines(rows), title="Survey in the format of sgpdd-survey (MB is MiB)")


def on_each_disk(tasks: Iterable[Task], least: int) -> list[list[Task]]:
    """The tasks of each job that runs on `least` single disks or more."""
    found = by_key((task.job.name, task) for task in tasks if task.target.kind == "disk")
    return [each for each in found.values() if len(each) >= least]


def alike_of(result: BenchResult) -> dict[int, Job]:
    """Task number to job for jobs that run on many single disks: their rows are merged into one."""
    return {task.number: task.job for each in on_each_disk(result.bench.tasks, _MANY) for task in each}


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
            name = f"{len(plain)} disks: {job.title}"
            ratio = value / row.predicted if row.predicted else None
            shown.append(
                (ranges([other.task for other in plain]), replace(row, name=name, measured=value, ratio=ratio))
            )
    return shown


def comparison_blocks(rows: Sequence[Compared], alike: Mapping[int, Job] = {}) -> tuple[Block, ...]:
    """The comparison table, and below it notes on its rows by number. `alike`: see `alike_of`."""
    if not rows:
        return (Paragraph(text="nothing was measured"),)
    grid = Grid(
        columns=("test", "predicted", "measured", "ratio", "band", "verdict"),
        rows=tuple(_row(numbers, row) for numbers, row in _folded(rows, alike)),
        right=frozenset((1, 2, 3, 4)), optional=(4,),
    )  # fmt: skip
    by_text = by_key((text, row.task) for row in rows for text in (_limit_note(row), *row.note) if text and row.task)
    notes = tuple(Item(mark=ranges(numbers), text=text, tone="quiet") for text, numbers in by_text.items())
    return (grid, Items(items=notes)) if notes else (grid,)


def ranges(numbers: Sequence[int]) -> str:
    """`1-3, 7`: ascending numbers as ranges."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)


def _row(numbers: str, row: Compared) -> tuple[Cell, ...]:
    return (
        *cells(
            f"{numbers} {row.name}".strip(), "-" if row.predicted is None else amount(row.predicted, row.unit),
            amount(row.measured, row.unit), "-" if row.ratio is None else f"{row.ratio:.2f}",
            ratio_band(row.predicted, row.low, row.high) or "-",
        ),
        verdict_cell(row.verdict),
    )  # fmt: skip


def verdict_cell(verdict: Verdict) -> Cell:
    """The verdict, in capitals where it is below its band."""
    return Cell(text="LOW" if verdict == "low" else verdict, tone=VERDICT_TONES.get(verdict, "quiet"))


def _limit_note(row: Compared) -> str:
    found = limit_text(row.limit_seen, row.limit_predicted)
    return f"limit: {found}" if found else ""


def limit_text(seen: Limit, predicted: Limit) -> str:
    """The observed limit and whether it was predicted; empty if neither is known."""
    if not seen.known:
        return f"unknown; predicted {predicted}" if predicted.known else ""
    if not predicted.known:
        return str(seen)
    return f"{seen}, as predicted" if seen.agrees_with(predicted) else f"{seen}; predicted {predicted}"


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


# One test of a benchmark in full, and what its results point at.


def disk_words(scene: Scene, identity: str) -> str:
    """`d1s07 ZVT0A2K1`: slot and serial of a disk, by identity or kernel name, to find the disk in the chassis."""
    disk = next((each for each in scene.disks if identity in (each.id, each.name)), None)
    if disk is None:
        return identity
    return " ".join(part for part in (short_slot(disk.slot), disk.serial or disk.name or disk.id) if part)


def task_blocks(
    tasks: Sequence[Task], result: BenchResult, compared: Mapping[int, Compared], predicted: Expected | None,
    trouble: Mapping[int, str], scene: Scene,
) -> tuple[Block, ...]:  # fmt: skip
    """A test: load, verdict, prediction, limits, repeats; of one on each disk in turn the figure of each.

    `tasks`: those of the test, at least one. `compared` and `trouble`, why there is no figure, by number of the task.
    """
    load = Paragraph(text=job_words(tasks[0].job), tone="quiet")
    if len(tasks) > 1:
        rows = tuple(_in_turn(task, compared.get(task.number), trouble.get(task.number, "")) for task in tasks)
        return load, Grid(columns=("disk", "measured", "ratio", "verdict"), rows=rows, right=frozenset((1, 2)))
    number = tasks[0].number
    figure = next((each for each in result.figures if each.task == number), None)
    found = compared.get(number)
    blocks: list[Block] = [load]
    if found is not None:
        cell = verdict_cell(found.verdict)
        ratio = "-" if found.ratio is None else f"{found.ratio:.2f}"
        text = "; ".join(filter(None, (f"ratio {ratio}", str(found.note))))
        blocks.append(Items(items=(Item(mark=cell.text, text=text, tone=cell.tone),)))
    blocks.append(Pairs(pairs=tuple(_facts(figure, found, predicted, scene))))
    if number in trouble:
        blocks.append(Paragraph(text=trouble[number], tone="bad"))
    return (*blocks, *(_repeat_blocks(figure) if figure is not None else ()))


def _in_turn(task: Task, found: Compared | None, trouble: str) -> tuple[Cell, ...]:
    if found is None:
        return (*cells(task.target.name, "-", "-"), Cell(text=trouble or "not measured", tone="quiet"))
    ratio = "-" if found.ratio is None else f"{found.ratio:.2f}"
    last = replace(verdict_cell(found.verdict), signed=True)
    return (*cells(task.target.name, amount(found.measured, found.unit), ratio), last)


def _facts(
    figure: Figure | None, found: Compared | None, predicted: Expected | None, scene: Scene
) -> Iterator[tuple[str, str]]:
    if predicted is not None:
        ends = f"{amount(predicted.low, predicted.unit)} to {amount(predicted.high, predicted.unit)}"
        yield "predicted", f"{amount(predicted.value, predicted.unit)}, band {ends}"
        yield "limit predicted", str(predicted.limit)
        if predicted.notes:
            yield "based on", "; ".join(predicted.notes)
    if figure is not None:
        count = len(figure.repeats)
        yield "measured", f"{amount(figure.median, figure.unit)}, {count} repeats, spread {percent(figure.spread)}"
    if found is not None and (band := ratio_band(found.predicted, found.low, found.high)):
        yield "band of the ratio", band
    if figure is not None and figure.seen is not None:
        limit = found.limit_seen if found is not None else figure.seen.limit
        yield "limit seen", f"{str(limit) or 'unknown'}: {figure.seen.reason}"
        for each in figure.seen.slow_disks:
            yield "slow disk", disk_words(scene, each)
        if figure.seen.write_reads_share is not None:
            yield "verified", f"{percent(figure.seen.write_reads_share)} of the data written"


def _repeat_blocks(figure: Figure) -> Iterator[Block]:
    rows = []
    for number, repeat in enumerate(figure.repeats, 1):
        latency = repeat.latency
        times = (latency.p50_ms, latency.p99_ms, latency.max_ms) if latency is not None else ()
        rows.append(
            (
                *cells(str(number), amount(repeat.value, figure.unit)),
                *cells(*([f"{each:.2f}" for each in times] or ["-"] * 3)),
                Cell(text=str(repeat.errors), tone="bad" if repeat.errors else ""),
            )
        )
    columns = ("repeat", "figure", "p50 ms", "p99 ms", "max ms", "errors")
    yield Grid(columns=columns, rows=tuple(rows), right=frozenset(range(1, 6)), optional=(2, 4))
    if figure.labels:
        yield Items(items=tuple(Item(mark=each, text=LABELS[each], tone="warn") for each in figure.labels))


def bench_findings(
    result: BenchResult, compared: Iterable[Compared], *, trouble: Iterable[str] = (), laggards: Iterable[Laggard] = (),
    scene: Scene, looked: bool = True,
) -> tuple[Items]:  # fmt: skip
    """What is wrong with disks and figures, the gravest first; else that nothing is.

    `trouble`: why tests have no figure; `laggards`: disks that are slow now; `looked`: gauges were read.
    """
    items = [Item(mark="", text=text, tone="bad") for text in trouble]
    items += [Item(mark="", text=text, tone="warn") for text in (*_slow(result, laggards, scene), *_low(compared))]
    counts = Counter(label for figure in result.figures for label in figure.labels if label != "simulated")
    items += [
        Item(mark="", text=f"{counted(count, 'result')}: {LABELS[label]}", tone="quiet")
        for label, count in counts.items()
    ]
    none = Item(mark="", text="no disk is slower than its group" if looked else "none yet", tone="good")
    return (Items(items=tuple(items) or (none,)),)


def _slow(result: BenchResult, laggards: Iterable[Laggard], scene: Scene) -> Iterable[str]:
    """Disks slower than their group: those slow now, then those named in results."""
    ids = {disk.name: disk.id for disk in scene.disks}
    found = {ids.get(each.name, each.name): each.sentence(disk_words(scene, each.name), scene) for each in laggards}
    tasks = {task.number: task for task in result.bench.tasks}
    for figure in result.figures:
        for identity in figure.seen.slow_disks if figure.seen is not None else ():
            title = tasks[figure.task].job.title
            text = f"{disk_words(scene, identity)}: slower than its group in {title}: check its health first"
            found.setdefault(identity, text)
    return found.values()


def _low(compared: Iterable[Compared]) -> Iterator[str]:
    for each in compared:
        if each.verdict == "low" and each.predicted is not None and each.low is not None:
            seen = f"; limit seen: {each.limit_seen}" if each.limit_seen.known else ""
            least = amount(each.low, each.unit)
            yield f"{each.name}: {amount(each.measured, each.unit)} is below the band, which starts at {least}{seen}"
