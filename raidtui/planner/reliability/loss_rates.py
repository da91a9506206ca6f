"""Rates at which a layout loses an array or its redundancy, from its sets of disks and the spare pools serving them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import expm1
from typing import NamedTuple

from raidtui.model.assumptions import Assumptions
from raidtui.model.layout import AnyLayout, Layout
from raidtui.model.units import HOURS_PER_YEAR
from raidtui.planner.numbers import float_sum
from raidtui.planner.reliability.loss_sets import loss_sets
from raidtui.planner.reliability.spare_pool import SetRates, SparePool, set_rates

HOURS_PER_DAY = 24.0
BLOCK_BYTES = 4096
"""bytes lost per unreadable sector: a page, the unit that md restores"""
_LEAST_HOURS = 1e-3
"""lower limit of rebuild and restocking time, which keeps rates finite"""


class SparePools(NamedTuple):
    """Equal pools of spares, and the arrays that each of them serves."""

    alike: int
    """pools like this one"""
    groups: tuple[tuple[int, Layout], ...]
    """(arrays, layout of one or more of them) for each width of array in the pool"""
    disks: int
    """members of all these arrays"""
    spares: int
    """hot spares in the pool"""


@dataclass(frozen=True, slots=True)
class LossRates:
    """Loss rates of the whole layout, per hour."""

    array: float
    """an array is lost"""
    critical: float
    """a set of disks loses its redundancy"""
    degraded: float
    """share of time with any member missing"""
    critical_by_shape: tuple[tuple[float, Layout], ...] = ()
    """`critical` of the arrays of each shape, where data is at risk"""


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


def spares_are_shared(layout: AnyLayout, assumptions: Assumptions) -> bool:
    """True if every spare may serve every array: there is one array, or mdadm --monitor moves spares between them."""
    return layout.arrays == 1 or assumptions.monitor


def pools_of(layout: AnyLayout, assumptions: Assumptions) -> tuple[SparePools, ...]:
    """Pools of spares and the arrays they serve."""
    if spares_are_shared(layout, assumptions):
        return (SparePools(1, _alike(layout), layout.member_disks, layout.spares),)
    own = Counter((layout.spares_of(array), shape) for array, shape in enumerate(layout.shapes))
    return tuple(
        SparePools(count, ((1, shape),), shape.members, spares)
        for (spares, shape), count in sorted(own.items(), key=lambda each: (each[0][0], -each[0][1].members))
    )


def _alike(layout: AnyLayout) -> tuple[tuple[int, Layout], ...]:
    if isinstance(layout, Layout):
        return ((layout.arrays, layout),)
    return tuple((count, shape) for shape, count in Counter(layout.shapes).items())


def failures_per_hour(assumptions: Assumptions) -> float:
    """Failure rate of one disk per hour. AFR is failures per disk-year: a rate, not a probability."""
    return assumptions.afr / HOURS_PER_YEAR


def restock_hours(assumptions: Assumptions) -> float:
    """Mean hours from a disk failure until its replacement is a spare."""
    return max(assumptions.restock_days * HOURS_PER_DAY, _LEAST_HOURS)


def rebuild_rate(rebuild_hours: float) -> float:
    """Rebuilds per hour, one over `rebuild_hours`."""
    return 1 / max(rebuild_hours, _LEAST_HOURS)


def loss_rates(
    layout: AnyLayout, rebuild_hours: float, assumptions: Assumptions, correlation: float = 1.0
) -> LossRates:
    """Loss rates of `layout` with `rebuild_hours` per member.

    Sets are treated as independent, which slightly overstates the loss. A level without redundancy loses an array
    with each failure.
    """
    failure = failures_per_hour(assumptions)
    if failure == 0:
        return LossRates(0.0, 0.0, 0.0)
    if layout.survives == 0:
        return LossRates(layout.member_disks * failure, 0.0, 0.0)
    array = critical = 0.0
    intact = 1.0
    by_shape: dict[Layout, float] = {}
    for pool in pools_of(layout, assumptions):
        for arrays, shape in pool.groups:
            kinds, rates = loss_sets(shape), _set_rates(pool, shape, rebuild_hours, assumptions, correlation)
            sets = pool.alike * arrays * kinds.count
            array += sets * rates.loss
            critical += sets * rates.critical
            by_shape[shape] = by_shape.get(shape, 0.0) + sets * rates.critical
            intact *= (1 - rates.degraded) ** (pool.alike * arrays * shape.members / kinds.width)
    return LossRates(array, critical, 1 - intact, tuple((part, shape) for shape, part in by_shape.items()))


def _set_rates(
    pool: SparePools, shape: Layout, rebuild_hours: float, assumptions: Assumptions, correlation: float
) -> SetRates:
    """Rates of one set of an array of `shape` whose spares come from `pool`."""
    sets = loss_sets(shape)
    return set_rates(
        SparePool(
            disks=pool.disks,
            width=sets.width,
            tolerance=sets.tolerance,
            spares=pool.spares,
            failure=failures_per_hour(assumptions),
            rebuilt=rebuild_rate(rebuild_hours),
            restocked=1 / restock_hours(assumptions),
            correlation=correlation,
        )
    )


def hazards(rates: LossRates, component_bytes: int, fatal_enclosures: int, assumptions: Assumptions) -> Hazards:
    """Losses per year; `fatal_enclosures` enclosures each hold more members of an array than it survives."""
    return Hazards(
        array=rates.array * HOURS_PER_YEAR,
        sector=float_sum(
            part * HOURS_PER_YEAR * unreadable(shape, component_bytes, assumptions)
            for part, shape in rates.critical_by_shape
        ),
        enclosure=fatal_enclosures * assumptions.enclosure_afr * assumptions.enclosure_loss,
    )


def unreadable(layout: Layout, component_bytes: int, assumptions: Assumptions) -> float:
    """Probability that any of the bytes at risk is unreadable."""
    return -expm1(-8 * assumptions.ure_per_bit * bytes_at_risk(layout, component_bytes))


def mean_bytes_at_risk(rates: LossRates, layout: AnyLayout, component_bytes: int) -> float:
    """`bytes_at_risk` of a mean event in which redundancy is exhausted; of the widest array if there is no event."""
    parts = rates.critical_by_shape
    total = float_sum(part for part, _ in parts)
    if len(parts) < 2 or not total:
        return max(bytes_at_risk(group, component_bytes) for group in layout.groups)
    return float_sum(part * bytes_at_risk(shape, component_bytes) for part, shape in parts) / total


def bytes_at_risk(layout: Layout, component_bytes: int) -> float:
    """Bytes that are read without redundancy after one set of disks has lost it; 0 for RAID0."""
    return loss_sets(layout).read_share * component_bytes if layout.survives else 0.0
