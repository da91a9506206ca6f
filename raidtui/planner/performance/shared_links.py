"""The links that members share between disk and memory, and how many members of each array are below each.

The walk goes from a disk over its port multiplier or expanders (and a cable, where the inventory lists one) to its
controller's PCIe slot. A disk's own link is not shared: it bounds the member itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from raidtui.model.assumptions import Assumptions
from raidtui.model.inventory import Disk, Inventory, Link
from raidtui.model.limit import Limit
from raidtui.planner.performance.link_capacity import Capacity, said_capacity, shared_capacity, slot_capacity

ONE_CABLE = 2_208_000_000
"""bytes per second: one SAS 6G cable of four lanes, the least that many disks are hung on"""
CHIPSET = 1_500_000_000
"""bytes per second: what on-board controllers share over DMI 2.0"""
Stage = Literal["port multiplier", "expander", "cable", "PCIe slot", "said link"]
"""the kinds of limits that are shared links"""


@dataclass(frozen=True, slots=True)
class Way:
    """One link and what is below it."""

    limit: Limit
    capacity: Capacity
    below: tuple[int, ...]
    """members of each array below it"""
    both_ways: bool
    """True where reads and writes do not hinder each other"""


@dataclass(frozen=True, slots=True)
class Hidden:
    """Where the inventory does not show a link that must be there."""

    text: str
    """what is not known, in words"""
    least: int
    """bytes per second to reckon with at worst"""
    below: tuple[int, ...]
    """members of each array that it may carry"""


def ways(
    arrays: Sequence[Sequence[Disk]], inventory: Inventory, assumptions: Assumptions
) -> tuple[tuple[Way, ...], tuple[Hidden, ...]]:
    """Every link that the members of `arrays` share, from the disks upwards, and what hides."""
    shared = {link.name: link for link in inventory.links}
    slots = {each.pci: slot for each in inventory.controllers if (slot := slot_capacity(each))}
    below: dict[tuple[Stage, str], list[int]] = {}
    capacities: dict[tuple[Stage, str], Capacity] = {}
    hidden: dict[tuple[str, int], list[int]] = {}
    for number, members in enumerate(arrays):
        for disk in members:
            for stage, name, link in _way_up(disk, shared):
                key = stage, name
                if key not in capacities:
                    capacity = shared_capacity(link, disk.link_bits_per_s) if link else slots.get(name)
                    if capacity is None:
                        continue
                    capacities[key] = capacity
                    below[key] = [0] * len(arrays)
                below[key][number] += 1
            gap = _hidden(disk, slots) if assumptions.link_bytes_per_s is None else None
            if gap:
                hidden.setdefault(gap, [0] * len(arrays))[number] += 1
    found = [_way(*key, capacities[key], counts) for key, counts in below.items()]
    if assumptions.link_bytes_per_s is not None:
        counts = [len(members) for members in arrays]
        found.append(_way("said link", "", said_capacity(assumptions.link_bytes_per_s), counts))
    return tuple(found), tuple(Hidden(*gap, tuple(counts)) for gap, counts in hidden.items())


def sync_link(
    arrays: Sequence[Sequence[Disk]], inventory: Inventory, assumptions: Assumptions, *, busy: int
) -> tuple[float, Limit] | None:
    """Bytes per second that the narrowest link leaves each member while one of `arrays` syncs alone, and that link.

    `busy` members of it take part. None where no link is known that members share. What the admin said of one link is
    not counted here.
    """
    found, _ = ways(arrays, inventory, assumptions)
    shares = [
        (way.capacity.point / min(most, busy), way.limit)
        for way in found
        if way.limit.kind != "said link" and (most := max(way.below))
    ]
    return min(shares, default=None)


def _way(stage: Stage, name: str, capacity: Capacity, below: list[int]) -> Way:
    return Way(Limit(stage, name), capacity, tuple(below), both_ways=stage != "port multiplier")


def _way_up(disk: Disk, shared: dict[str, Link]) -> Iterator[tuple[Stage, str, Link | None]]:
    """Stage, name and description of each link above a disk; None for a PCIe slot, which its controller describes."""
    seen = set()
    name = disk.place.expander
    while name and name not in seen:
        seen.add(name)
        link = shared.get(name) or _undescribed(name)
        yield _stage(link), name, link
        name = link.above
    controller = disk.place.controller
    if controller is None or disk.transport == "nvme":
        return
    if controller in shared:
        yield "cable", controller, shared[controller]
    yield "PCIe slot", controller, None


def _undescribed(name: str) -> Link:
    """What is known of an expander or port multiplier that the inventory has no link of: its kind, by its name."""
    return Link(name=name, kind="port-multiplier" if name.endswith(".pmp") else "expander")


def _stage(link: Link) -> Stage:
    return "port multiplier" if link.kind == "port-multiplier" else link.kind


def _hidden(disk: Disk, slots: dict[str, Capacity]) -> tuple[str, int] | None:
    """What the inventory keeps silent about between the disk and memory, and the least to reckon with."""
    controller = disk.place.controller
    if disk.transport == "nvme":
        return None
    if controller is None:
        return "how the disks are attached; at worst one SAS 6G cable of four lanes, 2.21 GB/s", ONE_CABLE
    if controller not in slots:
        return f"the way of controller {controller} to memory; at worst a chipset's DMI 2.0, 1.50 GB/s", CHIPSET
    return None
