"""Field of a design: its value, the values it may take, its meaning. Nothing here draws.

A field offers only values that are valid together with the other fields, so that an invalid design cannot be
entered; `stop` gives the reason why the next larger value is not offered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from raidtui.predict.options import UNDECIDED, value_of, with_value
from raidtui.values.amounts import known_rate, stated_percent
from raidtui.values.decision import Decision
from raidtui.values.layout import ArrayGroup
from raidtui.values.options import BINARY_SIZE, DECIMAL_SIZE, FLAG, NUMBER, RATE, SHARE, Option, TextForm
from raidtui.values.units import decimal_size, exact_binary

FieldPage = Literal["layout", "options", "assumptions"]
"""pages of the form"""
PAGES: tuple[FieldPage, ...] = get_args(FieldPage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One line of the form."""

    key: str
    title: str
    shown: str
    """its value"""
    aside: str = ""
    """its limits, or the reason why it is fixed"""
    about: str
    """its meaning, for F1"""
    choices: tuple[Any, ...] = ()
    """values for the arrow keys, in order; empty if it can only be typed"""
    at: int = 0
    """index of the present value in `choices`"""
    change: Callable[[Any], Decision] | None = None
    """the decision with another value"""
    read: Callable[[str], Decision] | None = None
    """the decision with a typed value; raises ValueError or BadInput"""
    typed: str = ""
    """its value as it would be typed"""
    stop: str = ""
    """reason why there is no larger value"""
    opens: FieldPage | None = None
    """the page of the form that this line opens"""

    @property
    def in_short(self) -> str:
        """The first clause of its meaning."""
        return re.split(r"[.:;] |\.$", self.about, maxsplit=1)[0]

    @property
    def fixed(self) -> bool:
        """True if it follows from other fields."""
        return self.change is None and self.read is None and self.opens is None


def stepped(field: Field, by: int) -> Decision | None:
    """The decision with the value `by` steps further; None past the last valid one."""
    place = field.at + by
    if field.change is None or not 0 <= place < len(field.choices):
        return None
    return field.change(field.choices[place])


def with_layout(decision: Decision, arrays: int | None = None, spares: int | None = None, **shape: Any) -> Decision:
    """The decision with other spares, or another number or shape of its arrays, which are equal."""
    layout = decision.design.layout
    if shape or arrays is not None:
        layout = replace(layout, groups=(ArrayGroup(replace(layout.first, **shape), arrays or layout.arrays),))
    return with_design(decision, layout=layout if spares is None else replace(layout, spares=spares))


def with_design(decision: Decision, **changes: Any) -> Decision:
    """The decision with a changed design."""
    return replace(decision, design=replace(decision.design, **changes))


def _count(text: str, least: int, most: int, what: str) -> int:
    if not text.strip().isdigit():
        raise ValueError(f"'{text.strip()}' is not a whole number")
    value = int(text)
    if not least <= value <= most:
        raise ValueError(f"{what} {value}: expected {least} to {most}")
    return value


def number(
    key: str, title: str, value: int, least: int, most: int, *, about: str, stop: str, change: Callable[[int], Decision]
) -> Field:
    """A field with a whole number from `least` to `most`."""
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
    """A field with one of `choices`."""

    def read(text: str) -> Decision:
        for choice in choices:
            if str(choice).lower() == text.strip().lower():
                return change(choice)
        raise ValueError(f"{title}: expected one of {', '.join(map(str, choices))}")

    return Field(
        key=key, title=title, shown=str(value) if shown is None else shown, typed=str(value), aside=aside, about=about,
        choices=tuple(choices), at=list(choices).index(value), change=change, read=read,
    )  # fmt: skip


# The field of an option, from its row in the table.


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


# Question for the value of a field: validated while it is typed, applied on Enter.
