"""Bytes that are not zero, on drives and through what stands on them.

A partition is a part of its drive. An array shows what its first in-sync member has where the data starts, and writes
it to all of them (RAID0: to the first); a volume lies on its first physical volume. That holds for the start of a
device, where everything that is recognised lies; what goes to the end is not followed through arrays.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import replace

from raidtui.simulated.argv_parser import ProgramFailed
from raidtui.simulated.state import Array, DiskMark, Drive, Member, OpenCrypt, State
from raidtui.values.codec import plain
from raidtui.values.units import MIB, SECTOR

MAGIC = 64
"""bytes of a signature that wipefs takes at most; the others stay"""
_EIO = "Input/output error"


def drive_of(state: State, key: str) -> Drive | None:
    """The drive with this key."""
    number = key[1:]
    return (
        state.drives[int(number)] if key[:1] == "d" and number.isdigit() and int(number) < len(state.drives) else None
    )


def disk_below(state: State, key: str) -> Drive | None:
    """The drive with this key, or with the partition that has it."""
    return drive_of(state, (partition_of(key) or (key,))[0])


def array_of(state: State, key: str) -> Array | None:
    """The assembled array with this kernel name."""
    return next((array for array in state.arrays if array.name == key), None)


def partition_of(key: str) -> tuple[str, int] | None:
    """Drive and number of a partition's key, d3p1."""
    whole, _, number = key.partition("p")
    return (whole, int(number)) if whole[:1] == "d" and number.isdigit() else None


def marks(state: State, key: str) -> list[DiskMark]:
    """Every byte that is not zero on a device, offsets from its own start."""
    drive, start, _ = below(state, key)
    if drive is None:
        return []
    size = _followed(state, key)
    return [
        replace(mark, offset=mark.offset - start)
        for mark in drive.marks
        if start <= mark.offset and mark.offset + mark.length <= start + size
    ]


def seen(state: State, key: str) -> list[DiskMark]:
    """The signatures that a program finds on a device, by offset."""
    depth = depth_of(state, key)
    found = (mark for mark in marks(state, key) if mark.kind != "data" and mark.depth == depth)
    return sorted(found, key=lambda mark: mark.offset)


def put(state: State, key: str, mark: DiskMark) -> None:
    """Writes a mark on a device, over whatever was there."""
    made = replace(mark, depth=depth_of(state, key))

    def change(found: list[DiskMark], at: int) -> list[DiskMark]:
        return [*cut(found, at, mark.length), replace(made, offset=at)]

    _write(state, key, mark.offset, mark.length, change)


def zero(state: State, key: str, start: int, length: int) -> None:
    """Writes zeros."""
    _write(state, key, start, length, lambda found, at: cut(found, at, length))


def spoil(state: State, key: str, mark: DiskMark) -> None:
    """Erases the magic string of a signature; its other bytes stay."""
    zero(state, key, mark.offset, min(MAGIC, mark.length))


def check_read(state: State, key: str, start: int, length: int) -> None:
    """Failed when the bytes cannot be read."""
    drive, origin, _ = below(state, key)
    if drive is None or not drive.present:
        raise ProgramFailed(_EIO)
    if drive.fails(origin + start, length, writing=False):
        raise ProgramFailed(_EIO)


def cut(found: list[DiskMark], start: int, length: int) -> list[DiskMark]:
    """`found` with zeros over `length` bytes from `start`; what is left of a mark is data."""
    left: list[DiskMark] = []
    stop = start + length
    for mark in found:
        end = mark.offset + mark.length
        if end <= start or stop <= mark.offset:
            left.append(mark)
            continue
        if mark.offset < start:
            left.append(DiskMark(kind="data", offset=mark.offset, length=start - mark.offset, depth=mark.depth))
        if stop < end:
            left.append(DiskMark(kind="data", offset=stop, length=end - stop, depth=mark.depth))
    return left


def within(drive: Drive, start: int, length: int) -> list[DiskMark]:
    """The marks that `length` bytes from `start` on touch, by offset."""
    found = (mark for mark in drive.marks if mark.offset < start + length and start < mark.offset + mark.length)
    return sorted(found, key=lambda mark: mark.offset)


def ends(drive: Drive) -> str:
    """Digest of the first and the last MiB of a drive; empty when every byte is zero."""
    size = drive.disk.size_bytes
    return _digest([plain(mark) for start in (0, size - MIB) for mark in within(drive, start, MIB)])


def areas_digest(drive: Drive, areas: Iterable[tuple[int, int]]) -> str:
    """Digest of which bytes of areas (offset, length) of a drive are not zero; empty when every byte is zero."""
    return _digest(
        [
            (max(mark.offset, start), min(mark.offset + mark.length, start + length))
            for start, length in areas
            for mark in within(drive, start, length)
        ]
    )


def _digest(found: list[object]) -> str:
    text = json.dumps(found, sort_keys=True) if found else ""
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest() if text else ""


def below(state: State, key: str) -> tuple[Drive | None, int, int]:
    """The drive that holds the start of a device, where on it that is, and the size of the device; bytes."""
    found = drive_of(state, key)
    if found is not None:
        return found, 0, found.disk.size_bytes
    if part := partition_of(key):
        found = drive_of(state, part[0])
        area = next((each for each in found.partitions if each.number == part[1]), None) if found else None
        return (found, area.start, area.size) if area else (None, 0, 0)
    if (array := array_of(state, key)) is not None:
        lead = _lead(array)
        drive, start, _ = below(state, lead) if lead else (None, 0, 0)
        return drive, start + array.config.data_offset * SECTOR, array.config.array_sectors * SECTOR
    if (crypt := crypt_of(state, key)) is not None:
        drive, start, size = below(state, crypt.below)
        return drive, start + crypt.start, (size - crypt.start) // crypt.sector * crypt.sector
    if (found_volume := volume_of(state, key)) is not None:
        lead, first, size = found_volume
        drive, start, _ = below(state, lead)
        return drive, start + first, size
    return None, 0, 0


