"""The last gate before the terminal: no character leaves that the terminal's tier cannot show.

Own widgets draw from the glyph table and need it for nothing; stock widgets (input, palette) draw
eighth blocks that no console font has. Line filters are public in Textual but meant for its own use,
so this is the only file that knows of them.
"""

from __future__ import annotations

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from raidtui.tui.terminal.glyphs import Glyphs, translated


class TierFilter(LineFilter):
    """Replaces characters outside the tier, and control characters in every tier."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__()
        self.glyphs = glyphs

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """`segments` with every text translated; Textual's own control segments pass."""
        del background
        return [
            segment if segment.control else Segment(translated(segment.text, self.glyphs), segment.style)
            for segment in segments
        ]
