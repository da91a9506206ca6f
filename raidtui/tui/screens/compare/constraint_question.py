"""Question for layout constraints: validated while typed, applied on Enter."""

from __future__ import annotations

from collections.abc import Callable

from raidtui.model.proposal import Constraints
from raidtui.tui.screens.compare.constraint_parser import SavedLayout, read, show
from raidtui.tui.widgets.question import TextQuestion, parsed_question


def constraint_question(
    now: Constraints,
    saved: SavedLayout,
    decide: Callable[[Constraints], None],
    cancel: Callable[[], None],
) -> TextQuestion:
    """The question for constraints and layouts to compare, with `now` as initial text; `saved` finds one by name."""

    return parsed_question("constraints", show(now), lambda text: read(text, now, saved), decide, cancel)
