"""Trials of a layout with every requested chunk, file system and options of both, each as an ordinary plan.

Trials that differ only in options of mkfs or mount share an array: they have one run, and `remade` gives the steps
from one to the next.

The compiler of builds compiles them, with a limit on the part used of each member and without boot configuration; so
checks, verification and undo are those of a build. Ids derive from the request and the number of equal requests
before it, so a dry run shows the digest that confirms the next real run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

from raidtui.predict.checks.all_checks import check_count
from raidtui.predict.design import predict
from raidtui.programs import identity, mount_options, wipefs
from raidtui.programs.mkfs_options import measurable, parse_mkfs
from raidtui.programs.names import trial_mount_point
from raidtui.steps.build import compile_plan
from raidtui.steps.disk_steps import END_BYTES, blank_readings
from raidtui.steps.step_builder import array_is_ours, fact, only_if
from raidtui.values.bench import Profile
from raidtui.values.choices import Bitmap, Initramfs, MadeFileSystem
from raidtui.values.codec import document_digest, plain
from raidtui.values.design import DEFAULTS, Design, Ext4Options, FileSystemOptions, Trial
from raidtui.values.errors import BadInput, Refused
from raidtui.values.findings import errors, first_of
from raidtui.values.inventory import UNSIGNED_MIDDLE, Disk, Inventory, Use
from raidtui.values.layout import Layout
from raidtui.values.members import disks_of
from raidtui.values.notation import show
from raidtui.values.plan import Command, Plan, PlanArray, PlanDisk, Reading, Step
from raidtui.values.trials import Tuning, Variant
from raidtui.values.units import GIB, KIB, MIB, counted, exact_binary

NAME = "trial"
"""base name of every trial's arrays and volume group; only one trial exists at a time"""
LEAST_SLICE = 64 * MIB
_PAUSE, _AROUND, _REMADE = 3.0, 90.0, 10.0
"""estimated seconds: between repeats; per array for building, filling and undoing; for mkfs and mount on it again"""
_CHUNKLESS = ("raid1", "disk")


def chunk_range(least: int, most: int) -> tuple[int, ...]:
    """Powers of two from `least` to `most` bytes. Raises BadInput when there is none."""
    found = tuple(4 * KIB << power for power in range(20) if least <= 4 * KIB << power <= most)
    if not found:
        raise BadInput(f"no power of two between {least} and {most} bytes", hint="write for example --chunks 16K..1M")
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialRequest:
    """Request for a tuning: layout, chunks, file systems, workloads."""

    design: Design
    """layout and fixed options; its chunk and file system are ignored"""
    chunks: tuple[int, ...] = chunk_range(64 * KIB, MIB)
    """bytes, without duplicates"""
    file_systems: tuple[MadeFileSystem, ...] = ("xfs",)
    slice_bytes: int = 2 * GIB
    first_sync: bool = False
    profile: str = "quick"
    """name of the workloads"""
    seconds: float | None = None
    """of each measurement, where it is not the profile's own"""
    repeats: int | None = 3
    """the same"""
    mkfs: tuple[str, ...] = ("",)
    """sets of options of mkfs to try, as --mkfs has them; each where the file system has them"""
    mount_options: tuple[str, ...] = ("",)
    """the same of mount"""


