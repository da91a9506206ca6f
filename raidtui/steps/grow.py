"""How an array whose members became larger uses them to their end, and with it what is on it. Executes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from raidtui.advice.arrays import words
from raidtui.advice.arrays.state import IN_ARRAY, layout_of
from raidtui.advice.inferred_design import InferredDesign, NotALayout
from raidtui.predict.speed.rebuild_time import SLOW_SHARE
from raidtui.programs import file_systems, identity, lvm, mdadm, mount
from raidtui.programs.lvm import PhysicalSpace, Segment
from raidtui.steps.extend import BESIDE, busy, figures, made, predicted, value
from raidtui.steps.living import device_of, step
from raidtui.steps.replace import array_named, unusable
from raidtui.steps.step_builder import fact
from raidtui.values.acts import ExtendedVolume, Extension
from raidtui.values.arrays import ObservedArray, ObservedArrays, OnArray
from raidtui.values.choices import MadeFileSystem
from raidtui.values.findings import Finding, error, note, refused, warning
from raidtui.values.inventory import Inventory
from raidtui.values.layout import PARITY
from raidtui.values.plan import Step, mapped_name
from raidtui.values.safe import safe
from raidtui.values.units import KIB, grouped, round_down

SUPERBLOCK_FIRST = ("1.1", "1.2")
LVM_CUT = "LVM has its old metadata or the new"


@dataclass(frozen=True, slots=True, kw_only=True)
class MountedFileSystem:
    """A file system that is mounted, from statfs(2) and its superblock."""

    kind: MadeFileSystem
    device: str
    """path"""
    place: str
    block_bytes: int
    blocks: int
    """in all"""
    hidden_blocks: int
    """those that statfs leaves out: the log of XFS; 0 on ext4, whose blocks are asked of the superblock"""
    group_blocks: int
    """of an allocation group or block group"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StackOnArray:
    """What is on an array, as far as it can be grown."""

    spaces: tuple[PhysicalSpace, ...] = ()
    """every physical volume of the machine that is in a group"""
    own: PhysicalSpace | None = None
    """the array's"""
    segments: tuple[Segment, ...] = ()
    """of the one logical volume on it; none where there are several, or one that is neither linear nor striped"""
    filesystem: MountedFileSystem | None = None
    """on the array or on that volume"""
    why: str = ""
    """why one of them is missing"""


def file_system_on(array: ObservedArray) -> OnArray | None:
    """The mounted XFS or ext4 on the array, or on the only volume on it."""
    found = [each for each in array.stands_on_it if each.content in ("xfs", "ext4") and each.mount_points]
    return found[0] if len(found) == 1 else None


def grown(seen: ObservedArrays, inventory: Inventory, array_name: str, top: StackOnArray) -> Extension:
    """Members that became larger are used to their end: the array, then what is on it."""
    array = array_named(seen, array_name)
    title, device = words.name(array), device_of(array)
    component = _largest_component(array)
    size = array_bytes(array, component)
    begun = component == array.component_bytes
    findings = [*unusable(array, BESIDE), *(() if begun else busy(array))]
    findings += _ungrowable(array, component)
    whole = fact("predicted", f"{title} has {size} bytes", identity.size_question(device), str(size))
    synced = fact("setting", f"{title} is in sync", value(array, "resync_start"), "none")
    idle = fact("setting", f"{title} is idle", value(array, "sync_action"), "idle")
    cut = "the array has its old size or the new one"
    waited = step(
        array, "grow", "Wait until the new part is in sync", after=(synced, idle),
        purpose="What is new has no parity or copy yet.", cut="md goes on by itself",
    )  # fmt: skip
    steps = [
        step(
            array, "grow", "Use the members to their end", [mdadm.use_whole_members(device)], (whole,),
            purpose="md takes as much of each member as the smallest has.", cut=cut,
        ),
        replace(waited, waits_for=device),
    ]  # fmt: skip
    if array.consistency == "ppl":
        steps = without_log(array, steps)
    named = [array]
    volume = top.segments[-1].size_bytes if top.segments else size
    now = volume if top.segments else None
    if top.own is not None:
        grown_own, pv_step = _whole_space(array, top.own, size)
        steps.append(pv_step)
        if top.segments:
            own = grown_own
            last = next((each for each in reversed(top.segments) if own.path in each.devices), top.segments[-1])
            free = {each.path: each.extents - each.used for each in (*top.spaces, own)}
            on = last.devices if last.stripes > 1 else (own.path,)
            volume += last.stripes * min(free.get(path, 0) for path in on) * own.extent_bytes
            steps.append(volume_step(array, last, volume, on, own.extent_bytes))
            named += [each for each in seen.arrays if device_of(each) in on and each is not array]
    held, blocks = top.filesystem, 0
    if held is not None and (not top.own or top.segments):
        blocks = grown_blocks(held, volume)
        steps.append(file_system_step(array, held, blocks))
    findings += not_grown(array, top)
    old, new = (predicted(_of_size(array, seen, inventory, each), inventory)
                for each in (array.component_bytes, component))  # fmt: skip
    paced = new.durability.rebuild if new is not None and new.durability is not None else None
    took = (component - array.component_bytes) / paced.bytes_per_s / 3600 if paced and not begun else None
    before = replace(
        figures(array, old), volume_bytes=now, filesystem_bytes=None if held is None else held.blocks * held.block_bytes
    )
    after = replace(
        figures(array, new), array_bytes=size or array.size_bytes, volume_bytes=now and volume,
        filesystem_bytes=blocks * held.block_bytes if held is not None and blocks else None,
    )  # fmt: skip
    if (size, now, blocks) == (array.size_bytes, after.volume_bytes, held.blocks if held is not None else 0):
        message = f"{title} uses its members to their end, and so does what is on it."
        way_out = "replace every member by a larger one first (raidtui replace); partitions grow before that"
        findings.append(note("nothing-to-grow", message, way_out, title))
        steps = []
    elif not refused(tuple(findings)):
        findings.append(back_up(array))
    hours = (took, took / SLOW_SHARE) if took else None
    return made(
        seen, array, "grow", (before, after), steps, findings, hours, arrays=named, volume=volume_of(top.segments)
    )


