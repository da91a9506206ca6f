"""Order of disks in a design: members of the first array, of the second, ..., spares, round-robin, then journals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from raidtui.values.design import Design
from raidtui.values.inventory import Disk
from raidtui.values.layout import Layout

# Labels of the arrays of a layout, and the names that its arrays get.


SPARE = "+"
"""label of a spare, as in `4x(12+2)+4`"""
JOURNAL = "="
"""label of a disk with a write journal"""
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def array_label(array: int) -> str:
    """Unique label of an array: `A` for the first, ... `Z`, `a`, ... `z` for the 52nd, then `A1`, ..."""
    rounds, letter = divmod(array, len(_LETTERS))
    return _LETTERS[letter] + (str(rounds) if rounds else "")


def part_names(name: str, count: int) -> tuple[str, ...]:
    """Names of the `count` arrays, or disks without md, of the plan with this base name."""
    return tuple(f"{name}-{number}" for number in range(count)) if count > 1 else (name,)


def label_number(label: str) -> int:
    """Number of the array with `label`, from 0; the inverse of `array_label`."""
    return _LETTERS.index(label[0]) + len(_LETTERS) * int(label[1:] or 0)


@dataclass(frozen=True, slots=True)
class ArrayDisks:
    """The disks of one array, in the order of the mdadm command."""

    members: tuple[Disk, ...]
    spares: tuple[Disk, ...]
    journal: tuple[Disk, ...] = ()
    """disks that carry its write journal"""

    @property
    def disks(self) -> tuple[Disk, ...]:
        """All of them."""
        return self.members + self.spares + self.journal


def disks_of(layout: Layout, disks: Sequence[Disk]) -> tuple[Disk, ...]:
    """Those of `disks` that `layout` uses: the first of them; all where they are too few."""
    return tuple(disks[: layout.disks])


def disks_by_array(layout: Layout, disks: Sequence[Disk]) -> tuple[ArrayDisks, ...]:
    """`disks` split over the arrays of `layout`; spare k goes to array k modulo the number of arrays.

    Of a hybrid layout a disk is in every band that it reaches, and each spare in all of them.
    Raises ValueError unless `disks` has exactly `layout.disks` entries.
    """
    if len(disks) != layout.disks:
        raise ValueError(f"expected {layout.disks} disks for the layout, found {len(disks)}")
    disks = tuple(disks)
    spares = disks[layout.member_disks :]
    if layout.hybrid is not None:
        numbers = [band.members for band in layout.hybrid.bands or ()] or [tuple(range(layout.hybrid.disks))]
        return tuple(ArrayDisks(tuple(disks[each] for each in band), spares) for band in numbers)
    return tuple(
        ArrayDisks(disks[start:end], spares[array :: layout.arrays])
        for array, (start, end) in enumerate(pairwise(array_bounds(layout)))
    )


def shares_of(design: Design, disks: Sequence[Disk]) -> tuple[ArrayDisks, ...]:
    """The first of `disks` split over the arrays of `design`; those of the journals follow the disks of its layout."""
    shares = disks_by_array(design.layout, disks_of(design.layout, disks))
    each, logs = design.journal or 0, tuple(disks[design.layout.disks : design.disks])
    return tuple(replace(share, journal=logs[each * at : each * (at + 1)]) for at, share in enumerate(shares))


def array_bounds(layout: Layout) -> tuple[int, ...]:
    """Number of the first member of each array, and last the number of members in all.

    Of a hybrid layout those of its first band, which has a member on every disk.
    """
    shapes = layout.shapes if layout.hybrid is None else (layout.first,)
    return (0, *accumulate(shape.members for shape in shapes))


def groups_of(layout: Layout, disks: Sequence[Disk], journals: int = 0) -> dict[str, str]:
    """Identity of each disk that the layout and its `journals` use to its array's label, `+` a spare, `=` a journal.

    Disks are used in order: members of the first array, of the second, ..., then spares, then journals.
    """
    bounds = array_bounds(layout)
    labels: list[str] = []
    for array, (start, end) in enumerate(pairwise(bounds)):
        labels += [array_label(array)] * (end - start)
    labels += [SPARE] * layout.spares + [JOURNAL] * journals
    return {disk.id: label for disk, label in zip(disks, labels, strict=False)}
