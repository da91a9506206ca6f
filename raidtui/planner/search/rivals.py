"""Layouts judged first, which rule out many of the others before their exact sizes are computed.

A layout that another dominates is not on the front, and all that it dominates is dominated by the front without it,
since domination is transitive. So the front stays the same where a layout is left out because a rival holds at least
its upper bound of capacity, is at least as fast, rebuilds no later and costs no more, and loses data less often than
its lower bound, by more than rounding.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import inf
from typing import NamedTuple

from raidtui.planner.search.enumerate_layouts import Shape
from raidtui.planner.search.evaluate import LayoutBounds

_WIDTHS = frozenset((4, 5, 6, 7, 8, 10, 13, 16, 32, 128, 512))
"""members of the arrays that rivals are looked for among: narrow ones in more detail, which rule out most"""
_MOST = 12
"""rivals: with twice as many the comparisons take longer than the sizes that they save"""
_ROUNDING = 1e-9
"""relative difference of two losses that is no rounding error"""


def scouts(shapes: Sequence[Shape]) -> Iterator[Shape]:
    """Shapes of a few widths, with as many arrays as there may be and half of them: what rivals are found among."""
    for shape in shapes:
        if shape.counts and shape.array.members in _WIDTHS:
            yield Shape(shape.array, [shape.counts[-1], shape.counts[len(shape.counts) // 2]])


class _Rival(NamedTuple):
    """What a layout has at least."""

    usable: int
    loss: float
    read: int
    write: int
    hours: float
    """of a rebuild; inf without"""
    cost: float
    """0 without a price"""


class Rivals:
    """Few layouts that together dominate many of those they were found among."""

    def __init__(self, found: Iterable[LayoutBounds] = ()) -> None:
        """All of `found` meet the constraints."""
        judged = [
            _Rival(
                each.usable,
                each.most_loss * (1 + _ROUNDING),
                each.read,
                each.write,
                each.hours or inf,
                each.cost or 0.0,
            )
            for each in found
        ]
        ruled_out: dict[_Rival, set[int]] = {}
        for each in judged:
            self._rivals = [each]
            ruled_out[each] = {number for number, other in enumerate(judged) if self.dominate(*other)}
        self._rivals = []
        left = set(range(len(judged)))
        while ruled_out and len(self._rivals) < _MOST:
            best = max(ruled_out, key=lambda each: len(ruled_out[each] & left))
            self._rivals.append(best)
            left -= ruled_out.pop(best)

    def dominate(self, room: int, least: float, read: int, write: int, hours: float, cost: float) -> bool:
        """True if a rival dominates a layout of at most `room` bytes and at least a loss of `least`.

        `hours` are inf without rebuild, `cost` is 0 without a price.
        """
        for number, (usable, loss, reads, writes, rebuilds, costs) in enumerate(self._rivals):
            if usable < room or loss >= least or reads < read or writes < write or rebuilds > hours or costs > cost:
                continue
            if number:  # what rules out one often rules out the next
                self._rivals.insert(0, self._rivals.pop(number))
            return True
        return False
