"""Recompiles a plan from the present machine, to prove that it is still what its design produces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from raidtui.model.codec import plain
from raidtui.model.counted import counted
from raidtui.model.errors import Stale
from raidtui.model.finding import refused, warnings
from raidtui.model.inventory import Disk, DiskContent, Inventory, Use
from raidtui.model.plan import Plan, PlanDisk
from raidtui.model.safe import safe
from raidtui.planner.compile.disk_content import as_accepted
from raidtui.planner.compile.plan import compile_plan
from raidtui.planner.design.predict import predict

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
                raise Stale(
                    f"a warning is not in the plan: {finding.message}", hint="plan again and review the warning"
                )
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


def differences(plan: Plan, fresh: Plan) -> tuple[str, ...]:
    """The first differences between `plan` and `fresh`, with both values; empty if they are equal."""
    if fresh == plan:
        return ()
    return tuple(islice(_differences("", plain(plan), plain(fresh)), _NAMED))


def _differences(where: str, old: Any, new: Any) -> Iterator[str]:
    if old == new or where in ("digest",):
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
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
