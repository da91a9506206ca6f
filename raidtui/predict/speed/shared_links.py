"""Links that members share between disk and memory: their user data rate, and the members of each array below each.

The path runs from a disk through its port multiplier or expanders (and a cable, if the inventory lists one) to its
controller's PCIe slot. A disk's own link is not shared: it bounds the member itself.

Capacity is the line rate less encoding, times the share left after protocol headers and DMA. The shares come from
`link_ceilings.csv` in tests/measured: a point and the range that was measured. PCIe 1.x x1 is from the three cards of
the 45-disk pod (140 MB/s each), PCIe 2.0 x8 from the KIPAC host, a port multiplier is the median of 3G ones with five
disks. SAS, PCIe and NVMe are full duplex, SATA is half duplex. Links whose disks this machine read at once are updated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from raidtui.predict.disks.per_disk import PerDisk
from raidtui.predict.speed.confidence_bands import Belief, cut_off, replaced
from raidtui.values.amounts import rate
from raidtui.values.assumptions import Assumptions
from raidtui.values.inventory import Controller, Disk, Inventory, Link
from raidtui.values.safe import safe
from raidtui.values.speed import NO_FIGURES, CeilingSource, Limit, MachineFigures, MeasuredLink

GBIT = 1_000_000_000
LANES = 4
"""default lanes of an SAS cable and of an expander's upstream port"""
LINE_RATE = 6 * GBIT
"""default bits per second of such a lane"""
_SERIAL_SHARE = 0.92
_MULTIPLIER_SHARE = (0.73, 0.53, 0.93)


@dataclass(frozen=True, slots=True)
class LinkCapacity:
    """User data rate of a link in bytes per second, with the formula it was computed by."""

    point: float
    low: float
    high: float
    source: CeilingSource
    formula: str
    unknown: str = ""
    """inputs that had to be guessed; empty if none"""


def stated_capacity(bytes_per_s: int) -> LinkCapacity:
    """Capacity of a link as stated by the admin (`--link-ceiling`)."""
    return LinkCapacity(bytes_per_s, bytes_per_s, bytes_per_s, "said", "stated")


def lane_bytes(bits_per_s: int) -> float:
    """Bytes per second of one SATA or SAS lane: 8b/10b encoding, 128b/150b above 12G."""
    return bits_per_s * 128 / 150 / 8 if bits_per_s > 12 * GBIT else bits_per_s / 10


def pcie_bytes(gigatransfers: float, lanes: int) -> float:
    """Bytes per second of a PCIe link: 8b/10b encoding up to 5 GT/s, 128b/130b above."""
    coding = 0.8 if gigatransfers <= 5 else 128 / 130
    return gigatransfers * 1e9 * coding / 8 * lanes


def pcie_share(gigatransfers: float, lanes: int) -> tuple[float, float, float]:
    """Share of a PCIe link's rate that is left for data: point, low, high."""
    if gigatransfers <= 2.5:
        return (0.56 if lanes == 1 else 0.75), 0.56, 0.80
    if gigatransfers <= 5:
        return (0.75, 0.62, 0.86) if lanes >= 8 else (0.79, 0.75, 0.86)
    share = 0.81 if gigatransfers == 16 else 0.85
    return share, share, share


def slot_capacity(controller: Controller) -> LinkCapacity | None:
    """Capacity of a controller's PCIe link; None if sysfs does not report it."""
    speed, lanes = controller.pcie_speed_gts, controller.pcie_width
    if speed is None or lanes is None:
        return None
    raw = pcie_bytes(speed, lanes)
    point, low, high = pcie_share(speed, lanes)
    return LinkCapacity(
        raw * point, raw * low, raw * high, "sysfs", f"{speed:g} GT/s x{lanes} = {rate(raw)} x {point:.2f}"
    )


