"""Order of disks in a layout: members of the first array, of the second, ..., then spares, round-robin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from raidtui.model.inventory import Disk
from raidtui.model.layout import Layout

SPARE = "+"
"""label of a spare, as in `4x(12+2)+4`"""
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class ArrayDisks:
    """The disks of one array, in the order of the mdadm command."""

    members: tuple[Disk, ...]
    spares: tuple[Disk, ...]


def disks_by_array(layout: Layout, disks: Sequence[Disk]) -> tuple[ArrayDisks, ...]:
    """`disks` split over the arrays of `layout`; spare k goes to array k modulo the number of arrays.

    Raises ValueError unless `disks` has exactly `layout.disks` entries.
    """
    if len(disks) != layout.disks:
        raise ValueError(f"expected {layout.disks} disks for the layout, found {len(disks)}")
    spares = disks[layout.arrays * layout.members :]
    return tuple(
        ArrayDisks(
            tuple(disks[array * layout.members : (array + 1) * layout.members]), tuple(spares[array :: layout.arrays])
        )
        for array in range(layout.arrays)
    )


def groups_of(layout: Layout, disks: Sequence[Disk]) -> dict[str, str]:
    """Identity of each disk that the layout uses to the label of its array, `+` for a spare.

    Disks are used in order: members of the first array, of the second, ..., then spares.
    """
    members = layout.arrays * layout.members
    return {
        disk.id: array_label(number // layout.members) if number < members else SPARE
        for number, disk in enumerate(disks[: layout.disks])
    }


def array_label(array: int) -> str:
    """Unique label of an array: `A` for the first, ... `Z`, `a`, ... `z` for the 52nd, then `A1`, ..."""
    rounds, letter = divmod(array, len(_LETTERS))
    return _LETTERS[letter] + (str(rounds) if rounds else "")


def label_number(label: str) -> int:
    """Number of the array with `label`, from 0; the inverse of `array_label`."""
    return _LETTERS.index(label[0]) + len(_LETTERS) * int(label[1:] or 0)
