"""Refusals, warnings and notes, each with its way out."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.model.finding import Finding
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Span, Tone, severity_mark, wrapped
from raidtui.tui.widgets.pane import Pane


class FindingsPane(Pane):
    """What there is to say about the design, gravest first."""

    def show(self, findings: Sequence[Finding]) -> None:
        """Replaces the findings and scrolls to the most severe one."""
        self.top = 0
        self.more = ", z zooms"
        self.put(lambda width: finding_lines(findings, width, self.glyphs))


def finding_lines(findings: Sequence[Finding], width: int, glyphs: Glyphs) -> list[Line]:
    """`findings` wrapped to `width` cells; one line if there are none."""
    if not findings:
        return [(Span(f"{glyphs.good} ", "good"), Span("no findings"))]
    lines: list[Line] = []
    for finding in findings:
        sign, _, tone = mark = severity_mark(finding.severity, glyphs)
        head = f"{sign} {mark.word}: "
        text_tone: Tone = "text" if finding.severity != "note" else "muted"
        rows = list(wrapped(f"{head}{finding.message}", width))
        lines.append((Span(head, tone), Span(rows[0][len(head) :], text_tone)))
        lines += [(Span(f"  {row}", text_tone),) for row in wrapped(" ".join(rows[1:]), width - 2)]
        lines += [(Span(f"  {row}", "good"),) for row in wrapped(finding.way_out, width - 2)]
    return lines
