"""The four figures at the top of Design: room, failures survived, speed, loss. Nothing here draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Offset

from raidtui.answers.figures import capacity_rows, survives, usable
from raidtui.answers.risk import loss_in_a_year
from raidtui.answers.speed import read_and_write
from raidtui.session.decision import DesignOutcome
from raidtui.tui.screens.design.result import difference_from
from raidtui.tui.terminal.text import Line, Span, Tone, cells, fit
from raidtui.tui.widgets.axes import HIGH, big_digits
from raidtui.tui.widgets.pane import Pane
from raidtui.values.amounts import at_worst, odds
from raidtui.values.blocks import FigureRow
from raidtui.values.inventory import Disk
from raidtui.values.layout import Layout
from raidtui.values.prediction import Durability, Prediction
from raidtui.values.speed import Throughput


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadlineFigure:
    """One of the four figures."""

    result: FigureRow
    """its name, meaning and derivation, and the number to compare with a saved design"""
    before: str = ""
    """words before the number: `1 in`"""
    number: str = ""
    """the number itself, which is shown large where there is room; empty if words say it all"""
    after: str = ""
    """its unit, or all of its words"""
    details: tuple[str, ...] = ()
    """the line below, the longest text first"""

    @property
    def text(self) -> str:
        """The figure in one line."""
        return " ".join(part for part in (self.before, self.number, self.after) if part)


def answers(outcome: DesignOutcome) -> tuple[HeadlineFigure, ...]:
    """The four figures of a design; none of a refused one."""
    prediction = outcome.prediction
    if not prediction.arrays:
        return ()
    speed, risk = outcome.throughput, outcome.durability
    return (
        _room(prediction, outcome.disks),
        _survives(outcome.decision.design.layout),
        *((_speed(speed),) if speed else ()),
        *((_loss(risk, outcome),) if risk else ()),
    )


def _room(prediction: Prediction, disks: Sequence[Disk]) -> HeadlineFigure:
    room = usable(prediction)
    number, _, unit = room.value.rpartition(" ")
    share = capacity_rows(prediction, disks)[0].value
    return HeadlineFigure(result=room, number=number, after=unit, details=(f"{share} of raw", f"{share} raw"))


def _survives(layout: Layout) -> HeadlineFigure:
    result = survives(layout)
    if not layout.survives:
        return HeadlineFigure(result=result, after=result.value, details=("one loses data", "one ends it"))
    before, number, after = result.value.split()
    details = ("of each array", "each array") if layout.arrays > 1 else ("of the array", "the array")
    return HeadlineFigure(result=result, before=before, number=number, after=after, details=details)


def _speed(speed: Throughput) -> HeadlineFigure:
    read, write = speed.seq_read, speed.seq_write
    result = read_and_write(speed)
    number, _, unit = result.value.rpartition(" ")
    limits = (read.bottleneck.short, write.bottleneck.short)
    words = dict.fromkeys(limit or "unknown" for limit in limits)
    return HeadlineFigure(
        result=result, number=number, after=unit, details=(" / ".join(words), next(iter(words))),
    )  # fmt: skip


def _loss(risk: Durability, outcome: DesignOutcome) -> HeadlineFigure:
    result = loss_in_a_year(risk, outcome.decision.assumptions)
    before, one_in, number = result.value.rpartition("1 in ")
    details = _beside(risk)
    if not one_in:
        return HeadlineFigure(result=result, after=result.value, details=details)
    return HeadlineFigure(result=result, before=f"{before}1 in", number=number, details=details)


def _beside(risk: Durability) -> tuple[str, ...]:
    """The line below the loss: the figure to plan with, and the part of the disks."""
    worst = at_worst(risk.any_loss_1y, risk.any_loss_1y_correlated)
    if not risk.annual_enclosure_loss_probability:
        return (*worst, "by cause: F1")
    disks = f"by disks {odds(risk.disks_loss_1y)}"
    return ("; ".join((*worst, disks)), *worst, disks, "by cause: F1")


def saved_numbers(figures: Sequence[HeadlineFigure]) -> dict[str, float]:
    """Numbers of a saved design's figures, by name."""
    return {figure.result.title: figure.result.number for figure in figures if figure.result.number is not None}


# Strip of the four most important figures, side by side.


_WEIGHTS = (18, 16, 23, 21)
"""relative widths of the figures' columns"""


