"""Spans to Textual strips: the only function that makes strips, so that every text passes `safe`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from raidtui.model.safe import safe
from raidtui.tui.terminal.glyphs import Glyphs, translated
from raidtui.tui.terminal.text import Line, Span, Tone, fit


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


def strip_of(
    spans: Iterable[Span], width: int, styles: Mapping[Tone, Style], glyphs: Glyphs, *, fill: Tone,
    left: Line = (), right: Line = (),
) -> Strip:  # fmt: skip
    """One line: `spans`, made safe, in exactly `width` cells, cut or padded with blanks of tone `fill`.

    `left` and `right` stand beside them, a cell each.
    """
    segments = [Segment(text, styles[tone]) for text, tone in left]
    free = width
    for text, tone in spans:
        shown = translated(safe(text), glyphs)
        cells = len(shown) if shown.isascii() else cell_len(shown)
        if cells > free:
            shown = fit(shown, free, glyphs)
            cells = free
        if cells:
            segments.append(Segment(shown, styles[tone]))
            free -= cells
        if not free:
            break
    if free:
        segments.append(Segment(" " * free, styles[fill]))
    segments += [Segment(text, styles[tone]) for text, tone in right]
    return Strip(segments, width + len(left) + len(right)).simplify()
