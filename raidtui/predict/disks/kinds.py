"""Kinds of disks: most disks of a machine agree in all that sizes and findings depend on."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Generic, TypeVar

from raidtui.predict.disks.families import is_shingled
from raidtui.predict.disks.holds import is_path
from raidtui.values.inventory import Disk, Lun
from raidtui.values.members import same_again

# What follows from a disk alone, found once for each object: many layouts of the same disks are asked for.


_Found = TypeVar("_Found")
_MOST_SEEN = 4096
"""disks of which the object is remembered: more than any one machine has"""


class PerDisk(Generic[_Found]):
    """`find` of many disks."""

    def __init__(self, find: Callable[[Disk], _Found], like: Callable[[Disk], Hashable] | None = None) -> None:
        """`like`: what of a disk decides what is found, which is one object for disks that agree in it."""
        self._find = find
        self._like = like
        self._seen: tuple[dict[int, _Found], list[Disk]] = {}, []
        """what was found, by the identity of the object, which stays that of its disk as long as the disk is kept"""
        self._alike: dict[Hashable, _Found] = {}
        self._each = same_again(self._of_each)
        self._arrays = same_again(self._of_arrays)

    def of(self, disk: Disk) -> _Found:
        """What is found of `disk`."""
        return self.each((disk,))[0]

    def each(self, disks: Iterable[Disk]) -> tuple[_Found, ...]:
        """What is found of each of `disks`; without a call for each where all were seen."""
        return self._each(tuple(disks))

    def of_arrays(self, arrays: Iterable[Sequence[Disk]]) -> tuple[tuple[_Found, ...], ...]:
        """What is found of each disk of each of `arrays`."""
        return self._arrays(*map(tuple, arrays))

    def distinct(self, arrays: Iterable[Sequence[Disk]]) -> list[_Found]:
        """The objects that are found of any disk of `arrays`, each once."""
        found = tuple(chain.from_iterable(self.of_arrays(arrays)))
        return list(dict(zip(map(id, found), found, strict=True)).values())

    def _of_each(self, disks: tuple[Disk, ...]) -> tuple[_Found, ...]:
        try:
            return tuple(map(self._seen[0].__getitem__, map(id, disks)))
        except KeyError:
            return self._learn(disks)

    def _of_arrays(self, *arrays: tuple[Disk, ...]) -> tuple[tuple[_Found, ...], ...]:
        found = iter(self._of_each(tuple(chain.from_iterable(arrays))))
        return tuple([tuple(islice(found, len(disks))) for disks in arrays])

    def _learn(self, disks: Sequence[Disk]) -> tuple[_Found, ...]:
        """What is found of each of `disks`, of which some were not seen."""
        if len(self._seen[0]) + len(disks) > _MOST_SEEN:
            self._seen = {}, []
        found, kept = self._seen  # another thread may begin anew
        new = {id(disk): disk for disk in disks if id(disk) not in found}
        kept += new.values()
        found.update((number, self._found(disk)) for number, disk in new.items())
        return tuple([found[id(disk)] for disk in disks])

    def _found(self, disk: Disk) -> _Found:
        if self._like is None:
            return self._find(disk)
        like = self._like(disk)
        if like not in self._alike:
            self._alike[like] = self._find(disk)
        return self._alike[like]


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
