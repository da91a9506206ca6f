"""What is left on a disk, in words that are the same whatever the kernel calls the disk today."""

from __future__ import annotations

from raidtui.model.inventory import Disk


def contents(disk: Disk) -> tuple[str, ...]:
    """Kind and owner of everything that nothing holds now; empty for a blank disk.

    A partition is named by its number: `partition-table partition 1`, not `sda1`.
    """
    if disk.state == "blank":
        return ()
    between = "p" if disk.kernel_name[-1:].isdigit() else ""
    numbers = {f"{disk.kernel_name}{between}{number}": number for number in disk.partitions}
    found = []
    for use in disk.uses:
        if use.active:
            continue
        first, blank, rest = use.where.partition(" ")
        where = f"partition {numbers[first]}{blank}{rest}" if first in numbers else use.where
        found.append(f"{use.kind} {where}".strip())
    return tuple(found)
