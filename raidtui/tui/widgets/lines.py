"""Blocks of a document as lines of a width. Nothing here draws."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from types import MappingProxyType
from typing import NamedTuple, assert_never

from raidtui.answers.plain_text import GAP, grid_columns, named_cells
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Mark, Span, Tone, cells, fit, line, risk_mark, wrapped
from raidtui.values.blocks import (
    Block,
    BlockTone,
    Cell,
    FigureDifference,
    FigureRow,
    Figures,
    Grid,
    Group,
    Heading,
    Item,
    Items,
    Listing,
    Meter,
    Pairs,
    Paragraph,
    PlotBlock,
    Signatures,
)
from raidtui.values.plan import Step
from raidtui.values.run import RunPurpose, StepProgress, StepState
from raidtui.values.safe import safe

_INNER = 1
"""cells by which the blocks of a group stand further in"""
_GROUP = 8
"""cells of the title of a group, so that the results of several stand below each other"""
_METER, _ONE = 14, 10
"""cells of a meter, and the cell of the prediction in it"""
_TITLE, _FIGURE = 15, 10
"""cells of a figure's title, and those that shorter figures are aligned in, so that units stand below each other"""
_EDGE = 64
"""most cells from a figure's title to its difference, so that the eye can follow a line"""


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


class BlockLine(NamedTuple):
    """A line of blocks, and what a cursor on it picks."""

    spans: Line
    picks: Group | Item | FigureRow | str | None = None
    """a group, an item, a figure, or the key of a row; None: the line is only read"""
    name: str = ""
    """of what it picks, the same in another state of the same blocks; of a heading its text"""


def block_lines(blocks: Sequence[Block], width: int, glyphs: Glyphs) -> list[Line]:
    """All blocks with a blank line between them; plots and signatures are for paper."""
    return [each.spans for each in laid_out(blocks, width, glyphs)]


def laid_out(
    blocks: Sequence[Block], width: int, glyphs: Glyphs, opened: Mapping[str, bool] = MappingProxyType({})
) -> list[BlockLine]:
    """As `block_lines`, with what each line picks. `opened`: groups, by title, that were opened or closed."""
    found: list[BlockLine] = []
    for number, block in enumerate(blocks):
        rows = list(_block(block, width, glyphs, opened))
        groups = number > 0 and isinstance(block, Group) and isinstance(blocks[number - 1], Group)
        if found and rows and not groups:
            found.append(BlockLine(()))
        found += rows
    return found


def paged(sentences: Sequence[str], width: int, room: int) -> list[Line]:
    """Sentences as text that no page of `room` lines cuts in the middle of one that fits on a page, unless the page
    had one line without it."""
    pages: list[list[str]] = [[]]
    for sentence in sentences:
        rows = [*wrapped(" ".join((*pages[-1], sentence)), width)]
        if len(rows) <= room or len([*wrapped(" ".join(pages[-1]), width)]) <= 1:
            pages[-1].append(sentence)
        else:
            pages.append([sentence])
    found: list[Line] = []
    for number, page in enumerate(pages):
        rows = [*wrapped(" ".join(page), width)]
        blank = [""] * (-len(rows) % max(room, 1)) if number < len(pages) - 1 else []
        found += map(line, (*rows, *blank))
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


def _block(block: Block, width: int, glyphs: Glyphs, opened: Mapping[str, bool]) -> Iterator[BlockLine]:
    match block:
        case Items():
            for item in block.items:
                picks = item if item.details else None
                yield from (BlockLine(row, picks, item.text) for row in _item(item, width, glyphs))
        case Figures():
            yield from _figures(block, width, glyphs)
        case Group():
            is_open = opened.get(block.key, block.opens)
            yield BlockLine(_group_line(block, width, glyphs, is_open=is_open), block, block.key)
            if is_open:
                for each in laid_out(block.blocks, width - _INNER, glyphs, opened):
                    yield BlockLine((Span(" " * _INNER), *each.spans), each.picks, each.name)
        case Grid():
            yield from _grid(block, width, glyphs)
        case Heading():
            yield from (BlockLine(line(row, "title"), name=block.text) for row in wrapped(block.text, width))
        case _:
            yield from map(BlockLine, _read_only(block, width, glyphs))


