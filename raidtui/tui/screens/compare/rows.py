"""The layouts to compare as rows: present design and picks first, each with the letter it has in the scatter."""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from raidtui.model.notation import show
from raidtui.model.proposal import Candidate, Pick, Proposal
from raidtui.tui.screens.compare.measures import LOSS, MEASURES, Measure
from raidtui.tui.screens.design.results_capacity import usable_bytes
from raidtui.tui.state.session import Outcome

View = Literal["few", "front", "every"]
VIEWS: tuple[View, ...] = ("few", "front", "every")
PRESENT = "*"
"""stands for the design as it is now, in the table and in the scatter"""
LETTERS = string.ascii_lowercase + string.ascii_uppercase


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One layout."""

    candidate: Candidate
    letter: str
    """its letter in table and scatter, whatever the order; `*` for the present design, empty after the last letter"""
    present: bool = False
    """True for the design as it is now"""

    @property
    def key(self) -> str:
        """What tells this row from the others."""
        return f"{PRESENT} {self.candidate.layout}" if self.present else self.candidate.layout


def candidates_of(proposal: Proposal, view: View) -> tuple[Candidate, ...]:
    """The few that stand for the front, the whole front, or every candidate there is."""
    few = tuple(found for found in proposal.candidates if found.shown or found.picks)
    if view == "few" and few:
        return few
    return tuple(found for found in proposal.candidates if found.on_front or view == "every")


def rows_of(candidates: Sequence[Candidate], picks: Sequence[Pick], present: Candidate | None) -> tuple[Row, ...]:
    """The present design, the picks, then the rest as they come.

    A candidate with the present layout is the present design where its figures are alike; where the disks as they are
    taken now make another design of it, both are shown.
    """
    names = [pick.layout for pick in picks]

    def rank(candidate: Candidate) -> int:
        return names.index(candidate.layout) if candidate.layout in names else len(names)

    ordered = sorted(candidates, key=rank)
    if present is not None:
        same = next((found for found in ordered if found.layout == present.layout and alike(found, present)), None)
        ordered = [same or present, *(found for found in ordered if found is not same)]
    signs = iter(LETTERS)
    return tuple(
        Row(candidate=found, letter=PRESENT, present=True)
        if present is not None and number == 0
        else Row(candidate=found, letter=next(signs, ""))
        for number, found in enumerate(ordered)
    )


def alike(one: Candidate, other: Candidate) -> bool:
    """True when no figure of the two differs by more than placement's rounding: a twentieth, a quarter of the loss."""
    pairs = ((measure, measure.value(one), measure.value(other)) for measure in MEASURES)
    return all(
        abs(first - second) <= (0.25 if measure is LOSS else 0.05) * max(first, second)
        for measure, first, second in pairs
    )


def sorted_rows(rows: Sequence[Row], by: Measure | None, *, turned: bool) -> tuple[Row, ...]:
    """`rows` with the best first by one measure, or the worst when `turned`; unsorted without one."""
    if by is None:
        return tuple(reversed(rows)) if turned else tuple(rows)
    return tuple(sorted(rows, key=lambda row: by.merit(row.candidate), reverse=not turned))


def present_candidate(outcome: Outcome) -> Candidate | None:
    """The design as it is now with the figures that candidates have; None where it cannot be."""
    throughput, durability = outcome.throughput, outcome.durability
    if throughput is None or durability is None:
        return None
    layout = outcome.decision.design.layout
    constraints = outcome.decision.constraints
    price = constraints.price_per_disk if constraints is not None else None
    return Candidate(
        layout=show(layout),
        usable_bytes=usable_bytes(outcome.prediction),
        seq_read_bytes_per_s=throughput.seq_read.bytes_per_s,
        seq_write_bytes_per_s=throughput.seq_write.bytes_per_s,
        annual_array_loss_probability=durability.annual_array_loss_probability,
        annual_sector_loss_probability=durability.annual_sector_loss_probability,
        rebuild_hours=durability.rebuild_hours,
        spares=layout.spares,
        disks=layout.disks,
        read_bottleneck=throughput.seq_read.bottleneck,
        write_bottleneck=throughput.seq_write.bottleneck,
        cost=None if price is None else price * layout.disks,
    )


def ahead_of(candidate: Candidate, others: Sequence[Candidate]) -> Candidate | None:
    """The first of `others` that is at least as good in every measure and better in one; None on the front."""
    mine = _goodness(candidate)
    for other in others:
        theirs = _goodness(other)
        if theirs != mine and all(one >= two for one, two in zip(theirs, mine, strict=True)):
            return other
    return None


def _goodness(candidate: Candidate) -> tuple[float, ...]:
    """What the front is made of, each figure larger where it is better."""
    judged = [measure for measure in MEASURES if measure.key != "spares"]
    return tuple(measure.merit(candidate) for measure in judged)
