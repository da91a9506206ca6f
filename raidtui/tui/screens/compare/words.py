"""Remarks on a layout of the table, and on a pair. Nothing here draws."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.model.proposal import Candidate, Proposal
from raidtui.tui.screens.compare.difference import difference, in_short
from raidtui.tui.screens.compare.rows import CompareRow, ahead_of
from raidtui.tui.terminal.text import Line, Span, wrapped

_TITLE = 13


def words_for(row: CompareRow, proposal: Proposal | None, present: CompareRow | None) -> Sequence[str]:
    """The reasons of its picks, then the comparison with the present design."""
    picks = proposal.picks if proposal is not None else ()
    texts = [
        f"{pick.reason} Gives up: {pick.gives_up}" if pick.gives_up else pick.reason
        for pick in picks
        if pick.layout == row.candidate.layout and row.candidate.picks
    ]
    if row.present:
        texts.append(_standing(row.candidate, proposal))
    elif present is not None:
        same = row.candidate.layout == present.candidate.layout
        against = "The present layout, spread over the chassis" if same else f"Compared with the {called(present)}"
        texts.append(f"{against}: {in_short(row.candidate, present.candidate)}.")
    return texts


def called(row: CompareRow) -> str:
    """Name of a row in a sentence."""
    return f"present {row.candidate.layout}" if row.present else row.candidate.layout


def difference_lines(one: Candidate, other: Candidate, width: int) -> list[Line]:
    """The changes from `other` to `one`, each wrapped beside its title."""
    lines: list[Line] = []
    for title, sentence in difference(one, other):
        for number, text in enumerate(wrapped(sentence, width - _TITLE)):
            lines.append((Span(f"{title if number == 0 else '':<{_TITLE}}", "muted"), Span(text)))
    return lines


def _standing(present: Candidate, proposal: Proposal | None) -> str:
    """Remark on whether another layout dominates the present one."""
    if proposal is None:
        return "The search for other layouts is running."
    ahead = ahead_of(present, proposal.candidates)
    if ahead is None:
        return "No layout within the constraints is as good in every measure and better in one."
    return f"Behind {ahead.layout}, which is as good in every measure: {in_short(ahead, present)}."
