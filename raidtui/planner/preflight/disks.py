"""Preflight of the disks: each must be present, the planned one, unused, and unchanged since planning.

Every error names the disk by place and serial number, its user, and the remedy.
"""

from __future__ import annotations

from collections.abc import Iterator

from raidtui.model.by_key import by_key
from raidtui.model.finding import Finding
from raidtui.model.inventory import Disk, DiskContent, Inventory
from raidtui.model.plan import Plan, PlanDisk
from raidtui.model.safe import safe
from raidtui.model.units import grouped
from raidtui.planner.compile.disk_binding import path_of
from raidtui.planner.compile.disk_content import as_accepted, contents
from raidtui.planner.containers import container_uuids
from raidtui.planner.findings import LONGEST, error, warning
from raidtui.planner.holds import held_by, holders, way_out

_LONG = 80
_PLAN_AGAIN = "check it with raidtui disks, then plan again"


def check_disks(plan: Plan, inventory: Inventory) -> Iterator[Finding]:
    """Findings about every disk of the plan: errors, and a warning for each disk that a process reads."""
    known = {disk.id: disk for disk in inventory.disks if disk.id}
    for planned in plan.disks:
        disk = known.get(planned.id)
        if disk is None:
            yield _absent(plan, planned, inventory)
            continue
        found = [*_changed(planned, disk), *_held(planned, disk)]
        yield from found or _left(planned, disk)
        yield from _read(planned, disk)
    yield from _straddling(plan, inventory)


def check_identities(plan: Plan, inventory: Inventory) -> Iterator[Finding]:
    """Errors unless each disk of the plan is present once and is the planned one; content is not checked."""
    known = {disk.id: disk for disk in inventory.disks if disk.id}
    for planned in plan.disks:
        disk = known.get(planned.id)
        if disk is None:
            yield _absent(plan, planned, inventory)
        else:
            yield from _changed(planned, disk)


def display_name(planned: PlanDisk) -> str:
    """`slot 3, enclosure 0x500 (MODEL, serial S003)`."""
    model = safe(planned.model or "no model", longest=LONGEST)
    return f"{safe(planned.place.text or planned.path, longest=LONGEST)} ({model}, serial {_serial(planned)})"


def _serial(planned: PlanDisk) -> str:
    return safe(planned.serial or "unknown", longest=LONGEST)


def _absent(plan: Plan, planned: PlanDisk, inventory: Inventory) -> Finding:
    twins = [disk for disk in inventory.disks if not disk.id and _same_names(planned, disk)]
    if len(twins) > 1:
        names = ", ".join(safe(disk.kernel_name) for disk in twins)
        return error(
            "disk-duplicated",
            f"{len(twins)} devices claim to be the disk in {display_name(planned)}: {names}.",
            "disconnect the clone; where they are paths to one disk, start multipathd and plan again on its map",
            planned.id,
        )
    here = next((disk for disk in inventory.disks if _same_names(planned, disk)), None)
    if here is not None:
        name = safe(here.kernel_name or here.id)
        return error(
            "disk-changed",
            f"The disk in {display_name(planned)} is {name} by serial number, but its identity is no longer "
            f"{planned.id}.",
            _PLAN_AGAIN,
            planned.id,
        )
    ours = {disk.id for disk in plan.disks}
    if planned.bound_by_path:
        others = (disk for disk in inventory.disks if disk.bound_by_path and disk.id not in ours)
        equal = next((disk.path for disk in others if disk.size_bytes == planned.size_bytes), None)
        elsewhere = "" if equal is None else f"; an equal disk is at {safe(equal, longest=_LONG)}"
        return error(
            "disk-missing",
            f"No disk is at {safe(planned.path, longest=_LONG)}, by which alone the plan knows one{elsewhere}.",
            "attach it there again, or let udev restore the link: udevadm trigger --settle --subsystem-match=block; "
            "else plan again",
            planned.id,
        )
    other = next((disk for disk in inventory.disks if disk.id not in ours and _same_place(planned, disk)), None)
    if other is not None:
        serial = safe(other.serial or "unknown", longest=LONGEST)
        return error(
            "disk-missing",
            f"The disk in {display_name(planned)} is missing; in its place is another: "
            f"{safe(other.model or 'no model', longest=LONGEST)}, serial {serial}, "
            f"{grouped(other.size_bytes)} bytes, planned {grouped(planned.size_bytes)}.",
            "put the planned disk back, or plan again: sizes and bands of a plan are those of its own disks",
            planned.id,
        )
    return error(
        "disk-missing",
        f"The disk in {display_name(planned)} is missing.",
        "insert it and wait until raidtui disks lists it, or plan again without it",
        planned.id,
    )


