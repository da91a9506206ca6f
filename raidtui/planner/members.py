"""Order of disks in a layout: members of the first array, of the second, ..., then spares, round-robin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from raidtui.model.inventory import Disk
from raidtui.model.layout import AnyLayout, HybridLayout, Layout
from raidtui.planner.array_labels import SPARE, array_label
from raidtui.planner.same_again import same_again


@dataclass(frozen=True, slots=True)
class ArrayDisks:
    """The disks of one array, in the order of the mdadm command."""

    members: tuple[Disk, ...]
    spares: tuple[Disk, ...]


def disks_of(layout: AnyLayout, disks: Sequence[Disk]) -> tuple[Disk, ...]:
    """Those of `disks` that `layout` uses: the first of them; all where they are too few."""
    return _first(layout, tuple(disks))


@same_again
def _first(layout: AnyLayout, disks: tuple[Disk, ...]) -> tuple[Disk, ...]:
    return disks[: layout.disks]


def disks_by_array(layout: AnyLayout, disks: Sequence[Disk]) -> tuple[ArrayDisks, ...]:
    """`disks` split over the arrays of `layout`; spare k goes to array k modulo the number of arrays.

    Of a hybrid layout a disk is in every band that it reaches, and each spare in all of them.
    Raises ValueError unless `disks` has exactly `layout.disks` entries.
    """
    return _split(layout, tuple(disks))


@same_again
def _split(layout: AnyLayout, disks: tuple[Disk, ...]) -> tuple[ArrayDisks, ...]:
    if len(disks) != layout.disks:
        raise ValueError(f"expected {layout.disks} disks for the layout, found {len(disks)}")
    spares = disks[layout.member_disks :]
    if isinstance(layout, HybridLayout):
        numbers = [band.members for band in layout.bands or ()] or [tuple(range(layout.hybrid_disks))]
        return tuple(ArrayDisks(tuple(disks[each] for each in band), spares) for band in numbers)
    return tuple(
        ArrayDisks(disks[start:end], spares[array :: layout.arrays])
        for array, (start, end) in enumerate(pairwise(array_bounds(layout)))
    )


def array_bounds(layout: AnyLayout) -> tuple[int, ...]:
    """Number of the first member of each array, and last the number of members in all.

    Of a hybrid layout those of its first band, which has a member on every disk.
    """
    if isinstance(layout, HybridLayout):
        return (0, layout.hybrid_disks)
    if isinstance(layout, Layout):
        return tuple(range(0, layout.member_disks + 1, layout.members))
    return (0, *accumulate(shape.members for shape in layout.shapes))


def groups_of(layout: AnyLayout, disks: Sequence[Disk]) -> dict[str, str]:
    """Identity of each disk that the layout uses to the label of its array, `+` for a spare.

    Disks are used in order: members of the first array, of the second, ..., then spares.
    """
    bounds = array_bounds(layout)
    labels: list[str] = []
    for array, (start, end) in enumerate(pairwise(bounds)):
        labels += [array_label(array)] * (end - start)
    labels += [SPARE] * layout.spares
    return {disk.id: label for disk, label in zip(disks, labels, strict=False)}
