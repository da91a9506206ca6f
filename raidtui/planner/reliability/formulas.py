"""Formula of each risk figure, as text with this layout's numbers and the source."""

from __future__ import annotations

from dataclasses import dataclass

from raidtui.model.assumptions import Assumptions
from raidtui.model.counted import counted
from raidtui.model.layout import AnyLayout
from raidtui.model.units import HOURS_PER_YEAR, decimal_size
from raidtui.planner.amounts import stated_percent
from raidtui.planner.numbers import hours
from raidtui.planner.reliability.loss_rates import BLOCK_BYTES, Hazards, pools_of, spares_are_shared
from raidtui.planner.reliability.loss_sets import LossSets, loss_sets
from raidtui.planner.reliability.number_text import chance, mean_time
from raidtui.planner.reliability.spare_count import RULE


@dataclass(frozen=True, slots=True)
class Basis:
    """Inputs of the risk figures."""

    even: Hazards
    """without correlation"""
    grim: Hazards
    """with correlation"""
    entries: float
    """events per year in which redundancy is exhausted"""
    at_risk: float
    """bytes read without redundancy per event"""
    rebuild_hours: float
    fatal_enclosures: int
    """enclosures whose loss an array does not survive"""


def formulas(layout: AnyLayout, basis: Basis, assumptions: Assumptions) -> dict[str, str]:
    """Field of `Durability` to its formula."""
    factor = f"{max(assumptions.correlation, 1.0):g}"
    return {
        "annual_array_loss_probability": _array(layout, basis, assumptions),
        "annual_array_loss_correlated": _correlated(layout, basis, factor),
        "annual_sector_loss_probability": _sector(layout, basis, assumptions),
        "annual_sector_loss_correlated": f"1 - exp(-r), r = {chance(basis.grim.sector)} a year, correlation {factor}",
        "annual_enclosure_loss_probability": f"1 - exp(-r), r = {counted(basis.fatal_enclosures, 'enclosure')} whose "
        f"loss an array does not survive x {assumptions.enclosure_afr:.2g} outages a year x "
        f"{assumptions.enclosure_loss:.2g} of them destroying data (estimate)",
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


def _array(layout: AnyLayout, basis: Basis, assumptions: Assumptions) -> str:
    yearly, afr = chance(basis.even.array), stated_percent(assumptions.afr)
    disks = layout.member_disks
    if layout.survives == 0:
        return f"1 - exp(-r), r = {disks} disks x {afr} = {yearly} a year: the first failure loses data"
    kinds = [(group.arrays, loss_sets(group)) for group in layout.groups]
    what = " and ".join(
        f"{arrays * sets.count} x a set of {sets.width} disks that survives {sets.tolerance}" for arrays, sets in kinds
    )
    losses = " and ".join(_leading_term(sets) for sets in dict.fromkeys(sets for _, sets in kinds))
    return (
        f"1 - exp(-r), r = {yearly} a year: {what}, each a Markov chain over members "
        f"rebuilding ({hours(basis.rebuild_hours)}, one pass for all missing members) or waiting "
        f"({assumptions.restock_days:g} days for a new disk), "
        f"{_pools(layout, assumptions)}, AFR {afr}; while spares are available, about {losses} of each set"
    )


def _leading_term(sets: LossSets) -> str:
    """Losses of one set a year while spares are available: all orders of failures, each within a rebuild."""
    rows = " x ".join(str(sets.width - lost) for lost in range(sets.tolerance + 1))
    power = f"^{sets.tolerance}" if sets.tolerance > 1 else ""
    return f"{rows} x AFR^{sets.tolerance + 1} x (rebuild / 8760 h){power}"


def _correlated(layout: AnyLayout, basis: Basis, factor: str) -> str:
    if layout.survives == 0:
        return "as without correlation: the first failure loses data"
    return (
        f"1 - exp(-r), r = {chance(basis.grim.array)} a year: the same chains, with failures {factor} times as "
        "frequent in a set with a missing member (Elerath and Pecht, DSN 2007, report 2 to 1500 times the loss)"
    )


def _sector(layout: AnyLayout, basis: Basis, assumptions: Assumptions) -> str:
    if layout.survives == 0:
        return "0: without redundancy there is no rebuild, and ordinary reads are not counted"
    return (
        f"1 - exp(-E u): redundancy is exhausted E = {chance(basis.entries)} times a year, and reading the rest hits "
        f"an unreadable sector with u = 1 - exp(-8 x {assumptions.ure_per_bit:g} x {decimal_size(int(basis.at_risk))})"
        "; data sheets specify 1e-15, measured was 3e-16 (Gray and van Ingen 2005)"
    )


def _any(yearly: Hazards, years: str) -> str:
    causes = f"{chance(yearly.array)} arrays + {chance(yearly.sector)} sectors + {chance(yearly.enclosure)} enclosures"
    return f"1 - exp(-({causes}) a year x {years})"


def _of_spares(layout: AnyLayout, basis: Basis, assumptions: Assumptions) -> dict[str, str]:
    fails = f"{layout.member_disks} disks x {stated_percent(assumptions.afr)} a year"
    days = f"{assumptions.restock_days:g} days"
    return {
        "spares_run_out_probability": f"birth-death process over an average year: {fails} fail, each is replaced in "
        f"{days}; {_pools(layout, assumptions)}",
        "spare_shortages": f"per failure with S spares: chance that a Poisson number of mean {fails} x {days} is S or "
        f"more; per year: as for spares running out",
        "spares_counted": _pools(layout, assumptions),
        "spares_enough": RULE,
        "degraded_hours_per_year": f"8760 h x share of time with a member missing; about {fails} x "
        f"{hours(basis.rebuild_hours)} while spares are available" if layout.survives else "0: no redundancy",
    }  # fmt: skip


def _pools(layout: AnyLayout, assumptions: Assumptions) -> str:
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
