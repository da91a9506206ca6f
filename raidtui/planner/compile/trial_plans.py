"""Trials of a layout with every requested chunk and file system, each as an ordinary plan.

The compiler of builds compiles them, with a limit on the part used of each member and without boot configuration; so
checks, verification and undo are those of a build. Ids derive from the request and the number of equal requests
before it, so a dry run shows the digest that confirms the next real run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from raidtui.model.bench import Profile
from raidtui.model.choices import Bitmap, FileSystem, Initramfs
from raidtui.model.codec import document_digest, plain
from raidtui.model.design import Design, Trial
from raidtui.model.errors import BadInput, Refused
from raidtui.model.file_system import EXT4_DEFAULTS, FileSystemOptions
from raidtui.model.inventory import UNSIGNED_MIDDLE, Disk, Inventory, Use
from raidtui.model.layout import HybridLayout, layout_of
from raidtui.model.notation import show
from raidtui.model.plan import Plan
from raidtui.model.tune import Tuning, Variant
from raidtui.model.units import KIB, MIB, exact_binary
from raidtui.planner.compile.names import trial_mount_point
from raidtui.planner.compile.plan import compile_plan
from raidtui.planner.design.predict import predict
from raidtui.tools.mkfs_options import measurable

NAME = "trial"
"""base name of every trial's arrays and volume group; only one trial exists at a time"""
LEAST_SLICE = 64 * MIB
_PAUSE, _AROUND = 3.0, 90.0
"""estimated seconds per trial for building, filling and undoing"""
_CHUNKLESS = ("raid1", "disk")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialRequest:
    """Request for a tuning: layout, chunks, file systems, workloads."""

    design: Design
    """layout and fixed options; its chunk and file system are ignored"""
    chunks: tuple[int, ...]
    """bytes, without duplicates"""
    file_systems: tuple[FileSystem, ...]
    slice_bytes: int
    first_sync: bool
    profile: str
    """name of the workloads"""
    seconds: float | None
    """of each measurement, where it is not the profile's own"""
    repeats: int | None = None
    """the same"""


def chunk_range(least: int, most: int) -> tuple[int, ...]:
    """Powers of two from `least` to `most` bytes. Raises BadInput when there is none."""
    found = tuple(4 * KIB << power for power in range(20) if least <= 4 * KIB << power <= most)
    if not found:
        raise BadInput(f"no power of two between {least} and {most} bytes", hint="write for example --chunks 16K..1M")
    return found


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
    if isinstance(ask.design.layout, HybridLayout):
        raise Refused(
            "a tuning measures whole disks, not bands of mixed disks",
            hint="tune the widest of its arrays, for example raidtui tune '(3+1)'; the best chunk serves all bands",
        )
    # a single mirror has no chunk; of separate arrays one is enough for a trial
    layout = layout_of(ask.design.layout.groups, spares=0)
    if ask.design.stack == "separate":
        layout = layout.shapes[0]
    base = replace(ask.design, layout=layout, bitmap=_bitmap(ask, disks))
    taken = tuple(disks[: layout.disks])
    if len(taken) < layout.disks:
        raise Refused(f"the layout needs {layout.disks} disks, found {len(taken)}", hint="choose a smaller one")
    later = blanked(inventory, taken)
    known = {disk.id: disk for disk in later.disks}
    emptied = tuple(known[disk.id] for disk in taken)
    asked = (plain(ask), plain(taken), inventory.machine_id, host, before)
    id = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:32]
    plans: list[Plan] = []
    variants: list[Variant] = []
    for fs in ask.file_systems:
        for chunk in ask.chunks:
            trial = Trial(slice_bytes=ask.slice_bytes, first_sync=ask.first_sync)
            # a benchmark follows: nothing may write in the background
            options = FileSystemOptions(ext4=measurable(EXT4_DEFAULTS)) if fs == "ext4" else None
            design = replace(base, chunk_bytes=chunk, fs=fs, trial=trial, fs_options=options)
            # the first trial erases the disks' content; the others find disks without signatures
            on, found = (later, emptied) if plans else (inventory, taken)
            name = f"{exact_binary(chunk)} {fs}"
            run_id = hashlib.sha256(f"{id} {name}".encode()).hexdigest()[:32]
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
    return replace(made, digest=digest_of(made)), tuple(plans)


def seconds_of(profile: Profile, ask: TrialRequest) -> float:
    """Estimated seconds of all trials: measuring, filling files before, building and undoing."""
    jobs = [
        replace(job, seconds=ask.seconds or job.seconds, repeats=ask.repeats or job.repeats) for job in profile.jobs
    ]
    measured = sum(job.repeats * (job.warm_up_seconds + job.seconds + _PAUSE) for job in jobs)
    return len(ask.chunks) * len(ask.file_systems) * (measured + _AROUND)


def digest_of(made: Tuning) -> str:
    """SHA-256 over the tuning without its own digest; it covers the digests of all its plans."""
    return document_digest(made)


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
    if "none" in ask.file_systems or not ask.file_systems:
        raise BadInput("a trial needs a file system, because it measures files", hint="--fs xfs,ext4")
    if len(set(ask.chunks)) < len(ask.chunks) or len(set(ask.file_systems)) < len(ask.file_systems):
        raise BadInput("duplicate chunk or file system", hint="list each value once")
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
