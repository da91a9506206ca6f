"""Content of a disk: leftovers by kind, and its state blank, content or unknown.

A disk is blank if three sources agree: the kernel (no partitions, no holders), udev's record
(no signature, no table), and our own read of both ends and of places between them (all zero). If one source finds
something, the state is content; if one is missing, it is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from raidtui.machine.inventory import capture
from raidtui.machine.inventory.block_tree import Tree
from raidtui.machine.inventory.capture import Noting
from raidtui.machine.inventory.mounts import DeviceClaim, MountClaims
from raidtui.machine.system.device_users import kernel_users
from raidtui.machine.system.ports import Host, Look, Opener
from raidtui.predict.disks.holds import OWNERS
from raidtui.programs import lvm, md
from raidtui.programs.lsblk import BlockDevice
from raidtui.programs.sysfs import word
from raidtui.values.inventory import (
    UNSIGNED_MIDDLE,
    ContentState,
    Multipath,
    OpenedBy,
    Sampled,
    Signature,
    Use,
    UseKind,
)

_KINDS: dict[str, UseKind] = {
    "linux_raid_member": "md-member",
    "LVM2_member": "lvm-pv",
    "LVM1_member": "lvm-pv",
    "zfs_member": "zfs",
    **dict.fromkeys(("crypto_LUKS", "BitLocker", "cs_fvault2"), "dm-crypt"),
    "bcache": "bcache",
    "swap": "swap",
    "mpath_member": "multipath",
    "gpt": "partition-table",
    "gpt-backup": "partition-table",
    "dos": "partition-table",
    **dict.fromkeys(("ext", "xfs", "btrfs", "ntfs", "bcachefs"), "file-system"),
}
"""of signatures; others are kinds by their usage, see `_kind`"""
_USAGES: dict[str, UseKind] = {"filesystem": "file-system", "crypto": "dm-crypt"}
"""libblkid's usage (superblocks.h) of signatures that are not in `_KINDS`"""
_SAYS_NOTHING = frozenset({"read-only", "locked", "exclusive", "system", "loop", "exported", "open", "unclear"})


def leftovers(tree: Tree, name: str, look: Look | None, pools: frozenset[str]) -> tuple[Use, ...]:
    """Content of the disk `name` and its partitions, in use or not. `pools`: mounted ZFS pools."""
    reported = list(_from_udev_and_lsblk(tree, name))
    found = [use for use in _own(look, pools) if not any(_says_more(other, use) for other in reported)]
    kinds = {use.kind for use in found}
    found += [use for use in reported if use.kind not in kinds]
    for part in tree.partitions.get(name, ()):
        number = tree.partition_number(name, part)
        found += [_on_partition(use, part, number, pools) for use in _from_udev_and_lsblk(tree, part)]
        found.append(Use(kind="partition-table", where=part, active=False, partition=number))
    if look is not None and look.zero is False and not found:
        found.append(Use(kind="data", where="bytes that no known signature explains", active=False))
    if look is not None and look.not_zero and not found:
        found.append(Use(kind="data", where=UNSIGNED_MIDDLE, active=False))
    return tuple(dict.fromkeys(found))


def sampled(look: Look) -> Sampled | None:
    """Result of the reads between the ends; None without reads."""
    if not look.places:
        return None
    return Sampled(places=look.places, not_zero=len(look.not_zero), first_offset=next(iter(look.not_zero), None))


_DENIED = ("permission denied", "operation not permitted", "no such file or directory")
"""errors from missing permissions (user, container); any other is an error of the disk"""


def way_to_read(error: str, denied: str) -> str:
    """Hint for a disk that could not be read with `error`; `denied`: the hint if only permissions are missing."""
    return capture.way_to_read("denied" if error in _DENIED else "failed", denied)


def state(tree: Tree, name: str, look: Look | None, uses: tuple[Use, ...], *, kernel_readable: bool) -> ContentState:
    """Blank, content or unknown; `uses` are all uses of the disk, `kernel_readable` that nothing in /sys was denied."""
    if tree.above.get(name) or any(use.kind not in _SAYS_NOTHING for use in uses):
        return "content"
    kernel = kernel_readable and name in tree.ways and "holders" in tree.entries.get(name, ())
    udev = name in tree.records
    ends = look is not None and not look.error and look.zero is True and not look.not_zero
    return "blank" if kernel and udev and ends else "unknown"


def witness_missing(tree: Tree, name: str, look: Look, way_out: str) -> str:
    """Why the state of a disk is unknown; `way_out`: hint for missing permissions."""
    if look.unread:
        return f"its content is unknown ({look.unread}): {way_to_read(look.unread, way_out)}"
    if name not in tree.records:
        return "its content is unknown (udev has no record of it): start udev, then `udevadm trigger --settle`"
    return "its content is unknown (it is missing in /sys): mount /sys"


