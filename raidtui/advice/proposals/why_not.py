"""Answers about a proposal, with the figures that decide them: likely questions, and layouts that the admin names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from raidtui.advice.proposals.evaluate import NamedLayouts
from raidtui.advice.proposals.pick_reasons import gains, losses, tradeoffs
from raidtui.advice.proposals.scored_layout import Scored, clearly_better, distance
from raidtui.predict.checks.layout import MOST_RAID6
from raidtui.predict.risk.spares import RULE, spare_shortages
from raidtui.sizes.lvm import extent_bytes
from raidtui.values.amounts import (
    hours,
    iops,
    known_iops,
    known_rate,
    listed,
    loss_words,
    odds,
    rate,
    ratio_text,
    shortages_text,
    spares_text,
    stated_percent,
)
from raidtui.values.assumptions import Assumptions
from raidtui.values.choices import Stack
from raidtui.values.layout import Layout
from raidtui.values.notation import LayoutText, show
from raidtui.values.proposal import Constraints, WhyNot
from raidtui.values.safe import safe
from raidtui.values.units import binary_size, counted, exact_binary

Evaluate = Callable[[Layout], Scored | None]
_SIX = 6


def why_nots(
    chosen: Scored, evaluate: Evaluate, constraints: Constraints, assumptions: Assumptions
) -> tuple[WhyNot, ...]:
    """At most six questions about `chosen`, the suggested layout. `evaluate` returns the figures of any layout."""
    asked = [
        _fewer_parity(chosen, evaluate),
        _wider(chosen, evaluate),
        _one_array(chosen, evaluate),
        _mirrors(chosen, evaluate),
        _spares(chosen, evaluate, assumptions, constraints.stack),
        _stripe(chosen, constraints),
    ]
    return tuple(each for each in asked if each is not None)[:_SIX]


def _fewer_parity(chosen: Scored, evaluate: Evaluate) -> WhyNot | None:
    """Why not RAID5, if RAID6 was chosen."""
    layout = chosen.layout
    if layout.level != "raid6" or layout.hybrid is not None:
        return None
    other = evaluate(Layout.joined((replace(shape, level="raid5") for shape in layout.shapes), layout.spares))
    if other is None:
        return None
    return WhyNot(
        question=f"Why not RAID5, {other.text}?",
        answer=(
            f"It holds {ratio_text(other.usable, chosen.usable)}, but no second parity can reconstruct an unreadable "
            f"sector during a rebuild. So it loses a sector with {odds(other.sector_loss)} a year instead of"
            f" {odds(chosen.sector_loss)}, an array with {odds(other.array_loss)} instead of {odds(chosen.array_loss)}."
        ),
    )


def _wider(chosen: Scored, evaluate: Evaluate) -> WhyNot | None:
    """Why not half as many arrays of about twice the width; remaining disks are spares."""
    layout = chosen.layout
    if not layout.parity or layout.arrays < 4:
        return None
    arrays = layout.arrays // 2
    members = layout.member_disks // arrays
    spares = layout.disks - arrays * members
    other = evaluate(Layout.of(level=layout.level, members=members, arrays=arrays, spares=spares))
    return None if other is None else WhyNot(question=f"Why not {other.text}?", answer=_wide_answer(other, chosen))


def _one_array(chosen: Scored, evaluate: Evaluate) -> WhyNot | None:
    """Why not all members in one array."""
    layout = chosen.layout
    members = layout.member_disks
    if not layout.parity or layout.arrays == 1:
        return None
    if layout.level == "raid6" and members > MOST_RAID6:
        return WhyNot(
            question="Why not one wide array?",
            answer=f"RAID6 of {members} members is impossible: the kernel supports at most {MOST_RAID6}.",
        )
    other = evaluate(Layout.of(level=layout.level, members=members, spares=layout.spares))
    if other is None:
        return None
    return WhyNot(question=f"Why not one wide array, {other.text}?", answer=_wide_answer(other, chosen))


def _wide_answer(other: Scored, chosen: Scored) -> str:
    found = f"It holds {ratio_text(other.usable, chosen.usable)}"
    worse = clearly_better(chosen, other)
    parts = []
    if "rebuild" in worse:
        parts.append(f"rebuilds in {hours(other.hours)} instead of {hours(chosen.hours)}")
    if "risk" in worse:
        parts.append(f"loses data more often ({losses(other, chosen)})")
    if "read" in worse:
        parts.append(f"reads {rate(other.read)} instead of {rate(chosen.read)} ({safe(str(other.read_limit))})")
    if "write" in worse:
        parts.append(f"writes {rate(other.write)} instead of {rate(chosen.write)} ({safe(str(other.write_limit))})")
    return f"{found}, but {listed(parts)}." if parts else f"{found} and is not clearly worse in anything else."


def _mirrors(chosen: Scored, evaluate: Evaluate) -> WhyNot | None:
    """Why not RAID10 over the same members."""
    layout = chosen.layout
    members = layout.member_disks
    if not layout.parity or members < 4:
        return None
    other = evaluate(Layout.of(level="raid10", members=members - members % 2, spares=layout.spares + members % 2))
    if other is None:
        return None
    alike = abs(other.usable / chosen.usable - 1) < 0.01
    room = "as much" if alike else f"{binary_size(other.usable)} instead of {binary_size(chosen.usable)}"
    return WhyNot(
        question=f"Why not RAID10, {other.text}?",
        answer=(
            f"It holds {room}, and one failure leaves a single copy: it loses {losses(other, chosen)}. It reads"
            f" {rate(other.read)} and writes {rate(other.write)} instead of {rate(chosen.read)} and"
            f" {rate(chosen.write)}. Random reads {iops(other.random_read)} instead of {iops(chosen.random_read)},"
            f" random writes {iops(other.random_write)} instead of {iops(chosen.random_write)}."
        ),
    )


def _spares(chosen: Scored, evaluate: Evaluate, assumptions: Assumptions, stack: Stack) -> WhyNot | None:
    """Why this number of spares."""
    layout = chosen.layout
    if not layout.survives:
        return None
    disks, enough = layout.member_disks, chosen.spares_enough
    shortages = spare_shortages(disks, layout.spares, assumptions)
    counted = [row for row in shortages if row.spares in (enough, layout.spares)]
    rule = (
        f"{spares_text(enough)} {'is' if enough == 1 else 'are'} enough for {disks} disks with an AFR of"
        f" {stated_percent(assumptions.afr)} and {assumptions.restock_days:g} days to restock: {RULE}. Failures that"
        f" find no spare: {shortages_text(counted)}."
    )
    if layout.spares > enough:
        fewer = evaluate(replace(layout, spares=enough))
        if fewer is None:
            return None
        ways = _as_members(layout, enough, stack)
        return WhyNot(
            question=f"Why {layout.spares} spares and not {enough}?",
            answer=(
                f"{rule} With {spares_text(enough)} an array is lost with {odds(fewer.array_loss)} a year instead of"
                f" {odds(chosen.array_loss)}."
                f" {_others(layout.spares - enough)} no further array of this shape{ways}, and"
                f" {'delays' if layout.spares - enough == 1 else 'delay'} the next service visit by months."
            ),
        )
    bare = evaluate(replace(layout, spares=0)) if layout.spares else None
    without = (
        f" Without spares an array is lost with {odds(bare.array_loss)} a year instead of {odds(chosen.array_loss)}."
        if bare else ""
    )  # fmt: skip
    return WhyNot(
        question={0: "Is no spare enough?", 1: "Is one spare enough?"}.get(
            layout.spares, f"Are {layout.spares} spares enough?"
        ),
        answer=f"{rule}{without} Spares shorten the degraded time but do not replace parity.",
    )


def _others(spares: int) -> str:
    return "The other one yields" if spares == 1 else f"The other {spares} yield"


def _as_members(layout: Layout, enough: int, stack: Stack) -> str:
    """The wider layout that would use the spares beyond `enough`, in parentheses; empty if there is none.

    Its arrays are of unequal width if the stack uses all of them; an LVM stripe takes no more than the smallest has.
    """
    wider, more = divmod(layout.spares - enough, layout.arrays)
    if layout.equal is None or not layout.parity or not (wider or (more and stack != "lvm")):
        return ""
    if stack == "lvm":
        more = 0
    shape = replace(layout.first, members=layout.first.members + wider)
    shapes = [replace(shape, members=shape.members + 1)] * more + [shape] * (layout.arrays - more)
    other = Layout.joined(shapes, layout.spares - wider * layout.arrays - more)
    return f" (though {show(other)} would use them)"


def _stripe(chosen: Scored, constraints: Constraints) -> WhyNot | None:
    """Is a number of data disks that is not a power of two a problem for LVM extents or the file system."""
    layout = chosen.layout
    if layout.equal is None or not layout.parity:
        return None
    data = layout.first.data
    if data & (data - 1) == 0:
        return None
    full = constraints.chunk_bytes * data
    below = 1 << (data.bit_length() - 1)
    if layout.arrays > 1 and constraints.stack == "lvm":
        extent = extent_bytes(full)
        handled = (
            f"LVM's default extent of 4 MiB is not a multiple of it. So the plan uses extents of "
            f"{exact_binary(extent)}, the first at {exact_binary(extent)}. Every extent starts on a full stripe."
        )
    else:
        handled = "mkfs gets the stripe as an option and aligns to any width."
    return WhyNot(
        question=f"Is it a problem that {data} data disks are not a power of two?",
        answer=(
            f"A full stripe is {exact_binary(full)}. {handled} One limit remains: single writes of a power of two,"
            f" such as 1 MiB, never fill whole stripes. With {below} or {2 * below} data disks they do."
        ),
    )


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
        widest = scored.layout.widest.shape.members
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
