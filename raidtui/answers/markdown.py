"""Renders a report as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import assert_never

from raidtui.answers.findings import FindingTone, Paint, columns, paragraph
from raidtui.values.blocks import (
    Block,
    FigureRow,
    Figures,
    Grid,
    Group,
    Heading,
    Items,
    Listing,
    Pairs,
    Paragraph,
    PlotBlock,
    ReportDocument,
    Signatures,
)
from raidtui.values.safe import fence, inline, safe, table


def markdown(document: ReportDocument, plots: Mapping[str, str]) -> str:
    """The whole document; `plots` maps plot names to paths."""
    parts = [
        f"<!-- raidtui-report {document.id} -->",
        f"# {inline(document.title)}",
        inline(document.subtitle),
    ]
    if document.banner:
        parts.append(f"**{inline(document.banner)}**")
    parts.append(f"**{inline(document.verdict)}** {inline(document.reason)}")
    parts.append(_pairs(document.facts))
    parts += [text for block in document.blocks if (text := _block(block, plots))]
    parts.append(inline(f"Report {document.id}, {document.made_by}"))
    return "\n\n".join(parts) + "\n"


def _block(block: Block, plots: Mapping[str, str]) -> str:
    match block:
        case Heading():
            return f"{'#' * block.level} {inline(block.text)}"
        case Paragraph():
            return inline(block.text)
        case Items():
            lines = []
            for item in block.items:
                more = f" To do: {inline(item.more)}" if item.more else ""
                lines.append(f"- **{inline(item.mark)}** {inline(item.text)}{more}")
            return "\n".join(lines)
        case Pairs():
            return _pairs(block.pairs)
        case Grid():
            return _grid(block)
        case Listing():
            title = f"{inline(block.title)}\n\n" if block.title else ""
            return title + fence("\n".join(safe(line) for line in block.lines), "text")
        case PlotBlock():
            if block.name not in plots:
                return ""
            return f"![{inline(block.title)}]({plots[block.name]})\n\n{inline(block.text)}"
        case Signatures():
            return table(("", "name", "date", "signature"), [(role, "", "", "") for role in block.roles])
        case Figures():
            return table(("", "", ""), [(row.title, row.value, ", ".join(row.notes)) for row in block.rows])
        case Group():
            return "\n\n".join([f"### {inline(block.key)}", *(_block(each, plots) for each in block.blocks)])
        case _:
            assert_never(block)


def _grid(grid: Grid) -> str:
    """A table without the columns that hold only meters."""
    shown = grid.worded
    return table(
        [grid.columns[number] for number in shown],
        [[row[number].text for number in shown] for row in grid.rows],
        frozenset(place for place, number in enumerate(shown) if number in grid.right),
    )


def _pairs(pairs: tuple[tuple[str, str], ...]) -> str:
    return "\n".join(f"- {inline(name)}: {inline(value)}" for name, value in pairs)


# Renders blocks as lines of text for a terminal or a pipe.


_TITLES = 12
"""columns of the names of pairs"""


def plain_lines(blocks: Sequence[Block], paint: Paint, width: int | None = None) -> list[str]:
    """The lines; an empty one before each heading, group and set of figures but the first. `paint` colours the marks of
    items and a good heading; paragraphs below a heading of the third level are indented."""
    lines: list[str] = []
    indent = ""
    for block in blocks:
        if isinstance(block, Heading):
            indent = "  " if block.level == 3 else ""
        lines += [""] if lines and isinstance(block, Heading | Group | Figures) else []
        if isinstance(block, Paragraph):
            lines += paragraph(safe(block.text), width, first=indent, rest=indent)
        else:
            lines += _plain_block(block, paint, width)
    return lines


def _plain_block(block: Block, paint: Paint, width: int | None) -> list[str]:
    match block:
        case Heading():
            return [paint(safe(block.text), "best") if block.tone == "good" and block.level == 3 else safe(block.text)]
        case Paragraph():
            return paragraph(safe(block.text), width, first="", rest="")
        case Items():
            return [line for item in block.items for line in _item(item.mark, item.text, item.more, paint, width)]
        case Pairs():
            rest = " " * (_TITLES + 2)
            return [
                line
                for name, value in block.pairs
                for line in paragraph(safe(value), width, first=f"  {name:<{_TITLES}}", rest=rest)
            ]
        case Grid():
            rows = [block.columns, *(tuple(safe(cell.text) for cell in row) for row in block.rows)]
            lines = [f"  {line}" for line in columns(rows, right=tuple(block.right))]
            tight = width is not None and max(map(len, lines)) > width
            return columns(rows, right=tuple(block.right), gap=" ") if tight else lines
        case Listing():
            return [safe(line) for line in block.lines]
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


def _item(mark: str, text: str, more: str, paint: Paint, width: int | None) -> list[str]:
    first, *rest = paragraph(f"{mark}: {safe(text)}" if mark else f"- {safe(text)}", width, first="  ", rest="    ")
    tones: dict[str, FindingTone] = {"error": "error", "warning": "warning"}
    painted = first.replace(mark, paint(mark, tones.get(mark, "note")), 1)
    return [painted, *rest, *(paragraph(safe(more), width, first="    ", rest="    ") if more else ())]
