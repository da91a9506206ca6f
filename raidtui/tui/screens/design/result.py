"""Differences of a design's figures from those of a saved one, with a mark for better or worse."""

from __future__ import annotations

from raidtui.planner.figures.row import FigureRow
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Span


def difference_from(result: FigureRow, before: float | None, glyphs: Glyphs, *, short: bool = False) -> Span | None:
    """The difference of `result` from a saved design's number, with its sign, unit and a mark for better or worse.

    None if they cannot be compared. `short`: for a narrow column.
    """
    if result.number is None or before is None:
        return None
    delta = (result.short_delta if short else None) or result.delta
    words = delta(result.number - before)
    if words == "=":
        return Span(words, "muted")
    if not result.better:
        return Span(words, "title")
    gains = (result.number > before) == (result.better == "more")
    return Span(f"{glyphs.better if gains else glyphs.worse} {words}", "good" if gains else "warn")
