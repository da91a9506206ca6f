"""What each member of the arrays reads and writes while users get a rate: md's rules under drivers/md/ of the kernel.

Not counted: superblocks, bitmaps, and what a program's requests become in the page cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from math import ceil, gcd
from operator import add
from typing import Any, NamedTuple

from raidtui.model.ask import MemberLoad
from raidtui.model.layout import Layout
from raidtui.planner.performance.operating_point import ArraySet, MemberRates, SpeedWork, array_rates
from raidtui.planner.performance.raid_level_rates import copies_of, modifies, parity_operations


class MemberShare(NamedTuple):
    """Bytes that one member reads and writes per byte that users get from its array or write to it."""

    read: float = 0.0
    read_low: float = 0.0
    """least and most, where md is free to read another copy"""
    read_high: float = 0.0
    write: float = 0.0


def member_loads(
    array_set: ArraySet, work: SpeedWork, bytes_per_s: float, *, block: int, piece: int | None, alone: bool
) -> tuple[MemberLoad, ...]:
    """The load of each member while all users together get `bytes_per_s` by `work`, array by array.

    `block`: bytes of a user's request; `piece`: bytes of a member's, None where they merge; `alone`: one in flight.
    """
    rates = array_rates(array_set, work)
    active, total = sum(rate > 0 for rate in rates), sum(rates)
    streams = work.streams
    if streams is not None and not array_set.striped:
        streams = ceil(streams / active)
    found = []
    for number, (shape, own, rate) in enumerate(zip(array_set.shapes, array_set.member_rates, rates, strict=True)):
        amount = bytes_per_s * rate / total
        for member, share in enumerate(member_shares(shape, work, own, streams, block, alone=alone)):
            found.append(
                MemberLoad(
                    array=number,
                    member=member,
                    read_bytes_per_s=round(amount * share.read),
                    read_low=round(amount * share.read_low),
                    read_high=round(amount * share.read_high),
                    write_bytes_per_s=round(amount * share.write),
                    reads_per_s=round(amount * share.read / piece) if piece else None,
                    writes_per_s=round(amount * share.write / piece) if piece else None,
                )
            )
    return tuple(found)


def member_shares(
    layout: Layout, work: SpeedWork, rates: MemberRates, streams: int | None, block: int, *, alone: bool
) -> list[MemberShare]:
    """Reads and writes of each member of one array by `work`; the other arguments as in `member_loads`."""
    if work.kind == "write":
        return write_shares(layout, work, block)
    if work.random and not alone:
        streams = None
    return read_shares(layout, streams, rates, alone=alone, random=work.random)


def read_shares(
    layout: Layout, streams: int | None, rates: MemberRates, *, alone: bool = False, random: bool = False
) -> list[MemberShare]:
    """Reads of each member of one array by so many sequential streams; None: enough for all members, or random work.

    Of RAID4 the parity member, the last one, serves none. A mirror serves each stream from one member, and if there
    are enough, all members at their own rate (raid1.c, read_balance). RAID10: `first_copies`, `near_copies`.
    """
    members, copies = layout.members, layout.copies
    few = streams is not None and streams < copies_of(layout)
    if layout.level == "raid4":
        return [*_even(members - 1), MemberShare()]
    if layout.level == "raid1" and not few and rates.serving:
        total = sum(rates.serving)
        return [_exactly(rate / total) for rate in rates.serving]
    if not few or (layout.level == "raid1" and random and rates.rotational):
        return _even(members)
    if layout.level == "raid1":
        if random:
            return [_exactly(1.0), *[MemberShare()] * (members - 1)]
        busy = streams or 1
        return [MemberShare(1 / busy if number < busy else 0.0, 0.0, 1 / busy) for number in range(members)]
    if layout.spread != "n":
        return _even(members)  # lowest address: the first copy (rotating), or least pending
    if alone:
        return [_exactly(share) for share in first_copies(members, copies)]
    likely = near_copies(members, copies) if rates.rotational else [1 / members] * members
    return [MemberShare(share, 0.0, copies / members) for share in likely]


def first_copies(members: int, copies: int) -> list[float]:
    """Share of all chunks of a near layout whose first copy each member has; an idle array reads those.

    Of members with nothing pending md takes the first (raid10.c, read_balance).
    """
    chunks = members // gcd(members, copies)
    places = [number * copies % members for number in range(chunks)]
    return [places.count(member) / chunks for member in range(members)]


def near_copies(members: int, copies: int) -> list[float]:
    """Share of all chunks of a near layout that each rotating member serves to one reader while all are busy.

    md takes the copy nearest to where the member's head was left, the first one if equal (raid10.c, read_balance).
    """
    chunks = members // gcd(members, copies)
    heads, served = [0] * members, [0] * members
    for number in range(2 * chunks):
        places = [divmod(number * copies + copy, members) for copy in range(copies)]
        row, member = min(places, key=lambda place: abs(place[0] - heads[place[1]]))
        heads[member] = row + 1
        served[member] += number >= chunks
    return [count / chunks for count in served]


def write_shares(layout: Layout, work: SpeedWork, block: int) -> list[MemberShare]:
    """Reads and writes of each member of one array per byte written by sequential or by random `work`."""
    members = layout.members
    if not layout.parity:
        return [MemberShare(write=copies_of(layout) / members)] * members
    if not work.random:
        return [MemberShare(write=1 / layout.data)] * members
    request = work.request
    reads, writes = parity_operations(layout, request.chunks)
    moved = request.piece_bytes * request.rows * request.arrays / block
    if layout.level != "raid4":
        return [_exactly(moved * reads / members, moved * writes / members)] * members
    on_parity = int(modifies(layout, request.chunks))
    data = _exactly(moved * (reads - on_parity) / layout.data, moved * (writes - 1) / layout.data)
    return [*[data] * layout.data, _exactly(moved * on_parity, moved)]


def scaled(loads: Sequence[MemberLoad], factor: float) -> tuple[MemberLoad, ...]:
    """The load at another rate."""
    return tuple(_changed(load, lambda value, _: round(value * factor), load) for load in loads)


def added(first: Sequence[MemberLoad], second: Sequence[MemberLoad]) -> tuple[MemberLoad, ...]:
    """Two loads of the same members at once."""
    return tuple(_changed(one, add, two) for one, two in zip(first, second, strict=True))


def _changed(load: MemberLoad, by: Callable[[int, int], int], other: MemberLoad) -> MemberLoad:
    """`load` with every amount that is known changed with that of `other`."""
    amounts: dict[str, Any] = {
        each.name: by(getattr(load, each.name), getattr(other, each.name))
        for each in fields(load)
        if each.name not in ("array", "member") and getattr(load, each.name) is not None
    }
    return replace(load, **amounts)


def _even(members: int) -> list[MemberShare]:
    return [_exactly(1 / members)] * members


def _exactly(read: float, write: float = 0.0) -> MemberShare:
    return MemberShare(read, read, read, write)
