"""Horizontal axis below a plot, as lines."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Span


def floor(ticks: Sequence[tuple[int, str]], columns: int, indent: int, glyphs: Glyphs) -> tuple[Line, Line]:
    """The axis below a plot of `columns` cells, and the labels of its ticks (column, text) where they fit."""
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
