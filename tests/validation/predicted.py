"""The shipped model asked for each case: what it expects, its band and the ceiling it names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from raidtui.machine.inventory.shipped import load
from raidtui.predict.speed import confidence_bands
from raidtui.predict.speed.ceilings import bounds, hidden_ceilings
from raidtui.predict.speed.confidence_bands import Bound, RateFactor, expected, interval
from raidtui.predict.speed.disk_speed import mean_share
from raidtui.predict.speed.raid_level_rates import PARTIAL_SHARE, STRIPE_CACHE, partial_share, random_write
from raidtui.predict.speed.speed import WORKS, band_of, speed_work
from raidtui.predict.speed.volume import array_set_of
from raidtui.values.assumptions import Assumptions
from raidtui.values.design import DEFAULT_CHUNK, Design
from raidtui.values.inventory import Controller, Disk, Inventory, Place
from raidtui.values.members import disks_by_array
from raidtui.values.speed import MD_THREAD, DiskSpeed
from tests.validation.rows import Case, Links, chunks_of

Group = Literal[
    "disks, sequential", "disks, zone not known", "links", "flash, sequential", "flash, parity writes",
    "flash, random reads", "disks, random reads", "disks, random parity writes",
]  # fmt: skip
GROUPS: tuple[Group, ...] = (
    "disks, sequential", "disks, zone not known", "links", "flash, sequential", "flash, parity writes",
    "flash, random reads", "disks, random reads", "disks, random parity writes",
)  # fmt: skip
PCIE4_X4 = 64_000_000_000
"""bits per second of four PCIe 4.0 lanes"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A case and what the model says of it, in the case's unit."""

    case: Case
    group: Group
    bounds: tuple[Bound, ...]
    """the model's ceilings for the case's work"""
    band: RateFactor
    """of the class of workload"""
    partial: float
    """the worst share under partial-stripe writes"""
    nearer: float
    """share of the outer zone's speed to expect"""
    farther: float
    """share of it to fear"""
    wide: float
    """requests of several chunks a second over those of one"""
    hidden: bool
    """True if the answer names a link that the inventory does not show"""

    @property
    def lowest(self) -> Bound:
        """The lowest ceiling."""
        return min(self.bounds, key=lambda bound: bound.point)

    @property
    def bottleneck(self) -> str:
        """Its name."""
        return str(self.lowest.ceiling.name)

    @property
    def ceiling(self) -> float:
        """Its rate."""
        return self.lowest.point * self.wide

    @property
    def thread(self) -> float | None:
        """md's thread, where it is a ceiling."""
        return next((bound.point for bound in self.bounds if bound.ceiling.name == MD_THREAD), None)

    @property
    def point(self) -> float:
        """What is expected."""
        return self.band.point * expected(self.bounds, self.partial) * self.nearer * self.wide

    @property
    def low(self) -> float:
        """Lower end of the band."""
        return interval(self.bounds, self.band, self.partial)[0] * self.farther * self.wide

    @property
    def high(self) -> float:
        """Upper end."""
        return interval(self.bounds, self.band, self.partial)[1] * self.wide

    @property
    def ratio(self) -> float:
        """Measured over the lowest ceiling: what the bands are fitted to."""
        return self.case.measured / self.ceiling

    @property
    def error(self) -> float:
        """(predicted - measured) / measured."""
        return self.point / self.case.measured - 1

    @property
    def inside(self) -> bool:
        """True when the measurement lies in the band."""
        return self.low <= self.case.measured <= self.high

    def with_band(self, band: RateFactor) -> Outcome:
        """The same with another band: what the model would have said with it."""
        return replace(self, band=band)


