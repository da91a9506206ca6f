"""The headline figures at the top of Design, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Offset

from raidtui.tui.terminal.text import Line, Span, Tone, cells, fit
from raidtui.tui.widgets.axes import HIGH, big_digits
from raidtui.tui.widgets.lines import difference_span
from raidtui.tui.widgets.pane import Pane
from raidtui.values.blocks import FigureRow, Figures

_IN_TURN = (3, 0, 1, 4, 2)
"""the loss gets room for its note first: it is the figure to plan with"""


class AnswerStrip(Pane):
    """Names in the heading, figures below, a detail line, and differences if a design is compared with.

    On a framed screen with the glyphs for it the digits are three lines high. The cursor moves sideways.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l", "step(1)", "next figure", show=False),
        Binding("left,h", "step(-1)", "previous figure", show=False),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("Answer", id=id)
        self.shown = Figures(rows=())
        self.refusal = ""
        """reason why there are no figures"""

    def show(self, figures: Figures, refusal: str) -> None:
        """Replaces the figures."""
        self.shown, self.refusal = figures, refusal
        self.cursor = max(0, min(self.cursor, len(figures.rows) - 1))
        self.refresh_changes()

    @property
    def figures(self) -> Sequence[FigureRow]:
        """The figures, from the left."""
        return self.shown.rows

    @property
    def figure(self) -> FigureRow | None:
        """The figure under the cursor."""
        return self.figures[self.cursor] if self.figures else None

    def height(self, width: int, boxed: bool) -> int:
        """Lines that the strip takes with its heading or frame, in `width` cells."""
        return self._lines_in(width - (4 if boxed else 2), boxed) + (2 if boxed else 1)

    # A pane whose cursor moves sideways.

    def move_to(self, index: int) -> None:
        """Puts the cursor on another figure."""
        index = max(0, min(index, len(self.figures) - 1))
        if index != self.cursor:
            self.cursor = index
            self.refresh()
            self.post_message(self.Moved(self, index))

    def keep_in_view(self) -> None:
        """Every figure is always visible."""

    def action_step(self, by: int) -> None:
        """Moves to the next figure, or the previous one."""
        self.move_to(self.cursor + by)

    def action_jump(self, to: int) -> None:
        """Moves to the first figure (0) or the last (-1)."""
        self.move_to(0 if to == 0 else len(self.figures) - 1)

    def on_click(self, event: events.Click) -> None:
        """Moves the cursor to the clicked figure."""
        left, widths = event.x - self._margin, self._widths(self.inner_width())
        for index in range(len(widths)):
            if left < sum(widths[: index + 1]):
                self.move_to(index)
                return

    def caret(self) -> Offset:
        """The figure under the cursor."""
        return Offset(self._margin + sum(self._widths(self.inner_width())[: self.cursor]), 1)

    # Drawing.

    def line_count(self) -> int:
        """Figures, details, differences."""
        return self._lines_in(self.inner_width(), self.boxed)

    def _lines_in(self, width: int, boxed: bool) -> int:
        return 1 if self.refusal else self._figure_lines(width, boxed) + 1 + bool(self.shown.before)

    def line_at(self, index: int, width: int) -> Line:
        """One line of all figures."""
        if self.refusal:
            return (Span(fit(self.refusal, width, self.glyphs), "bad"),)
        high = self._figure_lines(width, self.boxed)
        spans: list[Span] = []
        last = len(self.figures) - 1
        for number, (figure, room) in enumerate(zip(self.figures, self._widths(width), strict=True)):
            if index < high:
                tone: Tone = "cursor" if self.has_focus and number == self.cursor else "strong"
                spans += self._figure(figure, index, high, tone, room)
                continue
            note = Span(next((text for text in figure.notes if cells(text) < room - (number < last)), ""), "muted")
            text = note if index == high else self._difference(number, room - 1)
            spans += [Span(fit(text.text, room - 1, self.glyphs), text.tone), Span(" " * (number < last))]
        return tuple(spans)

    def _difference(self, number: int, room: int) -> Span:
        """The difference from the design compared with; its shorter text if the longer one does not fit."""
        figure, before = self.figures[number], self.shown.before[number]
        found = difference_span(figure.difference(before), self.glyphs)
        return (
            found if cells(found.text) <= room else difference_span(figure.difference(before, short=True), self.glyphs)
        )

    def _figure(self, figure: FigureRow, index: int, high: int, tone: Tone, room: int) -> list[Span]:
        if high == 1:
            spans = [Span(fit(figure.value, min(cells(figure.value), room - 1), self.glyphs), tone)]
        else:
            base = index == high - 1
            before, number, after = _parts(figure)
            words = [before, big_digits(number, self.glyphs.digits)[index], after.lstrip()]
            shown = [word if base or at == 1 else " " * cells(word) for at, word in enumerate(words)]
            spans = [Span(shown[0], "muted"), Span(shown[1], tone), Span(shown[2], "strong")]
        used = sum(cells(span.text) for span in spans)
        return [*spans, Span(" " * (room - used - (figure is self.figures[-1])))]

    def _figure_lines(self, width: int, boxed: bool) -> int:
        """Height of the numbers: one line, or that of large digits where all of them fit."""
        if not (boxed and self.glyphs.digits):
            return 1
        fits = all(self._large(each) < room for each, room in zip(self.figures, self._widths(width), strict=True))
        return HIGH if fits else 1

    def _large(self, figure: FigureRow) -> int:
        before, number, after = _parts(figure)
        return cells(f"{before}{big_digits(number, self.glyphs.digits)[0]}{after.lstrip()}")

    def _widths(self, width: int) -> tuple[int, ...]:
        """Widths of the columns, each with a blank at its end; the last one's is the margin.

        First what values and differences need, then a note, large digits and the longest note of each as far as there
        is room, the rest evenly.
        """
        wanted = [self._wanted(number) for number in range(len(self.figures))]
        found, free = [first for first, *_ in wanted], width + 1 - sum(first for first, *_ in wanted)
        for stage in range(1, 4):
            for number in _IN_TURN if len(wanted) == len(_IN_TURN) else range(len(wanted)):
                more = max(wanted[number][stage] - found[number], 0)
                if more <= free:
                    found[number], free = found[number] + more, free - more
        for number in range(max(free, 0)):
            found[number % len(found)] += 1
        return tuple(found)

    def _wanted(self, number: int) -> tuple[int, int, int, int]:
        """Cells for value and shortest difference; with the shortest note; with large digits; with the longest text."""
        figure = self.figures[number]
        before = self.shown.before[number] if self.shown.before and self.inner_height > 2 else None
        short, long = (
            cells(difference_span(figure.difference(before, short=each), self.glyphs).text) for each in (True, False)
        )
        notes = [cells(note) for note in figure.notes] or [0]
        least = max(cells(figure.value), short, len(figure.title))
        large = self._large(figure) if self.boxed and self.glyphs.digits else 0
        gap = number < len(self.figures) - 1
        longest = max(least, large, long, max(notes) + gap)
        return least + 1, max(least, min(notes) + gap) + 1, max(least, large) + 1, longest + 1

    def heading_line(self, width: int, boxed: bool) -> Line:
        """The names of the figures in the rule."""
        if not self.figures:
            return super().heading_line(width, boxed)
        glyphs, edge = self.glyphs, self.edge_tone()
        spans: list[Span] = [Span(f"{glyphs.corners[0]} " if boxed else " ", edge)]
        for number, (figure, room) in enumerate(zip(self.figures, self._widths(self.inner_width()), strict=True)):
            on = self.has_focus and number == self.cursor
            rule = f" {glyphs.rule * (room - len(figure.title) - 2)}{' ' if number < len(self.figures) - 1 else ''}"
            spans += [Span(figure.title, "head-on" if on else "head"), Span(rule, edge)]
        return (*spans, Span(glyphs.rule + glyphs.corners[1] if boxed else " ", edge))


def _parts(figure: FigureRow) -> tuple[str, str, str]:
    """What is before the large digits, these, and what is behind them."""
    before, number, after = figure.value.rpartition(figure.large) if figure.large else ("", "", figure.value)
    return before, number, after
