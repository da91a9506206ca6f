"""The few layouts worth naming, each by a rule that anyone can repeat.

Named are only layouts that one could answer for. They survive a failed disk; lose data in a year with at most 1 % (or
what was asked); keep the spares that cover restocking; leave no whole array's worth of disks idle beside them; and
their parity arrays have at most 16 members (or what was asked), since md's one sync thread slows beyond that. Where
nothing passes, rules are dropped, the last one first, and a finding says which.

most room         the most room
balanced          the least short of the best in everything at once: the root of the sum of squares of what is
                  missing of the most room, of the fastest read, write and rebuild (half of each), and of the lowest
                  loss (a fifth for each power of ten), weighed by the wishes; losses below one in 100 000 count as
                  equal, since by the default assumptions the outage of an enclosure loses ten times more
fastest           the highest geometric mean of read and write; those within 3 % are as fast, and the roomiest is named
safest            the lowest annual loss; those within a quarter, or below one in a million, are as safe, and the
                  roomiest is named
quickest rebuild  the shortest rebuild; those within 1 % are as quick, and the roomiest is named

The last three keep two fifths of the room of the first: a mirror of every disk is safe and of no use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import expm1, log, sqrt

from raidtui.model.choices import WISHES, Wish
from raidtui.model.finding import Finding
from raidtui.model.layout import Layout
from raidtui.model.proposal import Constraints, PickName, layout_key
from raidtui.planner.findings import note
from raidtui.planner.numbers import LEAST_ODDS, listed, odds
from raidtui.planner.search.enumerate_layouts import leaves_disks_idle
from raidtui.planner.search.scored_layout import ScoredLayout, clearly_better, distance, log_objectives

MOST_LOSS = 0.01
"""chance of loss in a year that a named layout may have where nothing else is asked"""
MOST_WIDTH = 16
"""members of a named parity array where nothing else is asked: md merges 16 requests and syncs with one thread"""
LEAST_ROOM = 0.4
"""room that the fastest, the safest and the quickest keep of the roomiest"""
QUIET_LOSS = 1e-5
"""a year's loss that is as good as none for the balanced layout"""
_AS_FAST = 0.97
_AS_SAFE = 1.25
_AS_QUICK = 1.01
_WEIGHTS: dict[Wish, float] = {"capacity": 1, "read": 0.5, "write": 0.5, "rebuild": 0.5, "risk": 1, "cost": 1}
_POWER_OF_TEN = 0.2
"""share of the room that a tenfold loss weighs"""


@dataclass(frozen=True, slots=True)
class Picked:
    """One named layout."""

    name: PickName
    offer: ScoredLayout


def choose_picks(
    front: Sequence[ScoredLayout], disks: int, constraints: Constraints, enough: int
) -> tuple[list[Picked], list[ScoredLayout], list[Finding]]:
    """The named layouts of `front`, those they were chosen among, and which rules had to be dropped.

    `enough` spares cover restocking over `disks` disks.
    """
    eligible, findings = eligible_picks(front, disks, constraints, enough)
    if not eligible:
        return [], [], findings
    eligible = sorted(eligible, key=lambda offer: layout_key(offer.layout))
    roomiest = _roomiest(eligible, lambda _: True)
    roomy = [offer for offer in eligible if offer.usable >= LEAST_ROOM * roomiest.usable]
    speed = max(_speed(offer) for offer in roomy)
    loss = max(min(offer.loss for offer in roomy), LEAST_ODDS)
    quickest = min((offer.hours for offer in roomy if offer.hours > 0), default=0.0)
    return (
        [
            Picked("most room", roomiest),
            Picked("balanced", min(eligible, key=shortfalls(eligible, constraints.wishes))),
            Picked("fastest", _roomiest(roomy, lambda offer: _speed(offer) >= speed * _AS_FAST)),
            Picked("safest", _roomiest(roomy, lambda offer: offer.loss <= loss * _AS_SAFE)),
            Picked("quickest rebuild", _roomiest(roomy, lambda offer: _rebuilds_within(offer, quickest * _AS_QUICK))),
        ],
        eligible,
        findings,
    )


