"""Selects disks and arrays of a scene by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from raidtui.model.errors import BadInput
from raidtui.model.gauges import Scene, WatchedArray, WatchedDisk


def selected(scene: Scene, names: Sequence[str]) -> tuple[Scene, frozenset[str] | None]:
    """The part of `scene` selected by `names`, and its kernel names; all of it and None without names.

    A disk is named by kernel name, identity, serial number or slot, an array by kernel name or title; an array includes
    its members, spares and lower arrays. Raises BadInput for an unknown name.
    """
    if not names:
        return scene, None
    only: set[str] = set()
    for name in names:
        short = name.removeprefix("/dev/").removeprefix("md/")
        found = {array.name for array in scene.arrays if short and short in (array.name, array.title)}
        found |= {disk.name for disk in scene.disks if short in _names(disk)}
        if not found:
            raise BadInput(f"no disk or array is named {name}", hint="raidtui watch --plain --count 1 lists them")
        only |= found
    for array in reversed(scene.arrays):  # outer ones first
        if array.name in only:
            only |= {*array.members, *array.spares, *_hangers_on(scene, array)}
    part = replace(
        scene,
        disks=tuple(disk for disk in scene.disks if disk.name in only),
        arrays=tuple(array for array in scene.arrays if array.name in only),
    )
    return part, frozenset(only)


def _names(disk: WatchedDisk) -> set[str]:
    return {disk.name, disk.id, disk.serial, disk.slot} - {""}


def _hangers_on(scene: Scene, array: WatchedArray) -> set[str]:
    """Disks of the array that are neither members nor spares, such as a failed one."""
    return {disk.name for disk in scene.disks if disk.array == array.name}
