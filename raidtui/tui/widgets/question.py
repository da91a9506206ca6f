"""Question for the input line at the bottom of the screen, as a value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


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
