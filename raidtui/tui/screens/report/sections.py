"""Sections of a report's document: each with a one-line result and its full text. Nothing here draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from raidtui.planner.report.blocks import Block, Heading, PlotBlock, ReportDocument, Signatures
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Span, line, wrapped
from raidtui.tui.widgets.block_lines import block_lines, pairs, sign, tone


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportPart:
    """A section of a report."""

    title: str
    short: Line
    """its result in one line"""
    lines: Callable[[int], list[Line]]
    """the full text for a width"""
    anchor: str = ""
    """as in the document"""


def parts(document: ReportDocument, glyphs: Glyphs) -> tuple[ReportPart, ...]:
    """Summary, then all sections of the document that a screen can show, in its order."""
    sections: list[tuple[Heading, list[Block]]] = []
    for block in document.blocks:
        match block:
            case Heading(level=2):
                sections.append((block, []))
            case PlotBlock() | Signatures():
                continue
            case _:
                sections[-1][1].append(block)
    return (_summary(document, glyphs), *(_part(heading, blocks, glyphs) for heading, blocks in sections if blocks))


def verdict_span(document: ReportDocument, glyphs: Glyphs) -> Span:
    """The verdict with its sign."""
    return Span(f"{sign(document.tone, glyphs)} {document.verdict}", tone(document.tone))


def _summary(document: ReportDocument, glyphs: Glyphs) -> ReportPart:
    def lines(width: int) -> list[Line]:
        banner = [line(row, "warn") for row in wrapped(document.banner, width)]
        said = [line(f"  {row}") for row in wrapped(document.reason, width - 2)]
        facts = pairs((*document.facts, ("Made by", document.made_by)), width)
        return [*banner, (verdict_span(document, glyphs),), *said, (), *facts]

    short = (Span(document.verdict, tone(document.tone)), Span(f"  {document.reason}", "muted"))
    return ReportPart(title="Summary", short=short, lines=lines)


def _part(heading: Heading, blocks: list[Block], glyphs: Glyphs) -> ReportPart:
    return ReportPart(
        title=heading.short or heading.text,
        short=(Span(heading.result, tone(heading.tone)),),
        lines=cache(lambda width: block_lines(blocks, width, glyphs)),  # a wide screen shows all at each move
        anchor=heading.anchor,
    )
