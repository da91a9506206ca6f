"""From a prediction to a plan: disks bound by identity, UUIDs minted, every command and what must be true after it.

Pure: the run id is given, everything else follows from it and the arguments.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from raidtui import __version__
from raidtui.predict.design import predict
from raidtui.predict.speed.sync_time import first_sync_hours, zeroing_hours
from raidtui.programs.names import Names, array_uuid, device_of, journal_name, names
from raidtui.sizes.partitions import on_disks
from raidtui.steps.array_steps import (
    FIRST_SYNC,
    array_steps,
    bare_until_sync,
    first_sync_text,
    spares_step,
    zero_steps,
    zeroes_text,
)
from raidtui.steps.boot_steps import conf_step, monitor_step, mount_step, trial_mount_step, tuning_step
from raidtui.steps.check_step import check_step, verify_step
from raidtui.steps.crypt_steps import crypts_of, encrypt_steps, require_key_elsewhere
from raidtui.steps.disk_binding import as_accepted, bound, shares
from raidtui.steps.disk_steps import partition_step, queue_step, save_step, sets_queue, wipe_step
from raidtui.steps.step_builder import StepContext
from raidtui.steps.volume_steps import format_steps, volume_steps
from raidtui.values.choices import Initramfs
from raidtui.values.codec import document_digest, plain
from raidtui.values.design import Alert, Design, problem_of
from raidtui.values.errors import BadInput, Stale
from raidtui.values.findings import Finding, note, refused, warnings
from raidtui.values.inventory import Disk, DiskContent, Inventory, Use
from raidtui.values.members import ArrayDisks
from raidtui.values.plan import Plan, PlanArray, PlanDisk, PlanFileSystem, Step, volume_of
from raidtui.values.prediction import Prediction, StripeGeometry
from raidtui.values.safe import safe
from raidtui.values.units import counted


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
    alert: Alert | None = None,
    sync_hours: float | None = None,
    zeroing: float | None = None,
    made: str | None = None,
) -> Plan:
    """The plan that builds `prediction` of `design` on `disks` of `inventory`.

    `run_id` is 32 hex digits, new for every plan; `host` is what `uname -n` prints on the machine; `mount_point`
    is an empty directory (the parent of several separate file systems), ignored without a file system;
    `alert` is who hears of a failed disk, None: root of the machine; `sync_hours` and `zeroing`: see
    `Plan.first_sync_hours` and `Plan.zeroing_hours`, None: computed; `made`: now, None where no file will hold it.
    Raises BadInput for an invalid name or recipient, Refused if the prediction has errors or a disk may not be used.
    """
    design = on_disks(design, disks)
    minted = names(design, run_id=run_id, name=name, mount_point=mount_point, host=host)
    _check_alert(alert)
    if design.encryption is not None and design.encrypts:
        require_key_elsewhere(design.encryption, minted.mount_points)
    share_list = shares(design, inventory, disks, prediction)
    arrays = () if design.layout.plain else _arrays(design, minted, share_list, prediction)
    disks_bound = bound(design, share_list, minted)
    parts = [array.device for array in arrays[: design.layout.arrays]] or [disk.path for disk in disks_bound]
    carriers = _file_system_devices(minted, parts, arrays, prediction)
    crypts = crypts_of(minted, parts if design.encrypts_arrays else carriers) if design.encrypts else None
    if crypts is not None and not design.encrypts_arrays:
        carriers = [crypt.path for crypt in crypts]
    context = StepContext(
        design=design,
        prediction=prediction,
        names=minted,
        shares=share_list,
        disks=disks_bound,
        arrays=arrays,
        filesystems=_filesystems(minted, carriers),
        crypts=crypts or (),
        machine_id=inventory.machine_id,
        family=initramfs,
        alert=alert,
    )
    plan = Plan(
        made=made,
        raidtui=None if made is None else __version__,
        run_id=run_id,
        name=name,
        host=host,
        machine_id=inventory.machine_id,
        initramfs=initramfs,
        simulated=inventory.simulated,
        design=design,
        prediction=prediction,
        disks=context.disks,
        arrays=arrays,
        crypts=crypts,
        filesystems=context.filesystems,
        steps=_numbered(_steps(context)),
        findings=(*prediction.findings, *_recipient(context)),
        digest="",
        alert=alert,
        first_sync_hours=sync_hours or _sync_hours(design, inventory, disks, prediction),
        zeroing_hours=(zeroing or zeroing_hours(design, disks, prediction)) if design.zeroes else None,
    )
    faster = "" if design.zeroes else zeroes_text(design, disks, prediction)
    plan = replace(plan, findings=(*plan.findings, *_first_sync(plan, faster)))
    return replace(plan, digest=document_digest(plan))


def _sync_hours(design: Design, inventory: Inventory, disks: Sequence[Disk], prediction: Prediction) -> float | None:
    """See `first_sync_hours`; None for a trial, whose arrays are soon gone."""
    if design.trial is not None or design.layout.plain:
        return None
    return first_sync_hours(design, disks, prediction, inventory)


def _check_alert(alert: Alert | None) -> None:
    problem = "" if alert is None else problem_of(alert)
    if problem:
        raise BadInput(problem, hint="it becomes a line of mdadm.conf: write for example --mail storage@example.org")


def _recipient(context: StepContext) -> tuple[Finding, ...]:
    """Note where mdadm's monitor mails to root alone, else where it reports a first sync as a degraded array.

    mdadm --create makes the last member of a RAID4 or RAID5 a spare that is rebuilt (Create.c), and the monitor reports
    an array that lacks a member when it first sees it (Monitor.c), so at each of its starts.
    """
    if not _monitored(context.design):
        return ()
    if context.alert is not None:
        if context.design.layout.parity != 1:
            return ()
        return (
            note(
                "first-sync-alert",
                f"mdadm reports DegradedArray for each {context.design.layout.level.upper()} array during its first "
                f"sync, and again after a reboot before that ends. It builds the last member as a spare that is being "
                f"rebuilt. No disk has failed.",
                "read /proc/mdstat, which the mail quotes: it shows recovery, and (F) beside no disk; a Fail event "
                "or an (F) is a failed disk",
            ),
        )
    return (
        note(
            "no-alert-address",
            "No alert address: mdadm mails a failed disk to root of this machine only. That helps only if "
            "a person reads or forwards that mail.",
            "plan with --mail ADDRESS or --alert-program PATH",
        ),
    )


def _monitored(design: Design) -> bool:
    """False for a trial, for disks without md, and for RAID0, which has no redundancy to monitor."""
    return design.trial is None and not design.layout.plain and design.layout.level != "raid0"


def _first_sync(plan: Plan, faster: str) -> tuple[Finding, ...]:
    """Note with the time until the file systems are mounted and until the arrays are in sync; `faster`: without it."""
    text = first_sync_text(plan)
    if not text:
        return ()
    if plan.design.zeroes:
        return (note("zeroes", text, "plan with --first-sync resync to have md compute the redundancy instead"),)
    if plan.filesystems and bare_until_sync(plan):
        way_out = "raidtui build --during-sync makes file systems at once"
    else:
        way_out = (
            f"raidtui build --wait-for-sync {'makes file systems' if plan.filesystems else 'ends'} only after the sync"
        )
    if any(shape.level == "raid6" for shape in plan.design.layout.shapes):
        way_out += (
            "; reboot only when /proc/mdstat shows no resync; until then a RAID6 with a missing member does not start "
            "at boot; if so, run mdadm --assemble"
        )
    return (note(FIRST_SYNC, text, f"{way_out}{faster and f'; {faster}'}"),)


def _steps(context: StepContext) -> tuple[Step, ...]:
    outer = volume_steps(context) if isinstance(context.prediction.volume, StripeGeometry) else ()
    return (
        check_step(context),
        save_step(context),
        wipe_step(context),
        *((partition_step(context),) if context.design.on_partitions else ()),
        *zero_steps(context),
        *array_steps(context),
        *((spares_step(context),) if context.design.layout.spares else ()),
        *outer,
        # before anything that may wait for a sync: from here on a boot knows the arrays, and a failed disk is reported
        *(_known(context) if context.design.trial is None else ()),
        *(encrypt_steps(context) if context.design.encrypts_arrays else ()),
        *(() if outer else volume_steps(context)),
        *(() if context.design.encrypts_arrays else encrypt_steps(context)),
        *format_steps(context),
        *_used(context),
        verify_step(context),
    )


def _known(context: StepContext) -> tuple[Step, ...]:
    """Steps that make arrays known to the boot and report a failed disk."""
    if context.design.layout.plain:
        return ()
    # a RAID0 has no redundancy to monitor: mdadm --monitor would exit at once
    return (conf_step(context), *((monitor_step(context),) if _monitored(context.design) else ()))


def _used(context: StepContext) -> tuple[Step, ...]:
    """Mounts and tunes; a trial, which no boot has to know of, is mounted without fstab."""
    mount = trial_mount_step if context.design.trial is not None else mount_step
    mounts = bool(context.filesystems) or context.design.trial is not None
    return (
        *((mount(context),) if mounts else ()),
        *(() if context.design.layout.plain else (tuning_step(context),)),
        *((queue_step(context),) if sets_queue(context.design) else ()),
    )


def _numbered(steps: Sequence[Step]) -> tuple[Step, ...]:
    return tuple(replace(step, number=number) for number, step in enumerate(steps, start=1))


def _arrays(
    design: Design, minted: Names, share_list: Sequence[ArrayDisks], prediction: Prediction
) -> tuple[PlanArray, ...]:
    legs = [
        PlanArray(
            name=name,
            device=device_of(name),
            uuid=array_uuid(minted.run_id, name),
            members=tuple(disk.id for disk in share.members),
            spares=tuple(disk.id for disk in share.spares),
            partition=number if design.layout.hybrid else None,
            journal=_journal_of(design, name, share),
        )
        for number, (name, share) in enumerate(zip(minted.arrays, share_list, strict=True), start=1)
    ]
    logs = [
        PlanArray(
            name=journal_name(name),
            device=device_of(journal_name(name)),
            uuid=array_uuid(minted.run_id, journal_name(name)),
            members=tuple(disk.id for disk in share.journal),
            spares=(),
        )
        for name, share in zip(minted.arrays, share_list, strict=True)
        if design.mirrors_journals
    ]
    if prediction.volume is None or prediction.volume.kind != "md":
        return (*legs, *logs)
    outer = PlanArray(
        name=minted.outer,
        device=device_of(minted.outer),
        uuid=array_uuid(minted.run_id, minted.outer),
        members=tuple(leg.device for leg in legs),
        spares=(),
    )
    return (*legs, *logs, outer)


def _journal_of(design: Design, name: str, share: ArrayDisks) -> str | None:
    """What carries the write journal of the array with this name: a mirror, by its path, a disk, or nothing."""
    if design.mirrors_journals:
        return device_of(journal_name(name))
    return share.journal[0].id if share.journal else None


def _file_system_devices(
    minted: Names, parts: Sequence[str], arrays: Sequence[PlanArray], prediction: Prediction
) -> list[str]:
    """What each file system goes on: `parts`, the devices of the arrays or disks, or what joins them."""
    if prediction.volume is None:
        return list(parts)
    return [volume_of(minted.name) if prediction.volume.kind == "lvm" else arrays[-1].device]


def _filesystems(minted: Names, devices: Sequence[str]) -> tuple[PlanFileSystem, ...]:
    """The file systems on `devices`, as many as have a mount point."""
    return tuple(
        PlanFileSystem(device=device, uuid=minted.filesystem_uuid(number), label="", mount_point=place)
        for number, (device, place) in enumerate(zip(devices, minted.mount_points, strict=False))
    )


# Recompiles a plan from the present machine, to prove that it is still what its design produces.


_NAMED = 3
_LONGEST = 60


def recompiled(plan: Plan, inventory: Inventory) -> Plan:
    """The plan that the same design, names and run id give on the same disks of `inventory`.

    Findings contain kernel names, which change between boots: they are copied from `plan`, but there must be no error
    and no new warning. Predicted speed, risk and hours are copied too; no command depends on them.
    Raises Stale, Refused or BadInput if no such plan is possible now.
    """
    planned = {disk.id: disk for disk in plan.disks}
    now = (as_accepted(planned[disk.id], disk) if disk.id in planned else disk for disk in inventory.disks)
    inventory = replace(inventory, disks=tuple(now))
    known = {disk.id: disk for disk in inventory.disks if disk.id}
    gone = [disk for disk in plan.prediction.disks if disk not in known]
    if gone:
        be = "is" if len(gone) == 1 else "are"
        raise Stale(f"{counted(len(gone), 'disk')} of the plan {be} missing: {safe(gone[0])}", hint="plan again")
    disks = [known[disk] for disk in plan.prediction.disks]
    prediction = predict(plan.design, disks)
    if not refused(prediction.findings):
        told = {finding.code for finding in plan.prediction.findings}
        for finding in warnings(prediction.findings):
            if finding.code not in told:
                raise Stale(f"{finding.message} This warning is not in the plan", hint="plan again and review it")
        prediction = replace(
            prediction,
            findings=plan.prediction.findings,
            throughput=plan.prediction.throughput,
            durability=plan.prediction.durability,
            placement=plan.prediction.placement,
        )
    return compile_plan(
        plan.design, inventory, disks, prediction, run_id=plan.run_id, name=plan.name, mount_point=_mount_point(plan),
        host=plan.host, initramfs=plan.initramfs, alert=plan.alert,
        sync_hours=plan.first_sync_hours, zeroing=plan.zeroing_hours,
    )  # fmt: skip


def as_planned(plan: Plan, inventory: Inventory) -> Inventory:
    """`inventory` with the content that the plan's disks had when it was made; their identity stays the present one.

    With it a plan that was started can still be recompiled and compared.
    """
    planned = {disk.id: disk for disk in plan.disks}
    disks = (_as_planned(planned[disk.id], disk) if disk.id in planned else disk for disk in inventory.disks)
    return replace(inventory, disks=tuple(disks))


def _as_planned(planned: PlanDisk, disk: Disk) -> Disk:
    return replace(
        disk,
        state="content" if planned.content else "blank",
        uses=tuple(_use(content) for content in planned.content),
        partitions=tuple(each.number for each in planned.partitions),
        protected=False,
        not_selectable=None,
        bsd_locked=False,
        fingerprint=planned.fingerprint,
    )


def _use(content: DiskContent) -> Use:
    return Use(
        kind=content.kind,
        where=content.where,
        active=False,
        partition=content.partition,
        signature=content.signature,
    )


_SENTENCES = frozenset({"message", "way_out", "title", "purpose", "cut", "what"})
"""fields of findings, steps and readings that nothing but a screen or a page shows"""


def differences(plan: Plan, fresh: Plan) -> tuple[str, ...]:
    """The first differences between `plan` and `fresh`, with both values; empty if both do the same.

    Sentences for people may differ: another version of raidtui words them otherwise.
    """
    if fresh == plan:
        return ()
    return tuple(islice(_differences("", plain(plan), plain(fresh)), _NAMED))


def _differences(where: str, old: Any, new: Any) -> Iterator[str]:
    if old == new or where in ("digest", "made", "raidtui"):
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new} - _SENTENCES):
            yield from _differences(f"{where}.{key}".lstrip("."), old.get(key), new.get(key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, (left, right) in enumerate(zip(old, new, strict=True)):
            yield from _differences(f"{where}.{number}", left, right)
    else:
        yield f"{where} is {_shown(old)} in the plan, {_shown(new)} on this machine"


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return f"{len(value)} entries"
    return f"'{safe(str(value), longest=_LONGEST)}'" if value is not None else "nothing"


def _mount_point(plan: Plan) -> str:
    """The requested mount point: the parent directory of several separate file systems."""
    places = [made.mount_point for made in plan.filesystems]
    return places[0].rpartition("/")[0] if len(places) > 1 else (places or [""])[0]
