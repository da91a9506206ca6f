"""Content of an unused disk, independent of its kernel name."""

from __future__ import annotations

from dataclasses import replace

from raidtui.model.inventory import UNSIGNED_MIDDLE, Disk, DiskContent, Use
from raidtui.model.plan import PlanDisk, PlanPartition

_MIDDLE = Use(kind="data", where=UNSIGNED_MIDDLE, active=False)


def contents(disk: Disk) -> tuple[DiskContent, ...]:
    """All content that is not in use; empty for a blank disk."""
    if disk.state == "blank":
        return ()
    return tuple(_content(use) for use in disk.uses if not use.active)


def _content(use: Use) -> DiskContent:
    where = use.where if use.partition is None else str(use.signature or "")
    return DiskContent(kind=use.kind, where=where, partition=use.partition, signature=use.signature)


def as_accepted(planned: PlanDisk, disk: Disk) -> Disk:
    """`disk` with the accepted bytes between its zero ends added if none are found now.

    Less content than accepted is not a change: disks of a tuning may hold data of earlier trials. A LUN has the
    geometry that was stated for the plan: no machine reports one.
    """
    disk = disk if disk.lun == planned.lun else replace(disk, lun=planned.lun)
    zero_ends = not planned.fingerprint and not planned.partitions
    if disk.state == "blank" and zero_ends and [left.kind for left in planned.content] == ["data"]:
        return replace(disk, state="content", uses=(*disk.uses, _MIDDLE))
    return disk


def partitions(disk: Disk) -> tuple[PlanPartition, ...]:
    """Each partition with its content as shown by lsblk."""
    left = [use for use in disk.uses if not use.active and use.signature is not None]
    return tuple(
        PlanPartition(number=number, holds="; ".join(str(use.signature) for use in left if use.partition == number))
        for number in disk.partitions
    )
