"""The level axis below a field of cells, as lines."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Span


def floor(ticks: Sequence[tuple[int, str]], columns: int, indent: int, glyphs: Glyphs) -> tuple[Line, Line]:
    """The level axis below a field of `columns`, and the figures of its ticks (column, words) where they find room."""
    rule, labels = [glyphs.rule] * columns, [" "] * (columns + indent + 1)
    free = 0
    for column, text in ticks:
        start = min(max(column + indent + 1 - len(text) // 2, 0), len(labels) - len(text))
        if start >= free:
            rule[column] = glyphs.tick_below
            labels[start : start + len(text)] = text
            free = start + len(text) + 2
    return (
        (Span(" " * indent), Span(glyphs.corners[2] + "".join(rule), "rule")),
        (Span("".join(labels), "muted"),),
    )
