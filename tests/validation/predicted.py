"""The shipped model asked for each case: what it expects, its band and the ceiling it names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from raidtui.machine.inventory.shipped import load
from raidtui.model.assumptions import Assumptions
from raidtui.model.design import DEFAULT_CHUNK, Design
from raidtui.model.inventory import Controller, Disk, Inventory, Place
from raidtui.model.limit import MD_THREAD
from raidtui.model.speed import Iops, Throughput
from raidtui.planner.members import dealt
from raidtui.planner.performance import confidence_bands as bands
from raidtui.planner.performance.ceilings import hidden_ceilings
from raidtui.planner.performance.confidence_bands import Band
from raidtui.planner.performance.raid_level_rates import random_write
from raidtui.planner.performance.throughput import WORKS, band_of, setting_of, throughput
from tests.validation.rows import Case, Links, chunks_of

Group = Literal[
    "disks, sequential", "disks, zone not known", "links", "flash, sequential", "flash, parity writes",
    "flash, random reads", "disks, random parity writes",
]  # fmt: skip
GROUPS: tuple[Group, ...] = (
    "disks, sequential", "disks, zone not known", "links", "flash, sequential", "flash, parity writes",
    "flash, random reads", "disks, random parity writes",
)  # fmt: skip
PCIE4_X4 = 64_000_000_000
"""bits per second of four PCIe 4.0 lanes"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A case and what the model says of it, in the case's unit."""

    case: Case
    group: Group
    bottleneck: str
    ceiling: float
    """the lowest ceiling"""
    thread: float | None
    """md's thread, where it is a ceiling"""
    point: float
    low: float
    high: float
    band: Band
    """the factors that are in the three figures"""
    hidden: float | None
    """what a link that the inventory does not show would allow at worst; None where all are shown"""

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

    def with_band(self, band: Band) -> Outcome:
        """The same with other factors: what the model would have said with them."""
        return replace(
            self,
            point=self.point / self.band.point * band.point,
            low=self.low / self.band.low * band.low,
            high=self.high / self.band.high * band.high,
            band=band,
        )


def predicted(case: Case, links: Links | Literal["as said"] = "as said") -> Outcome:
    """The model's answer; `links` overrides what is told of the way to the disks."""
    way: Links = case.links if links == "as said" else links
    design = Design(layout=case.layout, chunk_bytes=case.chunk_bytes or DEFAULT_CHUNK)
    inventory = _inventory(case, way)
    said = Assumptions(
        disk_bytes_per_s=case.disk_bytes_per_s, disk_iops=case.disk_iops, parity_threads=case.parity_threads
    )
    shares = dealt(case.layout, inventory.disks[: case.layout.disks])
    found = throughput(design, shares, inventory, said)
    field = _field(case)
    hidden = hidden_ceilings(setting_of(design, shares, inventory, said, {}), WORKS[field])
    rate = getattr(found, field)
    point = float(rate.iops if isinstance(rate, Iops) else rate.bytes_per_s)
    ceilings = found.explained[field]
    nearer, farther = _zone(case, found)
    wide = _wide(case)
    return Outcome(
        case=case,
        group=_group(case),
        bottleneck=str(ceilings[0].name),
        ceiling=ceilings[0].rate * wide,
        thread=next((float(each.rate) for each in ceilings if each.name == MD_THREAD), None),
        point=point * nearer * wide,
        low=rate.low * farther * wide,
        high=rate.high * wide,
        band=band_of(WORKS[field], rotational=case.rotational, parity=case.layout.parity > 0),
        hidden=min((least for _, least in hidden), default=None),
    )


def _zone(case: Case, found: Throughput) -> tuple[float, float]:
    """Shares of the outer zone's speed to expect and to fear."""
    return (found.mean_share, found.inner_share) if case.zone == "somewhere" else (1.0, 1.0)


def _wide(case: Case) -> float:
    """Requests of several chunks a second over those of one, where the members bind: the level's own rule."""
    if case.work != "rand write" or chunks_of(case) < 2:
        return 1.0
    return random_write(case.layout, 1.0, chunks=chunks_of(case)) / random_write(case.layout, 1.0)


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
        return "flash, random reads"
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


SHIPPED: dict[str, Band] = {name: getattr(bands, name) for name in (
    "DISK_SEQUENTIAL", "FLASH_READ", "FLASH_OTHER_WRITE", "FLASH_PARITY_WRITE", "RANDOM_PARITY_WRITE_FLASH",
    "RANDOM_READ", "RANDOM_OTHER_WRITE", "RANDOM_PARITY_WRITE_DISK", "MD_THREAD", "UNKNOWN_LINK",
)}  # fmt: skip
"""the constants of the model that the fit sets"""
