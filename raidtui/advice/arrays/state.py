"""States of an md array, from what the kernel and its superblocks say."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import get_args

from raidtui.advice.inferred_design import ArrayFacts, InferredDesign, NotALayout, infer_design
from raidtui.values.arrays import (
    ArrayMember,
    ArrayState,
    MdShape,
    MemberState,
    MemberSuperblock,
    ObservedArray,
    VolumeFacts,
    VolumeOnMember,
    slots_in_reserve,
)
from raidtui.values.choices import FileSystem
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.survival import further_failures, holds_all

IN_ARRAY: tuple[MemberState, ...] = ("in-sync", "rebuilding", "replacement", "spare")
"""members that md uses, or will"""
WAITING = ("held", "pending")
"""actions of a sync that waits by itself"""
KERNEL_STATES = (
    "clear", "inactive", "suspended", "readonly", "read-auto", "clean", "active", "write-pending", "active-idle",
    "broken",
)  # fmt: skip
"""words of array_state (Documentation/admin-guide/md.rst; drivers/md/md.c)"""
KERNEL_FLAGS = (
    "faulty", "in_sync", "journal", "write_mostly", "blocked", "spare", "write_error", "want_replacement",
    "replacement", "external_bbl", "failfast",
)  # fmt: skip
"""words of a member's state, likewise"""
_ORDER: tuple[ArrayState, ...] = get_args(ArrayState)
_NO_HOST = ("", "any")
"""hosts in an array's name that mean none (mdadm(8), --homehost)"""
_REPLACEMENT, _RECOVERING, _JOURNAL = 0x10, 0x2, 0x200
"""bits of a feature map (md_p.h): it replaces a member that works; it is filled up to an offset; the array has one"""


def array_states(array: ObservedArray, host: str) -> tuple[ArrayState, ...]:
    """All states of an array on the machine `host`, gravest first."""
    kernel = array.kernel_state
    runs = kernel not in ("", "inactive")
    if is_container(array):
        return ("container",) if kernel else ("stopped", "container")
    found: list[ArrayState] = []
    if runs and (kernel == "broken" or lost_data(array)):
        found.append("failed")
    elif array.lacks:
        found.append("degraded" if runs else "incomplete")
    if journal_lost(array):
        found.append("journal-lost")
    if not runs:
        found.append("inactive" if kernel else "stopped")
    if array.reshape is not None:
        found.append("reshaping")
    if array.sync is not None and array.sync.action in WAITING:
        found.append("pending")
    if array.made_for not in (*_NO_HOST, host):
        found.append("foreign")
    if kernel in ("read-auto", "readonly"):
        found.append("auto-read-only" if kernel == "read-auto" else "read-only")
    elif kernel and kernel not in KERNEL_STATES:
        found.append("unknown")
    elif runs:
        found.append("clean" if kernel in ("clean", "broken") else "active")
    return tuple(sorted(found, key=_ORDER.index))


def is_container(array: ObservedArray) -> bool:
    """True for a container of IMSM or DDF, which holds arrays and no data."""
    return array.metadata.startswith("external:") and array.level in ("", "container")


def journal_lost(array: ObservedArray) -> bool:
    """True for an array with a write journal that failed or is not there."""
    if array.kernel_state in ("", "inactive"):
        blocks = [member.superblock for member in array.members if member.superblock is not None]
        return any(block.features & _JOURNAL for block in blocks) and not any(block.journal for block in blocks)
    return array.consistency == "journal" and not any(member.state == "journal" for member in array.members)


def gone_slots(array: ObservedArray) -> frozenset[int] | None:
    """Slots without a member in sync; None where they do not add up to the kernel's count: which is not known."""
    there = {member.slot for member in array.members if member.state == "in-sync"}
    gone = frozenset(range(array.devices or 0)).difference(there)
    if array.lacks is not None and array.lacks != len(gone):
        return frozenset(range(array.lacks)) if array.level != "raid10" else None
    return gone


def shapes(array: ObservedArray) -> tuple[MdShape, ...]:
    """How it spreads its data; during a reshape in both ways."""
    return (array.shape,) if array.reshape is None else (array.reshape.before, array.shape)


def lost_data(array: ObservedArray) -> bool:
    """True where what is left of an array that runs does not hold every chunk; False where that is not known."""
    gone = gone_slots(array)
    if gone is None or array.lacks is None:
        return False
    return any(holds_all(shape, _of(gone, shape)) is False for shape in shapes(array))


