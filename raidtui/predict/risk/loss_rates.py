"""Rates at which a layout loses an array or its redundancy, from its sets of disks and the spare pools serving them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import expm1, gcd
from typing import NamedTuple

from raidtui.predict.risk.spare_pool import SetRates, SparePool, set_rates
from raidtui.values.amounts import float_sum
from raidtui.values.assumptions import Assumptions
from raidtui.values.layout import ArrayGroup, ArrayShape, Layout
from raidtui.values.units import HOURS_PER_YEAR

HOURS_PER_DAY = 24.0
BLOCK_BYTES = 4096
"""bytes lost per unreadable sector: a page, the unit that md restores"""
_LEAST_HOURS = 1e-3
"""lower limit of rebuild and restocking time, which keeps rates finite"""
MOST_COPIES = 6
"""copies that are modelled; with more, a loss is rarer than any model can predict"""
_SMALL = 1e-3
"""mean number of unreadable sectors below which a series is exact to seven digits"""


@dataclass(frozen=True, slots=True)
class LossSets:
    """An array is lost when more than `tolerance` of the `width` disks of any one of its sets are missing."""

    count: int
    """sets in one array; those of RAID10 far, offset and uneven near overlap"""
    width: int
    """disks in a set"""
    tolerance: int
    """how many of them may be missing"""
    read_share: float
    """disks' worth of bytes without a second copy once `tolerance` members of a set are missing"""


def loss_sets(shape: ArrayShape) -> LossSets:
    """The sets of an array.

    RAID10 puts the copies of a chunk on consecutive members (kernel, drivers/md/raid10.c, __raid10_find_phys): near
    copies start at every copies-th member, round the array until they are back at the first; far and offset copies
    start at every member.
    """
    members = shape.members
    if shape.level == "raid1":
        return _mirrors(1, members, 1.0)
    if shape.level == "raid10":
        near = shape.spread == "n" or shape.copies == members
        count = members // gcd(members, shape.copies) if near else members
        return _mirrors(count, shape.copies, members / shape.copies / count)
    return LossSets(1, members, shape.parity, float(members - shape.parity))


def _mirrors(count: int, copies: int, read_share: float) -> LossSets:
    counted = min(copies, MOST_COPIES)
    return LossSets(count, counted, counted - 1, read_share)


class SparePools(NamedTuple):
    """Equal pools of spares, and the arrays that each of them serves."""

    alike: int
    """pools like this one"""
    groups: tuple[ArrayGroup, ...]
    """those of each width in the pool"""
    disks: int
    """members of all these arrays"""
    spares: int
    """hot spares in the pool"""


class Exhausted(NamedTuple):
    """How often the arrays of one shape lose the redundancy of a set of disks."""

    shape: ArrayShape
    rate: float
    """per hour"""
    rebuilding: float
    """the part of `rate` at which the rebuild of what was missing before is under way"""

    @property
    def halved(self) -> float:
        """The part of `rate` at which md has restored half of the data, on average: it reads a RAID6 member that is
        being rebuilt up to where that came (drivers/md/raid5.c, analyse_stripe, recovery_offset). RAID1 and RAID10 copy
        from complete members alone."""
        return self.rebuilding if self.shape.parity == 2 else 0.0


@dataclass(frozen=True, slots=True)
class LossRates:
    """Loss rates of the whole layout, per hour."""

    array: float
    """an array is lost"""
    degraded: float
    """share of time with any member missing"""
    exhausted: tuple[Exhausted, ...] = ()
    """of the arrays of each shape, where data is at risk"""

    @property
    def critical(self) -> float:
        """A set of disks loses its redundancy."""
        return float_sum(each.rate for each in self.exhausted)


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


def pools_of(layout: Layout, assumptions: Assumptions) -> tuple[SparePools, ...]:
    """Pools of spares and the arrays they serve."""
    if spares_are_shared(layout, assumptions):
        return (SparePools(1, layout.kinds, layout.member_disks, layout.spares),)
    own = Counter((layout.spares_of(array), shape) for array, shape in enumerate(layout.shapes))
    return tuple(
        SparePools(count, (ArrayGroup(shape),), shape.members, spares)
        for (spares, shape), count in sorted(own.items(), key=lambda each: (each[0][0], -each[0][1].members))
    )


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
        return LossRates(0.0, 0.0)
    if layout.survives == 0:
        return LossRates(layout.member_disks * failure, 0.0)
    array = 0.0
    intact = 1.0
    by_shape: dict[ArrayShape, Exhausted] = {}
    for pool in pools_of(layout, assumptions):
        for shape, arrays in ((group.shape, group.arrays) for group in pool.groups):
            kinds, rates = loss_sets(shape), _set_rates(pool, shape, rebuild_hours, assumptions, correlation)
            sets = pool.alike * arrays * kinds.count
            array += sets * rates.loss
            before = by_shape.get(shape, Exhausted(shape, 0.0, 0.0))
            more, under_way = sets * rates.critical, sets * rates.rebuilding
            by_shape[shape] = Exhausted(shape, before.rate + more, before.rebuilding + under_way)
            intact *= (1 - rates.degraded) ** (pool.alike * arrays * shape.members / kinds.width)
    return LossRates(array, 1 - intact, tuple(by_shape.values()))


def _set_rates(
    pool: SparePools, shape: ArrayShape, rebuild_hours: float, assumptions: Assumptions, correlation: float
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
        sector=HOURS_PER_YEAR * float_sum(_sectors(each, component_bytes, assumptions) for each in rates.exhausted),
        enclosure=fatal_enclosures * assumptions.enclosure_afr * assumptions.enclosure_loss,
    )


def _sectors(exhausted: Exhausted, component_bytes: int, assumptions: Assumptions) -> float:
    """Events per hour in which redundancy is exhausted and a sector is unreadable.

    Where a rebuild was under way it had come anywhere with the same probability: the mean of 1 - exp(-x) from 0 to all.
    """
    whole = unreadable(exhausted.shape, component_bytes, assumptions)
    expected = 8 * assumptions.ure_per_bit * bytes_at_risk(exhausted.shape, component_bytes)
    mean = expected / 2 - expected**2 / 6 if expected < _SMALL else 1 - whole / expected
    return (exhausted.rate - exhausted.halved) * whole + exhausted.halved * mean


def unreadable(shape: ArrayShape, component_bytes: int, assumptions: Assumptions) -> float:
    """Probability that any of the bytes at risk is unreadable."""
    return -expm1(-8 * assumptions.ure_per_bit * bytes_at_risk(shape, component_bytes))


def mean_bytes_at_risk(rates: LossRates, layout: Layout, component_bytes: int) -> float:
    """Bytes that are read without redundancy in a mean event; of the widest array if there is no event."""
    total = rates.critical
    if not total:
        return max(bytes_at_risk(group.shape, component_bytes) for group in layout.groups)
    at_risk = ((each.rate - each.halved / 2) * bytes_at_risk(each.shape, component_bytes) for each in rates.exhausted)
    return float_sum(at_risk) / total


def bytes_at_risk(shape: ArrayShape, component_bytes: int) -> float:
    """Bytes that are read without redundancy after one set of disks has lost it; 0 for RAID0."""
    return loss_sets(shape).read_share * component_bytes if shape.survives else 0.0
