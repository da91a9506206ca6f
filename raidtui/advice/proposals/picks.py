"""Picks: the few named layouts of the front, each chosen by a reproducible rule.

Eligible layouts survive a failed disk; lose an array with a probability of at most 1 % a year (or the given limit);
have a single parity only where rebuilds meet an unreadable sector in at most 1 % of all years; have the spares that
cover restocking; leave no whole array's worth of disks idle; and their parity arrays have at most 16 members (or the
given limit), since md's single sync thread slows down beyond that. Bands over disks of mixed size are eligible where
they hold much more than arrays of whole disks. If no layout is eligible, rules are dropped, the last one first, and a
finding lists them.

suggested         what the guide suggests: the most room where any two disks may fail (one of fewer than four disks, or
                  as the constraints have it), or the balanced one where a capacity or another goal comes first; not
                  one of high risk or mostly spares while there is another
most room         the largest usable capacity
balanced          the smallest shortfall over all objectives: the root of the sum of squares of what is missing of the
                  largest capacity, of the fastest read, write, random read, random write and rebuild, and of the lowest
                  loss (a fifth for each power of ten), each weighted (`weights_of`); losses below 1 in 100 000 count as
                  equal, since with the default assumptions an enclosure outage loses ten times more
fastest           the highest mean of read, write, random read and random write, with the same weights; of those within
                  3 % the largest
safest            the lowest annual loss; of those within a quarter, or below one in a million, the largest
quickest rebuild  the shortest rebuild; of those within 1 % the largest

Picks go by the loss of a volume, not of a sector, without the part that every layout on the disks bears
alike: the outage of the one enclosure that holds them all. Limits count it.

The last three keep two fifths of the capacity of the first: a mirror of all disks is safe but useless.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, expm1, log, sqrt
from typing import NamedTuple

from raidtui.advice.proposals.enumerate_layouts import leaves_disks_idle
from raidtui.advice.proposals.guide import survived
from raidtui.advice.proposals.scored_layout import Scored, clearly_better, distance, log_objectives
from raidtui.predict.risk.spares import RULE
from raidtui.values.amounts import LEAST_ODDS, listed, odds
from raidtui.values.choices import WISHES, Wish
from raidtui.values.findings import Finding, note
from raidtui.values.layout import Layout
from raidtui.values.proposal import Constraints, PickName, PickRule, layout_key

MOST_LOSS = 0.01
"""default limit of a pick's annual loss probability"""
MOST_SECTOR_LOSS = 0.01
"""limit of the annual probability that a rebuild of RAID4 or RAID5 meets an unreadable sector"""
HIGH_RISK = 0.015
"""annual probability of losing a volume that is called high: that of a single disk, whose AFR is 1.5 %"""
MOST_WIDTH = 16
"""default limit of a pick's parity array members: md merges 16 requests and resyncs with one thread"""
LEAST_ROOM = 0.4
"""share of the largest capacity that the fastest, the safest and the quickest picks must keep"""
QUIET_LOSS = 1e-5
"""annual loss below which the balanced pick ignores differences"""
_AS_FAST = 0.97
_AS_SAFE = 1.25
_AS_QUICK = 1.01
_WEIGHTS: dict[Wish, float] = {
    "capacity": 1, "read": 0.5, "write": 0.5, "random-read": 0.25, "random-write": 0.25, "rebuild": 0.5, "risk": 1,
    "cost": 1,
}  # fmt: skip
SPEEDS: tuple[Wish, ...] = ("read", "write", "random-read", "random-write")
_POWER_OF_TEN = 0.2
"""share of the room that a tenfold loss weighs"""


class Rule(NamedTuple):
    """A rule that every pick keeps."""

    broken: PickRule
    """what is said of a layout that breaks it"""
    sentence: str
    """what a layout does that keeps it"""
    holds: Callable[[Scored], bool]


@dataclass(frozen=True, slots=True)
class Picked:
    """A pick: a name and its layout."""

    name: PickName
    scored: Scored


