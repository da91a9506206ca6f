"""Preflight of the disks: is each one there, the one meant, unused, and as it was when it was planned?

Every refusal names the disk by its place and serial number, the owner, and the way out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from raidtui.model.finding import Finding
from raidtui.model.inventory import Disk, DiskContent, Inventory, Use
from raidtui.model.plan import Plan, PlanDisk
from raidtui.model.safe import safe
from raidtui.model.units import grouped
from raidtui.planner import multipath
from raidtui.planner.compile.disk_content import as_accepted, contents
from raidtui.planner.findings import LONGEST, error, warning

_LONG = 80
_UUID = re.compile(r"[0-9a-f]{8}[:-]?(?:[0-9a-f]{4}[:-]?){4}[0-9a-f]{8}|[0-9a-f]{32}", re.IGNORECASE)
_PLAN_AGAIN = "check it with raidtui disks, then plan again"
_HELD: dict[str, tuple[str, str]] = {
    "mounted": ("is mounted at {}", "unmount it if it is not needed, then build"),
    "swap": ("is swap in use at {}", "swapoff it if the machine can spare it, then build"),
    "md-member": ("belongs to the array {}", "mdadm --stop that array if it is not needed, then plan again"),
    "lvm-pv": (
        "belongs to the volume group {}",
        "vgchange --activate n and remove that group if it is not needed, plan again",
    ),
    "zfs": (
        "belongs to the imported pool {}",
        "zpool export or destroy that pool if it is not needed, then plan again",
    ),
    "dm-crypt": ("is opened as the encrypted volume {}", "cryptsetup close it if it is not needed, then plan again"),
    "bcache": ("belongs to {}", "stop that bcache set if it is not needed, then plan again"),
    "multipath": ("is a path of the multipath device {}", f"{multipath.REASON}: {multipath.WAY_OUT}"),
    "loop": ("backs the loop device {}", "losetup --detach it if it is not needed, then build"),
    "exported": ("is exported to other machines by {}", "remove it from that target if it is not needed, then build"),
    "open": ("is open for writing by {}", "stop that process if it is not needed, then build"),
    "holder": ("is held by {}", "remove that device with its own tool if it is not needed, then plan again"),
    "read-only": ("is read-only: {}", "look for a write-protect switch, or blockdev --setrw it"),
    "locked": ("is locked: {}", "fuser --verbose names the process; wait until it has ended"),
    "exclusive": ("is in use: {}", "fuser --verbose names the process; wait until it has ended"),
    "system": ("is in use by the running system: {}", "plan on other disks; nothing overrides this"),
}
"""kind of an active use to the sentence about its owner and to the way out; none of them can be overridden"""


def check_disks(plan: Plan, inventory: Inventory) -> Iterator[Finding]:
    """Findings about every disk of the plan: errors, and a warning for each disk that a process reads."""
    known = {disk.id: disk for disk in inventory.disks if disk.id}
    for planned in plan.disks:
        disk = known.get(planned.id)
        if disk is None:
            yield _absent(planned, inventory)
            continue
        found = [*_changed(planned, disk), *_held(planned, disk)]
        yield from found or _left(planned, disk)
        yield from _read(planned, disk)
    yield from _straddling(plan, inventory)


def check_identities(plan: Plan, inventory: Inventory) -> Iterator[Finding]:
    """Is each disk of the plan there, once, and the one meant? What it holds by now is not looked at."""
    known = {disk.id: disk for disk in inventory.disks if disk.id}
    for planned in plan.disks:
        disk = known.get(planned.id)
        if disk is None:
            yield _absent(planned, inventory)
        else:
            yield from _changed(planned, disk)


def called(planned: PlanDisk) -> str:
    """`slot 3, enclosure 0x500 (MODEL, serial S003)`."""
    model = safe(planned.model or "no model", longest=LONGEST)
    return f"{safe(planned.place.text or planned.path, longest=LONGEST)} ({model}, serial {_serial(planned)})"


def _serial(planned: PlanDisk) -> str:
    return safe(planned.serial or "unknown", longest=LONGEST)


def _absent(planned: PlanDisk, inventory: Inventory) -> Finding:
    twins = [disk for disk in inventory.disks if not disk.id and _same_names(planned, disk)]
    if len(twins) > 1:
        names = ", ".join(safe(disk.kernel_name) for disk in twins)
        return error(
            "disk-duplicated",
            f"{len(twins)} devices claim to be the disk in {called(planned)}: {names}.",
            "take the clone or the second path away: a disk is built on over one path",
            planned.id,
        )
    here = next((disk for disk in inventory.disks if _same_names(planned, disk)), None)
    if here is not None:
        name = safe(here.kernel_name or here.id)
        return error(
            "disk-changed",
            f"The disk in {called(planned)} is {name} by serial number, but its identity is no longer {planned.id}.",
            _PLAN_AGAIN,
            planned.id,
        )
    return error(
        "disk-missing",
        f"The disk in {called(planned)} is missing.",
        "put it back in and wait until it shows in raidtui disks, or plan again without it",
        planned.id,
    )


def _same_names(planned: PlanDisk, disk: Disk) -> bool:
    if planned.wwn is not None and disk.wwn == planned.wwn:
        return True
    return bool(planned.serial) and (disk.serial, disk.model) == (planned.serial, planned.model)


def _changed(planned: PlanDisk, disk: Disk) -> Iterator[Finding]:
    """What the disk is by itself: size, sector, names."""
    pairs: tuple[tuple[str, object, object], ...] = (
        ("bytes", grouped(planned.size_bytes), grouped(disk.size_bytes)),
        ("bytes a sector", planned.logical_sector_bytes, disk.logical_sector_bytes),
        ("serial number", planned.serial, disk.serial),
        ("model", planned.model, disk.model),
        ("world-wide name", planned.wwn, disk.wwn),
        ("path", planned.path, disk.path or f"/dev/disk/by-id/{disk.id}"),
    )
    for what, before, now in pairs:
        if before != now:
            yield error(
                "disk-changed",
                f"The disk in {called(planned)} is not as planned: {what} {_value(now)}, planned {_value(before)}.",
                _PLAN_AGAIN,
                planned.id,
            )


def _value(value: object) -> str:
    return "none" if value is None else safe(str(value), longest=_LONG)


def _held(planned: PlanDisk, disk: Disk) -> Iterator[Finding]:
    uses = [use for use in disk.uses if use.active]
    if disk.protected and not any(use.kind == "system" for use in uses):
        uses.append(Use(kind="system", where="protected", active=True))
    if disk.bsd_locked and not any(use.kind == "locked" for use in uses):
        uses.append(Use(kind="locked", where="another process holds its lock", active=True))
    for use in uses:
        sentence, way_out = _HELD.get(use.kind, ("is held by {}", _HELD["holder"][1]))
        owner = safe(use.where, longest=_LONG)
        yield error(f"disk-{use.kind}", f"The disk in {called(planned)} {sentence.format(owner)}.", way_out, planned.id)


def _read(planned: PlanDisk, disk: Disk) -> Iterator[Finding]:
    """Processes that only read: what they read is about to be erased, and they may report errors."""
    readers = [each for each in disk.opened_by if not each.writing]
    if readers:
        names = ", ".join(dict.fromkeys(f"{each.command} (pid {each.process})" for each in readers))
        yield warning(
            "disk-read",
            f"The disk in {called(planned)} is open for reading by {safe(names, longest=_LONG)}.",
            "if that process needs what is on the disk, do not build; fuser --verbose names it",
            planned.id,
        )


def _left(planned: PlanDisk, disk: Disk) -> Iterator[Finding]:
    """What lies on it while nothing holds it: exactly what the plan says, nothing else."""
    now = contents(as_accepted(planned, disk))
    if disk.state == "unknown":
        yield error(
            "disk-unknown",
            f"The content of the disk in {called(planned)} cannot be read; unknown does not count as blank.",
            f"{safe(disk.not_selectable or 'read it as root', longest=3 * _LONG)}; then build",
            planned.id,
        )
    elif now != planned.content:
        before = _listed(planned.content) or "blank"
        yield error(
            "disk-not-blank" if not planned.content else "disk-content-changed",
            f"The disk in {called(planned)} holds {_listed(now) or 'nothing'}; when the plan was made: {before}.",
            f"if that may be erased, {_PLAN_AGAIN}",
            planned.id,
        )
    elif disk.fingerprint != planned.fingerprint:
        yield error(
            "disk-content-changed",
            f"The content of the disk in {called(planned)} changed since the plan was made: {_listed(now)}.",
            f"if that may be erased, {_PLAN_AGAIN}",
            planned.id,
        )
    elif disk.not_selectable is not None:
        yield error(
            "disk-not-selectable",
            f"Cannot build on the disk in {called(planned)}: {safe(disk.not_selectable, longest=3 * _LONG)}.",
            "end that use with its own tool, then plan again",
            planned.id,
        )


def _listed(content: tuple[DiskContent, ...]) -> str:
    return safe("; ".join(map(str, content)), longest=2 * _LONG)


def _straddling(plan: Plan, inventory: Inventory) -> Iterator[Finding]:
    """Old arrays and file systems of several disks are taken whole or not at all."""
    ours = {planned.id: planned for planned in plan.disks}
    pieces: dict[str, list[Disk]] = {}
    for disk in inventory.disks:
        for uuid in _stacks(disk):
            pieces.setdefault(uuid, []).append(disk)
    for uuid, disks in pieces.items():
        inside = [ours[disk.id] for disk in disks if disk.id in ours]
        outside = [disk for disk in disks if disk.id not in ours]
        if inside and outside:
            rest = ", ".join(f"{safe(disk.kernel_name)} (serial {safe(disk.serial or 'unknown')})" for disk in outside)
            yield error(
                "disk-straddles",
                f"The disk in {called(inside[0])} is part of {uuid}; its other parts are on {rest}, outside the plan.",
                "take all disks of it into the plan, or none",
                inside[0].id,
            )


def _stacks(disk: Disk) -> set[str]:
    """UUIDs, without separators, of what the disk is only a piece of."""
    return {
        re.sub("[:-]", "", use.signature.uuid).lower()
        for use in disk.uses
        if use.signature is not None and (use.kind == "md-member" or use.signature.type == "btrfs")
        if use.signature.uuid and _UUID.fullmatch(use.signature.uuid)
    }
