"""Figures of the design, with the difference to a saved one beside them."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.tui.pane import Pane
from raidtui.tui.results import Result
from raidtui.tui.text import Line, Span, Tone, fit

_TITLE = 14
_EDGE = 64
"""cells from title to difference at most, so that they can be read together"""


class ResultPane(Pane):
    """One figure a line."""

    def __init__(self, heading: str, *, id: str | None = None) -> None:
        super().__init__(heading, pickable=True, id=id)
        self.results: Sequence[Result] = ()
        self.saved: dict[str, int] = {}
        self.against = ""
        self.keeps_mark = False

    def show(self, results: Sequence[Result], saved: Sequence[Result], against: str) -> None:
        """`results`, and their differences to `saved`, which is called `against`."""
        self.results, self.against = results, against
        self.saved = {result.title: result.number for result in saved if result.number is not None}
        self.aside = f"difference to {against}" if against else ""
        self.keep_in_view()
        self.refresh()

    def line_count(self) -> int:
        """One line a figure."""
        return len(self.results)

    def line_at(self, index: int, width: int) -> Line:
        """Title, figure, difference."""
        result = self.results[index]
        tone: Tone = "strong" if result.strong else "text"
        title = Span(f"{result.title:<{_TITLE}}", "muted")
        if not self.against:
            return (title, Span(result.value, tone))
        delta, delta_tone = self._delta(result)
        edge = min(width, _EDGE)
        room = max(edge - _TITLE - len(delta) - (1 if delta else 0), 1)
        return (title, Span(fit(result.value, room, self.glyphs), tone), Span(f" {delta}" if delta else "", delta_tone))

    def _delta(self, result: Result) -> tuple[str, Tone]:
        before = self.saved.get(result.title)
        if result.number is None or before is None:
            return "", "muted"
        difference = result.number - before
        return result.delta(difference), "muted" if difference == 0 else "title"
