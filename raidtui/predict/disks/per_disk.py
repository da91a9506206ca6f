"""What follows from a disk alone: one object for all disks that agree in what decides it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import chain
from typing import Generic, TypeVar

from raidtui.values.inventory import Disk

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
        return list(dict.fromkeys(chain.from_iterable(self.of_arrays(arrays))))
