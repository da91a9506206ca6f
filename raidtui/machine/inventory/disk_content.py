"""Content of a disk: leftovers by kind, and its state blank, content or unknown.

A disk is blank if three sources agree: the kernel (no partitions, no holders), udev's record
(no signature, no table), and our own read of both ends and of places between them (all zero). If one source finds
something, the state is content; if one is missing, it is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from raidtui.machine.inventory import reading_log
from raidtui.machine.inventory.block_tree import Tree
from raidtui.machine.ports.host import Look
from raidtui.model.inventory import UNSIGNED_MIDDLE, ContentState, Sampled, Signature, Use, UseKind
from raidtui.planner.holds import OWNERS
from raidtui.tools.lsblk import BlockDevice

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
    return reading_log.way_to_read("denied" if error in _DENIED else "failed", denied)


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
