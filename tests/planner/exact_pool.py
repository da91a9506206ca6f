"""Every array of a pool as one Markov chain, solved in 60 digits by plain elimination: a judge for the planner's chain.

A state holds for each array how many members rebuild and how many wait, sorted since arrays are alike, and the free
spares. Disks that are rebuilt may fail too. What arrives goes to any waiting member, or first to an array that misses
most.
"""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal, getcontext

getcontext().prec = 60

State = tuple[int, tuple[tuple[int, int], ...]]


def mean_hours(
    arrays: int, members: int, tolerance: int, spares: int, *, afr: str, rebuild_h: str, restock_h: str,
    worst_first: bool = False, deepest: int = 8,
) -> Decimal:  # fmt: skip
    """Mean hours from all well to the first array lost, without states that miss more than `deepest` members."""
    start: State = (spares, ((0, 0),) * arrays)
    rates = Decimal(afr) / 8760, 1 / Decimal(rebuild_h), 1 / Decimal(restock_h)
    chain: dict[State, tuple[dict[State, Decimal], Decimal]] = {}
    unseen = [start]
    while unseen:
        state = unseen.pop()
        if state not in chain:
            chain[state] = _leaves(state, members, tolerance, spares, rates, worst_first, deepest)
            unseen += chain[state][0]
    return _mean(chain, start)


def _leaves(
    state: State, members: int, tolerance: int, spares: int, rates: tuple[Decimal, Decimal, Decimal],
    worst_first: bool, deepest: int,
) -> tuple[dict[State, Decimal], Decimal]:  # fmt: skip
    """Rates from `state` to others, and to loss."""
    failure, rebuild, restock = rates
    free, arrays = state
    to: dict[State, Decimal] = defaultdict(Decimal)
    lost = Decimal(0)
    absent = sum(rebuilding + waiting for rebuilding, waiting in arrays)
    queue = sum(waiting for _, waiting in arrays)
    worst = max((sum(array), array[1], number) for number, array in enumerate(arrays) if array[1])[2] if queue else -1

    def move(number: int, array: tuple[int, int], left: int, rate: Decimal) -> None:
        others = arrays[:number] + arrays[number + 1 :]
        to[(left, tuple(sorted((*others, array))))] += rate

    for number, (rebuilding, waiting) in enumerate(arrays):
        rate = (members - rebuilding - waiting) * failure
        if rebuilding + waiting == tolerance:
            lost += rate
        elif absent < deepest:
            after = (rebuilding + 1, waiting) if free else (rebuilding, waiting + 1)
            move(number, after, max(free - 1, 0), rate)
        if rebuilding:
            move(number, (0, waiting), free, rebuild)
            again = (rebuilding, waiting) if free else (rebuilding - 1, waiting + 1)
            move(number, again, max(free - 1, 0), rebuilding * failure)
        if waiting:
            share = Decimal(number == worst) if worst_first else Decimal(waiting) / queue
            move(number, (rebuilding + 1, waiting - 1), 0, share * (spares + queue) * restock)
    if not queue and free < spares:
        to[(free + 1, arrays)] += (spares - free) * restock
    to.pop(state, None)
    return {other: rate for other, rate in to.items() if rate}, lost


def _mean(chain: dict[State, tuple[dict[State, Decimal], Decimal]], start: State) -> Decimal:
    """Solve (total rate) t(s) - sum rate t(other) = 1, one unknown after the other, the start last."""
    rows = {state: dict(to) for state, (to, _) in chain.items()}
    totals = {state: sum(to.values()) + lost for state, (to, lost) in chain.items()}
    times = dict.fromkeys(chain, Decimal(1))
    sources: dict[State, set[State]] = defaultdict(set)
    for state, to in rows.items():
        for other in to:
            sources[other].add(state)
    for state in sorted(chain, key=lambda each: (each[0], -sum(map(sum, each[1])))):
        if state == start:
            continue
        for source in sources[state]:
            factor = rows[source].pop(state) / totals[state]
            times[source] += factor * times[state]
            for other, rate in rows[state].items():
                if other == source:
                    totals[source] -= factor * rate
                else:
                    rows[source][other] = rows[source].get(other, Decimal(0)) + factor * rate
                    sources[other].add(source)
        for other in rows[state]:
            sources[other].discard(state)
    return times[start] / totals[start]
