"""What an inventory says is on a drive, put there, and found there again."""

from __future__ import annotations

import uuid as uuids
from typing import Literal

from raidtui.machine.simulated.core.state import (
    Area,
    ArrayConfig,
    DiskMark,
    Drive,
    Hold,
    HoldKind,
    Partition,
    State,
    Superblock,
)
from raidtui.machine.simulated.core.storage import put
from raidtui.machine.simulated.md import superblocks
from raidtui.model.inventory import UNSIGNED_MIDDLE, Disk, OpenedBy, Sampled, Signature, Use, UseKind
from raidtui.model.units import KIB, MIB, SECTOR
from raidtui.tools.samples import LENGTH, sample_offsets

Leftover = Literal["md-1.2", "gpt", "lvm", "luks", "zfs", "ext4", "swap", "bcache", "data"]
_OLD = uuids.UUID("0d5f8a31-3c3b-4c7a-9b42-2f1f7c3f6b10")
_SIGNATURES: dict[str, tuple[str, int]] = {
    "lvm": ("LVM2_member", 0x218), "luks": ("crypto_LUKS", 0), "zfs": ("zfs_member", 0x20000),
    "ext4": ("ext4", 0x400), "swap": ("swap", 0xFF6), "bcache": ("bcache", 0x1018),
}  # fmt: skip
"""libblkid's word and where it is found, bytes from the start"""
HOLDERS: dict[HoldKind, str] = {
    "mounted": "/mnt/other", "swap": "swap", "md-member": "md9", "md-inactive": "md8", "lvm-pv": "dm-9",
    "dm-crypt": "crypt0", "bcache": "bcache0", "zfs": "tank", "multipath": "mpath0", "loop": "loop0",
    "exported": "LIO iblock_0", "exclusive": "another program", "locked": "another program", "read-only": "read-only",
}  # fmt: skip
_LEFT_BY_USE: dict[UseKind, Leftover] = {
    "md-member": "md-1.2", "lvm-pv": "lvm", "zfs": "zfs", "bcache": "bcache", "dm-crypt": "luks", "swap": "swap",
    "partition-table": "gpt", "file-system": "ext4",
}  # fmt: skip


