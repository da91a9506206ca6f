"""What an md array survives, asked of its layout: whether every chunk keeps a copy, or enough of its stripe.

Sources: Linux drivers/md/raid10.c (__raid10_find_phys, setup_geo, enough), raid5.c, raid1.c, raid0.c.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from raidtui.values.arrays import MdShape


def holds_all(shape: MdShape, gone: Collection[int]) -> bool | None:
    """True if the members left hold every chunk without the slots `gone`; None for a shape that is not known."""
    if not shape.devices:
        return None
    if shape.parity is not None:
        return len(set(gone)) <= shape.parity
    if shape.level == "raid1":
        return len(set(gone)) < shape.devices
    groups = copies_of(shape)
    return None if groups is None else all(group.difference(gone) for group in groups)


def starts(shape: MdShape, gone: Collection[int]) -> bool | None:
    """True if md starts the array without these slots: it asks RAID10 for one of each run of neighbours alone."""
    if shape.level != "raid10" or not shape.devices:
        return holds_all(shape, gone)
    near, far = _copies(shape)
    there = set(range(shape.devices)).difference(gone)
    first = 0
    while True:
        if there.isdisjoint((first + step) % shape.devices for step in range(near * far)):
            return False
        first = (first + near) % shape.devices
        if first == 0:
            return holds_all(shape, gone)


def further_failures(shape: MdShape, gone: Collection[int] = ()) -> int | None:
    """Failures of further members that it survives, whichever they are; None for a shape that is not known.

    0 also where data is lost already."""
    if not shape.devices:
        return None
    lost = len(set(gone))
    if shape.parity is not None:
        return max(0, shape.parity - lost)
    if shape.level == "raid1":
        return max(0, shape.devices - 1 - lost)
    groups = copies_of(shape)
    return None if groups is None else max(0, min(len(group.difference(gone)) for group in groups) - 1)


@lru_cache(maxsize=256)
def copies_of(shape: MdShape) -> frozenset[frozenset[int]] | None:
    """For each chunk of a RAID10 the slots that hold its copies, each set once; None for what is no RAID10."""
    near, far = _copies(shape)
    size = _set_size(shape)
    if shape.level != "raid10" or not near or not far or size is None or near * far > shape.devices:
        return None
    return frozenset(
        _slots(shape.devices, first, near, far, size)
        for first in {chunk * near % shape.devices for chunk in range(shape.devices)}
    )


def _slots(devices: int, first: int, near: int, far: int, size: int) -> frozenset[int]:
    """Slots of the copies of a chunk whose first copy is in the slot `first` (__raid10_find_phys)."""
    last_start = (devices // size - 1) * size
    last_size = size + devices % size
    found = set()
    for step in range(near):
        slot = (first + step) % devices
        found.add(slot)
        inside = slot // size
        for _ in range(1, far):
            slot += near
            if devices % size and slot > last_start:
                slot = (slot - last_start) % last_size + last_start
            else:
                slot = slot % size + size * inside
            found.add(slot)
    return frozenset(found)


def _copies(shape: MdShape) -> tuple[int, int]:
    return shape.layout & 0xFF, shape.layout >> 8 & 0xFF


def _set_size(shape: MdShape) -> int | None:
    near, far = _copies(shape)
    match shape.layout >> 17:
        case 0:
            return shape.devices
        case 1:
            return shape.devices // far if far else None
        case 2:
            return near * far
        case _:
            return None
