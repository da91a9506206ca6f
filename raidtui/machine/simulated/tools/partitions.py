"""sfdisk and blockdev --rereadpt: a GUID partition table on a drive, and the partitions that the kernel shows of it.

The order of writing is libfdisk's: the table at the end of the disk, the one at its start, the protective MBR.
"""

from __future__ import annotations

import re

from raidtui.machine.simulated.core.argv_parser import ProgramFailed, read, unknown
from raidtui.machine.simulated.core.devices import busy, must_resolve
from raidtui.machine.simulated.core.state import DiskMark, Drive, Partition, State
from raidtui.machine.simulated.core.storage import check_read, drive_of, put, seen
from raidtui.model.units import MIB
from raidtui.planner.geometry.gpt import table_bytes

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
