"""Steps pane of a run: it follows the running step until the cursor is moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raidtui.session.run_view import RunView
from raidtui.tui.screens.build.lines import (
    Forecast,
    LogEntry,
    clock_words,
    entries,
    entry_line,
    run_step_mark,
    slots_of,
    slowest,
    sync_lines,
    taken_back,
    taken_up,
)
from raidtui.tui.terminal.text import Line, Span
from raidtui.tui.widgets.lines import step_line
from raidtui.tui.widgets.pane import Pane, nothing


class BuildStepsPane(Pane):
    """State, number, title, commands done, time."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("Steps", pickable=True, id=id)
        self.at_work = 0
        """the running step at the last update"""

    def show(self, seen: RunView | None) -> None:
        """Updates the steps."""
        if seen is None:
            self.aside = ""
            self.renew(nothing)
            return
        steps, run, glyphs = seen.act.steps, seen.run, self.glyphs
        undone = taken_back(seen.records)
        number = len(str(len(steps)))
        done = sum(progress.state == "done" for progress in run.steps)
        self.renew(
            lambda width: [
                step_line(
                    step,
                    progress,
                    run_step_mark(progress, seen, glyphs, undone=step.number in undone),
                    width,
                    number,
                    glyphs,
                    undone=step.number in undone,
                )
                for step, progress in zip(steps, run.steps, strict=True)
            ],
            aside=f"{len(undone)} undone" if seen.undone else f"{done} of {len(steps)} done",
        )
        self._follow(next((each.number for each in run.steps if each.state in ("running", "failed")), done))

    def _follow(self, now: int) -> None:
        if now and now != self.at_work and self.cursor + 1 in (self.at_work, 1):
            self.move_to(now - 1)
        self.at_work = now


# Log pane: the journal of a run; it follows the end until the cursor is moved up.


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


# Arrays of a run: members, sync bar, rate, remaining time; predicted and elapsed time; slowest member, or new disk.


class SyncBars(Pane):
    """One line per array below the slowest member, or the disk that is filled; only changed lines are redrawn."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("Arrays", id=id)
        self.slow: Line | None = None

    def show(self, seen: RunView | None, forecast: Forecast, lost: Mapping[str, str]) -> None:
        """Updates the arrays; `lost`: see `sync_lines`."""
        glyphs = self.glyphs
        if seen is None:
            self.slow = None
            self.renew(nothing)
            return
        before, slow, new = self.slow, slowest(seen, forecast), taken_up(seen)
        self.slow = None if slow is None else (Span(f"{glyphs.alert} {slow}", "warn"),)
        self.slow = self.slow if new is None else (Span(f"{glyphs.shut} {new}", "title"),)
        self.renew(lambda width: sync_lines(seen, forecast, width, glyphs, lost), aside=clock_words(seen, forecast))
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
