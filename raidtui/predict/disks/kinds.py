"""Kinds of disks: most disks of a machine agree in all that sizes and findings depend on."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Generic, TypeVar

from raidtui.predict.disks.families import is_shingled
from raidtui.predict.disks.holds import is_path
from raidtui.values.inventory import Disk, Lun

# What follows from a disk alone: one object for all disks that agree in what decides it.


_Found = TypeVar("_Found")


class PerDisk(Generic[_Found]):
    """`find` of many disks."""

    def __init__(self, find: Callable[[Disk], _Found], like: Callable[[Disk], Hashable]) -> None:
        """`like`: what of a disk decides what is found, which is one object for disks that agree in it."""
        self._find = find
        self._like = like
        self._alike: dict[Hashable, _Found] = {}

    def of(self, disk: Disk) -> _Found:
        """What is found of `disk`."""
        like = self._like(disk)
        if like not in self._alike:
            self._alike[like] = self._find(disk)
        return self._alike[like]

    def each(self, disks: Iterable[Disk]) -> tuple[_Found, ...]:
        """What is found of each of `disks`."""
        return tuple(map(self.of, disks))

    def of_arrays(self, arrays: Iterable[Sequence[Disk]]) -> tuple[tuple[_Found, ...], ...]:
        """What is found of each disk of each of `arrays`."""
        return tuple(map(self.each, arrays))

    def distinct(self, arrays: Iterable[Sequence[Disk]]) -> list[_Found]:
        """The objects that are found of any disk of `arrays`, each once."""
        return list({id(found): found for found in chain.from_iterable(self.of_arrays(arrays))}.values())


@dataclass(frozen=True, slots=True, eq=False)
class DiskKind:
    """What alike disks have in common, one object for all of them; the fields are those of `Disk`."""

    size_bytes: int
    logical_sector_bytes: int
    physical_sector_bytes: int
    optimal_io_bytes: int
    rotational: bool | None
    lun: Lun | None
    remarkable: bool
    """True if anything in a disk's own state can be a finding"""


def _fields(disk: Disk) -> tuple[int, int, int, int, bool | None, Lun | None, bool]:
    remarkable = bool(
        disk.state != "blank"
        or disk.not_selectable is not None
        or disk.protected
        or disk.zoned != "none"
        or is_shingled(disk)
        or (disk.smart is not None and disk.smart.healthy is False)
        or (disk.uses and is_path(disk))
        or disk.bound_by_path
        or disk.multipath
        or disk.nominal_size
    )
    return (
        disk.size_bytes, disk.logical_sector_bytes, disk.physical_sector_bytes, disk.optimal_io_bytes, disk.rotational,
        disk.lun, remarkable,
    )  # fmt: skip


DISK_KINDS = PerDisk(lambda disk: DiskKind(*_fields(disk)), like=_fields)
"""the kind of each disk"""
