"""Reasons of the picks: what each gains, what limits it, and what its neighbours on the front have more of.

The suggested one in plain words, for the guide. Nothing here draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from raidtui.advice.proposals.findings import NOTHING_FITS
from raidtui.advice.proposals.guide import WISH_WORDS
from raidtui.advice.proposals.picks import HIGH_RISK, LEAST_ROOM, SPEEDS, Picked, neighbours
from raidtui.advice.proposals.scored_layout import Scored, clearly_better, distance
from raidtui.values.amounts import (
    any_failures,
    hours,
    iops,
    known_iops,
    known_rate,
    listed,
    loss_words,
    odds,
    percent,
    rate,
    ratio_text,
    risk_differs,
    spares_text,
    stated_percent,
)
from raidtui.values.assumptions import Assumptions
from raidtui.values.choices import OUTAGES, Outage, Wish
from raidtui.values.findings import errors
from raidtui.values.layout import ArrayGroup, Layout
from raidtui.values.proposal import Candidate, Constraints, Pick, Proposal
from raidtui.values.safe import safe
from raidtui.values.units import binary_size, counted, plural

_MOST_NEIGHBOURS = 3


def explain_picks(picks: Sequence[Picked], eligible: Sequence[Scored]) -> tuple[Pick, ...]:
    """The picks with their reasons; `eligible` are the layouts they were chosen from."""
    return tuple(
        Pick(
            name=each.name,
            layout=each.scored.text,
            reason=f"{_buys(each, eligible)} {_limit(each)}",
            gives_up=tradeoffs(each.scored, eligible),
        )
        for each in picks
    )


def tradeoffs(scored: Scored, others: Sequence[Scored]) -> str:
    """What the nearest of `others` have more of, each with its figures, as one sentence."""
    better: dict[str, list[str]] = {}
    for wish, other in neighbours(scored, [other for other in others if other.text != scored.text]):
        better.setdefault(other.text, []).append(gain(wish, other, scored))
    for kind, other in outliving(scored, others):
        better.setdefault(other.text, []).append(f"survives the loss of any one {kind}")
    if not better:
        return "Nothing: no other eligible layout is clearly better in anything."
    parts = [f"{text} {listed(gains)}" for text, gains in list(better.items())[:_MOST_NEIGHBOURS]]
    return "; ".join(parts) + "."


def outliving(scored: Scored, others: Sequence[Scored]) -> Iterator[tuple[Outage, Scored]]:
    """(kind of domain, layout): for each kind that `scored` does not outlive the nearest of `others` that does."""
    for kind in OUTAGES:
        able = [] if kind in scored.outlives else [other for other in others if kind in other.outlives]
        if able:
            yield kind, min(able, key=lambda other: distance(scored, other))


def gains(better: Scored, worse: Scored) -> str:
    """Everything in which one layout is clearly better than another; empty if nothing is."""
    found = [gain(wish, better, worse) for wish in clearly_better(better, worse)]
    found += [f"survives the loss of any one {kind}" for kind in better.outlives if kind not in worse.outlives]
    return listed(found) if found else ""


def gain(wish: Wish, better: Scored, worse: Scored) -> str:
    """`holds 6 % more (83.1 TiB)`: by how much one layout is better than the other."""
    match wish:
        case "capacity":
            return f"holds {ratio_text(better.usable, worse.usable)}"
        case "read":
            return f"reads {rate(better.read)} instead of {rate(worse.read)}"
        case "write":
            return f"writes {rate(better.write)} instead of {rate(worse.write)}"
        case "random-read":
            return f"reads {iops(better.random_read)} at random instead of {iops(worse.random_read)}"
        case "random-write":
            return f"writes {iops(better.random_write)} at random instead of {iops(worse.random_write)}"
        case "rebuild":
            return f"rebuilds in {hours(better.hours)} instead of {hours(worse.hours)}"
        case "risk":
            return f"loses data less often ({losses(better, worse)})"
        case "cost":
            return f"costs {better.cost:,.0f} instead of {worse.cost:,.0f}".replace(",", " ")


def losses(one: Scored, other: Scored) -> str:
    """`an array 1 in 7 200 a year instead of 1 in 6 300`: losses on the same disks by the causes that clearly differ.

    By any cause if none does.
    """
    causes = (
        ("an array", one.array_loss, other.array_loss), ("a sector", one.sector_loss, other.sector_loss),
        ("by an enclosure", one.enclosure_loss, other.enclosure_loss),
    )  # fmt: skip
    parts = [(f"{what} ", mine, theirs) for what, mine, theirs in causes if risk_differs(mine, theirs)]
    return ", ".join(
        f"{what}{odds(mine)} a year instead of {odds(theirs)}"
        for what, mine, theirs in parts or [("", one.loss, other.loss)]
    )


def _buys(each: Picked, others: Sequence[Scored]) -> str:
    scored = each.scored
    match each.name:
        case "suggested":
            count = scored.layout.survives
            return f"What the guide suggests: {any_failures(count)} of an array may fail."
        case "most room":
            return f"{binary_size(scored.usable)} usable, the largest layout that meets the rules."
        case "balanced":
            shares = [
                f"{_share(scored.usable, max(other.usable for other in others))} of the largest capacity",
                f"{_share(scored.read, max(other.read for other in others))} of the fastest read",
                f"{_share(scored.write, max(other.write for other in others))} of the fastest write",
                f"{_share(scored.random_read, max(other.random_read for other in others))} of the most random reads",
                f"{_share(scored.random_write, max(other.random_write for other in others))} of the most random writes",
            ]
            loss = f"loss {loss_words(scored.loss, scored.worst_loss)}"
            return f"Best compromise: {listed(shares)}; {loss}."
        case "fastest":
            random = f"{iops(scored.random_read)} and {iops(scored.random_write)}"
            figures = f"Reads {rate(scored.read)} and writes {rate(scored.write)}, at random {random}"
            return f"{figures}: the best mean of the four among layouts that meet the rules{_beaten(scored, others)}."
        case "safest":
            return (
                f"An array is lost with {odds(scored.array_loss)} a year, the lowest among layouts with at least"
                f" {stated_percent(LEAST_ROOM)} of the largest capacity. Data by any cause is lost with "
                f"{loss_words(scored.loss, scored.worst_loss)}."
            )
        case "quickest rebuild":
            return f"Rebuild {hours(scored.hours)}; no layout that rebuilds as fast is larger."


def _beaten(scored: Scored, others: Sequence[Scored]) -> str:
    """In which rates others are clearly faster; empty if in none."""
    faster = {wish for other in others for wish in clearly_better(other, scored)}
    words = [WISH_WORDS[wish] for wish in SPEEDS if wish in faster]
    return f", though others are faster at {listed(words)}" if words else ", and none is faster at any"


def _share(figure: float, best: float) -> str:
    return percent(int(100 * figure / best) / 100 if best else 1.0)


def _limit(each: Picked) -> str:
    scored = each.scored
    match each.name:
        case "safest":
            return (
                f"The rest is {odds(scored.sector_loss)} for an unreadable sector while nothing can repair it,"
                f" and {odds(scored.enclosure_loss)} for an enclosure outage."
            )
        case "quickest rebuild":
            slowest = "disk speed" if scored.rebuild_limit.kind == "member" else safe(str(scored.rebuild_limit))
            return f"The rebuild is limited by {slowest}."
        case _ if scored.read_limit == scored.write_limit:
            return f"Reads and writes are limited by {safe(str(scored.read_limit))}."
        case _:
            return f"Reads are limited by {safe(str(scored.read_limit))}, writes by {safe(str(scored.write_limit))}."


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
        *_enclosure(found.annual_enclosure_loss_probability),
    )
    sentence = f"We suggest {shape_words(layout)}."
    return Suggestion(sentence=sentence, facts=facts, candidate=found, warning=_warning(found.volume_loss_1y))


def _enclosure(chance: float) -> tuple[tuple[str, str], ...]:
    return (("by an outage", f"{odds(chance)} a year: of the enclosure"),) if chance else ()


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


def shape_words(layout: Layout) -> str:
    """`4 arrays of 9+2 disks and 1 spare`, `a mirror of 2 disks`, `one array of 8 disks in 2 copies`."""
    parts = [_group_words(group) for group in layout.groups]
    spares = f" and {spares_text(layout.spares)}" if layout.spares else ""
    return f"{', '.join(parts)}{spares}"


def _group_words(group: ArrayGroup) -> str:
    shape = group.shape
    mirror = shape.level == "raid1"
    noun = "mirror" if mirror else "array"
    count = ("a" if mirror else "one") if group.arrays == 1 else str(group.arrays)
    many = f"{count} {plural(noun, group.arrays)}"
    if shape.parity:
        return f"{many} of {shape.data}+{shape.parity} disks"
    copies = f" in {shape.copies} copies" if shape.level == "raid10" else ""
    return f"{many} of {counted(shape.members, 'disk')}{copies}"


def _failures(layout: Layout, constraints: Constraints) -> str:
    count = layout.survives
    each = " of each array" if layout.arrays > 1 else ""
    disks = f"any {_COUNTS.get(count, str(count))} {plural('disk', count)}{each} at a time"
    domain = f", or any one {constraints.survive_domain}" if constraints.survive_domain else ""
    return f"{disks}{domain}, and no data is lost"


def _repair(layout: Layout, found: Candidate, assumptions: Assumptions) -> str:
    rebuilt = f"rebuilt after {hours(found.rebuild_hours)}"
    if layout.spares:
        return f"{rebuilt}, on the spare" if layout.spares == 1 else f"{rebuilt}, on a spare"
    return f"{rebuilt}, once a new disk is inserted (within {assumptions.restock_days:g} days)"
