"""Renders a report as Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from raidtui.values.blocks import (
    Block,
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
        [[row[number].text if number < len(row) else "" for number in shown] for row in grid.rows],
        frozenset(place for place, number in enumerate(shown) if number in grid.right),
    )


def _pairs(pairs: tuple[tuple[str, str], ...]) -> str:
    return "\n".join(f"- {inline(name)}: {inline(value)}" for name, value in pairs)
