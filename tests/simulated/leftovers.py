"""Old content on a drive that no inventory says is there, and foreign users of it."""

from __future__ import annotations

from dataclasses import replace

from raidtui.programs.mdadm import superblock_offset
from raidtui.simulated import leftovers
from raidtui.simulated.state import DiskMark, Drive, Hold, Opened, State
from raidtui.simulated.storage import cut, put
from raidtui.values.units import KIB, MIB, SECTOR
from tests.simulated.fault_model import InUse, Leftover

_SIGNATURES: dict[str, tuple[str, int, int]] = {
    "lvm": ("LVM2_member", 0x218, 512), "luks": ("crypto_LUKS", 0, 512), "xfs": ("xfs", 0, 512),
    "ext4": ("ext4", 0x400, 512), "btrfs": ("btrfs", 0x10040, 512), "swap": ("swap", 0xFF6, 512),
    "gpt": ("gpt", 0x200, 512), "dos": ("dos", 0x1FE, 2),
}  # fmt: skip
"""libblkid's word, where it is found, and its length; bytes from the start"""
_WRITER = Opened(key="", process=4711, command="qemu-system-x86", writing=True)
_UNDER: dict[InUse, Leftover] = {
    "mounted": "xfs", "swap": "swap", "md-member": "md-1.2", "md-inactive": "md-1.2", "lvm-pv": "lvm",
    "lvm-inactive": "lvm", "dm-crypt": "luks", "bcache": "bcache", "zfs": "zfs", "zfs-exported": "zfs",
}  # fmt: skip


def leave(state: State, drive: Drive, what: Leftover) -> None:
    """Puts old content on a drive, as if it had been there all along."""
    size, before = drive.disk.size_bytes, drive.writes
    uuid = leftovers.old_uuid(drive, what)
    match what:
        case "md-0.90" | "md-1.0" | "md-1.1":
            put(state, drive.key, _old_member(size, what.removeprefix("md-"), uuid))
        case "gpt-backup":
            put(state, drive.key, DiskMark(kind="gpt", offset=size - SECTOR, length=SECTOR))
        case "zfs-end":
            at = size // (256 * KIB) * 256 * KIB - 256 * KIB + 128 * KIB
            put(state, drive.key, DiskMark(kind="zfs_member", offset=at, length=KIB, uuid=uuid))
        case "fs-in-old-array":
            put(state, drive.key, DiskMark(kind="data", offset=0, length=SECTOR))
            first = 264192 * SECTOR  # where mdadm lets data start on disks of 200 GiB and more
            old = DiskMark(kind="ext4", offset=first + KIB, length=KIB, uuid=uuid, depth=1,
                       facts={"block_size": 4096, "shown_blocks": 1, "stride": 0})  # fmt: skip
            drive.marks = [*cut(drive.marks, old.offset, old.length), old]
        case "data-middle":
            put(state, drive.key, DiskMark(kind="data", offset=size // 2 // MIB * MIB, length=MIB))
        case "xfs" | "btrfs" | "dos":
            put(state, drive.key, signature_mark(what, uuid))
        case _:
            leftovers.leave(state, drive, what)
    drive.writes = before


def signature_mark(what: str, uuid: str) -> DiskMark:
    """What a tool writes at the start of a device: one of the simple leftovers."""
    kind, at, length = _SIGNATURES[what]
    return DiskMark(kind=kind, offset=at, length=length, uuid=uuid, facts={"pe_start": MIB} if what == "lvm" else {})


def occupy(state: State, drive: Drive, how: InUse) -> None:
    """Somebody else uses the drive from now on."""
    if how in _UNDER:
        leave(state, drive, _UNDER[how])
    if how == "open":
        opened(state, drive.key, _WRITER)
    for hold, name in leftovers.HOLDERS.items():
        if hold == how:
            drive.holds.append(Hold(how=hold, name=name))


def opened(state: State, key: str, by: Opened) -> None:
    """A process opens a device from now on."""
    state.opened.append(replace(by, key=key))


def _old_member(size: int, metadata: str, uuid: str) -> DiskMark:
    """As the product's, with another version of metadata."""
    mark = leftovers.old_member(uuid)
    assert mark.superblock is not None
    config = replace(mark.superblock.config, metadata=metadata, data_offset=2048 if metadata == "1.1" else 0)
    return replace(mark, offset=superblock_offset(metadata, size), superblock=replace(mark.superblock, config=config))
