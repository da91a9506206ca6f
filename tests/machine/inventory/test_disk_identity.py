from typing import Any

import pytest

from raidtui.machine.inventory.identity import by_id, by_path, filler, identities, identity, shared, void_names
from raidtui.programs.udevdb import UdevRecord
from raidtui.values.inventory import Disk, sanitised, wwn_digits
from raidtui.values.plan import PlanDisk
from tests.machine.answers import block, tree


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"wwn": "0x5000C50012345678", "model": "M", "serial": "S"}, "wwn-0x5000c50012345678"),
        ({"wwn": "eui.0025388b710116a1", "model": "M", "serial": "S"}, "eui.0025388b710116a1"),
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


def udev(*links: str, **properties: str) -> UdevRecord:
    return UdevRecord(links=tuple(f"disk/by-id/{link}" for link in links), properties=properties)


@pytest.mark.parametrize(
    ("wwn", "record", "name"),
    [
        ("nvme.1b36-31-32-00000001", None, "QEMU_NVMe_Ctrl_S1_1"),
        ("nvme.1b36-31-32-0000000a", None, "QEMU_NVMe_Ctrl_S1_10"),
        (None, udev(ID_NSID="2"), "QEMU_NVMe_Ctrl_S1_2"),
        (None, udev(ID_NSID="\u00b2"), "QEMU_NVMe_Ctrl_S1"),
        (None, None, "QEMU_NVMe_Ctrl_S1"),
        ("eui.0025388b710116a1", udev(ID_NSID="2"), "eui.0025388b710116a1"),
        ("eui.0000000000000000", udev(ID_NSID="1"), "QEMU_NVMe_Ctrl_S1_1"),
    ],
)
def test_a_namespace_without_eui_is_known_by_its_number_too(
    wwn: str | None, record: UdevRecord | None, name: str
) -> None:
    space = block("nvme0n7", "259:7", wwn=wwn, model="QEMU NVMe Ctrl", serial="S1")
    assert identity(space, record) == name


@pytest.mark.parametrize(
    ("record", "name"),
    [
        (udev("ccw-0X5237", "ccw-IBM.750000000DXYZ1.0010.12"), "ccw-IBM.750000000DXYZ1.0010.12"),
        (udev(ID_UID="IBM.750000000KMV41.6100.93"), "ccw-IBM.750000000KMV41.6100.93"),
        (udev("ccw-0X5237"), ""),
        (None, ""),
    ],
)
def test_a_dasd_is_known_by_its_uid_and_not_by_the_label_on_it(record: UdevRecord | None, name: str) -> None:
    assert identity(block("dasda", "94:0", serial="0X5237"), record) == name


ONE_NAME = "0x5000000000000001"


def named(*fields: dict[str, Any], wwn: str = ONE_NAME, **common: Any) -> dict[str, str]:
    """Identities of disks that report one world-wide name."""
    blocks = [block(f"sd{chr(97 + at)}", f"8:{16 * at}", **{"wwn": wwn, "model": "M", **common, **each})
              for at, each in enumerate(fields)]  # fmt: skip
    return identities(tree(*blocks))


@pytest.mark.parametrize(
    ("disks", "names"),
    [
        ([{"serial": "S1"}, {"serial": "S2"}], ["M_S1", "M_S2"]),
        ([{"serial": "S1"}, {"serial": "S2"}, {"serial": "S3"}], ["M_S1", "M_S2", "M_S3"]),
        ([{"serial": "S1"}, {"serial": "S2", "size": 1 << 20}], ["M_S1", "M_S2"]),
        ([{"serial": "S1", "model": "A"}, {"serial": "S1", "model": "B", "size": 1 << 20}], ["A_S1", "B_S1"]),
        ([{"serial": "S1"}, {"serial": None, "size": 1 << 20}], ["M_S1", ""]),
    ],
)  # fmt: skip
def test_a_name_that_other_disks_have_is_void(disks: list[dict[str, Any]], names: list[str]) -> None:
    assert list(named(*disks).values()) == names


@pytest.mark.parametrize(
    "pair",
    [
        [{"serial": "S1"}, {"serial": "S1"}],
        [{"serial": "S1"}, {"serial": "S1", "size": 1 << 20}],  # MODEL_SERIAL says that they are one
        [{"serial": "S1"}, {"serial": None}],
        [{"serial": "S1"}, {"serial": "0000000000"}],
        [{"serial": "S1"}, {"serial": "5000000000000001"}],  # its world-wide name, where lsblk knows no serial number
        [{"serial": "S1"}, {"serial": "35000000000000001"}],
        [{"serial": "ZA1B2C3D"}, {"serial": " za1b2c3d0000C9283NHF "}],  # one of them cut off
    ],
)
def test_what_may_be_one_disk_shares_one_identity(pair: list[dict[str, Any]]) -> None:
    assert len(shared(named(*pair).values())) == 1


def test_a_model_that_ends_with_the_bay_tells_no_disks_of_one_serial_number_apart() -> None:
    bays = [block(f"sd{at}", f"8:{at}", model=f"USB3.0 DISK0{at}", serial="20170331000C3") for at in range(3)]
    other = block("sdz", "8:99", model="USB3.0 DISK01", serial="20170331000C4")
    found = identities(tree(*bays, other))
    assert found == {
        **dict.fromkeys(("sd0", "sd1", "sd2"), "USB3.0_DISK_20170331000C3"), "sdz": "USB3.0_DISK01_20170331000C4",
    }  # fmt: skip


