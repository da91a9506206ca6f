"""Log pane: the journal of a run; it follows the end until the cursor is moved up."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.tui.jobs.run_view import RunView
from raidtui.tui.screens.build.array_lines import slots_of
from raidtui.tui.screens.build.lines import LogEntry, entries, entry_line
from raidtui.tui.widgets.pane import Pane


class BuildLogPane(Pane):
    """Time, step, event."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("Log, times in UTC", pickable=True, id=id)
        self.keeps_mark = False
        self.entries: Sequence[LogEntry] = ()
        self._read: object = None

    def show(self, seen: RunView | None) -> None:
        """Updates the log."""
        records = seen.records if seen is not None else ()
        if records is self._read:
            return
        at_end = self.cursor >= len(self.entries) - 1
        self._read, self.entries = records, entries(records, slots_of(seen.act)) if seen is not None else ()
        self.renew(lambda _: [entry_line(entry) for entry in self.entries])
        if at_end:
            self.move_to(len(self.entries) - 1)

    @property
    def entry(self) -> LogEntry | None:
        """The line under the cursor."""
        return self.entries[self.cursor] if self.entries else None
