"""Bounds of the loss probability of many layouts for the search, in microseconds each."""

from __future__ import annotations

from math import expm1

from raidtui.model.assumptions import Assumptions
from raidtui.model.layout import Layout
from raidtui.model.units import HOURS_PER_YEAR
from raidtui.planner.reliability.loss_rates import (
    failures_per_hour,
    loss_rates,
    pools_of,
    rebuild_rate,
    restock_hours,
    unreadable,
)
from raidtui.planner.reliability.loss_sets import loss_sets
from raidtui.planner.reliability.spare_count import poisson_tail
from raidtui.planner.reliability.spare_pool import SetRates, SparePool, set_rates, unlimited_spares_rates


class RiskTable:
    """Bounds of the annual loss probability under one set of assumptions, correlation 1."""

    def __init__(self, assumptions: Assumptions) -> None:
        self._assumptions = assumptions

    def bounds(self, layout: Layout, component_bytes: int, rebuild_hours: float) -> tuple[float, float]:
        """Lower and upper bound of the probability of array plus sector loss within a year.

        Lower: spares never run out. Upper: additionally every missing member waits for its own replacement, with the
        probability that a fatal sequence of failures meets an empty pool, see `_empty`.
        """
        low, high = self._rates(layout, rebuild_hours)
        risk = unreadable(layout, component_bytes, self._assumptions)
        return _annual(low.loss + low.critical * risk), _annual(high.loss + high.critical * risk)

    def _rates(self, layout: Layout, rebuild_hours: float) -> tuple[SetRates, SetRates]:
        """Lower and upper rates of the whole layout, per hour."""
        failure = failures_per_hour(self._assumptions)
        if failure == 0 or layout.survives == 0:
            rates = loss_rates(layout, rebuild_hours, self._assumptions)
            same = SetRates(rates.array, rates.critical, rates.degraded)
            return same, same
        sets = loss_sets(layout)
        rebuilt, restocked = rebuild_rate(rebuild_hours), 1 / restock_hours(self._assumptions)
        low = unlimited_spares_rates(sets.width, sets.tolerance, failure, rebuilt)
        alone = SparePool(sets.width, sets.width, sets.tolerance, 0, failure, rebuilt, restocked)
        waits = set_rates(alone)
        empty = self._empty(layout, sets.tolerance, rebuild_hours)
        total = layout.arrays * sets.count
        return (
            SetRates(total * low.loss, total * low.critical, low.degraded),
            SetRates(
                total * min(low.loss + empty * waits.loss, waits.loss),
                total * min(low.critical + empty * waits.critical, waits.critical),
                waits.degraded,
            ),
        )

    def _empty(self, layout: Layout, tolerance: int, rebuild_hours: float) -> float:
        """Upper bound of the probability that a fatal sequence of failures finds no spare.

        The sequence takes `tolerance` spares itself before its last failure; the others must be on order for other
        failures, whose number is Poisson over the restocking time plus the rebuilds that the sequence lasts.
        """
        if layout.spares == 0:
            return 1.0
        pool = pools_of(layout, self._assumptions)[0]
        hours = restock_hours(self._assumptions) + (tolerance + 1) * max(rebuild_hours, 0.0)
        expected = pool.disks * failures_per_hour(self._assumptions) * hours
        return poisson_tail(pool.spares - tolerance - 1, expected)


def _annual(per_hour: float) -> float:
    return -expm1(-per_hour * HOURS_PER_YEAR)
