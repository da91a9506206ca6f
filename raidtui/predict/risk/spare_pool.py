"""Markov chain of arrays that share hot spares: rates at which one set of disks is lost or loses its redundancy.

One set is modelled member by member: rebuilding (it took a spare; one pass restores all of them) or waiting (no spare
was free). Of the other sets only the number of waiting members is kept. With the free spares it is a birth-death
process: every failure takes a spare or waits, every failed disk is reordered, and a disk that arrives goes to any
waiting member (mdadm --monitor serves arrays in the order of its list, not the worst first). For the modelled set this
is exact. Free spares do not fail.

The chain is solved without subtraction, exact to rounding with rates over 12 decades, by the elimination of Grassmann,
Taksar and Heyman (Operations Research 33, 1985). The lost state is not a state: a chain that is lost starts again at
state 0, so that the time it spends anywhere is its share of one life.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress

from raidtui.values.amounts import float_sum

_NEGLIGIBLE = 1e-9
"""probability of more waiting members elsewhere, relative to none, at which the chain is truncated"""

MatrixRow = dict[int, float]
"""rates per hour to other states, by their number"""


@dataclass(frozen=True, slots=True)
class SparePool:
    """Disks that share spares. Rates are per hour."""

    disks: int
    """members of all arrays in the pool"""
    width: int
    """disks in the modelled set"""
    tolerance: int
    """members of it that may be missing; at least 1"""
    spares: int
    """hot spares in total"""
    failure: float
    """failures of one disk"""
    rebuilt: float
    """rebuilds: one over a rebuild's hours"""
    restocked: float
    """arrivals of one ordered disk"""
    correlation: float = 1.0
    """factor on failures in the modelled set while any of its members is missing"""


@dataclass(frozen=True, slots=True)
class SetRates:
    """Loss rates of one set, per hour, and its share of time degraded."""

    loss: float
    """more than `tolerance` missing"""
    critical: float
    """a member fails with at least `tolerance` - 1 missing: redundancy is exhausted"""
    rebuilding: float
    """the part of `critical` at which every member that was missing before is being rebuilt, and one is"""
    degraded: float
    """share of time with any member missing"""


@lru_cache(maxsize=4096)
def set_rates(pool: SparePool) -> SetRates:
    """Rates of the modelled set, from the chain. In state 0 every spare is free and no member is missing."""
    states = _states(pool)
    number = {state: place for place, state in enumerate(states)}
    missing = [rebuilding + waiting for _, _, rebuilding, waiting in states]
    fails = [_fails(pool, absent) for absent in missing]
    rows = [_row(pool, state, rate, number) for state, rate in zip(states, fails, strict=True)]
    losses = [rate if absent == pool.tolerance else 0.0 for rate, absent in zip(fails, missing, strict=True)]
    solved = life(rows, losses)
    at_edge = [absent >= pool.tolerance - 1 for absent in missing]
    under_way = [
        edge and rebuilding > 0 and not waiting
        for edge, (_, _, rebuilding, waiting) in zip(at_edge, states, strict=True)
    ]
    degraded = [absent > 0 for absent in missing]
    edge_fails = _fails(pool, pool.tolerance - 1)
    return SetRates(
        loss=solved.loss_per_hour,
        critical=edge_fails * float_sum(compress(solved.occupancy, at_edge)),
        rebuilding=edge_fails * float_sum(compress(solved.occupancy, under_way)),
        degraded=float_sum(compress(solved.occupancy, degraded)),
    )


PoolState = tuple[int, int, int, int]
"""(free spares, members waiting elsewhere, own members rebuilding, own members waiting)"""


def _states(pool: SparePool) -> list[PoolState]:
    own = range(pool.tolerance + 1)
    supplied = [(spares, 0, rebuilding, 0) for spares in range(pool.spares, 0, -1) for rebuilding in own]
    starved = [
        (0, elsewhere, rebuilding, waiting)
        for elsewhere in range(_most_waiting(pool) + 1)
        for rebuilding in own
        for waiting in range(pool.tolerance + 1 - rebuilding)
    ]
    return supplied + starved


def _most_waiting(pool: SparePool) -> int:
    """Waiting members elsewhere at which the chain is truncated: more are negligibly probable."""
    load = pool.disks * pool.failure / pool.restocked
    waiting, chance = 0, 1.0
    while chance > _NEGLIGIBLE and waiting < pool.disks - pool.width:
        waiting += 1
        chance *= load / (pool.spares + waiting)
    return waiting


def _fails(pool: SparePool, missing: int) -> float:
    return (pool.width - missing) * pool.failure * (pool.correlation if missing else 1.0)


def _row(pool: SparePool, state: PoolState, fails: float, number: dict[PoolState, int]) -> MatrixRow:
    """Rates from `state` to the other modelled states; loss is not included."""
    spares, elsewhere, rebuilding, waiting = state
    others = (pool.disks - pool.width - elsewhere) * pool.failure
    again = rebuilding * pool.failure * (pool.correlation if rebuilding else 1.0)
    if spares:
        moves = [
            ((spares - 1, 0, rebuilding + 1, 0), fails),
            ((spares - 1, 0, rebuilding, 0), others + again),
            ((spares + 1, 0, rebuilding, 0), (pool.spares - spares) * pool.restocked),
            ((spares, 0, 0, 0), pool.rebuilt if rebuilding else 0.0),
        ]
    else:
        arrives = (pool.spares + elsewhere + waiting) * pool.restocked
        queue = elsewhere + waiting
        moves = [
            ((0, elsewhere, rebuilding, waiting + 1), fails),
            ((0, elsewhere, rebuilding - 1, waiting + 1), again),
            ((0, elsewhere + 1, rebuilding, waiting), others),
            ((0, elsewhere, 0, waiting), pool.rebuilt if rebuilding else 0.0),
            ((1, 0, rebuilding, 0), 0.0 if queue else arrives),
            ((0, elsewhere, rebuilding + 1, waiting - 1), arrives * waiting / queue if queue else 0.0),
            ((0, elsewhere - 1, rebuilding, waiting), arrives * elsewhere / queue if queue else 0.0),
        ]
    return {at: rate for to, rate in moves if rate > 0 and (at := number.get(to)) is not None and to != state}


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
