"""Mean time to loss in a Markov chain, without a single subtraction: exact to rounding where rates span 12 decades.

The elimination is that of Grassmann, Taksar and Heyman (Operations Research 33, 1985). The lost state is not a state:
a chain that is lost starts again at state 0, so that the time it spends anywhere is its share of one life.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Row = dict[int, float]
"""rates per hour to other states, by their number"""


@dataclass(frozen=True, slots=True)
class Life:
    """What a chain does from state 0 until it is lost."""

    occupancy: tuple[float, ...]
    """share of the time spent in each state; sums to 1"""
    loss_per_hour: float
    """one over the mean time to loss; 0 where nothing is ever lost"""


def life(rows: Sequence[Row], losses: Sequence[float]) -> Life:
    """The chain with rates `rows[i][j]` from state i to j and `losses[i]` from state i to the lost one, per hour.

    State 0 is the start and every state must be able to get back to it, or be lost. The last state is eliminated
    first: number the states so that neighbours in rate are neighbours in number, and rows stay short.
    """
    out = [_with_restart(state, row, losses[state]) for state, row in enumerate(rows)]
    into: list[set[int]] = [set() for _ in out]
    for state, row in enumerate(out):
        for target in row:
            into[target].add(state)
    leaving = _eliminate(out, into)
    visits = [1.0]
    for state in range(1, len(out)):
        visits.append(sum(visits[source] * out[source][state] for source in into[state]) / leaving[state])
    total = sum(visits)
    occupancy = tuple(visit / total for visit in visits)
    return Life(occupancy, sum(share * loss for share, loss in zip(occupancy, losses, strict=True)))


def _with_restart(state: int, row: Row, loss: float) -> Row:
    out = {target: rate for target, rate in row.items() if rate > 0 and target != state}
    if loss > 0 and state:
        out[0] = out.get(0, 0.0) + loss
    return out


def _eliminate(out: list[Row], into: list[set[int]]) -> list[float]:
    """Fold states into those before them, last first; leaves in `into` only earlier states. Rates of leaving down."""
    leaving = [0.0] * len(out)
    for state in range(len(out) - 1, 0, -1):
        below = [(target, rate) for target, rate in out[state].items() if target < state]
        total = leaving[state] = sum(rate for _, rate in below)
        sources = into[state] = {source for source in into[state] if source < state}
        for source in sources:
            row = out[source]
            share = row[state] / total
            for target, rate in below:
                if target != source:
                    row[target] = row.get(target, 0.0) + share * rate
                    into[target].add(source)
    return leaving
