"""Rows of layouts to compare: present design and picks first, each with its letter in the scatter plot."""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from raidtui.model.proposal import Candidate, Pick, Proposal
from raidtui.planner.placement.certificate import outlived
from raidtui.planner.search.scored_layout import as_scored, candidate
from raidtui.tui.screens.compare.measures import ARRAY, MEASURES, RISKS, SECTOR, SPARES, WORST, Ranking
from raidtui.tui.state.outcome import DesignOutcome

CompareView = Literal["few", "front", "every"]
VIEWS: tuple[CompareView, ...] = ("few", "front", "every")
FEW_DISKS = 4
"""so few disks have so few layouts that all of them are shown at once"""
PRESENT = "*"
"""marks the present design in table and scatter plot"""
LETTERS = string.ascii_lowercase + string.ascii_uppercase


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareRow:
    """One layout."""

    candidate: Candidate
    letter: str
    """its letter in any sort order; `*` for the present design, empty after the last letter"""
    present: bool = False
    """True for the present design"""

    @property
    def key(self) -> str:
        """Unique key of the row."""
        return f"{PRESENT} {self.candidate.layout}" if self.present else self.candidate.layout


def candidates_of(proposal: Proposal, view: CompareView) -> tuple[Candidate, ...]:
    """A sample of the Pareto front, the whole front, or all candidates."""
    few = tuple(found for found in proposal.candidates if found.shown or found.picks)
    if view == "few" and few:
        return few
    return tuple(found for found in proposal.candidates if found.on_front or found.asked or view == "every")


def next_view(proposal: Proposal, view: CompareView) -> CompareView:
    """The view after `view` that shows other layouts. All of them are known only once they were asked for."""
    following = VIEWS[(VIEWS.index(view) + 1) % len(VIEWS)]
    same = candidates_of(proposal, following) == candidates_of(proposal, view)
    return "every" if following == "front" and same else following


def rows_of(
    candidates: Sequence[Candidate], picks: Sequence[Pick], present: Candidate | None
) -> tuple[CompareRow, ...]:
    """The present design, what was asked for, the picks, then the other candidates.

    A candidate with the present layout counts as the present design if its values agree; if the present choice of
    disks gives other values, both are shown.
    """
    names = [pick.layout for pick in picks]

    def rank(candidate: Candidate) -> int:
        if candidate.asked:
            return -1
        return names.index(candidate.layout) if candidate.layout in names else len(names)

    ordered = sorted(candidates, key=rank)
    if present is not None:
        same = next((found for found in ordered if found.layout == present.layout and alike(found, present)), None)
        ordered = [same or present, *(found for found in ordered if found is not same)]
    signs = iter(LETTERS)
    return tuple(
        CompareRow(candidate=found, letter=PRESENT, present=True)
        if present is not None and number == 0
        else CompareRow(candidate=found, letter=next(signs, ""))
        for number, found in enumerate(ordered)
    )


def alike(one: Candidate, other: Candidate) -> bool:
    """True if no measure differs by more than the rounding of placement: a twentieth, for loss a quarter."""
    pairs = ((measure, measure.value(one), measure.value(other)) for measure in MEASURES)
    return all(
        abs(first - second) <= (0.25 if measure in RISKS else 0.05) * max(first, second)
        for measure, first, second in pairs
    )


def sorted_rows(rows: Sequence[CompareRow], by: Ranking | None, *, turned: bool) -> tuple[CompareRow, ...]:
    """`rows` sorted best first by one measure, worst first if `turned`; unsorted without one."""
    if by is None:
        return tuple(reversed(rows)) if turned else tuple(rows)
    return tuple(sorted(rows, key=lambda row: by.merit(row.candidate), reverse=not turned))


def present_candidate(outcome: DesignOutcome) -> Candidate | None:
    """The present design as a candidate; None if it is invalid."""
    throughput, durability, placement = outcome.throughput, outcome.durability, outcome.placement
    if throughput is None or durability is None or placement is None:
        return None
    constraints = outcome.decision.constraints
    price = constraints.price_per_disk if constraints is not None else None
    kept = outlived(placement.certificates)
    layout = outcome.decision.design.layout
    return candidate(as_scored(layout, outcome.prediction, throughput, durability, kept, price))


def ahead_of(candidate: Candidate, others: Sequence[Candidate]) -> Candidate | None:
    """The first of `others` that dominates `candidate`; None if it is on the Pareto front."""
    mine = _goodness(candidate)
    for other in others:
        theirs = _goodness(other)
        if theirs != mine and all(one >= two for one, two in zip(theirs, mine, strict=True)):
            return other
    return None


def _goodness(candidate: Candidate) -> tuple[float, ...]:
    """The measures of the Pareto front, each with larger as better."""
    judged = [measure for measure in MEASURES if measure not in (SPARES, ARRAY, SECTOR, WORST)]
    return tuple(measure.merit(candidate) for measure in judged)
