"""Gets and sets the value of an option in a decision."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from raidtui.model.codec_rules import TextValue
from raidtui.model.decision import Decision
from raidtui.model.design import Design
from raidtui.model.layout import Layout
from raidtui.model.options.option import Option

UNDECIDED = Decision(design=Design(layout=Layout(level="raid6", members=4)))
"""every option has its default; the layout stands for any"""


def value_of(option: Option, decision: Decision) -> Any:
    """The value of `option` in `decision`."""
    found: Any = decision
    for name in option.field.split("."):
        found = getattr(found, name)
    return found


def with_value(option: Option, decision: Decision, value: Any) -> Decision:
    """`decision` with another value of `option`. Raises ValueError if it is out of range."""
    if value is not None:
        option.check(value)
    made: Decision = _replaced(decision, option.field.split("."), value)
    return made


def _replaced(part: Any, names: list[str], value: Any) -> Any:
    inner = value if len(names) == 1 else _replaced(getattr(part, names[0]), names[1:], value)
    return replace(part, **{names[0]: inner})


def recipe_value(option: Option, part: object) -> Any:
    """The value of `option` in a recipe, or in a table of one; None if it is left out.

    Raises ValueError if it is out of range.
    """
    held = getattr(part, option.key)
    if isinstance(held, TextValue):
        return option.read(str(held))
    if held is not None:
        option.check(held)
    return held


def in_recipe(option: Option, decision: Decision, defaults: Decision = UNDECIDED) -> Any:
    """What a recipe states of `option`: None where `decision` has the value of `defaults`."""
    value = value_of(option, decision)
    return None if value is None or value == value_of(option, defaults) else option.kind.in_recipe(value)
