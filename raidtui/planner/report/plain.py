"""Renders blocks as lines of text for a terminal or a pipe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from raidtui.model.safe import safe
from raidtui.planner.report.blocks import (
    Block,
    Grid,
    Heading,
    Items,
    Listing,
    Pairs,
    Paragraph,
    PlotBlock,
    Signatures,
)
from raidtui.planner.text.findings import FindingTone, Paint, paragraph
from raidtui.planner.text.summary import columns

_TITLES = 12
"""columns of the names of pairs"""


def plain_lines(blocks: Sequence[Block], paint: Paint, width: int | None = None) -> list[str]:
    """The lines; an empty one before each heading but the first. `paint` gives marks of items their colour."""
    lines: list[str] = []
    for block in blocks:
        lines += [""] if lines and isinstance(block, Heading) else []
        lines += _block(block, paint, width)
    return lines


def _block(block: Block, paint: Paint, width: int | None) -> list[str]:
    match block:
        case Heading():
            return [safe(block.text)]
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
            return [f"  {line}" for line in columns(rows, right=tuple(block.right))]
        case Listing():
            return [safe(line) for line in block.lines]
        case PlotBlock() | Signatures():
            return []
        case _:
            assert_never(block)


def _item(mark: str, text: str, more: str, paint: Paint, width: int | None) -> list[str]:
    first, *rest = paragraph(f"{mark}: {safe(text)}", width, first="  ", rest="    ")
    tones: dict[str, FindingTone] = {"error": "error", "warning": "warning"}
    painted = first.replace(mark, paint(mark, tones.get(mark, "note")), 1)
    return [painted, *rest, *(paragraph(safe(more), width, first="    ", rest="    ") if more else ())]
