from raidtui.machine.inventory import topology
from raidtui.machine.inventory.topology import Seat
from raidtui.values.inventory import Controller, Link, Place
from tests.machine.answers import Answers, block, tree

HBA = "/sys/devices/pci0000:00/0000:00:03.0/0000:03:00.0"
EXPANDED = f"{HBA}/host0/port-0:0/expander-0:0/port-0:0:12"
SAS = f"../../devices{EXPANDED.removeprefix('/sys/devices')}/end_device-0:0:12/target0:0:12/0:0:12:0/block/sdm"
SAS_PHY = {
    f"{EXPANDED}/phy-0:0:12/uevent": "",
    "/sys/class/sas_phy/phy-0:0:12/negotiated_linkrate": "12.0 Gbit\n",
    "/sys/class/sas_device/end_device-0:0:12/enclosure_identifier": "0x500304801234567f\n",
    "/sys/class/sas_device/end_device-0:0:12/bay_identifier": "7\n",
}


def seat(answers: Answers, name: str, link: str) -> Seat:
    return topology.seats(answers, tree(block(name, "8:0"), ways={name: link}))[name]


def test_sas_behind_an_expander_with_the_bay_that_the_adapter_knows() -> None:
    place = Place(
        controller="0000:03:00.0",
        expander="expander-0:0",
        port="phy-0:0:12",
        enclosure="0x500304801234567f",
        slot="7",
    )
    assert seat(Answers(SAS_PHY), "sdm", SAS) == Seat(place=place, link_bits_per_s=12_000_000_000)


def test_the_bay_that_the_enclosure_names_comes_first() -> None:
    top = "../../devices/pci0000:00/0000:00:03.0/0000:03:00.0/host0/target0:0:24/0:0:24:0/enclosure/0:0:24:0"
    device = f"{EXPANDED}/end_device-0:0:12/target0:0:12/0:0:12:0".removeprefix(f"{HBA}/host0/")
    answers = Answers(
        {**SAS_PHY, "/sys/class/enclosure/0:0:24:0/id": "0x500304801234567f\n"},
        {
            "/sys/class/enclosure/0:0:24:0": top,
            "/sys/class/enclosure/0:0:24:0/Slot 08/device": f"../../../../../{device}",
            "/sys/class/enclosure/0:0:24:0/device": "../../../0:0:24:0",
        },
    )
    place = seat(answers, "sdm", SAS).place
    assert (place.enclosure, place.slot) == ("0x500304801234567f", "Slot 08")


def test_sata_direct_and_behind_a_port_multiplier() -> None:
    port = "/sys/devices/pci0000:00/0000:00:1f.2/ata3"
    direct = Answers({f"{port}/link3/uevent": "", "/sys/class/ata_link/link3/sata_spd": "6.0 Gbps\n"})
    link = "../../devices/pci0000:00/0000:00:1f.2/ata3/host2/target2:0:0/2:0:0:0/block/sdf"
    assert seat(direct, "sdf", link) == Seat(
        place=Place(controller="0000:00:1f.2", port="ata3"), link_bits_per_s=6_000_000_000
    )
    texts = {f"{port}/link3.{channel}/uevent": "" for channel in range(5)}
    multiplied = Answers({**texts, f"{port}/link3/uevent": "", "/sys/class/ata_link/link3.4/sata_spd": "3.0 Gbps\n"})
    behind = "../../devices/pci0000:00/0000:00:1f.2/ata3/host2/target2:4:0/2:4:0:0/block/sdg"
    assert seat(multiplied, "sdg", behind) == Seat(
        place=Place(controller="0000:00:1f.2", expander="ata3.pmp", port="ata3.4"), link_bits_per_s=3_000_000_000
    )


def test_nvme_links_count_all_lanes() -> None:
    pci = "/sys/bus/pci/devices/0000:04:00.0"
    answers = Answers({f"{pci}/current_link_speed": "16.0 GT/s PCIe\n", f"{pci}/current_link_width": "4\n"})
    link = "../../devices/pci0000:00/0000:04:00.0/nvme/nvme0/nvme0n1"
    expected = Seat(place=Place(controller="0000:04:00.0"), link_bits_per_s=64_000_000_000)
    assert seat(answers, "nvme0n1", link) == expected
    shared = Answers(
        {
            f"{pci}/current_link_speed": "16.0 GT/s PCIe\n",
            f"{pci}/current_link_width": "4\n",
            "/sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0/uevent": "",
        },
        {"/sys/class/nvme/nvme0": "../../devices/pci0000:00/0000:04:00.0/nvme/nvme0"},
    )
    assert seat(shared, "nvme0n1", "../../devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1") == expected


