"""A question for the line at the bottom of the screen, as a value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked for, and what is done with the answer."""

    label: str
    answer: str = ""
    """what stands there at first"""
    accept: Callable[[str], str | None]
    """takes the answer; returns what is wrong with it, or None when it was taken"""
    follow: Callable[[str], str | None] | None = None
    """told of every key; returns what is wrong so far"""
    cancel: Callable[[], None] | None = None
    """told when the question is dropped"""
