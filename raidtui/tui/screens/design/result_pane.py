"""Results pane: results of the design, with differences to a saved one."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from raidtui.model.safe import safe
from raidtui.planner.figures.row import FigureRow
from raidtui.tui.screens.design.result import difference_from
from raidtui.tui.terminal.text import Line, Span, Tone, fit
from raidtui.tui.widgets.pane import Pane

_TITLE = 14
_FIGURE = 10
"""cells that shorter figures are aligned in, so that their units stand below each other"""
_EDGE = 64
"""maximum width from title to difference, so that the eye can follow a line"""


class ResultPane(Pane):
    """One result per line."""

    def __init__(self, heading: str, *, id: str | None = None) -> None:
        super().__init__(heading, pickable=True, id=id)
        self.results: Sequence[FigureRow] = ()
        self.saved: dict[str, float] = {}
        self.against = ""
        self.keeps_mark = False

    def show(self, results: Sequence[FigureRow], saved: Sequence[FigureRow], against: str) -> None:
        """`results`, and their differences to `saved`, a design named `against`."""
        self.results, self.against = results, against
        self.saved = {result.label: result.number for result in saved if result.number is not None}
        self.aside = f"difference from {against}" if against else ""
        self.keep_in_view()
        self.refresh_changes()

    def heading_of(self, index: int) -> str:
        """The title of a line; an indented line is prefixed with the title above it."""
        result = self.results[index]
        if not result.inner:
            return result.title
        above = next((each.title for each in self.results[index::-1] if not each.inner), "")
        return f"{above}: {result.title}"

    def line_count(self) -> int:
        """One line a figure."""
        return len(self.results)

    def line_at(self, index: int, width: int) -> Line:
        """Title, value, remarks as far as they fit, difference."""
        result = self.results[index]
        tone: Tone = "strong" if result.strong else "text"
        title = Span(f"{result.label:<{_TITLE}}", "muted")
        found = difference_from(result, self.saved.get(result.label), self.glyphs) if self.against else None
        delta, delta_tone = found or Span("", "muted")
        edge = min(width, _EDGE) if self.against else width
        room = max(edge - _TITLE - len(delta) - (1 if delta else 0), 1)
        value = safe(result.value)
        if cell_len(value) > room:
            value = fit(value, room, self.glyphs)
        elif result.number is not None and cell_len(value) < _FIGURE:
            value = fit(value, min(_FIGURE, room), self.glyphs, right=True)
        aside = _said(result.notes, room - cell_len(value))
        gap = " " * (room - cell_len(value) - cell_len(aside)) if delta else ""
        tail = Span(f"{gap} {delta}", delta_tone) if delta else Span("")
        return (title, Span(value, tone), Span(aside, "muted"), tail)


def _said(asides: Sequence[str], room: int) -> str:
    """As many of `asides` as fit uncut into `room` cells, in order."""
    said = ""
    for aside in asides:
        more = f"{said}  {safe(aside)}" if aside else said
        if cell_len(more) > room:
            break
        said = more
    return said
