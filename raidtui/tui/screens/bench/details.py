"""Details of one test: repeats, latency, limits, prediction. Nothing here draws."""

from __future__ import annotations

from raidtui.model.bench import Figure, Task
from raidtui.planner.amounts import amount, percent, ratio_band
from raidtui.planner.text.tasks import LABELS, job_words
from raidtui.tui.jobs.bench_rows import BenchRow
from raidtui.tui.jobs.bench_view import BenchView
from raidtui.tui.screens.bench.words import disk_words, ratio, verdict
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Span, line, wrapped
from raidtui.tui.widgets.block_lines import pairs


def details(seen: BenchView, row: BenchRow, width: int, glyphs: Glyphs) -> list[Line]:
    """The details of a row; for disks read in turn one line each."""
    first = row.tasks[0]
    lines = [line(each, "muted") for each in wrapped(job_words(first.job), width)]
    if len(row.tasks) > 1:
        return [*lines, (), *_in_turn(seen, row, glyphs)]
    facts = _facts(seen, first)
    figure = seen.figures.get(first.number)
    compared = seen.compared.get(first.number)
    if compared is not None:
        mark = verdict(compared, glyphs)
        lines += [(), (Span(f"{mark.glyph} {mark.word}", mark.tone), Span(f"  ratio {ratio(compared.ratio)}"))]
        lines += [line(each) for each in wrapped(str(compared.note), width)]
    lines += [(), *pairs(facts, width)]
    if first.number in seen.trouble:
        lines += [(), *(line(each, "bad") for each in wrapped(seen.trouble[first.number], width))]
    return [*lines, (), *_repeats(figure, width)] if figure is not None else lines


def _facts(seen: BenchView, task: Task) -> list[tuple[str, str]]:
    expected, compared, figure = seen.expected(task), seen.compared.get(task.number), seen.figures.get(task.number)
    facts = []
    if expected is not None:
        ends = f"{amount(expected.low, expected.unit)} to {amount(expected.high, expected.unit)}"
        facts += [("predicted", f"{amount(expected.value, expected.unit)}, band {ends}")]
        facts += [("limit predicted", str(expected.limit))]
        facts += [("based on", "; ".join(expected.notes))] if expected.notes else []
    if figure is not None:
        count = len(figure.repeats)
        facts += [
            ("measured", f"{amount(figure.median, figure.unit)}, {count} repeats, spread {percent(figure.spread)}")
        ]
    if compared is not None and (band := ratio_band(compared.predicted, compared.low, compared.high)):
        facts += [("band of the ratio", band)]
    if figure is not None and figure.seen is not None:
        limit = compared.limit_seen if compared is not None else figure.seen.limit
        facts += [("limit seen", f"{str(limit) or 'unknown'}: {figure.seen.reason}")]
        facts += [("slow disk", disk_words(seen.scene, each)) for each in figure.seen.slow_disks]
        share = figure.seen.write_reads_share
        facts += [("verified", f"{percent(share)} of the data written")] if share is not None else []
    return facts


def _repeats(figure: Figure, width: int) -> list[Line]:
    lines: list[Line] = [
        line(f"{'repeat':<7} {'figure':>12} {'p50 ms':>8} {'p99 ms':>8} {'max ms':>8} {'errors':>7}", "muted")
    ]
    for number, repeat in enumerate(figure.repeats, 1):
        latency = repeat.latency
        times = (latency.p50_ms, latency.p99_ms, latency.max_ms) if latency is not None else ()
        shown = " ".join(f"{each:>8.2f}" for each in times) or " ".join([f"{'-':>8}"] * 3)
        lines.append(
            (
                Span(f"{number:<7} "),
                Span(f"{amount(repeat.value, figure.unit):>12} ", "strong"),
                Span(shown),
                Span(f" {repeat.errors:>7}", "bad" if repeat.errors else "text"),
            )
        )
    for label in figure.labels:
        lines += [line(each, "warn") for each in wrapped(f"{label}: {LABELS[label]}", width)]
    return lines


def _in_turn(seen: BenchView, row: BenchRow, glyphs: Glyphs) -> list[Line]:
    lines: list[Line] = []
    for task in row.tasks:
        compared = seen.compared.get(task.number)
        if compared is None:
            word = seen.trouble.get(task.number, "")
            lines.append((Span("  "), Span(f"{task.target.name:<24} "), Span(word or "not measured", "muted")))
            continue
        mark = verdict(compared, glyphs)
        lines.append(
            (
                Span(f"{mark.glyph} ", mark.tone),
                Span(f"{task.target.name:<24} "),
                Span(f"{amount(compared.measured, compared.unit):>11}  ", "strong"),
                Span(f"{ratio(compared.ratio):>5}  "),
                Span(mark.word, mark.tone),
            )
        )
    return lines
