import pytest

from raidtui.programs.sysfs import SysfsPath, bits_per_s, expanders, gigatransfers, sysfs_path


def test_sas_behind_an_expander() -> None:
    assert sysfs_path(
        "../../devices/pci0000:00/0000:00:03.0/0000:03:00.0/host0/port-0:0/expander-0:0/port-0:0:12/"
        "end_device-0:0:12/target0:0:12/0:0:12:0/block/sdm"
    ) == SysfsPath(
        pci="0000:03:00.0",
        expander="expander-0:0",
        sas_port="/sys/devices/pci0000:00/0000:00:03.0/0000:03:00.0/host0/port-0:0/expander-0:0/port-0:0:12",
        sas_device="end_device-0:0:12",
        scsi="/sys/devices/pci0000:00/0000:00:03.0/0000:03:00.0/host0/port-0:0/expander-0:0/port-0:0:12/"
        "end_device-0:0:12/target0:0:12/0:0:12:0",
    )


def test_the_port_above_each_expander_of_a_chain() -> None:
    host = "/sys/devices/pci0000:00/0000:00:03.0/0000:03:00.0/host0"
    link = (
        "../../devices/pci0000:00/0000:00:03.0/0000:03:00.0/host0/port-0:0/expander-0:0/port-0:0:24/expander-0:1/"
        "port-0:1:3/end_device-0:1:3/target0:0:40/0:0:40:0/block/sdx"
    )
    assert expanders(link) == (
        ("expander-0:0", f"{host}/port-0:0"),
        ("expander-0:1", f"{host}/port-0:0/expander-0:0/port-0:0:24"),
    )
    assert expanders("../../devices/pci0000:00/0000:04:00.0/nvme/nvme0/nvme0n1") == ()


def test_sata_behind_a_port_multiplier() -> None:
    found = sysfs_path("../../devices/pci0000:00/0000:00:1f.2/ata3/host2/target2:4:0/2:4:0:0/block/sdf")
    assert (found.pci, found.ata_port, found.channel) == (
        "0000:00:1f.2",
        "/sys/devices/pci0000:00/0000:00:1f.2/ata3",
        4,
    )


def test_nvme_and_nvme_with_several_controllers() -> None:
    assert sysfs_path("../../devices/pci0000:00/0000:04:00.0/nvme/nvme0/nvme0n1") == SysfsPath(pci="0000:04:00.0")
    assert sysfs_path("../../devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1") == SysfsPath(
        nvme_subsystem="/sys/devices/virtual/nvme-subsystem/nvme-subsys0"
    )


def test_a_virtual_device_has_no_way() -> None:
    assert sysfs_path("../../devices/virtual/block/dm-0") == SysfsPath()
    assert sysfs_path("") == SysfsPath()


@pytest.mark.parametrize(
    ("text", "rate"),
    [("12.0 Gbit\n", 12_000_000_000), ("6.0 Gbps", 6_000_000_000), ("1.5 Gbps", 1_500_000_000),
     ("<unknown>", None), ("Unknown", None), ("", None), (None, None)],
)  # fmt: skip
def test_link_rates(text: str | None, rate: int | None) -> None:
    assert bits_per_s(text) == rate


@pytest.mark.parametrize(("text", "speed"), [("16.0 GT/s PCIe", 16.0), ("2.5 GT/s", 2.5), ("Unknown", None)])
def test_pcie_speeds(text: str, speed: float | None) -> None:
    assert gigatransfers(text) == speed