def choose_picks(
    front: Sequence[Scored], rules: Sequence[Rule], constraints: Constraints, disks: int
) -> tuple[list[Picked], list[Scored], list[Finding]]:
    """(picks of `front` over `disks` disks, eligible layouts, findings about the rules)."""
    eligible, findings = eligible_picks(front, rules)
    if not eligible:
        return [], [], findings
    eligible = sorted(eligible, key=lambda scored: layout_key(scored.layout))
    roomiest = _roomiest(eligible, lambda _: True)
    roomy = [scored for scored in eligible if scored.usable >= LEAST_ROOM * roomiest.usable]
    weights = weights_of(constraints.wishes)
    speeds = {scored.text: _speed(scored, weights) for scored in roomy}
    loss = max(min(scored.own_volume_loss for scored in roomy), LEAST_ODDS)
    quickest = min((scored.hours for scored in roomy if scored.hours > 0), default=0.0)
    balanced = min(eligible, key=shortfalls(eligible, constraints.wishes))
    return (
        [
            Picked("suggested", _suggested(front, eligible, balanced, constraints, disks)),
            Picked("most room", roomiest),
            Picked("balanced", balanced),
            Picked("fastest", _roomiest(roomy, lambda scored: speeds[scored.text] >= max(speeds.values()) * _AS_FAST)),
            Picked("safest", _roomiest(roomy, lambda scored: scored.own_volume_loss <= loss * _AS_SAFE)),
            Picked("quickest rebuild", _roomiest(roomy, lambda scored: _rebuilds_within(scored, quickest * _AS_QUICK))),
        ],
        eligible,
        findings,
    )


def _suggested(
    front: Sequence[Scored], eligible: Sequence[Scored], balanced: Scored, constraints: Constraints, disks: int
) -> Scored:
    found = balanced
    if not constraints.usable_bytes and constraints.wishes[:1] in ((), ("capacity",)):
        able = [each for each in eligible if each.layout.survives >= (constraints.survive or survived(disks))]
        found = _roomiest(able or eligible, lambda _: True)
    if found.layout.spares > found.layout.disks // 2 or found.volume_loss >= HIGH_RISK:
        return _usual(front, constraints) or found
    return found


def _usual(front: Sequence[Scored], constraints: Constraints) -> Scored | None:
    """The layout of most room with a spare an array, or as many as are asked for; its arrays are of usual width.

    One of high risk only if all of them are.
    """
    width = constraints.max_width or MOST_WIDTH
    usual = [
        each
        for each in front
        if each.layout.spares <= max(each.layout.arrays, constraints.spares)
        and each.layout.widest.shape.members <= width
    ]
    safe = [each for each in usual if each.volume_loss < HIGH_RISK] or usual
    return _roomiest(safe, lambda _: True) if safe else None


def eligible_picks(front: Sequence[Scored], rules: Sequence[Rule]) -> tuple[list[Scored], list[Finding]]:
    """(layouts of `front` that satisfy the rules, findings); rules are dropped from the last until one is left."""
    for kept in range(len(rules), -1, -1):
        left = [scored for scored in front if broken(scored, rules[:kept]) is None]
        if left or not front:
            break
    if not front:
        return [], []
    held, dropped = ([rule.sentence for rule in part] for part in (rules[:kept], rules[kept:]))
    found = []
    if held:
        found.append(
            note(
                "picks-rules",
                f"Each pick {', '.join(held)}.",
                "change the limits with --max-width, --max-loss, --spares",
            )
        )
    if dropped:
        way_out = "use more or smaller disks, or relax the constraints"
        found.append(note("picks-relaxed", f"No layout also {listed(dropped)}.", way_out))
    return left, found