def predicted(case: Case, links: Links | Literal["as said"] = "as said") -> Outcome:
    """The model's answer; `links` overrides what is told of the way to the disks."""
    way: Links = case.links if links == "as said" else links
    design = Design(layout=case.layout, chunk_bytes=case.chunk_bytes or DEFAULT_CHUNK, stripe_cache_pages=STRIPE_CACHE)
    inventory = _inventory(case, way)
    said = Assumptions(
        disk_bytes_per_s=case.disk_bytes_per_s, disk_iops=case.disk_iops, parity_threads=case.parity_threads
    )
    shares = disks_by_array(case.layout, inventory.disks[: case.layout.disks])
    field = _field(case)
    array_set = array_set_of(design, shares, inventory, said)
    ask, work = WORKS[field], speed_work(WORKS[field], array_set)
    nearer, farther = _zone(case, array_set.slowest)
    return Outcome(
        case=case,
        group=_group(case),
        bounds=tuple(bounds(array_set, work)),
        band=band_of(ask, rotational=case.rotational, parity=case.layout.parity > 0),
        partial=_partial(case, field, design.chunk_bytes),
        nearer=nearer,
        farther=farther,
        wide=_wide(case),
        hidden=bool(hidden_ceilings(array_set, work)),
    )


def _partial(case: Case, field: str, chunk_bytes: int) -> float:
    """As the model for one writer; also where requests are smaller than a chunk of a parity array."""
    if field == "seq_write_one_stream" and case.layout.parity:
        return partial_share(chunk_bytes)
    short = case.block_bytes is not None and case.block_bytes < chunk_bytes
    return PARTIAL_SHARE if field == "seq_write" and case.layout.parity and short else 1.0


def _zone(case: Case, disk: DiskSpeed) -> tuple[float, float]:
    """Shares of the outer zone's speed to expect and to fear."""
    if case.zone != "somewhere":
        return 1.0, 1.0
    return mean_share(disk.inner_share, disk.middle_share), disk.inner_share


def _wide(case: Case) -> float:
    """Requests of several chunks a second over those of one, where the members bind: the level's own rule."""
    if case.work != "rand write" or chunks_of(case) < 2:
        return 1.0
    return random_write(case.layout.first, 1.0, chunks=chunks_of(case)) / random_write(case.layout.first, 1.0)


def _field(case: Case) -> str:
    """The field of `Throughput` that answers the case; several streams and deep queues are many streams."""
    field = case.work.replace(" ", "_")
    return f"{field}_one_stream" if case.buffered and case.streams == 1 and field.startswith("seq") else field


def _group(case: Case) -> Group:
    if case.links != "not binding":
        return "links"
    if case.work == "rand write":
        return "disks, random parity writes" if case.rotational else "flash, parity writes"
    if case.work == "rand read":
        return "disks, random reads" if case.rotational else "flash, random reads"
    if case.rotational:
        return "disks, zone not known" if case.zone == "somewhere" else "disks, sequential"
    return "flash, parity writes" if case.work == "seq write" and case.layout.parity else "flash, sequential"


def _inventory(case: Case, links: Links) -> Inventory:
    if links == "pod45":
        return load("pod45")
    card = Controller(pci="0000:01:00.0", pcie_speed_gts=5.0, pcie_width=1)
    place = Place(controller=card.pci) if links == "pcie2 x1" else Place()
    disks = tuple(
        Disk(
            id=f"disk {number}",
            size_bytes=2_000_000_000_000,
            rotational=case.rotational,
            rpm=7200 if case.rotational else None,
            transport=case.transport,
            link_bits_per_s=PCIE4_X4 if case.pcie4 else None,
            place=place,
        )
        for number in range(case.layout.disks)
    )
    return Inventory(name=case.name, origin="purchase", controllers=(card,), disks=disks)


SHIPPED: dict[str, RateFactor] = {name: getattr(confidence_bands, name) for name in (
    "DISK_SEQUENTIAL", "FLASH_READ", "FLASH_OTHER_WRITE", "FLASH_PARITY_WRITE", "RANDOM_PARITY_WRITE_FLASH",
    "RANDOM_READ", "RANDOM_READ_DISK", "RANDOM_OTHER_WRITE_DISK", "RANDOM_OTHER_WRITE",
    "RANDOM_PARITY_WRITE_DISK", "MD_THREAD",
)}  # fmt: skip
"""the constants of the model that the fit sets"""
