"""The arrays of a run: members, sync bar, speed, time to go; predicted against elapsed; the slowest member."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.tui.jobs.run_view import RunView
from raidtui.tui.screens.build.array_lines import clock_words, slowest, sync_lines
from raidtui.tui.screens.build.forecast import Forecast
from raidtui.tui.terminal.text import Line, Span
from raidtui.tui.widgets.pane import Pane, nothing


class SyncBars(Pane):
    """One line an array, under the member that holds one back; only lines that changed are drawn again."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("Arrays", id=id)
        self.slow: str | None = None

    def show(self, seen: RunView | None, forecast: Forecast) -> None:
        """The arrays as they are now."""
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
        """Lines that show all of it, heading included."""
        return 1 + len(self.fixed_lines(0)) + max(self.line_count(), 1)

    def fixed_lines(self, width: int) -> Sequence[Line]:
        """The slowest member, where there is one."""
        del width
        return () if self.slow is None else ((Span(f"{self.glyphs.alert} {self.slow}", "warn"),),)
