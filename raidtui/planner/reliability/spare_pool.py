"""Arrays that share hot spares, as a Markov chain: how often one set of disks is lost, or is left without redundancy.

One set is followed member by member: rebuilding (it has taken a spare, one pass restores all of them) or waiting (no
spare was left). Of the others only the number of waiting members is kept, which together with the free spares makes a
birth and death process of its own: every failure takes a spare or waits, every failed disk is ordered anew, and a disk
that arrives goes to any of those that wait (mdadm --monitor serves arrays in the order of its list, not the worst
first). For the followed set this is exact. Free spares do not fail.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import compress

from raidtui.planner.reliability.markov import Row, life

_NEGLIGIBLE = 1e-9
"""chance of more members waiting elsewhere, relative to none, that ends the chain"""


@dataclass(frozen=True, slots=True)
class SparePool:
    """Disks that share spares. Rates are per hour."""

    disks: int
    """members of all arrays in the pool"""
    width: int
    """disks in the set that is followed"""
    tolerance: int
    """how many of them may be missing; at least 1"""
    spares: int
    """hot spares when none is in use"""
    failure: float
    """of one disk"""
    rebuilt: float
    """of a rebuild's end: one over its hours"""
    restocked: float
    """of one ordered disk's arrival"""
    correlation: float = 1.0
    """factor on failures in the followed set while any of its members is missing"""


@dataclass(frozen=True, slots=True)
class SetRates:
    """What happens to one set, per hour or as a share of time."""

    loss: float
    """more than `tolerance` missing"""
    critical: float
    """a member fails with at least `tolerance` - 1 missing: redundancy is exhausted anew, or worse"""
    degraded: float
    """share of time with any member missing"""


@lru_cache(maxsize=4096)
def set_rates(pool: SparePool) -> SetRates:
    """The rates of the followed set, from the chain. State 0 has every spare free and nothing missing."""
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
        critical=_fails(pool, pool.tolerance - 1) * sum(compress(solved.occupancy, at_edge)),
        degraded=sum(compress(solved.occupancy, degraded)),
    )


@lru_cache(maxsize=4096)
def unlimited_spares_rates(width: int, tolerance: int, failure: float, rebuilt: float) -> SetRates:
    """The rates of a set whose spares never run out, in closed form: the smallest that any pool has."""
    shares = [1.0]
    for missing in range(1, tolerance + 1):
        fails = (width - missing) * failure
        shares.append(shares[-1] * (fails + failure) / (fails + rebuilt))
    total = sum(shares)
    critical = sum(shares[tolerance - 1 :]) * (width - tolerance + 1) * failure / total
    loss = shares[tolerance] * (width - tolerance) * failure / total
    return SetRates(loss, critical, sum(shares[1:]) / total)


State = tuple[int, int, int, int]
"""free spares, members waiting elsewhere, own members rebuilding, own members waiting"""


def _states(pool: SparePool) -> list[State]:
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
    """How many waiting members elsewhere are worth following: the rest is as good as impossible."""
    load = pool.disks * pool.failure / pool.restocked
    waiting, chance = 0, 1.0
    while chance > _NEGLIGIBLE and waiting < pool.disks - pool.width:
        waiting += 1
        chance *= load / (pool.spares + waiting)
    return waiting


def _fails(pool: SparePool, missing: int) -> float:
    return (pool.width - missing) * pool.failure * (pool.correlation if missing else 1.0)


def _row(pool: SparePool, state: State, fails: float, number: dict[State, int]) -> Row:
    """Rates from `state`; a loss is not among them, nor is what leads beyond the states that are followed."""
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
    return {number[to]: rate for to, rate in moves if rate > 0 and to in number and to != state}
