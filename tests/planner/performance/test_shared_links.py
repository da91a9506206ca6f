"""Capacities of links by hand, and which members are below which link."""

from dataclasses import replace

import pytest

from raidtui.predict.speed.shared_links import (
    SharedLink,
    disk_capacity,
    lane_bytes,
    pcie_bytes,
    shared_links,
    slot_capacity,
)
from raidtui.values.assumptions import DEFAULTS, Assumptions
from raidtui.values.inventory import Disk, DiskPath, Inventory, Multipath, PathState, Place
from tests.planner.pools import MB, SLOT, adapter, disk, shelf, wide_port

GBIT = 10**9


def below(found: tuple[SharedLink, ...]) -> dict[str, tuple[float, ...]]:
    return {str(way.limit): way.below for way in found}


SECOND = "0000:04:00.0"


def path(name: str, controller: str, state: PathState | None = "active", used: bool | None = True) -> DiskPath:
    return DiskPath(
        kernel_name=name, state=state, used=used, place=Place(controller=controller), link_bits_per_s=6 * GBIT
    )


def joined(number: int, *paths: DiskPath) -> Disk:
    return Disk(
        id=f"mpath-{number}", size_bytes=1, transport="sas", place=paths[0].place,
        multipath=Multipath(name=f"mpath{number}", paths=paths, policy="service-time"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("second", "shares", "own_link"),
    [
        (path("sdb", SECOND), {SLOT: 2.0, SECOND: 2.0}, 1104 * MB),  # both carry
        (path("sdb", SECOND, used=False), {SLOT: 4.0}, 552 * MB),  # stands by
        (path("sdb", SECOND, "failed"), {SLOT: 4.0}, 552 * MB),
        (path("sdb", SECOND, "offline"), {SLOT: 4.0}, 552 * MB),
        (path("sdb", SECOND, None, None), {SLOT: 2.0, SECOND: 2.0}, 1104 * MB),  # not known: both may
        (path("sdb", SLOT), {SLOT: 4.0}, 1104 * MB),  # two ports of one controller
    ],
)
def test_a_multipath_disk_loads_the_links_of_the_paths_in_use(
    second: DiskPath, shares: dict[str, float], own_link: float
) -> None:
    disks = tuple(joined(number, path("sda", SLOT), second) for number in range(4))
    inventory = Inventory(
        origin="machine", name="x", disks=disks, controllers=(adapter(), replace(adapter(), pci=SECOND))
    )
    found, hidden = shared_links([disks], inventory, DEFAULTS)
    assert below(found) == {f"PCIe slot {name}": (share,) for name, share in shares.items()}
    assert hidden == ()
    assert disk_capacity(disks[0], None) == pytest.approx(own_link)


def test_members_of_each_array_below_each_link() -> None:
    inventory = shelf(8, expanders=2)
    found, hidden = shared_links([inventory.disks[:3], inventory.disks[3:8]], inventory, DEFAULTS)
    assert below(found) == {
        "expander-0:0": (2, 2),
        "expander-0:1": (1, 3),
        f"PCIe slot {SLOT}": (3, 5),
    }
    assert hidden == ()


def test_a_chain_of_expanders_passes_over_each_port() -> None:
    chain = (wide_port("expander-0:0"), replace(wide_port("expander-0:1", lanes=2), above="expander-0:0"))
    disks = (disk(0, expander="expander-0:0"), disk(1, expander="expander-0:1"), disk(2, expander="expander-0:1"))
    inventory = Inventory(origin="purchase", name="chain", controllers=(adapter(),), links=chain, disks=disks)
    found, _ = shared_links([disks], inventory, DEFAULTS)
    assert below(found) == {
        "expander-0:0": (3,),
        "expander-0:1": (2,),
        f"PCIe slot {SLOT}": (3,),
    }


def test_links_that_lead_in_a_circle_end_somewhere() -> None:
    circle = (
        replace(wide_port("a"), above="b"),
        replace(wide_port("b"), above="a"),
    )
    disks = (disk(0, expander="a"),)
    inventory = Inventory(origin="purchase", name="circle", controllers=(adapter(),), links=circle, disks=disks)
    found, _ = shared_links([disks], inventory, DEFAULTS)
    assert below(found) == {"expander a": (1,), "expander b": (1,), f"PCIe slot {SLOT}": (1,)}


def test_an_expander_that_the_inventory_does_not_describe_is_guessed() -> None:
    disks = (disk(0, expander="expander-9:0"), disk(1, expander="ata3.pmp"))
    found, _ = shared_links(
        [disks], Inventory(origin="purchase", name="x", controllers=(adapter(),), disks=disks), DEFAULTS
    )
    guessed = {str(way.limit): way.capacity.unknown for way in found if way.capacity.unknown}
    assert list(guessed) == ["expander-9:0", "port multiplier ata3.pmp"]


def test_a_link_that_is_said_carries_all_members_and_leaves_nothing_hidden() -> None:
    disks = (disk(0, controller=None), disk(1, controller=None))
    inventory = Inventory(origin="purchase", name="x", disks=disks)
    found, hidden = shared_links([disks[:1], disks[1:]], inventory, Assumptions(link_bytes_per_s=750 * MB))
    assert [(str(way.limit), way.below, way.capacity.point) for way in found] == [("stated link", (1, 1), 750 * MB)]
    assert hidden == ()


@pytest.mark.parametrize(("gbit", "rate"), [(1.5, 150), (3, 300), (6, 600), (12, 1200), (22.5, 2400)])
def test_lanes_of_sata_and_sas(gbit: float, rate: float) -> None:
    assert lane_bytes(int(gbit * GBIT)) == pytest.approx(rate * MB)


@pytest.mark.parametrize(
    ("speed", "width", "raw"), [(2.5, 1, 250), (5, 8, 4000), (8, 8, 7877), (16, 4, 7877), (32, 4, 15754)]
)
def test_pcie_before_headers(speed: float, width: int, raw: float) -> None:
    assert pcie_bytes(speed, width) == pytest.approx(raw * MB, rel=0.0001)


@pytest.mark.parametrize(
    ("speed", "width", "practical"),
    [(2.5, 1, 140), (5, 1, 395), (5, 4, 1580), (5, 8, 3000), (8, 4, 3350), (8, 8, 6695), (16, 4, 6380), (32, 4, 13400)],
)
def test_what_slots_carry(speed: float, width: int, practical: float) -> None:
    found = slot_capacity(adapter(speed=speed, width=width))
    assert found is not None
    assert found.point == pytest.approx(practical * MB, rel=0.002)
    assert found.low <= found.point <= found.high
    assert found.source == "sysfs"
