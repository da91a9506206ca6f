"""Structure of a machine: its bays, what sits in them and how they are attached, without serial numbers and names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from raidtui.model.inventory import Controller, Disk, Inventory
from raidtui.model.location import Location
from raidtui.model.units import decimal_size, grouped


class BayTraits(NamedTuple):
    """What makes two disks in the same bay alike."""

    model: str
    size: int
    firmware: str
    sector: str
    transport: str
    link: int
    controller: str
    zoned: str


class Wire(NamedTuple):
    """A link that several disks share; its name is an address that no other machine has."""

    kind: str
    lanes: int
    bits_per_s: int


Box = Mapping[str, BayTraits]
"""bay to disk, of one enclosure, or of one expander or controller where enclosures are not known"""


@dataclass(frozen=True, slots=True)
class Structure:
    """What two machines must have in common to be alike."""

    boxes: tuple[Box, ...]
    """in the order of the inventory"""
    controllers: tuple[Controller, ...]
    """by PCI address"""
    wires: tuple[tuple[Wire, int], ...]
    """links and how many of each, in a fixed order"""
    paths: frozenset[str]
    """bays named by a path that no other bay of the machine has, whatever it is in"""

    @property
    def key(self) -> object:
        """Equal for machines that are alike: enclosures have no order, only addresses that differ everywhere."""
        boxes = [tuple(sorted(box.items())) for box in self.boxes]
        return tuple(sorted(boxes)), self.controllers, self.wires


def structure_of(inventory: Inventory) -> Structure:
    """The structure of a machine."""
    boxes: dict[tuple[str | None, ...], dict[str, BayTraits]] = {}
    for disk in inventory.disks:
        place = disk.place
        name = (place.enclosure,) if place.enclosure is not None else (None, place.controller, place.expander)
        box = boxes.setdefault(name, {})
        bay, number = bay_of(disk), 2
        free = bay
        while free in box:  # two disks without a bay of their own
            free, number = f"{bay} ({number})", number + 1
        box[free] = _traits(disk)
    wires = Counter(Wire(link.kind, link.lanes or 0, link.bits_per_s or 0) for link in inventory.links)
    return Structure(
        boxes=tuple(boxes.values()),
        controllers=tuple(sorted(inventory.controllers, key=lambda each: each.pci)),
        wires=tuple(sorted(wires.items())),
        paths=frozenset(bay_of(disk) for disk in inventory.disks if not (disk.place.slot or disk.place.port)),
    )


def bay_of(disk: Disk) -> str:
    """`slot 7`, `drawer 1 slot 07`, `port 3`, a path: where a disk sits, by a name that survives a boot; raw."""
    place = disk.place
    if place.slot:
        return Location.in_plan(place.slot, "").text
    if place.port:
        return f"port {place.port.rpartition(':')[2]}"
    return disk.by_path or (f"address {disk.hctl.partition(':')[2]}" if disk.hctl else "") or "unknown bay"


def trait_text(name: str, value: object) -> str:
    """The value of a trait as text: `2 TB`, `6 Gb/s`, `SN05`; `unknown` where there is none."""
    if not value:
        return "unknown"
    if name == "size" and isinstance(value, int):
        return decimal_size(value)
    if name in ("link", "bits_per_s") and isinstance(value, (int, float)):
        return f"{value / 1e9:g} Gb/s"
    return f"{value:g}" if isinstance(value, float) else str(value)


def differing_texts(name: str, value: object, usual: object) -> tuple[str, str]:
    """Two values of a trait as texts that differ: sizes that are rounded to the same digits to the byte."""
    texts = trait_text(name, value), trait_text(name, usual)
    if texts[0] == texts[1] and isinstance(value, int) and isinstance(usual, int):
        return f"{grouped(value)} bytes", f"{grouped(usual)} bytes"
    return texts


def _traits(disk: Disk) -> BayTraits:
    return BayTraits(
        model=" ".join(part for part in (disk.vendor, disk.model) if part),
        size=disk.size_bytes,
        firmware=disk.firmware or "",
        sector=f"{disk.logical_sector_bytes}/{disk.physical_sector_bytes}",
        transport=disk.transport or "",
        link=disk.link_bits_per_s or 0,
        controller=disk.place.controller or "",
        zoned=disk.zoned,
    )
