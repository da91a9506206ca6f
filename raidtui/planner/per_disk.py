"""What follows from a disk alone, found once for each object: many layouts of the same disks are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, islice
from typing import Generic, TypeVar

from raidtui.model.inventory import Disk

_Found = TypeVar("_Found")
_MOST_SEEN = 4096
"""disks of which the object is remembered: more than any one machine has"""


class PerDisk(Generic[_Found]):
    """`find` of many disks."""

    def __init__(self, find: Callable[[Disk], _Found]) -> None:
        self._find = find
        self._seen: tuple[dict[int, _Found], list[Disk]] = {}, []
        """what was found, by the identity of the object, which stays that of its disk as long as the disk is kept"""

    def of(self, disk: Disk) -> _Found:
        """What is found of `disk`."""
        return self.each((disk,))[0]

    def each(self, disks: Iterable[Disk]) -> list[_Found]:
        """What is found of each of `disks`; without a call for each where all were seen."""
        disks = tuple(disks)
        try:
            return list(map(self._seen[0].__getitem__, map(id, disks)))
        except KeyError:
            self._learn(disks)
            return self.each(disks)

    def of_arrays(self, arrays: Sequence[Sequence[Disk]]) -> list[tuple[_Found, ...]]:
        """What is found of each disk of each of `arrays`."""
        found = iter(self.each(chain.from_iterable(arrays)))
        return [tuple(islice(found, len(disks))) for disks in arrays]

    def distinct(self, disks: Iterable[Disk]) -> list[_Found]:
        """The objects that are found of any of `disks`, each once."""
        found = self.each(disks)
        return list(dict(zip(map(id, found), found, strict=True)).values())

    def _learn(self, disks: Sequence[Disk]) -> None:
        """Finds what is not known yet of `disks`."""
        if len(self._seen[0]) + len(disks) > _MOST_SEEN:
            self._seen = {}, []
        found, kept = self._seen  # another thread may begin anew
        for disk in disks:
            if id(disk) not in found:
                kept.append(disk)
                found[id(disk)] = self._find(disk)
