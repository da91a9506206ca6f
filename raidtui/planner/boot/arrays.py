"""Arrays as the next boot is to find them: those of a plan, and what an act makes of arrays that exist.

planner/arrays/next_boot.py makes the same value of arrays that were observed.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from raidtui.model.boot import BootArray, BootArrays, BootMember
from raidtui.model.plan import Plan, PlanArray, PlanDisk
from raidtui.model.safe import safe


def planned_arrays(plan: Plan, *, built: bool) -> BootArrays:
    """The arrays of a plan; `built`: they exist, and so must their ARRAY lines."""
    disks = {disk.id: disk for disk in plan.disks}

    def members(array: PlanArray, ids: Collection[str]) -> tuple[BootMember, ...]:
        return tuple(_member(disks[each], array) if each in disks else BootMember(id=each, path=each) for each in ids)

    return BootArrays(
        host=plan.host,
        family=plan.initramfs,
        lines="written" if built else "planned",
        arrays=tuple(
            BootArray(
                name=array.name, uuid=array.uuid, device=array.device, label=f"{plan.host}:{array.name}",
                metadata=plan.design.metadata, level="", devices=len(array.members),
                members=members(array, array.members), spares=members(array, array.spares),
            )
            for array in plan.arrays
        ),
    )  # fmt: skip


def after_act(
    arrays: BootArrays, uuid: str, *, joins: Collection[BootMember] = (), spares: Collection[BootMember] = (),
    leaves: Collection[BootMember] = (), wiped: Collection[BootMember] = (),
) -> BootArrays:  # fmt: skip
    """`arrays` as they will be when an act on the array `uuid` is done.

    `joins` get a slot, `spares` none; `leaves` go out and keep their superblock, but for those that are also `wiped`.
    """
    out, gone = {each.key for each in leaves}, {each.key for each in wiped}
    come = {each.key for each in (*joins, *spares)}

    def changed(array: BootArray) -> BootArray:
        there = {each.key: each for each in (*array.members, *array.spares)}
        left = tuple(there.get(each.key, each) for each in leaves)
        return replace(
            array,
            members=(*(each for each in array.members if each.key not in out | come), *joins),
            spares=(*(each for each in array.spares if each.key not in out | come), *spares),
            removed=tuple(each for each in (*array.removed, *left) if each.key not in gone | come),
        )

    return replace(
        arrays, arrays=tuple(changed(each) if each.uuid == uuid else each for each in arrays.arrays)
    )  # fmt: skip


def _member(disk: PlanDisk, array: PlanArray) -> BootMember:
    parted = disk.table is not None
    return BootMember(
        id=disk.id, path=disk.member_of(array).path, disk_path=disk.path if parted else "",
        number=(array.partition or 1) if parted else 0,
        words=f"{disk.place.text or 'slot unknown'}, serial {safe(disk.serial or 'unknown')}",
    )  # fmt: skip
