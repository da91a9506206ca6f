"""Spans to Textual strips: the only function that makes strips, so that every text passes `safe`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from raidtui.model.safe import safe
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Span, Tone, fit


def key_at(spans: Iterable[Span], x: int) -> str:
    """The key of the span that covers cell `x`; empty if there is none."""
    made = tuple(spans)
    number = span_at(made, x)
    return made[number].key if 0 <= number < len(made) else ""


def span_at(spans: Iterable[Span], x: int) -> int:
    """The number of the span that covers cell `x`; -1 if there is none."""
    at = 0
    for number, span in enumerate(spans):
        at += cell_len(safe(span.text))
        if x < at:
            return number
    return -1


def strip_of(spans: Iterable[Span], width: int, styles: Mapping[Tone, Style], glyphs: Glyphs, *, fill: Tone) -> Strip:
    """One line of exactly `width` cells: `spans` made safe, then cut or padded with blanks of tone `fill`."""
    return Strip(segments_of(spans, width, styles, glyphs, fill=fill), width)


def segments_of(
    spans: Iterable[Span], width: int, styles: Mapping[Tone, Style], glyphs: Glyphs, *, fill: Tone
) -> list[Segment]:
    """What the strip consists of."""
    segments: list[Segment] = []
    left = width
    for text, tone in spans:
        shown = safe(text)
        cells = len(shown) if shown.isascii() else cell_len(shown)
        if cells > left:
            shown = fit(shown, left, glyphs)
            cells = left
        if cells:
            segments.append(Segment(shown, styles[tone]))
            left -= cells
        if not left:
            break
    if left:
        segments.append(Segment(" " * left, styles[fill]))
    return segments