def _own(look: Look | None, pools: frozenset[str]) -> Iterator[Use]:
    for found in look.signatures if look else ():
        yield Use(
            kind=_kind(found.type, None),
            where=" ".join(part for part in (found.label, found.uuid) if part) or found.type,
            active=found.type == "zfs_member" and found.label in pools,
            signature=Signature(type=found.type, label=found.label or None, uuid=found.uuid or None),
        )


def _says_more(reported: Use, own: Use) -> bool:
    """True if udev or lsblk report the same signature with label and UUID: `ext4 notes 0146...` for our `ext`."""
    if (
        reported.kind != own.kind
        or reported.kind == "partition-table"
        or reported.signature is None
        or own.signature is None
    ):
        return False
    bare = not (own.signature.label or own.signature.uuid)
    return bare and reported.signature.type.startswith(own.signature.type)


def _from_udev_and_lsblk(tree: Tree, name: str) -> Iterator[Use]:
    """Signatures of one device by udev and lsblk; both if they differ."""
    record = tree.records.get(name)
    properties = record.properties if record else {}
    block = tree.blocks.get(name)
    types = {properties.get("ID_FS_TYPE", ""), (block.fstype or "") if block else ""}
    if not any(types) and properties.get("ID_FS_USAGE"):
        types.add(properties["ID_FS_USAGE"])
    if properties.get("ID_FS_AMBIVALENT"):
        types.add("several signatures")
    for fstype in sorted(types - {""}):
        yield _reported_use(_kind(fstype, properties.get("ID_FS_USAGE")), _signature(fstype, block))
    tables = {properties.get("ID_PART_TABLE_TYPE", ""), (block.table or "") if block else ""}
    for table in sorted(tables - {""}) if block and block.type != "part" else ():
        yield _reported_use("partition-table", Signature(type=table))


def _reported_use(kind: UseKind, signature: Signature) -> Use:
    return Use(kind=kind, where=str(signature), active=False, signature=signature)


def _kind(fstype: str, usage: str | None) -> UseKind:
    return _KINDS.get(fstype) or ("signature" if fstype in OWNERS else _USAGES.get(usage or "", "signature"))


def _signature(fstype: str, block: BlockDevice | None) -> Signature:
    return Signature(
        type=fstype, label=(block.label if block else None) or None, uuid=(block.uuid if block else None) or None
    )


def _on_partition(use: Use, part: str, number: int | None, pools: frozenset[str]) -> Use:
    active = use.kind == "zfs" and use.signature is not None and use.signature.label in pools
    return replace(use, where=f"{part} {use.where}", active=active, partition=number)


# Present users of a disk: mounts, swap, md, LVM, dm-crypt, bcache, loop devices, exports, processes, locks.


Uses = dict[str, list[Use]]
_DM: tuple[tuple[str, UseKind], ...] = (("LVM-", "lvm-pv"), ("CRYPT-", "dm-crypt"), ("mpath-", "multipath"))


def active(host: Host, tree: Tree, claims: tuple[DeviceClaim, ...], openers: tuple[Opener, ...] = ()) -> Uses:
    """Users of each device, by kernel name; a whole disk has the users of its subtree."""
    uses, noting = _mounted(tree, claims), Noting.of(host)
    for name, use in (*_held(noting, tree), *_opened(noting, tree, openers), *_of_whole_disks(tree)):
        uses.setdefault(name, []).append(use)
    return uses


def _mounted(tree: Tree, claims: tuple[DeviceClaim, ...]) -> Uses:
    """Mounts and swap of every mount namespace; lsblk's mounts for a device without any."""
    uses: Uses = {}
    for claim in claims:
        kind: UseKind = "swap" if claim.kind == "swap" else "mounted"
        if claim.kind != "zfs":
            uses.setdefault(claim.device, []).append(Use(kind=kind, where=claim.where, active=True))
    for block in tree.blocks.values():
        if block.mount_point and block.name not in uses:
            kind = "swap" if block.mount_point == "[SWAP]" else "mounted"
            uses[block.name] = [Use(kind=kind, where=block.mount_point, active=True)]
    return uses


def _held(host: Noting, tree: Tree) -> Iterator[tuple[str, Use]]:
    """Members of running arrays, then devices with another holder."""
    # a partition of a multipath map is a device of kpartx on it
    known = {
        (name, part)
        for name, parts in tree.partitions.items()
        for part in parts
        if tree.partition_number(name, part) is not None
    }
    for array in md.parse(host.text("/proc/mdstat") or ""):
        for member in array.members:
            yield member, Use(kind="md-member", where=array.words, active=True)
            known.add((member, array.name))
    for lower, uppers in tree.above.items():
        for upper in uppers:
            if (lower, upper) not in known:
                block = tree.blocks.get(upper)
                yield lower, _holder(host, upper, is_map=block is not None and block.type == "mpath")


