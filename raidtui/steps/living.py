"""What acts on arrays that run have in common: their things, what a disk must be to join one, and single steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar
from uuid import UUID, uuid5

from raidtui.advice.arrays import words
from raidtui.advice.arrays.state import IN_ARRAY, left_to_lose
from raidtui.advice.boot.next_boot import after_act, check_boot
from raidtui.predict.disks.holds import not_free, not_usable
from raidtui.programs import mdadm, wipefs
from raidtui.programs.sfdisk import KIND, Dump
from raidtui.sizes.md import joining_bytes
from raidtui.sizes.partitions import table_bytes
from raidtui.steps.step_builder import fact, only_if
from raidtui.values.acts import Extension, Replacement
from raidtui.values.arrays import ObservedArray
from raidtui.values.facts import Boot, BootArrays, BootMember
from raidtui.values.findings import Finding, error, name
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.plan import (
    Act,
    Action,
    PartInArray,
    PlanArray,
    PlanDisk,
    Reading,
    Stage,
    Step,
    partition_path,
)
from raidtui.values.safe import safe
from raidtui.values.units import KIB, MIB, grouped

_SUPERBLOCK_FIRST = ("1.1", "1.2")
_CLEARED = 4 * MIB
"""bytes at the end of a disk with the superblock of a spare that is moved; behind it, where it is at the start"""


def thing(array: ObservedArray) -> PlanArray:
    """The array as an act knows it: its UUID, and the device that carries it now."""
    members = tuple(each.disk_id for each in array.members if each.disk_id and each.state in IN_ARRAY[:3])
    spares = tuple(each.disk_id for each in array.spares if each.disk_id)
    label = array.label.rpartition(":")[2] or array.name
    return PlanArray(name=label, device=device_of(array), uuid=array.uuid, members=members, spares=spares)


def device_of(array: ObservedArray) -> str:
    """Path by which commands name a running array."""
    return f"/dev/{array.name}"


def room_of(array: ObservedArray) -> int:
    """Bytes that mdadm wants of a device that joins the array."""
    return joining_bytes(array.metadata, array.component_bytes, offset_of(array))


def offset_of(array: ObservedArray) -> int:
    """Bytes in front of the data of its members, the most of them; 0 where none is known."""
    return max((each.data_offset_bytes or 0 for each in array.members), default=0)


def step(
    array: ObservedArray,
    stage: Stage,
    title: str,
    actions: Sequence[Action] = (),
    after: Iterable[Reading] = (),
    *,
    purpose: str,
    cut: str,
    then: Sequence[PartInArray] | None = None,
) -> Step:
    """A step of an act on `array`; its number is given by `numbered`."""
    return Step(
        number=0, stage=stage, title=title, purpose=purpose, actions=tuple(actions), after=tuple(after),
        then=None if then is None else tuple(then), cut=cut, survives=left_to_lose(array),
    )  # fmt: skip


def numbered(steps: Iterable[Step]) -> tuple[Step, ...]:
    """The steps with their numbers, from 1."""
    return tuple(replace(each, number=number) for number, each in enumerate(steps, start=1))


def is_left_of(act: Act, begun: Act) -> bool:
    """True if `act` is what is left of `begun`: its commands are some of that one's, in their order, on no other arrays
    and disks."""
    theirs = iter([command for each in begun.steps for command in each.commands])
    return (
        {each.uuid for each in act.arrays} <= {each.uuid for each in begun.arrays}
        and {each.id for each in act.disks} <= {each.id for each in begun.disks}
        and all(command in theirs for each in act.steps for command in each.commands)
    )


def joins(
    array: ObservedArray, disk: Disk, inventory: Inventory, needed: int, *, spare_of: ObservedArray | None = None
) -> Iterator[Finding]:
    """Why a disk cannot become a member of `array`: what makes a disk unusable for a build does so here too.

    `spare_of`: array whose spare it is, or was: that superblock alone is not held against it."""
    twin = Counter(each.id for each in inventory.disks)[disk.id] > 1
    own = "" if spare_of is None else spare_of.uuid
    inside = spare_of is not None and any(each.disk == disk.kernel_name for each in spare_of.members)
    if why := not_usable(disk, twin=twin, spare_of=own, inside=inside):
        yield error("new-in-use", f"{name(disk)} cannot be used: {safe(why)}.", "name a blank disk", disk.id)
    elif why := not_free(disk, spare_of=own):
        yield error(
            "new-not-blank", f"{name(disk)} is not proven blank: {safe(why)}.",
            "read raidtui disks; back up what is on it, and erase it with the tool that made it", disk.id,
        )  # fmt: skip
    over = [each for each in array.members if each.device[:3] == "dm-" and each.disk and each.disk[:3] != "dm-"]
    if over:  # a multipath map is a disk of its own
        yield error(
            "new-unmapped",
            f"{words.name(array)} is made of {safe(over[0].device)}, which is over {safe(over[0].disk)}: LUKS or "
            f"dm-integrity, for example. {name(disk)} would join as it is.",
            f"prepare and open the disk as the others, then mdadm {device_of(array)} --add /dev/mapper/NAME "
            "(raidtui help luks, raidtui help integrity)", disk.id,
        )  # fmt: skip
    if disk.size_bytes < needed:
        yield error(
            "new-too-small",
            f"{name(disk)} has {grouped(disk.size_bytes)} bytes, the member needs {grouped(needed)}.",
            "use a disk at least as large", disk.id,
        )  # fmt: skip
    sector = array.logical_sector_bytes
    if sector is not None and disk.logical_sector_bytes > sector:
        yield error(
            "new-sector-size",
            f"{name(disk)} has sectors of {disk.logical_sector_bytes} bytes, {words.name(array)} of {sector}. A file "
            f"system made for smaller sectors may not mount any more.",
            "use a disk whose sectors are no larger", disk.id,
        )  # fmt: skip


def belongs(path: str, array: ObservedArray) -> Reading:
    """The device has a superblock of the array."""
    what = f"{path} belongs to {words.name(array)}"
    return fact("ours", what, mdadm.examine_export(path), array.uuid, key="MD_UUID")


def has_none(path: str) -> Reading:
    """The device has no md superblock."""
    return fact("unused", f"{path} has no md superblock", wipefs.kind_question(path, wipefs.MD_MEMBER), "")


def spare_cleared(disk: PlanDisk, array: ObservedArray) -> Step:
    """Takes a disk that was a spare of `array` back to a blank disk; the superblock, which says so, last."""
    ours = belongs(disk.path, array)
    if array.metadata in _SUPERBLOCK_FIRST:
        behind = mdadm.superblock_offset(array.metadata, disk.size_bytes) + mdadm.SUPERBLOCK_BYTES
        area = (behind, _CLEARED - behind)
    else:
        area = (disk.size_bytes - _CLEARED, _CLEARED - 256 * KIB)
    commands = (wipefs.zero(disk.path, *area), mdadm.zero_superblock(disk.path))
    return replace(
        step(
            array, "exchange", f"Erase its superblock of {words.name(array)}",
            [only_if(ours, replace(each, members=(disk.path,), spare_of=array.uuid)) for each in commands],
            (has_none(disk.path),),
            purpose="A disk with the superblock of an array is taken back by udev or the next boot. Nothing but that "
            "superblock may be on it: it is read right before.",
            cut="the disk is a spare of no array; the same command goes on",
        ),
        destroys=(disk.id,), locks=(disk.id,),
    )  # fmt: skip


# The partition table of a disk that comes where members are partitions: that of a member, with GUIDs of its own.


_NAMESPACE = UUID("3c9a4dd4-52cb-4f5f-8f0d-6a2a8e2f6d11")


def table_of(
    old: Disk | None, disks: Sequence[Disk], numbers: Collection[int], tables: Mapping[str, Dump]
) -> tuple[Disk, Dump] | None:
    """The disk with its GPT that is copied: `old`, else the one of `disks` with the fewest partitions.

    It has those with `numbers`, and counts from 1 without a gap. None: there is none."""
    found = [
        (disk, table)
        for disk in disks
        if (table := tables.get(disk.kernel_name)) is not None and table.label == KIND
        and set(numbers) <= set(disk.partitions) == set(range(1, len(table.entries) + 1))
    ]  # fmt: skip
    return min(found, key=lambda each: (each[0] is not old, len(each[1].entries)), default=None)


def bytes_for(disk: Disk, table: Dump) -> int:
    """Bytes that another disk needs for the table of `disk`."""
    sector = disk.logical_sector_bytes
    return max(each.start_sectors + each.size_sectors for each in table.entries) * sector + table_bytes(sector)[1]


def copied(disk: Disk, table: Dump, new: Disk) -> Dump:
    """The table of `disk` for `new`, without names.

    A GUID follows from the disk and what it names, so that each call makes the same table of whichever member.
    """
    sector, own = disk.logical_sector_bytes, new.logical_sector_bytes

    def guid(*words: int) -> str:
        return str(uuid5(_NAMESPACE, " ".join((new.id, *map(str, words)))))

    entries = tuple(
        replace(each, start_sectors=start // own, size_sectors=size // own, guid=guid(at, start, size), name="")
        for at, each in enumerate(table.entries, start=1)
        for start, size in ((each.start_sectors * sector, each.size_sectors * sector),)
    )
    return Dump(label=KIND, guid=guid(len(entries)), entries=entries)


# What the next boot finds once an act on arrays that run is done; it is refused where that is too little.


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
