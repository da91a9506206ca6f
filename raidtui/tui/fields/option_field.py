"""The field of an option, from its row in the table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from raidtui.model.decision import Decision
from raidtui.model.options.option import BINARY_SIZE, DECIMAL_SIZE, FLAG, NUMBER, RATE, SHARE, Option, TextForm
from raidtui.model.units import decimal_size, exact_binary
from raidtui.planner.amounts import known_rate, stated_percent
from raidtui.planner.design.options import UNDECIDED, value_of, with_value
from raidtui.tui.fields.field import Field, named


def option_field(decision: Decision, option: Option, *, otherwise: str = "", here: str = "") -> Field:
    """The field of `option`; `otherwise` and `here`: what its default is on this machine, and what F1 says of that."""
    value, default = value_of(option, decision), value_of(option, UNDECIDED)
    about = f"{option.about} {here}".rstrip()

    def change(other: Any) -> Decision:
        return with_value(option, decision, other)

    if option.kind is FLAG:
        return named(
            option.key, option.title, option.choices[value], option.choices, about=about,
            change=lambda word: change(option.choices.index(word) == 1),
        )  # fmt: skip
    if option.choices:
        return _worded(option, value, change, about)
    if option.steps:
        return _stepped(option, value, change, about)
    text = "" if value == default else shown(option, value)
    return Field(
        key=option.key, title=option.title, shown=text or otherwise or option.usual, typed=text.replace(" ", ""),
        about=about,
        read=lambda said: change(option.read(said) if said.strip() else default),
    )  # fmt: skip


def _worded(option: Option, value: str | None, change: Callable[[Any], Decision], about: str) -> Field:
    """A field with one of a few words; the first stands for none where the option can be left out."""
    words = option.choices if option.usual in option.choices else (option.usual, *option.choices)
    return named(
        option.key, option.title, option.usual if value is None else value, words, about=about,
        change=lambda word: change(word if word in option.choices else None),
    )  # fmt: skip


def _stepped(option: Option, value: float, change: Callable[[Any], Decision], about: str) -> Field:
    """A field whose usual values the arrow keys step through."""
    choices = tuple(sorted({*option.steps, value}))
    text = shown(option, value)
    return Field(
        key=option.key, title=option.title, shown=text, typed=text.replace(" ", ""), about=about,
        aside="" if option.kind is NUMBER else option.unit, choices=choices, at=choices.index(value), change=change,
        read=lambda said: change(option.read(said)), stop="other values can be typed",
    )  # fmt: skip


def shown(option: Option, value: Any) -> str:
    """The value as the form shows it; without its blanks it reads back."""
    show = _SHOWN.get(option.kind, str)
    return f"{value:g} {option.unit}" if option.kind is NUMBER else show(value)


def _share(value: float) -> str:
    return f"{value:g}" if 0 < value < 1e-6 else stated_percent(value)


_SHOWN: dict[TextForm, Callable[[Any], str]] = {
    RATE: known_rate,
    SHARE: _share,
    BINARY_SIZE: exact_binary,
    DECIMAL_SIZE: lambda size: decimal_size(size, 6),
}