def _opened(host: Noting, tree: Tree, openers: tuple[Opener, ...]) -> Iterator[tuple[str, Use]]:
    """Devices that a process writes to or the kernel uses."""
    names = tree.by_number()
    for opener in openers:
        if opener.writing and (name := names.get(opener.number)):
            yield name, Use(kind="open", where=opener.by, active=True)
    for path, use in kernel_users(host):
        if name := names.get(host.number(path) or ""):
            yield name, use


def _of_whole_disks(tree: Tree) -> Iterator[tuple[str, Use]]:
    for block in tree.disks:
        if "bcache" in tree.entries.get(block.name, ()):
            yield block.name, Use(kind="bcache", where="bcache", active=True)
        if block.read_only:
            yield block.name, Use(kind="read-only", where="the kernel refuses writes", active=True)


def of_disk(tree: Tree, uses: Uses, name: str, look: Look | None, opened: tuple[OpenedBy, ...] = ()) -> tuple[Use, ...]:
    """The active uses of the disk `name` and of everything on it, each once; `opened` by `opened_by`."""
    found = [use for device in tree.subtree(name) for use in uses.get(device, ())]
    record = tree.records.get(name)
    if record and record.properties.get("DM_MULTIPATH_DEVICE_PATH") == "1":
        found.append(Use(kind="multipath", where="that udev expects", active=True))
    if look and look.locked:
        found.append(Use(kind="locked", where="another process holds a BSD lock on it", active=True))
    if look and look.busy and not found:
        found.append(Use(kind="exclusive", where=_exclusive(opened), active=True))
    return tuple(dict.fromkeys(found))


def unclear(host: Noting, tree: Tree, name: str, joined: Multipath | None) -> tuple[Use, ...]:
    """What could not be read of the disk `name`, of its paths and of everything on it: it may be in use there."""
    below = [path.kernel_name for path in (joined.paths if joined else ())]
    devices = dict.fromkeys(each for device in (name, *below) for each in tree.subtree(device))
    return tuple(
        Use(kind="unclear", where=str(each), active=True) for device in devices for each in host.unread_of(device)
    )


def of_paths(tree: Tree, uses: Uses, name: str, joined: Multipath | None) -> tuple[Use, ...]:
    """Active uses of the paths of the multipath map `name`, and of what is on one of them beside the map."""
    own = frozenset(tree.subtree(name))
    devices = (each for path in (joined.paths if joined else ()) for each in tree.subtree(path.kernel_name))
    found = (use for device in devices if device not in own for use in uses.get(device, ()))
    return tuple(use for use in dict.fromkeys(found) if use.kind != "multipath")


def opened_by(tree: Tree, openers: tuple[Opener, ...], name: str) -> tuple[OpenedBy, ...]:
    """Processes that have the disk `name` or something on it open."""
    names = tree.by_number()
    devices = frozenset(tree.subtree(name))
    return tuple(
        OpenedBy(
            process=each.process, command=each.command, device=names[each.number], writing=each.writing,
            elsewhere=each.elsewhere,
        )
        for each in openers
        if names.get(each.number) in devices
    )  # fmt: skip


def _exclusive(opened: tuple[OpenedBy, ...]) -> str:
    where = "opened exclusively by a process or a driver"
    names = ", ".join(dict.fromkeys(f"{each.command} (pid {each.process})" for each in opened))
    return f"{where}; open in {names}" if names else where


def volume_group(host: Noting, name: str) -> str | None:
    """UUID, without dashes, of the volume group that the dm device `name` is a volume of."""
    uuid = _dm(host, name, "uuid")
    return uuid[4:36] if uuid.startswith("LVM-") else None


def _dm(host: Noting, name: str, what: str) -> str:
    return word(host.about(name).text(f"/sys/class/block/{name}/dm/{what}")) if name.startswith("dm-") else ""


def _holder(host: Noting, upper: str, *, is_map: bool) -> Use:
    uuid = "mpath-" if is_map else _dm(host, upper, "uuid")
    where = _dm(host, upper, "name") or upper
    for prefix, kind in _DM:
        if uuid.startswith(prefix):
            return Use(kind=kind, where=lvm.group_of(where) if kind == "lvm-pv" else where, active=True)
    if upper.startswith("md"):
        return Use(kind="md-member", where=upper, active=True)
    return Use(kind="bcache" if upper.startswith("bcache") else "holder", where=where, active=True)


# Disks that the running system uses, as whole stacks: no option overrides their protection.
# Disks belong together if one device is on both, or if both have a part of the same array, volume group, pool or file
# system, running or not.


Keys = frozenset[tuple[str, str]]


def protected(host: Host, tree: Tree, mounted: MountClaims, looks: dict[str, Look]) -> dict[str, str]:
    """Kernel names of the system's disks, with the reason: mount points, swap, or the shared stack."""
    noting = Noting.of(host)
    groups = {name: group for name in tree.blocks if (group := volume_group(noting, name))}
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
