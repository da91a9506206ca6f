"""Markov chain of arrays that share hot spares: rates at which one set of disks is lost or loses its redundancy.

One set is modelled member by member: rebuilding (it took a spare; one pass restores all of them) or waiting (no spare
was free). Of the other sets only the number of waiting members is kept. With the free spares it is a birth-death
process: every failure takes a spare or waits, every failed disk is reordered, and a disk that arrives goes to any
waiting member (mdadm --monitor serves arrays in the order of its list, not the worst first). For the modelled set this
is exact. Free spares do not fail.

While a spare is always free, every failure starts or restarts a rebuild, whichever members failed elsewhere: the set is
then a chain of its own, with a closed form. It is used wherever all spares are in use too rarely to count.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import compress

from raidtui.planner.numbers import float_sum
from raidtui.planner.reliability.markov import MatrixRow, life
from raidtui.planner.reliability.spare_count import poisson_tail

_NEGLIGIBLE = 1e-9
"""probability of more waiting members elsewhere, relative to none, at which the chain is truncated"""
_EXACT = 1e-13
"""relative error of the loss below which spares count as never running out"""


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
    degraded: float
    """share of time with any member missing"""


def set_rates(pool: SparePool) -> SetRates:
    """Rates of the modelled set."""
    if spares_suffice(pool.spares, pool.tolerance, _busy_spares(pool), pool.rebuilt / pool.restocked):
        return unlimited_spares_rates(pool.width, pool.tolerance, pool.failure, pool.rebuilt, pool.correlation)
    return _chain_rates(pool)


def spares_suffice(spares: int, tolerance: int, busy: float, restock_share: float) -> bool:
    """True if `spares` run out too rarely to count.

    `busy` is the mean number of disks on order, which are at most a Poisson number. Where no spare is left, the loss is
    at most higher by `restock_share`, restocking over rebuilding time, for each member that may be missing.
    """
    if not spares:
        return False
    worse: float = max(restock_share, 1.0) ** (tolerance + 1)
    return poisson_tail(spares - tolerance - 2, busy) * worse <= _EXACT


@lru_cache(maxsize=4096)
def unlimited_spares_rates(
    width: int, tolerance: int, failure: float, rebuilt: float, correlation: float = 1.0
) -> SetRates:
    """Rates of a set whose spares never run out, in closed form: the lower bound for any pool."""
    fails = [(width - missing) * failure * (correlation if missing else 1.0) for missing in range(tolerance + 1)]
    shares = [1.0]
    for missing in range(1, tolerance + 1):
        shares.append(shares[-1] * fails[missing - 1] / (fails[missing] + rebuilt))
    total = float_sum(shares)
    critical = float_sum(shares[tolerance - 1 :]) * fails[tolerance - 1] / total
    return SetRates(shares[tolerance] * fails[tolerance] / total, critical, float_sum(shares[1:]) / total)


@lru_cache(maxsize=4096)
def _chain_rates(pool: SparePool) -> SetRates:
    """Rates of the modelled set, from the chain. In state 0 every spare is free and no member is missing."""
    states = _states(pool)
    number = {state: place for place, state in enumerate(states)}
    missing = [rebuilding + waiting for _, _, rebuilding, waiting in states]
    fails = [_fails(pool, absent) for absent in missing]
    rows = [_row(pool, state, rate, number) for state, rate in zip(states, fails, strict=True)]
    losses = [rate if absent == pool.tolerance else 0.0 for rate, absent in zip(fails, missing, strict=True)]
    solved = life(rows, losses)
    at_edge = [absent >= pool.tolerance - 1 for absent in missing]
    degraded = [absent > 0 for absent in missing]
    return SetRates(
        loss=solved.loss_per_hour,
        critical=_fails(pool, pool.tolerance - 1) * float_sum(compress(solved.occupancy, at_edge)),
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


def _busy_spares(pool: SparePool) -> float:
    """Mean number of disks on order while the set has a missing member."""
    return (pool.disks + max(pool.correlation - 1, 0) * pool.width) * pool.failure / pool.restocked


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
