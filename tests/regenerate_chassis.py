"""Writes the simulated chassis under raidtui/chassis/; a test proves the committed files fresh.

    python -m tests.regenerate_chassis

Identities are fictional: world-wide names of the locally assigned kind (NAA 3), serials that begin with SIM.
Only what differs from a field's default is written, a disk on a line.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from raidtui.values.inventory import Controller, Disk, Inventory, Link, Lun, Place

TARGET = Path(__file__).parent.parent / "raidtui" / "chassis"
TWO_TB = 2_000_398_934_016
GBIT = 1_000_000_000


def e2660() -> Inventory:
    """Five drawers of twelve, each with an expander for either host adapter; six disks of a drawer on each."""
    disks = []
    for number in range(60):
        drawer, bay = divmod(number, 12)
        side = bay % 2
        disks.append(
            Disk(
                **scsi_identity("e2660", number),
                size_bytes=TWO_TB,
                kernel_name=kernel_name(number),
                vendor="SIM",
                model="NL2000SAS72",
                firmware="0001",
                rotational=True,
                rpm=7200,
                transport="sas",
                link_bits_per_s=6 * GBIT,
                hctl=f"{side}:0:{number}:0",
                place=Place(
                    controller=("0000:03:00.0", "0000:04:00.0")[side],
                    expander=f"expander-{side}:{drawer}",
                    port=f"phy-{side}:{drawer}:{bay}",
                    enclosure="0x3000000000e26600",
                    slot=f"drawer {drawer + 1} slot {bay + 1:02d}",
                ),
                state="blank",
                sequential_bytes_per_s=130_000_000,
            )
        )
    adapters = tuple(
        Controller(
            pci=pci,
            driver="mpt2sas",
            name="SAS2 host adapter, two mini-SAS 6G ports",
            pcie_speed_gts=5.0,
            pcie_width=8,
            pcie_max_speed_gts=5.0,
            pcie_max_width=8,
        )
        for pci in ("0000:03:00.0", "0000:04:00.0")
    )
    ports = [
        Link(name=f"expander-{side}:{drawer}", kind="expander", lanes=4, bits_per_s=6 * GBIT)
        for side in range(2)
        for drawer in range(5)
    ]
    cables = [Link(name=adapter.pci, kind="cable", lanes=8, bits_per_s=6 * GBIT) for adapter in adapters]
    title = "60 x 2 TB 7200 rpm nearline SAS in 4U, two controllers with two mini-SAS 6G ports each"
    return chassis("e2660", title, adapters, disks, (*ports, *cables))


LUN_BYTES = 7_629_394 * 12 * 256 * 1024
"""12 x 2 TB in whole full stripes; what the controllers keep for themselves is not published"""


def e2660_luns() -> Inventory:
    """The machine of the KIPAC survey: one host adapter, and behind it two controllers that make four LUNs of 12+2.

    The drives are those of `e2660`; of the 60 the system sees none, nor the four spares.
    """
    pci = "0000:03:00.0"
    disks = [
        Disk(
            **scsi_identity("e2660-luns", number),
            size_bytes=LUN_BYTES,
            kernel_name=kernel_name(number),
            vendor="SIM",
            model="HWRAID2660",
            firmware="0784",
            rotational=True,
            transport="sas",
            hctl=f"0:0:{number % 2}:{number}",
            place=Place(controller=pci, enclosure="0x3000000000e2660a", slot=f"LUN {number}"),
            state="blank",
            lun=Lun(data=12, parity=2, chunk_bytes=256 * 1024, drive_bytes_per_s=130_000_000),
        )
        for number in range(4)
    ]
    adapter = Controller(
        pci=pci,
        driver="mpt2sas",
        name="SAS2 host adapter, two mini-SAS 6G ports",
        pcie_speed_gts=5.0,
        pcie_width=8,
        pcie_max_speed_gts=5.0,
        pcie_max_width=8,
    )
    cables = Link(name=pci, kind="cable", lanes=8, bits_per_s=6 * GBIT)
    title = "four LUNs of 12+2 x 2 TB made by two controllers of a 4U array, behind one host adapter"
    return chassis("e2660-luns", title, (adapter,), disks, (cables,))


def pod45() -> Inventory:
    """Nine backplanes of five behind 5:1 port multipliers, three on each of three one-lane SATA cards."""
    disks = []
    for number in range(45):
        backplane, bay = divmod(number, 5)
        card = backplane // 3
        serial = f"SIMPOD{number + 1:04d}"
        disks.append(
            Disk(
                **ata_identity("pod45", number, "ST2000DL004", serial),
                size_bytes=TWO_TB,
                kernel_name=kernel_name(number),
                vendor="ATA",
                firmware="SIM1",
                rotational=True,
                rpm=5400,
                transport="sata",
                link_bits_per_s=3 * GBIT,
                hctl=f"{backplane}:{bay}:0:0",
                place=Place(
                    controller=f"0000:0{card + 2}:00.0",
                    expander=f"ata{backplane + 1}.pmp",
                    port=f"ata{backplane + 1}.{bay}",
                    enclosure="pod45",
                    slot=f"backplane {backplane + 1} slot {bay + 1}",
                ),
                state="blank",
                sequential_bytes_per_s=135_000_000,
            )
        )
    cards = tuple(
        Controller(
            pci=f"0000:0{card + 2}:00.0",
            driver="sata_sil24",
            name="SATA 3G card, PCIe x1",
            pcie_speed_gts=2.5,
            pcie_width=1,
            pcie_max_speed_gts=2.5,
            pcie_max_width=1,
        )
        for card in range(3)
    )
    ports = tuple(
        Link(name=f"ata{number + 1}.pmp", kind="port-multiplier", lanes=1, bits_per_s=3 * GBIT) for number in range(9)
    )
    title = "45 x 2 TB desktop SATA behind nine 5:1 port multipliers on three one-lane cards"
    return chassis("pod45", title, cards, disks, ports)


def nas4() -> Inventory:
    """Four disks of the size whose RAID5 is 11603447232 KiB: exactly so with 64 KiB chunks, 960 KiB less with 512."""
    return onboard("nas4", "4-bay NAS, 4 TB class SATA", [(NAS4_BYTES, None)] * 4, model="SIM4000NAS", rpm=5400)


NAS4_BYTES = (3_867_815_744 * 2 + 264_192) * 512
"""data offset 264192 sectors, then a component of 3867815744 KiB"""


def trio() -> Inventory:
    """One small old disk and two larger ones, all of different speed."""
    sizes = [(250_059_350_016, 95_000_000), (1_000_204_886_016, 110_000_000), (1_000_204_886_016, 112_000_000)]
    return onboard("trio", "a 250 GB disk and two of 1 TB in a desktop", sizes, model="SIM72", rpm=7200)


def jbod84() -> Inventory:
    """84 bays on two host adapters, one expander for each half."""
    disks = []
    for number in range(84):
        side = number // 42
        disks.append(
            Disk(
                **scsi_identity("jbod84", number),
                size_bytes=20_000_588_955_648,
                physical_sector_bytes=4096,
                kernel_name=kernel_name(number),
                vendor="SIM",
                model="NL20000SAS72",
                firmware="0001",
                rotational=True,
                rpm=7200,
                transport="sas",
                link_bits_per_s=12 * GBIT,
                hctl=f"{side}:0:{number % 42}:0",
                place=Place(
                    controller=("0000:41:00.0", "0000:81:00.0")[side],
                    expander=f"expander-{side}:0",
                    port=f"phy-{side}:0:{number % 42}",
                    enclosure="0x3000000000b0d840",
                    slot=f"slot {number + 1:02d}",
                ),
                state="blank",
            )
        )
    adapters = tuple(
        Controller(
            pci=pci,
            driver="mpt3sas",
            name="SAS3 host adapter, 12G",
            pcie_speed_gts=8.0,
            pcie_width=8,
            pcie_max_speed_gts=8.0,
            pcie_max_width=8,
        )
        for pci in ("0000:41:00.0", "0000:81:00.0")
    )
    ports = tuple(Link(name=f"expander-{side}:0", kind="expander", lanes=4, bits_per_s=12 * GBIT) for side in range(2))
    return chassis("jbod84", "84 x 20 TB 12G SAS (512e), two host adapters", adapters, disks, ports)


def nvme24() -> Inventory:
    """24 bays, four PCIe 4.0 lanes to each; an NVMe drive is its own controller, whose Write Zeroes takes 128 KiB."""
    disks, controllers = [], []
    for number in range(24):
        pci = f"0000:{0x81 + number:02x}:00.0"
        eui = f"eui.00000000{number + 1:04x}510000{0xAE24:04x}"
        serial = f"SIMNVME{number + 1:04d}"
        disks.append(
            Disk(
                id=eui,
                wwn=eui,
                serial=serial,
                by_id=(f"nvme-{eui}", f"nvme-SIM7680NVME_{serial}"),
                size_bytes=7_681_501_126_656,
                physical_sector_bytes=4096,
                kernel_name=f"nvme{number}n1",
                model="SIM7680NVME",
                firmware="SIM00001",
                rotational=False,
                transport="nvme",
                link_bits_per_s=64 * GBIT,
                place=Place(controller=pci, enclosure="nvme24", slot=f"bay {number:02d}"),
                write_zeroes_max_bytes=128 * 1024,
                state="blank",
            )
        )
        lanes: dict[str, Any] = {
            "pcie_speed_gts": 16.0,
            "pcie_width": 4,
            "pcie_max_speed_gts": 16.0,
            "pcie_max_width": 4,
        }
        controllers.append(Controller(pci=pci, driver="nvme", **lanes))
    return chassis("nvme24", "24 x 7.68 TB NVMe, four PCIe 4.0 lanes each", tuple(controllers), disks)


def onboard(name: str, title: str, disks: Sequence[tuple[int, int | None]], *, model: str, rpm: int) -> Inventory:
    """Disks on the SATA ports of the main board: pairs of bytes and known sequential bytes per second."""
    pci = "0000:00:17.0"
    return chassis(
        name,
        title,
        (Controller(pci=pci, driver="ahci", name="on-board SATA"),),
        [
            Disk(
                **ata_identity(name, number, model, f"SIM{name.upper()}{number + 1:04d}"),
                size_bytes=size,
                physical_sector_bytes=4096,
                kernel_name=kernel_name(number),
                vendor="ATA",
                firmware="SIM1",
                rotational=True,
                rpm=rpm,
                transport="sata",
                link_bits_per_s=6 * GBIT,
                hctl=f"{number}:0:0:0",
                place=Place(controller=pci, port=f"ata{number + 1}", enclosure=name, slot=f"bay {number + 1}"),
                state="blank",
                sequential_bytes_per_s=speed,
            )
            for number, (size, speed) in enumerate(disks)
        ],
    )


CHASSIS = (e2660, e2660_luns, pod45, nas4, trio, jbod84, nvme24)


def chassis(
    name: str, title: str, controllers: tuple[Controller, ...], disks: list[Disk], links: tuple[Link, ...] = ()
) -> Inventory:
    """A simulated chassis."""
    return Inventory(origin="chassis", name=name, title=title, controllers=controllers, links=links, disks=tuple(disks))


def world_wide_name(name: str, number: int) -> str:
    """A locally assigned one (NAA 3); the chassis is in its digits."""
    return f"0x3{sum(name.encode()):07x}{number + 1:08x}"


def scsi_identity(name: str, number: int) -> dict[str, Any]:
    """Identity of a SAS disk."""
    wwn = world_wide_name(name, number)
    links = (f"wwn-{wwn}", f"scsi-3{wwn.removeprefix('0x')}")
    return {"id": f"wwn-{wwn}", "wwn": wwn, "serial": f"SIM{name.upper()}{number + 1:04d}", "by_id": links}


def ata_identity(name: str, number: int, model: str, serial: str) -> dict[str, Any]:
    """Identity of a SATA disk."""
    wwn = world_wide_name(name, number)
    links = (f"wwn-{wwn}", f"ata-{model}_{serial}")
    return {"id": f"wwn-{wwn}", "wwn": wwn, "serial": serial, "model": model, "by_id": links}


def kernel_name(number: int) -> str:
    """sda ... sdz, sdaa ...: bijective base 26."""
    letters, rest = "", number + 1
    while rest:
        rest, digit = divmod(rest - 1, 26)
        letters = chr(ord("a") + digit) + letters
    return f"sd{letters}"


def sparse(value: Any) -> Any:
    """`value` without the fields that hold their default."""
    if not dataclasses.is_dataclass(value):
        return [sparse(each) for each in value] if isinstance(value, tuple) else value
    kept = ((field.name, field.default, getattr(value, field.name)) for field in dataclasses.fields(value))
    return {name: sparse(each) for name, default, each in kept if each != default or name == "schema"}


def text(inventory: Inventory) -> str:
    """The file's content: a controller, link or disk on a line."""
    document = sparse(dataclasses.replace(inventory, controllers=(), links=(), disks=()))
    head = json.dumps(document)[1:-1]
    listed = {"controllers": inventory.controllers, "links": inventory.links, "disks": inventory.disks}
    tables = [f'"{key}": [\n{_lines(values)}\n]' for key, values in listed.items() if values]
    return "{" + ",\n".join((head, *tables)) + "}\n"


def _lines(values: Sequence[Any]) -> str:
    return ",\n".join(json.dumps(sparse(each)) for each in values)


def files() -> Iterator[tuple[str, str]]:
    """File name and content of every chassis."""
    for make in CHASSIS:
        inventory = make()
        yield f"{inventory.name}.json", text(inventory)


if __name__ == "__main__":
    TARGET.mkdir(exist_ok=True)
    for name, content in files():
        (TARGET / name).write_text(content, encoding="ascii")
