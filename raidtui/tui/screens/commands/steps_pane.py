"""Table of the steps of a plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from raidtui.model.plan import Step
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Span, fit, risk_mark
from raidtui.tui.widgets.pane import Pane

_UNDO = 17
"""width of the undo column"""


class StepsPane(Pane):
    """Number, step, risk, disks erased, undo."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "screen.expand", "expand", tooltip="show every disk and line of the step", id="plan.expand"),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("Steps", pickable=True, id=id)
        self.steps: Sequence[Step] = ()
        self.undos: Sequence[str] = ()

    def show(self, steps: Sequence[Step], undos: Sequence[str]) -> None:
        """Replaces the steps and the texts of the undo column."""
        self.steps, self.undos = steps, undos
        self.keep_in_view()
        self.refresh()

    @property
    def step(self) -> Step | None:
        """The step under the cursor."""
        return self.steps[self.cursor] if self.steps else None

    def line_count(self) -> int:
        """One line per step."""
        return len(self.steps)

    def _widths(self, width: int) -> tuple[int, int, int]:
        """Widths of number, title and risk."""
        number = len(str(len(self.steps)))
        risk = 2 + max((len(_risk_words(step, self.glyphs)) for step in self.steps), default=0)
        undo = min(max((len(words) for words in self.undos), default=0), _UNDO)
        longest = max((len(step.title) for step in self.steps), default=0)
        return number, max(min(longest, width - number - risk - undo - 6), 12), risk

    def fixed_lines(self, width: int) -> Sequence[Line]:
        """Column titles."""
        if not self.steps:
            return ()
        number, title, risk = self._widths(width)
        return ((Span(f"{'#':>{number}}  {'step':<{title}}  {'risk':<{risk}}  undo", "muted"),),)

    def line_at(self, index: int, width: int) -> Line:
        """One step."""
        step = self.steps[index]
        mark = risk_mark(step.risk, self.glyphs)
        number, title, risk = self._widths(width)
        return (
            Span(f"{step.number:>{number}}  ", "muted"),
            Span(fit(step.title, title, self.glyphs) + "  "),
            Span(f"{mark.glyph} {_risk_words(step, self.glyphs):<{risk - 2}}  ", mark.tone),
            Span(self.undos[index], "muted"),
        )


def _risk_words(step: Step, glyphs: Glyphs) -> str:
    """The step's risk, and the number of disks that it erases."""
    return f"{risk_mark(step.risk, glyphs).word}{f' {len(step.destroys)}' if step.destroys else ''}"
