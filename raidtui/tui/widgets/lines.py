"""Blocks of a document as lines of a width. Nothing here draws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import assert_never

from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Mark, Span, Tone, cells, fit, line, risk_mark, wrapped
from raidtui.values.blocks import (
    Block,
    BlockTone,
    Cell,
    Grid,
    Heading,
    Item,
    Items,
    Listing,
    Pairs,
    Paragraph,
    PlotBlock,
    Signatures,
)
from raidtui.values.plan import Step
from raidtui.values.run import RunPurpose, StepProgress, StepState
from raidtui.values.safe import safe

_GAP = 2
_ENOUGH, _LEAST = 20, 12
"""cells of a column of text, if its longest text has as many: below the first a column that may go makes room, below
the second each row becomes lines of its own"""


def tone(meaning: BlockTone) -> Tone:
    """The tone of the app with this meaning."""
    match meaning:
        case "":
            return "text"
        case "quiet":
            return "muted"
        case "good" | "warn" | "bad":
            return meaning


def sign(meaning: BlockTone, glyphs: Glyphs) -> str:
    """The glyph that says the same without colour."""
    match meaning:
        case "good":
            return glyphs.good
        case "warn":
            return glyphs.alert
        case "bad":
            return glyphs.failed
        case "quiet" | "":
            return glyphs.note


def block_lines(blocks: Sequence[Block], width: int, glyphs: Glyphs) -> list[Line]:
    """All blocks with a blank line between them; plots and signatures are for paper."""
    found: list[Line] = []
    for block in blocks:
        rows = list(_block(block, width, glyphs))
        if found and rows:
            found.append(())
        found += rows
    return found


def pairs(facts: Sequence[tuple[str, str]], width: int) -> list[Line]:
    """Names and values in two columns, values wrapped."""
    wide = min(max((len(name) for name, _ in facts), default=0), max(width // 2, 8))
    found: list[Line] = []
    for name, value in facts:
        first, *rest = [*wrapped(value, max(width - wide - 2, 10))] or [""]
        found.append((Span(f"{name[:wide]:<{wide}}  ", "muted"), Span(first)))
        found += [(Span(" " * (wide + 2)), Span(row)) for row in rest]
    return found


def _block(block: Block, width: int, glyphs: Glyphs) -> Iterator[Line]:
    match block:
        case Heading():
            yield line(block.text, "title")
        case Paragraph():
            yield from (line(row, tone(block.tone)) for row in wrapped(block.text, width))
        case Items():
            for item in block.items:
                yield from _item(item, width, glyphs)
        case Pairs():
            yield from pairs(block.pairs, width)
        case Grid():
            yield from _grid(block, width, glyphs)
        case Listing():
            yield from (line(row, "title") for row in wrapped(block.title, width))
            for row in block.lines:
                yield from (line(fit(part, width, glyphs).rstrip()) for part in _broken(row, width))
        case PlotBlock() | Signatures():
            return
        case _:
            assert_never(block)


def _broken(row: str, width: int) -> Sequence[str]:
    """A row of fixed width in parts that fit, the others further in than the first; blanks within a part stay."""
    indent = " " * min(len(row) - len(row.lstrip(" ")) + 4, width // 2)
    return wrap(safe(row), width, subsequent_indent=indent, break_on_hyphens=False) or [""]


def _item(item: Item, width: int, glyphs: Glyphs) -> Iterator[Line]:
    head = f"{sign(item.tone, glyphs)} {item.mark}: "
    first, *rest = [*wrapped(f"{head}{item.text}", width)]
    yield (Span(head, tone(item.tone)), Span(first[len(head) :]))
    yield from (line(f"  {row}") for row in wrapped(" ".join(rest), width - 2))
    yield from (line(f"  {row}", "good") for row in wrapped(item.more, width - 2))


def _grid(grid: Grid, width: int, glyphs: Glyphs) -> Iterator[Line]:
    """A table of the columns for which there is room, text wrapped in its cell; else each row as names and values."""
    shown = list(grid.worded)
    widths = _widths(grid, shown, width, _ENOUGH)
    for spared in (column for column in grid.optional if column in grid.worded):
        if widths is None:
            shown.remove(spared)
            widths = _widths(grid, shown, width, _ENOUGH)
    widths = widths or _widths(grid, shown, width, _LEAST)
    if widths is None:
        for number, row in enumerate(grid.rows):
            yield from () if number == 0 else ((),)
            yield from pairs([(grid.columns[at], row[at].text) for at in grid.worded if row[at].text], width)
        return
    titles = tuple(Cell(text=title, tone="quiet") for title in grid.columns)
    for row in (titles, *grid.rows):
        yield from _row([row[at] for at in shown], widths, [at in grid.right for at in shown], glyphs)


def _widths(grid: Grid, shown: Sequence[int], width: int, least: int) -> list[int] | None:
    """Cells of each column: numbers whole, text narrowed from the widest on; None if text gets fewer than `least`."""
    natural = {
        at: max(cells(text) for text in (grid.columns[at], *(row[at].text for row in grid.rows))) for at in shown
    }
    texts = sorted(natural[at] for at in shown if at not in grid.right)
    room = width - _GAP * (len(shown) - 1) - sum(natural[at] for at in shown if at in grid.right)
    most = max(texts, default=0)
    for number, wide in enumerate(texts):
        share = room // (len(texts) - number)
        if wide > share:
            most = share
            break
        room -= wide
    if room < 0 or most < min(least, max(texts, default=0)):
        return None
    return [natural[at] if at in grid.right else min(natural[at], most) for at in shown]


def _row(row: Sequence[Cell], widths: Sequence[int], right: Sequence[bool], glyphs: Glyphs) -> Iterator[Line]:
    columns = [[*wrapped(cell.text, wide)] or [""] for cell, wide in zip(row, widths, strict=True)]
    for at in range(max(map(len, columns), default=0)):
        spans = []
        for cell, texts, wide, is_right in zip(row, columns, widths, right, strict=True):
            text = texts[at] if at < len(texts) else ""
            spans.append(Span(fit(text, wide, glyphs, right=is_right), tone(cell.tone)))
            spans.append(Span(" " * _GAP))
        yield tuple(spans[:-1])


# Steps of a run as lines: state, number, title, commands done, time. Nothing here draws.


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
