"""Text dialog over the screen: key help, details of a disk, explanation of a field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from raidtui.tui.terminal.key_order import SteadyDialog
from raidtui.tui.terminal.text import Line
from raidtui.tui.widgets.pane import Pane


class SheetPane(Pane):
    """A pane that is framed on every screen size."""

    @property
    def boxed(self) -> bool:
        """Always."""
        return True


class TextDialog(SteadyDialog[None]):
    """A dialog of text: the arrow keys scroll; Esc, q or Enter closes it."""

    CSS_PATH = "text_dialog.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,question_mark,i,f1", "dismiss", "close", show=False),
    ]

    def __init__(self, heading: str, lines: Sequence[Line]) -> None:
        super().__init__()
        self.pane = SheetPane(heading)
        self.text = lines
        self.pane.put(lambda _: lines)
        self.pane.aside = "Esc closes"

    def compose(self) -> ComposeResult:
        """One pane."""
        yield self.pane

    def on_mount(self) -> None:
        """Sizes the dialog, and focuses its text."""
        self.fit()
        self.pane.focus()

    def on_resize(self, event: events.Resize) -> None:
        """Keeps the dialog inside the terminal."""
        del event
        self.fit()

    def fit(self) -> None:
        """Sizes the dialog to its text."""
        width, height = self.app.size
        longest = max((sum(len(span.text) for span in spans) for spans in self.text), default=0)
        self.pane.styles.width = min(max(longest + 4, 50), width)
        self.pane.styles.height = min(len(self.text) + 2, max(height - 2, 3))
