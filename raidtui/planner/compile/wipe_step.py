"""Saving what identifies old content, then erasing it where it could come back."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.model.geometry import Prediction
from raidtui.model.plan import Command, PlanDisk, Reading, Step
from raidtui.model.units import MIB
from raidtui.planner.compile.names import partition_path
from raidtui.planner.compile.step_builder import Build, fact, in_groups, member_is_ours, only_if
from raidtui.tools import fstab, identity, mdadm, wipefs

END_BYTES = 4 * MIB
"""zeroed at each end of a disk and where an array's data will start: md, LVM, LUKS, GPT and file systems keep
what they are recognised by within"""


def save_step(build: Build) -> Step:
    """Copies of all signatures, and the proof that nothing holds any of the disks."""
    folder = build.names.state
    paths = _all_paths(build)
    return Step(
        number=0,
        stage="save",
        title="Save the signatures that are on the disks",
        purpose=f"wipefs copies every signature to {folder} before any is erased. It opens each disk exclusively, "
        "so a disk in use stops the run here.",
        actions=(
            fstab.make_directory(folder, 0o700),
            *(wipefs.save(folder, some) for some in in_groups(paths)),
        ),
        locks=tuple(disk.id for disk in build.disks),
        undo_note=f"{folder} is kept: it holds the log and what was saved.",
    )


def wipe_step(build: Build) -> Step:
    """Every disk blank at both ends and where an array's data will start; partitions first."""
    everyone = tuple(disk.id for disk in build.disks)
    actions: list[Command] = []
    actions += [wipefs.wipe(some) for some in in_groups(_partition_paths(build))]
    actions += [wipefs.wipe(some) for some in in_groups([disk.path for disk in build.disks])]
    for disk in build.disks:
        actions += [wipefs.zero(disk.path, *area) for area in wiped_areas(build.prediction, disk)]
    return Step(
        number=0,
        stage="wipe",
        title=f"Wipe {len(everyone)} disks",
        purpose="Erases old signatures at both ends of every disk and at the data offset of the arrays, so that no "
        "old content reappears in an array. Locks on the disks keep udev away meanwhile.",
        actions=tuple(actions),
        destroys=everyone,
        locks=everyone,
        after=_blank_readings(build.disks),
        undo=tuple(_undo(build)),
        undo_note="What was on the disks before is gone.",
    )


def _blank_readings(disks: Sequence[PlanDisk]) -> tuple[Reading, ...]:
    """The kernel and libblkid see nothing on the disks, and both ends are zero."""
    readings: list[Reading] = []
    for some in in_groups([disk.path for disk in disks]):
        which = f"{len(some)} disks from {some[0]} on"
        readings += [
            fact("blank", f"{which}: no signature", wipefs.question(some), ""),
            fact(
                "unused",
                f"{which}: no partitions, not held",
                identity.tree_question(some),
                identity.tree_answer(len(some)),
            ),
        ]
    for disk in disks:
        path, last = disk.path, disk.size_bytes - END_BYTES
        readings += [
            fact("blank", f"the first 4 MiB of {path} are zero", wipefs.zero_question(path, 0, END_BYTES), ""),
            fact("blank", f"the last 4 MiB of {path} are zero", wipefs.zero_question(path, last, END_BYTES), ""),
        ]
    return tuple(readings)


def _undo(build: Build) -> list[Command]:
    """Blanks what carries a superblock of the plan, and nothing else; the superblock, which proves it, goes last."""
    actions: list[Command] = []
    spares = {disk for array in build.legs for disk in array.spares}
    for disk in build.disks:
        # the monitor may have moved a spare to any array of the group
        for array in (each for each in build.legs if disk.id in each.members or disk.id in spares):
            ours = member_is_ours(disk.path, array)
            actions += blanking(build.prediction, disk, build.design.metadata, ours)
    return actions


def blanking(prediction: Prediction, disk: PlanDisk, metadata: str, ours: Reading) -> tuple[Command, ...]:
    """Zeroes what a wipe zeroes as long as `ours` holds: the superblock, which it is read from, goes last."""
    at = mdadm.superblock_offset(metadata, disk.size_bytes)
    areas = (*_without(wiped_areas(prediction, disk), at), (at, mdadm.SUPERBLOCK_BYTES))
    return tuple(only_if(ours, wipefs.zero(disk.path, *area)) for area in areas)


def wiped_areas(prediction: Prediction, disk: PlanDisk) -> tuple[tuple[int, int], ...]:
    """(offset, length) in bytes of what a wipe of the disk zeroes: start, where an array's data starts, end."""
    offsets = {0, disk.size_bytes - END_BYTES}
    data = mdadm.sectors_as_bytes(prediction.arrays[0].data_offset_sectors)
    if END_BYTES <= data <= disk.size_bytes - 2 * END_BYTES:
        offsets.add(data)
    return tuple((offset, END_BYTES) for offset in sorted(offsets))


def _without(areas: Sequence[tuple[int, int]], at: int) -> tuple[tuple[int, int], ...]:
    """The areas but for the superblock at `at`."""
    after = at + mdadm.SUPERBLOCK_BYTES
    pieces = [
        piece
        for start, length in areas
        for piece in ((start, min(start + length, at)), (max(start, after), start + length))
    ]
    return tuple((start, end - start) for start, end in pieces if start < end)


def _partition_paths(build: Build) -> list[str]:
    return [
        partition_path(bound.path, number)
        for bound, disk in zip(build.disks, build.taken, strict=True)
        for number in disk.partitions
    ]


def _all_paths(build: Build) -> list[str]:
    return [*_partition_paths(build), *(disk.path for disk in build.disks)]
