"""Which disk goes where: members of the first array, of the second, ..., then spares, dealt round the arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from raidtui.model.inventory import Disk
from raidtui.model.layout import Layout

SPARE = "+"
"""what a spare is labelled with, as in `4x(12+2)+4`"""
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class ArrayDisks:
    """The disks of one array, in the order given to mdadm."""

    members: tuple[Disk, ...]
    spares: tuple[Disk, ...]


def disks_by_array(layout: Layout, disks: Sequence[Disk]) -> tuple[ArrayDisks, ...]:
    """`disks` shared out over the arrays of `layout`: spare k goes to array k modulo the arrays.

    Raises ValueError unless there are exactly as many disks as the layout takes.
    """
    if len(disks) != layout.disks:
        raise ValueError(f"the layout takes {layout.disks} disks, not {len(disks)}")
    spares = disks[layout.arrays * layout.members :]
    return tuple(
        ArrayDisks(
            tuple(disks[array * layout.members : (array + 1) * layout.members]), tuple(spares[array :: layout.arrays])
        )
        for array in range(layout.arrays)
    )


def groups_of(layout: Layout, disks: Sequence[Disk]) -> dict[str, str]:
    """For each of `disks` that the layout takes, by identity: the label of its array, or `+` for a spare.

    They are taken in order: members of the first array, of the second, ..., then spares.
    """
    members = layout.arrays * layout.members
    return {
        disk.id: array_label(number // layout.members) if number < members else SPARE
        for number, disk in enumerate(disks[: layout.disks])
    }


def array_label(array: int) -> str:
    """`A` for the first array, `Z`, `a`, ... `z` for the 52nd, then `A1` and on: never the same for two arrays."""
    rounds, letter = divmod(array, len(_LETTERS))
    return _LETTERS[letter] + (str(rounds) if rounds else "")


def label_number(label: str) -> int:
    """The array that `label` means, counted from 0; the inverse of `array_label`."""
    return _LETTERS.index(label[0]) + len(_LETTERS) * int(label[1:] or 0)
