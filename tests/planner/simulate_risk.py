"""Arrays, spares and failures played through event by event, with a seed. Knows nothing of the planner's formulas.

Chunks are laid out disk by disk as md does, failures strike single disks, a rebuild is one pass per array that starts
over when a spare joins, a failed disk is ordered and arrives later. Time is in any unit; rates are per that unit.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from raidtui.values.layout import ArrayShape, Layout


@dataclass(frozen=True)
class World:
    """What is played: `shared` is True where any array may take any spare."""

    layout: Layout
    failure: float
    rebuild_time: float
    restock_time: float
    shared: bool = True
    exponential: bool = True
    """False: every rebuild pass takes exactly `rebuild_time`"""


@dataclass
class Story:
    """What happened until data was lost."""

    time: float
    exhausted: int = 0
    """failures that left some data without a second source"""
    left: list[float] = field(default_factory=list)
    """for each of these the share of the data that no rebuild had restored yet; md restores from the begin on"""


def data_sets(shape: ArrayShape) -> list[tuple[frozenset[int], int]]:
    """Groups of an array's disks, and how many of each group may be missing before its data is gone."""
    disks = range(shape.members)
    if shape.level == "raid10":
        return [(disks_of, len(disks_of) - 1) for disks_of in sorted(set(_copies(shape)), key=sorted)]
    return [(frozenset(disks), shape.members - 1 if shape.level == "raid1" else shape.parity)]


def _copies(shape: ArrayShape) -> Iterator[frozenset[int]]:
    """The disks that hold chunk 0, 1, 2, ... of a RAID10, as md(4) draws them."""
    members, copies = shape.members, shape.copies
    for chunk in range(members * copies):
        match shape.spread:
            case "n":
                yield frozenset((chunk * copies + copy) % members for copy in range(copies))
            case "f" | "o":
                yield frozenset((chunk + copy) % members for copy in range(copies))


@dataclass
class _Array:
    missing: set[int] = field(default_factory=set)
    rebuilding: set[int] = field(default_factory=set)
    begins: float = 0.0
    ends: float = float("inf")


def play(world: World, random: Random, until: float = float("inf")) -> Story:
    """From all disks well and all spares there until the first array is lost, or the time is up."""
    layout = world.layout
    arrays = [_Array() for _ in range(layout.arrays)]
    sets = data_sets(layout.first)
    pools = [layout.spares] if world.shared else [layout.spares_of(number) for number in range(layout.arrays)]
    waiting: list[list[tuple[int, int]]] = [[] for _ in pools]
    arrivals: list[tuple[float, int]] = []
    story = Story(0.0)
    now = 0.0
    while True:
        working = layout.arrays * layout.first.members - sum(len(places) for places in waiting)
        fails = now + random.expovariate(working * world.failure)
        ends = min(array.ends for array in arrays)
        arrives = arrivals[0][0] if arrivals else float("inf")
        now = min(fails, ends, arrives)
        if now > until:
            story.time = until
            return story
        if now == ends:
            done = next(array for array in arrays if array.ends == ends)
            done.missing -= done.rebuilding
            done.rebuilding, done.ends = set(), float("inf")
        elif now == arrives:
            pool = heapq.heappop(arrivals)[1]
            if waiting[pool]:
                place = waiting[pool].pop(random.randrange(len(waiting[pool])))
                _start(arrays[place[0]], place[1], now, world, random)
            else:
                pools[pool] += 1
        else:
            number, disk = _struck(layout, waiting, random)
            array, pool = arrays[number], 0 if world.shared else number
            heapq.heappush(arrivals, (now + random.expovariate(1 / world.restock_time), pool))
            array.rebuilding.discard(disk)
            fresh = disk not in array.missing
            under_way = array.rebuilding and array.rebuilding == array.missing
            left = (array.ends - now) / (array.ends - array.begins) if under_way else 1.0
            array.missing.add(disk)
            if any(len(members & array.missing) > may for members, may in sets):
                story.time = now
                return story
            if fresh:
                struck = sum(disk in members and len(members & array.missing) == may for members, may in sets)
                story.exhausted += struck
                story.left += [left] * struck
            if pools[pool]:
                pools[pool] -= 1
                _start(array, disk, now, world, random)
            else:
                waiting[pool].append((number, disk))
                if not array.rebuilding:
                    array.ends = float("inf")


def _start(array: _Array, disk: int, now: float, world: World, random: Random) -> None:
    """A spare joins: the pass starts over, for all that are to be rebuilt."""
    array.rebuilding.add(disk)
    length = random.expovariate(1 / world.rebuild_time) if world.exponential else world.rebuild_time
    array.begins, array.ends = now, now + length


def _struck(layout: Layout, waiting: list[list[tuple[int, int]]], random: Random) -> tuple[int, int]:
    """A working member at random: what waits for a spare is not there to fail."""
    absent = {place for places in waiting for place in places}
    while True:
        place = random.randrange(layout.arrays), random.randrange(layout.first.members)
        if place not in absent:
            return place
