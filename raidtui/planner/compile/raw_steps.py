"""Steps of a benchmark that writes zeros to blank disks, or to arrays of a plan that hold nothing.

Zeros on what reads as zero change nothing, whenever the writing ends: all that a command writes is read before it
(machine/bench/raw_writes.py). Signatures, users and both ends are read before and after each command.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from raidtui.model.counted import counted
from raidtui.model.errors import Refused
from raidtui.model.plan import Command, Plan, PlanArray, PlanDisk, Reading, Step
from raidtui.planner.compile.step_builder import array_is_ours, fact, only_if
from raidtui.planner.compile.wipe_step import END_BYTES, blank_readings
from raidtui.tools import identity, wipefs


def require_no_volume(plan: Plan) -> None:
    """Raises Refused if the arrays of the plan carry a volume or a file system."""
    if plan.filesystems or plan.prediction.volume is not None:
        what = "a file system" if plan.filesystems else "a volume"
        raise Refused(
            f"the arrays of this plan carry {what}, which raw writes would destroy",
            hint="measure files on it: raidtui bench RUN; for raw writes plan with --fs none --stack separate",
        )


def write_steps(plan: Plan, argv: Sequence[str], paths: Sequence[str], title: str) -> tuple[Step, Step]:
    """A step that reads that the devices are blank, and one that runs `argv`, which writes zeros to all of them.

    `paths`: the plan's paths of disks or arrays, each of which `argv` names.
    """
    disks = tuple(disk for disk in plan.disks if disk.path in paths)
    ids = tuple(disk.id for disk in disks)
    command = Command(
        argv=tuple(argv), effect="destroy", devices=tuple(paths), members=tuple(disk.path for disk in disks)
    )
    before = check_step(plan, paths)
    actions = (*(_claim(path, command) for path in paths), command)
    if not disks:  # what a disk holds is read by the guard before each command
        held = fact("blank", f"{', '.join(paths)}: no signature", wipefs.question(paths), "")
        actions = tuple(only_if(held, action) for action in actions)
    return before, Step(
        number=2, stage="measure", title=title,
        purpose="blkdiscard opens each device exclusively, so that one in use stops the benchmark here. fio writes "
        "zeros to what was read as zero before.",
        actions=actions, destroys=ids, locks=ids, after=before.after,
    )  # fmt: skip


def _claim(path: str, command: Command) -> Command:
    """Zeroes the first 4 MiB of a blank device, which fails where anything has it open exclusively."""
    return replace(wipefs.zero(path, 0, END_BYTES), members=tuple(each for each in command.members if each == path))


def check_step(plan: Plan, paths: Sequence[str]) -> Step:
    """Reads that the disks or arrays at `paths` are blank and unused; changes nothing."""
    disks = tuple(disk for disk in plan.disks if disk.path in paths)
    arrays = tuple(array for array in plan.arrays if array.device in paths)
    return Step(
        number=1, stage="measure", title=f"Read as blank: {_count(disks, arrays)}",
        purpose="No signature, no user, zeros at both ends; all that is written is read before it is.", actions=(),
        after=(*blank_readings(disks), *(reading for array in arrays for reading in _empty_readings(plan, array))),
    )  # fmt: skip


def array_readings(plan: Plan, array: PlanArray) -> tuple[Reading, Reading]:
    """The plan's array runs at its path, with the planned size."""
    size = plan.prediction.arrays[plan.arrays.index(array)].array_bytes
    what = f"{array.device} has {size} bytes"
    return array_is_ours(array), fact("predicted", what, identity.size_question(array.device), str(size))


def _empty_readings(plan: Plan, array: PlanArray) -> tuple[Reading, ...]:
    """The array is the plan's, has no signature and no user, and both ends are zero."""
    geometry = plan.prediction.arrays[plan.arrays.index(array)]
    device, size = array.device, geometry.array_bytes
    length = min(END_BYTES, size)
    unused = f'TYPE="{geometry.level}" MOUNTPOINT=""'
    return (
        *array_readings(plan, array),
        fact("blank", f"{device}: no signature", wipefs.question((device,)), ""),
        fact("unused", f"{device}: nothing on it", identity.tree_question((device,)), unused),
        fact("blank", f"the first 4 MiB of {device} are zero", wipefs.zero_question(device, 0, length), ""),
        fact("blank", f"the last 4 MiB of {device} are zero", wipefs.zero_question(device, size - length, length), ""),
    )


def _count(disks: Sequence[PlanDisk], arrays: Sequence[PlanArray]) -> str:
    return counted(len(arrays), "array") if arrays else counted(len(disks), "disk")
