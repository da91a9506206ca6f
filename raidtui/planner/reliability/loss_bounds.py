"""Bounds of the loss probability of many layouts for the search, in microseconds each."""

from __future__ import annotations

from functools import cached_property
from math import expm1

from raidtui.model.assumptions import Assumptions
from raidtui.model.layout import Layout, Level, Spread
from raidtui.model.units import HOURS_PER_YEAR
from raidtui.planner.reliability.loss_rates import (
    failures_per_hour,
    rebuild_rate,
    restock_hours,
    unreadable,
)
from raidtui.planner.reliability.loss_sets import loss_sets
from raidtui.planner.reliability.spare_count import poisson_tail
from raidtui.planner.reliability.spare_pool import (
    SetRates,
    SparePool,
    set_rates,
    spares_suffice,
    unlimited_spares_rates,
)


class RiskTable:
    """Bounds of the annual loss probability under one set of assumptions, correlation 1."""

    def __init__(self, assumptions: Assumptions) -> None:
        self._assumptions = assumptions
        self._shapes: dict[tuple[Level, int, int, Spread, int, float], ShapeRisk] = {}

    def of(self, layout: Layout, component_bytes: int, rebuild_hours: float) -> ShapeRisk:
        """What layouts of arrays shaped as those of `layout` share."""
        key = layout.level, layout.members, layout.copies, layout.spread, component_bytes, rebuild_hours
        found = self._shapes.get(key)
        if found is None:
            found = self._shapes[key] = ShapeRisk(layout, component_bytes, rebuild_hours, self._assumptions)
        return found

    def bounds(self, layout: Layout, component_bytes: int, rebuild_hours: float) -> tuple[float, float]:
        """Lower and upper bound of the probability of array plus sector loss within a year."""
        shape = self.of(layout, component_bytes, rebuild_hours)
        exactly = shape.exactly(layout.arrays, layout.spares)
        return shape.bounds(layout.arrays, layout.spares) if exactly is None else (exactly, exactly)


class ShapeRisk:
    """Probability of array plus sector loss within a year of layouts of equal arrays of one shape."""

    def __init__(self, layout: Layout, component_bytes: int, rebuild_hours: float, assumptions: Assumptions) -> None:
        """`layout` is any of them; `component_bytes` and `rebuild_hours` are those of all of them."""
        self._members = layout.members
        self._failure = failures_per_hour(assumptions)
        self._monitor = assumptions.monitor
        self._fails = layout.survives == 0 or self._failure == 0
        if self._fails:
            return
        sets = loss_sets(layout)
        self._sets, self._width, self._tolerance = sets.count, sets.width, sets.tolerance
        restock = restock_hours(assumptions)
        self._rebuilt, self._restocked = rebuild_rate(rebuild_hours), 1 / restock
        self._hours = restock + (sets.tolerance + 1) * max(rebuild_hours, 0.0)
        self._low = unlimited_spares_rates(sets.width, sets.tolerance, self._failure, self._rebuilt)
        self._unreadable = unreadable(layout, component_bytes, assumptions)

    @cached_property
    def _waits(self) -> SetRates:
        """Of one set if every missing member waits for its own replacement."""
        width, tolerance = self._width, self._tolerance
        return set_rates(SparePool(width, width, tolerance, 0, self._failure, self._rebuilt, self._restocked))

    def key(self, arrays: int, spares: int) -> tuple[float, ...]:
        """Equal for layouts of as many disks whose probability is the same."""
        if self._fails:
            return (arrays * self._members,)
        pool = (arrays, spares) if arrays > 1 and not self._monitor else (0, spares)
        disks, sets = arrays * self._members, arrays * self._sets
        return disks, sets, self._width, self._tolerance, self._rebuilt, self._unreadable, *pool

    def exactly(self, arrays: int, spares: int) -> float | None:
        """The probability, as `losses_of` gives it, where it takes no chain: without redundancy or with ample spares.

        Otherwise None.
        """
        disks = arrays * self._members
        if self._fails:
            return -expm1(-disks * self._failure * HOURS_PER_YEAR)
        if arrays > 1 and not self._monitor:
            return None
        busy = disks * self._failure / self._restocked
        if spares_suffice(spares, self._tolerance, busy, self._rebuilt / self._restocked):
            return self._yearly(arrays * self._sets, self._low.loss, self._low.critical)
        return None

    def bounds(self, arrays: int, spares: int) -> tuple[float, float]:
        """Lower and upper bound of the probability of layouts with redundancy.

        Lower: spares never run out. Upper: additionally every missing member waits for its own replacement, with the
        probability that a fatal sequence of failures meets an empty pool, see `_empty`.
        """
        low, waits, total = self._low, self._waits, arrays * self._sets
        empty = self._empty(arrays, spares)
        least = self._yearly(total, low.loss, low.critical)
        most = self._yearly(
            total,
            min(low.loss + empty * waits.loss, waits.loss),
            min(low.critical + empty * waits.critical, waits.critical),
        )
        return least, max(least, most)  # equal ones may differ by rounding

    def _yearly(self, sets: int, loss: float, critical: float) -> float:
        """The probability of so many sets with these rates of loss and of lost redundancy per hour."""
        return -expm1(-(sets * loss * HOURS_PER_YEAR + sets * critical * HOURS_PER_YEAR * self._unreadable))

    def _empty(self, arrays: int, spares: int) -> float:
        """Upper bound of the probability that a fatal sequence of failures finds no spare.

        The sequence takes as many spares as may be missing itself before its last failure; the others must be on order
        for other failures, whose number is Poisson over the restocking time plus the rebuilds that the sequence lasts.
        """
        if spares == 0:
            return 1.0
        disks = arrays * self._members
        if arrays > 1 and not self._monitor:
            disks, spares = self._members, spares // arrays
        return poisson_tail(spares - self._tolerance - 1, disks * self._failure * self._hours)
