"""Where the partitions of members lie on their disk: a GUID partition table with aligned partitions, mostly one.

Source: UEFI 2.10, 5.3 (a header of one sector and 128 entries of 128 bytes at either end, behind the protective MBR);
alignment to 1 MiB as sfdisk and parted choose it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from raidtui.model.design import Design
from raidtui.model.inventory import Disk
from raidtui.model.layout import HybridLayout
from raidtui.model.units import MIB, round_down
from raidtui.planner.members import ArrayDisks

START_BYTES = MIB
"""where the partition starts; the table before it takes 34 sectors of 512 bytes, or 6 of 4096"""
_ENTRIES = 128 * 128
"""bytes of the entries of a table"""


def table_bytes(sector_bytes: int) -> tuple[int, int]:
    """(bytes at the start of a disk, bytes at its end) that the table takes; the protective MBR is at the start."""
    entries = -(-_ENTRIES // sector_bytes) * sector_bytes
    return 2 * sector_bytes + entries, sector_bytes + entries


def largest_partition(size_bytes: int, sector_bytes: int) -> int:
    """Bytes of the largest partition from `START_BYTES` whose end is aligned to 1 MiB; 0 if there is none."""
    end = round_down(size_bytes - table_bytes(sector_bytes)[1], MIB)
    return max(0, end - START_BYTES)


def partition_bytes(design: Design, disk: Disk) -> int:
    """Bytes of the member of `disk` in `design`: of the whole disk, or of its partition. A hybrid layout has bands."""
    if design.partitions is None:
        return disk.size_bytes
    largest = largest_partition(disk.size_bytes, disk.logical_sector_bytes)
    wanted = design.partitions.size_bytes
    return largest if wanted is None else min(largest, round_down(wanted, MIB))


def with_members(design: Design, array: int, share: ArrayDisks) -> ArrayDisks:
    """The share of array number `array` with the sizes of the members in place of those of the disks."""
    if isinstance(design.layout, HybridLayout) and design.layout.bands is not None:
        size = design.layout.bands[array].size_bytes
        return ArrayDisks(
            *(tuple(replace(disk, size_bytes=size) for disk in part) for part in (share.members, share.spares))
        )
    if design.partitions is None:
        return share
    return ArrayDisks(_sized(design, share.members), _sized(design, share.spares))


def _sized(design: Design, disks: Sequence[Disk]) -> tuple[Disk, ...]:
    return tuple(replace(disk, size_bytes=partition_bytes(design, disk)) for disk in disks)
