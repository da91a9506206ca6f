"""udev's database: one file for each device, /run/udev/data/b<major>:<minor> (systemd, sd-device.c).

    S:disk/by-id/wwn-0x5000000000000001
    S:disk/by-path/pci-0000:00:03.0-scsi-0:0:0:0
    I:1203457
    E:ID_SERIAL=0QEMU_QEMU_HARDDISK_SIM-0001
    E:ID_FS_TYPE=ext4
    E:ID_FS_USAGE=filesystem
    E:DM_MULTIPATH_DEVICE_PATH=0
    G:systemd
    V:1

S is a link under /dev, E a property. A file that is not there means that udev never finished with the device.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class UdevRecord:
    """udev's database record of one device."""

    links: tuple[str, ...]
    """links it makes, without /dev/"""
    properties: dict[str, str]
    """ID_FS_TYPE and the like"""


def path(number: str) -> str:
    """The record of the block device `number` (major:minor)."""
    return f"/run/udev/data/b{number}"


def pci_path(address: str) -> str:
    """The record of the PCI device at `address`."""
    return f"/run/udev/data/+pci:{address}"


def parse(text: str) -> UdevRecord:
    """The record in `text`; lines of other kinds are skipped."""
    lines = text.split("\n")
    pairs = (line[2:].partition("=") for line in lines if line.startswith("E:"))
    return UdevRecord(
        links=tuple(line[2:] for line in lines if line.startswith("S:")),
        properties={key: value for key, _, value in pairs},
    )
