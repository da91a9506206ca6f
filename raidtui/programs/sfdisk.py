"""sfdisk: writes and prints partition tables (util-linux 2.36+; sfdisk(8)); blkid reads them back from the disk.

`--wipe=never`: sfdisk erases no signature by itself; the disk was wiped and read back before. The script on standard
input gives every sector, so that no version's default matters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from raidtui.values.plan import Command, PlanDisk, PlanTable
from raidtui.values.units import SECTOR

LINUX_RAID = "a19d880f-05fc-4d3b-a006-743f0f84911e"
"""type GUID of a Linux RAID partition (systemd's Discoverable Partitions, libfdisk's gpt types)"""
KIND = "gpt"
"""libblkid's name of the table"""
PROTECTIVE = "PMBR"
"""libblkid's name of the MBR in front of it"""
_ENTRY = re.compile(
    r"^\S+ : start= *(\d+), size= *(\d+), type=([0-9A-Fa-f-]+), uuid=([0-9A-Fa-f-]+)(?:, name=\"(.*?)\")?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableEntry:
    """A partition in a dump."""

    start_sectors: int
    """in logical sectors of the disk"""
    size_sectors: int
    """in logical sectors of the disk"""
    type: str
    """type GUID, lower case"""
    guid: str
    """GUID, lower case"""
    name: str
    """name; empty for none"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dump:
    """A partition table as `dump` prints it."""

    label: str
    """kind of table"""
    guid: str
    """GUID of the table, lower case"""
    entries: tuple[TableEntry, ...]


def create(disk: PlanDisk, table: PlanTable) -> Command:
    """Writes the plan's table onto the disk."""
    return write(disk.path, planned(disk, table))


def write(path: str, table: Dump) -> Command:
    """Writes a table onto a disk; fails when the disk or a partition of it is in use."""
    return Command(argv=write_argv(path), effect="destroy", devices=(path,), stdin=script(table))


def write_argv(path: str) -> tuple[str, ...]:
    """The call that gets a `script` on its standard input."""
    return ("sfdisk", "--lock=yes", "--wipe=never", "--wipe-partitions=never", path)


def script(table: Dump) -> str:
    """The script on sfdisk's standard input; the partitions are numbered in order."""
    return "\n".join(
        (
            "label: gpt",
            f"label-id: {table.guid}",
            "unit: sectors",
            "table-length: 128",
            *(
                f"start={entry.start_sectors}, size={entry.size_sectors}, type={entry.type}, uuid={entry.guid}, "
                f'name="{entry.name}"'
                for entry in table.entries
            ),
            "",
        )
    )


def dump(device: str) -> tuple[str, ...]:
    """The partition table of a disk, read from the disk."""
    return ("sfdisk", "--dump", device)


def parse(text: str) -> Dump:
    """The output of `dump`."""
    heads = dict(line.split(": ", 1) for line in text.splitlines() if re.match(r"[a-z-]+: ", line))
    found = (_ENTRY.match(line) for line in text.splitlines())
    return Dump(
        label=heads.get("label", ""),
        guid=heads.get("label-id", "").lower(),
        entries=tuple(
            TableEntry(
                start_sectors=int(match[1]), size_sectors=int(match[2]), type=match[3].lower(), guid=match[4].lower(),
                name=match[5] or "",
            )
            for match in found
            if match
        ),
    )  # fmt: skip


def planned(disk: PlanDisk, table: PlanTable) -> Dump:
    """What `dump` prints of the disk with the plan's table."""
    return Dump(label=KIND, guid=table.guid, entries=_entries(disk, table))


def table_question(device: str) -> tuple[str, ...]:
    """PTTYPE=gpt and PTUUID= of a disk, read from the disk."""
    return ("blkid", "--probe", "--output", "export", device)


def entry_answers(table: PlanTable, number: int) -> tuple[tuple[str, str], ...]:
    """Keys and values that blkid prints of the plan's partition `number`; its sectors have 512 bytes (libblkid)."""
    entry = table.entries[number - 1]
    return (
        ("PART_ENTRY_UUID", entry.partition_guid),
        ("PART_ENTRY_TYPE", LINUX_RAID),
        ("PART_ENTRY_NAME", entry.name),
        ("PART_ENTRY_NUMBER", str(number)),
        ("PART_ENTRY_OFFSET", str(entry.start_bytes // SECTOR)),
        ("PART_ENTRY_SIZE", str(entry.size_bytes // SECTOR)),
    )


def copied_answers(entry: TableEntry, number: int, sector_bytes: int) -> tuple[tuple[str, str], ...]:
    """Keys and values that blkid prints of partition `number` of a table that `write` wrote."""
    per_sector = sector_bytes // SECTOR
    return (
        ("PART_ENTRY_UUID", entry.guid),
        ("PART_ENTRY_TYPE", entry.type),
        ("PART_ENTRY_NUMBER", str(number)),
        ("PART_ENTRY_OFFSET", str(entry.start_sectors * per_sector)),
        ("PART_ENTRY_SIZE", str(entry.size_sectors * per_sector)),
    )


def reread(disk: str) -> Command:
    """Has the kernel read the table of a disk again; fails while a partition of it is in use."""
    return Command(argv=("blockdev", "--rereadpt", disk), effect="change", devices=(disk,), retry="while busy")


def _entries(disk: PlanDisk, table: PlanTable) -> tuple[TableEntry, ...]:
    sector = disk.logical_sector_bytes
    return tuple(
        TableEntry(
            start_sectors=entry.start_bytes // sector, size_sectors=entry.size_bytes // sector, type=LINUX_RAID,
            guid=entry.partition_guid, name=entry.name,
        )
        for entry in table.entries
    )  # fmt: skip
