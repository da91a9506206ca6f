"""Bounds of the loss probability of many layouts for the search, in microseconds each."""

from __future__ import annotations

from math import expm1
from typing import NamedTuple

from raidtui.model.assumptions import Assumptions
from raidtui.model.layout import Layout, Level, Spread
from raidtui.model.units import HOURS_PER_YEAR
from raidtui.planner.reliability.loss_rates import (
    failures_per_hour,
    loss_rates,
    pools_of,
    rebuild_rate,
    restock_hours,
    spares_are_shared,
    unreadable,
)
from raidtui.planner.reliability.loss_sets import loss_sets
from raidtui.planner.reliability.spare_count import poisson_tail
from raidtui.planner.reliability.spare_pool import SetRates, SparePool, set_rates, unlimited_spares_rates


class RiskTable:
    """Bounds of the annual loss probability under one set of assumptions, correlation 1."""

    def __init__(self, assumptions: Assumptions) -> None:
        self._assumptions = assumptions
        self._arrays: dict[tuple[Level, int, int, Spread, int, float], _ArrayRisk] = {}

    def bounds(self, layout: Layout, component_bytes: int, rebuild_hours: float) -> tuple[float, float]:
        """Lower and upper bound of the probability of array plus sector loss within a year.

        Lower: spares never run out. Upper: additionally every missing member waits for its own replacement, with the
        probability that a fatal sequence of failures meets an empty pool, see `_empty`.
        """
        assumptions = self._assumptions
        if layout.survives == 0 or failures_per_hour(assumptions) == 0:
            exactly = _annual(loss_rates(layout, rebuild_hours, assumptions).array)
            return exactly, exactly
        key = layout.level, layout.members, layout.copies, layout.spread, component_bytes, rebuild_hours
        risk = self._arrays.get(key)
        if risk is None:
            risk = self._arrays[key] = self._of_array(layout, component_bytes, rebuild_hours)
        low, waits, unread = risk.low, risk.waits, risk.unreadable
        empty = self._empty(layout, risk.tolerance, rebuild_hours)
        total = layout.arrays * risk.sets
        loss = total * min(low.loss + empty * waits.loss, waits.loss)
        critical = total * min(low.critical + empty * waits.critical, waits.critical)
        least, most = _annual(total * low.loss + total * low.critical * unread), _annual(loss + critical * unread)
        return least, max(least, most)  # equal ones may differ by rounding

    def _of_array(self, layout: Layout, component_bytes: int, rebuild_hours: float) -> _ArrayRisk:
        failure = failures_per_hour(self._assumptions)
        sets = loss_sets(layout)
        rebuilt, restocked = rebuild_rate(rebuild_hours), 1 / restock_hours(self._assumptions)
        alone = SparePool(sets.width, sets.width, sets.tolerance, 0, failure, rebuilt, restocked)
        return _ArrayRisk(
            sets.count,
            sets.tolerance,
            unlimited_spares_rates(sets.width, sets.tolerance, failure, rebuilt),
            set_rates(alone),
            unreadable(layout, component_bytes, self._assumptions),
        )

    def _empty(self, layout: Layout, tolerance: int, rebuild_hours: float) -> float:
        """Upper bound of the probability that a fatal sequence of failures finds no spare.

        The sequence takes `tolerance` spares itself before its last failure; the others must be on order for other
        failures, whose number is Poisson over the restocking time plus the rebuilds that the sequence lasts.
        """
        if layout.spares == 0:
            return 1.0
        if spares_are_shared(layout, self._assumptions):
            disks, spares = layout.member_disks, layout.spares
        else:
            pool = pools_of(layout, self._assumptions)[0]
            disks, spares = pool.disks, pool.spares
        hours = restock_hours(self._assumptions) + (tolerance + 1) * max(rebuild_hours, 0.0)
        return poisson_tail(spares - tolerance - 1, disks * failures_per_hour(self._assumptions) * hours)


class _ArrayRisk(NamedTuple):
    """What all layouts of arrays of one shape share."""

    sets: int
    """in one array"""
    tolerance: int
    """disks of a set that may be missing"""
    low: SetRates
    """of one set if spares never run out"""
    waits: SetRates
    """of one set if every missing member waits for its own replacement"""
    unreadable: float
    """probability that a sector is unreadable once a set has lost its redundancy"""


def _annual(per_hour: float) -> float:
    return -expm1(-per_hour * HOURS_PER_YEAR)
