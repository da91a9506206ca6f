"""What holds a disk or is left on it, in the words of every screen and verb, and why no array may be planned on it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from raidtui.programs.sysfs import partition_name
from raidtui.values.inventory import Disk, Multipath, Use, UseKind
from raidtui.values.units import counted

# Arrays and multi-disk file systems that disks are parts of, by the UUID in the signature of each part.


_UUID = re.compile(r"[0-9a-f]{8}[:-]?(?:[0-9a-f]{4}[:-]?){4}[0-9a-f]{8}|[0-9a-f]{32}", re.IGNORECASE)


def container_uuids(disk: Disk) -> set[str]:
    """UUIDs, without separators, of the multi-disk containers that the disk is a part of."""
    return {
        re.sub("[:-]", "", use.signature.uuid).lower()
        for use in disk.uses
        if use.signature is not None and (use.kind == "md-member" or use.signature.type == "btrfs")
        if use.signature.uuid and _UUID.fullmatch(use.signature.uuid)
    }


def lost_members(disks: Sequence[Disk]) -> dict[str, str]:
    """Kernel name to array (`md0 active raid5`) of each disk that an array which runs now has lost.

    Such a disk has the superblock of an array of which other disks are members now, and is no member itself.
    """
    running = {
        uuid: use.where
        for disk in disks
        for use in disk.uses
        if use.kind == "md-member" and use.active
        for uuid in container_uuids(disk)
    }
    idle = [disk for disk in disks if not any(use.active for use in disk.uses)]
    return {
        disk.kernel_name: running[uuid] for disk in idle for uuid in sorted(container_uuids(disk)) if uuid in running
    }


MULTIPATH_WAY_OUT = (
    "plan on the map that multipathd makes of all its paths (systemctl start multipathd; raidtui disks then shows "
    "it); or exclude the disk from multipathd (blacklist in /etc/multipath.conf) and leave one path connected"
)
_EXAMPLE = "DISK01"
"""a serial number"""


class _Hold(NamedTuple):
    """The words for one kind of use."""

    words: str
    """what holds the disk, with its owner"""
    way_out: str
    """how that ends; nothing overrides it"""
    left: str = ""
    """what it is where nothing holds it any more and its own tool must remove it first; empty where it may be erased"""


_WAIT = "fuser --verbose shows the process; wait until it ends"
_HOLDS: dict[UseKind, _Hold] = {
    "system": _Hold("the running system uses it: {}", "plan on other disks; nothing overrides this"),
    "mounted": _Hold("mounted at {}", "unmount it if it is not needed, then build"),
    "swap": _Hold("swap at {}", "run swapoff if the machine does not need it, then build"),
    "md-member": _Hold(
        "member of {}",
        "if it is not needed, raidtui undo (raidtui status lists runs), or mdadm --stop if raidtui did not build it; "
        "then plan again",
    ),
    "lvm-pv": _Hold(
        "in volume group {}", "vgchange --activate n and remove that group if it is not needed, then plan again",
        left="a physical volume of LVM",
    ),
    "zfs": _Hold(
        "in the imported pool {}", "zpool export or destroy that pool if it is not needed, then plan again",
        left="part of a ZFS pool",
    ),
    "dm-crypt": _Hold(
        "opened as {}", "cryptsetup close it if it is not needed, then plan again", left="an encrypted volume"
    ),
    "bcache": _Hold(
        "part of {}", "stop that bcache set if it is not needed, then plan again", left="part of a bcache set"
    ),
    "multipath": _Hold("a path of the multipath map {}", MULTIPATH_WAY_OUT),
    "loop": _Hold("backing the loop device {}", "losetup --detach it if it is not needed, then build"),
    "exported": _Hold("exported by {}", "remove it from that target if it is not needed, then build"),
    "open": _Hold("open for writing by {}", "stop that process if it is not needed, then build"),
    "holder": _Hold("held by {}", "remove that device with its own tool if it is not needed, then plan again"),
    "read-only": _Hold("read-only: {}", "check the write-protect switch, or run blockdev --setrw"),
    "unclear": _Hold("unclear: {}", "leave it out; raidtui disks --record FILE keeps what was read, for a report"),
    "locked": _Hold("{}", _WAIT),
    "exclusive": _Hold("{}", _WAIT),
}  # fmt: skip
_GENERAL: tuple[UseKind, ...] = ("unclear", "read-only", "locked", "exclusive")
"""kinds that say less than any other of the same disk"""
_PLAIN = str.maketrans("", "", ":-")
"""makes UUIDs of md and of udev alike"""
_OWNED_SIGNATURES = ("_member", "ceph_bluestore", "drbd", "VMFS", "stratis")
"""parts of the names of signatures without a kind of their own, whose tool must remove them first"""
_CLUSTER = "a cluster file system, which other machines may have mounted"
OWNERS: dict[str, str] = {
    "vdo": "a VDO volume",
    "oracleasm": "a disk of Oracle ASM",
    "DM_integrity": "a dm-integrity volume",
    "DM_verity_hash": "the hashes of a dm-verity volume",
    "DM_snapshot_cow": "the store of a snapshot",
    "jbd": "the journal of an ext4 on another device",
    "xfs_external_log": "the log of an XFS on another device",
    "mpool": "part of an mpool",
    **dict.fromkeys(("gfs", "gfs2", "ocfs", "ocfs2", "scoutfs_meta", "scoutfs_data"), _CLUSTER),
}
"""what signatures are that have no kind of their own, by libblkid's name, which calls some of them file systems"""


