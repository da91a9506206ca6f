"""Mean time to loss of a Markov chain, solved without subtraction: exact to rounding with rates over 12 decades.

The elimination is that of Grassmann, Taksar and Heyman (Operations Research 33, 1985). The lost state is not a state:
a chain that is lost starts again at state 0, so that the time it spends anywhere is its share of one life.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from raidtui.planner.numbers import float_sum

MatrixRow = dict[int, float]
"""rates per hour to other states, by their number"""


@dataclass(frozen=True, slots=True)
class Life:
    """Behaviour of a chain from state 0 until loss."""

    occupancy: tuple[float, ...]
    """share of the time spent in each state; sums to 1"""
    loss_per_hour: float
    """one over the mean time to loss; 0 if loss is impossible"""


def life(rows: Sequence[MatrixRow], losses: Sequence[float]) -> Life:
    """Solves the chain with rates `rows[i][j]` above 0 from state i to another, `losses[i]` from it to loss, per hour.

    State 0 is the start; state 0 or loss must be reachable from every state. The last state is eliminated first:
    number states so that connected ones have close numbers, and rows stay short.
    """
    out: list[MatrixRow] = []
    into: list[set[int]] = [set() for _ in rows]
    for state, row in enumerate(rows):
        own = dict(row)
        if state and losses[state] > 0:
            own[0] = own.get(0, 0.0) + losses[state]
        out.append(own)
        for target in own:
            into[target].add(state)
    leaving = _eliminate(out, into)
    visits = [1.0]
    for state in range(1, len(out)):
        visits.append(float_sum([visits[source] * out[source][state] for source in into[state]]) / leaving[state])
    total = float_sum(visits)
    occupancy = tuple([visit / total for visit in visits])
    return Life(occupancy, float_sum([share * loss for share, loss in zip(occupancy, losses, strict=True) if loss]))


def _eliminate(out: list[MatrixRow], into: list[set[int]]) -> list[float]:
    """Folds states into earlier ones, last first, and returns each state's total rate to earlier states.

    Leaves only earlier states in `into`.
    """
    leaving = [0.0] * len(out)
    for state in range(len(out) - 1, 0, -1):
        below = [(target, rate) for target, rate in out[state].items() if target < state]
        total = leaving[state] = float_sum([rate for _, rate in below])
        sources = into[state] = {source for source in into[state] if source < state}
        for source in sources:
            row = out[source]
            share = row[state] / total
            for target, rate in below:
                if target == source:
                    continue
                if target in row:
                    row[target] += share * rate
                else:
                    row[target] = share * rate
                    into[target].add(source)
    return leaving
