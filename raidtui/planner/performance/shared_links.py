"""Links that members share between disk and memory, with the number of members of each array below each link.

The path runs from a disk through its port multiplier or expanders (and a cable, if the inventory lists one) to its
controller's PCIe slot. A disk's own link is not shared: it bounds the member itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from raidtui.model.assumptions import Assumptions
from raidtui.model.inventory import Disk, Inventory, Link
from raidtui.model.limit import Limit
from raidtui.model.machine_figures import NO_FIGURES, MeasuredLink
from raidtui.planner.amounts import rate
from raidtui.planner.performance.link_capacity import LinkCapacity, shared_capacity, slot_capacity, stated_capacity
from raidtui.planner.performance.measured_links import links_by_limit, updated_capacity

ONE_CABLE = 2_208_000_000
"""bytes per second: one SAS 6G cable of four lanes, named where the attachment of disks is unknown"""
CHIPSET = 1_500_000_000
"""bytes per second: DMI 2.0, which on-board controllers share"""
LinkStage = Literal["port multiplier", "expander", "cable", "PCIe slot", "stated link"]
"""the kinds of limits that are shared links"""
_SLOT: LinkStage = "PCIe slot"

_Port = tuple[tuple[str | None, str | None, str | None, int | None], ...]
_Key = tuple[LinkStage, str]
_Above = tuple[_Key, LinkCapacity, float]
Attachment = tuple[tuple[_Above, ...], tuple[str, int] | None]
"""links above a disk, each with the share of its requests, and what is unknown of them: text, least bytes a second"""


@dataclass(frozen=True, slots=True)
class SharedLink:
    """One shared link and the members below it."""

    limit: Limit
    capacity: LinkCapacity
    below: tuple[float, ...]
    """members of each array below it; one with several paths in use counts in part below each"""
    both_ways: bool
    """True if the link is full duplex"""


@dataclass(frozen=True, slots=True)
class UnknownLink:
    """A link that must exist but is not in the inventory."""

    text: str
    """description of what is unknown, for a user"""
    least: int
    """bandwidth of a narrow one, bytes per second"""
    below: tuple[int, ...]
    """members of each array that may be below it"""


Links = tuple[tuple[SharedLink, ...], tuple[UnknownLink, ...]]
"""links shared by the members of some arrays, from the disks upwards, and links that the inventory lacks"""


def shared_links(arrays: Sequence[Sequence[Disk]], inventory: Inventory, assumptions: Assumptions) -> Links:
    """The links above the members of `arrays`."""
    return LinkTable(inventory, assumptions).links(arrays)


class LinkTable:
    """The links of an inventory, looked up for the members of many layouts; what lies above a disk is found once."""

    def __init__(self, inventory: Inventory, assumptions: Assumptions) -> None:
        self._assumptions = assumptions
        self._shared = {link.name: link for link in inventory.links}
        self._measured = links_by_limit(inventory.figures or NO_FIGURES)
        guesses: dict[str, LinkCapacity | None] = {limit.name: None for limit in self._measured if limit.kind == _SLOT}
        guesses |= {each.pci: slot_capacity(each) for each in inventory.controllers}
        updated = ((name, updated_capacity(guess, self._of_slot(name))) for name, guess in guesses.items())
        self._slots = {name: slot for name, slot in updated if slot is not None}
        self._attachments: dict[_Port, Attachment] = {}

    def links(self, arrays: Sequence[Sequence[Disk]]) -> Links:
        """The links above the members of `arrays`."""
        ports = [list(map(_port, members)) for members in arrays]
        found = {
            port: disk
            for own, members in zip(ports, arrays, strict=True)
            for port, disk in zip(own, members, strict=True)
        }
        above = {port: self.attachment(disk) for port, disk in found.items()}
        return self.links_of([[(above[port], count) for port, count in Counter(own).items()] for own in ports])

    def links_of(self, arrays: Sequence[Sequence[tuple[Attachment, int]]]) -> Links:
        """The links above arrays of which each is given as (attachment, members there)."""
        below: dict[_Key, list[float]] = {}
        capacities: dict[_Key, LinkCapacity] = {}
        unknown: dict[tuple[str, int], list[int]] = {}
        for number, members in enumerate(arrays):
            for (above, gap), disks in members:
                for key, capacity, share in above:
                    if key not in capacities:
                        capacities[key] = capacity
                        below[key] = [0] * len(arrays)
                    below[key][number] += disks * share
                if gap:
                    unknown.setdefault(gap, [0] * len(arrays))[number] += disks
        found = [_link(*key, capacities[key], counts) for key, counts in below.items()]
        if self._assumptions.link_bytes_per_s is not None:
            counts: list[float] = [sum(disks for _, disks in members) for members in arrays]
            found.append(_link("stated link", "", stated_capacity(self._assumptions.link_bytes_per_s), counts))
        return tuple(found), tuple(UnknownLink(*gap, tuple(counts)) for gap, counts in unknown.items())

    def attachment(self, disk: Disk) -> Attachment:
        """What lies above `disk`, the same for disks on the same links."""
        port = _port(disk)
        if port not in self._attachments:
            stated = self._assumptions.link_bytes_per_s is not None
            gaps = [_unknown(way, self._slots, self._of_slot(way.place.controller or "")) for way in disk.ways]
            gap = None if stated else next(filter(None, gaps), None)
            shares: Counter[tuple[_Key, LinkCapacity]] = Counter(
                above for way in disk.ways for above in self._links_above(way)
            )
            count = len(disk.ways)
            above = tuple((*each, paths / count if paths < count else 1) for each, paths in shares.items())
            self._attachments[port] = above, gap
        return self._attachments[port]

    def _of_slot(self, controller: str) -> MeasuredLink | None:
        return self._measured.get(Limit(_SLOT, controller))

    def _links_above(self, disk: Disk) -> Iterator[tuple[_Key, LinkCapacity]]:
        for stage, name, link in links_above(disk, self._shared):
            if link is None:
                capacity = self._slots.get(name)
            else:
                guess = shared_capacity(link, disk.link_bits_per_s)
                capacity = updated_capacity(guess, self._measured.get(Limit(stage, name)))
            if capacity is not None:
                yield (stage, name), capacity


def _port(disk: Disk) -> _Port:
    """What of a disk decides which links lie above it."""
    ways = disk.ways if disk.multipath else (disk,)
    return tuple([(way.place.controller, way.place.expander, way.transport, way.link_bits_per_s) for way in ways])


def sync_link(links: Links, *, busy: int) -> tuple[float, Limit] | None:
    """(bytes per second per member, limit) of the narrowest shared link while one of its arrays resyncs alone.

    `busy` members of it take part. None if no shared link is known. A link rate in `assumptions` is not included.
    """
    shares = [
        (link.capacity.point / min(most, busy), link.limit)
        for link in links[0]
        if link.limit.kind != "stated link" and (most := max(link.below))
    ]
    return min(shares, default=None)


def _link(stage: LinkStage, name: str, capacity: LinkCapacity, below: Sequence[float]) -> SharedLink:
    return SharedLink(Limit(stage, name), capacity, tuple(below), both_ways=stage != "port multiplier")


def links_above(disk: Disk, shared: Mapping[str, Link]) -> Iterator[tuple[LinkStage, str, Link | None]]:
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


def _unknown(disk: Disk, slots: dict[str, LinkCapacity], seen: MeasuredLink | None) -> tuple[str, int] | None:
    """Links that the inventory lacks between disk and memory, with a lower bound of their bandwidth.

    `seen`: what the disks of its controller read at once.
    """
    controller = disk.place.controller
    if disk.transport == "nvme":
        return None
    if controller is None:
        return "how the disks are attached; one SAS 6G cable of four lanes carries 2.21 GB/s", ONE_CABLE
    if controller not in slots and seen is not None:
        return f"the uplink of controller {controller}: disks read {rate(seen.bytes_per_s)}", seen.bytes_per_s
    if controller not in slots:
        return f"the uplink of controller {controller}; a chipset's DMI 2.0 carries 1.50 GB/s", CHIPSET
    return None