def test_a_disk_apart_from_a_pair_that_may_be_one_has_its_own_identity() -> None:
    found = named({"serial": "S1"}, {"serial": "S1"}, {"serial": "S2"})
    assert found == {"sda": f"wwn-{ONE_NAME}", "sdb": f"wwn-{ONE_NAME}", "sdc": "M_S2"}


@pytest.mark.parametrize(
    ("wwn", "transport"),
    [
        ("0x60080e50001b0d580000a3f14d6e53f5", "sas"),
        ("0x50002ac0001a0032", "fc"),
        ("0x514f0c5e3ca0004b", "iscsi"),
    ],
)
def test_a_lun_is_one_however_its_paths_differ(wwn: str, transport: str) -> None:
    found = named(
        {"serial": "SV10200001"}, {"serial": "SV10200002", "size": 1 << 20}, wwn=wwn, transport=transport
    )  # fmt: skip
    assert set(found.values()) == {f"wwn-{wwn}"}


def test_namespaces_with_one_eui_are_apart_by_serial_number_unless_a_fabric_leads_to_them() -> None:
    spaces = [
        block(f"nvme{at}n1", f"259:{at}", wwn="eui.6479a7298020042c", model="ADATA SX8200PNP", serial=f"2J43203{at}")
        for at in range(2)
    ]
    assert list(identities(tree(*spaces)).values()) == ["ADATA_SX8200PNP_2J432030", "ADATA_SX8200PNP_2J432031"]
    ways = {"nvme0n1": "../../devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1"}
    assert set(identities(tree(*spaces, ways=ways)).values()) == {"eui.6479a7298020042c"}


def test_no_link_is_made_of_a_void_name() -> None:
    links = ("wwn-0x5000000000000001", "scsi-35000000000000001", "usb-WDC_S1-0:0")
    found = tree(
        block("sda", "8:0", wwn=ONE_NAME, serial="S1", model="M"),
        block("sdb", "8:16", wwn=ONE_NAME, serial="S2", model="M"),
        records={"sda": udev(*links), "sdb": udev("usb-WDC_S2-0:1")},
    )
    assert void_names(found) == {"sda", "sdb"}
    assert by_id(found) == {"sda": ("usb-WDC_S1-0:0",), "sdb": ("usb-WDC_S2-0:1",)}


def test_no_link_is_taken_that_moves_to_another_namespace_or_is_a_label_or_no_name_of_udev() -> None:
    found = tree(
        block("nvme0n1", "259:0"),
        block("dasda", "94:0"),
        block("sda", "8:0"),
        records={
            "nvme0n1": udev("nvme-M_S", "nvme-M_S_1", "nvme-eui.1"),
            "dasda": udev("ccw-0X5237", "ccw-IBM.750000000DXYZ1.0010.12"),
            "sda": udev("wwn-0x1/../../sdb", "wwn-0x2 ", "wwn-", "ata-M_S"),
        },
    )
    assert by_id(found) == {
        "nvme0n1": ("nvme-eui.1", "nvme-M_S_1"),
        "dasda": ("ccw-IBM.750000000DXYZ1.0010.12",),
        "sda": ("ata-M_S",),
    }


@pytest.mark.parametrize(
    ("wwn", "digits"), [("0x5000C50012345678", "5000c50012345678"), ("eui.0025", "0025"), (None, ""), ("1b2", "1b2")]
)
def test_digits_of_a_world_wide_name(wwn: str | None, digits: str) -> None:
    assert wwn_digits(wwn) == digits


@pytest.mark.parametrize(
    ("fields", "own"),
    [
        ({"id": "wwn-0x5000c50012345678", "wwn": "0x5000C50012345678", "serial": "S1"}, "0x5000C50012345678"),
        ({"id": "mpath-35000c50012345678", "wwn": "0x5000c50012345678", "serial": "S1"}, "0x5000c50012345678"),
        ({"id": "", "wwn": ONE_NAME, "serial": "S1"}, ONE_NAME),
        ({"id": "M_S1", "wwn": ONE_NAME, "serial": " S1 "}, None),
        ({"id": "M_S1_2", "wwn": "nvme.1b36-31-32-00000002", "serial": "S1"}, None),
        ({"id": "M_S1", "wwn": None, "serial": "S1"}, None),
    ],
)
def test_a_name_that_the_identity_is_not_made_of_is_not_the_disks_own(fields: dict[str, Any], own: str | None) -> None:
    assert Disk(size_bytes=1, **fields).own_wwn == own
    assert PlanDisk(size_bytes=1, logical_sector_bytes=512, path="/dev/x", role="", **fields).own_wwn == own


def test_a_multipath_map_is_named_by_what_its_paths_share() -> None:
    record = UdevRecord(links=(), properties={"DM_UUID": "mpath-35000c50033330001"})
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
            "sda": UdevRecord(links=links, properties={}),
            "sdb": UdevRecord(
                links=("disk/by-id/ata-M_S", "disk/by-id/nvme-M_S", "disk/by-id/nvme-eui.1"), properties={}
            ),
        },
    )
    assert by_id(found) == {"sda": ("wwn-0x1",), "sdb": ("nvme-eui.1", "nvme-M_S")}
    assert by_path(found, "sda") == "pci-1"
    assert by_path(found, "sdb") is None