def shared_capacity(link: Link, disk_bits_per_s: int | None) -> LinkCapacity:
    """Capacity of a wide port, a cable or a port multiplier's upstream port.

    Lanes or a line rate that the inventory lacks are guessed, with a band from half to double; `disk_bits_per_s`,
    negotiated by a disk below the link, is the first guess of a lane's rate.
    """
    multiplier = link.kind == "port-multiplier"
    lanes = link.lanes or (1 if multiplier else LANES)
    bits = link.bits_per_s or disk_bits_per_s or LINE_RATE
    point, low, high = _MULTIPLIER_SHARE if multiplier else (_SERIAL_SHARE,) * 3
    raw = lanes * lane_bytes(bits)
    formula = f"x{lanes} at {bits / GBIT:g}G = {rate(raw)} x {point:.2f}"
    hidden = [what for what, value in (("lanes", link.lanes), ("line rate", link.bits_per_s)) if value is None]
    if not hidden or (multiplier and hidden == ["lanes"]):
        return LinkCapacity(raw * point, raw * low, raw * high, "sysfs", formula)
    unknown = f"{' and '.join(hidden)} of {link.name}, assumed {formula}"
    return LinkCapacity(raw * point, raw * low / 2, raw * high * 2, "guess", formula, unknown)


def disk_capacity(disk: Disk, controller: Controller | None) -> float | None:
    """Bytes per second of a disk's own link (NVMe: its PCIe link); None if unknown. Paths in use add up."""
    if disk.transport == "nvme":
        slot = slot_capacity(controller) if controller else None
        if slot is not None:
            return slot.point
        return disk.link_bits_per_s / 8 * (128 / 130) * 0.81 if disk.link_bits_per_s else None
    rates = [way.link_bits_per_s for way in disk.ways]
    return sum(lane_bytes(rate or 0) for rate in rates) * _SERIAL_SHARE if all(rates) else None


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
    """The links of a machine."""

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

    def links(self, arrays: Sequence[Sequence[Disk]]) -> Links:
        """The links above the members of `arrays`."""
        below: dict[_Key, list[float]] = {}
        capacities: dict[_Key, LinkCapacity] = {}
        unknown: dict[tuple[str, int], list[int]] = {}
        for number, members in enumerate(self.attachments.of_arrays(arrays)):
            for attachment, disks in Counter(members).items():
                for key, capacity, share in attachment.above:
                    if key not in capacities:
                        capacities[key] = capacity
                        below[key] = [0] * len(arrays)
                    below[key][number] += disks * share
                if attachment.gap:
                    unknown.setdefault(attachment.gap, [0] * len(arrays))[number] += disks
        found = [_link(*key, capacities[key], counts) for key, counts in below.items()]
        if self._stated is not None:
            counts: list[float] = [len(members) for members in arrays]
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


_table_of = lru_cache(maxsize=4)(LinkTable)


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


def updated_capacity(guess: LinkCapacity | None, found: MeasuredLink | None) -> LinkCapacity | None:
    """The capacity of a link after all its disks were read at once; `guess` is None where its rate was not known."""
    if found is None:
        return guess
    words = f"{len(found.disks)} disks at once on {when(found.day, found.kernel)}"
    if not found.at_least:
        own = replaced(found.bytes_per_s, found.error)
        return LinkCapacity(own.point, own.low, own.high, "measured", f"read by {words}")
    if guess is None:
        return None
    least = found.bytes_per_s / found.error
    own = cut_off(Belief(guess.point, guess.low, guess.high), least)
    if (own.point, own.low, own.high) == (guess.point, guess.low, guess.high):
        return guess
    if guess.source == "sysfs":  # the upper end of what is known of such links stays
        high = max(guess.high, least)
        own = Belief(min(own.point, high), min(own.low, high), min(own.high, high))
    formula = f"{guess.formula}; {words} read more than its lower end"
    return LinkCapacity(own.point, own.low, own.high, guess.source, formula, guess.unknown)


def links_by_limit(figures: MachineFigures) -> dict[Limit, MeasuredLink]:
    """The measured links by name."""
    return {each.limit: each for each in figures.links}


def when(day: str, kernel: str) -> str:
    """`2026-01-31, kernel 6.1.0`; texts of a file, made safe to show."""
    return f"{safe(day)}, kernel {safe(kernel)}" if kernel else safe(day)
