"""The partition table of a disk that comes where members are partitions: that of a member, with GUIDs of its own."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from uuid import UUID, uuid5

from raidtui.model.inventory import Disk
from raidtui.planner.geometry.gpt import table_bytes
from raidtui.tools.sfdisk import KIND, Dump

_NAMESPACE = UUID("3c9a4dd4-52cb-4f5f-8f0d-6a2a8e2f6d11")


def table_of(
    old: Disk | None, disks: Sequence[Disk], numbers: Collection[int], tables: Mapping[str, Dump]
) -> tuple[Disk, Dump] | None:
    """The disk with its GPT that is copied: `old`, else the one of `disks` with the fewest partitions.

    It has those with `numbers`, and counts from 1 without a gap. None: there is none."""
    found = [
        (disk, table)
        for disk in disks
        if (table := tables.get(disk.kernel_name)) is not None and table.label == KIND
        and set(numbers) <= set(disk.partitions) == set(range(1, len(table.entries) + 1))
    ]  # fmt: skip
    return min(found, key=lambda each: (each[0] is not old, len(each[1].entries)), default=None)


def bytes_for(disk: Disk, table: Dump) -> int:
    """Bytes that another disk needs for the table of `disk`."""
    sector = disk.logical_sector_bytes
    return max(each.start_sectors + each.size_sectors for each in table.entries) * sector + table_bytes(sector)[1]


def copied(disk: Disk, table: Dump, new: Disk) -> Dump:
    """The table of `disk` for `new`, without names.

    A GUID follows from the disk and what it names, so that each call makes the same table of whichever member.
    """
    sector, own = disk.logical_sector_bytes, new.logical_sector_bytes

    def guid(*words: int) -> str:
        return str(uuid5(_NAMESPACE, " ".join((new.id, *map(str, words)))))

    entries = tuple(
        replace(each, start_sectors=start // own, size_sectors=size // own, guid=guid(at, start, size), name="")
        for at, each in enumerate(table.entries, start=1)
        for start, size in ((each.start_sectors * sector, each.size_sectors * sector),)
    )
    return Dump(label=KIND, guid=guid(len(entries)), entries=entries)
