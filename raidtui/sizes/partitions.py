"""Where the partitions of members lie on their disk: a GUID partition table with aligned partitions, mostly one.

Source: UEFI 2.10, 5.3 (a header of one sector and 128 entries of 128 bytes at either end, behind the protective MBR);
alignment to 1 MiB as sfdisk and parted choose it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from raidtui.values.design import Design
from raidtui.values.inventory import Disk
from raidtui.values.layout import Band, Layout
from raidtui.values.members import ArrayDisks
from raidtui.values.units import MIB, round_down, round_up

FIRST_BYTES = MIB
"""where partitions start; the table before it takes 34 sectors of 512 bytes, or 6 of 4096"""
_ENTRIES = 128 * 128
"""bytes of the entries of a table"""


def table_bytes(sector_bytes: int) -> tuple[int, int]:
    """(bytes at the start of a disk, bytes at its end) that the table takes; the protective MBR is at the start."""
    entries = -(-_ENTRIES // sector_bytes) * sector_bytes
    return 2 * sector_bytes + entries, sector_bytes + entries


def start_bytes(design: Design) -> int:
    """Byte of every disk at which the first member of `design` starts: behind the table and the room that it leaves."""
    left = design.partitions.leave_bytes if design.partitions is not None else None
    return FIRST_BYTES + round_up(left or 0, MIB)


def largest_partition(size_bytes: int, sector_bytes: int, start: int = FIRST_BYTES) -> int:
    """Bytes of the largest partition from `start` on whose end is aligned to 1 MiB; 0 if there is none."""
    return max(0, round_down(size_bytes - table_bytes(sector_bytes)[1], MIB) - start)


def partition_bytes(design: Design, disk: Disk) -> int:
    """Bytes of the member of `disk` in `design`: of the whole disk, or of its partition. A hybrid layout has bands."""
    if design.partitions is None:
        return disk.size_bytes
    largest = largest_partition(disk.size_bytes, disk.logical_sector_bytes, start_bytes(design))
    wanted = design.partitions.size_bytes
    return largest if wanted is None else min(largest, round_down(wanted, MIB))


def with_members(design: Design, array: int, share: ArrayDisks) -> ArrayDisks:
    """The share of array number `array` with the sizes of the members in place of those of the disks."""
    if (hybrid := design.layout.hybrid) is not None and hybrid.bands is not None:
        size = hybrid.bands[array].size_bytes
        return ArrayDisks(
            *(tuple(replace(disk, size_bytes=size) for disk in part) for part in (share.members, share.spares))
        )
    if design.partitions is None:
        return share
    return replace(share, members=_sized(design, share.members), spares=_sized(design, share.spares))


def _sized(design: Design, disks: Sequence[Disk]) -> tuple[Disk, ...]:
    return tuple(replace(disk, size_bytes=partition_bytes(design, disk)) for disk in disks)


# The bands of a hybrid layout: where disks of mixed size are cut, so that every piece has partners of its size.
# A band ends where the smallest disks that reach into it end; the next is over the disks that go on. Disks within 1 %
# of one another end together, since a band between them would cost more in superblocks and code paths than it holds.


_ALIKE = 0.99
"""disks whose ends differ by less than 1 % end together"""


def on_disks(design: Design, disks: Sequence[Disk]) -> Design:
    """`design` with its hybrid layout cut for the first disks of `disks`; other designs and cut ones as they are.

    It stays as it is too if there are too few disks, or if one is too small for a partition.
    """
    layout = design.layout
    hybrid = layout.hybrid
    if hybrid is None or hybrid.bands is not None or len(disks) < layout.disks:
        return design
    found = bands_of(hybrid.failures, disks[: hybrid.disks], start_bytes(design))
    return replace(design, layout=Layout.over(replace(hybrid, bands=found), layout.spares)) if found else design


def bands_of(failures: int, disks: Sequence[Disk], start: int = FIRST_BYTES) -> tuple[Band, ...]:
    """The bands over `disks`, from byte `start` on; none if one of the disks has no room for a partition.

    Where fewer disks go on than survive `failures` failed ones, the rest of them stays unused.
    """
    ends = [partition_end(disk) for disk in disks]
    if min(ends) <= start:
        return ()
    bands: list[Band] = []
    for cut in _cuts(ends):
        members = tuple(number for number, end in enumerate(ends) if end >= cut)
        if len(members) <= failures:
            break
        bands.append(Band(members=members, start_bytes=start, size_bytes=cut - start))
        start = cut
    return tuple(bands)


def partition_end(disk: Disk) -> int:
    """Byte at which the last partition of `disk` ends at most; `FIRST_BYTES` if there is room for none."""
    return FIRST_BYTES + largest_partition(disk.size_bytes, disk.logical_sector_bytes)


def _cuts(ends: Sequence[int]) -> list[int]:
    """Where bands end, in order: at the shortest of the disks that are alike."""
    cuts: list[int] = []
    for end in sorted(ends):
        if not cuts or cuts[-1] < _ALIKE * end:
            cuts.append(end)
    return cuts
