"""One field of a design: what it shows, what it may become, what it means. Nothing here draws.

A field only ever offers values that are valid beside the others, so a wrong design is prevented rather than
scolded; what forbids the next step is said in words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from raidtui.tui.state.decision import Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One line of the form."""

    key: str
    title: str
    shown: str
    """its value"""
    aside: str = ""
    """its limits, or why it is fixed"""
    about: str
    """what it means, for F1"""
    choices: tuple[Any, ...] = ()
    """values the arrows step through, in order; empty when it cannot be stepped"""
    at: int = 0
    """place of the present value in `choices`"""
    change: Callable[[Any], Decision] | None = None
    """the decision with another value"""
    read: Callable[[str], Decision] | None = None
    """the decision with a typed value; raises ValueError or BadInput with the reason"""
    typed: str = ""
    """its value as it would be typed"""
    stop: str = ""
    """what forbids the next larger value"""

    @property
    def in_short(self) -> str:
        """The first clause of what it means."""
        return re.split(r"[.:;] |\.$", self.about, maxsplit=1)[0]

    @property
    def fixed(self) -> bool:
        """True when it follows from other fields."""
        return self.change is None and self.read is None


def stepped(field: Field, by: int) -> Decision | None:
    """The decision with the value `by` places on; None at the end of what is valid."""
    place = field.at + by
    if field.change is None or not 0 <= place < len(field.choices):
        return None
    return field.change(field.choices[place])


def with_layout(decision: Decision, **changes: Any) -> Decision:
    """The decision with another layout."""
    return replace(decision, design=replace(decision.design, layout=replace(decision.design.layout, **changes)))


def with_design(decision: Decision, **changes: Any) -> Decision:
    """The decision with something else in its design."""
    return replace(decision, design=replace(decision.design, **changes))


def _count(text: str, least: int, most: int, what: str) -> int:
    if not text.strip().isdigit():
        raise ValueError(f"'{text.strip()}' is no whole number")
    value = int(text)
    if not least <= value <= most:
        raise ValueError(f"{what}: {least} to {most} are possible here, not {value}")
    return value


def number(
    key: str, title: str, value: int, least: int, most: int, *, about: str, stop: str, change: Callable[[int], Decision]
) -> Field:
    """A field that is a whole number from `least` to `most`."""
    choices = tuple(range(min(least, value), max(most, value) + 1))
    return Field(
        key=key,
        title=title,
        shown=str(value),
        typed=str(value),
        aside=f"{least}-{most}" if most > least else "",
        about=about,
        choices=choices,
        at=value - choices[0],
        change=change,
        read=lambda text: change(_count(text, least, most, title)),
        stop=stop,
    )


def named(
    key: str, title: str, value: Any, choices: Sequence[Any], *, about: str, change: Callable[[Any], Decision],
    shown: str | None = None, aside: str = "",
) -> Field:  # fmt: skip
    """A field that is one of `choices`."""

    def read(text: str) -> Decision:
        for choice in choices:
            if str(choice).lower() == text.strip().lower():
                return change(choice)
        raise ValueError(f"{title}: one of {', '.join(map(str, choices))}")

    return Field(
        key=key, title=title, shown=str(value) if shown is None else shown, typed=str(value), aside=aside, about=about,
        choices=tuple(choices), at=list(choices).index(value), change=change, read=read,
    )  # fmt: skip
