"""How often a layout loses an array or its redundancy: its sets of disks, each in the pool of spares that serves it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from math import expm1

from raidtui.model.assumptions import Assumptions
from raidtui.model.layout import Layout
from raidtui.planner.reliability.loss_sets import LossSets, loss_sets
from raidtui.planner.reliability.spare_pool import SetRates, SparePool, set_rates

HOURS_PER_YEAR = 8760.0
HOURS_PER_DAY = 24.0
BLOCK_BYTES = 4096
"""what one unreadable sector costs: a page, the unit that md restores"""
_LEAST_HOURS = 1e-3
"""rebuild and restocking take no less, so that rates stay finite"""


@dataclass(frozen=True, slots=True)
class LossRates:
    """Of the whole layout, per hour."""

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
    """an array, to failures that overlap"""
    sector: float
    """a sector that cannot be read while redundancy is exhausted"""
    enclosure: float
    """data, to an enclosure's outage"""

    @property
    def any(self) -> float:
        """All causes together."""
        return self.array + self.sector + self.enclosure


def spares_are_shared(layout: Layout, assumptions: Assumptions) -> bool:
    """True where every spare may serve every array: there is one, or a monitor moves spares between them."""
    return layout.arrays == 1 or assumptions.monitor


def pools_of(layout: Layout, assumptions: Assumptions) -> tuple[tuple[int, int, int], ...]:
    """Pools of spares as (how many alike, arrays in each, spares in each)."""
    if spares_are_shared(layout, assumptions):
        return ((1, layout.arrays, layout.spares),)
    own = Counter(layout.spares_of(array) for array in range(layout.arrays))
    return tuple((count, 1, spares) for spares, count in sorted(own.items()))


def failures_per_hour(assumptions: Assumptions) -> float:
    """Failure rate of one disk. AFR is failures over disk-years, so a rate and no probability."""
    return assumptions.afr / HOURS_PER_YEAR


def restock_hours(assumptions: Assumptions) -> float:
    """Mean hours until a failed disk's replacement is a spare."""
    return max(assumptions.restock_days * HOURS_PER_DAY, _LEAST_HOURS)


def rebuild_rate(rebuild_hours: float) -> float:
    """Rebuilds per hour."""
    return 1 / max(rebuild_hours, _LEAST_HOURS)


def loss_rates(layout: Layout, rebuild_hours: float, assumptions: Assumptions, correlation: float = 1.0) -> LossRates:
    """Rates of `layout` whose member takes `rebuild_hours` to rebuild.

    Sets are counted as if one's loss made no other's likelier, which overstates a little. A level that survives
    nothing loses an array with each failure; it has no redundancy to lose.
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
    """Losses a year where `fatal_enclosures` enclosures hold more of an array than it outlives."""
    return Hazards(
        array=rates.array * HOURS_PER_YEAR,
        sector=rates.critical * HOURS_PER_YEAR * unreadable(layout, component_bytes, assumptions),
        enclosure=fatal_enclosures * assumptions.enclosure_afr * assumptions.enclosure_loss,
    )


def unreadable(layout: Layout, component_bytes: int, assumptions: Assumptions) -> float:
    """Chance that of the bytes at risk any cannot be read."""
    return -expm1(-8 * assumptions.ure_per_bit * bytes_at_risk(layout, component_bytes))


def bytes_at_risk(layout: Layout, component_bytes: int) -> float:
    """Bytes that are read with no second source when one set of disks has lost its redundancy; none in RAID0."""
    return loss_sets(layout).read_share * component_bytes if layout.survives else 0.0
