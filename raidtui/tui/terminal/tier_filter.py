"""Line filter that replaces every character that the terminal's tier cannot show.

Our widgets use the glyph table and do not need it; Textual's own widgets (input, palette) draw eighth
blocks, which no console font has. Line filters are public in Textual but meant for internal use; no other
file uses them.
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
        """`segments` with every text translated; Textual's control segments are kept."""
        del background
        return [
            segment if segment.control else Segment(translated(segment.text, self.glyphs), segment.style)
            for segment in segments
        ]
