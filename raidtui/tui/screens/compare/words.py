"""Remarks on a layout of the table, and on a pair. Nothing here draws."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from raidtui.model.proposal import Candidate, Proposal
from raidtui.planner.numbers import any_failures, cause_words, loss_words
from raidtui.tui.screens.compare.difference import difference, in_short, trade
from raidtui.tui.screens.compare.measures import COST, MEASURES, RISKS
from raidtui.tui.screens.compare.rows import CompareRow, ahead_of
from raidtui.tui.terminal.text import Line, Span, Tone, wrapped

_TITLE = 14


def words_for(row: CompareRow, proposal: Proposal | None, present: CompareRow | None) -> Sequence[str]:
    """The reasons of its picks, the comparison with the present design, and what a loss is made of."""
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
    found = row.candidate
    causes = cause_words(
        found.annual_array_loss_probability, found.annual_sector_loss_probability,
        found.annual_enclosure_loss_probability,
    )  # fmt: skip
    texts.append(f"Loss {loss_words(found.any_loss_1y, found.any_loss_1y_correlated)}, by any cause: {causes}.")
    return texts


def called(row: CompareRow) -> str:
    """Name of a row in a sentence."""
    return f"present {row.candidate.layout}" if row.present else row.candidate.layout


def difference_lines(rows: Sequence[CompareRow], width: int) -> list[Line]:
    """Of two layouts the changes to the first, of three their figures side by side; then what is gained and given up.

    Each is wrapped beside its title.
    """
    first, *others = rows
    if len(others) == 1:
        (other,) = others
        return [*_trade(first, other, width), (), *_titled(difference(first.candidate, other.candidate), width)]
    lines = _side_by_side(rows, width)
    for other in others:
        lines += [(), (Span(f"{called(other)} in place of {called(first)}", "strong"),), *_trade(other, first, width)]
    return lines


def _trade(one: CompareRow, other: CompareRow, width: int) -> list[Line]:
    gains, losses = trade(one.candidate, other.candidate)
    return [
        *_titled((("you gain", f"{gains or 'nothing'}"),), width, "good"),
        *_titled((("you give up", f"{losses or 'nothing'}"),), width, "warn"),
    ]


def _titled(parts: Iterable[tuple[str, str]], width: int, tone: Tone = "muted") -> list[Line]:
    return [
        (Span(f"{title if number == 0 else '':<{_TITLE}}", tone), Span(text))
        for title, sentence in parts
        for number, text in enumerate(wrapped(sentence, width - _TITLE))
    ]


def _side_by_side(rows: Sequence[CompareRow], width: int) -> list[Line]:
    cells = (width - _TITLE) // len(rows) - 1
    lines: list[Line] = [
        (Span(f"{'':<{_TITLE}}"), *(Span(f" {row.candidate.layout[:cells]:>{cells}}", "strong") for row in rows))
    ]
    for measure in MEASURES:
        if measure is not COST or all(row.candidate.cost is not None for row in rows):
            texts = [measure.text(measure.value(row.candidate)) for row in rows]
            title = measure.title if measure in RISKS else measure.axis
            lines.append((Span(f"{title:<{_TITLE}}", "muted"), *(Span(f" {text:>{cells}}") for text in texts)))
    survived = [any_failures(row.candidate.layout.layout.survives) for row in rows]
    return [*lines, (Span(f"{'survives':<{_TITLE}}", "muted"), *(Span(f" {text:>{cells}}") for text in survived))]


def _standing(present: Candidate, proposal: Proposal | None) -> str:
    """Remark on whether another layout dominates the present one."""
    if proposal is None:
        return "The search for other layouts is running."
    ahead = ahead_of(present, proposal.candidates)
    if ahead is None:
        return "No layout within the constraints is as good in every measure and better in one."
    return f"Behind {ahead.layout}, which is as good in every measure: {in_short(ahead, present)}."
