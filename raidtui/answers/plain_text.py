"""Renders blocks as lines of text for a terminal or a pipe; paragraphs and columns of text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from textwrap import TextWrapper
from typing import Literal, assert_never

from raidtui.values.blocks import (
    Block,
    Cell,
    FigureRow,
    Figures,
    Grid,
    Group,
    Heading,
    Item,
    Items,
    Listing,
    Pairs,
    Paragraph,
    PlotBlock,
    Signatures,
)
from raidtui.values.findings import Severity
from raidtui.values.safe import safe
from raidtui.values.units import HARD_BLANK, joined

FindingTone = Severity | Literal["best"]
"""what a colour means"""
Paint = Callable[[str, FindingTone], str]
"""a text as it is printed, with or without the colour of a tone"""
_LEAST_WIDTH = 40
GAP = 2
"""columns between those of a table"""
_ENOUGH, _LEAST = 20, 12
"""columns of a column of text, if its longest text has as many: below the first a column that may go makes room, below
the second each row becomes lines of its own"""
_TITLES = 12
"""columns of the names of pairs"""


def unpainted(text: str, tone: FindingTone) -> str:  # noqa: ARG001  the signature of Paint
    """`text` without a colour."""
    return text


def plain_lines(blocks: Sequence[Block], paint: Paint = unpainted, width: int | None = None) -> list[str]:
    """The lines, at most `width` columns (None: not wrapped); an empty one before each heading, group and set of
    figures but the first, and around items and tables without a heading. `paint` colours the marks of items and a good
    heading.
    Paragraphs below a heading of the third level are indented, items and tables below any."""
    lines: list[str] = []
    indent = inner = ""
    before: Block | None = None
    for block in blocks:
        if isinstance(block, Heading):
            indent, inner = "  " if block.level == 3 else "", "  "
        around = not inner and isinstance(before if isinstance(block, Paragraph) else block, Items | Grid)
        lines += [""] if lines and (around or isinstance(block, Heading | Group | Figures)) else []
        before = block
        match block:
            case Paragraph():
                lines += paragraph(safe(block.text), width, first=indent, rest=indent)
            case Items():
                lines += [line for item in block.items for line in _item(item, inner, paint, width)]
            case Grid():
                lines += _grid(block, inner, width)
            case _:
                lines += _plain_block(block, paint, width)
    return lines


def _plain_block(
    block: Heading | Pairs | Listing | PlotBlock | Signatures | Figures | Group, paint: Paint, width: int | None
) -> list[str]:
    match block:
        case Heading():
            lines = paragraph(safe(block.text), width, first="", rest="  ")
            return [paint(line, "best") for line in lines] if block.tone == "good" and block.level == 3 else lines
        case Pairs():
            return _pairs(block.pairs, width)
        case Listing():
            title = ["", *paragraph(safe(block.title), width, first="")] if block.title else []
            return [] if block.folded else [*title, *(safe(line) for line in block.lines)]
        case Figures():
            return [line for number, row in enumerate(block.rows) for line in _figure(row, first=number == 0)]
        case Group():
            return [safe(block.key), *plain_lines(block.blocks, paint, width)]
        case PlotBlock() | Signatures():
            return []
        case _:
            assert_never(block)


def _figure(row: FigureRow, *, first: bool) -> list[str]:
    """Title, value, notes; below an empty line where it has only a title."""
    line = f"{row.label:<17} {safe(row.value):<32} {safe(', '.join(filter(None, row.notes)))}".rstrip()
    return ["", line] if not row.value and not first else [line]


def _pairs(pairs: Iterable[tuple[str, str]], width: int | None) -> list[str]:
    rest = " " * (_TITLES + 2)
    return [
        line for name, value in pairs for line in paragraph(safe(value), width, first=f"  {name:<{_TITLES}}", rest=rest)
    ]


def _grid(grid: Grid, indent: str, width: int | None) -> list[str]:
    """Columns as wide as their texts, on a terminal narrower than that fewer of them, texts wrapped in their cells."""
    shown = grid.worded
    heads = [[grid.columns[at] for at in shown]] if any(grid.columns) else []
    rows = [*heads, *([row[at].text for at in shown] if len(row) == len(grid.columns) else [] for row in grid.rows)]
    groups = [[tuple(map(safe, row))] if row else [] for row in rows]
    for before, gap in ((indent, " " * GAP), ("", " ")):
        lines = _with_titles(grid, groups, shown, before, gap)
        if width is None or max(map(len, lines), default=0) <= width:
            return lines
    assert width is not None
    laid = grid_columns(grid, width, lambda cell: len(safe(cell.text)))
    if laid is None:
        whole = grid.whole
        each = [_pairs(named_cells(grid, row), width) if row in whole else [safe(row[0].text)] for row in grid.rows]
        return [line for lines in each for line in ("", *lines)][1:]
    groups = []
    for texts in ([*grid.columns], *([cell.text for cell in row] for row in grid.rows)):
        parts = [
            paragraph(safe(texts[at]), None if at in grid.right else wide, first="", rest="", least=wide)
            for at, wide in zip(*laid, strict=True)
            if len(texts) == len(grid.columns)
        ]
        groups.append([*zip_longest(*parts, fillvalue="")])
    return _with_titles(grid, groups if heads else groups[1:], laid[0], "", " " * GAP)


def _with_titles(
    grid: Grid, groups: Sequence[Sequence[tuple[str, ...]]], shown: Sequence[int], before: str, gap: str
) -> list[str]:
    """The lines of each row in columns, and those of titles between them. `groups`: none for a title."""
    rows = [row for group in groups for row in group]
    right = tuple(at for at, number in enumerate(shown) if number in grid.right)
    lines = iter(columns(rows, right=right, gap=gap) if rows else ())
    titles = iter([row[0].text for row in grid.rows if len(row) < len(grid.columns)])
    found = []
    for group in groups:
        found += [next(lines) for _ in group] or [safe(next(titles))]
    return [f"{before}{line}" for line in found]


def grid_columns(grid: Grid, width: int, size: Callable[[Cell], int]) -> tuple[Sequence[int], Sequence[int]] | None:
    """The columns of a table for which `width` has room, and how wide each is; None if each row is to be lines of its
    own. `size`: columns of a cell."""
    shown = [at for at in range(len(grid.columns)) if at in grid.worded or any(size(row[at]) for row in grid.whole)]
    widths = _widths(grid, shown, width, _ENOUGH, size)
    for spared in (*(at for at in shown if at not in grid.worded), *grid.optional):
        if widths is None and spared in shown:
            shown.remove(spared)
            widths = _widths(grid, shown, width, _ENOUGH, size)
    widths = widths or _widths(grid, shown, width, _LEAST, size)
    return None if widths is None else (shown, widths)


def _widths(grid: Grid, shown: Sequence[int], width: int, least: int, size: Callable[[Cell], int]) -> list[int] | None:
    """Of each column: numbers whole, text narrowed from the widest on; None if text gets fewer than `least`."""
    natural = {at: max(map(size, (Cell(text=grid.columns[at]), *(row[at] for row in grid.whole)))) for at in shown}
    texts = sorted(natural[at] for at in shown if at not in grid.right)
    room = width - GAP * (len(shown) - 1) - sum(natural[at] for at in shown if at in grid.right)
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


def named_cells(grid: Grid, row: Sequence[Cell]) -> list[tuple[str, str]]:
    """The texts of a row with the titles of their columns."""
    return [(grid.columns[at], row[at].text) for at in grid.worded if row[at].text]


def _item(item: Item, indent: str, paint: Paint, width: int | None) -> list[str]:
    head = f"{item.mark}: " if item.mark else "- "
    first, *rest = paragraph(f"{head}{safe(item.text)}", width, first=indent, rest=f"{indent}  ")
    tones: dict[str, FindingTone] = {"error": "error", "warning": "warning"}
    if item.mark:
        first = first.replace(item.mark, paint(item.mark, tones.get(item.mark, "note")), 1)
    return [first, *rest, *(paragraph(safe(item.more), width, first="    ", rest="    ") if item.more else ())]


class _Wrapper(TextWrapper):
    """Breaks a word longer than a line after a slash; without one the word stays whole."""

    def _handle_long_word(self, reversed_chunks: list[str], cur_line: list[str], cur_len: int, width: int) -> None:
        """See TextWrapper; the word begins on a line of its own."""
        if not cur_line:
            word = reversed_chunks.pop()
            end = word.rfind("/", 1, width - cur_len) + 1 or len(word)
            cur_line.append(word[:end])
            reversed_chunks.extend(filter(None, [word[end:]]))


def paragraph(
    text: str, width: int | None, *, first: str = "  ", rest: str = "  ", least: int = _LEAST_WIDTH
) -> list[str]:
    """Lines of `text` of at most `width` columns (one line where it is None), with their indentation.

    Digit groups and units are not separated from their number. A path longer than a line is broken after a slash, any
    other word stays whole.
    """
    if width is None:
        return [first + text]
    wide = max(width, least)
    wrapper = _Wrapper(wide, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)
    return [line.replace(HARD_BLANK, " ") for line in wrapper.wrap(joined(text))] or [first.rstrip()]


def fitted(lines: Iterable[str], width: int) -> list[str]:
    """`lines`, the longer ones of them wrapped at `width`; what follows is indented two columns more."""
    found: list[str] = []
    for line in lines:
        indent = line[: len(line) - len(line.lstrip())]
        more = len(line) > width
        found += paragraph(line.lstrip(), width, first=indent, rest=f"{indent}  ") if more else [line]
    return found


def columns(rows: Sequence[tuple[str, ...]], *, right: tuple[int, ...] = (), gap: str = "  ") -> list[str]:
    """`rows` as lines with columns as wide as their widest cell; `right` lists right-aligned columns."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        gap.join(
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
