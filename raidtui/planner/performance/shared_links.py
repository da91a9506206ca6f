"""Links that members share between disk and memory, with the number of members of each array below each link.

The path runs from a disk through its port multiplier or expanders (and a cable, if the inventory lists one) to its
controller's PCIe slot. A disk's own link is not shared: it bounds the member itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from raidtui.model.assumptions import Assumptions
from raidtui.model.inventory import Disk, Inventory, Link
from raidtui.model.limit import Limit
from raidtui.planner.performance.link_capacity import LinkCapacity, shared_capacity, slot_capacity, stated_capacity

ONE_CABLE = 2_208_000_000
"""bytes per second: one SAS 6G cable of four lanes, the lower bound for disks with unknown attachment"""
CHIPSET = 1_500_000_000
"""bytes per second: DMI 2.0, which on-board controllers share"""
LinkStage = Literal["port multiplier", "expander", "cable", "PCIe slot", "said link"]
"""the kinds of limits that are shared links"""


@dataclass(frozen=True, slots=True)
class SharedLink:
    """One shared link and the members below it."""

    limit: Limit
    capacity: LinkCapacity
    below: tuple[int, ...]
    """members of each array below it"""
    both_ways: bool
    """True if the link is full duplex"""


@dataclass(frozen=True, slots=True)
class UnknownLink:
    """A link that must exist but is not in the inventory."""

    text: str
    """description of what is unknown, for a user"""
    least: int
    """lower bound of its bandwidth, bytes per second"""
    below: tuple[int, ...]
    """members of each array that may be below it"""


def shared_links(
    arrays: Sequence[Sequence[Disk]], inventory: Inventory, assumptions: Assumptions
) -> tuple[tuple[SharedLink, ...], tuple[UnknownLink, ...]]:
    """Links shared by the members of `arrays`, from the disks upwards, and links that the inventory lacks."""
    shared = {link.name: link for link in inventory.links}
    slots = {each.pci: slot for each in inventory.controllers if (slot := slot_capacity(each))}
    below: dict[tuple[LinkStage, str], list[int]] = {}
    capacities: dict[tuple[LinkStage, str], LinkCapacity] = {}
    unknown: dict[tuple[str, int], list[int]] = {}
    for number, members in enumerate(arrays):
        for disk in members:
            for stage, name, link in _links_above(disk, shared):
                key = stage, name
                if key not in capacities:
                    capacity = shared_capacity(link, disk.link_bits_per_s) if link else slots.get(name)
                    if capacity is None:
                        continue
                    capacities[key] = capacity
                    below[key] = [0] * len(arrays)
                below[key][number] += 1
            gap = _unknown(disk, slots) if assumptions.link_bytes_per_s is None else None
            if gap:
                unknown.setdefault(gap, [0] * len(arrays))[number] += 1
    found = [_link(*key, capacities[key], counts) for key, counts in below.items()]
    if assumptions.link_bytes_per_s is not None:
        counts = [len(members) for members in arrays]
        found.append(_link("said link", "", stated_capacity(assumptions.link_bytes_per_s), counts))
    return tuple(found), tuple(UnknownLink(*gap, tuple(counts)) for gap, counts in unknown.items())


def sync_link(
    arrays: Sequence[Sequence[Disk]], inventory: Inventory, assumptions: Assumptions, *, busy: int
) -> tuple[float, Limit] | None:
    """(bytes per second per member, limit) of the narrowest shared link while one of `arrays` resyncs alone.

    `busy` members of it take part. None if no shared link is known. A link rate in `assumptions` is not included.
    """
    found, _ = shared_links(arrays, inventory, assumptions)
    shares = [
        (link.capacity.point / min(most, busy), link.limit)
        for link in found
        if link.limit.kind != "said link" and (most := max(link.below))
    ]
    return min(shares, default=None)


def _link(stage: LinkStage, name: str, capacity: LinkCapacity, below: list[int]) -> SharedLink:
    return SharedLink(Limit(stage, name), capacity, tuple(below), both_ways=stage != "port multiplier")


def _links_above(disk: Disk, shared: dict[str, Link]) -> Iterator[tuple[LinkStage, str, Link | None]]:
    """(stage, name, link) of each link above a disk; link is None for a PCIe slot, which its controller describes."""
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
    """A stand-in for an expander or port multiplier that the inventory lacks; its kind follows from its name."""
    return Link(name=name, kind="port-multiplier" if name.endswith(".pmp") else "expander")


def _stage(link: Link) -> LinkStage:
    return "port multiplier" if link.kind == "port-multiplier" else link.kind


def _unknown(disk: Disk, slots: dict[str, LinkCapacity]) -> tuple[str, int] | None:
    """Links that the inventory lacks between disk and memory, with a lower bound of their bandwidth."""
    controller = disk.place.controller
    if disk.transport == "nvme":
        return None
    if controller is None:
        return "attachment of the disks; at worst one SAS 6G cable of four lanes, 2.21 GB/s", ONE_CABLE
    if controller not in slots:
        return f"uplink of controller {controller}; at worst a chipset's DMI 2.0, 1.50 GB/s", CHIPSET
    return None