def left_to_lose(array: ObservedArray) -> int | None:
    """Failures of further members, whichever they are, that it survives now; None: it depends on which, or its shape is
    not known."""
    gone = gone_slots(array)
    if gone is None:
        return None
    found = [further_failures(shape, _of(gone, shape)) for shape in shapes(array)]
    least = None if None in found else min(each or 0 for each in found)
    there = sum(member.state == "in-sync" for member in array.members)
    return None if least == 0 and len(critical(array)) < there else least


def critical(array: ObservedArray) -> tuple[ArrayMember, ...]:
    """Members in sync whose failure now would lose data; none where that is not known."""
    gone = gone_slots(array)
    if gone is None:
        return ()
    return tuple(
        member
        for member in array.members
        if member.state == "in-sync" and member.slot is not None
        if any(holds_all(shape, _of(gone | {member.slot}, shape)) is False for shape in shapes(array))
    )


def _of(slots: Collection[int], shape: MdShape) -> frozenset[int]:
    return frozenset(slot for slot in slots if slot < shape.devices)


def filling(array: ObservedArray) -> tuple[ArrayMember, ...]:
    """Members whose slot md fills, or will as soon as its turn comes."""
    return tuple(member for member in array.members if member.state == "rebuilding")


def replacing(array: ObservedArray, member: ArrayMember) -> ArrayMember | None:
    """The device onto which md copies a member that works; None for none."""
    copies = (each for each in array.members if each.state == "replacement" and each.slot == member.slot)
    return None if member.slot is None else next(copies, None)


def reserved_slots(array: ObservedArray) -> frozenset[int]:
    """Empty slots at the end of a mirror that was made with more of them than the machine has disks."""
    there = [member.slot for member in array.members if member.state == "in-sync" and member.slot is not None]
    filled = {member.slot for member in filling(array)}
    return frozenset(slots_in_reserve(array.level, array.devices or 0, there)).difference(filled)


def unknown_words(array: ObservedArray) -> Iterator[str]:
    """Words of the kernel about the array that this version does not know, each with the file that has it."""
    if array.kernel_state and array.kernel_state not in KERNEL_STATES:
        yield f"array_state {array.kernel_state}"
    for member in array.members:
        yield from (f"dev-{member.device}/state {flag}" for flag in member.flags if flag not in KERNEL_FLAGS)


def member_state(flags: frozenset[str], slot: int | None, *, runs: bool) -> MemberState:
    """The part of a member, from the words of its `state` in sysfs (Documentation/admin-guide/md.rst)."""
    if "faulty" in flags:
        return "faulty"
    if not runs:
        return "idle"
    if "journal" in flags:
        return "journal"
    if "replacement" in flags:
        return "replacement"
    if "in_sync" in flags:
        return "in-sync"
    return "spare" if slot is None else "rebuilding"


def missing(members: Sequence[ArrayMember], devices: int | None) -> list[ArrayMember]:
    """A missing member for each slot that no device has; none where one was not read, which may have it."""
    if any(member.state == "unknown" and member.slot is None for member in members):
        return []
    filled = {member.slot for member in members if member.state not in ("replacement", "faulty", "dropped")}
    return [ArrayMember(slot=slot, state="missing") for slot in range(devices or 0) if slot not in filled]


def newest_of(members: Sequence[ArrayMember]) -> MemberSuperblock | None:
    """The superblock with the highest event count; None where none was read."""
    blocks = [member.superblock for member in members if member.superblock is not None]
    return max(blocks, key=lambda block: block.events or 0, default=None)


def is_fresh(block: MemberSuperblock, newest: MemberSuperblock) -> bool:
    """True where md takes it for up to date: it allows one event less (super_1_validate; mdadm's Assemble.c)."""
    return (block.events or 0) + 1 >= (newest.events or 0)


def up_to_date(members: Sequence[ArrayMember], newest: MemberSuperblock) -> frozenset[int]:
    """Slots that have a member as new as the newest, whole; of an array that does not run, by superblocks."""
    partial = _REPLACEMENT | (0 if newest.reshape else _RECOVERING)
    return frozenset(
        block.role
        for block in (member.superblock for member in members if member.state != "dropped")
        if block is not None and block.role is not None
        if is_fresh(block, newest) and not block.features & partial
    )


