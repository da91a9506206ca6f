"""Failure domains of disks (enclosure, controller, expander, drawer), as far as the inventory knows them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from raidtui.model.inventory import Disk
from raidtui.model.placement import DomainKind
from raidtui.planner.per_disk import PerDisk

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


SPOTS = PerDisk(lambda disk: Spot(*_fields(disk)), like=_fields)
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