def test_a_bus_without_lanes_has_no_width() -> None:
    """A virtual one reports 255, or 0."""
    pci = "0000:04:00.0"
    for width, lanes in (("255", None), ("0", None), ("254", 254), ("1", 1)):
        answers = Answers({f"/sys/bus/pci/devices/{pci}/current_link_width": f"{width}\n"})
        (controller,) = topology.controllers(answers, {"sda": Seat(place=Place(controller=pci), link_bits_per_s=None)})
        assert controller.pcie_width == lanes, width


def test_where_the_driver_hides_everything_nothing_is_invented() -> None:
    assert seat(Answers(), "nbd0", "../../devices/virtual/block/nbd0") == Seat(place=Place(), link_bits_per_s=None)
    link = "../../devices/pci0000:00/0000:00:04.0/virtio1/host0/target0:0:1/0:0:1:0/block/sda"
    assert seat(Answers(), "sda", link) == Seat(place=Place(controller="0000:00:04.0"), link_bits_per_s=None)


def test_a_controller_in_words() -> None:
    pci = "/sys/bus/pci/devices/0000:03:00.0"
    record = "E:ID_VENDOR_FROM_DATABASE=Broadcom / LSI\nE:ID_MODEL_FROM_DATABASE=SAS3008\n"
    answers = Answers(
        {
            **SAS_PHY,
            f"{pci}/current_link_speed": "8.0 GT/s PCIe\n",
            f"{pci}/current_link_width": "4\n",
            f"{pci}/max_link_speed": "8.0 GT/s PCIe\n",
            f"{pci}/max_link_width": "8\n",
            "/run/udev/data/+pci:0000:03:00.0": record,
        },
        {f"{pci}/driver": "../../../../bus/pci/drivers/mpt3sas"},
    )
    seats = topology.seats(answers, tree(block("sdm", "8:192"), ways={"sdm": SAS}))
    assert topology.controllers(answers, seats) == (
        Controller(
            pci="0000:03:00.0",
            driver="mpt3sas",
            name="Broadcom / LSI SAS3008",
            pcie_speed_gts=8.0,
            pcie_width=4,
            pcie_max_speed_gts=8.0,
            pcie_max_width=8,
        ),
    )


def test_wide_ports_of_a_chain_of_expanders() -> None:
    upper, lower = f"{HBA}/host0/port-0:0", f"{HBA}/host0/port-0:0/expander-0:0/port-0:0:24"
    rates = {f"/sys/class/sas_phy/phy-0:{lane}/negotiated_linkrate": "12.0 Gbit\n" for lane in range(4)}
    rates |= {f"/sys/class/sas_phy/phy-0:0:{lane}/negotiated_linkrate": "12.0 Gbit\n" for lane in (24, 25)}
    rates["/sys/class/sas_phy/phy-0:0:25/negotiated_linkrate"] = "6.0 Gbit\n"
    lanes = {f"{upper}/phy-0:{lane}/uevent": "" for lane in range(4)}
    lanes |= {f"{lower}/phy-0:0:{lane}/uevent": "" for lane in (24, 25)}
    tail = "end_device-0:1:3/target0:0:40/0:0:40:0/block/sdx"
    way = f"../../devices{lower.removeprefix('/sys/devices')}/expander-0:1/port-0:1:3/{tail}"
    machine, disks = Answers({**rates, **lanes}), tree(block("sdx", "65:112"), ways={"sdx": way})
    assert topology.links(machine, disks, topology.seats(machine, disks)) == (
        Link(name="expander-0:0", kind="expander", lanes=4, bits_per_s=12_000_000_000),
        Link(name="expander-0:1", kind="expander", lanes=2, bits_per_s=6_000_000_000, above="expander-0:0"),
    )


def test_a_wide_port_that_the_driver_hides_has_no_lanes_rather_than_none_up() -> None:
    answers, disks = Answers(SAS_PHY), tree(block("sdm", "8:192"), ways={"sdm": SAS})
    assert topology.links(answers, disks, topology.seats(answers, disks)) == (
        Link(name="expander-0:0", kind="expander"),
    )


def test_the_host_port_of_a_port_multiplier() -> None:
    port = "/sys/devices/pci0000:00/0000:00:1f.2/ata3"
    texts = {f"{port}/link3/uevent": "", f"{port}/link3.1/uevent": "", f"{port}/link3.2/uevent": ""}
    machine = Answers({**texts, "/sys/class/ata_link/link3/sata_spd": "3.0 Gbps\n"})
    ways = {
        name: f"../../devices/pci0000:00/0000:00:1f.2/ata3/host2/target2:{at}:0/2:{at}:0:0/block/{name}"
        for name, at in (("sdf", 1), ("sdg", 2))
    }
    disks = tree(block("sdf", "8:80"), block("sdg", "8:96"), ways=ways)
    assert topology.links(machine, disks, topology.seats(machine, disks)) == (
        Link(name="ata3.pmp", kind="port-multiplier", lanes=1, bits_per_s=3_000_000_000),
    )
