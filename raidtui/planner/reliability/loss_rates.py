"""Rates at which a layout loses an array or its redundancy, from its sets of disks and the spare pools serving them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from math import expm1

from raidtui.model.assumptions import Assumptions
from raidtui.model.layout import Layout
from raidtui.model.units import HOURS_PER_YEAR
from raidtui.planner.reliability.loss_sets import LossSets, loss_sets
from raidtui.planner.reliability.spare_pool import SetRates, SparePool, set_rates

HOURS_PER_DAY = 24.0
BLOCK_BYTES = 4096
"""bytes lost per unreadable sector: a page, the unit that md restores"""
_LEAST_HOURS = 1e-3
"""lower limit of rebuild and restocking time, which keeps rates finite"""


@dataclass(frozen=True, slots=True)
class LossRates:
    """Loss rates of the whole layout, per hour."""

    array: float
    """an array is lost"""
    critical: float
    """a set of disks loses its redundancy"""
    degraded: float
    """share of time with any member missing"""


@dataclass(frozen=True, slots=True)
class Hazards:
    """Losses of the whole layout by cause, per year."""

    array: float
    """arrays lost to overlapping failures"""
    sector: float
    """unreadable sectors while redundancy is exhausted"""
    enclosure: float
    """data lost to an enclosure outage"""

    @property
    def any(self) -> float:
        """Losses per year of all causes together."""
        return self.array + self.sector + self.enclosure


def spares_are_shared(layout: Layout, assumptions: Assumptions) -> bool:
    """True if every spare may serve every array: there is one array, or mdadm --monitor moves spares between them."""
    return layout.arrays == 1 or assumptions.monitor


def pools_of(layout: Layout, assumptions: Assumptions) -> tuple[tuple[int, int, int], ...]:
    """Spare pools as (number of equal pools, arrays in each, spares in each)."""
    if spares_are_shared(layout, assumptions):
        return ((1, layout.arrays, layout.spares),)
    own = Counter(layout.spares_of(array) for array in range(layout.arrays))
    return tuple((count, 1, spares) for spares, count in sorted(own.items()))


def failures_per_hour(assumptions: Assumptions) -> float:
    """Failure rate of one disk per hour. AFR is failures per disk-year: a rate, not a probability."""
    return assumptions.afr / HOURS_PER_YEAR


def restock_hours(assumptions: Assumptions) -> float:
    """Mean hours from a disk failure until its replacement is a spare."""
    return max(assumptions.restock_days * HOURS_PER_DAY, _LEAST_HOURS)


def rebuild_rate(rebuild_hours: float) -> float:
    """Rebuilds per hour, one over `rebuild_hours`."""
    return 1 / max(rebuild_hours, _LEAST_HOURS)


def loss_rates(layout: Layout, rebuild_hours: float, assumptions: Assumptions, correlation: float = 1.0) -> LossRates:
    """Loss rates of `layout` with `rebuild_hours` per member.

    Sets are treated as independent, which slightly overstates the loss. A level without redundancy loses an array
    with each failure.
    """
    failure = failures_per_hour(assumptions)
    if failure == 0:
        return LossRates(0.0, 0.0, 0.0)
    if layout.survives == 0:
        return LossRates(layout.arrays * layout.members * failure, 0.0, 0.0)
    array = critical = 0.0
    intact = 1.0
    for alike, arrays, rates in _pools(layout, loss_sets(layout), rebuild_hours, assumptions, correlation):
        sets = alike * arrays * loss_sets(layout).count
        array += sets * rates.loss
        critical += sets * rates.critical
        intact *= (1 - rates.degraded) ** (alike * arrays * layout.members / loss_sets(layout).width)
    return LossRates(array, critical, 1 - intact)


def _pools(
    layout: Layout, sets: LossSets, rebuild_hours: float, assumptions: Assumptions, correlation: float
) -> Iterator[tuple[int, int, SetRates]]:
    for alike, arrays, spares in pools_of(layout, assumptions):
        pool = SparePool(
            disks=arrays * layout.members,
            width=sets.width,
            tolerance=sets.tolerance,
            spares=spares,
            failure=failures_per_hour(assumptions),
            rebuilt=rebuild_rate(rebuild_hours),
            restocked=1 / restock_hours(assumptions),
            correlation=correlation,
        )
        yield alike, arrays, set_rates(pool)


def hazards(
    rates: LossRates, layout: Layout, component_bytes: int, fatal_enclosures: int, assumptions: Assumptions
) -> Hazards:
    """Losses per year; `fatal_enclosures` enclosures each hold more members of an array than it survives."""
    return Hazards(
        array=rates.array * HOURS_PER_YEAR,
        sector=rates.critical * HOURS_PER_YEAR * unreadable(layout, component_bytes, assumptions),
        enclosure=fatal_enclosures * assumptions.enclosure_afr * assumptions.enclosure_loss,
    )


def unreadable(layout: Layout, component_bytes: int, assumptions: Assumptions) -> float:
    """Probability that any of the bytes at risk is unreadable."""
    return -expm1(-8 * assumptions.ure_per_bit * bytes_at_risk(layout, component_bytes))


def bytes_at_risk(layout: Layout, component_bytes: int) -> float:
    """Bytes that are read without redundancy after one set of disks has lost it; 0 for RAID0."""
    return loss_sets(layout).read_share * component_bytes if layout.survives else 0.0
