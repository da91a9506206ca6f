"""How further arrays, a shelf more, join the volume group of an array that exists. Executes nothing.

A stripe of LVM cannot be widened (lvextend(8) adds a segment): the new arrays become a part of the volume of their own,
behind what is there. The arrays are built before by a plan of their own, which an undo can take back until they join.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from raidtui.advice.arrays import words
from raidtui.advice.arrays.state import design_of
from raidtui.programs import lvm
from raidtui.sizes.lvm import extent_bytes
from raidtui.steps.extend import busy, figures, made, predicted
from raidtui.steps.grow import (
    LVM_CUT,
    StackOnArray,
    back_up,
    file_system_step,
    grown_blocks,
    not_grown,
    volume_of,
    volume_step,
)
from raidtui.steps.living import device_of, step
from raidtui.steps.replace import array_named
from raidtui.steps.step_builder import fact, only_if
from raidtui.values.acts import Extension, ExtensionFigures
from raidtui.values.amounts import listed, rate
from raidtui.values.arrays import ObservedArray, ObservedArrays, VolumeFacts
from raidtui.values.findings import Finding, error, note, refused, warning
from raidtui.values.inventory import Inventory
from raidtui.values.layout import parity_of
from raidtui.values.prediction import either
from raidtui.values.safe import safe
from raidtui.values.survival import further_failures
from raidtui.values.units import KIB, counted

_STRIPE = 64 * KIB
"""of a volume over arrays without chunks"""


def with_shelf(
    seen: ObservedArrays, inventory: Inventory, array_name: str, new_names: Sequence[str], top: StackOnArray
) -> Extension:
    """Further arrays for the group, the volume and the file system that the array is part of."""
    array, new = array_named(seen, array_name), [array_named(seen, each) for each in new_names]
    devices, title, own, parts = [device_of(each) for each in new], words.name(array), top.own, top.segments
    stripe = next((each.stripe_bytes for each in parts if each.stripes > 1), 0) or new[0].chunk_bytes or _STRIPE
    below = {path for part in parts for path in part.devices}.difference(devices)
    old = [each for each in seen.arrays if f"/dev/{each.name}" in below]
    before, behind = (_figures(arrays, seen, inventory, stripe) for arrays in (old or [array], new))
    findings = [*_unjoinable(array, new, top), *_speeds(array, before, behind, len(new))]
    if own is None or not parts:
        return made(seen, array, "shelf", (before, before), (), findings)
    group, steps, groups, free = safe(own.group), [], [], []
    for each, device in zip(new, devices, strict=True):
        start, uuid = extent_bytes(_full_stripe(each) or _STRIPE), lvm.pv_uuid(each.uuid.replace(":", ""))
        label = fact("ours", f"{device} has the physical volume {uuid}", lvm.uuid_question(device), uuid)
        command = replace(lvm.pvcreate(device, uuid, start), members=(device,))
        steps.append(
            step(
                array, "grow", f"Make {device} a physical volume", [command], (label,),
                purpose="Extents start on a full stripe; the array is read as blank right before.",
                cut="a label is on it, or none",
            )
        )  # fmt: skip
        groups.append(fact("ours", f"{device} is in the group {group}", lvm.group_of_volume_question(uuid), own.group))
        there = next((space.extents - space.used for space in top.spaces if space.path == device), None)
        free.append(max(0, each.size_bytes - start) // own.extent_bytes if there is None else there)
    in_group = fact("ours", f"{title} is in the group {group}", lvm.group_of_volume_question(own.uuid), own.group)
    command = only_if(in_group, lvm.vgextend(own.group, devices))
    steps.append(
        step(
            array, "grow", f"Add {counted(len(new), 'array')} to the group {group}", [command], groups,
            purpose="LVM names groups alone: it is the one that the array is in.", cut=LVM_CUT,
        )
    )  # fmt: skip
    last = replace(parts[-1], stripes=len(new), stripe_bytes=stripe)
    volume = last.size_bytes + len(new) * min(free) * own.extent_bytes
    steps.append(volume_step(array, last, volume, devices, own.extent_bytes))
    held, blocks = top.filesystem, 0
    if held is not None:
        blocks = grown_blocks(held, volume)
        steps.append(file_system_step(array, held, blocks))
    findings += not_grown(array, top)
    if not min(free) and {space.path for space in top.spaces}.isdisjoint(devices):
        findings.append(error("shelf-too-small", "The new arrays have no extent of the group.", "larger disks", title))
    elif not min(free) and (held is None or blocks == held.blocks):
        findings.append(note("nothing-to-extend", f"The volume has {listed(devices)}.", "nothing is left to do", title))
        steps = []
    if not refused(tuple(findings)) and steps:
        findings.append(back_up(array))
    after = replace(_together(before, behind), volume_bytes=volume)
    before = replace(before, volume_bytes=last.size_bytes)
    if held is not None:
        before = replace(before, filesystem_bytes=held.blocks * held.block_bytes)
        after = replace(after, filesystem_bytes=blocks * held.block_bytes)
    return made(seen, array, "shelf", (before, after), steps, findings, arrays=(array, *new), volume=volume_of(parts))


def _full_stripe(array: ObservedArray) -> int:
    """Bytes of data in a full stripe; 0 without chunks. A multiple of it where copies of RAID10 are counted too."""
    return array.chunk_bytes * ((array.devices or 0) - parity_of(array.level))


def _unjoinable(array: ObservedArray, new: Sequence[ObservedArray], top: StackOnArray) -> Iterator[Finding]:
    title = words.name(array)
    if top.own is None or not top.segments:
        message = f"Nothing on {title} can span arrays: {safe(top.why) or 'it is no physical volume of LVM'}."
        yield error("no-volume", message, "a file system of its own for the new arrays: raidtui plan", title)
    for each in new:
        name, base = words.name(each), next(iter(each.stands_on_it), None)
        yield from busy(each)
        if each.name == array.name or not each.size_bytes:
            yield error("shelf-array", f"{name} is no further array that runs.", "raidtui arrays lists them", name)
        group = "" if top.own is None else top.own.group
        if base is not None and base.content and (base.content != "LVM2_member" or base.group not in ("", group)):
            yield error("shelf-not-blank", f"{name} holds {safe(base.content)}.", "name one that holds nothing", name)
        if (each.logical_sector_bytes or 0) > (array.logical_sector_bytes or 0):
            message = f"{name} has larger sectors than {title}: a file system made for smaller ones may not mount."
            yield error("new-sector-size", message, "use disks whose sectors are no larger", name)
        less, had = further_failures(each.shape), further_failures(array.shape)
        if less is not None and had is not None and less < had:
            message = f"{name} survives {counted(less, 'failure')}, {title} {had}: the file system is lost with either."
            yield warning("shelf-weaker", message, f"build it with the redundancy of {title}", name)
        if each.in_conf.answer == "no":
            message = f"mdadm.conf does not name {name}: a boot may start without it, and so without the file system."
            yield warning("shelf-unknown", message, "add its ARRAY line, rebuild the initramfs: raidtui audit", name)


def _speeds(array: ObservedArray, before: ExtensionFigures, behind: ExtensionFigures, count: int) -> Iterator[Finding]:
    def at(found: ExtensionFigures) -> str:
        return "unknown" if found.read_bytes_per_s is None else rate(found.read_bytes_per_s)

    what = f"a stripe over {count} arrays" if count > 1 else "one array without a stripe"
    yield note(
        "stripe-not-widened",
        f"LVM cannot widen a stripe: the new part is {what} behind the old one. What is there stays where it is, at "
        f"{at(before)}. The new part reads at {at(behind)}, and a file lies in either.",
        "files that must be faster are copied anew; for one stripe over all build beside it, copy, retire",
        words.name(array),
    )
    if behind.spares or before.spares:
        way_out = "give the ARRAY lines of old and new arrays in mdadm.conf one spare-group=, and restart the monitor"
        yield note("spares-alone", "Each array has its own spares until they share.", way_out, words.name(array))


def _figures(
    arrays: Sequence[ObservedArray], seen: ObservedArrays, inventory: Inventory, stripe: int
) -> ExtensionFigures:
    """These arrays together, striped by `stripe` where there are several."""
    names = tuple(each.name for each in arrays)
    volume = VolumeFacts(name="volume", below=names, io_min_bytes=stripe, io_opt_bytes=stripe * len(names))
    found = figures(arrays[0], predicted(design_of("volume", seen.arrays, (volume,), inventory), inventory))
    size, spares = sum(each.size_bytes for each in arrays), sum(len(each.spares) for each in arrays)
    return replace(found, array_bytes=size, spares=spares)


def _together(old: ExtensionFigures, new: ExtensionFigures) -> ExtensionFigures:
    """Both parts of a volume: as fast as the slower one, lost with either."""

    def both(one: float | None, other: float | None) -> tuple[float, float] | None:
        return None if one is None or other is None else (one, other)

    reads, writes = both(old.read_bytes_per_s, new.read_bytes_per_s), both(old.write_bytes_per_s, new.write_bytes_per_s)
    rebuilds, losses = both(old.rebuild_hours, new.rebuild_hours), both(old.annual_loss, new.annual_loss)
    return ExtensionFigures(
        array_bytes=old.array_bytes + new.array_bytes, spares=old.spares + new.spares,
        read_bytes_per_s=reads and min(reads), write_bytes_per_s=writes and min(writes),
        rebuild_hours=rebuilds and max(rebuilds), annual_loss=losses and either(*losses),
    )  # fmt: skip
