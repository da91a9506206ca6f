"""Capacities of links by hand, and which members are below which link."""

from dataclasses import replace

import pytest

from raidtui.predict.placement.domains import domain_names
from raidtui.predict.speed.shared_links import (
    SharedLink,
    disk_capacity,
    lane_bytes,
    pcie_bytes,
    shared_capacity,
    shared_links,
    slot_capacity,
)
from raidtui.values.assumptions import DEFAULTS, Assumptions
from raidtui.values.inventory import Controller, Disk, DiskPath, Inventory, Link, Multipath, PathState, Place
from tests.planner.pools import MB, SLOT, adapter, disk, shelf, wide_port

GBIT = 10**9


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


def test_a_slot_that_the_bus_does_not_show_has_no_capacity() -> None:
    assert slot_capacity(Controller(pci=SLOT)) is None
    assert slot_capacity(Controller(pci=SLOT, pcie_speed_gts=8.0)) is None


@pytest.mark.parametrize(
    ("link", "practical"),
    [
        (wide_port("a", lanes=4, gbit=6), 2208),
        (wide_port("a", lanes=4, gbit=12), 4416),
        (wide_port("a", lanes=8, gbit=6), 4416),
        (Link(name="a", kind="port-multiplier", lanes=1, bits_per_s=3 * GBIT), 219),
        (Link(name="a", kind="port-multiplier", bits_per_s=6 * GBIT), 438),
    ],
)
def test_what_wide_ports_and_port_multipliers_carry(link: Link, practical: float) -> None:
    found = shared_capacity(link, None)
    assert found.point == pytest.approx(practical * MB)
    assert (found.unknown, found.source) == ("", "sysfs")


def test_what_a_link_hides_is_a_guess_from_half_to_double() -> None:
    found = shared_capacity(wide_port("expander-0:0", lanes=None), 6 * GBIT)
    assert (found.point, found.low, found.high) == pytest.approx((4416 * MB, 2208 * MB, 8832 * MB))
    assert found.source == "guess"
    assert "lanes of expander-0:0" in found.unknown
    nothing = shared_capacity(wide_port("x", lanes=None, gbit=None), 6 * GBIT)
    assert nothing.point == pytest.approx(2208 * MB)
    assert "lanes and line rate of x" in nothing.unknown


def test_a_disks_own_link() -> None:
    sata = Disk(id="x", size_bytes=1, transport="sata", link_bits_per_s=3 * GBIT)
    assert disk_capacity(sata, None) == pytest.approx(276 * MB)
    assert disk_capacity(Disk(id="x", size_bytes=1, transport="sata"), None) is None
    nvme = Disk(id="x", size_bytes=1, transport="nvme", link_bits_per_s=64 * GBIT)
    assert disk_capacity(nvme, adapter(speed=16.0, width=4)) == pytest.approx(6380 * MB, rel=0.001)
    assert disk_capacity(nvme, None) == pytest.approx(6380 * MB, rel=0.001)


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


def test_a_controller_is_no_failure_domain_of_a_disk_that_another_reaches_too() -> None:
    both, one = joined(0, path("sda", SLOT), path("sdb", SECOND, used=False)), joined(1, path("sdc", SLOT))
    lost = joined(2, path("sdd", SLOT), path("sde", SECOND, "failed"))
    assert domain_names((both, one, lost), "controller") == (None, SLOT, SLOT)


def test_members_of_each_array_below_each_link() -> None:
    inventory = shelf(8, expanders=2)
    found, hidden = shared_links([inventory.disks[:3], inventory.disks[3:8]], inventory, DEFAULTS)
    assert below(found) == {
        "expander expander-0:0": (2, 2),
        "expander expander-0:1": (1, 3),
        f"PCIe slot {SLOT}": (3, 5),
    }
    assert hidden == ()


def test_a_chain_of_expanders_passes_over_each_port() -> None:
    chain = (wide_port("expander-0:0"), replace(wide_port("expander-0:1", lanes=2), above="expander-0:0"))
    disks = (disk(0, expander="expander-0:0"), disk(1, expander="expander-0:1"), disk(2, expander="expander-0:1"))
    inventory = Inventory(origin="purchase", name="chain", controllers=(adapter(),), links=chain, disks=disks)
    found, _ = shared_links([disks], inventory, DEFAULTS)
    assert below(found) == {
        "expander expander-0:0": (3,),
        "expander expander-0:1": (2,),
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


def test_cables_of_an_adapter_come_between_expanders_and_slot() -> None:
    cable = Link(name=SLOT, kind="cable", lanes=8, bits_per_s=6 * GBIT)
    inventory = replace(shelf(2), links=(*shelf(2).links, cable))
    found, _ = shared_links([inventory.disks], inventory, DEFAULTS)
    assert [str(way.limit) for way in found] == ["expander expander-0:0", f"cable {SLOT}", f"PCIe slot {SLOT}"]


def test_an_expander_that_the_inventory_does_not_describe_is_guessed() -> None:
    disks = (disk(0, expander="expander-9:0"), disk(1, expander="ata3.pmp"))
    found, _ = shared_links(
        [disks], Inventory(origin="purchase", name="x", controllers=(adapter(),), disks=disks), DEFAULTS
    )
    guessed = {str(way.limit): way.capacity.unknown for way in found if way.capacity.unknown}
    assert list(guessed) == ["expander expander-9:0", "port multiplier ata3.pmp"]


def test_an_nvme_drive_shares_nothing_that_is_looked_at() -> None:
    drive = Disk(id="x", size_bytes=1, transport="nvme", place=Place(controller=SLOT))
    inventory = Inventory(origin="machine", name="x", controllers=(adapter(),), disks=(drive,))
    assert shared_links([(drive,)], inventory, DEFAULTS) == ((), ())


def test_what_hides_is_said_with_the_least_to_reckon_with() -> None:
    lost, chipset = disk(0, controller=None), disk(1, controller="0000:00:17.0")
    inventory = Inventory(
        origin="purchase", name="x", controllers=(Controller(pci="0000:00:17.0"),), disks=(lost, chipset)
    )
    found, hidden = shared_links([(lost, chipset)], inventory, DEFAULTS)
    assert found == ()
    assert [(each.least, each.below) for each in hidden] == [(2_208_000_000, (1,)), (1_500_000_000, (1,))]
    assert "how the disks are attached" in hidden[0].text
    assert "0000:00:17.0" in hidden[1].text


def test_a_link_that_is_said_carries_all_members_and_leaves_nothing_hidden() -> None:
    disks = (disk(0, controller=None), disk(1, controller=None))
    inventory = Inventory(origin="purchase", name="x", disks=disks)
    found, hidden = shared_links([disks[:1], disks[1:]], inventory, Assumptions(link_bytes_per_s=750 * MB))
    assert [(str(way.limit), way.below, way.capacity.point) for way in found] == [("stated link", (1, 1), 750 * MB)]
    assert hidden == ()


def test_sata_carries_one_direction_at_a_time() -> None:
    disks = (disk(0, expander="ata3.pmp"),)
    port = Link(name="ata3.pmp", kind="port-multiplier", lanes=1, bits_per_s=3 * GBIT)
    inventory = Inventory(origin="machine", name="x", controllers=(adapter(),), links=(port,), disks=disks)
    found, _ = shared_links([disks], inventory, DEFAULTS)
    assert [(way.limit.kind, way.both_ways) for way in found] == [("port multiplier", False), ("PCIe slot", True)]