def _same_place(planned: PlanDisk, disk: Disk) -> bool:
    where = planned.place
    here = (disk.place.slot, disk.place.enclosure or "")
    return bool(disk.place.slot) and here == (where.slot, where.enclosure)


def _same_names(planned: PlanDisk, disk: Disk) -> bool:
    if planned.own_wwn is not None and disk.own_wwn == planned.own_wwn:
        return True
    return bool(planned.serial) and (disk.serial, disk.model) == (planned.serial, planned.model)


def _changed(planned: PlanDisk, disk: Disk) -> Iterator[Finding]:
    """Errors about changes of the disk itself: size, sector, serial number, model, WWN, path."""
    pairs: tuple[tuple[str, object, object], ...] = (
        ("bytes", grouped(planned.size_bytes), grouped(disk.size_bytes)),
        ("bytes per sector", planned.logical_sector_bytes, disk.logical_sector_bytes),
        ("serial number", planned.serial, disk.serial),
        ("model", planned.model, disk.model),
        ("world-wide name", planned.wwn, disk.wwn),
        ("path", planned.path, path_of(disk)),
    )
    for what, before, now in pairs:
        if before != now:
            yield error(
                "disk-changed",
                f"The disk in {display_name(planned)} is not as planned: {what} {_value(now)}, "
                f"planned {_value(before)}.",
                _PLAN_AGAIN,
                planned.id,
            )


def _value(value: object) -> str:
    return "none" if value is None else safe(str(value), longest=_LONG)


def _held(planned: PlanDisk, disk: Disk) -> Iterator[Finding]:
    for use in holders(disk):
        yield error(f"disk-{use.kind}", _cannot_build(planned, held_by(use)), way_out(use), planned.id)


def _cannot_build(planned: PlanDisk, reason: str) -> str:
    return f"Cannot build on the disk in {display_name(planned)}: {safe(reason, longest=3 * _LONG)}."


def _read(planned: PlanDisk, disk: Disk) -> Iterator[Finding]:
    """Warnings about processes that read the disk; they may report errors when it is erased."""
    readers = [each for each in disk.opened_by if not each.writing]
    if readers:
        names = ", ".join(dict.fromkeys(f"{each.command} (pid {each.process})" for each in readers))
        yield warning(
            "disk-read",
            f"The disk in {display_name(planned)} is open for reading by {safe(names, longest=_LONG)}.",
            "do not build if that process needs the disk's content; fuser --verbose shows it",
            planned.id,
        )


def _left(planned: PlanDisk, disk: Disk) -> Iterator[Finding]:
    """Errors if the content of an unused disk differs from the plan."""
    now = contents(as_accepted(planned, disk))
    if disk.state == "unknown":
        yield error(
            "disk-unknown",
            f"The content of the disk in {display_name(planned)} cannot be read; unknown does not count as blank.",
            f"{safe(disk.not_selectable or 'read it as root', longest=3 * _LONG)}; then build",
            planned.id,
        )
    elif now != planned.content:
        before = _listed(planned.content) or "blank"
        yield error(
            "disk-not-blank" if not planned.content else "disk-content-changed",
            f"The disk in {display_name(planned)} holds {_listed(now) or 'nothing'}; when the plan was made: {before}.",
            f"if that may be erased, {_PLAN_AGAIN}",
            planned.id,
        )
    elif disk.fingerprint != planned.fingerprint:
        yield error(
            "disk-content-changed",
            f"The content of the disk in {display_name(planned)} changed since the plan was made: {_listed(now)}.",
            f"if that may be erased, {_PLAN_AGAIN}",
            planned.id,
        )
    elif disk.not_selectable is not None:
        yield error(
            "disk-not-selectable",
            _cannot_build(planned, disk.not_selectable),
            "end that use with its own tool, then plan again",
            planned.id,
        )


def _listed(content: tuple[DiskContent, ...]) -> str:
    return safe("; ".join(map(str, content)), longest=2 * _LONG)


def _straddling(plan: Plan, inventory: Inventory) -> Iterator[Finding]:
    """Errors if the plan contains only some disks of an old array or multi-disk file system."""
    ours = {planned.id: planned for planned in plan.disks}
    pieces = by_key((uuid, disk) for disk in inventory.disks for uuid in container_uuids(disk))
    for uuid, disks in pieces.items():
        inside = [ours[disk.id] for disk in disks if disk.id in ours]
        outside = [disk for disk in disks if disk.id not in ours]
        if inside and outside:
            rest = ", ".join(f"{safe(disk.kernel_name)} (serial {safe(disk.serial or 'unknown')})" for disk in outside)
            yield error(
                "disk-straddles",
                f"The disk in {display_name(inside[0])} is part of {uuid}; the plan lacks its other disks: {rest}.",
                "include all of its disks in the plan, or none",
                inside[0].id,
            )
