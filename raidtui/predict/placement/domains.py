"""Failure domains of disks (enclosure, controller, expander, drawer), as far as the inventory knows them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from raidtui.predict.disks.per_disk import PerDisk
from raidtui.values.inventory import Disk
from raidtui.values.layout import ArrayGroup, ArrayShape, Layout
from raidtui.values.location import DomainKind

KINDS: tuple[DomainKind, ...] = ("enclosure", "controller", "expander", "drawer")
"""the gravest first"""

# `drawer 3 slot 04`, `backplane 1 slot 1`: a part that comes out whole or shares one board, then the slot in it.
_DRAWER = re.compile(r"((?:drawer|backplane|tray|sled|cage|module|board|shelf)[\s_-]*\d+)[\s,:/_-]+\S.*", re.IGNORECASE)
_PCI = re.compile(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")


@dataclass(frozen=True, slots=True, eq=False)
class Spot:
    """Where a disk sits among the failure domains: one object for all disks in the same ones. None: in none, or in an
    unknown one.
    """

    enclosure: str | None
    controller: str | None
    """also None where working paths lead to the disk along several, so that it outlives one; so is the expander"""
    expander: str | None
    drawer: str | None
    """within its enclosure"""
    unknown: frozenset[DomainKind]
    """kinds of which its domain is not known; a disk without an expander may be attached to its controller, and not
    every enclosure has drawers"""


def _fields(disk: Disk) -> tuple[str | None, str | None, str | None, str | None, frozenset[DomainKind]]:
    """Those of its `Spot`."""
    place, paths = disk.place, disk.multipath.working if disk.multipath else ()
    controllers, expanders = {path.place.controller for path in paths}, {path.place.expander for path in paths}
    drawer = drawer_of(place.slot or "")
    nowhere: dict[DomainKind, bool] = {
        "enclosure": not place.enclosure,
        "controller": not place.controller,
        "expander": not place.expander and not place.controller,
        "drawer": not place.enclosure and not drawer,
    }
    return (
        place.enclosure or None,
        None if len(controllers) > 1 else place.controller or None,
        None if len(expanders) > 1 else place.expander or None,
        drawer or None,
        frozenset(kind for kind in KINDS if nowhere[kind]),
    )


_ALIKE: dict[tuple[object, ...], Spot] = {}


def _spot(disk: Disk) -> Spot:
    fields = _fields(disk)
    return _ALIKE.setdefault(fields, Spot(*fields))


SPOTS = PerDisk(_spot, like=lambda disk: (disk.place, disk.multipath))
"""the spot of each disk"""


def names_of(spots: Iterable[Spot], kind: DomainKind) -> dict[Spot, str | None]:
    """The name of the domain of that kind at each of `spots`, which are those of all disks; None if it has none or it
    is unknown. A drawer's name includes its enclosure if there are several enclosures.
    """
    found: dict[Spot, str | None] = {spot: getattr(spot, kind) for spot in spots}
    if kind == "drawer" and any(found.values()) and len({spot.enclosure for spot in found}) > 1:
        for spot, drawer in found.items():
            if drawer and spot.enclosure:
                found[spot] = f"{drawer} of {spot.enclosure}"
    return found


def domain_names(disks: Sequence[Disk], kind: DomainKind) -> tuple[str | None, ...]:
    """For each of `disks` the name of its domain of that kind (`names_of`)."""
    spots = SPOTS.each(disks)
    return tuple(map(names_of(spots, kind).__getitem__, spots))


def domain_counts(here: Mapping[Spot, int], kind: DomainKind) -> Counter[str]:
    """Disks in each domain of that kind, of which `here` tells how many are at each spot; in the order of the spots."""
    found: Counter[str] = Counter()
    for spot, name in names_of(here, kind).items():
        if name is not None:
            found[name] += here[spot]
    return found


@lru_cache(maxsize=4096)
def drawer_of(slot: str) -> str:
    """`drawer 3` for `drawer 3 slot 04`; empty if the slot's name contains no drawer."""
    match = _DRAWER.fullmatch(slot)
    return match.group(1) if match is not None else ""


@lru_cache(maxsize=4096)
def natural_key(text: str) -> tuple[tuple[int, str], ...]:
    """Natural sort key: `slot 9` sorts before `slot 10`."""
    return tuple(
        (int(part), "") if part.isdecimal() and part.isascii() else (-1, part)
        for part in re.findall(r"[0-9]+|[^0-9]+", text)
    )


def domain_order(name: str) -> tuple[object, ...]:
    """Sort key for names of domains; PCI addresses are hexadecimal and sort as strings."""
    return (0, name) if _PCI.fullmatch(name) else (1, natural_key(name))


