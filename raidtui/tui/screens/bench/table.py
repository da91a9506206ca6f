"""Results table: predicted beside measured, one row per test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from raidtui.answers.bench import LABELS, job_words
from raidtui.tui.jobs.bench import BenchRow, BenchView
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Mark, Span, Tone, fit, line, wrapped
from raidtui.tui.widgets.lines import pairs
from raidtui.tui.widgets.pane import Pane
from raidtui.values.amounts import amount, percent, ratio_band
from raidtui.values.bench import Compared, Figure, Task
from raidtui.values.gauges import Scene
from raidtui.values.location import short_slot
from raidtui.values.safe import safe
from raidtui.values.speed import Limit
from raidtui.values.units import counted

# Benchmark values as text: amounts with units, ratios with bands, verdicts. Nothing here draws.


def ratio(value: float | None) -> str:
    """`0.94`; `-` if there is none."""
    return "-" if value is None else f"{value:.2f}"


def verdict(compared: Compared, glyphs: Glyphs) -> Mark:
    """Mark of a result's verdict."""
    match compared.verdict:
        case "ok":
            return Mark(glyphs.good, "ok", "good")
        case "low":
            return Mark(glyphs.failed, "LOW", "bad")
        case "high":
            return Mark(glyphs.alert, "high", "warn")
        case "not judged":
            return Mark(glyphs.unknown, "not judged", "muted")
        case "no prediction":
            return Mark(glyphs.hole, "no prediction", "muted")
        case "not comparable":
            return Mark(glyphs.unknown, "not comparable", "muted")


def clock(seconds: float) -> str:
    """`0:41`, `12:05`, `1:02:05`."""
    whole = max(int(seconds), 0)
    minutes = f"{whole // 60 % 60:02d}:{whole % 60:02d}"
    return f"{whole // 3600}:{minutes}" if whole >= 3600 else minutes.removeprefix("0") if whole < 600 else minutes


def disk_words(scene: Scene, identity: str) -> str:
    """`d1s07 ZVT0A2K1`: slot and serial of a disk, by identity or kernel name, to find the disk in the chassis."""
    disk = next((each for each in scene.disks if identity in (each.id, each.name)), None)
    if disk is None:
        return safe(identity)
    return safe(" ".join(part for part in (short_slot(disk.slot), disk.serial or disk.name or disk.id) if part))


WIDE = 110
"""width from which band, spread and limits have their own columns"""
_FIGURE, _RATIO, _BAND, _VERDICT, _LIMITS = 11, 5, 9, 14, 36
_LEAST_NAME = 20
_WITH_BAND = 70
"""columns from which the band stands beside the verdict"""
_WORD, _LEAST_SHORT = 9, 15
"""widths of verdict and name where it does not"""


