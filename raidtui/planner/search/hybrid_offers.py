"""Hybrid layouts beside the search: bands over all disks where they are of mixed size and that gains capacity."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from raidtui.model.assumptions import Assumptions
from raidtui.model.choices import Stack
from raidtui.model.layout import AnyLayout, HybridLayout
from raidtui.model.proposal import Constraints, WhyNot
from raidtui.model.units import binary_size
from raidtui.planner.amounts import rate
from raidtui.planner.numbers import hours, odds, ratio_text
from raidtui.planner.placement.disk_pool import DiskPool
from raidtui.planner.reliability.spares import spares_wanted
from raidtui.planner.search.scored_layout import Scored

_STACK: Stack = "lvm"
"""the one stack that joins arrays of unequal width and level one after another"""
_GAIN = 1.02
"""least noteworthy gain of capacity"""
_MUCH = 1.3
"""gain of capacity from which bands may be a pick: a rebuild takes them one after the other"""


def hybrid_offers(
    known: DiskPool,
    evaluate: Callable[[AnyLayout], Scored | None],
    constraints: Constraints,
    plain: Sequence[Scored],
    assumptions: Assumptions,
) -> tuple[tuple[Scored, Scored], ...]:
    """Hybrid layouts that hold clearly more than the largest of `plain` that survives as many failures.

    Each with that layout. Over all disks of the pool, with as many spares as required and with as many as cover
    restocking; the one with fewer spares only where both are offered for the same failures and differ.
    """
    if len(known.classes) < 2 or constraints.stack != _STACK:
        return ()
    found = []
    enough = spares_wanted(len(known.disks), assumptions)
    for layout in _layouts(len(known.disks), constraints, enough):
        rivals = [
            each for each in plain if each.layout.survives >= layout.failures and each.layout.spares >= layout.spares
        ]
        scored = evaluate(layout)
        if scored is None or not rivals:
            continue
        best = max(rivals, key=lambda each: (each.usable, -each.loss))
        if scored.usable >= _GAIN * best.usable:
            found.append((scored, best))
    return tuple(found)


def _layouts(disks: int, constraints: Constraints, enough: int) -> Iterator[HybridLayout]:
    for failures in (1, 2):
        for spares in sorted({constraints.spares, max(constraints.spares, enough)}):
            if failures >= constraints.survive and disks - spares > failures + 1:
                yield HybridLayout(hybrid_disks=disks - spares, failures=failures, spares=spares)


def holds_much_more(scored: Scored, usual: Sequence[Scored]) -> bool:
    """True if the bands hold so much more than any of `usual`, which may be picked, that they may be a pick too."""
    rivals = [each.usable for each in usual if each.layout.survives >= scored.layout.survives]
    return scored.usable >= _MUCH * max(rivals, default=0)


def hybrid_answer(scored: Scored, best: Scored, *, picked: bool) -> WhyNot:
    """What the bands gain over the plain layout with most capacity, and what they cost."""
    return WhyNot(
        question=f"And bands over the disks of mixed size, {scored.text}?",
        answer=(
            f"It holds {binary_size(scored.usable)} where {best.text} holds {binary_size(best.usable)}"
            f" ({ratio_text(scored.usable, best.usable)}): what larger disks have more becomes arrays of its own."
            f" Its slowest band reads {rate(scored.read)} and writes {rate(scored.write)}, against {rate(best.read)}"
            f" and {rate(best.write)}; a failed disk rebuilds its bands one after the other, {hours(scored.hours)}"
            f" against {hours(best.hours)}; loss {odds(scored.loss)} a year against {odds(best.loss)}."
            f"{'' if picked else ' For less than a third more room bands are not a pick.'}"
        ),
    )
