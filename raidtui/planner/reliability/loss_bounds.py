"""Bounds of the loss probability of many layouts for the search, in microseconds each."""

from __future__ import annotations

from functools import cached_property
from math import expm1

from raidtui.model.assumptions import Assumptions
from raidtui.model.layout import Layout
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
        self._set = self._width, self._tolerance, self._rebuilt, self._unreadable

    @cached_property
    def _waits(self) -> SetRates:
        """Of one set if every missing member waits for its own replacement."""
        width, tolerance = self._width, self._tolerance
        return set_rates(SparePool(width, width, tolerance, 0, self._failure, self._rebuilt, self._restocked))

    def key(self, arrays: int, spares: int) -> tuple[object, ...]:
        """Equal for layouts of as many disks whose probability is the same."""
        disks = arrays * self._members
        if self._fails:
            return (disks,)
        shared = arrays == 1 or self._monitor
        return disks, arrays * self._sets, spares, 0 if shared else arrays, self._set

    def least(self, arrays: int) -> float:
        """Lower bound of the probability, which spares do not change: they never run out. Never less of more arrays."""
        if self._fails:
            return -expm1(-(arrays * self._members) * self._failure * HOURS_PER_YEAR)
        return self._yearly(arrays * self._sets, self._low.loss, self._low.critical)

    def reaches_least(self, arrays: int, spares: int) -> bool:
        """True if the lower bound is the probability, as `losses_of` gives it: no redundancy, or ample spares."""
        if self._fails:
            return True
        if arrays > 1 and not self._monitor:
            return False
        busy = arrays * self._members * self._failure / self._restocked
        return spares_suffice(spares, self._tolerance, busy, self._rebuilt / self._restocked)

    def most(self, arrays: int, spares: int) -> float:
        """Upper bound of the probability.

        With redundancy: every missing member waits for its own replacement, with the probability that a fatal sequence
        of failures meets an empty pool, see `_empty`.
        """
        least = self.least(arrays)
        if self.reaches_least(arrays, spares):
            return least
        low, waits = self._low, self._waits
        empty = self._empty(arrays, spares)
        most = self._yearly(
            arrays * self._sets,
            min(low.loss + empty * waits.loss, waits.loss),
            min(low.critical + empty * waits.critical, waits.critical),
        )
        return max(least, most)  # equal ones may differ by rounding

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
