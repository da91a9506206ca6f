"""Disks of a virtual machine without a serial number, known by where they are attached."""

from dataclasses import replace
from typing import Any

import pytest

from raidtui.machine.inventory.block_tree import bound_by_path
from raidtui.predict.disks.holds import refusal
from raidtui.values.inventory import Disk, Inventory, Use

UNNAMED = Disk(
    id="", size_bytes=10**10, kernel_name="vdb", transport="virtio", by_path="pci-0000:05:00.0", state="blank"
)  # fmt: skip


def bound(*disks: Disk, **machine: Any) -> tuple[Disk, ...]:
    looked = [replace(disk, not_selectable=refusal(disk, twin=False, unknown_because="not read")) for disk in disks]
    return bound_by_path(Inventory(origin="machine", name="host", disks=tuple(looked), **machine)).disks


def test_a_disk_without_names_is_bound_by_its_path() -> None:
    (disk,) = bound(UNNAMED)
    assert (disk.id, disk.path, disk.selectable) == (
        "path-pci-0000:05:00.0", "/dev/disk/by-path/pci-0000:05:00.0", True,
    )  # fmt: skip


@pytest.mark.parametrize(
    "odd",
    [
        {"serial": "unknown"},
        {"wwn": "0x0"},
        {"by_path": None},
        {"transport": "sas", "kernel_name": "sdb"},
        {"id": "VIRTUAL_7", "serial": "7", "by_id": ("virtio-7",)},
    ],
)
def test_another_disk_stays_as_it_is(odd: dict[str, object]) -> None:
    disk = replace(UNNAMED, **odd)  # type: ignore[arg-type]
    looked = replace(disk, not_selectable=refusal(disk, twin=False, unknown_because="not read"))
    assert bound(disk) == (looked,)


def test_two_disks_at_one_path_are_not_bound() -> None:
    assert [disk.id for disk in bound(UNNAMED, replace(UNNAMED, kernel_name="vdc"))] == ["", ""]


def test_nothing_is_bound_where_not_all_users_could_be_read() -> None:
    (disk,) = bound(UNNAMED, users_unread=True)
    assert (disk.id, disk.selectable) == ("", False)


def test_a_disk_that_is_unclear_costs_the_others_nothing() -> None:
    odd = Use(kind="unclear", where="lsblk's row of vdc (there is none)", active=True)
    unclear = replace(UNNAMED, kernel_name="vdc", by_path="pci-0000:06:00.0", uses=(odd,), state="unknown")
    disk, other = bound(UNNAMED, unclear, unread=("lsblk's row of vdc (there is none): ...",))
    assert (disk.id, disk.selectable) == ("path-pci-0000:05:00.0", True)
    assert other.not_selectable == "unclear: lsblk's row of vdc (there is none)"


@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        ({"protected": True, "uses": (Use(kind="system", where="/", active=True),)}, "the running system uses it: /"),
        ({"uses": (Use(kind="mounted", where="/srv", active=True),)}, "in use: mounted at /srv"),
        ({"zoned": "host-managed"}, "a zoned disk (host-managed): md cannot use it"),
        ({"uses": (Use(kind="lvm-pv", where="vg0", active=False),), "state": "content"}, "a physical volume of LVM"),
    ],
)
def test_what_else_forbids_a_disk_still_does(odd: dict[str, object], reason: str) -> None:
    (disk,) = bound(replace(UNNAMED, **odd))  # type: ignore[arg-type]
    assert (disk.not_selectable or "").startswith(reason), disk
