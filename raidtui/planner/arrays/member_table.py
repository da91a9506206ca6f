"""The partition table of a disk that comes where members are partitions: that of a member, with GUIDs of its own."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from uuid import UUID, uuid5

from raidtui.model.inventory import Disk
from raidtui.planner.geometry.gpt import table_bytes
from raidtui.tools.sfdisk import KIND, Dump

_NAMESPACE = UUID("3c9a4dd4-52cb-4f5f-8f0d-6a2a8e2f6d11")


def table_for(
    new: Disk | None, sources: Sequence[Disk], numbers: Collection[int], tables: Mapping[str, Dump]
) -> tuple[Dump, int] | None:
    """(table for `new`, bytes that a disk needs for it); None where no source has one that can be copied.

    A table that was written onto `new` before is known again; else the first of `sources` has it whose table is one of
    partitions 1 to n with these `numbers`. Without `new` the table is that of the source itself.
    """
    found = list(_sources(sources, numbers, tables))
    made = [
        (copied(table, disk.logical_sector_bytes, new) if new else table, _end(table, disk)) for disk, table in found
    ]
    begun = [each for each in made if new is not None and tables.get(new.kernel_name) == each[0]]
    return next(iter(begun + made), None)


def _sources(
    disks: Sequence[Disk], numbers: Collection[int], tables: Mapping[str, Dump]
) -> Iterator[tuple[Disk, Dump]]:
    for disk in disks:
        table = tables.get(disk.kernel_name)
        if table is None or table.label != KIND or len(table.entries) != len(disk.partitions):
            continue
        if set(numbers) <= set(disk.partitions) == set(range(1, len(disk.partitions) + 1)):
            yield disk, table


def copied(source: Dump, sector: int, new: Disk) -> Dump:
    """`source`, of a disk with sectors of `sector` bytes, for `new`: without names.

    A GUID follows from the disk and what it names, so that each call makes the same table of whichever member.
    """
    own = new.logical_sector_bytes

    def guid(*words: object) -> str:
        return str(uuid5(_NAMESPACE, " ".join(map(str, (new.id, *words)))))

    entries = tuple(
        replace(
            each, start_sectors=each.start_sectors * sector // own, size_sectors=each.size_sectors * sector // own,
            guid=guid(at, each.start_sectors * sector, each.size_sectors * sector), name="",
        )
        for at, each in enumerate(source.entries, start=1)
    )  # fmt: skip
    return Dump(label=KIND, guid=guid(len(entries)), entries=entries)


def _end(table: Dump, disk: Disk) -> int:
    sector = disk.logical_sector_bytes
    last = max(each.start_sectors + each.size_sectors for each in table.entries) * sector
    return last + table_bytes(sector)[1]