def holders(disk: Disk) -> list[Use]:
    """What holds `disk` now, the one that says most first; empty if nothing does."""
    uses = [use for use in disk.uses if use.active]
    if disk.protected and not any(use.kind == "system" for use in uses):
        uses.append(Use(kind="system", where="protected", active=True))
    if disk.bsd_locked and not any(use.kind == "locked" for use in uses):
        uses.append(Use(kind="locked", where="another process holds its lock", active=True))
    return sorted(uses, key=lambda use: (use.kind != "system", use.kind in _GENERAL))


def way_out(use: Use) -> str:
    """How a use that holds a disk ends."""
    return _HOLDS.get(use.kind, _HOLDS["holder"]).way_out


def held_by(use: Use) -> str:
    """`in use: mounted at /srv`."""
    return use_text(use) if use.kind in ("system", "read-only", "unclear") else f"in use: {use_text(use)}"


def use_text(use: Use) -> str:
    """`mounted at /srv`; `file-system ext4 notes` for what is merely left on a disk."""
    if use.active and use.kind in _HOLDS:
        return _HOLDS[use.kind].words.format(use.where)
    return f"{use.kind} {use.where}".strip()


def uses_text(uses: Sequence[Use]) -> str:
    """The uses, each once."""
    return ", ".join(dict.fromkeys(map(use_text, uses)))


def further_uses(disk: Disk) -> str:
    """What holds `disk` or is left on it beside what `not_selectable` names."""
    named = holders(disk)[:1] if disk.not_selectable else []
    return uses_text([use for use in disk.uses if use not in named])


def is_path(disk: Disk) -> bool:
    """True for a single path that belongs to a multipath map."""
    return any(use.kind == "multipath" for use in disk.uses)


def paths_text(joined: Multipath) -> str:
    """`mpatha: 1 of 2 paths (sda failed)`, `mpatha: 2 paths`."""
    lost = ", ".join(f"{path.kernel_name} {path.state}" for path in joined.paths if not path.works)
    count = f"{len(joined.working)} of " if lost else ""
    return f"{joined.name}: {count}{counted(len(joined.paths), 'path')}{f' ({lost})' if lost else ''}"


def refusal(disk: Disk, *, twin: bool, unknown_because: str) -> str | None:
    """Why nothing may be built on `disk`; None if it may be chosen.

    `twin`: another device has the same identity. `unknown_because`: reason text if its content is unknown.
    """
    for use in holders(disk):
        return f"{held_by(use)}; {way_out(use)}" if use.kind in ("multipath", "read-only") else held_by(use)
    if disk.multipath and not disk.multipath.working:
        return f"no path to it works: {paths_text(disk.multipath)}; multipath -ll shows them"
    if twin:
        return "another disk has the same identity: a second path to it, or a clone"
    if not disk.id:
        return f"it has neither a world-wide name nor a unique serial number, so it cannot be identified{_serial(disk)}"
    if disk.zoned != "none":
        return f"a zoned disk ({disk.zoned}): md cannot use it"
    for use in disk.uses:
        if owner := _owner(use):
            return f"{owner} ({use.where}): remove it with its own tool first"
    if disk.state == "unknown":
        return unknown_because
    if not disk.path:
        return "no link under /dev/disk/by-id belongs to it alone: udev makes none for such a device, or does not run"
    return None


