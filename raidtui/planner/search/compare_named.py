"""A layout that the admin names, held against the proposals: is it on the front, what does it buy, what give up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from raidtui.model.layout import Layout
from raidtui.model.notation import parse
from raidtui.model.proposal import Constraints, WhyNot
from raidtui.model.units import binary_size
from raidtui.planner.numbers import hours, odds, rate
from raidtui.planner.search.pick_reasons import gains, tradeoffs
from raidtui.planner.search.scored_layout import ScoredLayout, clearly_better, distance


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a layout is held against."""

    judge: Callable[[Layout], ScoredLayout | None]
    """the figures of any layout; None where it would be refused"""
    survives: Callable[[Layout], bool]
    """whether it outlives the failure domains asked for"""
    front: Sequence[ScoredLayout]
    eligible: Sequence[ScoredLayout]
    """those of the front that could be named"""
    balanced: ScoredLayout | None
    disks: int


def compare_named(text: str, judged: SearchResult, constraints: Constraints) -> WhyNot:
    """The answer for the layout written as `text`. Raises BadInput when it is no layout."""
    layout = parse(text)
    question = f"And {text}?"
    if layout.disks > judged.disks:
        return WhyNot(question=question, answer=f"It takes {layout.disks} disks, there are {judged.disks}.")
    offer = judged.judge(layout)
    if offer is None:
        return WhyNot(question=question, answer="md, LVM or mkfs would refuse it on these disks; see raidtui model.")
    missed = unmet_constraints(offer, constraints)
    if not judged.survives(layout):
        missed.append(f"losing one {constraints.survive_domain} may take its data, wherever the disks are put")
    standing = f"It misses what was asked: {'; '.join(missed)}." if missed else _standing(offer, judged.front)
    sentences = [_figures(offer), standing, *_against(offer, judged.balanced, judged.eligible)]
    return WhyNot(question=question, answer=" ".join(sentences))


def unmet_constraints(offer: ScoredLayout, constraints: Constraints) -> list[str]:
    """What was asked for and is not met, of what figures alone show."""
    found = []
    if offer.usable < constraints.usable_bytes:
        found.append(f"{binary_size(offer.usable)} of the {binary_size(constraints.usable_bytes)} asked for")
    if offer.layout.survives < constraints.survive:
        found.append(f"arrays outlive {offer.layout.survives} failures, not {constraints.survive}")
    if offer.layout.spares < constraints.spares:
        found.append(f"{offer.layout.spares} of {constraints.spares} spares")
    if constraints.max_width is not None and offer.layout.members > constraints.max_width:
        found.append(f"{offer.layout.members} members, not {constraints.max_width}")
    if constraints.levels and offer.layout.level not in constraints.levels:
        found.append(f"{offer.layout.level} was not among the levels")
    if constraints.max_annual_loss is not None and offer.loss > constraints.max_annual_loss:
        found.append(f"loss {odds(offer.loss)} a year, at most {odds(constraints.max_annual_loss)} asked for")
    return found


def _figures(offer: ScoredLayout) -> str:
    return (
        f"{binary_size(offer.usable)}, reads {rate(offer.read)}, writes {rate(offer.write)},"
        f" loss {odds(offer.loss)} a year, rebuilds in {hours(offer.hours)}."
    )


def _standing(offer: ScoredLayout, front: Sequence[ScoredLayout]) -> str:
    """Whether any other is at least as good in everything, and by how much."""
    own = offer.vector
    beating = [
        other
        for other in front
        if other.vector != own and all(theirs >= ours for theirs, ours in zip(other.vector, own, strict=True))
    ]
    if not beating:
        return "On the front: no other layout is at least as good in everything."
    nearest = min(beating, key=lambda other: distance(offer, other))
    more = gains(nearest, offer)
    if not more:
        return f"On the front but for a hair: {nearest.text} is as good in everything, and nowhere clearly better."
    return f"Off the front: {nearest.text} is at least as good in everything, and {more}."


def _against(offer: ScoredLayout, balanced: ScoredLayout | None, others: Sequence[ScoredLayout]) -> Iterator[str]:
    if balanced is None:
        return
    if balanced.text == offer.text:
        yield f"It is the balanced proposal. Its neighbours: {tradeoffs(offer, others)}"
        return
    if clearly_better(offer, balanced):
        yield f"Against the balanced {balanced.text} it {gains(offer, balanced)}."
    else:
        yield f"Against the balanced {balanced.text} it buys nothing clear."
    if clearly_better(balanced, offer):
        yield f"It gives up: {balanced.text} {gains(balanced, offer)}."
