"""Links that members share between disk and memory, with the number of members of each array below each link.

The path runs from a disk through its port multiplier or expanders (and a cable, if the inventory lists one) to its
controller's PCIe slot. A disk's own link is not shared: it bounds the member itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from raidtui.model.assumptions import Assumptions
from raidtui.model.inventory import Controller, Disk, Inventory, Link
from raidtui.model.limit import Limit
from raidtui.model.machine_figures import NO_FIGURES, MachineFigures, MeasuredLink
from raidtui.planner.amounts import rate
from raidtui.planner.per_disk import PerDisk
from raidtui.planner.performance.link_capacity import (
    LinkCapacity,
    disk_capacity,
    shared_capacity,
    slot_capacity,
    stated_capacity,
)
from raidtui.planner.performance.measured_links import links_by_limit, updated_capacity
from raidtui.planner.same_again import same_again

ONE_CABLE = 2_208_000_000
"""bytes per second: one SAS 6G cable of four lanes, named where the attachment of disks is unknown"""
CHIPSET = 1_500_000_000
"""bytes per second: DMI 2.0, which on-board controllers share"""
LinkStage = Literal["port multiplier", "expander", "cable", "PCIe slot", "stated link"]
"""the kinds of limits that are shared links"""
_SLOT: LinkStage = "PCIe slot"

_Port = tuple[str | None, tuple[tuple[str | None, str | None, str | None, int | None], ...]]
_Key = tuple[LinkStage, str]
_Above = tuple[_Key, LinkCapacity, float]


@dataclass(frozen=True, slots=True, eq=False)
class Attachment:
    """How a disk is attached, one object for all disks on the same links."""

    own: float | None
    """bytes per second of the disk's own link (`disk_capacity`)"""
    above: tuple[_Above, ...]
    """links above it, each with the share of its requests"""
    gap: tuple[str, int] | None
    """what is unknown of them: text, least bytes a second"""


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
    return link_table(inventory, assumptions).links(arrays)


def link_table(inventory: Inventory, assumptions: Assumptions) -> LinkTable:
    """The links of `inventory`, with what was already looked up for another layout."""
    return _table_of(inventory.controllers, inventory.links, inventory.figures, assumptions.link_bytes_per_s)


class LinkTable:
    """The links of a machine, looked up for the members of many layouts; how a disk is attached is found once."""

    def __init__(
        self,
        controllers: Sequence[Controller],
        links: Sequence[Link],
        figures: MachineFigures | None,
        stated_bytes_per_s: int | None,
    ) -> None:
        """`stated_bytes_per_s`: rate of one link above all disks, which replaces those that are not known."""
        self._stated = stated_bytes_per_s
        self._controllers = {each.pci: each for each in controllers}
        self._shared = {link.name: link for link in links}
        self._measured = links_by_limit(figures or NO_FIGURES)
        guesses: dict[str, LinkCapacity | None] = {limit.name: None for limit in self._measured if limit.kind == _SLOT}
        guesses |= {each.pci: slot_capacity(each) for each in controllers}
        updated = ((name, updated_capacity(guess, self._of_slot(name))) for name, guess in guesses.items())
        self._slots = {name: slot for name, slot in updated if slot is not None}
        self.attachments = PerDisk(self._attached, like=_port)
        self._above = same_again(self._above_all)
        """rates and rebuild of a design ask for the same links"""

    def links(self, arrays: Sequence[Sequence[Disk]]) -> Links:
        """The links above the members of `arrays`."""
        return self._above(self.attachments.of_arrays(arrays))

    def _above_all(self, arrays: tuple[tuple[Attachment, ...], ...]) -> Links:
        counts = {members: tuple(Counter(members).items()) for members in set(arrays)}
        return self.links_of([counts[members] for members in arrays])

    def links_of(self, arrays: Sequence[Sequence[tuple[Attachment, int]]]) -> Links:
        """The links above arrays of which each is given as (attachment, members there)."""
        below: dict[_Key, list[float]] = {}
        capacities: dict[_Key, LinkCapacity] = {}
        unknown: dict[tuple[str, int], list[int]] = {}
        for number, members in enumerate(arrays):
            for attachment, disks in members:
                for key, capacity, share in attachment.above:
                    if key not in capacities:
                        capacities[key] = capacity
                        below[key] = [0] * len(arrays)
                    below[key][number] += disks * share
                if attachment.gap:
                    unknown.setdefault(attachment.gap, [0] * len(arrays))[number] += disks
        found = [_link(*key, capacities[key], counts) for key, counts in below.items()]
        if self._stated is not None:
            counts: list[float] = [sum(disks for _, disks in members) for members in arrays]
            found.append(_link("stated link", "", stated_capacity(self._stated), counts))
        return tuple(found), tuple(UnknownLink(*gap, tuple(counts)) for gap, counts in unknown.items())

    def _attached(self, disk: Disk) -> Attachment:
        ways = disk.ways
        gaps = [_unknown(way, self._slots, self._of_slot(way.place.controller or "")) for way in ways]
        shares: Counter[tuple[_Key, LinkCapacity]] = Counter(above for way in ways for above in self._links_above(way))
        return Attachment(
            own=disk_capacity(disk, self._controllers.get(disk.place.controller or "")),
            above=tuple((*each, paths / len(ways) if paths < len(ways) else 1) for each, paths in shares.items()),
            gap=next(filter(None, gaps), None) if self._stated is None else None,
        )

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


@lru_cache(maxsize=4)
def _table_of(
    controllers: tuple[Controller, ...],
    links: tuple[Link, ...],
    figures: MachineFigures | None,
    stated_bytes_per_s: int | None,
) -> LinkTable:
    return LinkTable(controllers, links, figures, stated_bytes_per_s)


def _port(disk: Disk) -> _Port:
    """What of a disk decides how it is attached."""
    ways = [(way.place.controller, way.place.expander, way.transport, way.link_bits_per_s) for way in disk.ways]
    return disk.place.controller, tuple(ways)


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
