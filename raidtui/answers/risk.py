"""Risk rows: rebuild, data loss, spares and failure domains."""

from __future__ import annotations

import math
from dataclasses import replace

from raidtui.predict.risk.durability import MEASURED_URE
from raidtui.predict.risk.spares import RULE
from raidtui.values.amounts import at_worst, hours, odds, shortage_text, shortages_text, spares_text
from raidtui.values.assumptions import Assumptions
from raidtui.values.blocks import FigureRow, likelier, likelier_in_short, signed_count, signed_hours
from raidtui.values.layout import Layout
from raidtui.values.location import Certificate, DomainVerdict, Placement
from raidtui.values.prediction import Durability, FirstSyncHours
from raidtui.values.speed import Limit

_INTERVAL = (
    "Disks of one batch in one place tend to fail together. So the second value takes further failures in an array to "
    "be {factor:g} times as likely."
)
_SUM = "an array, a sector or, at an assumed rate, an enclosure; each has a line of its own"
_WORST: tuple[DomainVerdict, ...] = ("lost", "degraded", "survives")


def risk_rows(layout: Layout, risk: Durability, assumptions: Assumptions) -> tuple[FigureRow, ...]:
    """Rebuild time, probability of any loss in five years, spares."""
    interval = _INTERVAL.format(factor=assumptions.correlation)
    return (
        rebuild_row(risk),
        _loss(
            "Loss in 5 y", risk.any_loss_5y, risk.any_loss_5y_correlated, risk,
            ("any_loss_5y", "any_loss_5y_correlated"),
            f"Probability of any data loss within five years: {_SUM}. Plan with the second value. {interval}",
            strong=True, planned=True,
        ),
        spares_row(layout, risk, assumptions),
    )  # fmt: skip


def loss_in_a_year(risk: Durability, assumptions: Assumptions) -> FigureRow:
    """Probability of any loss within a year, without and with correlation: the second is the one to plan with."""
    return _loss(
        "Loss a year", risk.any_loss_1y, risk.any_loss_1y_correlated, risk,
        ("any_loss_1y", "any_loss_1y_correlated"),
        f"Probability of any data loss within a year: {_SUM}. Plan with the second value. "
        + _INTERVAL.format(factor=assumptions.correlation),
        planned=True,
    )  # fmt: skip


def worst_in_a_year(risk: Durability, assumptions: Assumptions) -> FigureRow:
    """The figure to plan with: the probability of any loss within a year, with correlation."""
    worst = risk.any_loss_1y_correlated
    return replace(loss_in_a_year(risk, assumptions), title="Loss at worst", value=odds(worst), notes=(),
                   number=math.log(worst) if worst > 0 else None)  # fmt: skip


def cause_rows(risk: Durability, assumptions: Assumptions) -> tuple[FigureRow, ...]:
    """Probability of loss within a year, by cause; with what is lost."""
    array = _loss(
        "Array loss", risk.annual_array_loss_probability, risk.annual_array_loss_correlated, risk,
        ("annual_array_loss_probability", "annual_array_loss_correlated"),
        "Probability within a year that more members of an array fail at a time than it survives. If arrays are "
        f"joined, the whole volume is lost. {_INTERVAL.format(factor=assumptions.correlation)}",
        lost="a volume is gone",
    )  # fmt: skip
    ure = assumptions.ure_per_bit
    lost = f"4 KiB of a file, at {ure:g} errors a bit, assumed"
    if ure > MEASURED_URE:
        lost = f"{lost}; {odds(risk.annual_sector_loss_measured)} at {MEASURED_URE:g}, as measured"
    sector = _loss(
        "Sector loss", risk.annual_sector_loss_probability, risk.annual_sector_loss_correlated, risk,
        ("annual_sector_loss_probability",),
        "Probability within a year of an unreadable sector while no redundancy is left to reconstruct it. A file is "
        f"damaged; the array survives. {ure:g} unreadable sectors per bit read are assumed, which --ure states; "
        f"measured were {MEASURED_URE:g}, on 2 PB of hard disks. The probability is nearly proportional to it.",
        lost=lost,
    )  # fmt: skip
    if not risk.annual_enclosure_loss_probability:
        return array, sector
    chance = risk.annual_enclosure_loss_probability
    enclosure = _loss(
        "Enclosure loss", chance, chance, risk, ("annual_enclosure_loss_probability",),
        "Probability within a year that an enclosure outage destroys data, from a rate that is assumed.",
    )  # fmt: skip
    return array, sector, replace(enclosure, notes=("a year, assumed",))


def risk_basis(risk: Durability) -> tuple[FigureRow, ...]:
    """Time without redundancy, how often a failure finds no spare, and what the probabilities leave out."""
    shortages = risk.spare_shortages if risk.rebuild is not None else ()
    degraded = f"{hours(risk.degraded_hours_per_year)} a year"
    return (
        *(() if risk.first_sync is None else (_first_sync(risk.first_sync),)),
        FigureRow(title="Degraded", value=degraded, notes=("with any member missing",)),
        *(
            FigureRow(title="No spare left", value=f"with {spares_text(row.spares)}", notes=(shortage_text(row),))
            for row in shortages
        ),
        *(FigureRow(title="Not modelled", value=text) for text in risk.limits),
    )


def _first_sync(sync: FirstSyncHours) -> FigureRow:
    notes: tuple[str, ...] = ("on idle disks",)
    if sync.least_used_hours is not None and sync.most_used_hours is not None:
        used = (
            f"{hours(sync.least_used_hours)} to {hours(sync.most_used_hours)} on used ones, whose parity is rewritten"
        )
        notes = ("on idle disks that are zero", f"{used}: --first-sync zeroes avoids that")
    return FigureRow(title="First sync", value=hours(sync.hours), notes=notes)


