"""First reason why no array may be planned on a disk, with the present owner and a hint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from raidtui.machine.inventory.disk_content import FOREIGN, OWNED_SIGNATURES
from raidtui.model.inventory import Disk, Use
from raidtui.planner import multipath
from raidtui.planner.containers import lost_members

_HELD: dict[str, str] = {
    "mounted": "mounted at",
    "swap": "in use as swap at",
    "md-member": "member of",
    "lvm-pv": "in volume group",
    "dm-crypt": "opened as",
    "zfs": "in the imported pool",
    "bcache": "in use by",
    "loop": "backing the loop device",
    "exported": "exported by",
    "open": "open for writing by",
    "holder": "held by",
    "multipath": "a path of the multipath device",
}

_EXAMPLE = "DISK01"
"""a serial number"""


def refusal(disk: Disk, *, twin: bool, unknown_because: str) -> str | None:
    """Why nothing may be built on `disk`; None if it may be chosen.

    `twin`: another device has the same identity. `unknown_because`: reason text if its content is unknown.
    """
    system = next((use.where for use in disk.uses if use.kind == "system"), None)
    if disk.protected:
        return f"the running system uses it: {system}"
    held = [use for use in disk.uses if use.active]
    for use in sorted(held, key=lambda each: each.kind in ("read-only", "locked", "exclusive")):
        return _held(use)
    if multipath.is_map(disk):
        return f"a multipath map: {multipath.REASON}; {multipath.WAY_OUT}"
    if twin:
        return "another disk has the same identity: a second path to it, or a clone"
    if not disk.id:
        return f"it has neither a world-wide name nor a unique serial number, so it cannot be identified{_serial(disk)}"
    if disk.zoned != "none":
        return f"a zoned disk ({disk.zoned}): md cannot use it"
    for use in disk.uses:
        if (owner := _owner(use)) is not None:
            return owner
    if disk.state == "unknown":
        return unknown_because
    if not disk.path:
        return "no link under /dev/disk/by-id belongs to it alone: check that udev is running"
    return None


def without_lost_members(disks: Sequence[Disk]) -> list[Disk]:
    """The disks; a selectable one that a running array has lost becomes unselectable: the array may need it again."""
    lost = lost_members(disks)
    return [
        replace(
            disk,
            not_selectable=f"a lost member of {lost[disk.kernel_name]}: put it back with mdadm --re-add or --add, or "
            "erase its superblock with mdadm --zero-superblock if the array has a replacement",
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
        "; give it a serial number in the virtual machine's definition and start the machine again: "
        f"<serial>{_EXAMPLE}</serial> in libvirt's <disk>, serial={_EXAMPLE} behind QEMU's -device virtio-blk-pci"
        f"{by_path}"
    )


def _held(use: Use) -> str:
    if use.kind == "read-only":
        return "read-only: look for a write-protect switch"
    if use.kind in ("locked", "exclusive"):
        return f"in use: {use.where}"
    way_out = f"; {multipath.REASON}; {multipath.WAY_OUT}" if use.kind == "multipath" else ""
    return f"in use: {_HELD.get(use.kind, use.kind)} {use.where}{way_out}"


def _owner(use: Use) -> str | None:
    """Reason for content that is not in use but has an owner: its own tool must remove it first."""
    if use.kind in FOREIGN:
        return f"{FOREIGN[use.kind]} ({use.where}): remove it with its own tool first"
    if use.kind == "signature" and use.signature and any(word in use.signature.type for word in OWNED_SIGNATURES):
        return f"a member of something ({use.where}): remove it with its own tool first"
    return None
