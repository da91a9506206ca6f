"""The layout that the guide suggests, in plain words. Nothing here draws."""

from __future__ import annotations

from dataclasses import dataclass

from raidtui.model.assumptions import Assumptions
from raidtui.model.counted import counted, plural
from raidtui.model.finding import errors
from raidtui.model.layout import AnyLayout, Layout
from raidtui.model.proposal import Candidate, Constraints, Proposal
from raidtui.model.units import binary_size
from raidtui.planner.amounts import known_iops, known_rate
from raidtui.planner.numbers import hours, loss_words, odds, spares_text
from raidtui.planner.search.findings import NOTHING_FITS
from raidtui.planner.search.picks import MOST_WIDTH

HIGH_RISK = 0.015
"""annual probability of data loss that is called high: that of a single disk, whose AFR is 1.5 % (`Assumptions.afr`)"""
_COUNTS = {1: "one", 2: "two", 3: "three"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """One card: a sentence, facts, and the layout that Enter takes; no layout if none fits."""

    sentence: str
    facts: tuple[tuple[str, str], ...] = ()
    """(name, words)"""
    candidate: Candidate | None = None
    warning: str = ""
    """what is said of a high risk of losing data; empty for any other"""


def suggestion(proposal: Proposal, constraints: Constraints, assumptions: Assumptions) -> Suggestion:
    """The card for a proposal: with most room where no capacity was asked for, else the balanced layout.

    A layout of high risk is suggested only where the proposal has no other one.
    """
    wanted = "balanced" if constraints.usable_bytes else "most room"
    name = next((pick.layout for pick in proposal.picks if pick.name == wanted), None)
    found = next((each for each in proposal.candidates if each.layout == name), None)
    if found is not None and (_mostly_spares(found) or found.picked_loss_1y >= HIGH_RISK):
        found = _usual(proposal, constraints) or found
    if found is None:
        return Suggestion(sentence=_none(proposal))
    layout = found.layout.layout
    facts = (
        ("usable", binary_size(found.usable_bytes)),
        ("may fail", _failures(layout, constraints)),
        (
            "big files",
            f"reads {known_rate(found.seq_read_bytes_per_s)}, writes {known_rate(found.seq_write_bytes_per_s)}",
        ),
        ("small requests", f"reads {known_iops(found.rand_read_iops)}, writes {known_iops(found.rand_write_iops)}"),
        ("a failed disk", _repair(layout, found, assumptions)),
        ("loss of data", loss_words(found.any_loss_1y, found.any_loss_1y_correlated)),
    )
    sentence = f"We suggest {shape_words(layout)}."
    return Suggestion(sentence=sentence, facts=facts, candidate=found, warning=_warning(found.picked_loss_1y))


def _none(proposal: Proposal) -> str:
    """Why nothing is suggested, and what can be done."""
    reason = errors(proposal.findings)[0]
    if reason.code == NOTHING_FITS:
        return f"These disks cannot do all of that. {reason.message} Ask for less in one of the answers."
    return f"{reason.message} To go on, {reason.way_out}."


def _mostly_spares(candidate: Candidate) -> bool:
    """True for a layout that is safe only since most of the disks are spares: as 7x(2+1)+39."""
    return candidate.spares > candidate.disks // 2


def _usual(proposal: Proposal, constraints: Constraints) -> Candidate | None:
    """The layout of most room with a spare an array, or as many as are asked for; its arrays are of usual width.

    One of high risk only if all of them are.
    """
    width = constraints.max_width or MOST_WIDTH
    usual = [
        each
        for each, layout in ((each, each.layout.layout) for each in proposal.candidates)
        if layout.spares <= max(layout.arrays, constraints.spares)
        and max(group.members for group in layout.groups) <= width
    ]
    safe = [each for each in usual if each.picked_loss_1y < HIGH_RISK]
    return max(safe or usual, key=lambda each: each.usable_bytes, default=None)


def _warning(chance: float) -> str:
    """What is said of this probability of losing data within a year; empty if it is below that of a single disk."""
    if chance < HIGH_RISK:
        return ""
    return (
        f"High risk: a {odds(chance)} chance of data loss each year, as on a single disk or worse. "
        "Do not use it without a backup."
    )


def shape_words(layout: AnyLayout) -> str:
    """`4 arrays of 9+2 disks and 1 spare`, `a mirror of 2 disks`, `one array of 8 disks in 2 copies`."""
    parts = [_group_words(group) for group in layout.groups]
    spares = f" and {spares_text(layout.spares)}" if layout.spares else ""
    return f"{', '.join(parts)}{spares}"


def _group_words(group: Layout) -> str:
    mirror = group.level == "raid1"
    noun = "mirror" if mirror else "array"
    count = ("a" if mirror else "one") if group.arrays == 1 else str(group.arrays)
    many = f"{count} {plural(noun, group.arrays)}"
    if group.parity:
        return f"{many} of {group.data}+{group.parity} disks"
    copies = f" in {group.copies} copies" if group.level == "raid10" else ""
    return f"{many} of {counted(group.members, 'disk')}{copies}"


def _failures(layout: AnyLayout, constraints: Constraints) -> str:
    count = layout.survives
    each = " of each array" if layout.arrays > 1 else ""
    disks = f"any {_COUNTS.get(count, str(count))} {plural('disk', count)}{each} at a time"
    domain = f", or any one {constraints.survive_domain}" if constraints.survive_domain else ""
    return f"{disks}{domain}, and no data is lost"


def _repair(layout: AnyLayout, found: Candidate, assumptions: Assumptions) -> str:
    rebuilt = f"rebuilt after {hours(found.rebuild_hours)}"
    if layout.spares:
        return f"{rebuilt}, on the spare" if layout.spares == 1 else f"{rebuilt}, on a spare"
    return f"{rebuilt}, once a new disk is inserted (within {assumptions.restock_days:g} days)"
