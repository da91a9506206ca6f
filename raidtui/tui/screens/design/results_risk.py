"""Rebuild, loss, spares and failure domains of a design, as lines. Nothing here draws."""

from __future__ import annotations

import math

from raidtui.model.assumptions import Assumptions
from raidtui.model.design import Design
from raidtui.model.durability import Durability
from raidtui.model.placement import Certificate, Placement, Verdict
from raidtui.planner.numbers import hours, odds
from raidtui.tui.screens.design.result import Result, signed_count
from raidtui.tui.widgets.rate_text import likelier, odds_to, signed_hours

_INTERVAL = (
    "The second figure takes further failures in a group to be {factor:g} times as likely as the first one, "
    "since disks of one batch in one place fail together."
)
_WORST: tuple[Verdict, ...] = ("lost", "degraded", "survives")


def risk_results(design: Design, risk: Durability, assumptions: Assumptions) -> tuple[Result, ...]:
    """Rebuild, chance of any loss, spares."""
    interval = _INTERVAL.format(factor=assumptions.correlation)
    return (
        _rebuild(risk),
        _loss(
            "Loss in 1 y", risk.any_loss_1y, risk.any_loss_1y_correlated, risk,
            ("any_loss_1y", "any_loss_1y_correlated"),
            f"Chance that data is lost within a year, in any way the model knows. {interval}", strong=True,
        ),
        _loss(
            "Loss in 5 y", risk.any_loss_5y, risk.any_loss_5y_correlated, risk,
            ("any_loss_5y", "any_loss_5y_correlated"),
            f"Chance that data is lost within five years, in any way the model knows. {interval}", strong=True,
        ),
        _spares(design, risk, assumptions),
    )  # fmt: skip


def split_results(risk: Durability, assumptions: Assumptions) -> tuple[Result, ...]:
    """The chance of loss within a year by its causes."""
    array = _loss(
        "Array loss", risk.annual_array_loss_probability, risk.annual_array_loss_correlated, risk,
        ("annual_array_loss_probability", "annual_array_loss_correlated"),
        "Chance within a year that more members of an array fail at a time than it outlives; with several arrays "
        f"joined, the whole volume goes. {_INTERVAL.format(factor=assumptions.correlation)}",
    )  # fmt: skip
    sector = _loss(
        "Sector loss", risk.annual_sector_loss_probability, risk.annual_sector_loss_correlated, risk,
        ("annual_sector_loss_probability",),
        "Chance within a year that a sector cannot be read while no redundancy is left to make up for it: a file is "
        "damaged, the array stays.",
    )  # fmt: skip
    if not risk.annual_enclosure_loss_probability:
        return array, sector
    chance = risk.annual_enclosure_loss_probability
    enclosure = _loss(
        "Encl. loss", chance, chance, risk, ("annual_enclosure_loss_probability",),
        "Chance within a year that the outage of an enclosure destroys data.",
    )  # fmt: skip
    return array, sector, enclosure


def domain_result(placement: Placement) -> Result:
    """Which failure domains the data outlives, by kind."""
    about = (
        "What happens to the data when a whole enclosure, controller, expander or drawer goes away; p shows the count "
        "for each. Placement spread deals members out so that fewer of an array share one."
    )
    if not placement.certificates:
        return Result(title="Domains", value="unknown", asides=("none is in the inventory",), about=about)
    worst = _worst_by_kind(placement.certificates)
    lost = [kind for kind, verdict in worst.items() if verdict == "lost"]
    kept = [kind for kind, verdict in worst.items() if verdict != "lost"]
    if not lost:
        return Result(title="Domains", value="outlives any one", asides=(", ".join(kept),), about=about)
    return Result(
        title="Domains", value=f"lost with one {lost[0]}",
        asides=(*(f"or {kind}" for kind in lost[1:]), *((f"outlives any {', '.join(kept)}",) if kept else ())),
        about=about,
        formula=tuple(
            f"Without {certificate.kind} {certificate.domain}: {certificate.reason}."
            for certificate in placement.certificates
            if certificate.verdict == "lost"
        ),
    )  # fmt: skip


def _worst_by_kind(certificates: tuple[Certificate, ...]) -> dict[str, Verdict]:
    found: dict[str, Verdict] = {}
    for certificate in certificates:
        before = found.get(certificate.kind, "survives")
        found[certificate.kind] = min(before, certificate.verdict, key=_WORST.index)
    return found


def _rebuild(risk: Durability) -> Result:
    rebuild = risk.rebuild
    if rebuild is None:
        return Result(title="Rebuild disk", value="none", about="This level rebuilds nothing: what fails is lost.")
    return Result(
        title="Rebuild disk", value=hours(rebuild.hours),
        asides=(f"{hours(rebuild.idle_hours)} to {hours(rebuild.slow_hours)}", f"limit {rebuild.limit}"),
        number=rebuild.hours, delta=signed_hours, strong=True,
        about="Time to rebuild one member onto a spare, under the assumed load; from an idle array to one that leaves "
        "the rebuild a quarter of the time.",
        formula=(
            f"{rebuild.formula}.", f"What sets the pace on an idle array: {rebuild.limit}.",
            f"{hours(risk.degraded_hours_per_year)} a year are expected with at least one member missing.",
            *_formulas(risk, "degraded_hours_per_year"),
        ),
    )  # fmt: skip


def _loss(
    title: str,
    chance: float,
    correlated: float,
    risk: Durability,
    keys: tuple[str, ...],
    about: str,
    *,
    strong: bool = False,
) -> Result:
    return Result(
        title=title, value=odds(chance), asides=(odds_to(chance, correlated),),
        number=math.log(chance) if chance > 0 else None, delta=likelier, strong=strong, about=about,
        formula=(*_formulas(risk, *keys), *((f"Not in the model: {'; '.join(risk.limits)}.",) if risk.limits else ())),
    )  # fmt: skip


def _spares(design: Design, risk: Durability, assumptions: Assumptions) -> Result:
    if risk.rebuild is None:
        return Result(title="Spares", value="none: nothing to rebuild", about="A spare is of no use to this level.")
    spares, enough = design.layout.spares, risk.spares_enough
    days = f"{assumptions.restock_days:g} days"
    verdict = f"{enough} {'is' if enough == 1 else 'are'} enough" if enough else "none needed"
    runs_out = odds(risk.spares_run_out_probability)
    return Result(
        title="Spares", value=f"{spares}; {verdict} for {days}", asides=("restock",), number=spares,
        delta=signed_count,
        about=f"How many shared spares leave less than 1 % chance that more disks fail before a failed one is replaced "
        f"{days} later. {risk.spares_counted} may serve any array; the chance that within a year a disk fails while no "
        f"spare is left for it: {runs_out}.",
        formula=_formulas(risk, "spares_enough", "spares_run_out_probability"),
    )  # fmt: skip


_FORMULA_WORDS = {
    "any_loss_1y_correlated": "With correlation",
    "any_loss_5y_correlated": "With correlation",
    "annual_array_loss_correlated": "With correlation",
    "spares_enough": "Enough",
    "spares_run_out_probability": "Running out",
    "degraded_hours_per_year": "Degraded hours",
}


def _formulas(risk: Durability, *keys: str) -> tuple[str, ...]:
    """The formulas there are for `keys`, each with what it is the formula of."""
    return tuple(f"{_FORMULA_WORDS.get(key, 'Chance')} = {risk.formulas[key]}." for key in keys if key in risk.formulas)
