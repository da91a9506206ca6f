"""Refusals, warnings and notes, each with its way out; Enter opens one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Mark, Span, Tone, severity_mark, wrapped
from raidtui.tui.widgets.pane import Pane
from raidtui.values.findings import Finding


class FindingsPane(Pane):
    """What there is to say about the design, gravest first. The cursor moves from finding to finding."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open_finding", "whole text", tooltip="the finding under the cursor: its whole text, what to "
                "do, and its disk", id="findings.open", priority=True),
    ]  # fmt: skip

    @dataclass
    class Opened(Message):
        """Enter was pressed on a finding."""

        finding: Finding

    def __init__(self, heading: str, *, id: str | None = None) -> None:
        super().__init__(heading, pickable=True, id=id)
        self.keeps_mark = False
        self.findings: Sequence[Finding] = ()
        self._starts: tuple[int, ...] = (0,)
        """line on which each finding starts"""

    def show(self, findings: Sequence[Finding]) -> None:
        """Replaces the findings and moves to the most severe one."""
        self.findings = findings
        self.top = self.cursor = 0
        self.renew(self._lines_of)

    def _lines_of(self, width: int) -> list[Line]:
        if not self.findings:
            return finding_lines((), width, self.glyphs)
        lines: list[Line] = []
        starts: list[int] = []
        for finding in self.findings:
            starts.append(len(lines))
            lines += finding_lines((finding,), width, self.glyphs)
        self._starts = tuple(starts)
        return lines

    @property
    def number(self) -> int:
        """Number of the finding under the cursor, from 0."""
        return max((number for number, start in enumerate(self._starts) if start <= self.cursor), default=0)

    def move_to(self, index: int) -> None:
        """Puts the cursor on the first line of the finding that line `index` belongs to."""
        super().move_to(next((start for start in reversed(self._starts) if start <= index), 0))

    def action_move(self, by: int) -> None:
        """Moves to the first finding that starts `by` lines away or beyond."""
        index = self.cursor + by
        self.move_to(next((start for start in self._starts if start >= index), self._starts[-1]) if by > 0 else index)

    def keep_in_view(self) -> None:
        """Also shows the last line of the finding under the cursor, where all of it fits."""
        super().keep_in_view()
        after = (*self._starts, self.line_count())[self.number + 1] if self.size and self.findings else 0
        if after > self.top + self.room():
            self.top = min(after - self.room(), self.cursor)

    def action_open_finding(self) -> None:
        """Posts `Opened`."""
        if self.findings:
            self.post_message(self.Opened(self.findings[self.number]))

    def _position(self) -> str:
        count = len(self.findings)
        if not count:
            return ""
        return f"{self.number + 1} of {count}, Enter opens" if self.has_focus else f"{count}, z zooms"


def finding_lines(findings: Sequence[Finding], width: int, glyphs: Glyphs) -> list[Line]:
    """`findings` wrapped to `width` cells; one line if there are none."""
    if not findings:
        return [(Span(f"{glyphs.good} ", "good"), Span("no findings"))]
    return [row for finding in findings for row in _lines_of(finding, width, severity_mark(finding.severity, glyphs))]


def _lines_of(finding: Finding, width: int, mark: Mark) -> tuple[Line, ...]:
    head = f"{mark.glyph} {mark.word}: "
    tone: Tone = "text" if finding.severity != "note" else "muted"
    rows = list(wrapped(f"{head}{finding.message}", width))
    return (
        (Span(head, mark.tone), Span(rows[0][len(head) :], tone)),
        *((Span(f"  {row}", tone),) for row in wrapped(" ".join(rows[1:]), width - 2)),
        *((Span(f"  {row}", "good"),) for row in wrapped(finding.way_out, width - 2)),
    )
