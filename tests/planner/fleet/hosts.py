"""Inventories of many hosts, made of a shipped chassis: alike, with names and disks of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from raidtui.machine.inventory import shipped
from raidtui.values.inventory import Disk, Inventory, Use
from raidtui.values.target import TargetVersions

TARGET = TargetVersions(kernel="6.1.0-50-amd64", mdadm="4.2", xfsprogs="6.1")


Change = Callable[[Inventory], Inventory]


def rack(count: int, chassis: str = "nas4", changed: Mapping[str, Change] = {}) -> dict[str, Inventory]:
    """`count` hosts, node1 and so on, with the disks of `chassis`, those that are named `changed`."""
    pattern = shipped.load(chassis)
    found = {f"node{number}": _host(pattern, f"node{number}") for number in range(1, count + 1)}
    return {name: changed[name](host) if name in changed else host for name, host in found.items()}


def without_disk(number: int) -> Change:
    """The slot is empty."""
    return lambda host: replace(host, disks=host.disks[:number] + host.disks[number + 1 :])


def with_files(number: int) -> Change:
    """The disk holds a file system."""

    def change(host: Inventory) -> Inventory:
        held = replace(host.disks[number], state="content", uses=(Use(kind="file-system", where="ext4", active=False),))
        return replace(host, disks=(*host.disks[:number], held, *host.disks[number + 1 :]))

    return change


def with_kernel(release: str) -> Change:
    """Another kernel."""

    return lambda host: replace(host, target=replace(TARGET, kernel=release))


def _host(pattern: Inventory, name: str) -> Inventory:
    disks = tuple(_disk(disk, name) for disk in pattern.disks)
    return replace(
        pattern, origin="machine", name=name, target=TARGET, machine_id=name.encode().hex().ljust(32, "0"), disks=disks
    )  # fmt: skip


def _disk(disk: Disk, host: str) -> Disk:
    name = f"{disk.id}-{host}"
    return replace(disk, id=name, wwn=None, serial=f"{disk.serial}{host}", by_id=(name,))