def leave(state: State, drive: Drive, what: Leftover) -> None:
    """Puts old content on a drive, as if it had been there all along."""
    size, before = drive.disk.size_bytes, drive.writes
    uuid = old_uuid(drive, what)
    match what:
        case "md-1.2":
            put(state, drive.key, old_member(uuid))
        case "gpt":
            put(state, drive.key, DiskMark(kind="gpt", offset=0x200, length=33 * SECTOR))
            put(state, drive.key, DiskMark(kind="gpt", offset=size - SECTOR, length=SECTOR))
            if not drive.partitions:
                drive.partitions = [Partition(number=1, start=MIB, size=size // 2 // MIB * MIB)]
        case "data":
            put(state, drive.key, DiskMark(kind="data", offset=64 * KIB, length=64 * KIB))
        case _:
            kind, at = _SIGNATURES[what]
            facts = {"pe_start": MIB} if what == "lvm" else {}
            put(state, drive.key, DiskMark(kind=kind, offset=at, length=512, uuid=uuid, facts=facts))
    drive.writes = before


def old_uuid(drive: Drive, what: str) -> str:
    """UUID of old content on a drive."""
    return str(uuids.uuid5(_OLD, f"{drive.key} {what}"))


def settle(state: State, drive: Drive, disk: Disk) -> None:
    """Gives a new drive what the inventory says is on it."""
    drive.partitions = [Partition(number=number, start=number * MIB, size=MIB) for number in disk.partitions]
    if disk.state == "blank":
        return
    kinds = dict.fromkeys(use.kind for use in disk.uses)
    if disk.partitions:
        kinds["partition-table"] = None
    lefts = [_LEFT_BY_USE[kind] for kind in kinds if kind in _LEFT_BY_USE]
    for left in lefts or ["data"]:
        leave(state, drive, left)
    active = {use.kind for use in disk.uses if use.active}
    drive.holds += [Hold(how=hold, name=name) for hold, name in HOLDERS.items() if hold in active]


def uses_of(drive: Drive, holders: tuple[str, ...], opened_by: tuple[OpenedBy, ...]) -> tuple[Use, ...]:
    """What a probe says is on a drive and holds it."""
    found = [
        Use(kind="md-member" if hold.how == "md-inactive" else hold.how, where=hold.name, active=True)
        for hold in drive.holds
    ]
    found += [Use(kind="md-member" if name.startswith("md") else "holder", where=name, active=True) for name in holders
              if name not in {hold.name for hold in drive.holds}]  # fmt: skip
    found += [Use(kind="open", where=f"{each.command} (pid {each.process})", active=True) for each in opened_by
              if each.writing]  # fmt: skip
    for part in drive.partitions:
        inside = (mark for mark in drive.marks if 0 <= mark.offset - part.start < part.size and mark.depth == 1)
        here = f"{drive.name}{part.number}"
        found += [_use_of(mark, f"{here} ", part.number) for mark in inside if mark.kind != "data"]
        found.append(Use(kind="partition-table", where=here, active=False, partition=part.number))
    found += [_use_of(mark) for mark in drive.marks if mark.kind != "data" and not mark.depth]
    ends = (0, MIB), (drive.disk.size_bytes - MIB, MIB)
    left = any(mark.offset < start + length and start < mark.offset + mark.length
               for mark in drive.marks for start, length in ends)  # fmt: skip
    nothing = not any(use.kind not in SAYS_NOTHING for use in found)
    if left and nothing:
        found.append(Use(kind="data", where="bytes that no known signature explains", active=False))
    elif nothing and (read := sampled(drive)) is not None and read.not_zero:
        found.append(Use(kind="data", where=UNSIGNED_MIDDLE, active=False))
    return tuple(dict.fromkeys(found))


def _use_of(mark: DiskMark, part: str = "", number: int | None = None) -> Use:
    return Use(
        kind=_KINDS.get(mark.kind, "signature"), where=f"{part}{mark.kind} {mark.label or mark.uuid}".strip(),
        active=False, partition=number,
        signature=Signature(type=mark.kind, label=mark.label or None, uuid=mark.uuid or None),
    )  # fmt: skip


def sampled(drive: Drive) -> Sampled | None:
    """What a probe reads between the ends of a drive; None where one of them is not zero."""
    size = drive.disk.size_bytes
    ends = Area(start=0, end=MIB), Area(start=size - MIB, end=size)
    if any(area.touches(mark.offset, mark.length) for mark in drive.marks for area in ends):
        return None
    offsets = sample_offsets(size, drive.disk.logical_sector_bytes)
    areas = [Area(start=mark.offset, end=mark.offset + mark.length) for mark in drive.marks]
    filled = [at for at in offsets if any(area.touches(at, LENGTH) for area in areas)]
    return Sampled(places=len(offsets), not_zero=len(filled), first_offset=filled[0] if filled else None)


SAYS_NOTHING = frozenset({"locked", "read-only", "open"})
"""kinds of use that tell nothing of what is on a drive"""
_KINDS: dict[str, UseKind] = {
    "linux_raid_member": "md-member", "LVM2_member": "lvm-pv", "zfs_member": "zfs", "crypto_LUKS": "dm-crypt",
    "bcache": "bcache", "swap": "swap", "gpt": "partition-table", "dos": "partition-table",
    "xfs": "file-system", "ext4": "file-system", "btrfs": "file-system",
}  # fmt: skip


def old_member(uuid: str) -> DiskMark:
    """Superblock of one of two members of a mirror whose other half is elsewhere."""
    config = ArrayConfig(
        uuid=superblocks.colons(uuid.replace("-", "")), name="elsewhere:old", level="raid1", devices=2,
        chunk_bytes=0, layout="", component_sectors=2_000_000, array_sectors=2_000_000, metadata="1.2",
        data_offset=2048, bitmap=False, ppl=False, created=0.0, read_ahead_kib=128,
    )  # fmt: skip
    block = Superblock(
        config=config, device_uuid=config.uuid, role=0, events=17, in_sync=True, recovered=True, synced=0,
        roster=[0, 1], spares=0,
    )  # fmt: skip
    return DiskMark(
        kind=superblocks.KIND, offset=4 * KIB, length=4 * KIB, uuid=config.uuid, label=config.name, superblock=block
    )
