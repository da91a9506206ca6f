"""What is left on a disk, in words that are the same whatever the kernel calls the disk today."""

from __future__ import annotations

from dataclasses import replace

from raidtui.model.inventory import UNSIGNED_MIDDLE, Disk, Use
from raidtui.model.plan import PlanDisk, PlanPartition

_MIDDLE = Use(kind="data", where=UNSIGNED_MIDDLE, active=False)


def contents(disk: Disk) -> tuple[str, ...]:
    """Kind and owner of everything that nothing holds now; empty for a blank disk.

    A partition is named by its number: `partition-table partition 1`, not `sda1`.
    """
    if disk.state == "blank":
        return ()
    numbers = _numbers(disk)
    found = []
    for use in disk.uses:
        if use.active:
            continue
        first, blank, rest = use.where.partition(" ")
        where = f"partition {numbers[first]}{blank}{rest}" if first in numbers else use.where
        found.append(f"{use.kind} {where}".strip())
    return tuple(found)


def as_accepted(planned: PlanDisk, disk: Disk) -> Disk:
    """`disk`, with the bytes between its zero ends that `planned` gives up where none of them is found now.

    Fewer bytes than accepted are no change: the disks of a tuning hold what earlier trials wrote, or not.
    """
    if disk.state == "blank" and planned.content == (f"{_MIDDLE.kind} {_MIDDLE.where}",):
        return replace(disk, state="content", uses=(*disk.uses, _MIDDLE))
    return disk


def partitions(disk: Disk) -> tuple[PlanPartition, ...]:
    """Each partition with what lsblk shows of its content."""
    return tuple(
        PlanPartition(
            number=number,
            holds="; ".join(
                use.where.removeprefix(f"{before} ")
                for use in disk.uses
                for before in (name, f"partition {number}")
                if not use.active and use.kind != "partition-table" and use.where.startswith(f"{before} ")
            ),
        )
        for name, number in _numbers(disk).items()
    )


def _numbers(disk: Disk) -> dict[str, int]:
    """The numbers of its partitions by their kernel names."""
    between = "p" if disk.kernel_name[-1:].isdigit() else ""
    return {f"{disk.kernel_name}{between}{number}": number for number in disk.partitions}
