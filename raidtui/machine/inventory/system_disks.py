"""Disks that the running system uses, as whole stacks: no option overrides their protection.

Disks belong together if one device is on both, or if both have a part of the same
array, volume group, pool or file system, running or not.
"""

from __future__ import annotations

from raidtui.machine.inventory import in_use
from raidtui.machine.inventory.block_tree import Tree
from raidtui.machine.inventory.mounts import MountClaims
from raidtui.machine.inventory.reading_log import Noting
from raidtui.machine.ports.host import Host, Look

Keys = frozenset[tuple[str, str]]


def protected(host: Host, tree: Tree, mounted: MountClaims, looks: dict[str, Look]) -> dict[str, str]:
    """Kernel names of the system's disks, with the reason: mount points, swap, or the shared stack."""
    noting = Noting.of(host)
    groups = {name: group for name in tree.blocks if (group := in_use.volume_group(noting, name))}
    keys = {block.name: _stack_keys(tree, block.name, looks.get(block.name), groups) for block in tree.disks}
    found: dict[str, str] = {}
    for name, stack in keys.items():
        paths = [path for _, device in sorted(stack) for path in mounted.system.get(device, ())]
        if paths:
            found[name] = ", ".join(dict.fromkeys(paths))
    while True:
        theirs = frozenset(key for name in found for key in keys[name])
        joined = {name: keys[name] & theirs for name in keys if name not in found and keys[name] & theirs}
        if not joined:
            return found
        for name, common in joined.items():
            found[name] = "shares " + ", ".join(" ".join(key) for key in sorted(common)) + " with the system"


def _stack_keys(tree: Tree, name: str, look: Look | None, groups: dict[str, str]) -> Keys:
    """Keys of everything that the disk `name` is a part of; `groups`: volume groups of running volumes."""
    subtree = tree.subtree(name)
    keys = {("device", device) for device in subtree}
    keys |= {("volume group", groups[device]) for device in subtree if device in groups}
    for found in look.signatures if look else ():
        if found.type == "LVM2_member" and found.uuid:
            keys.add(("volume group", found.uuid.replace("-", "")))
        elif found.type == "zfs_member" and found.label:
            keys.add(("pool", found.label))
        elif found.type == "linux_raid_member":
            keys.add(("array", found.uuid))
    for device in (name, *tree.partitions.get(name, ())):
        keys |= _by_udev_and_lsblk(tree, device)
    return frozenset(keys)


def _by_udev_and_lsblk(tree: Tree, device: str) -> set[tuple[str, str]]:
    """Pieces that udev and lsblk report; they see partitions too."""
    record = tree.records.get(device)
    properties = record.properties if record else {}
    block = tree.blocks.get(device)
    fstype = properties.get("ID_FS_TYPE") or (block.fstype if block else None)
    uuid = properties.get("ID_FS_UUID") or (block.uuid if block else None)
    label = properties.get("ID_FS_LABEL") or (block.label if block else None)
    if fstype == "linux_raid_member" and uuid:
        return {("array", _md_uuid(uuid))}
    if fstype == "btrfs" and uuid:
        return {("file system", uuid)}
    if fstype == "zfs_member" and label:
        return {("pool", label)}
    return set()


def _md_uuid(uuid: str) -> str:
    """libblkid's dashes to md's four groups."""
    plain = uuid.replace("-", "").replace(":", "").lower()
    return ":".join(plain[at : at + 8] for at in range(0, 32, 8))
