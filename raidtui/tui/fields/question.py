"""Question for the value of a field: validated while it is typed, applied on Enter."""

from __future__ import annotations

from collections.abc import Callable

from raidtui.model.decision import Decision
from raidtui.model.errors import BadInput
from raidtui.tui.fields.field import Field
from raidtui.tui.widgets.question import TextQuestion, parsed_question


def value_question(field: Field, decide: Callable[[Decision], None]) -> TextQuestion:
    """The question for a value of `field`, which must accept typed values."""
    read = field.read
    assert read is not None

    def decision(text: str) -> Decision:
        try:
            return read(text)
        except (ValueError, BadInput) as problem:
            raise ValueError(str(problem).removeprefix(f"layout '{text}', ")) from problem

    return parsed_question(field.title, field.typed, decision, decide)
