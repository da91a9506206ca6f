"""Representative sample of a Pareto front: few layouts that cover the others within a tolerance, to fit a screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log

from raidtui.model.choices import Wish
from raidtui.model.proposal import layout_key
from raidtui.planner.search.scored_layout import Scored, log_objectives

MOST_SHOWN = 24
"""rows that fit a screen"""
_TOLERANCES = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0)
LOSS_STEPS = 20
"""a tolerance of 5 % in room, speed and rebuild goes with 20 times that in the loss: a factor 2"""


def representative_sample(
    layouts: Sequence[Scored], kept: Sequence[Scored], rank: Callable[[Scored], float]
) -> tuple[list[Scored], float]:
    """The sample of `layouts`, and the tolerance needed to fit it on a screen.

    Each of `layouts` has one among them that is no worse than it by more than the tolerance in any objective. `kept`
    stand in any case; the others are tried in the order of `rank`, least first.
    """
    order = sorted(layouts, key=lambda scored: (rank(scored), layout_key(scored.layout)))
    texts = {scored.text for scored in kept}
    order = [scored for scored in order if scored.text in texts] + [
        scored for scored in order if scored.text not in texts
    ]
    known = {scored.text: log_objectives(scored) for scored in order}
    for tolerance in _TOLERANCES:
        steps = _steps(tolerance)
        standing: list[Scored] = []
        for scored in order:
            own = known[scored.text]
            if scored.text in texts or not any(_covers(known[other.text], own, steps) for other in standing):
                standing.append(scored)
        if len(standing) <= max(MOST_SHOWN, len(texts)):
            break
    return standing, tolerance


def _steps(tolerance: float) -> dict[Wish, float]:
    step = log(1 + tolerance)
    return {
        "capacity": step, "read": step, "write": step, "random-read": step, "random-write": step, "rebuild": step,
        "cost": step, "risk": log(1 + LOSS_STEPS * tolerance),
    }  # fmt: skip


def _covers(one: dict[Wish, float], other: dict[Wish, float], steps: dict[Wish, float]) -> bool:
    return all(one[wish] >= other[wish] - steps[wish] for wish in other)
