"""Binds a plan to disks by what they are, and refuses those that no plan may touch."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from raidtui.model.design import Design
from raidtui.model.errors import Refused
from raidtui.model.finding import errors, refused
from raidtui.model.geometry import Prediction
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.location import Location
from raidtui.model.plan import PlanDisk
from raidtui.model.safe import safe
from raidtui.planner.compile.disk_content import contents, partitions
from raidtui.planner.compile.names import Names
from raidtui.planner.members import ArrayDisks, disks_by_array

_LINK = re.compile(r"[A-Za-z0-9#+.:=@_][A-Za-z0-9#+.:=@_\\-]*")
"""what udev writes into a link's name"""
_REPAIR = "choose other disks, or look at it with `raidtui disks`"


def shares(
    design: Design, inventory: Inventory, disks: Sequence[Disk], prediction: Prediction
) -> tuple[ArrayDisks, ...]:
    """The disks of each array, taken as the prediction took them.

    Raises Refused when the prediction has errors, is about something else, or a disk may not be touched.
    """
    if refused(prediction.findings):
        wrong = errors(prediction.findings)
        raise Refused("; ".join(safe(error.message) for error in wrong), hint=safe(wrong[0].way_out))
    offered = {disk.id: disk for disk in disks}
    if len(prediction.disks) != design.layout.disks or not set(prediction.disks) <= set(offered):
        raise Refused("the prediction is not about these disks", hint="predict again with the disks of the plan")
    for problem in _problems([offered[each] for each in prediction.disks], inventory):
        raise Refused(problem, hint=_REPAIR)
    return disks_by_array(design.layout, [offered[each] for each in prediction.disks])


def bound(share_list: Sequence[ArrayDisks], names: Names) -> tuple[PlanDisk, ...]:
    """Every disk of the plan, members of the first array first, spares last."""
    members = [
        _plan_disk(disk, f"member {number} of {array}")
        for array, share in zip(names.arrays, share_list, strict=True)
        for number, disk in enumerate(share.members)
    ]
    spares = [
        _plan_disk(disk, f"spare of {array}")
        for array, share in zip(names.arrays, share_list, strict=True)
        for disk in share.spares
    ]
    return (*members, *spares)


def path_of(disk: Disk) -> str:
    """The device path in commands; a disk that is not bought yet has the one its identity will give it."""
    return disk.path or f"/dev/disk/by-id/{disk.id}"


def _problems(disks: Sequence[Disk], inventory: Inventory) -> Iterator[str]:
    """Why disks may not be planned on, one sentence each."""
    claims = Counter(disk.id for disk in inventory.disks)
    known = {disk.id: disk for disk in inventory.disks}
    for disk in disks:
        called = safe(disk.kernel_name or disk.id or "a disk", longest=60)
        if not disk.id or claims[disk.id] != 1 or known[disk.id] != disk:
            yield f"{called} is not one disk of the inventory by its identity"
        if disk.protected:
            yield f"the running system stands on {called}"
        if disk.not_selectable is not None:
            yield f"{called}: {safe(disk.not_selectable)}"
        if any(use.active for use in disk.uses):
            yield f"{called} is in use"
        if not inventory.simulated and (not disk.by_id or disk.state == "unknown"):
            yield f"{called} has no stable path, or its content is unknown"
        if not _LINK.fullmatch(path_of(disk).removeprefix("/dev/disk/by-id/")):
            yield f"the stable path of {called} has characters that no link of udev has"
    for what, values in _identifiers(disks):
        for value, count in Counter(values).items():
            if count > 1:
                yield f"{count} of the disks have the {what} '{safe(value)}'"


def _identifiers(disks: Sequence[Disk]) -> tuple[tuple[str, list[str]], ...]:
    return (
        ("identity", [disk.id for disk in disks]),
        ("path", [path_of(disk) for disk in disks]),
        ("world-wide name", [disk.wwn for disk in disks if disk.wwn]),
        ("model and serial", [f"{disk.model} {disk.serial}" for disk in disks if disk.serial]),
    )


def _plan_disk(disk: Disk, role: str) -> PlanDisk:
    return PlanDisk(
        id=disk.id,
        path=path_of(disk),
        wwn=disk.wwn,
        serial=disk.serial,
        model=disk.model,
        size_bytes=disk.size_bytes,
        logical_sector_bytes=disk.logical_sector_bytes,
        role=role,
        place=Location.in_plan(disk.place.slot or "", disk.place.enclosure or ""),
        content=contents(disk),
        fingerprint=disk.fingerprint,
        partitions=partitions(disk),
    )
