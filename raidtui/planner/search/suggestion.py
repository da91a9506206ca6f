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
from raidtui.planner.search.picks import HIGH_RISK

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
    """The card for a proposal: its pick of that name."""
    found = next((each for each in proposal.candidates if "suggested" in each.picks), None)
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
        ("of an array", f"{odds(found.annual_array_loss_probability)} a year: a volume"),
        ("of a sector", f"{odds(found.annual_sector_loss_probability)} a year: 4 KiB of a file"),
    )
    sentence = f"We suggest {shape_words(layout)}."
    return Suggestion(sentence=sentence, facts=facts, candidate=found, warning=_warning(found.volume_loss_1y))


def _none(proposal: Proposal) -> str:
    """Why nothing is suggested, and what can be done."""
    reason = errors(proposal.findings)[0]
    if reason.code == NOTHING_FITS:
        return f"These disks cannot do all of that. {reason.message} Ask for less in one of the answers."
    return f"{reason.message} To go on, {reason.way_out}."


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
