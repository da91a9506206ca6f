"""Gives each disk the partitions that become members, and takes the table away again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from raidtui.programs import identity, lsblk, mdadm, mount, sfdisk, systemd, udev, wipefs
from raidtui.programs.signatures import LENGTH, sample_offsets
from raidtui.sizes.partitions import start_bytes
from raidtui.steps.disk_binding import MARKED_BYTES, marked
from raidtui.steps.step_builder import StepContext, fact, group_text, in_groups, member_is_ours, only_if
from raidtui.values.codec import by_key
from raidtui.values.design import Design
from raidtui.values.plan import Command, PlanDisk, PlanMember, Reading, Step, WriteFile, partition_path
from raidtui.values.prediction import LvmGeometry, Prediction
from raidtui.values.units import MIB, counted, exact_binary

# The step that sets I/O scheduler and queue depth of the disks, by a udev rule file of the plan.


QUEUES = "disk-queues"
"""file in the run's directory: I/O scheduler and queue depth of each disk before the plan"""


def sets_queue(design: Design) -> bool:
    """True if the plan sets the I/O scheduler or the queue depth of its disks."""
    return design.io_scheduler is not None or design.queue_depth is not None


def queue_text(design: Design) -> str:
    """`I/O scheduler` and `queue depth`, those that the plan sets."""
    named = (("I/O scheduler", design.io_scheduler), ("queue depth", design.queue_depth))
    return " and ".join(name for name, value in named if value is not None)


def is_queue_step(step: Step, name: str) -> bool:
    """True for the step that writes the rule of the plan with this name."""
    path = udev.disks_path(name)
    return any(isinstance(action, WriteFile) and action.path == path for action in step.actions)


def queue_undone_text(design: Design, *, restored: bool) -> str:
    """What the disks have after an undo; empty if the plan sets nothing of the kind."""
    if not sets_queue(design):
        return ""
    if restored:
        return f"the disks have the {queue_text(design)} from before the plan"
    return f"the disks keep the running {queue_text(design)} until the next boot"


def queue_step(context: StepContext) -> Step:
    """Writes a udev rule that sets the values of each disk, spares included, now and whenever it appears."""
    design, path, text = context.design, udev.disks_path(context.names.name), _rule_text(context)
    same = fact("setting", f"{path} is as planned", identity.digest_question(path), identity.digest_answer(path, text))
    named = (("I/O scheduler", design.io_scheduler), ("Queue depth", design.queue_depth))
    values = "; ".join(f"{name} {value}" for name, value in named if value is not None)
    return Step(
        number=0,
        stage="tune",
        title=f"Set the {queue_text(design)} of the disks",
        purpose=f"{values}: for each of the {len(context.disks)} disks, spares included. A udev rule finds them by "
        f"their identity, now and at every boot.",
        actions=(
            WriteFile(path=path, text=text),
            udev.reload(),
            *(udev.trigger(disk.path) for disk in context.disks),
        ),
        after=(same, *(reading for disk in context.disks for reading in _readings(design, disk))),
        undo=(
            only_if(same, identity.remove((path,))),
            udev.reload(),
            # other rules of the machine may set values of their own; a disk that is absent is left out
            *(only_if(_readings(design, disk)[0], udev.trigger(disk.path)) for disk in context.disks),
        ),
        undo_note=f"The {queue_text(design)} that each disk had before is kept with the run. An undo sets it again "
        "unless another udev rule of the machine sets its own.",
    )


def _rule_text(context: StepContext) -> str:
    design = context.design
    return "\n".join(
        (
            f"# Disks of {context.names.name}, made by raidtui plan {context.names.run_id}.",
            *(udev.disk_line(disk.path, design.io_scheduler, design.queue_depth) for disk in context.disks),
        )
    )


def _readings(design: Design, disk: PlanDisk) -> tuple[Reading, ...]:
    """The kernel shows the planned values; at least one."""
    found = []
    if design.io_scheduler is not None:
        what = f"the I/O scheduler of {disk.path} is {design.io_scheduler}"
        found.append(
            fact("setting", what, lsblk.scheduler_question(disk.path), design.io_scheduler, about=(disk.path,))
        )
    if design.queue_depth is not None:
        found.append(
            fact(
                "setting",
                f"the queue depth of {disk.path} is {design.queue_depth}",
                udev.attributes_question(disk.path),
                udev.attribute_answer(str(design.queue_depth)),
                key=udev.QUEUE_DEPTH_KEY,
                about=(disk.path,),
            )
        )
    return tuple(found)


# Saves the old signatures, then erases them.


END_BYTES = 4 * MIB
"""bytes zeroed at each end of a disk and at the array's data offset; the signatures of md, LVM, LUKS, GPT and file
systems are within"""


