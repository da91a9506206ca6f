"""How long a rebuild takes and how likely data is lost, with the inputs the figures rest on."""

from __future__ import annotations

from dataclasses import dataclass
from math import expm1, log1p

from raidtui.model.codec_rules import Value
from raidtui.model.limit import Limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuild(Value):
    """Time to rebuild one member, hours."""

    hours: float
    """at the assumed share of the members' time"""
    idle_hours: float
    """with no other load"""
    slow_hours: float
    """at a third of the members' time"""
    bytes_per_s: int
    """mean rate per member on an idle array"""
    limit: Limit
    """what sets the pace: `member`, `sync_speed_max`, `md sync thread`, the text of a link"""
    formula: str
    """how the hours follow, with this layout's numbers"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstSyncHours(Value):
    """Time of the first sync of all arrays on idle disks, hours."""

    hours: float
    """where md finds parity right, as on disks that are zero, or copies"""
    least_used_hours: float | None = None
    """where it rewrites the parity of what used disks hold: RAID6; None where it does not"""
    most_used_hours: float | None = None
    """the same at most"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpareShortage(Value):
    """How often a failed disk finds no spare, with a number of spares that may serve any array."""

    spares: int
    """hot spares in all"""
    per_failure: float
    """probability that a failure finds none left"""
    per_year: float
    """probability that any failure of an average year finds none; at most: failures that come together count singly"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Durability(Value):
    """Loss and repair. Probabilities are exact values of the model: show two significant digits at most."""

    rebuild_hours: float
    """`rebuild.hours`, first for outsiders; 0 where the level rebuilds nothing"""
    rebuild: Rebuild | None = None
    """None where the level survives no failure"""
    first_sync: FirstSyncHours | None = None
    """None where nothing is synced, or it was not asked for: a search does not"""
    annual_array_loss_probability: float
    """an array is lost to overlapping disk failures within a year"""
    annual_sector_loss_probability: float
    """an unreadable sector is met while redundancy is exhausted, within a year"""
    annual_sector_loss_measured: float
    """the same with the rate of unreadable sectors that was measured, 3e-16 per bit"""
    annual_array_loss_correlated: float
    """the first with the hazard of further failures multiplied by the assumed correlation"""
    annual_enclosure_loss_probability: float
    """an enclosure's outage destroys data, within a year; 0 where enclosures are unknown or placement survives"""
    any_loss_1y: float
    """any of them within a year, correlation 1"""
    any_loss_1y_correlated: float
    """the same with the assumed correlation"""
    any_loss_5y: float
    """any of them within five years, correlation 1"""
    any_loss_5y_correlated: float
    """the same with the assumed correlation"""
    mission_loss: float
    """any of them within the assumed mission"""
    mttdl_hours: float
    """mean time to data loss by array loss; never a headline"""
    spares_run_out_probability: float
    """in an average year a disk fails while no spare that may serve it is left"""
    spares_counted: int
    """spares that may serve any array: 0 beyond an array's own where no monitor moves them"""
    spare_shortages: tuple[SpareShortage, ...] = ()
    """for 0 spares, 1 and so on, to one more than suffice and to those of the layout, at the assumed restocking time"""
    spares_enough: int
    """the fewest shared spares with a shortage in at most 1 year in 10"""
    degraded_hours_per_year: float
    """expected hours a year with at least one member missing"""
    expected_bytes_lost_per_year: float
    """by unreadable sectors alone, 4 KiB each"""
    formulas: dict[str, str]
    """field of this value to its formula with this layout's numbers and source: what F1 shows"""
    limits: tuple[str, ...]
    """what the model leaves out; stands beside the figures"""
    annual_sector_loss_correlated: float = 0.0
    """chance of sector loss within a year with the assumed correlation; equal to the plain one where one failure is
    enough to exhaust redundancy"""

    @property
    def disks_loss_1y(self) -> float:
        """Loss of an array or a sector within a year, correlation 1: any loss but an enclosure's outage."""
        return either(self.annual_array_loss_probability, self.annual_sector_loss_probability)


def either(one: float, other: float) -> float:
    """Probability of at least one of two independent events."""
    return one + other - one * other


def within(yearly: float, years: float) -> float:
    """Probability within `years` of an event that has the probability `yearly` within each."""
    return -expm1(years * log1p(-min(yearly, 1 - 1e-16)))
