"""Failure domains of disks (enclosure, controller, expander, drawer), as far as the inventory knows them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, assert_never

from raidtui.model.inventory import Disk, Multipath
from raidtui.model.placement import DomainKind

KINDS: tuple[DomainKind, ...] = ("enclosure", "controller", "expander", "drawer")
"""the gravest first"""

# `drawer 3 slot 04`, `backplane 1 slot 1`: a part that comes out whole or shares one board, then the slot in it.
_DRAWER = re.compile(r"((?:drawer|backplane|tray|sled|cage|module|board|shelf)[\s_-]*\d+)[\s,:/_-]+\S.*", re.IGNORECASE)
_PCI = re.compile(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")


def domain_names(disks: Sequence[Disk], kind: DomainKind) -> tuple[str | None, ...]:
    """For each of `disks` the name of its domain of that kind; None if it has none or it is unknown.

    A drawer's name includes its enclosure if there are several enclosures.
    """
    match kind:
        case "enclosure":
            return tuple([disk.place.enclosure or None for disk in disks])
        case "controller":
            return tuple(
                [
                    None if disk.multipath and _several(disk.multipath, kind) else disk.place.controller or None
                    for disk in disks
                ]
            )
        case "expander":
            return tuple(
                [
                    None if disk.multipath and _several(disk.multipath, kind) else disk.place.expander or None
                    for disk in disks
                ]
            )
        case "drawer":
            drawers = [drawer_of(disk.place.slot or "") for disk in disks]
            if not any(drawers):
                return (None,) * len(drawers)
            several = len({disk.place.enclosure for disk in disks}) > 1
            return tuple([_drawer(*each, several) for each in zip(disks, drawers, strict=True)])
        case _:
            assert_never(kind)


def place_unknown(disk: Disk, kind: DomainKind) -> bool:
    """True if the disk's domain of that kind is unknown.

    A disk without an expander is attached directly to its controller, and not every enclosure has drawers: for
    these kinds only a disk without known controller or enclosure is unknown.
    """
    match kind:
        case "enclosure":
            return not disk.place.enclosure
        case "controller":
            return not disk.place.controller
        case "expander":
            return not disk.place.expander and not disk.place.controller
        case "drawer":
            return not disk.place.enclosure and not drawer_of(disk.place.slot or "")
        case _:
            assert_never(kind)


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


def _several(joined: Multipath, kind: Literal["controller", "expander"]) -> bool:
    """True if working paths lead to the disk along several of them, so that it outlives one."""
    working = joined.working
    return len({path.place.controller if kind == "controller" else path.place.expander for path in working}) > 1


def _drawer(disk: Disk, drawer: str, several: bool) -> str | None:
    if not drawer:
        return None
    return f"{drawer} of {disk.place.enclosure}" if several and disk.place.enclosure else drawer
