"""Text dialog over the screen: key help, details of a disk, explanation of a field."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from raidtui.tui.terminal.key_order import SteadyDialog
from raidtui.tui.terminal.text import Line
from raidtui.tui.widgets.bars import key_name
from raidtui.tui.widgets.pane import Pane


class SheetPane(Pane):
    """A pane that is framed on every screen size."""

    @property
    def boxed(self) -> bool:
        """Always."""
        return True


class TextDialog(SteadyDialog[None]):
    """A dialog of text: the arrow keys scroll; Esc, q or Enter closes it, / looks a word up in the pages of help."""

    CSS_PATH = "text_dialog.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,question_mark,i,f1", "dismiss", "close", show=False),
        Binding("slash", "look_up", "look up", show=False),
    ]

    def __init__(self, heading: str, lines: Sequence[Line]) -> None:
        super().__init__()
        self.pane = SheetPane(heading)
        self.text = lines
        self.pane.put(lambda _: lines)
        self.pane.aside = "/ looks up a word, Esc closes"

    async def action_look_up(self) -> None:
        """Asks for a word below the screen."""
        await self.dismiss()
        await self.app.run_action("look_up", self.app.screen)

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


# Keys and their meanings from bindings: the one table behind the `?` dialog and `raidtui help keys`.


_MOVING = ("move", "page", "jump", "pane")
_NOT_OURS = ("screen.copy_text",)
"""bindings that Textual adds itself"""


class KeyRow(NamedTuple):
    """One action of the app."""

    keys: tuple[str, ...]
    """as they are printed on a keyboard"""
    words: str
    """what they do"""


def key_rows(bindings: Iterable[Binding]) -> tuple[KeyRow, ...]:
    """A row for each meaning of `bindings` that have a description, movement last; of one key each."""
    found: dict[str, tuple[list[str], str]] = {}
    for binding in bindings:
        if not binding.description or binding.system or binding.action in _NOT_OURS:
            continue
        keys, _ = found.setdefault(binding.tooltip or binding.description, ([], binding.action))
        if key_name(binding) not in keys:
            keys.append(key_name(binding))
    ranked = sorted(found.items(), key=lambda item: item[1][1].partition("(")[0] in _MOVING)
    return tuple(KeyRow(tuple(keys), words) for words, (keys, _) in ranked)