def tuning(
    ask: TrialRequest,
    inventory: Inventory,
    disks: Sequence[Disk],
    *,
    host: str,
    before: int = 0,
    initramfs: Initramfs = "debian",
) -> tuple[Tuning, tuple[Plan, ...]]:
    """All trials of `ask` on the first disks of `disks`, with a plan each; `before`: number of equal requests so far.

    Raises BadInput or Refused if one of them is invalid.
    """
    _check(ask)
    if ask.design.layout.hybrid is not None:
        raise Refused(
            "a tuning measures whole disks, not bands of mixed disks",
            hint="tune the widest of its arrays, for example raidtui tune '(3+1)'; the best chunk serves all bands",
        )
    # a single mirror has no chunk; of separate arrays one is enough for a trial
    shapes = ask.design.layout.shapes
    layout = Layout.joined(shapes[:1] if ask.design.stack == "separate" else shapes)
    base = replace(ask.design, layout=layout, bitmap=_bitmap(ask, disks))
    if lacking := errors(check_count(layout, len(disks))):
        raise Refused(first_of(lacking), hint=lacking[0].way_out)
    taken = disks_of(layout, disks)
    later = blanked(inventory, taken)
    known = {disk.id: disk for disk in later.disks}
    emptied = tuple(known[disk.id] for disk in taken)
    asked = (plain(ask), plain(taken), inventory.machine_id, host, before)
    id = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:32]
    plans: list[Plan] = []
    variants: list[Variant] = []
    trial = Trial(slice_bytes=ask.slice_bytes, first_sync=ask.first_sync)
    for fs, chunk in product(ask.file_systems, ask.chunks):
        array = f"{exact_binary(chunk)} {fs}"
        run_id = hashlib.sha256(f"{id} {array}".encode()).hexdigest()[:32]
        # the first array erases the disks' content; the others find disks without signatures
        on, found = (later, emptied) if plans else (inventory, taken)
        for mkfs, mount, options in formats(ask, fs):
            design = replace(base, chunk_bytes=chunk, fs=fs, trial=trial, fs_options=options)
            name = " ".join(filter(None, (array, mkfs, mount)))
            plan = compile_plan(
                design, on, found, predict(design, found), run_id=run_id, name=NAME,
                mount_point=trial_mount_point(run_id), host=host, initramfs=initramfs,
            )  # fmt: skip
            plans.append(plan)
            variants.append(
                Variant(
                    number=len(plans),
                    name=name,
                    chunk_bytes=chunk,
                    fs=fs,
                    mkfs=mkfs,
                    mount_options=mount,
                    run_id=run_id,
                    plan_digest=plan.digest,
                    volume_bytes=plan.prediction.volume_bytes,
                )
            )
    made = Tuning(
        id=id, host=host, machine_id=inventory.machine_id, simulated=inventory.simulated,
        layout=plans[0].prediction.layout, asked_layout=show(ask.design.layout), slice_bytes=ask.slice_bytes,
        first_sync=ask.first_sync, profile=ask.profile, seconds=ask.seconds, repeats=ask.repeats,
        disks=tuple(disk.id for disk in taken), variants=tuple(variants), digest="",
    )  # fmt: skip
    return replace(made, digest=document_digest(made)), tuple(plans)


def formats(ask: TrialRequest, fs: MadeFileSystem) -> tuple[tuple[str, str, FileSystemOptions | None], ...]:
    """Options of mkfs, options of mount, and both of `fs` to try, those with the same file system together.

    A set that only another requested file system has is left out. Raises BadInput for one that none of them has.
    """
    found = []
    for mkfs, mount in product(
        _usable("--mkfs", ask.mkfs, ask, fs), _usable("--mount-options", ask.mount_options, ask, fs)
    ):
        made, mounted = parse_mkfs(mkfs, fs), mount_options.parse(mount, fs)
        if clash := mount_options.conflicts(mounted, fs):
            raise BadInput(
                f"--mount-options: {clash[0][0]} and {clash[0][1]} exclude each other", hint="try one of them"
            )
        # a benchmark follows: nothing may write in the background
        if isinstance(made, Ext4Options):
            options = FileSystemOptions(ext4=measurable(made), mount=mounted)
        else:
            options = FileSystemOptions(xfs=made, mount=mounted)
        found.append((mkfs, mount, None if options == DEFAULTS else options))
    return tuple(found)


def _usable(option: str, sets: Sequence[str], ask: TrialRequest, fs: MadeFileSystem) -> list[str]:
    """Those of `sets` that `fs` has."""
    usable = [words for words in sets if not _problem(option, words, fs)]
    for words in sets:
        problems = [_problem(option, words, each) for each in ask.file_systems]
        if all(problems):
            raise BadInput(f"{option}: {problems[0]}", hint="write sets of options with ; between them")
    if not usable:
        raise BadInput(
            f"{option}: {fs} has none of the sets", hint="add an empty one for its own options, as in ';block=1K'"
        )
    return usable


