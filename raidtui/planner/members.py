"""Which disk goes where: members of the first array, of the second, ..., then spares, dealt round the arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from raidtui.model.inventory import Disk
from raidtui.model.layout import Layout


@dataclass(frozen=True, slots=True)
class ArrayDisks:
    """The disks of one array, in the order given to mdadm."""

    members: tuple[Disk, ...]
    spares: tuple[Disk, ...]


def dealt(layout: Layout, disks: Sequence[Disk]) -> tuple[ArrayDisks, ...]:
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
