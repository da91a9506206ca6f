"""Table of the parts of the scripts of a plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from raidtui.model.plan import Risk
from raidtui.planner.export.parts import Part, Script
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Span, fit, risk_mark
from raidtui.tui.widgets.pane import Pane

_LEAST = 12
"""cells of a title"""


@dataclass(frozen=True, slots=True)
class PartRow:
    """A part of a script."""

    script: Script
    number: int
    """of the part, from 1; 0: the head of the script, with its disks"""

    @property
    def part(self) -> Part | None:
        """The part; None for the head."""
        return self.script.parts[self.number - 1] if self.number else None

    @property
    def title(self) -> str:
        """What it does."""
        return "Disks and functions" if self.part is None else self.part.title

    @property
    def risk(self) -> Risk:
        """How much it can hurt."""
        return "none" if self.part is None else self.part.risk

    @property
    def erases(self) -> int:
        """Disks whose content is gone after it."""
        return 0 if self.part is None else self.part.erases


class PartsPane(Pane):
    """Script, number, title, risk, disks erased."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("Scripts", pickable=True, id=id)
        self.rows: Sequence[PartRow] = ()

    def show(self, scripts: Sequence[Script]) -> None:
        """Replaces the parts."""
        self.rows = [PartRow(script, number) for script in scripts for number in range(len(script.parts) + 1)]
        self.keep_in_view()
        self.refresh()

    @property
    def row(self) -> PartRow | None:
        """The part under the cursor."""
        return self.rows[self.cursor] if self.rows else None

    def line_count(self) -> int:
        """One line per part."""
        return len(self.rows)

    def _widths(self, width: int) -> tuple[int, int]:
        """Widths of script and title."""
        file = max(len(row.script.file) for row in self.rows)
        risk = 2 + max(len(_risk_words(row, self.glyphs)) for row in self.rows)
        longest = max(len(row.title) for row in self.rows)
        return file, max(min(longest, width - file - risk - 8), _LEAST)

    def fixed_lines(self, width: int) -> Sequence[Line]:
        """Column titles."""
        if not self.rows:
            return ()
        file, title = self._widths(width)
        return ((Span(f"{'script':<{file}}   #  {'part':<{title}}  risk", "muted"),),)

    def line_at(self, index: int, width: int) -> Line:
        """One part."""
        row = self.rows[index]
        mark = risk_mark(row.risk, self.glyphs)
        file, title = self._widths(width)
        name = row.script.file if row.number == 0 else ""
        return (
            Span(f"{name:<{file}}  ", "strong"),
            Span(f"{row.number or '':>2}  ", "muted"),
            Span(fit(row.title, title, self.glyphs) + "  "),
            Span(f"{mark.glyph} {_risk_words(row, self.glyphs)}", mark.tone),
        )


def _risk_words(row: PartRow, glyphs: Glyphs) -> str:
    """The risk of a part, and the number of disks that it erases."""
    return f"{risk_mark(row.risk, glyphs).word}{f' {row.erases}' if row.erases else ''}"
