"""Questions on standard output, answers on standard input: whole lines, which a screen reader reads as they come."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from textwrap import wrap
from typing import TypeVar

from raidtui.model.errors import Refused
from raidtui.model.safe import safe

WIDTH = 79
"""columns of a line"""
T = TypeVar("T")


def tell(text: str = "", *, indent: str = "") -> None:
    """Prints a paragraph in lines of at most `WIDTH` columns, a path in one piece; an empty text is an empty line."""
    rows = wrap(
        safe(text), WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False,
        break_long_words=False,
    )  # fmt: skip
    print("\n".join(rows), flush=True)


def ask(question: str, default: str, read: Callable[[str], T]) -> T:
    """Asks until `read` accepts the answer; an empty answer is `default`. `read` raises ValueError with the reason.

    Raises Refused at the end of the input (Ctrl-D).
    """
    while True:
        print(f"{question} [{default}]: " if default else f"{question}: ", end="", flush=True)
        answer = sys.stdin.readline()
        if not answer:
            print(flush=True)
            raise Refused(
                "ended without an answer; nothing was written to any disk", hint="raidtui --plain starts again"
            )
        try:
            return read(answer.strip() or default)
        except ValueError as wrong:
            tell(str(wrong))


def ask_number(question: str, count: int, default: int) -> int:
    """One of the numbers 1 to `count`."""

    def read(text: str) -> int:
        if not (text.isdecimal() and len(text) < 4 and 1 <= int(text) <= count):
            raise ValueError(f"'{text}' is none of the numbers 1 to {count}.")
        return int(text)

    return ask(question, str(default), read)


def ask_yes(question: str) -> bool:
    """yes or no; an empty answer is no."""

    def read(text: str) -> bool:
        if text.lower() not in ("y", "yes", "n", "no"):
            raise ValueError(f"'{text}' is neither yes nor no.")
        return text.lower() in ("y", "yes")

    return ask(question, "no", read)


def tell_choices(choices: Sequence[str]) -> None:
    """Numbered lines."""
    for number, words in enumerate(choices, 1):
        tell(f"{number}  {words}", indent="  ")