def save_step(context: StepContext) -> Step:
    """Copies all signatures; fails if a disk is in use."""
    folder = context.names.state
    paths = _all_paths(context)
    return Step(
        number=0,
        stage="save",
        title="Save the signatures on the disks",
        purpose=f"wipefs copies every signature to {folder} before the wipe. It opens each disk exclusively, "
        "so a disk in use stops the run here.",
        actions=(
            mount.make_directory(folder, 0o700),
            *(wipefs.save(folder, some) for some in in_groups(paths)),
        ),
        locks=tuple(disk.id for disk in context.disks),
        undo_note=f"{folder} is kept: it holds the log and the saved signatures.",
    )


def wipe_step(context: StepContext) -> Step:
    """Blanks every disk at both ends and at the array's data offset; partitions first."""
    everyone = tuple(disk.id for disk in context.disks)
    actions: list[Command] = []
    actions += [wipefs.wipe(some) for some in in_groups(_partition_paths(context))]
    actions += [wipefs.wipe(some) for some in in_groups([disk.path for disk in context.disks])]
    for disk in context.disks:
        actions += [wipefs.zero(disk.path, *area) for area in wiped_areas(context.prediction, disk)]
    return Step(
        number=0,
        stage="wipe",
        title=f"Wipe {counted(len(everyone), 'disk')}",
        purpose=_purpose(context),
        actions=tuple(actions),
        destroys=everyone,
        locks=everyone,
        after=blank_readings(context.disks),
        undo=() if context.design.on_partitions else blank_members(context),
        undo_note="The content that the disks had before is lost.",
    )


def _purpose(context: StepContext) -> str:
    where = "at both ends of every disk"
    effect = "no old content is taken for the new"
    if not context.design.layout.plain:
        where, effect = f"{where} and at the data offset of the arrays", "no old content reappears in an array"
    return f"Erases old signatures {where}, so that {effect}. Advisory locks keep udev from opening the disks."


def blank_readings(disks: Sequence[PlanDisk]) -> tuple[Reading, ...]:
    """The disks have no signature, partition or user, and both ends are zero."""
    readings: list[Reading] = []
    for some in in_groups([disk.path for disk in disks]):
        which = group_text(some)
        readings += [
            fact("blank", f"{which}: no signature", wipefs.question(some), ""),
            fact(
                "unused",
                f"{which}: no partitions, not in use",
                identity.tree_question(some),
                identity.tree_answer(some),
            ),
        ]
    for disk in disks:
        path, last = disk.path, disk.size_bytes - END_BYTES
        readings += [
            fact("blank", f"the first 4 MiB of {path} are zero", wipefs.zero_question(path, 0, END_BYTES), ""),
            fact("blank", f"the last 4 MiB of {path} are zero", wipefs.zero_question(path, last, END_BYTES), ""),
        ]
    return tuple(readings)


def blank_members(context: StepContext) -> tuple[Command, ...]:
    """Blanks only members that have the superblock of their array; the superblock is erased last.

    mdadm's monitor, or a person, may have moved a disk to another array of the plan: an undo looks for that by itself.
    """
    actions: list[Command] = []
    if context.design.layout.plain:
        uuids = _plain_uuids(context)
        if not uuids:  # nothing is made on them
            return ()
        marks = dict(zip((disk.path for disk in context.disks), uuids, strict=True))
        return tuple(command for disk in context.disks for command in _blank_plain(context, disk, marks[disk.path]))
    arrays = by_key((disk, array) for array in context.arrays for disk in array.disks)
    for disk in context.disks:
        for array in arrays.get(disk.id, ()):
            member = disk.member_of(array)
            ours = member_is_ours(member.path, array)
            actions += blanking(context.prediction, member, context.design.metadata, ours)
    return tuple(actions)


def _plain_uuids(context: StepContext) -> tuple[str, ...]:
    """UUID that the plan writes at the start of each disk."""
    if context.lvm:
        return tuple(context.names.volume_uuid(part) for part in context.names.arrays)
    return tuple(made.uuid for made in context.filesystems)


def _blank_plain(context: StepContext, disk: PlanDisk, uuid: str) -> tuple[Command, ...]:
    """Zeroes what a wipe zeroes while the disk has the UUID; the start, from which that is read, last."""
    areas = (*without(wiped_areas(context.prediction, disk), 0, MARKED_BYTES), (0, MARKED_BYTES))
    return tuple(only_if(marked(disk.path, uuid), wipefs.zero(disk.path, *area)) for area in areas)


