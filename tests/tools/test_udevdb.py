from raidtui.programs import udevdb

TEXT = """S:disk/by-id/wwn-0x5000c5004c410002
S:disk/by-path/pci-0000:00:05.0-scsi-0:0:0:0
I:28207052
E:ID_SERIAL=35000c5004c410002
E:ID_FS_LABEL_ENC=a\\x3db=c
G:systemd
Q:systemd
V:1
"""


def test_links_and_properties() -> None:
    record = udevdb.parse(TEXT)
    assert record.links == ("disk/by-id/wwn-0x5000c5004c410002", "disk/by-path/pci-0000:00:05.0-scsi-0:0:0:0")
    assert record.properties == {"ID_SERIAL": "35000c5004c410002", "ID_FS_LABEL_ENC": "a\\x3db=c"}


def test_where_records_are() -> None:
    assert udevdb.path("8:16") == "/run/udev/data/b8:16"
    assert udevdb.pci_path("0000:03:00.0") == "/run/udev/data/+pci:0000:03:00.0"


def test_an_empty_record_is_a_record() -> None:
    assert udevdb.parse("") == udevdb.UdevRecord(links=(), properties={})
