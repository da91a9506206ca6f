"""Which members of a RAID10 array hold the copies of one chunk, and how to keep failure domains apart there."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.model.layout import Layout


def has_copy_sets(layout: Layout) -> bool:
    """True where members fall into sets of `copies` that hold the same: RAID10 near, evenly divided."""
    return layout.level == "raid10" and layout.spread == "n" and layout.members % layout.copies == 0


def interleaved(disks: Sequence[int], domain: Sequence[int]) -> list[int]:
    """Round the array as few neighbours of one domain in a row as can be.

    A domain of more than half the array has the others put between it at even distances. Otherwise the even places
    are filled and then the odd ones, domain by domain, so that no neighbours are of one domain.
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


def sets_of_slots(layout: Layout) -> list[list[int]]:
    """The slots whose common loss counts: an array, or neighbours that hold the copies of a chunk.

    Where near copies do not divide the members evenly, all neighbours are kept apart, some of them without need.
    """
    starts = range(0, layout.arrays * layout.members, layout.members)
    if layout.level != "raid10":
        return [list(range(start, start + layout.members)) for start in starts]
    step = layout.copies if has_copy_sets(layout) else 1
    return [
        [start + (first + copy) % layout.members for copy in range(layout.copies)]
        for start in starts
        for first in range(0, layout.members, step)
    ]