class BenchTable(Pane):
    """The table; the cursor follows the running test until it is moved."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("Predicted and measured", pickable=True, id=id)
        self.rows: Sequence[BenchRow] = ()
        self.at_work = -1
        """the running row at the last update"""

    def show(self, rows: Sequence[BenchRow]) -> None:
        """Updates the rows."""
        self.rows = rows
        done = sum(row.done for row in rows)
        tasks = sum(len(row.tasks) for row in rows)
        self.renew(lambda width: row_lines(rows, width, self.glyphs), aside=f"{done} of {tasks} done")
        now = next((place for place, row in enumerate(rows) if row.state == "running"), -1)
        if now >= 0 and now != self.at_work and self.cursor in (self.at_work, 0):
            self.move_to(now)
        self.at_work = now

    @property
    def row(self) -> BenchRow | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    def fixed_lines(self, width: int) -> Sequence[Line]:
        """Column titles."""
        return (title_line(width),)


def _name_cells(width: int) -> int:
    rest = 2 + 2 * (_FIGURE + 1) + _RATIO + 2
    if width >= WIDE:
        return max(width - rest - _BAND - _VERDICT - _LIMITS - 6, _LEAST_NAME)
    if width < _WITH_BAND:
        return max(width - rest - _WORD - 2, _LEAST_SHORT)
    return max(width - rest - _VERDICT - 4, _LEAST_NAME)


def title_line(width: int) -> Line:
    """The column titles of `row_lines`."""
    name = _name_cells(width)
    text = f"  {'test':<{name}} {'predicted':>{_FIGURE}} {'measured':>{_FIGURE}}  {'ratio':>{_RATIO}}"
    if width >= WIDE:
        text += f"  {'band':<{_BAND}}  {'verdict':<{_VERDICT}}  limit seen"
    else:
        text += "  verdict (band)" if width >= _WITH_BAND else "  verdict"
    return (Span(text, "muted"),)


def row_lines(rows: Sequence[BenchRow], width: int, glyphs: Glyphs) -> list[Line]:
    """One line per test: by title if all titles fit, else by name."""
    short = any(len(row.long_name) > _name_cells(width) for row in rows)
    return [_row_line(row, width, glyphs, short=short) for row in rows]


def _row_line(row: BenchRow, width: int, glyphs: Glyphs, *, short: bool) -> Line:
    name = _name_cells(width)
    sign, tone = _sign(row, glyphs)
    head: Tone = "strong" if row.state == "running" else "text"
    return (
        Span(f"{sign} ", tone),
        Span(f"{fit(row.short_name if short else row.long_name, name, glyphs)} ", head),
        Span(f"{_predicted(row):>{_FIGURE}} ", "muted"),
        *_measured(row, glyphs),
        *_judged(row, width, glyphs),
    )


def _sign(row: BenchRow, glyphs: Glyphs) -> tuple[str, Tone]:
    if row.state == "running":
        return glyphs.shut, "title"
    if row.compared is not None:
        mark = verdict(row.compared, glyphs)
        return mark.glyph, mark.tone
    return " ", "muted"


def _predicted(row: BenchRow) -> str:
    if row.compared is not None and row.compared.predicted is not None:
        return amount(row.compared.predicted, row.compared.unit)
    return amount(row.expected.value, row.expected.unit) if row.expected is not None else "-"


def _measured(row: BenchRow, glyphs: Glyphs) -> tuple[Span, ...]:
    compared = row.compared
    if compared is None:
        return (Span(f"{row.state:>{_FIGURE}}  {'':>{_RATIO}}", "title" if row.state == "running" else "muted"),)
    return (
        Span(f"{amount(compared.measured, compared.unit):>{_FIGURE}}  ", "strong"),
        Span(f"{ratio(compared.ratio):>{_RATIO}}", verdict(compared, glyphs).tone),
    )


def _judged(row: BenchRow, width: int, glyphs: Glyphs) -> tuple[Span, ...]:
    compared = row.compared
    if compared is None:
        return ()
    word = verdict(compared, glyphs)
    said, band = word.word, ratio_band(compared.predicted, compared.low, compared.high)
    if len(row.all_compared) > 1:
        off = sum(each.verdict in ("low", "high") for each in row.all_compared)
        said = f"{off} of {len(row.all_compared)} off" if off else f"{len(row.all_compared)} {said}"
    if width < WIDE:
        alone = len(row.all_compared) == 1 and compared.verdict in ("ok", "low", "high")
        tail = f" {band}" if alone and width >= _WITH_BAND else ""
        return (Span(f"  {said}", word.tone), Span(tail, "muted"))
    return (
        Span(f"  {band:<{_BAND}}  ", "muted"),
        Span(f"{said:<{_VERDICT}}  ", word.tone),
        *_limits(compared),
    )


def _limits(compared: Compared) -> tuple[Span, ...]:
    """The observed limit, and the predicted one if it differs."""
    seen, predicted = compared.limit_seen, compared.limit_predicted
    if not seen.known:
        return (Span(f"unknown; predicted {_short(predicted)}" if predicted.known else "", "muted"),)
    alike = bool(seen.name) and seen.kind == predicted.kind  # one or another of equal slots or ports
    if not predicted.known or alike or seen.agrees_with(predicted):
        return (Span(_short(seen)),)
    return (Span(_short(seen), "warn"), Span(f", not {_short(predicted)}", "muted"))


def _short(limit: Limit) -> str:
    """PCI addresses without domain 0000, the only one on most machines."""
    return str(replace(limit, name=limit.name.removeprefix("0000:")))


# Details of one test: repeats, latency, limits, prediction. Nothing here draws.


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


# Findings of a benchmark: slow disks by slot and serial, low results, labels. Nothing here draws.


def finding_lines(seen: BenchView, width: int, glyphs: Glyphs) -> list[Line]:
    """The findings, most severe first; one line if there are none."""
    found = [(Mark(glyphs.failed, "", "bad"), text) for text in seen.trouble.values()]
    found += [(Mark(glyphs.alert, "", "warn"), text) for text in (*_slow(seen), *_low(seen))]
    found += [(Mark(glyphs.note, "", "title"), text) for text in _labelled(seen)]
    if not found:
        said = "no disk is slower than its group" if seen.ticks else "none yet"
        return [(Span(f"{glyphs.good} ", "good"), Span(said, "muted"))]
    lines: list[Line] = []
    for mark, text in found:
        first, *rest = wrapped(text, width - 2)
        lines.append((Span(f"{mark.glyph} ", mark.tone), Span(first)))
        lines += [line(f"  {row}") for row in rest]
    return lines


def _slow(seen: BenchView) -> list[str]:
    """Disks slower than their group: those slow now, then those named in results."""
    names = {disk.name: disk for disk in seen.scene.disks}
    found = {}
    for each in seen.laggards if seen.busy else ():
        disk = names.get(each.name)
        who = disk_words(seen.scene, each.name)
        found[disk.id if disk is not None else each.name] = each.sentence(who, seen.scene)
    for number, figure in seen.figures.items():
        task = next(task for task in seen.bench.tasks if task.number == number)
        for identity in figure.seen.slow_disks if figure.seen is not None else ():
            who = disk_words(seen.scene, identity)
            found.setdefault(identity, f"{who}: slower than its group in {task.job.title}: check its health first")
    return list(found.values())


def _low(seen: BenchView) -> list[str]:
    found = []
    for each in seen.compared.values():
        if each.verdict == "low" and each.predicted is not None and each.low is not None:
            found.append(
                f"{each.name}: {amount(each.measured, each.unit)} is below the band, which starts at "
                f"{amount(each.low, each.unit)}" + (f"; limit seen: {each.limit_seen}" if each.limit_seen.known else "")
            )
    return found


def _labelled(seen: BenchView) -> list[str]:
    counts: dict[str, int] = {}
    for figure in seen.figures.values():
        for label in figure.labels:
            if label != "simulated":
                counts[LABELS[label]] = counts.get(LABELS[label], 0) + 1
    return [f"{counted(count, 'result')}: {words}" for words, count in counts.items()]