def _read_only(
    block: Paragraph | Pairs | Listing | PlotBlock | Signatures, width: int, glyphs: Glyphs
) -> Iterator[Line]:
    match block:
        case Paragraph():
            yield from (line(row, tone(block.tone)) for row in wrapped(block.text, width))
        case Pairs():
            yield from pairs(block.pairs, width)
        case Listing():
            yield from (line(row, "title") for row in wrapped(block.title, width))
            for row in block.lines:
                yield from (line(fit(part, width, glyphs).rstrip()) for part in _broken(row, width))
        case PlotBlock() | Signatures():
            return
        case _:
            assert_never(block)


def _group_line(group: Group, width: int, glyphs: Glyphs, *, is_open: bool) -> Line:
    """Title, and as many of its results as fit."""
    title = f"{glyphs.open if is_open else glyphs.shut} {group.key:<{_GROUP}}"
    room, first = width - cells(title) - 1, group.result[:1]
    result = as_fit(group.result, room) or fit("".join(first), room, glyphs)
    return (Span(title, "head"), Span(f" {result.strip()}"))


def as_fit(notes: Sequence[str], room: int) -> str:
    """As many of `notes` as fit uncut into `room` cells, in order, each after two blanks."""
    said = ""
    for note in notes:
        more = f"{said}  {safe(note)}" if note else said
        if cells(more) > room:
            break
        said = more
    return said


def difference_span(found: FigureDifference | None, glyphs: Glyphs) -> Span:
    """A difference with a mark for better or worse."""
    if found is None:
        return Span("", "muted")
    match found.kind:
        case "equal":
            return Span(found.words, "muted")
        case "other":
            return Span(found.words, "title")
        case "better":
            return Span(f"{glyphs.better} {found.words}", "good")
        case "worse":
            return Span(f"{glyphs.worse} {found.words}", "warn")


def _figures(block: Figures, width: int, glyphs: Glyphs) -> Iterator[BlockLine]:
    """Title, value, remarks as far as they fit, difference."""
    above = ""
    for number, row in enumerate(block.rows):
        above = above if row.inner else row.title
        delta = difference_span(row.difference(block.before[number]) if block.before else None, glyphs)
        edge = min(width, _EDGE) if block.before else width
        room = max(edge - _TITLE - cells(delta.text) - (1 if delta.text else 0), 1)
        value = safe(row.value)
        if cells(value) > room:
            value = fit(value, room, glyphs)
        elif row.number is not None and cells(value) < _FIGURE:
            value = fit(value, min(_FIGURE, room), glyphs, right=True)
        aside = as_fit(row.notes, room - cells(value))
        gap = " " * (room - cells(value) - cells(aside) + 1) if delta.text else ""
        spans = (
            Span(f"{row.label:<{_TITLE}}", "muted"), Span(value, "strong" if row.strong else "text"),
            Span(f"{aside}{gap}", "muted"), delta,
        )  # fmt: skip
        yield BlockLine(spans, row, f"{above}: {row.title}" if row.inner else row.title)


