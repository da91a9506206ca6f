"""What the next boot finds once an act on arrays that run is done; it is refused where that is too little."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from raidtui.model.boot import Boot, BootArrays, BootMember
from raidtui.model.extension import Extension
from raidtui.model.finding import Finding
from raidtui.model.plan import PlanDisk, partition_path
from raidtui.model.replacement import Replacement
from raidtui.planner.boot.arrays import after_act
from raidtui.planner.boot.next_boot import check_boot

A = TypeVar("A", Replacement, Extension)


def afterwards(act: Replacement | Extension, now: BootArrays) -> BootArrays:
    """`now` as it is when the act is done: who joined, who left, whose superblock was erased."""
    uuids = {array.device: array.uuid for array in act.arrays}
    after = now
    for step in act.steps:
        for command in step.commands:
            if command.joins:
                come = [_member(act.disks, path) for path in command.members]
                slots = () if isinstance(act, Extension) else come
                spares = come if isinstance(act, Extension) else ()
                after = after_act(after, uuids[command.joins], joins=slots, spares=spares)
        for part in step.then or ():
            if part.parts == ("missing",):
                array = next(each for each in after.arrays if each.uuid == uuids[part.array])
                out = [each for each in (*array.members, *array.spares, *array.removed) if each.path == part.device]
                erased = out if any(command.effect == "destroy" for command in step.commands) else ()
                after = after_act(after, array.uuid, leaves=out, wiped=erased)
    return after


def with_boot(act: A, now: BootArrays, look: Callable[[BootArrays], Boot]) -> A:
    """The act with what the next boot would make of it: an error where it would not start the arrays as they are then.

    What is wrong already does not stop an act that restores redundancy: it is a warning. `look` reads what the next
    boot goes by, for these arrays."""
    if not act.steps:
        return act
    then = afterwards(act, now)
    seen = look(then)
    before = {(each.code, each.subject, each.message) for each in check_boot(now, seen)}
    findings: list[Finding] = []
    for each in check_boot(then, seen):
        findings.append(
            replace(each, severity="warning") if (each.code, each.subject, each.message) in before else each
        )
    stops = any(each.severity == "error" for each in findings)
    return replace(act, findings=(*act.findings, *findings), steps=() if stops else act.steps)


def _member(disks: Sequence[PlanDisk], path: str) -> BootMember:
    """The device of an act's disk that joins an array: the disk, or one of its partitions."""
    for disk in disks:
        parts = {partition_path(disk.path, part.number): part.number for part in disk.partitions}
        if path == disk.path or path in parts:
            place, serial = disk.place.text or "slot unknown", disk.serial or "unknown"
            return BootMember(
                id=disk.id, path=path, disk_path=disk.path if path in parts else "", number=parts.get(path, 0),
                words=f"{place}, serial {serial}",
            )  # fmt: skip
    return BootMember(id=path, path=path)