def by_superblocks(array: ObservedArray) -> ObservedArray:
    """The array with what its superblocks alone say: of one that does not run its shape, and how many members it lacks.

    The newest decides, also that of a device that is not in it."""
    newest = newest_of(array.members)
    if newest is None:
        return array
    if array.kernel_state not in ("", "inactive"):
        if array.reshape is None or newest.reshape is None:
            return array
        return replace(array, reshape=replace(array.reshape, backup=newest.reshape.backup))
    lacks = None if newest.devices is None else max(newest.devices - len(up_to_date(array.members, newest)), 0)
    return replace(
        array, level=newest.level, devices=newest.devices, lacks=lacks, layout=newest.layout or 0,
        chunk_bytes=newest.chunk_bytes, reshape=newest.reshape, metadata=array.metadata or newest.metadata,
    )  # fmt: skip


def volumes_of(members: Sequence[ArrayMember]) -> list[tuple[VolumeOnMember, tuple[ArrayMember, ...]]]:
    """Arrays that the disks of a container list, by number, each with its members that are there and up to date, by
    slot. A disk of IMSM lists all of them, and the newest counts; one of DDF lists only those that it is part of, so
    each array is as the newest of its own disks has it."""
    known = [(each, each.container) for each in members if each.container is not None]
    newest = max((container.generation for _, container in known), default=0)
    latest: dict[tuple[int, str], tuple[int, VolumeOnMember]] = {}
    for container in (each for _, each in known if each.kind == "ddf" or each.generation == newest):
        for volume in container.volumes:
            before = latest.get((volume.number, volume.uuid))
            if before is None or container.generation > before[0]:
                latest[volume.number, volume.uuid] = container.generation, volume
    found = []
    for key, (_, volume) in sorted(latest.items()):
        inside = [
            replace(member, slot=own.slot, state="idle")
            for member, container in known
            for own in container.volumes
            if (own.number, own.uuid) == key and own.slot is not None and own.slot not in volume.failed
        ]
        found.append((volume, tuple(sorted(inside, key=lambda each: each.slot or 0))))
    return found


# The layout that an existing array is in, in raidtui's notation, with its prediction.


def layout_of(
    array: ObservedArray, arrays: Sequence[ObservedArray], inventory: Inventory
) -> InferredDesign | NotALayout:
    """The design that would make `array`, or why there is none; `arrays`: all of the machine."""
    if not array.size_bytes:
        return NotALayout("it does not run: its shape is not known")
    return design_of(array.name, arrays, (), inventory)


def design_of(
    top: str,
    arrays: Sequence[ObservedArray],
    volumes: Sequence[VolumeFacts],
    inventory: Inventory,
    *,
    fs: FileSystem = "none",
) -> InferredDesign | NotALayout:
    """The same of any device on arrays (kernel name), with the arrays below it."""
    facts = [array_facts(each) for each in arrays if each.name]
    return infer_design(top, facts, volumes, known_disks(arrays, inventory), fs=fs)


def known_disks(arrays: Sequence[ObservedArray], inventory: Inventory) -> dict[str, Disk]:
    """Disk, of the member's size, by kernel name of each member of `arrays`."""
    disks = {disk.kernel_name: disk for disk in inventory.disks if disk.kernel_name}
    return {
        member.device: replace(disks[member.disk], size_bytes=member.size_bytes or disks[member.disk].size_bytes)
        for each in arrays
        for member in each.members
        if member.disk in disks
    }


def array_facts(array: ObservedArray) -> ArrayFacts:
    """What the kernel says of it, for `infer_design`."""
    there = [member for member in array.members if member.state in ("in-sync", "rebuilding")]
    slots = {member.slot: member.device for member in there}
    offsets = {member.data_offset_bytes for member in there}
    return ArrayFacts(
        name=array.name,
        level=array.level,
        members=tuple(slots.get(slot, "") for slot in range((array.devices or 0) - len(reserved_slots(array)))),
        spares=tuple(member.device for member in array.spares),
        journal=next((member.device for member in array.members if member.state == "journal"), ""),
        chunk_bytes=array.chunk_bytes,
        layout=array.layout,
        component_bytes=array.component_bytes,
        data_offset_bytes=offsets.pop() if len(offsets) == 1 else None,
        write_mostly=tuple(member.device for member in there if "write_mostly" in member.flags)
        if array.level == "raid1"
        else (),
        reshapes=array.reshape is not None,
        metadata=array.metadata,
        bitmap=array.bitmap.kind not in ("none", "unknown"),
        ppl=array.consistency == "ppl",
        stripe_cache_pages=array.stripe_cache_pages,
        parity_threads=array.parity_threads,
        sync_max_bytes_per_s=array.sync_max_bytes_per_s or None,
    )
