"""Gives each disk the partitions that become members, and takes the table away again."""

from __future__ import annotations

from raidtui.model.counted import counted
from raidtui.model.layout import HybridLayout
from raidtui.model.plan import Command, PlanDisk, Reading, Step
from raidtui.model.units import MIB, exact_binary
from raidtui.planner.compile.step_builder import StepContext, fact, in_groups, only_if
from raidtui.planner.compile.wipe_step import blank_members
from raidtui.tools import identity, sfdisk, systemd, wipefs


def partition_step(context: StepContext) -> Step:
    """Writes one table per disk, under the disk's own lock; udev makes the links of the partitions afterwards."""
    everyone = tuple(disk.id for disk in context.disks)
    return Step(
        number=0,
        stage="partition",
        title=f"Partition {counted(len(everyone), 'disk')}",
        purpose=f"One GPT on each disk with {_partitions(context)}, from 1 MiB on. Type, GUIDs and every sector "
        "are explicit; sfdisk gets them on its standard input and erases no signature by itself.",
        actions=(*_creates(context), systemd.settle()),
        destroys=everyone,
        after=(
            *(reading for disk in context.disks for reading in table_readings(disk)),
            *(
                fact("blank", f"{len(some)} partitions from {some[0]} on: no signature", wipefs.question(some), "")
                for some in in_groups([member.path for disk in context.disks for member in disk.members])
            ),
        ),
        undo=(*blank_members(context), *(command for disk in context.disks for command in _remove(disk))),
    )


def _partitions(context: StepContext) -> str:
    """What each disk gets, in words."""
    if isinstance(context.design.layout, HybridLayout):
        return "a partition for md in every band that it reaches"
    sizes = {member.size_bytes for disk in context.disks for member in disk.members}
    return f"one partition for md, {exact_binary(sizes.pop()) if len(sizes) == 1 else 'the largest that fits'}"


def table_readings(disk: PlanDisk) -> tuple[Reading, ...]:
    """The disk has the plan's table, and its partitions the planned types, GUIDs, names and sectors."""
    table = disk.table
    if table is None:
        return ()
    return (
        table_is_ours(disk, table.guid),
        *(
            fact("predicted", f"{part.path} has {key}={value}", sfdisk.table_question(part.path), value, key=key)
            for number, part in enumerate(disk.members, start=1)
            for key, value in sfdisk.entry_answers(table, number)
        ),
    )


def table_is_ours(disk: PlanDisk, guid: str) -> Reading:
    """The partition table on the disk has this GUID."""
    question = sfdisk.table_question(disk.path)
    return fact("ours", f"{disk.path} has the partition table {guid}", question, guid, key="PTUUID")


def _creates(context: StepContext) -> tuple[Command, ...]:
    return tuple(sfdisk.create(disk, disk.table) for disk in context.disks if disk.table is not None)


def _remove(disk: PlanDisk) -> tuple[Command, ...]:
    """Erases the table by which the disk is recognised, and has the kernel forget its partitions."""
    if disk.table is None:
        return ()
    ours = table_is_ours(disk, disk.table.guid)
    count = len(disk.members)
    those = "an unused partition" if count == 1 else f"{count} unused partitions"
    shown = fact(
        "unused", f"the kernel shows {those} of {disk.path}", identity.tree_question((disk.path,)),
        identity.tree_answer((disk.path,), count),
    )  # fmt: skip
    return (
        *(only_if(ours, command) for command in table_zeroed(disk)),
        only_if(shown, sfdisk.reread(disk.path)),
    )


def table_zeroed(disk: PlanDisk) -> tuple[Command, ...]:
    """Zeroes both copies of the table, the one at the start last and at once."""
    return wipefs.zero(disk.path, disk.size_bytes - MIB, MIB), wipefs.zero(disk.path, 0, MIB)
