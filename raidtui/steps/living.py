"""What acts on arrays that run have in common: their things, what a disk must be to join one, and single steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from raidtui.model.arrays import ObservedArray
from raidtui.model.finding import Finding
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.plan import Act, Action, PartInArray, PlanArray, PlanDisk, Reading, Stage, Step
from raidtui.model.safe import safe
from raidtui.model.units import KIB, MIB, grouped
from raidtui.planner.arrays import words
from raidtui.planner.arrays.state import IN_ARRAY, left_to_lose
from raidtui.planner.compile.step_builder import fact, only_if
from raidtui.planner.findings import error, name
from raidtui.planner.geometry.md import joining_bytes
from raidtui.planner.holds import not_free, not_usable
from raidtui.tools import mdadm, wipefs

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
    offset = max((each.data_offset_bytes or 0 for each in array.members), default=0)
    return joining_bytes(array.metadata, array.component_bytes, offset)


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
            f"{name(disk)} has sectors of {disk.logical_sector_bytes} bytes, {words.name(array)} of {sector}: a file "
            "system made for smaller sectors may not mount any more.",
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
