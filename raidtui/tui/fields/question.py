"""Question for the value of a field: validated while it is typed, applied on Enter."""

from __future__ import annotations

from collections.abc import Callable

from raidtui.model.decision import Decision
from raidtui.model.errors import BadInput
from raidtui.tui.fields.field import Field
from raidtui.tui.widgets.question import TextQuestion


def value_question(field: Field, decide: Callable[[Decision], None]) -> TextQuestion:
    """The question for a value of `field`, which must accept typed values."""
    read = field.read
    assert read is not None

    def attempt(text: str) -> Decision | str:
        try:
            return read(text)
        except (ValueError, BadInput) as problem:
            return str(problem).removeprefix(f"layout '{text}', ")

    def accept(text: str) -> str | None:
        decision = attempt(text)
        if isinstance(decision, str):
            return decision
        decide(decision)
        return None

    def follow(text: str) -> str | None:
        decision = attempt(text) if text.strip() else ""
        return decision if isinstance(decision, str) and decision else None

    return TextQuestion(label=field.title, answer=field.typed, accept=accept, follow=follow)
