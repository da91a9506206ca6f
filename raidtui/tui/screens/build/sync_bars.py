"""Arrays of a run: members, sync bar, rate, remaining time; predicted and elapsed time; the slowest member."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.tui.jobs.run_view import RunView
from raidtui.tui.screens.build.array_lines import clock_words, slowest, sync_lines
from raidtui.tui.screens.build.forecast import Forecast
from raidtui.tui.terminal.text import Line, Span
from raidtui.tui.widgets.pane import Pane, nothing


class SyncBars(Pane):
    """One line per array below the slowest member; only changed lines are redrawn."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("Arrays", id=id)
        self.slow: str | None = None

    def show(self, seen: RunView | None, forecast: Forecast) -> None:
        """Updates the arrays."""
        glyphs = self.glyphs
        if seen is None:
            self.slow = None
            self.renew(nothing)
            return
        before, self.slow = self.slow, slowest(seen, forecast)
        self.renew(lambda width: sync_lines(seen, forecast, width, glyphs), aside=clock_words(seen, forecast))
        if self.slow != before:
            self.refresh()

    @property
    def wanted(self) -> int:
        """Number of lines needed, heading included."""
        return 1 + len(self.fixed_lines(0)) + max(self.line_count(), 1)

    def fixed_lines(self, width: int) -> Sequence[Line]:
        """The slowest member, if there is one."""
        del width
        return () if self.slow is None else ((Span(f"{self.glyphs.alert} {self.slow}", "warn"),),)
