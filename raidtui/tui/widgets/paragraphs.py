"""Report sections as values, and helpers that build their lines. Nothing here draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from raidtui.tui.terminal.text import Line, Span, line, wrapped


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A section of a report."""

    title: str
    short: Line
    """its result in one line"""
    lines: Callable[[int], list[Line]]
    """the full text for a width"""
    compares: bool = False
    """True for the comparison with another report"""


def pairs(facts: Sequence[tuple[str, str]], width: int) -> list[Line]:
    """Names and values in two columns, values wrapped."""
    wide = min(max((len(name) for name, _ in facts), default=0), max(width // 2, 8))
    found: list[Line] = []
    for name, value in facts:
        first, *rest = [*wrapped(value, max(width - wide - 2, 10))] or [""]
        found.append((Span(f"{name[:wide]:<{wide}}  ", "muted"), Span(first)))
        found += [(Span(" " * (wide + 2)), Span(row)) for row in rest]
    return found


def paragraph(text: str, width: int) -> list[Line]:
    """`text` wrapped to `width` cells."""
    return [line(row) for row in wrapped(text, width)]
