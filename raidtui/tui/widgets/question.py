"""Question for the input line at the bottom of the screen, as a value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
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