def _largest_component(array: ObservedArray) -> int:
    """Bytes that md can use of each member; 0 where it is not known."""
    there = [(each.size_bytes, each.data_offset_bytes) for each in array.members if each.state in IN_ARRAY]
    rooms = [size - offset for size, offset in there if size is not None and offset is not None]
    if not rooms or len(rooms) < len(there):
        return 0
    return max(round_down(min(rooms), array.chunk_bytes or KIB), array.component_bytes)


def array_bytes(array: ObservedArray, component: int) -> int:
    """Bytes of the array with so much of each member; 0 where that is not known."""
    match array.level:
        case "raid1":
            return component
        case "raid4" | "raid5" | "raid6":
            return component * ((array.devices or 0) - PARITY[array.level])
        case "raid10" if array.layout >> 8 == 1 and array.chunk_bytes:  # near copies alone
            return component // array.chunk_bytes * (array.devices or 0) // (array.layout & 0xFF) * array.chunk_bytes
        case _:
            return 0


def _ungrowable(array: ObservedArray, component: int) -> Iterator[Finding]:
    title = words.name(array)
    yield from no_resize(array)
    if array.limit_bytes is not None:
        message = f"{title} is limited to {grouped(array.limit_bytes)} bytes (mdadm --array-size): it would stay so."
        way_out = f"mdadm --grow {device_of(array)} --array-size=max lifts that; then the same again"
        yield error("array-limited", message, way_out, title)
    if array.metadata not in SUPERBLOCK_FIRST:
        message = f"Metadata {safe(array.metadata)} of {title} is behind the data of each member."
        yield error("superblock-at-the-end", message, "grow it by hand, without a bitmap: mdadm(8), --size", title)
    elif not array_bytes(array, component):
        message = f"What {title} would have of larger members is not known."
        yield error(
            "size-unknown", message, "raidtui arrays shows what could not be read; raid10 far cannot grow", title
        )


def no_resize(array: ObservedArray) -> Iterator[Finding]:
    """Why md gives an array no other size or shape: it refuses one with a write journal (raid5.c, raid5_resize)."""
    if array.consistency == "journal":
        title = words.name(array)
        message = f"{title} has a write journal: md gives it no other size and no other shape (Invalid argument)."
        yield error("array-has-journal", message, BESIDE, title)


def back_up(array: ObservedArray) -> Finding:
    """Asks for a backup of what is on the array."""
    places = [safe(point) for each in array.stands_on_it for point in each.mount_points]
    return warning(
        "back-up-first", f"{', '.join((*places, words.name(array)))}: metadata of layers that hold data is changed.",
        "back the data up and read the backup first; nothing here is taken back", words.name(array),
    )  # fmt: skip


def volume_of(segments: Sequence[Segment]) -> ExtendedVolume | None:
    """The logical volume of these segments; None where there are none."""
    if not segments:
        return None
    mapped = mapped_name(segments[-1].group, segments[-1].name)
    return ExtendedVolume(path=f"/dev/mapper/{mapped}", mapped=mapped)


