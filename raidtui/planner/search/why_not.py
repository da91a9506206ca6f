"""What people ask next about a proposal, each answered with the figures that decide it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from raidtui.model.assumptions import Assumptions
from raidtui.model.layout import Layout
from raidtui.model.notation import show
from raidtui.model.proposal import Constraints, WhyNot
from raidtui.model.safe import safe
from raidtui.model.units import binary_size, exact_binary
from raidtui.planner.checks.design import MOST_RAID6
from raidtui.planner.geometry.lvm import extent_bytes
from raidtui.planner.numbers import compared, hours, listed, odds, rate
from raidtui.planner.reliability.vendor_rules import spares_wanted
from raidtui.planner.search.scored_layout import Offer, clearly_better

Judge = Callable[[Layout], Offer | None]
_SIX = 6


def why_nots(
    chosen: Offer, judge: Judge, constraints: Constraints, assumptions: Assumptions, disks: int
) -> tuple[WhyNot, ...]:
    """At most six questions that `chosen`, the balanced proposal, raises. `judge` gives the figures of any layout."""
    asked = [
        _fewer_parity(chosen, judge),
        _wider(chosen, judge),
        _one_array(chosen, judge),
        _mirrors(chosen, judge),
        _spares(chosen, judge, disks, assumptions),
        _stripe(chosen, constraints),
    ]
    return tuple(each for each in asked if each is not None)[:_SIX]


def _fewer_parity(chosen: Offer, judge: Judge) -> WhyNot | None:
    """RAID5 of the same arrays, where RAID6 was chosen."""
    if chosen.layout.level != "raid6":
        return None
    other = judge(replace(chosen.layout, level="raid5"))
    if other is None:
        return None
    return WhyNot(
        question=f"Why not RAID5, {other.text}?",
        answer=(
            f"It holds {compared(other.usable, chosen.usable)}, but an unreadable sector met in a rebuild has no"
            f" second parity to mend it: data is lost with {odds(other.sector_loss)} a year by that alone,"
            f" against {odds(chosen.loss)} by everything."
        ),
    )


def _wider(chosen: Offer, judge: Judge) -> WhyNot | None:
    """Half as many arrays of twice the width or a little more; what that leaves over are spares."""
    layout = chosen.layout
    if not layout.parity or layout.arrays < 4:
        return None
    arrays = layout.arrays // 2
    members = layout.arrays * layout.members // arrays
    spares = layout.disks - arrays * members
    other = judge(replace(layout, members=members, arrays=arrays, spares=spares))
    return None if other is None else WhyNot(question=f"Why not {other.text}?", answer=_wide_answer(other, chosen))


def _one_array(chosen: Offer, judge: Judge) -> WhyNot | None:
    """All members in one array."""
    layout = chosen.layout
    members = layout.arrays * layout.members
    if not layout.parity or layout.arrays == 1:
        return None
    if layout.level == "raid6" and members > MOST_RAID6:
        return WhyNot(
            question="Why not one wide array?",
            answer=f"md makes no RAID6 of {members} members: the kernel ends at {MOST_RAID6}.",
        )
    other = judge(replace(layout, members=members, arrays=1))
    if other is None:
        return None
    return WhyNot(question=f"Why not one wide array, {other.text}?", answer=_wide_answer(other, chosen))


def _wide_answer(other: Offer, chosen: Offer) -> str:
    found = f"It holds {compared(other.usable, chosen.usable)}"
    worse = clearly_better(chosen, other)
    parts = []
    if "rebuild" in worse:
        parts.append(f"rebuilds in {hours(other.hours)} in place of {hours(chosen.hours)}")
    if "risk" in worse:
        parts.append(f"loses data more often ({odds(other.loss)} a year in place of {odds(chosen.loss)})")
    if "read" in worse:
        parts.append(f"reads {rate(other.read)} in place of {rate(chosen.read)} ({safe(str(other.read_limit))})")
    if "write" in worse:
        parts.append(f"writes {rate(other.write)} in place of {rate(chosen.write)} ({safe(str(other.write_limit))})")
    return f"{found}, but {listed(parts)}." if parts else f"{found}; in nothing else is it clearly worse."


def _mirrors(chosen: Offer, judge: Judge) -> WhyNot | None:
    """RAID10 over the same members."""
    layout = chosen.layout
    members = layout.arrays * layout.members
    if not layout.parity or members < 4:
        return None
    other = judge(Layout(level="raid10", members=members - members % 2, spares=layout.spares + members % 2))
    if other is None:
        return None
    alike = abs(other.usable / chosen.usable - 1) < 0.01
    room = "as much" if alike else f"{binary_size(other.usable)} in place of {binary_size(chosen.usable)}"
    return WhyNot(
        question=f"Why not RAID10, {other.text}?",
        answer=(
            f"It holds {room}, with a loss of"
            f" {odds(other.loss)} a year in place of {odds(chosen.loss)}, since one failure leaves a single copy. It"
            f" reads {rate(other.read)} and writes {rate(other.write)} in place of {rate(chosen.read)} and"
            f" {rate(chosen.write)}; for small random writes, which are no objective here, it is the better one."
        ),
    )


def _spares(chosen: Offer, judge: Judge, disks: int, assumptions: Assumptions) -> WhyNot | None:
    """More or fewer spares than cover restocking."""
    layout = chosen.layout
    if not layout.survives:
        return None
    enough = spares_wanted(disks, assumptions)
    number = {0: "none is needed in", 1: "one covers"}.get(enough, f"{enough} cover")
    rule = (
        f"With {assumptions.afr * 100:g} % of disks failing a year and {assumptions.restock_days:g} days to restock,"
        f" {number} 99 cases of 100"
    )
    if layout.spares > enough:
        fewer = judge(replace(layout, spares=enough))
        if fewer is None:
            return None
        ways = _as_members(layout, enough)
        return WhyNot(
            question=f"Why {layout.spares} spares and not {enough}?",
            answer=(
                f"{rule}; with that the loss would be {odds(fewer.loss)} a year in place of {odds(chosen.loss)}."
                f" {_others(layout.spares - enough)} no further array of this shape{ways}, and"
                f" {'buys' if layout.spares - enough == 1 else 'buy'} months without a visit."
            ),
        )
    more_spares = judge(replace(layout, spares=layout.spares + 1)) if layout.disks < disks else None
    fits = more_spares is not None and more_spares.usable == chosen.usable
    gain = f"; one more would make the loss {odds(more_spares.loss)} a year" if fits and more_spares else ""
    bare = judge(replace(layout, spares=0)) if layout.spares else None
    without = f" Without any it would be {odds(bare.loss)} in place of {odds(chosen.loss)} a year." if bare else ""
    return WhyNot(
        question={0: "Is no spare enough?", 1: "Is one spare enough?"}.get(
            layout.spares, f"Are {layout.spares} spares enough?"
        ),
        answer=f"{rule}{gain}.{without} Spares shorten the time degraded and do not replace parity.",
    )


def _others(spares: int) -> str:
    return "The other one makes" if spares == 1 else f"The other {spares} make"


def _as_members(layout: Layout, enough: int) -> str:
    """What the spares beyond `enough` could be instead, where it is a layout of another width."""
    wider = (layout.spares - enough) // layout.arrays
    if not layout.parity or not wider:
        return ""
    members = replace(layout, members=layout.members + wider, spares=layout.spares - wider * layout.arrays)
    return f" (though {show(members)} would use them)"


def _stripe(chosen: Offer, constraints: Constraints) -> WhyNot | None:
    """Data disks that are no power of two, against LVM's usual extent."""
    layout = chosen.layout
    data = layout.data
    if not layout.parity or data & (data - 1) == 0:
        return None
    full = constraints.chunk_bytes * data
    below = 1 << (data.bit_length() - 1)
    if layout.arrays > 1 and constraints.stack == "lvm":
        extent = extent_bytes(full)
        handled = (
            f"LVM's usual extent of 4 MiB is no whole number of them, so the plan takes extents of"
            f" {exact_binary(extent)}, the first at {exact_binary(extent)}, and every extent starts on a full stripe."
        )
    else:
        handled = "The file system is told the stripe, and aligns to any width."
    return WhyNot(
        question=f"Is it wrong that {data} data disks are no power of two?",
        answer=(
            f"A full stripe is {exact_binary(full)}. {handled} What stays: writes of a power of two, such as 1 MiB,"
            f" never fill whole stripes by themselves; {below} or {2 * below} data disks would."
        ),
    )