def domain_row(placement: Placement) -> FigureRow:
    """Failure domains whose loss the data survives, by kind."""
    about = (
        "What happens to the data if a whole enclosure, controller, expander or drawer fails; f shows the members in "
        "each. Placement spread distributes members so that fewer of an array share one."
    )
    if not placement.certificates:
        return FigureRow(title="Domains", value="unknown", notes=("none in the inventory",), about=about)
    worst = _worst_by_kind(placement.certificates)
    lost = [kind for kind, verdict in worst.items() if verdict == "lost"]
    kept = [kind for kind, verdict in worst.items() if verdict != "lost"]
    if not lost:
        return FigureRow(title="Domains", value="survives any one", notes=(", ".join(kept),), about=about)
    return FigureRow(
        title="Domains", value=f"lost with one {lost[0]}",
        notes=(*(f"or {kind}" for kind in lost[1:]), *((f"survives any {', '.join(kept)}",) if kept else ())),
        about=about,
        derive=lambda: tuple(
            f"Without {certificate.kind} {certificate.domain}: {certificate.reason}."
            for certificate in placement.certificates
            if certificate.verdict == "lost"
        ),
    )  # fmt: skip


def _worst_by_kind(certificates: tuple[Certificate, ...]) -> dict[str, DomainVerdict]:
    found: dict[str, DomainVerdict] = {}
    for certificate in certificates:
        before = found.get(certificate.kind, "survives")
        found[certificate.kind] = min(before, certificate.verdict, key=_WORST.index)
    return found


def rebuild_row(risk: Durability) -> FigureRow:
    """Time to rebuild a member."""
    rebuild = risk.rebuild
    if rebuild is None:
        about = "This level has no redundancy: nothing can be rebuilt."
        return FigureRow(title="Rebuild", value=hours(risk.rebuild_hours), about=about)
    return FigureRow(
        title="Rebuild", value=hours(rebuild.hours), large=hours(rebuild.hours).partition(" ")[0],
        notes=(f"{hours(rebuild.idle_hours)} to {hours(rebuild.slow_hours)}", _rebuild_limit(rebuild.limit)),
        number=rebuild.hours, delta=signed_hours, better="less", strong=True,
        about="Time to rebuild one member onto a spare under the assumed load. The range is from an idle array to one "
        "that leaves it a third of the time.",
        derive=lambda: (
            f"{rebuild.formula}.", f"On an idle array the {_rebuild_limit(rebuild.limit)}.",
            f"{hours(risk.degraded_hours_per_year)} per year are expected with at least one member missing.",
            *_formulas(risk, "degraded_hours_per_year"),
        ),
    )  # fmt: skip


def _rebuild_limit(limit: Limit) -> str:
    return f"limit: {'disk speed' if limit.kind == 'member' else limit}"


def _loss(
    title: str,
    chance: float,
    correlated: float,
    risk: Durability,
    keys: tuple[str, ...],
    about: str,
    *,
    strong: bool = False,
    lost: str = "",
    planned: bool = False,
) -> FigureRow:
    limits = f"Not in the model: {'; '.join(risk.limits)}." if risk.limits else ""
    return FigureRow(
        title=title, value=odds(chance), large=odds(chance).rpartition("1 in ")[2] if chance > 0 else "",
        notes=(*_worst(chance, correlated, planned=planned), *((lost,) if lost else ())),
        number=math.log(chance) if chance > 0 else None, delta=likelier, short_delta=likelier_in_short, better="less",
        strong=strong, about=about,
        derive=lambda: (*_formulas(risk, *keys), *((limits,) if limits else ())),
    )  # fmt: skip


def spares_row(layout: Layout, risk: Durability, assumptions: Assumptions) -> FigureRow:
    """Spares, and how many are enough."""
    if risk.rebuild is None:
        return FigureRow(title="Spares", value="none: nothing to rebuild", about="This level cannot use a spare.")
    spares, enough = layout.spares, risk.spares_enough
    days = f"{assumptions.restock_days:g} days"
    need = "needed" if spares < enough else "enough"
    verdict = f"{enough} {'is' if enough == 1 else 'are'} {need}" if enough else "none needed"
    shortages = shortages_text(risk.spare_shortages)
    runs_out = odds(risk.spares_run_out_probability)
    return FigureRow(
        title="Spares", value=f"{spares}; {verdict} for {days}", notes=("restock",), number=spares,
        delta=signed_count("spare"),
        about=f"Enough: {RULE}. A failed disk is replaced {days} later. {risk.spares_counted} can serve any array. "
        f"Chance that within a year a disk fails while no spare is left: {runs_out}. "
        f"Failures that find no spare: {shortages}.",
        derive=lambda: _formulas(risk, "spares_run_out_probability", "spare_shortages"),
    )  # fmt: skip


def _worst(chance: float, correlated: float, *, planned: bool) -> tuple[str, ...]:
    if not (worst := at_worst(chance, correlated)):
        return ()
    if planned:
        return f"plan with {odds(correlated)}", "the value for correlated failures"
    return *worst, "with correlated failures"


_FORMULA_WORDS = {
    "any_loss_1y_correlated": "With correlation",
    "any_loss_5y_correlated": "With correlation",
    "annual_array_loss_correlated": "With correlation",
    "spares_run_out_probability": "Spares run out",
    "spare_shortages": "Shortage",
    "degraded_hours_per_year": "Degraded hours",
}


def _formulas(risk: Durability, *keys: str) -> tuple[str, ...]:
    """The formulas of `keys`, each with the name of its result."""
    return tuple(f"{_FORMULA_WORDS.get(key, 'Chance')} = {risk.formulas[key]}." for key in keys if key in risk.formulas)
