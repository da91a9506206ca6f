"""Input line at the bottom of the screen: filter, value, name, directory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.geometry import Region
from textual.strip import Strip
from textual.widgets import Input, Label

from raidtui.values.errors import RaidtuiError

# Question for the input line at the bottom of the screen, as a value.


T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextQuestion:
    """A prompt, its initial answer and its callbacks."""

    label: str
    answer: str = ""
    """initial text of the input"""
    accept: Callable[[str], str | None]
    """called with the answer; returns an error text, or None if it was accepted"""
    follow: Callable[[str], str | None] | None = None
    """called after every key; returns an error text or None"""
    cancel: Callable[[], None] | None = None
    """called when the question is cancelled"""
    filters: bool = False
    """True if the text filters what is shown: Esc then clears it first, and closes the question when it is empty"""
    hidden: bool = False
    """True of a passphrase: what is typed is not shown, and not copied"""


def word_question(label: str, word: str, do: Callable[[], object]) -> TextQuestion:
    """Asks for `word`, and then calls `do`."""

    def accept(typed: str) -> str | None:
        if typed.strip() != word:
            return f"type {word}, or press Esc"
        do()
        return None

    return TextQuestion(label=label, accept=accept)


def parsed_question(
    label: str,
    answer: str,
    read: Callable[[str], T],
    take: Callable[[T], object],
    cancel: Callable[[], None] | None = None,
) -> TextQuestion:
    """Asks for a text that `read` understands, and passes what it is to `take`; its ValueError is shown while typed."""

    def accept(text: str) -> str | None:
        try:
            found = read(text)
        except ValueError as problem:
            return str(problem)
        take(found)
        return None

    def follow(text: str) -> str | None:
        try:
            read(text)
        except ValueError as problem:
            return str(problem) if text.strip() else None
        return None

    return TextQuestion(label=label, answer=answer, accept=accept, follow=follow, cancel=cancel)


def accepts(do: Callable[[str], object], *, what: str = "") -> Callable[[str], str | None]:
    """Passes the typed text to `do`, whose error is shown; `what` has to be typed, if it is named."""

    def accept(typed: str) -> str | None:
        if what and not typed.strip():
            return f"type {what}, or press Esc"
        try:
            do(typed.strip())
        except RaidtuiError as error:
            return error.with_hint
        return None

    return accept


class Filtered(Protocol):
    """A table of which a text filters the rows."""

    words: str

    def rearrange(self) -> None:
        """Applies the filter."""


def filter_question(table: Filtered, then: Callable[[], None] = lambda: None) -> TextQuestion:
    """The question for a filter; the table follows every key, and `then` is called."""

    def follow(words: str) -> None:
        table.words = words
        table.rearrange()
        then()

    return TextQuestion(
        label="filter", answer=table.words, accept=follow, follow=follow, cancel=lambda: follow(""), filters=True
    )


class TextField(Input):
    """A line in which text is typed."""

    def __init__(self, value: str = "", *, placeholder: str = "", hidden: bool = False) -> None:
        super().__init__(value, placeholder, compact=True, password=hidden)
        self.cursor_blink = False

    def action_copy(self) -> None:
        """Copies the selection, unless it is hidden."""
        if not self.password:
            super().action_copy()

    def action_cut(self) -> None:
        """Cuts the selection, unless it is hidden."""
        if not self.password:
            super().action_cut()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Lines for Textual, which leaves the terminal's cursor at the field as it was before its first layout."""
        if self.app.focused is self:
            self.app.cursor_position = self.cursor_screen_offset
        return super().render_lines(crop)


class Prompt(Horizontal):
    """Asks one question: Enter answers, Esc cancels; typing replaces the initial answer, which is selected."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "answer", "answer", show=False, priority=True),
        Binding("escape", "cancel", "cancel", show=False, priority=True),
    ]

    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text("ascii")

    def __init__(self, question: TextQuestion, complain: Callable[[str], None], done: Callable[[], None]) -> None:
        super().__init__()
        self.question = question
        self.complain = complain
        self.done = done
        self._over = False
        self.field = TextField(question.answer, hidden=question.hidden)

    def compose(self) -> ComposeResult:
        """What to type, a sign that ends it, and the input."""
        yield Label(f"{self.question.label} >", markup=False)
        yield self.field

    def on_input_changed(self, event: Input.Changed) -> None:
        """Validates while the user types, if the question has `follow`."""
        event.stop()
        if self.question.follow is not None:
            self.complain(self.question.follow(event.value) or "")

    def action_answer(self) -> None:
        """Answers the question with the text, if it accepts it."""
        wrong = self.question.accept(self.field.value)
        if wrong is not None:
            self.complain(wrong)
        else:
            self._end()

    def action_cancel(self) -> None:
        """Clears a filter; cancels the question if there is nothing to clear."""
        if self.question.filters and self.field.value:
            self.field.value = ""
            return
        self.complain("")
        if self.question.cancel is not None:
            self.question.cancel()
        self._end()

    def _end(self) -> None:
        self._over = True
        self.done()

    def on_descendant_blur(self) -> None:
        """Takes the focus back from a pane that was clicked, where no key would do anything."""
        if not self._over and self.screen.focused is not None:
            self.refocus()

    def refocus(self) -> None:
        """Focuses the line again."""
        self.field.select_on_focus = False  # the next key must not replace what was typed
        self.screen.set_focus(self.field)

    def on_key(self, event: events.Key) -> None:
        """Ignores Tab."""
        if event.key in ("tab", "shift+tab"):
            event.stop()
