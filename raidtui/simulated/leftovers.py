"""What an inventory says is on a drive, put there, and found there again."""

from __future__ import annotations

import re
import uuid as uuids
from typing import Literal

from raidtui.programs.signatures import LENGTH, sample_offsets
from raidtui.simulated import md
from raidtui.simulated.argv_parser import ProgramFailed, read, unknown
from raidtui.simulated.devices import busy, must_resolve
from raidtui.simulated.state import Area, ArrayConfig, DiskMark, Drive, Hold, HoldKind, Partition, State, Superblock
from raidtui.simulated.storage import check_read, drive_of, put, seen
from raidtui.sizes.partitions import table_bytes
from raidtui.values.inventory import UNSIGNED_MIDDLE, Disk, OpenedBy, Sampled, Signature, Use, UseKind
from raidtui.values.units import KIB, MIB, SECTOR

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
        uuid=md.colons(uuid.replace("-", "")), name="elsewhere:old", level="raid1", devices=2,
        chunk_bytes=0, layout="", component_sectors=2_000_000, array_sectors=2_000_000, metadata="1.2",
        data_offset=2048, bitmap=False, ppl=False, created=0.0, read_ahead_kib=128,
    )  # fmt: skip
    block = Superblock(
        config=config, device_uuid=config.uuid, role=0, events=17, in_sync=True, recovered=True, synced=0,
        roster=[0, 1], spares=0,
    )  # fmt: skip
    return DiskMark(kind=md.KIND, offset=4 * KIB, length=4 * KIB, uuid=config.uuid, label=config.name, superblock=block)


# sfdisk and blockdev --rereadpt: a GUID partition table on a drive, and the partitions that the kernel shows of it.
# The order of writing is libfdisk's: the table at the end of the disk, the one at its start, the protective MBR.


_HEADS = re.compile(r"label: gpt\nlabel-id: ([0-9a-f-]{36})\nunit: sectors\ntable-length: 128\n")
_ENTRY = re.compile(r'start=(\d+), size=(\d+), type=([0-9a-f-]{36}), uuid=([0-9a-f-]{36}), name="([^"]*)"\n')
_ENTRIES = re.compile(f"(?:{_ENTRY.pattern})+")
_OPTIONS = ("--lock", "--wipe", "--wipe-partitions")


def sfdisk(state: State, argv: tuple[str, ...], share: float, script: str) -> str:
    """Writes the table of a script; with a `share` below 1 only the one at the end of the disk."""
    given = read(argv, values=_OPTIONS, least=1, most=1)
    heads = _HEADS.match(script)
    found = _ENTRIES.fullmatch(script, heads.end()) if heads else None
    if tuple(given.values.get(option) for option in _OPTIONS) != ("yes", "never", "never") or not heads or not found:
        raise unknown((*argv, script))
    key, drive = _drive(state, given.operands[0])
    if any(hold.how == "read-only" for hold in drive.holds):
        raise ProgramFailed(f"sfdisk: cannot open {argv[-1]}: Read-only file system")
    if busy(state, key):
        raise ProgramFailed("This disk is currently in use - repartitioning is probably a bad idea.")
    sector, size = drive.disk.logical_sector_bytes, drive.disk.size_bytes
    first, last = table_bytes(sector)
    facts: dict[str, int] = {}
    texts: dict[str, str] = {}
    free = first
    for number, entry in enumerate(_ENTRY.finditer(script, heads.end()), start=1):
        start, length = int(entry[1]) * sector, int(entry[2]) * sector
        if start % MIB or start < free or start + length > size - last:
            raise ProgramFailed(f"sfdisk: Sector {entry[1]} already used.")
        free = start + length
        facts |= {f"start {number}": start, f"size {number}": length}
        texts |= {f"type {number}": entry[3], f"guid {number}": entry[4], f"name {number}": entry[5]}
    head = DiskMark(kind="gpt", offset=sector, length=first - sector, uuid=heads[1], facts=facts, texts=texts)
    put(state, key, DiskMark(kind="gpt", offset=size - last, length=last, uuid=heads[1]))
    if share < 1:
        return ""
    put(state, key, head)
    put(state, key, DiskMark(kind="PMBR", offset=0x1FE, length=2))
    read_table(state, key)
    state.woken += [key, *(f"{key}p{number}" for number in _numbers(head))]
    return "The partition table has been altered.\nSyncing disks.\n"


