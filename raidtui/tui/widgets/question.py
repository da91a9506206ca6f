"""Question for the input line at the bottom of the screen, as a value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from raidtui.model.errors import RaidtuiError

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