def _followed(state: State, key: str) -> int:
    """How many bytes of a device are followed down to the drive that `below` names: on an array no more than its first
    member holds."""
    size = below(state, key)[2]
    if (array := array_of(state, key)) is not None and (lead := _lead(array)):
        return min(size, _followed(state, lead) - array.config.data_offset * SECTOR)
    if (crypt := crypt_of(state, key)) is not None:
        return min(size, _followed(state, crypt.below) - crypt.start)
    if (volume := volume_of(state, key)) is not None:
        return min(size, _followed(state, volume[0]) - volume[1])
    return size


def depth_of(state: State, key: str) -> int:
    """How many devices a device stands on, one above the other."""
    if partition_of(key):
        return 1
    if (array := array_of(state, key)) is not None:
        return 1 + (depth_of(state, array.members[0].key) if array.members else 0)
    if (crypt := crypt_of(state, key)) is not None:
        return 1 + depth_of(state, crypt.below)
    volume = volume_of(state, key)
    return 0 if volume is None else 1 + depth_of(state, volume[0])


def crypt_of(state: State, key: str) -> OpenCrypt | None:
    """The open LUKS2 volume with this key."""
    return next((crypt for crypt in state.crypts if crypt.key == key), None)


def volume_of(state: State, key: str) -> tuple[str, int, int] | None:
    """Device of the first physical volume of the logical volume group/name, bytes before its data, bytes in all."""
    name, slash, last = key.partition("/")
    group = next((group for group in state.groups if slash and group.name == name), None)
    volume = next((each for each in group.volumes if each.name == last), None) if group else None
    found = physical_volume(state, group.physical[0]) if group and volume else None
    if group is None or volume is None or found is None:
        return None
    first = found[1].facts["pe_start"] + volume.start * group.extent_bytes // max(1, len(group.physical))
    return found[0], first, volume.extents * group.extent_bytes


def physical_volume(state: State, uuid: str) -> tuple[str, DiskMark] | None:
    """Device and label of the physical volume with this UUID."""
    keys = [*(array.name for array in state.arrays if array.running), *_drives(state)]
    keys += [crypt.key for crypt in state.crypts if "/" not in crypt.below]  # one on a volume is none of its parts
    found = ((key, mark) for key in keys for mark in seen(state, key) if mark.kind == "LVM2_member")
    return next(((key, mark) for key, mark in found if mark.uuid == uuid), None)


def place_deep(drive: Drive, start: int, length: int, content: Iterable[DiskMark]) -> None:
    """A rebuilt member: its data area, from `start` on, holds `content` and nothing of before."""
    drive.writes += 1
    drive.marks = [
        *cut(drive.marks, start, length),
        *(replace(mark, offset=start + mark.offset) for mark in content if mark.offset + mark.length <= length),
    ]


def throw_out(array: Array, member: Member) -> None:
    """What md does with a member that cannot be written: it is faulty, the array goes on without it."""
    if member.state != "faulty":
        if member.state in ("rebuilding", "replacing"):
            array.sync = None
        member.state, array.dirty = "faulty", True
        if not enough(array):
            array.sync = None  # md.c: md_do_sync ends, and nothing is filled any more


def enough(array: Array) -> bool:
    """True when the members that are left still hold all data."""
    config = array.config
    there = {member.role for member in array.members if member.state == "active"}
    lost = [role for role in range(config.devices) if role not in there]
    match config.level:
        case "raid0":
            return not lost
        case "raid1":
            return bool(there)
        case "raid4" | "raid5":
            return len(lost) <= 1
        case "raid6":
            return len(lost) <= 2
        case "raid10":
            copies = int(config.layout[1:])
            first = range(0, config.devices, 1) if config.layout[0] != "n" else range(0, config.devices, copies)
            return all(any((start + copy) % config.devices in there for copy in range(copies)) for start in first)


def _drives(state: State) -> list[str]:
    return [drive.key for drive in state.drives if drive.present]


def _lead(array: Array) -> str | None:
    whole = [member for member in array.members if member.state == "active"]
    return min(whole, key=lambda member: member.role).key if whole and array.running else None


def _write(
    state: State, key: str, start: int, length: int, change: Callable[[list[DiskMark], int], list[DiskMark]]
) -> None:
    if (array := array_of(state, key)) is not None:
        if array.journal_lost or array.read_only:
            raise ProgramFailed(_EIO)
        array.waiting = False
        holders = [member for member in array.members if member.state in ("active", "rebuilding", "replacing")]
        if array.config.level == "raid0":
            holders = [member for member in holders if member.role == 0]
        for member in holders:
            try:
                _write(state, member.key, start + array.config.data_offset * SECTOR, length, change)
            except ProgramFailed:
                throw_out(array, member)
        if not enough(array):
            raise ProgramFailed(_EIO)
    elif (crypt := crypt_of(state, key)) is not None:
        _write(state, crypt.below, start + crypt.start, length, change)
    elif (volume := volume_of(state, key)) is not None:
        _write(state, volume[0], start + volume[1], length, change)
    else:
        drive, origin, _ = below(state, key)
        _write_drive(drive, origin + start, length)
        assert drive is not None
        drive.marks = change(drive.marks, origin + start)


def _write_drive(drive: Drive | None, start: int, length: int) -> None:
    if drive is None or not drive.present:
        raise ProgramFailed(_EIO)
    if drive.fails(start, length, writing=True):
        raise ProgramFailed(_EIO)
    drive.writes += 1
