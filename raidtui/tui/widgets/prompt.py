"""Input line at the bottom of the screen: filter, value, name, directory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Input, Label

from raidtui.tui.widgets.question import Question


class Prompt(Horizontal):
    """Asks one question: Enter answers, Esc cancels; typing replaces the initial answer, which is selected."""

    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text("ascii")

    def __init__(self, question: Question, complain: Callable[[str], None], done: Callable[[], None]) -> None:
        super().__init__()
        self.question = question
        self.complain = complain
        self.done = done
        self.field = Input(question.answer, compact=True)
        self.field.cursor_blink = False

    def compose(self) -> ComposeResult:
        """Label and input."""
        yield Label(self.question.label, markup=False)
        yield self.field

    def on_input_changed(self, event: Input.Changed) -> None:
        """Validates while the user types, if the question has `follow`."""
        event.stop()
        if self.question.follow is not None:
            self.complain(self.question.follow(event.value) or "")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter."""
        event.stop()
        wrong = self.question.accept(event.value)
        if wrong is not None:
            self.complain(wrong)
        else:
            self.done()

    def on_key(self, event: events.Key) -> None:
        """Cancels the question on Esc, after a filter is cleared; ignores Tab."""
        if event.key == "escape":
            event.stop()
            if self.question.filters and self.field.value:
                self.field.value = ""
                return
            if self.question.cancel is not None:
                self.question.cancel()
            self.done()
        elif event.key in ("tab", "shift+tab"):
            event.stop()
