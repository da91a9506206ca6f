from typing import Any

import pytest

from raidtui.machine.inventory.disk_identity import by_id, by_path, filler, identity, sanitised, shared
from raidtui.tools.udevdb import Record
from tests.machine.answers import block, tree


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"wwn": "0x5000C50012345678", "model": "M", "serial": "S"}, "wwn-0x5000c50012345678"),
        ({"wwn": "eui.0025388b710116a1", "model": "M", "serial": "S"}, "eui.0025388b710116a1"),
        ({"wwn": "nvme.1b36-31-32-00000001", "model": "QEMU NVMe Ctrl", "serial": "S1"}, "QEMU_NVMe_Ctrl_S1"),
        ({"wwn": "0x0000000000000000", "model": "M", "serial": "S"}, "M_S"),
        ({"wwn": None, "model": "SIM  2000 X", "serial": " AB 12 "}, "SIM_2000_X_AB_12"),
        ({"wwn": None, "model": None, "serial": "S1"}, "S1"),
        ({"wwn": None, "model": "M", "serial": None}, ""),
        ({"wwn": None, "model": "M", "serial": "0000000000"}, ""),
        ({"wwn": "eui.0000000000000000", "model": "M", "serial": "unknown"}, ""),
    ],
)
def test_identity(fields: dict[str, Any], name: str) -> None:
    assert identity(block("sda", "8:0", **fields), None) == name


def test_a_multipath_map_is_named_by_what_its_paths_share() -> None:
    record = Record(links=(), properties={"DM_UUID": "mpath-35000c50033330001"})
    assert identity(block("dm-0", "252:0", kind="mpath"), record) == "mpath-35000c50033330001"
    assert identity(block("dm-0", "252:0", kind="mpath"), None) == ""


@pytest.mark.parametrize(
    "text", ["", "0", "0000", "FFFFFFFF", "0x0", "Unknown", "N/A", "0123456789ABCDEF", "To be filled by O.E.M."]
)
def test_fillers(text: str) -> None:
    assert filler(text)


@pytest.mark.parametrize("text", ["S1", "00A0", "WD-WCC4N0123456", "0x5000c50012345678", "10000000"])
def test_real_serials_are_no_fillers(text: str) -> None:
    assert not filler(text)


def test_sanitised_as_udev_does() -> None:
    assert sanitised("  ST2000 DL004\tHD204UI ") == "ST2000_DL004_HD204UI"
    assert sanitised("a/b'c\"d;e$(f)\x1b[2J\n\u202e") == "a_b_c_d_e__f___2J__"


def test_shared_identities() -> None:
    assert shared(["a", "b", "a", "", ""]) == {"a"}


def test_links_best_first_without_those_of_content_and_of_two_owners() -> None:
    links = (
        "disk/by-id/ata-M_S", "disk/by-id/wwn-0x1", "disk/by-id/lvm-pv-uuid-x", "disk/by-path/pci-1", "disk/by-uuid/u",
    )  # fmt: skip
    found = tree(
        block("sda", "8:0"),
        block("sdb", "8:16"),
        records={
            "sda": Record(links=links, properties={}),
            "sdb": Record(links=("disk/by-id/ata-M_S", "disk/by-id/nvme-M_S", "disk/by-id/nvme-eui.1"), properties={}),
        },
    )
    assert by_id(found) == {"sda": ("wwn-0x1",), "sdb": ("nvme-eui.1", "nvme-M_S")}
    assert by_path(found, "sda") == "pci-1"
    assert by_path(found, "sdb") is None
