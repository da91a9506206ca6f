"""Saves the old signatures, then erases them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from raidtui.model.by_key import by_key
from raidtui.model.counted import counted
from raidtui.model.geometry import LvmGeometry, Prediction
from raidtui.model.plan import Command, PlanDisk, PlanMember, Reading, Step, partition_path
from raidtui.model.units import MIB
from raidtui.planner.compile.plain_disks import MARKED_BYTES, marked
from raidtui.planner.compile.step_builder import StepContext, fact, group_text, in_groups, member_is_ours, only_if
from raidtui.tools import fstab, identity, mdadm, wipefs
from raidtui.tools.samples import LENGTH, sample_offsets

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
            fstab.make_directory(folder, 0o700),
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
    arrays = by_key((disk, array) for array in context.data_arrays for disk in (*array.members, *array.spares))
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
    areas = (*_without(wiped_areas(context.prediction, disk), 0, MARKED_BYTES), (0, MARKED_BYTES))
    return tuple(only_if(marked(disk.path, uuid), wipefs.zero(disk.path, *area)) for area in areas)


def blanking(prediction: Prediction, member: PlanMember, metadata: str, ours: Reading) -> tuple[Command, ...]:
    """Zeroes what a wipe zeroes while `ours` holds; the superblock, from which `ours` is read, last."""
    return tuple(only_if(ours, zero) for zero in _zeros(prediction, member, metadata))


def _zeros(prediction: Prediction, member: PlanMember, metadata: str) -> tuple[Command, ...]:
    """Zeroes what a wipe of the member zeroes; its superblock last."""
    at = mdadm.superblock_offset(metadata, member.size_bytes)
    areas = (*_without(member_areas(prediction, member), at, mdadm.SUPERBLOCK_BYTES), (at, mdadm.SUPERBLOCK_BYTES))
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
    starts = {mdadm.sectors_as_bytes(array.data_offset_sectors) for array in prediction.arrays}
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


def _without(areas: Sequence[tuple[int, int]], at: int, length: int) -> tuple[tuple[int, int], ...]:
    """The areas without the `length` bytes of a superblock at `at`."""
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
