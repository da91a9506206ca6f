"""What `raidtui replace` and `raidtui extend` answer: arrays, what is on them and the next boot are read for it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import get_args

from raidtui.advice.arrays.known import observed_arrays
from raidtui.advice.arrays.state import IN_ARRAY
from raidtui.machine.arrays.boot import initramfs_tool, look, prove
from raidtui.machine.arrays.read import observe, tables_of
from raidtui.machine.system.ports import MachineReader
from raidtui.programs import file_systems, lvm, mdadm, mdadm_examine, mount
from raidtui.programs.lvm import PhysicalSpace, Segment
from raidtui.steps.check_step import value_of
from raidtui.steps.extend import with_bitmap, with_spare
from raidtui.steps.grow import MountedFileSystem, StackOnArray, file_system_on, grown
from raidtui.steps.living import A, device_of, with_boot
from raidtui.steps.replace import array_named, begun_names, of_one_member, replacement
from raidtui.steps.reshape import reshaped
from raidtui.steps.shelf import with_shelf
from raidtui.values.acts import Extension, ExtensionKind, Replacement
from raidtui.values.arrays import ObservedArray, ObservedArrays
from raidtui.values.choices import made_kind
from raidtui.values.errors import BadInput
from raidtui.values.inventory import Inventory
from raidtui.values.plan import mapped_name
from raidtui.values.safe import safe
from raidtui.values.units import parse_binary_size

USAGE = "spare sdx; bitmap none, internal or 256M; grow; shelf md1 md2; reshape '(14+2)'"
"""every kind of extension with what it takes"""


def asked_replacement(
    reader: MachineReader, inventory: Inventory, name: str, *, member: str | None = None, new: str | None = None,
    begun: Sequence[Replacement] = (),
) -> Replacement:  # fmt: skip
    """What replacing a member of the array `name` takes; see `replacement`. `begun`: replacements that are not
    finished, which say what goes and what comes where it is not given and not plain from the array."""
    seen, tables = observe(reader, inventory), tables_of(reader, inventory)

    def by_names(member: str | None, new: str | None) -> Replacement | None:
        with suppress(BadInput):
            return replacement(seen, inventory, name, member=member, new=new, tables=tables)
        return None

    found = by_names(member, new)
    for act in begun:
        names = begun_names(act, member, new) if act.uuid == array_named(seen, name).uuid else None
        if names is not None and (found is None or of_one_member(found, act)):
            going_on = by_names(*names)
            if going_on is not None and (going_on.steps or found is None):
                found = going_on
                break
    if found is None:  # what is wrong with the names that were given
        found = replacement(seen, inventory, name, member=member, new=new, tables=tables)
    return _with_boot(found, seen, inventory, reader)


def _with_boot(found: A, seen: ObservedArrays, inventory: Inventory, reader: MachineReader) -> A:
    uuids = {array.uuid for array in found.arrays}
    now = observed_arrays(seen, inventory, initramfs_tool(inventory), uuids)
    return with_boot(found, now, lambda arrays: look(arrays, reader))


def still_starts(act: Replacement | Extension, reader: MachineReader, inventory: Inventory) -> str:
    """What the next boot makes of the arrays, once the act is done. Raises Stale where it would not start them, unless
    that was so before, which is told."""
    uuids = {array.uuid for array in act.arrays}
    arrays = observed_arrays(observe(reader, inventory), inventory, initramfs_tool(inventory), uuids)
    return prove(arrays, reader, known=[(each.code, each.subject, each.message) for each in act.findings])


def extension(reader: MachineReader, inventory: Inventory, name: str, kind: str, what: Sequence[str]) -> Extension:
    """What extending the array `name` by `kind` takes. Raises BadInput for a kind that is none, or lacks its words."""
    if kind not in get_args(ExtensionKind):
        raise BadInput(f"{safe(kind)} is no kind of extension" if kind else "no kind of extension is given", hint=USAGE)
    found = _extended(observe(reader, inventory), reader, inventory, name, kind, what)
    return replace(found, what=tuple(what))


def _extended(
    seen: ObservedArrays, reader: MachineReader, inventory: Inventory, name: str, kind: str, what: Sequence[str]
) -> Extension:
    match kind, what:
        case "spare", [disk]:
            return _with_boot(with_spare(seen, inventory, name, disk), seen, inventory, reader)
        case "bitmap", [unit]:
            way_out = "none, internal, or the bytes of a bit, for example 256M"
            size = None if unit == "none" else 0 if unit == "internal" else _size(unit, way_out)
            room = None if size is None else _bitmap_room(reader, array_named(seen, name))
            return with_bitmap(seen, inventory, name, size, room)
        case "grow", []:
            return grown(seen, inventory, name, on_top(reader, array_named(seen, name)))
        case "shelf", [_, *_] as arrays:
            return with_shelf(seen, inventory, name, arrays, on_top(reader, array_named(seen, name)))
        case "reshape", [layout, *chunk] if len(chunk) < 2:
            return reshaped(seen, inventory, name, layout, _size(chunk[0], "write for example 256M") if chunk else None)
        case _:
            more = "no further word" if kind == "grow" else "further words" if not what else "one word"
            raise BadInput(f"{kind} takes {more}", hint=USAGE)


def _size(text: str, way_out: str) -> int:
    try:
        return parse_binary_size(text)
    except ValueError as problem:
        raise BadInput(str(problem), hint=way_out) from problem


def _bitmap_room(reader: MachineReader, array: ObservedArray) -> int | None:
    """Bytes for a bitmap on the member that has the least; None where one was not read."""
    devices = [each.device for each in array.members if each.device and each.state in IN_ARRAY]
    rooms = [mdadm_examine.bitmap_room(reader.ask(mdadm.examine(f"/dev/{device}")).stdout) for device in devices]
    known = [room for room in rooms if room is not None]
    return min(known) if known and len(known) == len(rooms) else None


def on_top(reader: MachineReader, array: ObservedArray) -> StackOnArray:
    """What is on `array`, as far as it can be grown."""
    own: PhysicalSpace | None = None
    segments: tuple[Segment, ...] = ()
    spaces: tuple[PhysicalSpace, ...] = ()
    upper = [each for each in array.stands_on_it if each.depth]
    if any(each.content == "LVM2_member" for each in array.stands_on_it if not each.depth):
        listed = lvm.spaces(reader.ask(lvm.SPACE).stdout)
        spaces = tuple(replace(each, path=_kernel_path(reader, each.path)) for each in listed if each.group)
        own = next((each for each in spaces if each.path == f"/dev/{array.name}"), None)
        if own is None:
            return StackOnArray(why="its volume group is not known")
        volumes = [each for each in upper if each.depth == 1]
        parts = lvm.segments(reader.ask(lvm.SEGMENTS).stdout)
        found = [
            each for each in parts if volumes and f"mapper/{mapped_name(each.group, each.name)}" == volumes[0].name
        ]
        if len(volumes) != 1 or not found or any(each.type not in ("linear", "striped") for each in found):
            return StackOnArray(own=own, spaces=spaces, why="there is not one linear or striped volume on it alone")
        segments = tuple(
            replace(each, devices=tuple(_kernel_path(reader, path) for path in each.devices)) for each in found
        )
        if deeper := [each for each in upper if each.depth > 1]:
            return StackOnArray(own=own, spaces=spaces, segments=segments, why=f"{deeper[0].name} is on it")
    elif upper:
        return StackOnArray(why=f"{upper[0].name} is on it")
    mounted = file_system_on(array)
    if mounted is None:
        return StackOnArray(own=own, spaces=spaces, segments=segments, why="no mounted XFS or ext4 is on it")
    device = f"/dev/{mounted.name}" if mounted.depth else device_of(array)
    place = next((each for each in mounted.mount_points if _is_mounted(reader, device, each)), None)
    if place is None:
        hidden = f"another file system is mounted over {mounted.mount_points[0]}"
        return StackOnArray(own=own, spaces=spaces, segments=segments, why=hidden)
    found_fs = _file_system(reader, device, mounted.content, place)
    why = "" if found_fs is not None else f"the superblock of {mounted.name} could not be read"
    return StackOnArray(own=own, spaces=spaces, segments=segments, filesystem=found_fs, why=why)


def _kernel_path(reader: MachineReader, path: str) -> str:
    """`/dev/md127` of any path that leads to an array; others as they are."""
    pin = reader.pin(path)
    return f"/dev/{pin.name}" if pin is not None and pin.kind == "array" else path


def _is_mounted(reader: MachineReader, device: str, place: str) -> bool:
    """True if what is seen at `place` is the file system on the device, whole."""
    pin, there = reader.pin(device), reader.mount_at(place)
    return pin is not None and there is not None and there.is_whole(pin.number)


def _file_system(reader: MachineReader, device: str, content: str, place: str) -> MountedFileSystem | None:
    kind = made_kind(content)
    if kind is None:
        return None
    ran = reader.ask(file_systems.geometry_question(kind, device))
    shown = reader.ask(mount.space_question(place)).stdout.split()
    match kind:
        case "xfs":
            keys = ("blocksize", "agblocks", "logblocks")
        case "ext4":
            keys = ("Block size", "Blocks per group", "Block count")
    block, group, third = (int(value_of(key, ran.exit, ran.stdout) or 0) for key in keys)
    if not block or not group or len(shown) != 2:
        return None
    match kind:
        case "xfs":
            blocks, hidden = int(shown[1]) + third, third
        case "ext4":
            blocks, hidden = third, 0
    return MountedFileSystem(
        kind=kind, device=device, place=place, block_bytes=block, group_blocks=group, blocks=blocks,
        hidden_blocks=hidden,
    )  # fmt: skip
