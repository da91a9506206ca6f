"""The layout that an existing array is in, in raidtui's notation, with its prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from raidtui.model.arrays import ObservedArray, VolumeFacts
from raidtui.model.choices import FileSystem
from raidtui.model.inventory import Disk, Inventory
from raidtui.planner.arrays.state import reserved_slots
from raidtui.planner.design.infer_from_arrays import (
    ArrayFacts,
    InferredDesign,
    NotALayout,
    infer_design,
)


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
