"""Copy sets of RAID10: the members that hold the copies of one chunk, and orders that separate failure domains."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.model.layout import AnyLayout, Layout
from raidtui.planner.members import array_bounds


def has_copy_sets(layout: Layout) -> bool:
    """True if members form sets of `copies` with the same data: RAID10 near with members divisible by copies."""
    return layout.level == "raid10" and layout.spread == "n" and layout.members % layout.copies == 0


def interleaved(disks: Sequence[int], domain: Sequence[int]) -> list[int]:
    """The disks in an order round the array with the shortest possible runs of one domain.

    If one domain has more than half of the disks, the others are inserted at even distances. Otherwise the even
    positions are filled and then the odd ones, domain by domain, so that no neighbours share a domain.
    """
    inside: dict[int, list[int]] = {}
    for disk in disks:
        inside.setdefault(domain[disk] if domain[disk] >= 0 else -1 - disk, []).append(disk)
    runs = sorted(inside.values(), key=lambda run: (-len(run), run))
    flat = [disk for run in runs for disk in run]
    count = len(flat)
    around: list[int] = [-1] * count
    if 2 * len(runs[0]) > count:
        others = flat[len(runs[0]) :]
        for number, disk in enumerate(others):
            around[number * count // len(others)] = disk
        most = iter(runs[0])
        return [next(most) if disk < 0 else disk for disk in around]
    for place, disk in zip([*range(0, count, 2), *range(1, count, 2)], flat, strict=True):
        around[place] = disk
    return around


def sets_of_slots(layout: AnyLayout) -> list[list[int]]:
    """Sets of slots whose joint loss matters: an array, or neighbours that hold the copies of a chunk.

    If the members are not divisible by near copies, all neighbours are separated, some of them unnecessarily.
    """
    found: list[list[int]] = []
    for shape, start in zip(layout.shapes, array_bounds(layout), strict=False):
        if shape.level != "raid10":
            found.append(list(range(start, start + shape.members)))
            continue
        step = shape.copies if has_copy_sets(shape) else 1
        found += [
            [start + (first + copy) % shape.members for copy in range(shape.copies)]
            for first in range(0, shape.members, step)
        ]
    return found