def not_usable(disk: Disk, *, twin: bool, spare_of: str = "", inside: bool = False) -> str | None:
    """Why nothing may be made of `disk`, whoever gives up what is on it; None if something may: for every act.

    `spare_of`: UUID of an array whose spare it is, or was; `inside`: it still is, and in use by that array alone.
    """
    if not spare_of:
        return disk.not_selectable or next((held_by(use) for use in holders(disk)), None)
    own = (disk.kernel_name, *(partition_name(disk.kernel_name, number) for number in disk.partitions))
    openers = [each for each in disk.opened_by if each.writing and each.device in own]
    if openers:
        return f"in use: open for writing by {openers[0].command} (pid {openers[0].process})"
    uses = tuple(use for use in disk.uses if not (inside and use.active and use.kind != "unclear"))
    return refusal(replace(disk, uses=_without_spare(uses, spare_of), state="content"), twin=twin, unknown_because="")


def not_free(disk: Disk, *, spare_of: str = "") -> str | None:
    """What is on a usable disk that an act would overwrite without asking; None if it is free.

    `spare_of`: as of `not_usable`; that superblock alone does not count, and no other fact is cancelled by it."""
    if not spare_of:
        return None if disk.state == "blank" else uses_text(disk.uses) or f"its state is {disk.state}"
    rest = [use for use in _without_spare(disk.uses, spare_of) if not use.active]
    partitions = f"partitions {', '.join(map(str, disk.partitions))}" if disk.partitions else ""
    return uses_text(rest) or partitions or None


def _without_spare(uses: Sequence[Use], array: str) -> tuple[Use, ...]:
    """The uses but for the superblock of the array on the whole disk."""
    plain = array.translate(_PLAIN)
    return tuple(
        use
        for use in uses
        if not (
            use.kind == "md-member" and use.partition is None and use.signature is not None
            and (use.signature.uuid or "").translate(_PLAIN) == plain
        )
    )  # fmt: skip


def without_lost_members(disks: Sequence[Disk]) -> list[Disk]:
    """The disks; a selectable one that a running array has lost becomes unselectable: the array may need it again."""
    lost = lost_members(disks)
    return [
        replace(
            disk,
            not_selectable=f"a lost member of {lost[disk.kernel_name]}: put it back with mdadm --re-add or --add; if "
            f"the array has a replacement, erase its superblock with mdadm --zero-superblock",
        )
        if disk.not_selectable is None and disk.kernel_name in lost
        else disk
        for disk in disks
    ]


def in_virtual_machine(disk: Disk) -> bool:
    """True for a disk that a hypervisor made (virtio)."""
    return disk.transport == "virtio" or disk.kernel_name.startswith("vd")


def _serial(disk: Disk) -> str:
    """How a disk of a virtual machine gets a serial number; nothing for other disks."""
    if not in_virtual_machine(disk):
        return ""
    by_path = "" if disk.serial else "; or bind it by its path, a weaker promise: --bind-by-path"
    return (
        "; give it a serial number in the virtual machine's definition and start the machine again; "
        f"<serial>{_EXAMPLE}</serial> in libvirt's <disk>, serial={_EXAMPLE} behind QEMU's -device virtio-blk-pci"
        f"{by_path}"
    )


def _owner(use: Use) -> str:
    """What content is that is not in use but has an owner, whose tool must remove it first; empty for other content."""
    if use.signature and use.signature.type in OWNERS:
        return OWNERS[use.signature.type]
    if use.kind == "signature" and use.signature and any(word in use.signature.type for word in _OWNED_SIGNATURES):
        return "a member of something"
    return _HOLDS[use.kind].left if use.kind in _HOLDS else ""
