"""Findings of a benchmark: slow disks by slot and serial, low results, labels. Nothing here draws."""

from __future__ import annotations

from raidtui.model.counted import counted
from raidtui.planner.amounts import amount, percent
from raidtui.planner.text.tasks import LABELS
from raidtui.tui.jobs.bench_view import BenchView
from raidtui.tui.screens.bench.words import clock, disk_words
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Mark, Span, line, wrapped


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
        found[disk.id if disk is not None else each.name] = (
            f"{who}: {percent(each.share)} slower than its group for {clock(each.seconds)}"
        )
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
