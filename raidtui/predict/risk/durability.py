"""Probability of data loss: arrays lost to overlapping failures, unreadable sectors, destructive enclosure outages.

A probability within a time is 1 - exp(-rate x time) with the steady-state rate; with new disks and all spares present
it is lower.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import expm1, inf
from typing import NamedTuple

from raidtui.predict.placement.certificate import fatal_domains
from raidtui.predict.risk.loss_rates import (
    BLOCK_BYTES,
    Hazards,
    LossRates,
    LossSets,
    bytes_at_risk,
    hazards,
    loss_rates,
    loss_sets,
    mean_bytes_at_risk,
    pools_of,
    spares_are_shared,
)
from raidtui.predict.risk.spares import RULE, spare_shortages, spares_run_out, spares_wanted
from raidtui.values.amounts import hours, stated_percent, two_digits
from raidtui.values.assumptions import Assumptions
from raidtui.values.layout import Layout
from raidtui.values.members import ArrayDisks
from raidtui.values.prediction import Durability, Rebuild
from raidtui.values.units import HOURS_PER_YEAR, counted, decimal_size

NEVER_HOURS = 1e30
"""upper limit of the mean time to loss, hours"""
MEASURED_URE = 3e-16
"""unreadable sectors per bit that were measured: 5 in 2 PB (Gray and van Ingen 2005)"""
LONGEST_YEARS = 1e6
"""a longer mean time to data loss is not meaningful for real disks"""


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
    layout: Layout,
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
    reads = max(bytes_at_risk(group.shape, component_bytes) for group in layout.groups)
    entries = rates.critical * HOURS_PER_YEAR
    measured = hazards(rates, component_bytes, fatal, replace(assumptions, ure_per_bit=MEASURED_URE))
    return Durability(
        rebuild_hours=rebuild_hours,
        rebuild=rebuild,
        annual_array_loss_probability=losses.array,
        annual_sector_loss_probability=losses.sector,
        annual_sector_loss_measured=_within(measured.sector),
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
        formulas=_formulas(layout, _Basis(even, grim, entries, at_risk, reads, rebuild_hours, fatal), assumptions),
        limits=_limitations(layout, shares, volume_joined),
    )


def _hazards(
    layout: Layout, component_bytes: int, rebuild_hours: float, fatal: int, assumptions: Assumptions
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


def fatal_enclosures(layout: Layout, shares: Sequence[ArrayDisks]) -> int:
    """Number of enclosures whose outage removes more members of an array than it survives."""
    fatal: set[str] = set()
    for shape, share in zip(layout.shapes, shares, strict=True):
        fatal |= fatal_domains(shape, [disk.place.enclosure for disk in share.members])
    return len(fatal)


def _limitations(layout: Layout, shares: Sequence[ArrayDisks], volume_joined: bool) -> tuple[str, ...]:
    """Phrases that can follow `not in the model:`."""
    found = [
        "operator errors, software, power, fire and theft",
        "age and batch: disks fail at a constant rate; only the correlated figure covers joint failures",
    ]
    if layout.survives:
        found += [
            "unreadable sectors found by ordinary reads while redundancy remains: md repairs them",
            "spares that fail while idle: read them monthly",
        ]
    else:
        found.append("unreadable sectors: without redundancy each one is lost")
    if not any(disk.place.enclosure for share in shares for disk in share.members):
        found.append("enclosure outages: the inventory does not list the disks' enclosures")
    if layout.arrays > 1:
        fate = "loses all data, since the volume spans them" if volume_joined else "leaves the other arrays' data"
        found.append(f"the amount lost: losing one array {fate}")
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Basis:
    """Inputs of the risk figures."""

    even: Hazards
    """without correlation"""
    grim: Hazards
    """with correlation"""
    entries: float
    """events per year in which redundancy is exhausted"""
    at_risk: float
    """bytes that are read without redundancy in a mean event"""
    reads: float
    """bytes that are read in an event, of the widest array"""
    rebuild_hours: float
    fatal_enclosures: int
    """enclosures whose loss an array does not survive"""


def _formulas(layout: Layout, basis: _Basis, assumptions: Assumptions) -> dict[str, str]:
    """Field of `Durability` to its formula."""
    factor = f"{max(assumptions.correlation, 1.0):g}"
    return {
        "annual_array_loss_probability": _array(layout, basis, assumptions),
        "annual_array_loss_correlated": _correlated(layout, basis, factor),
        "annual_sector_loss_probability": _sector(layout, basis, assumptions),
        "annual_sector_loss_measured": f"the same with {MEASURED_URE:g} unreadable sectors per bit",
        "annual_sector_loss_correlated": f"1 - exp(-r), r = {chance(basis.grim.sector)} a year, correlation {factor}",
        "annual_enclosure_loss_probability": f"1 - exp(-r), r = {counted(basis.fatal_enclosures, 'enclosure')} fatal "
        f"to an array x {assumptions.enclosure_afr:.2g} outages a year x "
        f"{assumptions.enclosure_loss:.2g} that destroy data; estimate",
        "any_loss_1y": _any(basis.even, "1 year"),
        "any_loss_1y_correlated": f"{_any(basis.grim, '1 year')}, correlation {factor}",
        "any_loss_5y": _any(basis.even, "5 years"),
        "any_loss_5y_correlated": f"{_any(basis.grim, '5 years')}, correlation {factor}",
        "mission_loss": _any(basis.even, f"{assumptions.mission_years:g} years"),
        "mttdl_hours": f"1 / rate of array loss: {mean_time(HOURS_PER_YEAR / max(basis.even.array, 1e-12))}",
        **_of_spares(layout, basis, assumptions),
        "expected_bytes_lost_per_year": f"{chance(basis.entries)} times a year x 8 x {assumptions.ure_per_bit:g} x "
        f"{decimal_size(int(basis.at_risk))} x {BLOCK_BYTES} bytes per unreadable sector",
    }  # fmt: skip


def _array(layout: Layout, basis: _Basis, assumptions: Assumptions) -> str:
    yearly, afr = chance(basis.even.array), stated_percent(assumptions.afr)
    disks = layout.member_disks
    if layout.survives == 0:
        return f"1 - exp(-r), r = {disks} disks x {afr} = {yearly} a year: the first failure loses data"
    kinds = [(group.arrays, loss_sets(group.shape)) for group in layout.groups]
    what = " and ".join(
        f"{arrays * sets.count} x a set of {sets.width} disks that survives {sets.tolerance}" for arrays, sets in kinds
    )
    losses = " and ".join(_leading_term(sets) for sets in dict.fromkeys(sets for _, sets in kinds))
    return (
        f"1 - exp(-r), r = {yearly} a year; {what}; each a Markov chain over members "
        f"rebuilding ({hours(basis.rebuild_hours)}, one pass for all) or waiting "
        f"({assumptions.restock_days:g} days for a new disk); "
        f"{_pools(layout, assumptions)}, AFR {afr}; while spares are available, about {losses} of each set"
    )


def _leading_term(sets: LossSets) -> str:
    """Losses of one set a year while spares are available: all orders of failures, each within a rebuild."""
    rows = " x ".join(str(sets.width - lost) for lost in range(sets.tolerance + 1))
    power = f"^{sets.tolerance}" if sets.tolerance > 1 else ""
    return f"{rows} x AFR^{sets.tolerance + 1} x (rebuild / 8760 h){power}"


def _correlated(layout: Layout, basis: _Basis, factor: str) -> str:
    if layout.survives == 0:
        return "as without correlation: the first failure loses data"
    return (
        f"1 - exp(-r), r = {chance(basis.grim.array)} a year; the same chains, with failures {factor} times as "
        "frequent in a set with a missing member; Elerath and Pecht (DSN 2007) report 2 to 1500 times the loss"
    )


def _sector(layout: Layout, basis: _Basis, assumptions: Assumptions) -> str:
    if layout.survives == 0:
        return "0: without redundancy there is no rebuild, and ordinary reads are not counted"
    reads = decimal_size(int(basis.reads))
    half = ""
    if any(shape.parity == 2 for shape in layout.shapes):
        half = (
            "; where a RAID6 was rebuilding, md also reads what that had restored; u is then the mean over 0 "
            f"to {reads}"
        )
    return (
        f"1 - exp(-E u): redundancy is exhausted E = {chance(basis.entries)} times a year; reading the rest hits "
        f"an unreadable sector with u = 1 - exp(-8 x {assumptions.ure_per_bit:g} x {reads}){half}; data sheets specify "
        f"1e-15, measured was {MEASURED_URE:g} (Gray and van Ingen 2005)"
    )


def _any(yearly: Hazards, years: str) -> str:
    causes = f"{chance(yearly.array)} arrays + {chance(yearly.sector)} sectors + {chance(yearly.enclosure)} enclosures"
    return f"1 - exp(-({causes}) a year x {years})"


def _of_spares(layout: Layout, basis: _Basis, assumptions: Assumptions) -> dict[str, str]:
    fails = f"{layout.member_disks} disks x {stated_percent(assumptions.afr)} a year"
    days = f"{assumptions.restock_days:g} days"
    return {
        "spares_run_out_probability": f"at most 1 - exp(-r), r = {fails} x the chance that a failure finds no spare; "
        f"each is replaced in {days}; {_pools(layout, assumptions)}",
        "spare_shortages": f"per failure with S spares: chance that a Poisson number of mean {fails} x {days} is S or "
        f"more; per year: as for spares running out",
        "spares_counted": _pools(layout, assumptions),
        "spares_enough": RULE,
        "degraded_hours_per_year": f"8760 h x share of time with a member missing; about {fails} x "
        f"{hours(basis.rebuild_hours)} while spares are available" if layout.survives else "0: no redundancy",
    }  # fmt: skip


def _pools(layout: Layout, assumptions: Assumptions) -> str:
    if layout.spares == 0:
        return "no spares"
    if spares_are_shared(layout, assumptions):
        return (
            f"{counted(layout.spares, 'spare')} for any array" if layout.arrays > 1 else counted(layout.spares, "spare")
        )
    arrays: dict[int, int] = {}
    for pool in pools_of(layout, assumptions):
        arrays[pool.spares] = arrays.get(pool.spares, 0) + pool.alike
    parts = [f"{counted(alike, 'array')} with {counted(spares, 'spare')} each" for spares, alike in arrays.items()]
    return " and ".join(parts) + ", since no mdadm --monitor moves spares"


def chance(probability: float) -> str:
    """`1.5e-5`, `0.15`, `none` for 0: a probability or a small rate in a formula."""
    if probability <= 0:
        return "none"
    mantissa, exponent = f"{probability:.1e}".split("e")
    return f"{mantissa}e{int(exponent)}" if int(exponent) < -2 else two_digits(probability)


def mean_time(hours: float) -> str:
    """`55 years`, `20 days`, `over 10^6 years`: a mean time to loss."""
    years = hours / HOURS_PER_YEAR
    if years > LONGEST_YEARS:
        return "over 10^6 years"
    return f"{two_digits(years)} years" if years >= 1 else f"{two_digits(hours / 24)} days"
