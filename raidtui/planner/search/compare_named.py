"""Compares a layout named by the admin with the proposal: is it on the front, what does it gain, what does it cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from raidtui.model.counted import counted
from raidtui.model.proposal import Constraints, WhyNot
from raidtui.model.text_values import LayoutText
from raidtui.model.units import binary_size
from raidtui.planner.amounts import known_iops, known_rate
from raidtui.planner.numbers import hours, loss_words, odds, spares_text
from raidtui.planner.search.named_layouts import NamedLayouts
from raidtui.planner.search.pick_reasons import gains, tradeoffs
from raidtui.planner.search.scored_layout import Scored, distance


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Results of a search that a named layout is compared with."""

    named: NamedLayouts
    """answers about any layout"""
    front: Sequence[Scored]
    eligible: Sequence[Scored]
    """layouts of the front that the picks were chosen from"""
    suggested: Scored | None


def compare_named(text: LayoutText, result: SearchResult, constraints: Constraints) -> WhyNot:
    """The comparison of the layout `text` with `result`."""
    layout = text.layout
    question = f"And {text}?"
    if layout.disks > result.named.disks:
        return WhyNot(
            question=question,
            answer=f"It takes {counted(layout.disks, 'disk')}, of {result.named.disks} here.",
        )
    scored = result.named.evaluate(layout)
    if scored is None:
        return WhyNot(question=question, answer="md, LVM or mkfs refuses it on these disks; see raidtui model.")
    missed = unmet_constraints(scored, constraints)
    if not result.named.survives(layout):
        missed.append(f"losing one {constraints.survive_domain} loses data with any placement of the disks")
    standing = f"It violates constraints: {'; '.join(missed)}." if missed else _standing(scored, result.front)
    sentences = [
        _figures(scored),
        *result.named.remarks(layout),
        standing,
        *_against(scored, result.suggested, result.eligible),
    ]
    return WhyNot(question=question, answer=" ".join(sentences))


def unmet_constraints(scored: Scored, constraints: Constraints) -> list[str]:
    """Constraints on figures that the layout violates, one phrase each."""
    found = []
    if scored.usable < constraints.usable_bytes:
        found.append(f"{binary_size(scored.usable)} of the {binary_size(constraints.usable_bytes)} required")
    if scored.layout.survives < constraints.survive:
        found.append(f"arrays survive {scored.layout.survives} failures, not {constraints.survive}")
    if scored.layout.spares < constraints.spares:
        found.append(f"{scored.layout.spares} of {spares_text(constraints.spares)}")
    if constraints.max_width is not None:
        widest = max(group.members for group in scored.layout.groups)
        if widest > constraints.max_width:
            found.append(f"{widest} members, not {constraints.max_width}")
    if constraints.levels and scored.layout.level not in constraints.levels:
        found.append(f"{scored.layout.level} is not among the levels")
    if constraints.max_annual_loss is not None and scored.loss > constraints.max_annual_loss:
        found.append(f"loss {odds(scored.loss)} a year, limit {odds(constraints.max_annual_loss)}")
    return found


def _figures(scored: Scored) -> str:
    return (
        f"{binary_size(scored.usable)}, reads {known_rate(scored.read)}, writes {known_rate(scored.write)},"
        f" random reads {known_iops(scored.random_read)}, random writes {known_iops(scored.random_write)},"
        f" loss {loss_words(scored.loss, scored.worst_loss)}, rebuilds in {hours(scored.hours)}."
    )


def _standing(scored: Scored, front: Sequence[Scored]) -> str:
    """A sentence: on or off the front, and which layout dominates it by how much."""
    own = scored.vector
    beating = [
        other
        for other in front
        if other.vector != own and all(theirs >= ours for theirs, ours in zip(other.vector, own, strict=True))
    ]
    if not beating:
        return "On the front: no other layout is at least as good in everything."
    nearest = min(beating, key=lambda other: distance(scored, other))
    more = gains(nearest, scored)
    if not more:
        return f"Practically on the front: {nearest.text} is as good in everything and nowhere clearly better."
    return f"Off the front: {nearest.text} is at least as good in everything, and {more}."


def _against(scored: Scored, suggested: Scored | None, others: Sequence[Scored]) -> Iterator[str]:
    if suggested is None:
        return
    if suggested.text == scored.text:
        yield f"It is the suggested layout. Its neighbours: {tradeoffs(scored, others)}"
        return
    if gains(scored, suggested):
        yield f"Against the suggested {suggested.text} it {gains(scored, suggested)}."
    else:
        yield f"Against the suggested {suggested.text} it has no clear advantage."
    if gains(suggested, scored):
        yield f"It gives up: {suggested.text} {gains(suggested, scored)}."