def _broken(row: str, width: int) -> Sequence[str]:
    """A row of fixed width in parts that fit, the others further in than the first; blanks within a part stay."""
    indent = " " * min(len(row) - len(row.lstrip(" ")) + 4, width // 2)
    return wrap(safe(row), width, subsequent_indent=indent, break_on_hyphens=False) or [""]


def _item(item: Item, width: int, glyphs: Glyphs) -> Iterator[Line]:
    head = f"{item.mark}: " if item.mark else "" if item.tone else "- "
    head = f"{sign(item.tone, glyphs)} {head}" if item.mark or item.tone else head
    first, *rest = [*wrapped(f"{head}{item.text}", width)]
    yield (Span(head, tone(item.tone)), Span(first[len(head) :]))
    yield from (line(f"  {row}") for row in wrapped(" ".join(rest), width - 2))
    yield from (line(f"  {row}", "good") for row in wrapped(item.more, width - 2))


def _grid(grid: Grid, width: int, glyphs: Glyphs) -> Iterator[BlockLine]:
    """A table of the columns for which there is room, text wrapped in its cell; else each row as names and values."""
    laid = grid_columns(grid, width, _cells_of)
    if laid is None:
        for number, row in enumerate(grid.rows):
            yield from () if number == 0 else (BlockLine(()),)
            facts = pairs(named_cells(grid, row), width) if row in grid.whole else _row(row, [width], [False], glyphs)
            yield from (_picked(spans, grid, number) for spans in facts)
        return
    shown, widths = laid
    right = [at in grid.right for at in shown]
    titles = tuple(Cell(text=grid.columns[at], tone="quiet") for at in shown)
    if any(grid.columns):
        yield from map(BlockLine, _row(titles, widths, right, glyphs))
    for number, row in enumerate(grid.rows):
        if len(row) < len(grid.columns):
            lines = _row(row, [width], [False], glyphs)
        else:
            lines = _row([row[at] for at in shown], widths, right, glyphs)
        yield from (_picked(spans, grid, number) for spans in lines)


def _picked(spans: Line, grid: Grid, number: int) -> BlockLine:
    key = grid.keys[number] if grid.keys else ""
    return BlockLine(spans, key, key) if key else BlockLine(spans)


def _cells_of(cell: Cell) -> int:
    return _METER if cell.meter is not None and not cell.text else cells(cell.text) + 2 * cell.signed


def _told(cell: Cell, glyphs: Glyphs) -> str:
    return f"{sign(cell.tone, glyphs)} {cell.text}" if cell.signed else cell.text


def meter_spans(meter: Meter, meaning: BlockTone, glyphs: Glyphs) -> Line:
    """A bar as long as the figure, with a line at the prediction and the rest of its band behind it."""
    shown = [
        glyphs.side if at == _ONE else glyphs.bar if at < meter.at * _ONE
        else glyphs.bar_rest if meter.low * _ONE <= at <= meter.high * _ONE else " "
        for at in range(_METER)
    ]  # fmt: skip
    return line("".join(shown), tone(meaning))


def _row(row: Sequence[Cell], widths: Sequence[int], right: Sequence[bool], glyphs: Glyphs) -> Iterator[Line]:
    columns = [[*wrapped(_told(cell, glyphs), wide)] or [""] for cell, wide in zip(row, widths, strict=True)]
    for at in range(max(map(len, columns), default=0)):
        spans: list[Span] = []
        for cell, texts, wide, is_right in zip(row, columns, widths, right, strict=True):
            text = texts[at] if at < len(texts) else ""
            if cell.meter is not None and not cell.text and at == 0 and wide >= _METER:
                spans += meter_spans(cell.meter, cell.tone, glyphs)
                text, wide = "", wide - _METER
            own = tone(cell.tone)
            spans.append(Span(fit(text, wide, glyphs, right=is_right), "strong" if cell.strong else own))
            spans.append(Span(" " * GAP))
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


def step_line(
    step: Step, progress: StepProgress, mark: Mark, width: int, number: int, glyphs: Glyphs, *, undone: bool = False
) -> Line:
    """One step: state, number, title; commands done, or disks that it erases unless it was undone; duration."""
    tone: Tone = "strong" if progress.state == "running" else "muted" if progress.state == "waiting" else "text"
    total = len(step.actions)
    if progress.state in ("running", "failed") and total:
        count = Span(f"{f'{progress.actions_done} of {total}':>{_COUNT}}", tone)
    elif progress.state == "waiting" and step.destroys and not undone:
        risk = risk_mark(step.risk, glyphs)
        count = Span(f"{f'{risk.word} {len(step.destroys)}':>{_COUNT}}", risk.tone)
    else:
        count = Span("")
    took = clock(progress.seconds) if progress.seconds >= 1 and progress.state != "waiting" else ""
    time = Span(f"{took:>{_TOOK + 1}}" if count.text else f" {took}" if took else "", "muted")
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
