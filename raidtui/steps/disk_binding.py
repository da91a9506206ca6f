"""Binds a plan to disks by identity, and refuses disks that no plan may use."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from raidtui.predict.disks.holds import not_usable
from raidtui.programs import identity
from raidtui.programs.names import Names, journal_name
from raidtui.sizes.partitions import partition_bytes, start_bytes
from raidtui.steps.step_builder import fact
from raidtui.values.design import Design
from raidtui.values.errors import Refused
from raidtui.values.findings import errors, refused
from raidtui.values.inventory import UNSIGNED_MIDDLE, Disk, DiskContent, Inventory, Use
from raidtui.values.layout import Band
from raidtui.values.location import Location
from raidtui.values.members import ArrayDisks, part_names, shares_of
from raidtui.values.paths import BY_ID_LINKS, link_name
from raidtui.values.plan import Plan, PlanDisk, PlanEntry, PlanPartition, PlanTable, Reading
from raidtui.values.prediction import LvmGeometry, Prediction
from raidtui.values.safe import safe

# Content of an unused disk, independent of its kernel name.


_MIDDLE = Use(kind="data", where=UNSIGNED_MIDDLE, active=False)


def contents(disk: Disk) -> tuple[DiskContent, ...]:
    """All content that is not in use; empty for a blank disk."""
    if disk.state == "blank":
        return ()
    return tuple(_content(use) for use in disk.uses if not use.active)


def _content(use: Use) -> DiskContent:
    where = use.where if use.partition is None else str(use.signature or "")
    return DiskContent(kind=use.kind, where=where, partition=use.partition, signature=use.signature)


def as_accepted(planned: PlanDisk, disk: Disk) -> Disk:
    """`disk` with the accepted bytes between its zero ends added if none are found now.

    Less content than accepted is not a change: disks of a tuning may hold data of earlier trials. A LUN has the
    geometry that was stated for the plan: no machine reports one.
    """
    disk = disk if disk.lun == planned.lun else replace(disk, lun=planned.lun)
    zero_ends = not planned.fingerprint and not planned.partitions
    if disk.state == "blank" and zero_ends and [left.kind for left in planned.content] == ["data"]:
        return replace(disk, state="content", uses=(*disk.uses, _MIDDLE))
    return disk


def partitions(disk: Disk) -> tuple[PlanPartition, ...]:
    """Each partition with its content as shown by lsblk."""
    left = [use for use in disk.uses if not use.active and use.signature is not None]
    return tuple(
        PlanPartition(number=number, holds="; ".join(str(use.signature) for use in left if use.partition == number))
        for number in disk.partitions
    )


_LINK = re.compile(r"[A-Za-z0-9#+.:=@_][A-Za-z0-9#+.:=@_\\-]*")
"""characters that udev uses in names of links"""
_REPAIR = "choose other disks; raidtui disks shows the reason"


def shares(
    design: Design, inventory: Inventory, disks: Sequence[Disk], prediction: Prediction
) -> tuple[ArrayDisks, ...]:
    """The disks of each array, in the order of the prediction.

    Raises Refused if the prediction has errors or belongs to other disks, or if a disk may not be used.
    """
    if refused(prediction.findings):
        wrong = errors(prediction.findings)
        raise Refused("; ".join(safe(error.message) for error in wrong), hint=safe(wrong[0].way_out))
    offered = {disk.id: disk for disk in disks}
    if len(prediction.disks) != design.disks or not set(prediction.disks) <= set(offered):
        raise Refused("the prediction belongs to other disks", hint="predict again with the disks of the plan")
    for problem in _problems([offered[each] for each in prediction.disks], inventory):
        raise Refused(problem, hint=_REPAIR)
    return shares_of(design, [offered[each] for each in prediction.disks])


def bound(design: Design, share_list: Sequence[ArrayDisks], names: Names) -> tuple[PlanDisk, ...]:
    """Every disk of the plan: members of the first array, of the second, ..., then spares, then journals."""
    if design.layout.plain:
        paired = zip(names.arrays, share_list, strict=True)
        return tuple(plan_disk(share.members[0], f"disk of {part}", None) for part, share in paired)
    if (hybrid := design.layout.hybrid) is not None:
        return _in_bands(hybrid.bands or (), share_list[0], names)
    members = [
        plan_disk(disk, f"member {number} of {array}", _table(design, disk, names, f"{array}-m{number}"))
        for array, share in zip(names.arrays, share_list, strict=True)
        for number, disk in enumerate(share.members)
    ]
    spares = [
        plan_disk(disk, f"spare of {array}", _table(design, disk, names, f"{array}-s{number}"))
        for array, share in zip(names.arrays, share_list, strict=True)
        for number, disk in enumerate(share.spares)
    ]
    mirrored = design.mirrors_journals
    journals = [
        plan_disk(disk, f"member {number} of {journal_name(array)}" if mirrored else f"journal of {array}")
        for array, share in zip(names.arrays, share_list, strict=True)
        for number, disk in enumerate(share.journal)
    ]
    return (*members, *spares, *journals)


def _in_bands(bands: Sequence[Band], first: ArrayDisks, names: Names) -> tuple[PlanDisk, ...]:
    """Every disk of a plan with bands, all of them in the `first`: members, then spares, which have every partition."""
    reached = [[number for number, band in enumerate(bands) if at in band.members] for at in range(len(first.members))]
    labelled = [(disk, "member", "m", at, reached[at]) for at, disk in enumerate(first.members)]
    labelled += [(disk, "spare", "s", at, list(range(len(bands)))) for at, disk in enumerate(first.spares)]
    return tuple(
        plan_disk(
            disk,
            f"{role} of {', '.join(names.arrays[number] for number in numbers)}",
            _band_table(disk, names, [(f"{names.arrays[number]}-{letter}{at}", bands[number]) for number in numbers]),
        )
        for disk, role, letter, at, numbers in labelled
    )


def _band_table(disk: Disk, names: Names, parts: Sequence[tuple[str, Band]]) -> PlanTable:
    """The partition table with a partition for each (label, band), in order."""
    entries = [
        PlanEntry(
            partition_guid=names.partition_guid(disk.id, number),
            name=label,
            start_bytes=band.start_bytes,
            size_bytes=band.size_bytes,
        )
        for number, (label, band) in enumerate(parts, start=1)
    ]
    first, more = entries[0], tuple(entries[1:])
    return PlanTable(
        guid=names.table_guid(disk.id),
        partition_guid=first.partition_guid,
        name=first.name,
        start_bytes=first.start_bytes,
        size_bytes=first.size_bytes,
        more=more or None,
    )


def _table(design: Design, disk: Disk, names: Names, label: str) -> PlanTable | None:
    """The partition table that the plan makes on a disk; None if the whole disk is the member."""
    if design.partitions is None:
        return None
    return PlanTable(
        guid=names.table_guid(disk.id),
        partition_guid=names.partition_guid(disk.id),
        name=label,
        start_bytes=start_bytes(design),
        size_bytes=partition_bytes(design, disk),
    )


def path_of(disk: Disk) -> str:
    """The device path in commands; for a planned purchase derived from its identity."""
    return disk.path or f"{BY_ID_LINKS}{disk.id}"


def _problems(disks: Sequence[Disk], inventory: Inventory) -> Iterator[str]:
    """Reasons why disks may not be used, one sentence each."""
    claims = Counter(disk.id for disk in inventory.disks)
    known = {disk.id: disk for disk in inventory.disks}
    for disk in disks:
        label = safe(disk.kernel_name or disk.id or "a disk", longest=60)
        if not disk.id or claims[disk.id] != 1 or known[disk.id] != disk:
            yield f"{label} has no identity that is unique in the inventory"
        if reason := not_usable(disk, twin=False):
            yield f"{label}: {safe(reason)}"
        if not inventory.simulated and (not disk.path or disk.state == "unknown"):
            yield f"{label} has no stable path, or its content is unknown"
        if not _LINK.fullmatch(link_name(path_of(disk))):
            yield f"the stable path of {label} has characters that udev does not use in links"
    for what, values in _identifiers(disks):
        for value, count in Counter(values).items():
            if count > 1:
                yield f"{count} of the disks have the {what} '{safe(value)}'"


def _identifiers(disks: Sequence[Disk]) -> tuple[tuple[str, list[str]], ...]:
    return (
        ("identity", [disk.id for disk in disks]),
        ("path", [path_of(disk) for disk in disks]),
        ("world-wide name", [disk.own_wwn for disk in disks if disk.own_wwn]),
        ("model and serial", [f"{disk.model} {disk.serial}" for disk in disks if disk.serial]),
    )


def plan_disk(disk: Disk, role: str, table: PlanTable | None = None) -> PlanDisk:
    """The disk bound by identity. `role`: member of which array, or spare."""
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
        lun=disk.lun,
        table=table,
    )


# What marks a disk of a plan without md as the plan's: the UUID of its file system, or of its LVM physical volume.
# An md superblock does that for members of arrays. Both lie at the start of the disk, so an undo zeroes that last.


MARKED_BYTES = 4096
"""bytes at the start of a disk that hold the superblock of XFS and ext4 and LVM's label"""


def plain_marks(plan: Plan) -> Mapping[str, str]:
    """Path of each disk to the UUID that the plan writes on it; empty for a plan whose disks are members of arrays."""
    if not plan.design.layout.plain:
        return {}
    if isinstance(plan.prediction.volume, LvmGeometry):
        names = part_names(plan.name, plan.design.layout.arrays)
        minted = Names(run_id=plan.run_id, name=plan.name, host=plan.host, arrays=names, mount_points=(), outer="")
        return {disk.path: minted.volume_uuid(part) for disk, part in zip(plan.disks, names, strict=True)}
    return {made.device: made.uuid for made in plan.filesystems}


def marked(path: str, uuid: str) -> Reading:
    """The disk has the UUID that the plan wrote on it."""
    return fact("ours", f"{path} has UUID {uuid}", identity.uuid_question(path), uuid, key="UUID")
