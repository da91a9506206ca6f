"""Hosts as lines: figures of all disks of each, the worst first. Only the visible lines are drawn."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from raidtui.model.fleet.gauges import FleetTick, HostCondition
from raidtui.model.units import grouped
from raidtui.planner.amounts import percent
from raidtui.planner.fleet.host_rows import HostRow
from raidtui.tui.gauges.views import figure, full, level
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Span, Tone, fit
from raidtui.tui.widgets.pane import Pane

KEPT_TICKS = 60
"""ticks of each host's history"""
_FIGURES = (("read", 7), ("write", 7), ("IOPS", 7), ("util", 6), ("await", 7), ("queue", 7))
_BY_RANK = (0, 1, 3, 4, 2, 5)
"""columns by priority"""
_LEAST_NAME, _LONGEST_NAME, _DISKS, _LEAST_WORDS = 4, 24, 6, 28
_WORDS_BESIDE_HISTORY = 44


class HostList(Pane):
    """A line a host; the cursor stays on its host while the order changes."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("Hosts, MB/s", pickable=True, id=id)
        self.rows: Sequence[HostRow] = ()
        self.empty = "asking the hosts"
        self._past: dict[str, deque[float | None]] = {}
        """MB/s of each tick; None where there are no figures of that tick"""
        self._scale = 1.0
        self._moved = False
        """True once the cursor was moved: until then it is on the worst host"""

    @property
    def row(self) -> HostRow | None:
        """The host under the cursor."""
        return self.rows[self.cursor] if 0 <= self.cursor < len(self.rows) else None

    def show(self, tick: FleetTick, rows: Sequence[HostRow]) -> None:
        """Shows the next tick."""
        before = self.row
        self.rows = rows
        for row in rows:
            past = self._past.setdefault(row.host, deque(maxlen=KEPT_TICKS))
            past.append(_speed(row) if tick.hosts[row.host].fresh else None)
        highest = max((value for past in self._past.values() for value in past if value is not None), default=0.0)
        self._scale = full(highest, 1.0)
        if before is not None and self._moved:
            self.cursor = next(at for at, row in enumerate(rows) if row.host == before.host)
        answered = sum(row.problem is None for row in rows)
        self.aside = f"{grouped(answered)} of {grouped(len(rows))} answered"
        self.keep_in_view()
        self.refresh()

    def move_to(self, index: int) -> None:
        """See Pane."""
        self._moved = True
        super().move_to(index)

    # Lines.

    def line_count(self) -> int:
        """One for each host."""
        return len(self.rows)

    def fixed_lines(self, width: int) -> Sequence[Line]:
        """All hosts together, and the titles."""
        if not self.rows:
            return ()
        name, columns, history = self._columns(width)
        titles = "".join(f"{_FIGURES[at][0]:>{_FIGURES[at][1]}}" for at in columns)
        past = (
            f"{f'last {KEPT_TICKS} polls, {figure(self._scale)} MB/s':<{history + 1}.{history + 1}}" if history else ""
        )
        return (
            self._together(),
            (Span(f"  {'host':<{name}}{'disks':>{_DISKS}}{titles}  ", "muted"), Span(past, "muted")),
        )

    def _together(self) -> Line:
        totals = [row.total for row in self.rows if row.total is not None and not row.stale]
        read = sum(total.read_bytes_per_s for total in totals) / 1e6
        written = sum(total.write_bytes_per_s for total in totals) / 1e6
        iops = sum(total.read_iops + total.write_iops for total in totals)
        return (
            Span(f"{grouped(len(totals))} with figures of this poll: ", "muted"),
            Span(f"{grouped(round(read))} MB/s read  {grouped(round(written))} write  {grouped(round(iops))} IOPS",
                 "strong"),
        )  # fmt: skip

    def line_at(self, index: int, width: int) -> Line:
        """The line of a host; the figures of one that did not answer are its last ones, in grey."""
        row = self.rows[index]
        name, columns, history = self._columns(width)
        mark, tone = _mark(row.condition, self.glyphs)
        disks = "" if row.disks is None else str(row.disks)
        figures = _figures(row)
        shown = "".join(f"{figures[at] if figures else '':>{_FIGURES[at][1]}}" for at in columns)
        quiet: Tone = "muted" if row.stale or row.total is None or not row.total.util else "text"
        spans = [
            Span(f"{mark} ", tone),
            Span(fit(row.host, name, self.glyphs), "strong" if tone != "text" else "text"),
            Span(f"{disks:>{_DISKS}}", "muted"),
            Span(f"{shown}  ", quiet),
        ]
        if history:
            spans += [Span(self._history(row.host, history), "a"), Span("  ")]
        used = sum(len(span.text) for span in spans)
        return (*spans, Span(fit(row.sentence, max(width - used, 0), self.glyphs), tone if row.sentence else "text"))

    def _columns(self, width: int) -> tuple[int, Sequence[int], int]:
        """Cells of the names, columns that fit, cells of the history."""
        name = min(max((len(row.host) for row in self.rows), default=_LEAST_NAME), _LONGEST_NAME)
        left = width - 2 - name - _DISKS - 2 - _LEAST_WORDS
        chosen = []
        for at in _BY_RANK:
            if left >= _FIGURES[at][1]:
                chosen.append(at)
                left -= _FIGURES[at][1]
        left -= _WORDS_BESIDE_HISTORY - _LEAST_WORDS + 2
        return name, sorted(chosen), min(left, KEPT_TICKS) if left >= 8 else 0

    def _history(self, host: str, cells: int) -> str:
        marks = self.glyphs.levels
        past = list(self._past.get(host, ()))[-cells:]
        return "".join(" " if value is None else marks[level(value, self._scale, len(marks))] for value in past).rjust(
            cells
        )


def _speed(row: HostRow) -> float | None:
    return None if row.total is None else (row.total.read_bytes_per_s + row.total.write_bytes_per_s) / 1e6


def _figures(row: HostRow) -> Sequence[str]:
    """Texts of all columns; none without figures, which are never shown as zero."""
    total = row.total
    if total is None:
        return ()
    return (
        figure(total.read_bytes_per_s / 1e6), figure(total.write_bytes_per_s / 1e6),
        figure(total.read_iops + total.write_iops), percent(total.util), figure(total.await_ms),
        figure(total.queue),
    )  # fmt: skip


def _mark(condition: HostCondition, glyphs: Glyphs) -> tuple[str, Tone]:
    match condition:
        case "no answer" | "degraded":
            return glyphs.failed, "bad"
        case "slow" | "slow disks":
            return glyphs.alert, "warn"
        case "first answer":
            return glyphs.unknown, "muted"
        case "running":
            return " ", "text"
