"""Reasons of the picks: what each gains, what limits it, and what its neighbours on the front have more of."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.model.choices import Wish
from raidtui.model.proposal import Pick
from raidtui.model.safe import safe
from raidtui.model.units import binary_size
from raidtui.planner.amounts import percent, rate, stated_percent
from raidtui.planner.numbers import hours, listed, odds, ratio_text
from raidtui.planner.search.picks import LEAST_ROOM, Picked, neighbours
from raidtui.planner.search.scored_layout import Scored, clearly_better

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
    if not better:
        return "Nothing: no other eligible layout is clearly better in anything."
    parts = [f"{text} {listed(gains)}" for text, gains in list(better.items())[:_MOST_NEIGHBOURS]]
    return "; ".join(parts) + "."


def gains(better: Scored, worse: Scored) -> str:
    """Everything in which one layout is clearly better than another; empty if nothing is."""
    found = [gain(wish, better, worse) for wish in clearly_better(better, worse)]
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
        case "rebuild":
            return f"rebuilds in {hours(better.hours)} instead of {hours(worse.hours)}"
        case "risk":
            return f"loses data less often ({losses(better, worse)})"
        case "cost":
            return f"costs {better.cost:,.0f} instead of {worse.cost:,.0f}".replace(",", " ")


def losses(one: Scored, other: Scored) -> str:
    """`1 in 26 000 a year instead of 1 in 17 000`: what differs in the losses of two layouts on the same disks."""
    return f"{odds(one.own_loss)} a year instead of {odds(other.own_loss)}{_left_out(one)}"


def _left_out(scored: Scored) -> str:
    """What `own_loss` does not hold, behind that figure."""
    return ", enclosure outages not counted" if scored.common_loss else ""


def _buys(each: Picked, others: Sequence[Scored]) -> str:
    scored = each.scored
    match each.name:
        case "most room":
            return f"{binary_size(scored.usable)} usable, the largest layout that meets the rules."
        case "balanced":
            shares = [
                f"{_share(scored.usable, max(other.usable for other in others))} of the largest capacity",
                f"{_share(scored.read, max(other.read for other in others))} of the fastest read",
                f"{_share(scored.write, max(other.write for other in others))} of the fastest write",
            ]
            loss = f"loss {odds(scored.disks_loss)} a year by disks"
            return f"Best compromise: {listed(shares)}, and {loss}."
        case "fastest":
            figures = f"Reads {rate(scored.read)} and writes {rate(scored.write)}"
            return f"{figures}, as fast as any layout that meets the rules."
        case "safest":
            return (
                f"Loss {odds(scored.own_loss)} a year{_left_out(scored)}: the lowest among layouts with at least"
                f" {stated_percent(LEAST_ROOM)} of the largest capacity."
            )
        case "quickest rebuild":
            return f"Rebuild {hours(scored.hours)}; no layout that rebuilds as fast is larger."


def _share(figure: float, best: float) -> str:
    return percent(int(100 * figure / best) / 100 if best else 1.0)


def _limit(each: Picked) -> str:
    scored = each.scored
    match each.name:
        case "safest":
            return (
                f"What remains is {odds(scored.sector_loss)} for an unreadable sector while nothing can repair it,"
                f" {odds(scored.array_loss)} for a whole array and {odds(scored.enclosure_loss)} for an enclosure"
                " outage."
            )
        case "quickest rebuild":
            return f"The rebuild is limited by {safe(str(scored.rebuild_limit))}."
        case _ if scored.read_limit == scored.write_limit:
            return f"Reads and writes are limited by {safe(str(scored.read_limit))}."
        case _:
            return f"Reads are limited by {safe(str(scored.read_limit))}, writes by {safe(str(scored.write_limit))}."
