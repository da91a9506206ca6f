"""What follows from a disk alone, found once for each object: many layouts of the same disks are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import itemgetter
from typing import Any, Generic, TypeVar

from raidtui.model.inventory import Disk

_Found = TypeVar("_Found")
_MOST_SEEN = 4096
"""disks of which the object is remembered: more than any one machine has"""
_FOUND = itemgetter(1)


class PerDisk(Generic[_Found]):
    """`find` of many disks."""

    def __init__(self, find: Callable[[Disk], _Found]) -> None:
        self._find = find
        self._seen: dict[int, tuple[Disk, Any]] = {}
        """by the identity of the object, which stays that of this disk as long as it is kept here"""

    def of(self, disk: Disk) -> _Found:
        """What is found of `disk`."""
        return self.each((disk,))[0]

    def each(self, disks: Iterable[Disk]) -> list[_Found]:
        """What is found of each of `disks`; without a call for each where all were seen."""
        disks = tuple(disks)
        try:
            return list(map(_FOUND, map(self._seen.__getitem__, map(id, disks))))
        except KeyError:
            return [self._new(disk) for disk in disks]

    def distinct(self, disks: Iterable[Disk]) -> list[_Found]:
        """The objects that are found of any of `disks`, each once."""
        found = self.each(disks)
        return list(dict(zip(map(id, found), found, strict=True)).values())

    def _new(self, disk: Disk) -> _Found:
        if id(disk) not in self._seen and len(self._seen) >= _MOST_SEEN:
            self._seen.clear()
        found: _Found
        _, found = self._seen.setdefault(id(disk), (disk, self._find(disk)))
        return found
