"""Mean time to loss of a Markov chain, solved without subtraction: exact to rounding with rates over 12 decades.

The elimination is that of Grassmann, Taksar and Heyman (Operations Research 33, 1985). The lost state is not a state:
a chain that is lost starts again at state 0, so that the time it spends anywhere is its share of one life.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    visits = [1.0]
    for leaving, arrivals in reversed(list(_eliminated(out, into))):
        visits.append(float_sum([visits[source] * rate for source, rate in arrivals]) / leaving)
    total = float_sum(visits)
    occupancy = tuple([visit / total for visit in visits])
    return Life(occupancy, float_sum([share * loss for share, loss in zip(occupancy, losses, strict=True) if loss]))


def _eliminated(out: list[MatrixRow], into: list[set[int]]) -> Iterator[tuple[float, list[tuple[int, float]]]]:
    """Folds states into earlier ones, last first; yields the total rate of each to them, and their rates to it."""
    for state in range(len(out) - 1, 0, -1):
        below = out[state].items()  # later states are folded, and their rates are taken out
        total = float_sum(out[state].values())
        arrivals = [(source, out[source].pop(state)) for source in {each for each in into[state] if each < state}]
        yield total, arrivals
        for source, rate in arrivals:
            row, share = out[source], rate / total
            for target, onwards in below:
                if target in row:
                    row[target] += share * onwards
                elif target != source:
                    row[target] = share * onwards
                    into[target].add(source)