class AnswerStrip(Pane):
    """Names in the heading, figures below, a detail line, and differences if a design is compared with.

    On a framed screen with the glyphs for it the numbers are three lines high. The cursor moves sideways.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l", "step(1)", "next figure", show=False),
        Binding("left,h", "step(-1)", "previous figure", show=False),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("Answer", id=id)
        self.figures: Sequence[HeadlineFigure] = ()
        self.refusal = ""
        """reason why there are no figures"""
        self.before: Mapping[str, float] = {}
        """numbers of the design compared with, by name"""
        self.against = ""

    def show(self, figures: Sequence[HeadlineFigure], refusal: str, before: Mapping[str, float], against: str) -> None:
        """Replaces the figures; `before` holds the numbers of the design named `against`, empty for none."""
        self.figures, self.refusal, self.before, self.against = figures, refusal, before, against
        self.cursor = max(0, min(self.cursor, len(figures) - 1))
        self.refresh_changes()

    @property
    def figure(self) -> HeadlineFigure | None:
        """The figure under the cursor."""
        return self.figures[self.cursor] if self.figures else None

    def height(self, width: int, boxed: bool) -> int:
        """Lines that the strip takes with its heading or frame, in `width` cells."""
        lines = 1 if self.refusal else self._figure_lines(width - (4 if boxed else 2), boxed) + 1 + bool(self.against)
        return lines + (2 if boxed else 1)

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
        if self.refusal:
            return 1
        return self._figure_lines(self.inner_width(), self.boxed) + 1 + bool(self.against)

    def line_at(self, index: int, width: int) -> Line:
        """One line of all figures."""
        if self.refusal:
            return (Span(fit(self.refusal, width, self.glyphs), "bad"),)
        high = self._figure_lines(width, self.boxed)
        spans: list[Span] = []
        for number, (figure, room) in enumerate(zip(self.figures, self._widths(width), strict=True)):
            tone: Tone = "figure-on" if self.has_focus and number == self.cursor else "figure"
            if index < high:
                spans += self._figure(figure, index, high, tone, room)
            elif index == high:
                last = number == len(self.figures) - 1
                detail = _longest(figure.details, room - (1 if last else 2))
                spans.append(Span(f"{fit(detail, room - 1, self.glyphs)} ", "muted"))
            else:
                text, delta_tone = self._difference(figure.result, room - 1)
                spans.append(Span(f"{fit(text, room - 1, self.glyphs)} ", delta_tone))
        return tuple(spans)

    def _difference(self, result: FigureRow, room: int) -> Span:
        """The difference from the design compared with; its shorter text if the longer one does not fit."""
        before = self.before.get(result.title)
        found = difference_from(result, before, self.glyphs)
        if found is not None and cells(found.text) > room:
            found = difference_from(result, before, self.glyphs, short=True)
        return found or Span("", "muted")

    def _figure(self, figure: HeadlineFigure, index: int, high: int, tone: Tone, room: int) -> list[Span]:
        if high == 1:
            spans = [Span(fit(figure.text, min(cells(figure.text), room - 1), self.glyphs), tone)]
        else:
            base = index == high - 1
            digits = big_digits(figure.number, self.glyphs.digits)[index]
            words = [f"{figure.before} " if figure.before else "", digits, figure.after]
            shown = [word if base or number == 1 else " " * cells(word) for number, word in enumerate(words)]
            spans = [Span(shown[0], "muted"), Span(shown[1], tone), Span(shown[2], "strong")]
        used = sum(cells(span.text) for span in spans)
        return [*spans, Span(" " * (room - used))]

    def _figure_lines(self, width: int, boxed: bool) -> int:
        """Height of the numbers: one line, or that of large digits where all of them fit."""
        if not (boxed and self.glyphs.digits):
            return 1
        box = self.glyphs.digits
        long = [cells(f"{each.before} {big_digits(each.number, box)[0]}{each.after}") for each in self.figures]
        fits = all(need < room for need, room in zip(long, self._widths(width), strict=True))
        return HIGH if fits else 1

    def _widths(self, width: int) -> tuple[int, ...]:
        """Widths of the columns."""
        weights = _WEIGHTS[: len(self.figures)]
        ends = [width * sum(weights[: at + 1]) // sum(weights) for at in range(len(weights))]
        return tuple(end - start for start, end in zip((0, *ends), ends, strict=False))

    def heading_line(self, width: int, boxed: bool) -> Line:
        """The names of the figures in the rule."""
        if not self.figures:
            return super().heading_line(width, boxed)
        glyphs, edge = self.glyphs, self.edge_tone()
        spans: list[Span] = [Span(f"{glyphs.corners[0]} " if boxed else " ", edge)]
        for number, (figure, room) in enumerate(zip(self.figures, self._widths(self.inner_width()), strict=True)):
            name = figure.result.title
            on = self.has_focus and number == self.cursor
            end = "" if number == len(self.figures) - 1 else " "
            rule = f" {glyphs.rule * (room - len(name) - 1 - len(end))}{end}"
            spans += [Span(name, "head-on" if on else "head"), Span(rule, edge)]
        return (*spans, Span(glyphs.rule + glyphs.corners[1] if boxed else " ", edge))


def _longest(details: Sequence[str], room: int) -> str:
    """The first of `details` that fits into `room` cells, else the last."""
    return next((text for text in details if cells(text) <= room), details[-1] if details else "")