def eligible_picks(
    front: Sequence[ScoredLayout], disks: int, constraints: Constraints, enough: int
) -> tuple[list[ScoredLayout], list[Finding]]:
    """Those of `front` that keep the rules of this file, as many of the rules as leave any."""
    most_loss = MOST_LOSS if constraints.max_annual_loss is None else constraints.max_annual_loss
    width = constraints.max_width or MOST_WIDTH
    rules: list[tuple[str, Callable[[ScoredLayout], bool]]] = [
        ("outlives a failed disk", lambda offer: offer.layout.survives > 0),
        (f"loses data with at most {odds(most_loss)} a year", lambda offer: offer.loss <= most_loss),
        (
            f"has {enough} spare{'s' if enough > 1 else ''} to cover restocking",
            lambda offer: offer.layout.spares >= enough,
        ),
        ("leaves no array's worth of disks idle", lambda offer: not leaves_disks_idle(offer.layout, disks, enough)),
        ("has whole sets of copies in a RAID10", lambda offer: offer.layout.members % _set(offer.layout) == 0),
        (f"has at most {width} members in a parity array", lambda offer: _narrow(offer.layout, width)),
    ]
    if not enough:
        del rules[2]
    for kept in range(len(rules), -1, -1):
        left = [offer for offer in front if all(rule(offer) for _, rule in rules[:kept])]
        if left or not front:
            break
    if not front:
        return [], []
    held, dropped = [text for text, _ in rules[:kept]], [text for text, _ in rules[kept:]]
    found = []
    if held:
        found.append(
            note(
                "picks-rules",
                f"A named layout {', '.join(held)}.",
                "ask for another with --max-width, --max-loss, --spares",
            )
        )
    if dropped:
        way_out = "more or smaller disks, or fewer demands, leave more to choose from"
        found.append(note("picks-relaxed", f"No layout also {listed(dropped)}.", way_out))
    return left, found


def shortfalls(offers: Sequence[ScoredLayout], wishes: Sequence[Wish]) -> Callable[[ScoredLayout], float]:
    """How far an offer is short of the best of `offers` in everything at once; 0 would be the best in everything."""
    known = [_merits(offer) for offer in offers]
    best = {wish: max(each[wish] for each in known) for wish in known[0]}
    weights = {wish: _WEIGHTS[wish] * (1 + _urgency(wish, wishes)) for wish in best}

    def shortfall(offer: ScoredLayout) -> float:
        own = _merits(offer)
        return sqrt(sum((weights[wish] * _short(wish, best[wish] - own[wish])) ** 2 for wish in best))

    return shortfall


def _short(wish: Wish, ratio: float) -> float:
    """What is missing of the best, where `ratio` is the logarithm of the best over the own figure."""
    return ratio / log(10) * _POWER_OF_TEN if wish == "risk" else -expm1(-ratio)


def _merits(offer: ScoredLayout) -> dict[Wish, float]:
    own = log_objectives(offer)
    return {**own, "risk": min(own["risk"], -log(QUIET_LOSS))}


def _roomiest(offers: Sequence[ScoredLayout], able: Callable[[ScoredLayout], bool]) -> ScoredLayout:
    return max((offer for offer in offers if able(offer)), key=lambda offer: (offer.usable, -offer.loss))


def _speed(offer: ScoredLayout) -> float:
    return sqrt(offer.read * offer.write)


def _rebuilds_within(offer: ScoredLayout, most: float) -> bool:
    """Whether its rebuild takes at most `most` hours; any offer's does where none rebuilds at all."""
    return most == 0 or 0 < offer.hours <= most


def neighbours(offer: ScoredLayout, others: Sequence[ScoredLayout]) -> list[tuple[Wish, ScoredLayout]]:
    """For each objective the nearest of `others` that is clearly better in it."""
    better = [(other, clearly_better(other, offer)) for other in others]
    found = []
    for wish in WISHES:
        candidates = [other for other, wishes in better if wish in wishes]
        if candidates:
            found.append((wish, min(candidates, key=lambda other: distance(offer, other))))
    return found


def _narrow(layout: Layout, width: int) -> bool:
    return not layout.parity or layout.members <= width


def _set(layout: Layout) -> int:
    """Members that a RAID10 comes in; 1 for other levels."""
    return layout.copies if layout.level == "raid10" else 1


def _urgency(wish: Wish, wishes: Sequence[Wish]) -> int:
    """0 for what was not wished for, else 1 for the last wish and one more for each before it."""
    return len(wishes) - wishes.index(wish) if wish in wishes else 0