def blanking(prediction: Prediction, member: PlanMember, metadata: str, ours: Reading) -> tuple[Command, ...]:
    """Zeroes what a wipe zeroes while `ours` holds; the superblock, from which `ours` is read, last."""
    return tuple(only_if(ours, zero) for zero in _zeros(prediction, member, metadata))


def _zeros(prediction: Prediction, member: PlanMember, metadata: str) -> tuple[Command, ...]:
    """Zeroes what a wipe of the member zeroes; its superblock last."""
    at = mdadm.superblock_offset(metadata, member.size_bytes)
    areas = (*without(member_areas(prediction, member), at, mdadm.SUPERBLOCK_BYTES), (at, mdadm.SUPERBLOCK_BYTES))
    return tuple(wipefs.zero(member.path, *area) for area in areas)


def wiped_areas(prediction: Prediction, disk: PlanDisk) -> tuple[tuple[int, int], ...]:
    """(offset, length) in bytes of the areas that a wipe of the disk zeroes: both ends, and those of its members."""
    if disk.table is None:
        return member_areas(prediction, disk.members[0])
    last = disk.size_bytes - END_BYTES
    inside = {member.start_bytes + offset for member in disk.members for offset, _ in member_areas(prediction, member)}
    starts = sorted({0, last, *inside})
    return _joined((start, END_BYTES) for start in starts if start <= last)


def member_areas(prediction: Prediction, member: PlanMember) -> tuple[tuple[int, int], ...]:
    """(offset, length) in bytes of the areas of a member that are blank before it joins: start, data offsets, end."""
    offsets = {0, member.size_bytes - END_BYTES}
    arrays = (*prediction.arrays, *(prediction.journals or ()))
    starts = {mdadm.sectors_as_bytes(array.data_offset_sectors) for array in arrays}
    if prediction.arrays[0].level == "disk" and isinstance(prediction.volume, LvmGeometry):
        starts = {prediction.volume.pe_start_bytes}
    offsets |= {data for data in starts if END_BYTES <= data <= member.size_bytes - 2 * END_BYTES}
    return tuple((offset, END_BYTES) for offset in sorted(offsets))


def sampled_areas(prediction: Prediction, disk: PlanDisk, member: PlanMember) -> tuple[tuple[int, int], ...]:
    """(offset, length) on the disk of the places in a member that the blank check of an inventory reads, too, and that
    a wipe leaves as they are."""
    wiped = wiped_areas(prediction, disk)
    first, last = member.start_bytes, member.start_bytes + member.size_bytes - LENGTH
    return tuple(
        (at, LENGTH)
        for at in sample_offsets(disk.size_bytes, disk.logical_sector_bytes)
        if first <= at <= last and not any(start - LENGTH < at < start + length for start, length in wiped)
    )


def _joined(areas: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """The areas, in order, those that overlap as one."""
    found: list[tuple[int, int]] = []
    for start, length in areas:
        if found and start <= sum(found[-1]):
            found[-1] = (found[-1][0], start + length - found[-1][0])
        else:
            found.append((start, length))
    return tuple(found)


def without(areas: Sequence[tuple[int, int]], at: int, length: int) -> tuple[tuple[int, int], ...]:
    """The areas, each (offset, length) in bytes, without the `length` bytes at `at`."""
    after = at + length
    pieces = [
        piece
        for start, length in areas
        for piece in ((start, min(start + length, at)), (max(start, after), start + length))
    ]
    return tuple((start, end - start) for start, end in pieces if start < end)


def _partition_paths(context: StepContext) -> list[str]:
    return [
        partition_path(bound.path, number)
        for bound, disk in zip(context.disks, context.inventory_disks, strict=True)
        for number in disk.partitions
    ]


def _all_paths(context: StepContext) -> list[str]:
    return [*_partition_paths(context), *(disk.path for disk in context.disks)]


def partition_step(context: StepContext) -> Step:
    """Writes one table per disk, under the disk's own lock; udev makes the links of the partitions afterwards."""
    everyone = tuple(disk.id for disk in context.disks)
    return Step(
        number=0,
        stage="partition",
        title=f"Partition {counted(len(everyone), 'disk')}",
        purpose=f"One GPT on each disk with {_partitions(context)}, from {_start(context)} on. Type, GUIDs "
        "and every sector are explicit; sfdisk gets them on its standard input and erases no signature by itself.",
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
    if context.design.layout.hybrid is not None:
        return "a partition for md in every band that it reaches"
    sizes = {member.size_bytes for disk in context.disks for member in disk.members}
    return f"one partition for md, {exact_binary(sizes.pop()) if len(sizes) == 1 else 'the largest that fits'}"


def _start(context: StepContext) -> str:
    """Where the first partition of every disk starts."""
    return exact_binary(start_bytes(context.design))


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
