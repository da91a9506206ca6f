"""A few of many offers that stand for the rest, so that a front of hundreds fits a screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log

from raidtui.model.choices import Wish
from raidtui.model.proposal import layout_key
from raidtui.planner.search.scored_layout import ScoredLayout, log_objectives

MOST_SHOWN = 24
"""rows that fit a screen beside the rest"""
_TOLERANCES = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0)
LOSS_STEPS = 20
"""a tolerance of 5 % in room, speed and rebuild goes with 20 times that in the loss: a factor 2"""


def representative_sample(
    offers: Sequence[ScoredLayout], kept: Sequence[ScoredLayout], rank: Callable[[ScoredLayout], float]
) -> tuple[list[ScoredLayout], float]:
    """Those that stand for all of `offers`, and the tolerance that was needed to have no more than a screenful.

    Each of `offers` has one among them that is no worse than it by more than the tolerance in any objective. `kept`
    stand in any case; the others are tried in the order of `rank`, least first.
    """
    order = sorted(offers, key=lambda offer: (rank(offer), layout_key(offer.layout)))
    texts = {offer.text for offer in kept}
    order = [offer for offer in order if offer.text in texts] + [offer for offer in order if offer.text not in texts]
    known = {offer.text: log_objectives(offer) for offer in order}
    for tolerance in _TOLERANCES:
        steps = _steps(tolerance)
        standing: list[ScoredLayout] = []
        for offer in order:
            own = known[offer.text]
            if offer.text in texts or not any(_covers(known[other.text], own, steps) for other in standing):
                standing.append(offer)
        if len(standing) <= max(MOST_SHOWN, len(texts)):
            break
    return standing, tolerance


def _steps(tolerance: float) -> dict[Wish, float]:
    step = log(1 + tolerance)
    return {
        "capacity": step, "read": step, "write": step, "rebuild": step, "cost": step,
        "risk": log(1 + LOSS_STEPS * tolerance),
    }  # fmt: skip


def _covers(one: dict[Wish, float], other: dict[Wish, float], steps: dict[Wish, float]) -> bool:
    return all(one[wish] >= other[wish] - steps[wish] for wish in other)