def dump(state: State, argv: tuple[str, ...]) -> str:
    """`sfdisk --dump`."""
    match argv:
        case ("sfdisk", "--dump", path):
            key, drive = _drive(state, path)
            check_read(state, key, 0, MIB)
            head = _head(state, key)
            if head is None or not head.facts:
                raise ProgramFailed(f"sfdisk: {path}: does not contain a recognized partition table")
            sector = drive.disk.logical_sector_bytes
            return (
                f"label: gpt\nlabel-id: {head.uuid.upper()}\ndevice: {path}\nunit: sectors\n"
                f"first-lba: {MIB // sector}\n"
                f"last-lba: {drive.disk.size_bytes // sector - 34}\nsector-size: {sector}\n\n"
                + "".join(_line(path, head, number, sector) for number in _numbers(head))
            )
        case _:
            raise unknown(argv)


def _line(path: str, head: DiskMark, number: int, sector: int) -> str:
    start, size = (head.facts[f"{name} {number}"] // sector for name in ("start", "size"))
    kind, guid, name = (head.texts[f"{name} {number}"] for name in ("type", "guid", "name"))
    return (
        f"{path}{number} : start={start:>12}, size={size:>12}, type={kind.upper()}, "
        f'uuid={guid.upper()}, name="{name}"\n'
    )


def _numbers(head: DiskMark) -> range:
    """Numbers of the partitions in a table."""
    return range(1, len(head.facts) // 2 + 1)


def reread(state: State, argv: tuple[str, ...]) -> str:
    """`blockdev --rereadpt`."""
    match argv:
        case ("blockdev", "--rereadpt", path):
            key, _ = _drive(state, path)
            if busy(state, key):
                raise ProgramFailed("blockdev: ioctl error on BLKRRPART: Device or resource busy")
            read_table(state, key)
            state.woken.append(key)
            return ""
        case _:
            raise unknown(argv)


def read_table(state: State, key: str) -> None:
    """The kernel shows the partitions that the drive's table names, and none without a table."""
    drive, head = drive_of(state, key), _head(state, key)
    assert drive is not None
    if head is not None and head.facts:
        drive.partitions = [
            Partition(number=number, start=head.facts[f"start {number}"], size=head.facts[f"size {number}"])
            for number in _numbers(head)
        ]
    elif not any(mark.kind in ("gpt", "dos") for mark in seen(state, key)):
        drive.partitions = []


def entry_pairs(state: State, drive: Drive, number: int) -> list[str]:
    """What `blkid --probe` prints of a partition beside its content."""
    head = _head(state, drive.key)
    part = next((each for each in drive.partitions if each.number == number), None)
    if head is None or part is None or not head.facts:
        return []
    return [
        "PART_ENTRY_SCHEME=gpt", f"PART_ENTRY_NAME={head.texts[f'name {number}']}",
        f"PART_ENTRY_UUID={head.texts[f'guid {number}']}",
        f"PART_ENTRY_TYPE={head.texts[f'type {number}']}", f"PART_ENTRY_NUMBER={number}",
        f"PART_ENTRY_OFFSET={part.start // 512}", f"PART_ENTRY_SIZE={part.size // 512}",
        f"PART_ENTRY_DISK={drive.number}",
    ]  # fmt: skip


def table_pairs(state: State, key: str) -> list[str]:
    """What `blkid --probe` prints of a partition table; it takes a table without a protective MBR for none."""
    marks = seen(state, key)
    head = _head(state, key)
    if head is None or not head.uuid or not any(mark.kind == "PMBR" for mark in marks):
        return []
    return [f"PTUUID={head.uuid}", "PTTYPE=gpt"]


def _head(state: State, key: str) -> DiskMark | None:
    return next((mark for mark in seen(state, key) if mark.kind == "gpt" and mark.offset < MIB), None)


def _drive(state: State, path: str) -> tuple[str, Drive]:
    key = must_resolve(state, path)
    drive = drive_of(state, key)
    if drive is None:
        raise ProgramFailed(f"{path}: not a whole disk")
    return key, drive
