"""Why a layout was named: what it buys, what sets the limit, and what its neighbours on the front have more of."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.model.choices import Wish
from raidtui.model.proposal import Pick
from raidtui.model.safe import safe
from raidtui.model.units import binary_size
from raidtui.planner.numbers import compared, hours, listed, odds, rate
from raidtui.planner.search.picks import LEAST_ROOM, Picked, neighbours
from raidtui.planner.search.scored_layout import Offer, clearly_better

_MOST_NEIGHBOURS = 3


def reasons(picks: Sequence[Picked], eligible: Sequence[Offer]) -> tuple[Pick, ...]:
    """The named layouts with their reasons; `eligible` are those they were chosen among."""
    return tuple(
        Pick(
            name=each.name,
            layout=each.offer.text,
            reason=f"{_buys(each, eligible)} {_limit(each)}",
            gives_up=gives_up(each.offer, eligible),
        )
        for each in picks
    )


def gives_up(offer: Offer, others: Sequence[Offer]) -> str:
    """What the nearest of `others` have more of, each with its figures."""
    better: dict[str, list[str]] = {}
    for wish, other in neighbours(offer, [other for other in others if other.text != offer.text]):
        better.setdefault(other.text, []).append(gain(wish, other, offer))
    if not better:
        return "Nothing: no other of its kind is clearly better in anything."
    parts = [f"{text} {listed(gains)}" for text, gains in list(better.items())[:_MOST_NEIGHBOURS]]
    return "; ".join(parts) + "."


def gains(better: Offer, worse: Offer) -> str:
    """Everything in which one offer is clearly better than another; empty when nothing is."""
    found = [gain(wish, better, worse) for wish in clearly_better(better, worse)]
    return listed(found) if found else ""


def gain(wish: Wish, better: Offer, worse: Offer) -> str:
    """`holds 6 % more (83.1 TiB)`: how much better one offer is than the other."""
    match wish:
        case "capacity":
            return f"holds {compared(better.usable, worse.usable)}"
        case "read":
            return f"reads {rate(better.read)} in place of {rate(worse.read)}"
        case "write":
            return f"writes {rate(better.write)} in place of {rate(worse.write)}"
        case "rebuild":
            return f"rebuilds in {hours(better.hours)} in place of {hours(worse.hours)}"
        case "risk":
            return f"loses data less often ({odds(better.loss)} a year in place of {odds(worse.loss)})"
        case "cost":
            return f"costs {better.cost:,.0f} in place of {worse.cost:,.0f}".replace(",", " ")


def _buys(each: Picked, others: Sequence[Offer]) -> str:
    offer = each.offer
    match each.name:
        case "most room":
            return f"{binary_size(offer.usable)} for files, the most that keeps to the rules."
        case "balanced":
            shares = [
                f"{_share(offer.usable, max(other.usable for other in others))} of the most room",
                f"{_share(offer.read, max(other.read for other in others))} of the fastest read",
                f"{_share(offer.write, max(other.write for other in others))} of the fastest write",
            ]
            return f"Nearest to the best in everything at once: {listed(shares)}, and loss {odds(offer.loss)} a year."
        case "fastest":
            return f"Reads {rate(offer.read)} and writes {rate(offer.write)}, as fast as any that keeps to the rules."
        case "safest":
            return f"Loss {odds(offer.loss)} a year, as low as any with {LEAST_ROOM * 100:g} % of the most room."
        case "quickest rebuild":
            return f"A failed disk is whole again after {hours(offer.hours)}, and nothing as quick holds more."


def _share(figure: float, best: float) -> str:
    return f"{int(100 * figure / best)} %"


def _limit(each: Picked) -> str:
    offer = each.offer
    match each.name:
        case "safest":
            return (
                f"What is left is {odds(offer.sector_loss)} for an unreadable sector while nothing can repair it,"
                f" and {odds(offer.array_loss)} for a whole array."
            )
        case "quickest rebuild":
            return f"What sets its pace: {safe(str(offer.rebuild_limit))}."
        case _ if offer.read_limit == offer.write_limit:
            return f"Reading and writing end at {safe(str(offer.read_limit))}."
        case _:
            return f"Reading ends at {safe(str(offer.read_limit))}, writing at {safe(str(offer.write_limit))}."
