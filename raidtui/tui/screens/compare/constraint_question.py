"""Question for layout constraints: validated while typed, applied on Enter."""

from __future__ import annotations

from collections.abc import Callable

from raidtui.model.proposal import Constraints
from raidtui.tui.screens.compare.constraint_parser import SavedLayout, read, show
from raidtui.tui.widgets.question import TextQuestion


def constraint_question(
    now: Constraints,
    saved: SavedLayout,
    decide: Callable[[Constraints], None],
    cancel: Callable[[], None],
) -> TextQuestion:
    """The question for constraints and layouts to compare, with `now` as initial text; `saved` finds one by name."""

    def attempt(text: str) -> Constraints | str:
        try:
            return read(text, now, saved)
        except ValueError as problem:
            return str(problem)

    def accept(text: str) -> str | None:
        found = attempt(text)
        if isinstance(found, str):
            return found
        decide(found)
        return None

    def follow(text: str) -> str | None:
        found = attempt(text)
        return found if isinstance(found, str) else None

    return TextQuestion(label="constraints", answer=show(now), accept=accept, follow=follow, cancel=cancel)
