"""Pane with frequently changing lines: it redraws only the cells that differ from the screen."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import get_args

from rich.segment import Segment
from textual.geometry import Region

from raidtui.tui.terminal.app_base import terminal_of
from raidtui.tui.terminal.glyphs import translated
from raidtui.tui.terminal.partial_repaint import ScreenPiece
from raidtui.tui.terminal.text import Line, Span, Tone, cells, is_narrow
from raidtui.tui.widgets.pane import Pane

_GAP = 5
"""largest gap in cells between two changes that is cheaper to send again than to skip"""


class LivePane(Pane):
    """Base of live panes: subclasses return the lines; their text is already safe and as wide as its cells."""

    def __init__(self, heading: str, *, id: str | None = None) -> None:
        super().__init__(heading, id=id)
        self._drawn: dict[int, Line] = {}
        """lines on the screen; 0 is the heading"""
        self.inside = 0
        """lines under the heading"""

    # Overridden by subclasses.

    def line_now(self, y: int, width: int) -> Line:
        """Line `y` under the heading, counted from 0, in `width` cells."""
        del y, width
        return ()

    def lines_now(self) -> int:
        """Number of lines under the heading that are not empty."""
        return 0

    # Drawing.

    def repaint_changes(self) -> None:
        """Sends the changes; redraws everything if the screen does not show this pane's last lines."""
        if not self.is_mounted or not self.region:
            return
        self._check_shape()
        if not self._drawn:
            self.refresh()
            return
        width, whole, offset = self.inner_width(), self.size.width, 2 if self.boxed else 1
        found: list[tuple[int, int, int, Line]] = []
        for y in range(self.lines_now() + 1):
            before = self._drawn.get(y)
            now = self.line_now(y - 1, width) if y else self.heading_now(whole, self.boxed)
            if before is not None and before != now:
                self._drawn[y] = now
                self._strips.pop(y, None)
                x, end = (offset, width) if y else (0, whole)
                shown = joined(now)
                found += ((y, x + a, x + b, _cut(shown, a, b)) for a, b in changes(before, now, end))
        if found and not terminal_of(self).paint_on(self, self._pieces(found)):
            self.refresh(*(Region(first, y, last - first, 1) for y, first, last, _ in found))

    def _pieces(self, found: Sequence[tuple[int, int, int, Line]]) -> Iterator[ScreenPiece]:
        glyphs, styles = self.glyphs, terminal_of(self).sent_styles
        for y, first, last, spans in found:
            segments = [Segment(translated(text, glyphs), styles[tone]) for text, tone in spans]
            rest = last - first - sum(cells(segment.text) for segment in segments)
            if rest > 0:
                segments.append(Segment(" " * rest, styles["text"]))
            yield ScreenPiece(first, y, segments)

    def heading_line(self, width: int, boxed: bool) -> Line:
        """The heading line, kept for the next comparison."""
        made = self._drawn[0] = self.heading_now(width, boxed)
        return made

    def heading_now(self, width: int, boxed: bool) -> Line:
        """The heading line."""
        return super().heading_line(width, boxed)

    def _body(self, y: int, width: int) -> tuple[Line, Tone]:
        made = self._drawn.get(y + 1)
        if made is None:
            made = self._drawn[y + 1] = self.line_now(y, width)
        return joined(made), "text"

    def _check_shape(self) -> None:
        super()._check_shape()
        self.inside = self.size.height - (2 if self.boxed else 1)

    def _forget(self) -> None:
        super()._forget()
        self._drawn.clear()


def changes(before: Line, now: Line, width: int) -> list[tuple[int, int]]:
    """Ranges of cells in which two lines of `width` cells differ; nearby ranges are merged.

    All cells are compared at once, as long numbers: a call for each span of a thousand disks is felt.
    """
    old, new = _text(before, width), _text(now, width)
    if not (is_narrow(old) and is_narrow(new)):
        return [] if before == now else [(0, width)]
    if old.isascii() and new.isascii():
        cell = _differing(old.encode("ascii"), new.encode("ascii"))
    else:
        both = _differing(old.encode("utf-16-le"), new.encode("utf-16-le")).to_bytes(2 * width, "little")
        cell = int.from_bytes(both[::2], "little") | int.from_bytes(both[1::2], "little")
    if [(len(text), tone) for text, tone in before] != [(len(text), tone) for text, tone in now]:
        cell |= _differing(_tones(before, width), _tones(now, width))
    return [match.span() for match in _CHANGED.finditer(cell.to_bytes(width, "little"))]


_CHANGED = re.compile(rb"[^\0](?:\0{0,%d}[^\0])*" % _GAP)
_TONES = {tone: bytes((number,)) for number, tone in enumerate(get_args(Tone))}


def _text(spans: Line, width: int) -> str:
    """The characters of `width` cells."""
    return "".join([span.text for span in spans])[:width].ljust(width)


def _tones(spans: Line, width: int) -> bytes:
    """A byte for the tone of each of `width` cells."""
    tones = b"".join([_TONES[tone] * len(text) for text, tone in spans])[:width]
    return tones + _TONES["text"] * (width - len(tones))


def _differing(old: bytes, new: bytes) -> int:
    """A number whose bytes are zero where two texts of equal length agree."""
    return int.from_bytes(old, "little") ^ int.from_bytes(new, "little")


def _cut(spans: Line, first: int, last: int) -> Line:
    """The cells from `first` to `last` of a line; a range splits only texts of narrow characters."""
    found: list[Span] = []
    x = 0
    for span in spans:
        text = span.text
        end = x + (len(text) if text.isascii() else cells(text))
        if end > first and x < last:
            if x >= first and end <= last:
                found.append(span)
            else:
                found.append(Span(span.text[max(first - x, 0) : last - x], span.tone))
        if end >= last:
            return tuple(found)
        x = end
    return tuple(found)


def joined(spans: Sequence[Span]) -> Line:
    """Merges adjacent spans of the same tone."""
    found: list[Span] = []
    text = ""
    tone: Tone = "text"
    for span in spans:
        if span.tone == tone:
            text += span.text
        else:
            if text:
                found.append(Span(text, tone))
            text, tone = span.text, span.tone
    if text:
        found.append(Span(text, tone))
    return tuple(found)