def place_order(disk: Disk) -> tuple[object, ...]:
    """Sort key: enclosure, slot, path to the disk, identity. Unknown places sort last."""
    place = disk.place
    way = (place.enclosure, place.slot, place.controller, place.expander, place.port)
    return (*((part is None, *domain_order(part or "")) for part in way), natural_key(disk.kernel_name), disk.id)


# Counting bound on members per failure domain, and the nearest layout that satisfies it.


_WIDTHS = 64
"""widths that `nearest_surviving` tries, the widest first"""


def max_members_lost(shape: ArrayShape) -> int:
    """Members that an array may lose at once if the planner chooses which ones.

    RAID10 keeps a copy of every chunk while one member of each run of `copies` neighbours remains, so well-placed
    losses may reach all but one in `copies` members.
    """
    if shape.level == "raid10":
        return shape.members - -(-shape.members // shape.copies)
    return shape.survives


def most_lost(layout: Layout) -> int:
    """Members that all arrays together may lose, if the planner chooses which ones."""
    return sum(group.arrays * max_members_lost(group.shape) for group in layout.groups)


def member_capacity(layout: Layout, counts: Sequence[int]) -> int:
    """Members that domains of `counts` disks can supply to all arrays, none more per array than it may lose."""
    cap = most_lost(layout)
    return sum(min(count, cap) for count in counts)


def can_survive(layout: Layout, counts: Sequence[int]) -> bool:
    """True if some placement on domains of `counts` disks survives the loss of any one of them.

    Necessary, since no array may take more of a domain than it may lose; sufficient, since members assigned in the
    order of their domains never put more than the rounded-up average of a domain into one array. Of unequal arrays
    the widest must fit by themselves, for every number of them; of bands the first, which has all disks. Disk sizes and
    other kinds of domain are ignored.
    """
    return all(member_capacity(widest, counts) >= widest.member_disks for widest in _widest_first(layout.whole))


def _widest_first(layout: Layout) -> Iterator[Layout]:
    """The layout itself, and of an unequal one also every number of its widest arrays alone."""
    yield layout
    if layout.unequal:
        shapes = sorted(layout.shapes, key=lambda shape: -shape.members)
        yield from (Layout.joined(shapes[:arrays]) for arrays in range(1, layout.arrays))


def _least_useful(shape: ArrayShape) -> int:
    """Fewest members of an array of its level that is worth building: a RAID6 of three is none."""
    return shape.parity + 2


def widest_surviving(shape: ArrayShape, domains: int) -> int:
    """Members of the widest array of this level that survives the loss of one of `domains`; 0 if there is none.

    Mirrors have no such limit: the array's own width is returned.
    """
    if shape.level in ("raid1", "raid10"):
        return shape.members if domains > 1 else 0
    width = domains * shape.parity
    return width if width >= _least_useful(shape) else 0


def nearest_surviving(layout: Layout, counts: Sequence[int]) -> Layout | None:
    """The surviving layout of the same level with the largest capacity, no wider than `layout` and with its spares.

    RAID10 if the level has none; None if not even that survives. Its arrays are equal.
    """
    narrower = _narrower(layout.widest.shape, layout.spares, counts)
    best = max(narrower, key=lambda other: (other.arrays * other.first.data, other.first.members), default=None)
    if best is not None:
        return best
    room = sum(counts) - layout.spares
    largest = sum(counts) - max(counts, default=0)
    members = min(room // 2, largest) * 2
    pairs = Layout.of(level="raid10", members=max(members, 2), spares=layout.spares)
    return pairs if members >= 2 and can_survive(pairs, counts) else None


def _narrower(shape: ArrayShape, spares: int, counts: Sequence[int]) -> Iterator[Layout]:
    mirrored = shape.level in ("raid1", "raid10")
    least = shape.copies if shape.level == "raid10" else _least_useful(shape)
    start = shape.members if mirrored else min(shape.members, widest_surviving(shape, len(counts)))
    for members in range(start, max(least, start - _WIDTHS) - 1, -1):
        if shape.level == "raid10" and members % shape.copies:
            continue
        narrow = replace(shape, members=members)
        arrays = _most_arrays(narrow, spares, counts)
        if arrays:
            yield Layout(groups=(ArrayGroup(narrow, arrays),), spares=spares)


def _most_arrays(shape: ArrayShape, spares: int, counts: Sequence[int]) -> int:
    """The largest number of arrays that can survive, by bisection: capacity grows slower than demand."""
    below, above = 0, (sum(counts) - spares) // shape.members + 1
    while above - below > 1:
        middle = (below + above) // 2
        if can_survive(Layout(groups=(ArrayGroup(shape, middle),)), counts):
            below = middle
        else:
            above = middle
    return max(below, 0)
