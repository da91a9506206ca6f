"""Inventories for the speed model: equal disks behind links that a test names."""

from __future__ import annotations

from raidtui.predict.speed.answers import throughput
from raidtui.predict.speed.volume import volume_of
from raidtui.values.assumptions import DEFAULTS, Assumptions
from raidtui.values.design import Design
from raidtui.values.inventory import Controller, Disk, Inventory, Link, Place
from raidtui.values.notation import parse
from raidtui.values.speed import Throughput

TB = 10**12
MB = 10**6
SLOT = "0000:03:00.0"


def disk(number: int, *, expander: str | None = None, controller: str | None = SLOT, speed: int = 285 * MB) -> Disk:
    """A rotating SAS disk of 20 TB and `speed` bytes per second."""
    return Disk(
        id=f"disk-{number:03d}",
        size_bytes=20 * TB,
        rotational=True,
        rpm=7200,
        transport="sas",
        link_bits_per_s=12_000_000_000,
        place=Place(controller=controller, expander=expander),
        sequential_bytes_per_s=speed,
    )


def adapter(pci: str = SLOT, *, speed: float = 8.0, width: int = 8) -> Controller:
    return Controller(pci=pci, pcie_speed_gts=speed, pcie_width=width)


def wide_port(name: str, *, lanes: int | None = 4, gbit: int | None = 12) -> Link:
    return Link(name=name, kind="expander", lanes=lanes, bits_per_s=None if gbit is None else gbit * 10**9)


def shelf(count: int, expanders: int = 1, *, speed: int = 285 * MB, gbit: int = 12, lanes: int = 4) -> Inventory:
    """`count` disks dealt round `expanders`, each on a wide port of its own, all on one PCIe 3.0 x8 adapter."""
    names = [f"expander-0:{number}" for number in range(expanders)]
    return Inventory(
        origin="purchase",
        name="shelf",
        controllers=(adapter(),),
        links=tuple(wide_port(name, lanes=lanes, gbit=gbit) for name in names),
        disks=tuple(disk(number, expander=names[number % expanders], speed=speed) for number in range(count)),
    )


def speed_of(inventory: Inventory, layout: str, **design: object) -> Throughput:
    """Throughput of `layout` on the first disks of `inventory`."""
    shape = parse(layout)
    return headline(Design(layout=shape, **design), inventory)  # type: ignore[arg-type]


def headline(design: Design, inventory: Inventory, said: Assumptions = DEFAULTS) -> Throughput:
    """Throughput of `design` on the first disks of `inventory`."""
    return throughput(volume_of(design, inventory.disks, (), inventory, said))
