"""From a prediction to a plan: disks bound by identity, UUIDs minted, every command and what must be true after it.

Pure: the run id is given, everything else follows from it and the arguments.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace

from raidtui.model.choices import Initramfs
from raidtui.model.codec import plain
from raidtui.model.design import Design
from raidtui.model.finding import Finding
from raidtui.model.geometry import Prediction
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.plan import Plan, PlanArray, PlanFileSystem, Step
from raidtui.planner.compile.array_steps import array_steps, spares_step
from raidtui.planner.compile.boot_steps import conf_step, monitor_step, mount_step, trial_mount_step, tuning_step
from raidtui.planner.compile.check_step import check_step
from raidtui.planner.compile.disk_binding import bound, shares
from raidtui.planner.compile.names import Names, device_of, names, volume_of
from raidtui.planner.compile.step_builder import Build
from raidtui.planner.compile.verify_step import verify_step
from raidtui.planner.compile.volume_steps import format_steps, volume_steps
from raidtui.planner.compile.wipe_step import save_step, wipe_step
from raidtui.planner.findings import note
from raidtui.planner.members import ArrayDisks


def compile_plan(
    design: Design,
    inventory: Inventory,
    disks: Sequence[Disk],
    prediction: Prediction,
    *,
    run_id: str,
    name: str,
    mount_point: str,
    host: str,
    initramfs: Initramfs = "debian",
) -> Plan:
    """The plan that builds `prediction` of `design` on `disks` of `inventory`.

    `run_id` is 32 hex digits, new for every plan; `host` is what `uname -n` prints on the machine; `mount_point`
    is an empty directory (with several separate file systems, the one above them), not looked at without a file system.
    Raises BadInput for a name that cannot be, Refused when the prediction has errors or a disk may not be touched.
    """
    called = names(design, run_id=run_id, name=name, mount_point=mount_point, host=host)
    share_list = shares(design, inventory, disks, prediction)
    arrays = _arrays(called, share_list, prediction)
    build = Build(
        design=design,
        prediction=prediction,
        names=called,
        shares=share_list,
        disks=bound(share_list, called),
        arrays=arrays,
        filesystems=_filesystems(called, arrays, prediction),
        machine_id=inventory.machine_id,
        family=initramfs,
    )
    plan = Plan(
        run_id=run_id,
        name=name,
        host=host,
        machine_id=inventory.machine_id,
        initramfs=initramfs,
        simulated=inventory.simulated,
        design=design,
        prediction=prediction,
        disks=build.disks,
        arrays=arrays,
        filesystems=build.filesystems,
        steps=_numbered(_steps(build)),
        findings=(*prediction.findings, *_first_sync(design)),
        digest="",
    )
    return replace(plan, digest=digest_of(plan))


def digest_of(plan: Plan) -> str:
    """SHA-256 over the canonical JSON (sorted keys, no blanks, ASCII) of everything in the plan but its digest."""
    fields = plain(plan)
    del fields["digest"]
    text = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _first_sync(design: Design) -> tuple[Finding, ...]:
    """raid5.c refuses to start an array that is both not in sync and short of a member; a new RAID6 is not in sync."""
    if design.layout.level != "raid6" or design.trial is not None:
        return ()
    return (
        note(
            "first-sync",
            "Until its first sync is done, a RAID6 that has also lost a member does not start by itself at boot.",
            "do not reboot before /proc/mdstat shows no resync; otherwise assemble it by hand with mdadm --assemble",
        ),
    )


def _steps(build: Build) -> tuple[Step, ...]:
    return (
        check_step(build),
        save_step(build),
        wipe_step(build),
        *array_steps(build),
        *((spares_step(build),) if build.design.layout.spares else ()),
        *volume_steps(build),
        *format_steps(build),
        *(_lasting(build) if build.design.trial is None else (trial_mount_step(build), tuning_step(build))),
        verify_step(build),
    )


def _lasting(build: Build) -> tuple[Step, ...]:
    """What makes it come back at every boot."""
    return (
        conf_step(build),
        *((mount_step(build),) if build.filesystems else ()),
        # RAID0 has nothing that could be watched: the monitor would end at once
        *((monitor_step(build),) if build.design.layout.level != "raid0" else ()),
        tuning_step(build),
    )


def _numbered(steps: Sequence[Step]) -> tuple[Step, ...]:
    return tuple(replace(step, number=number) for number, step in enumerate(steps, start=1))


def _arrays(called: Names, share_list: Sequence[ArrayDisks], prediction: Prediction) -> tuple[PlanArray, ...]:
    legs = [
        PlanArray(
            name=name,
            device=device_of(name),
            uuid=called.array_uuid(name),
            members=tuple(disk.id for disk in share.members),
            spares=tuple(disk.id for disk in share.spares),
        )
        for name, share in zip(called.arrays, share_list, strict=True)
    ]
    if prediction.volume is None or prediction.volume.kind != "md":
        return tuple(legs)
    outer = PlanArray(
        name=called.outer,
        device=device_of(called.outer),
        uuid=called.array_uuid(called.outer),
        members=tuple(leg.device for leg in legs),
        spares=(),
    )
    return (*legs, outer)


def _filesystems(called: Names, arrays: Sequence[PlanArray], prediction: Prediction) -> tuple[PlanFileSystem, ...]:
    if prediction.volume is None:
        devices = [array.device for array in arrays]
    else:
        devices = [volume_of(called.name) if prediction.volume.kind == "lvm" else arrays[-1].device]
    return tuple(
        PlanFileSystem(device=device, uuid=called.filesystem_uuid(number), label="", mount_point=place)
        for number, (device, place) in enumerate(zip(devices, called.mount_points, strict=False))
    )