def rules_of(disks: int, constraints: Constraints, enough: int, bands: Collection[str] = frozenset()) -> list[Rule]:
    """The rules of a pick out of `disks` disks, the gravest first.

    `enough` spares cover restocking over all of them; `bands`: hybrid layouts that hold much more than plain ones.
    """
    most_loss = MOST_LOSS if constraints.max_annual_loss is None else constraints.max_annual_loss
    most_sector = max(most_loss, MOST_SECTOR_LOSS)
    width = constraints.max_width or MOST_WIDTH
    return [
        Rule("unprotected", "survives a failed disk", lambda scored: scored.layout.survives > 0),
        Rule(
            "high loss", f"loses an array with at most {odds(most_loss)} a year",
            lambda scored: scored.volume_loss <= most_loss,
        ),
        Rule(
            "large RAID5",
            f"has RAID5 only if its rebuilds meet an unreadable sector with at most {odds(most_sector)} a year",
            lambda scored: scored.layout.parity != 1 or scored.sector_loss <= most_sector,
        ),
        Rule(
            "few spares", f"has the spares that its disks need, {RULE}",
            lambda scored: scored.layout.spares >= scored.spares_enough,
        ),
        Rule(
            "idle disks", "leaves no array's worth of disks idle",
            lambda scored: not leaves_disks_idle(scored.layout, disks, enough),
        ),
        Rule("odd copies", "has complete copy sets in a RAID10", lambda scored: _complete(scored.layout)),
        Rule(
            "bands", "has bands only where they hold a third more",
            lambda scored: scored.layout.hybrid is None or scored.text in bands,
        ),
        Rule(
            "wide arrays", f"has at most {width} members in a parity array",
            lambda scored: _narrow(scored.layout, width),
        ),
    ]  # fmt: skip


def broken(scored: Scored, rules: Iterable[Rule]) -> PickRule | None:
    """The first of `rules` that the layout breaks; None if it keeps all."""
    return next((rule.broken for rule in rules if not rule.holds(scored)), None)


def shortfalls(layouts: Sequence[Scored], wishes: Sequence[Wish]) -> Callable[[Scored], float]:
    """A function that returns a layout's shortfall from the best of `layouts` over all objectives; 0 is best in all."""
    known = [_merits(scored) for scored in layouts]
    best = {wish: max(each[wish] for each in known) for wish in known[0]}
    weights = weights_of(wishes)

    def shortfall(scored: Scored) -> float:
        own = _merits(scored)
        return sqrt(sum((weights[wish] * _short(wish, best[wish] - own[wish])) ** 2 for wish in best))

    return shortfall


def weights_of(wishes: Sequence[Wish]) -> dict[Wish, float]:
    """Weight of each objective: its own, times one more for each wish from the last up to it."""
    return {wish: weight * (1 + _urgency(wish, wishes)) for wish, weight in _WEIGHTS.items()}


def _short(wish: Wish, ratio: float) -> float:
    """Share missing to the best; `ratio` is the logarithm of the best over the own figure."""
    return ratio / log(10) * _POWER_OF_TEN if wish == "risk" else -expm1(-ratio)


def _merits(scored: Scored) -> dict[Wish, float]:
    return {**log_objectives(scored), "risk": -log(max(scored.own_volume_loss, QUIET_LOSS))}


def _roomiest(layouts: Sequence[Scored], able: Callable[[Scored], bool]) -> Scored:
    return max((scored for scored in layouts if able(scored)), key=lambda scored: (scored.usable, -scored.loss))


def _speed(scored: Scored, weights: Mapping[Wish, float]) -> float:
    """Weighted geometric mean of the rates."""
    merits = log_objectives(scored)
    return exp(sum(weights[wish] * merits[wish] for wish in SPEEDS) / sum(weights[wish] for wish in SPEEDS))


def _rebuilds_within(scored: Scored, most: float) -> bool:
    """True if its rebuild takes at most `most` hours, or if no layout rebuilds at all."""
    return most == 0 or 0 < scored.hours <= most


def neighbours(scored: Scored, others: Sequence[Scored]) -> list[tuple[Wish, Scored]]:
    """(objective, layout): for each objective the nearest of `others` that is clearly better in it."""
    better = [(other, clearly_better(other, scored)) for other in others]
    found = []
    for wish in WISHES:
        candidates = [other for other, wishes in better if wish in wishes]
        if candidates:
            found.append((wish, min(candidates, key=lambda other: distance(scored, other))))
    return found


def _narrow(layout: Layout, width: int) -> bool:
    return not layout.parity or all(group.shape.members <= width for group in layout.groups)


def _complete(layout: Layout) -> bool:
    """True unless a copy set of a RAID10 lacks a member."""
    return layout.level != "raid10" or all(group.shape.members % group.shape.copies == 0 for group in layout.groups)


def _urgency(wish: Wish, wishes: Sequence[Wish]) -> int:
    """Weight of an objective: 0 if not wished for, else 1 for the last wish plus one for each wish after it."""
    return len(wishes) - wishes.index(wish) if wish in wishes else 0
