"""Arrays of a run: members, sync bar, rate, remaining time; predicted and elapsed time; slowest member, or new disk."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.tui.jobs.run_view import RunView
from raidtui.tui.screens.build.array_lines import clock_words, slowest, sync_lines, taken_up
from raidtui.tui.screens.build.forecast import Forecast
from raidtui.tui.terminal.text import Line, Span
from raidtui.tui.widgets.pane import Pane, nothing


class SyncBars(Pane):
    """One line per array below the slowest member, or the disk that is filled; only changed lines are redrawn."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("Arrays", id=id)
        self.slow: Line | None = None

    def show(self, seen: RunView | None, forecast: Forecast) -> None:
        """Updates the arrays."""
        glyphs = self.glyphs
        if seen is None:
            self.slow = None
            self.renew(nothing)
            return
        before, slow, new = self.slow, slowest(seen, forecast), taken_up(seen)
        self.slow = None if slow is None else (Span(f"{glyphs.alert} {slow}", "warn"),)
        self.slow = self.slow if new is None else (Span(f"{glyphs.shut} {new}", "title"),)
        self.renew(lambda width: sync_lines(seen, forecast, width, glyphs), aside=clock_words(seen, forecast))
        if self.slow != before:
            self.refresh()

    @property
    def wanted(self) -> int:
        """Number of lines needed, heading included."""
        return 1 + len(self.fixed_lines(0)) + max(self.line_count(), 1)

    def fixed_lines(self, width: int) -> Sequence[Line]:
        """The slowest member, or the new disk, if there is one."""
        del width
        return () if self.slow is None else (self.slow,)