def _problem(option: str, words: str, fs: MadeFileSystem) -> str:
    try:
        parse_mkfs(words, fs) if option == "--mkfs" else mount_options.parse(words, fs)
    except ValueError as problem:
        return str(problem)
    return ""


def remade(before: Plan, plan: Plan) -> tuple[Step, ...]:
    """Steps to the file systems and mounts of `plan` on the array of `before`, a trial of the same run."""
    mount = next(step for step in before.steps if step.stage == "mount")
    steps = [replace(mount, title="Unmount", actions=mount.undo, after=(), undo=())]
    for old, step in zip(_formatting(before), _formatting(plan), strict=True):
        if old.actions != step.actions:
            devices = tuple(device for command in step.commands for device in command.devices)
            erased = tuple(wipefs.wipe_locked(device) for device in devices)
            # in the same step: after a kill in between, the file system counts as half made
            steps.append(replace(step, actions=(*erased, *step.actions)))
    return (*steps, *(step for step in plan.steps if step.stage == "mount"))


def _formatting(plan: Plan) -> list[Step]:
    return [step for step in plan.steps if step.stage == "format"]


def seconds_of(profile: Profile, ask: TrialRequest) -> float:
    """Estimated seconds of all trials: measuring, filling files before, building and undoing."""
    jobs = [
        replace(job, seconds=ask.seconds or job.seconds, repeats=ask.repeats or job.repeats) for job in profile.jobs
    ]
    measured = sum(job.repeats * (job.warm_up_seconds + job.seconds + _PAUSE) for job in jobs)
    tried = [len(formats(ask, fs)) for fs in ask.file_systems]
    return len(ask.chunks) * sum(count * measured + _AROUND + (count - 1) * _REMADE for count in tried)


def blanked(inventory: Inventory, taken: Sequence[Disk]) -> Inventory:
    """`inventory` as it is after a trial on `taken` was undone.

    Its disks have no signature and both ends are zero; files and parity of the trial may be between them.
    """
    remains = (Use(kind="data", where=UNSIGNED_MIDDLE, active=False),)
    ours = {disk.id for disk in taken}
    return replace(
        inventory,
        disks=tuple(
            replace(disk, state="content", uses=remains, partitions=(), fingerprint="", sampled=None)
            if disk.id in ours
            else disk
            for disk in inventory.disks
        ),
    )


def _bitmap(ask: TrialRequest, disks: Sequence[Disk]) -> Bitmap:
    """The bitmap of the full-size array, made explicit: a trial is too small for mdadm to add one by default."""
    whole = predict(ask.design, disks)
    return "internal" if whole.arrays and whole.arrays[0].bitmap_chunk_bytes else ask.design.bitmap


def _check(ask: TrialRequest) -> None:
    if not ask.file_systems:
        raise BadInput("a trial needs a file system, because it measures files", hint="--fs xfs,ext4")
    if any(len(set(each)) < len(each) for each in (ask.chunks, ask.file_systems, ask.mkfs, ask.mount_options)):
        raise BadInput("duplicate chunk, file system or set of options", hint="list each value once")
    if ask.slice_bytes < LEAST_SLICE or ask.slice_bytes % MIB:
        raise BadInput(
            f"invalid --slice of {ask.slice_bytes} bytes: expected a multiple of 1 MiB, at least 64 MiB",
            hint="write --slice 2G",
        )
    alone = ask.design.layout.arrays == 1 or ask.design.stack == "separate"
    if ask.design.layout.level in _CHUNKLESS and alone and len(ask.chunks) > 1:
        raise BadInput(
            "a mirror or a disk without md has no chunk",
            hint="to compare file systems, use --chunks 512K with --fs xfs,ext4",
        )


# Steps of a benchmark that writes zeros to blank disks, or to arrays of a plan that hold nothing.
# Zeros on what reads as zero change nothing, whenever the writing ends: all that a command writes is read before it
# (bench/fio_load.py). Signatures, users and both ends are read before and after each command.


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
