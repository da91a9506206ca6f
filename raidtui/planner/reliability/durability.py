"""Probability of data loss: arrays lost to overlapping failures, unreadable sectors, destructive enclosure outages.

A probability within a time is 1 - exp(-rate x time) with the steady-state rate; with new disks and all spares present
it is lower.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import expm1, inf
from typing import NamedTuple

from raidtui.model.assumptions import Assumptions
from raidtui.model.durability import Durability, Rebuild
from raidtui.model.layout import AnyLayout
from raidtui.model.units import HOURS_PER_YEAR
from raidtui.planner.members import ArrayDisks
from raidtui.planner.placement.certificate import fatal_domains
from raidtui.planner.reliability.formulas import Basis, formulas
from raidtui.planner.reliability.limitations import limitations
from raidtui.planner.reliability.loss_rates import (
    BLOCK_BYTES,
    Hazards,
    LossRates,
    hazards,
    loss_rates,
    mean_bytes_at_risk,
    spares_are_shared,
)
from raidtui.planner.reliability.spare_shortage import spare_shortages, spares_run_out, spares_wanted

NEVER_HOURS = 1e30
"""upper limit of the mean time to loss, hours"""


class Losses(NamedTuple):
    """Probabilities within a year, correlation 1."""

    array: float
    """an array is lost to overlapping failures"""
    sector: float
    """an unreadable sector loses data while redundancy is exhausted"""
    enclosure: float
    """an enclosure outage loses data"""
    any: float
    """any of them"""


def durability(
    layout: AnyLayout,
    shares: Sequence[ArrayDisks],
    component_bytes: int,
    rebuild: Rebuild | None,
    assumptions: Assumptions,
    *,
    enclosure_survives: bool | None = None,
    volume_joined: bool = True,
) -> Durability:
    """Risk of data loss of `layout` on the disks of `shares`, of each of which the array uses `component_bytes`.

    `rebuild` is None for a level without redundancy. `enclosure_survives`: data survives the loss of any enclosure;
    None derives it from the disks' places. `volume_joined`: the loss of one array is the loss of all.
    """
    rebuild_hours = rebuild.hours if rebuild is not None else 0.0
    fatal = 0 if enclosure_survives else fatal_enclosures(layout, shares)
    if enclosure_survives is False:
        fatal = max(fatal, 1)
    rates, even, grim = _hazards(layout, component_bytes, rebuild_hours, fatal, assumptions)
    losses = losses_of(rates, component_bytes, fatal, assumptions)
    at_risk = mean_bytes_at_risk(rates, layout, component_bytes)
    entries = rates.critical * HOURS_PER_YEAR
    return Durability(
        rebuild_hours=rebuild_hours,
        rebuild=rebuild,
        annual_array_loss_probability=losses.array,
        annual_sector_loss_probability=losses.sector,
        annual_array_loss_correlated=_within(grim.array),
        annual_sector_loss_correlated=_within(grim.sector),
        annual_enclosure_loss_probability=losses.enclosure,
        any_loss_1y=losses.any,
        any_loss_1y_correlated=_within(grim.any),
        any_loss_5y=_within(even.any, 5),
        any_loss_5y_correlated=_within(grim.any, 5),
        mission_loss=_within(even.any, assumptions.mission_years),
        mttdl_hours=min(1 / rates.array if rates.array else inf, NEVER_HOURS),
        spares_run_out_probability=spares_run_out(layout, assumptions),
        spares_counted=layout.spares if spares_are_shared(layout, assumptions) else layout.spares // layout.arrays,
        spare_shortages=spare_shortages(layout.member_disks, layout.spares, assumptions),
        spares_enough=spares_wanted(layout.member_disks, assumptions),
        degraded_hours_per_year=rates.degraded * HOURS_PER_YEAR,
        expected_bytes_lost_per_year=entries * 8 * assumptions.ure_per_bit * at_risk * BLOCK_BYTES,
        formulas=formulas(layout, Basis(even, grim, entries, at_risk, rebuild_hours, fatal), assumptions),
        limits=limitations(layout, shares, volume_joined),
    )


def _hazards(
    layout: AnyLayout, component_bytes: int, rebuild_hours: float, fatal: int, assumptions: Assumptions
) -> tuple[LossRates, Hazards, Hazards]:
    """(rates, losses per year, the same with correlation)."""
    rates = loss_rates(layout, rebuild_hours, assumptions)
    grim = loss_rates(layout, rebuild_hours, assumptions, max(assumptions.correlation, 1.0))
    even = hazards(rates, component_bytes, fatal, assumptions)
    return rates, even, hazards(grim, component_bytes, fatal, assumptions)


def losses_of(rates: LossRates, component_bytes: int, fatal: int, assumptions: Assumptions) -> Losses:
    """The probabilities of loss within a year that `durability` reports, from `loss_rates` and `fatal_enclosures`."""
    even = hazards(rates, component_bytes, fatal, assumptions)
    return Losses(_within(even.array), _within(even.sector), _within(even.enclosure), _within(even.any))


def _within(yearly: float, years: float = 1.0) -> float:
    """Probability of at least one event within `years` at a rate of `yearly`."""
    return -expm1(-yearly * years)


def fatal_enclosures(layout: AnyLayout, shares: Sequence[ArrayDisks]) -> int:
    """Number of enclosures whose outage removes more members of an array than it survives."""
    fatal: set[str] = set()
    for shape, share in zip(layout.shapes, shares, strict=True):
        fatal |= fatal_domains(shape, [disk.place.enclosure for disk in share.members])
    return len(fatal)
