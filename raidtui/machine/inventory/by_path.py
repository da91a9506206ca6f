"""Disks of a virtual machine that have no names: bound by their path, size, content and attachment."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from raidtui.model.inventory import BY_PATH, Disk, Inventory
from raidtui.model.plan import Act
from raidtui.planner.holds import in_virtual_machine, refusal, without_lost_members


def bound_by_path(inventory: Inventory) -> Inventory:
    """`inventory` where virtio disks without WWN and serial number are known by their link under /dev/disk/by-path.

    Whatever else forbids such a disk still does; nothing is bound where users of the disks could not be read.
    """
    claims = Counter(disk.by_path for disk in inventory.disks)

    def bound(disk: Disk) -> Disk:
        if disk.id or disk.wwn or disk.serial or not disk.by_path or claims[disk.by_path] > 1 or inventory.users_unread:
            return disk
        if not in_virtual_machine(disk):
            return disk
        named = replace(disk, id=f"{BY_PATH}{disk.by_path}", not_selectable=None)
        because = disk.not_selectable or "its content is unknown"
        return replace(named, not_selectable=refusal(named, twin=False, unknown_because=because))

    return replace(inventory, disks=tuple(without_lost_members([bound(disk) for disk in inventory.disks])))


def bound_as(act: Act, inventory: Inventory) -> Inventory:
    """`inventory` as `act` knows its disks: by their paths where it has a disk that only its path names."""
    return bound_by_path(inventory) if any(disk.bound_by_path for disk in act.disks) else inventory