def _whole_space(array: ObservedArray, own: PhysicalSpace, size: int) -> tuple[PhysicalSpace, Step]:
    """The physical volume on all of the array, and the step that makes it so."""
    extents = max((size - own.start_bytes) // own.extent_bytes, own.extents)
    reading = fact("predicted", f"{safe(own.path)} has {extents} extents", lvm.extents_question(own.path), str(extents))
    title = f"Use the array to its end in the group {safe(own.group)}"
    return replace(own, extents=extents), step(
        array, "grow", title, [lvm.pvresize(own.path)], (reading,),
        purpose="LVM has the extents that the array got.", cut=LVM_CUT,
    )  # fmt: skip


def volume_step(array: ObservedArray, last: Segment, size: int, devices: Sequence[str], extent_bytes: int) -> Step:
    """Makes the volume of the segment `last` so many bytes long; what is new is on `devices`, in its stripes."""
    command = lvm.lvextend(
        last.group, last.name, extents=size // extent_bytes, stripes=last.stripes, stripe_bytes=last.stripe_bytes,
        devices=devices,
    )  # fmt: skip
    name = f"{safe(last.group)}/{safe(last.name)}"
    reading = fact("predicted", f"{name} has {size} bytes", lvm.size_question(last.group, last.name), str(size))
    return step(
        array, "grow", f"Extend the volume {name}", [command], (reading,),
        purpose="The volume gets the new extents; what is on it is not changed.", cut=LVM_CUT,
    )  # fmt: skip


def grown_blocks(found: MountedFileSystem, device_bytes: int) -> int:
    """Blocks that it has when it is grown on a device of so many bytes."""
    return max(file_systems.most_blocks(found.kind, device_bytes, found.block_bytes, found.group_blocks), found.blocks)


def file_system_step(array: ObservedArray, found: MountedFileSystem, blocks: int) -> Step:
    """Grows a file system to so many blocks."""
    what = f"{found.kind} at {safe(found.place)} has {blocks} blocks"
    match found.kind:
        case "xfs":
            question, key = mount.space_question(found.place), ""
            shown = f"{found.block_bytes} {blocks - found.hidden_blocks}"
        case "ext4":
            question, key = file_systems.geometry_question(found.kind, found.device), "Block count"
            shown = str(blocks)
    command = file_systems.grow(found.kind, found.device, found.place, blocks)
    reading = fact("predicted", what, question, shown, key=key)
    cut = "the next mount makes the growth whole, or as if it had not begun"
    return step(
        array, "grow", f"Grow {found.kind} at {safe(found.place)}", [command], (reading,),
        purpose="Through the mount of this device: another file system that is mounted there is not touched.", cut=cut,
    )  # fmt: skip


def not_grown(array: ObservedArray, top: StackOnArray) -> Iterator[Finding]:
    """A note of what on the array raidtui does not grow."""
    if top.why:
        message = f"What is on {words.name(array)} is not grown with it: {safe(top.why)}."
        yield note("not-grown", message, "grow it by hand afterwards", words.name(array))


def _of_size(
    array: ObservedArray, seen: ObservedArrays, inventory: Inventory, component: int
) -> InferredDesign | NotALayout:
    """The design where md uses so much of each member."""
    sized = replace(array, component_bytes=component)
    return layout_of(sized, [sized if each is array else each for each in seen.arrays], inventory)


def without_log(array: ObservedArray, steps: Sequence[Step], *, back: bool = True) -> list[Step]:
    """The steps with the partial parity log away before them, and given `back` after: md resizes none with one."""
    title, device, policy = words.name(array), device_of(array), value(array, "consistency_policy")
    again = mdadm.set_policy(device, "ppl")
    away = step(
        array, "grow", "Take the partial parity log away", [mdadm.set_policy(device, "resync")],
        (fact("setting", f"{title} has no partial parity log", policy, "resync"),),
        purpose="md changes size and shape of no array that has one.",
        cut=f"without the log a power cut may leave parity that is wrong; {' '.join(again.argv)} gives it back",
    )  # fmt: skip
    given = step(
        array, "grow", "Give it the partial parity log again", [again],
        (fact("setting", f"{title} has a partial parity log", policy, "ppl"),),
        purpose="It closes the write hole of RAID5.", cut=f"{' '.join(again.argv)} gives it the log",
    )  # fmt: skip
    return [away, *steps, *([given] if back else [])]
