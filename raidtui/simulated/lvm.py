"""LVM as a plan uses it: one striped volume over arrays (lvm2 2.03.16: made, extended, taken back)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from raidtui.programs import lvm
from raidtui.simulated.argv_parser import ProgramFailed, read, unknown
from raidtui.simulated.devices import busy, exists, free_minor, kernel_name, must_resolve
from raidtui.simulated.state import DiskMark, SimulatedVolume, State, VolumeGroup, VolumeSegment
from raidtui.simulated.storage import below, physical_volume, put, seen, spoil, zero
from raidtui.values.units import KIB

KIND = "LVM2_member"
_LABEL = 0x218
_AREA = 1024 * KIB


def command(state: State, argv: tuple[str, ...], share: float = 1.0) -> str:
    """What one of the LVM commands says; `share` below 1: it ended before the metadata was written."""
    program = _PROGRAMS.get(argv[0])
    if program is None:
        raise unknown(argv)
    return program(state, argv) if share >= 1 or argv[0] not in _METADATA else ""


def there(state: State) -> list[VolumeGroup]:
    """Groups of which a physical volume can be read; those without any are forgotten."""
    labels = {mark.uuid for drive in state.drives for mark in drive.marks if mark.kind == KIND}  # also encrypted ones
    state.groups = [
        group for group in state.groups if labels.intersection(group.physical)
        or any(volume.active for volume in group.volumes)
    ]  # fmt: skip
    return [group for group in state.groups if any(physical_volume(state, uuid) for uuid in group.physical)]


def activate(state: State) -> None:
    """What pvscan does when physical volumes appear: every volume whose group is whole gets its device."""
    if all(volume.active for group in state.groups for volume in group.volumes):
        return
    for group in there(state):
        whole = all(physical_volume(state, uuid) is not None for uuid in group.physical)
        for volume in group.volumes:
            if whole and not volume.active and not volume.dormant:
                volume.active, volume.sequence, volume.minor = True, state.number(), free_minor(state)


def _pvcreate(state: State, argv: tuple[str, ...]) -> str:
    given = read(argv, flags={"--norestorefile"}, values={"--dataalignment", "--uuid"}, least=1, most=1)
    (device,) = given.operands
    key = must_resolve(state, device)
    if busy(state, key):
        raise ProgramFailed(f"  Can't open {device} exclusively.  Mounted filesystem?", 5)
    old = next(iter(seen(state, key)), None)
    if old is not None and old.kind == KIND and old.texts.get("group"):
        raise ProgramFailed(
            f'  Can\'t initialize physical volume "{device}" of volume group "{old.texts["group"]}".', 5
        )
    if old is not None:
        raise ProgramFailed(
            f"WARNING: {old.kind} signature detected on {device} at offset {old.offset}. Wipe it? [y/n]: [n]\n"
            "  Aborted wiping.\n  1 existing signature left on the device.", 5,
        )  # fmt: skip
    if physical_volume(state, given.values["--uuid"]) is not None:
        raise ProgramFailed(f"  uuid {given.values['--uuid']} already in use.", 5)
    start = given.number("--dataalignment", "k") * KIB
    facts = {"pe_start": -(-_AREA // start) * start}  # on the first boundary behind the metadata
    put(state, key, DiskMark(kind=KIND, offset=_LABEL, length=512, uuid=given.values["--uuid"], facts=facts))
    return f'  Physical volume "{device}" successfully created.\n'


def _vgcreate(state: State, argv: tuple[str, ...]) -> str:
    given = read(argv, values={"--physicalextentsize"}, least=2)
    name, *devices = given.operands
    if any(group.name == name for group in there(state)):
        raise ProgramFailed(f"  A volume group called {name} already exists.", 5)
    if exists(state, f"/dev/{name}"):
        raise ProgramFailed(f"  /dev/{name}: already exists in filesystem", 5)
    group = VolumeGroup(name=name, extent_bytes=given.number("--physicalextentsize", "k") * KIB, physical=[])
    _join(state, group, devices)
    state.groups.append(group)
    return f'  Volume group "{name}" successfully created\n'


def _vgextend(state: State, argv: tuple[str, ...]) -> str:
    name, *devices = read(argv, least=2).operands
    _join(state, _group(state, name), devices)
    return f'  Volume group "{name}" successfully extended\n'


def _join(state: State, group: VolumeGroup, devices: Sequence[str]) -> None:
    """Physical volumes, of no group, become part of one."""
    found = [physical(state, device) for device in devices]
    for device, (_, mark) in zip(devices, found, strict=True):
        if mark.texts.get("group"):
            raise ProgramFailed(f"  Physical volume '{device}' is already in volume group '{mark.texts['group']}'", 5)
    for key, mark in found:
        _use_whole(state, group, key, replace(mark, texts={"group": group.name}))
        group.physical.append(mark.uuid)


def _use_whole(state: State, group: VolumeGroup, key: str, mark: DiskMark) -> None:
    extents = (below(state, key)[2] - mark.facts["pe_start"]) // group.extent_bytes
    put(state, key, replace(mark, facts={**mark.facts, "pe_count": extents}))


def _lvchange(state: State, argv: tuple[str, ...]) -> str:
    given = read(argv, values={"--activate"}, least=1, most=1)
    tagged = [volume for _, volume in _all(state) if f"@{volume.tag}" == given.operands[0]]
    if given.values["--activate"] != "y" or not tagged:
        raise ProgramFailed(f"  Failed to find logical volume for {given.operands[0]}", 5)
    activate(state)
    return ""


def _pvresize(state: State, argv: tuple[str, ...]) -> str:
    (device,) = read(argv, least=1, most=1).operands
    key, mark = physical(state, device)
    _use_whole(state, _group(state, mark.texts.get("group", "")), key, mark)
    return f'  Physical volume "{device}" changed\n  1 physical volume(s) resized or updated\n'


_LVCREATE = frozenset(
    {
        "--wipesignatures", "--zero", "--type", "--stripes", "--stripesize", "--extents", "--readahead", "--addtag",
        "--name",
    }
)  # fmt: skip


def _lvcreate(state: State, argv: tuple[str, ...]) -> str:
    given = read(argv, flags={"--yes"}, values=_LVCREATE, least=1, most=1)
    group = _group(state, given.operands[0])
    options = given.values
    striped = options["--type"] == "striped"
    if options["--type"] not in ("striped", "linear") or (options["--wipesignatures"], options["--zero"]) != ("y", "y"):
        raise unknown(argv)
    if any(volume.name == options["--name"] for volume in group.volumes):
        raise ProgramFailed(f'  Logical Volume "{options["--name"]}" already exists in volume group "{group.name}"', 5)
    stripes, extents = given.number("--stripes") if striped else 1, given.number("--extents")
    stripe_bytes = given.number("--stripesize", "k") * KIB if striped else 0
    part = VolumeSegment(extents=extents, stripes=stripes, stripe_bytes=stripe_bytes, physical=group.physical)
    volume = SimulatedVolume(
        segments=_allocated(state, group, options["--name"], part),
        name=options["--name"], tag=options["--addtag"], stripes=stripes, extents=extents,
        stripe_bytes=stripe_bytes, read_ahead_sectors=given.number("--readahead"),
        minor=free_minor(state), sequence=state.number(),
    )  # fmt: skip
    group.volumes.append(volume)
    key = f"{group.name}/{volume.name}"
    for mark in seen(state, key):
        spoil(state, key, mark)
    zero(state, key, 0, 4 * KIB)
    return f'  Logical volume "{volume.name}" created.\n'


def _lvextend(state: State, argv: tuple[str, ...]) -> str:
    given = read(argv, values={"--extents", "--stripes", "--stripesize"}, least=2)
    name, *devices = given.operands
    group, volume = volume_named(state, name)
    stripes, extents = given.number("--stripes"), given.number("--extents")
    if extents <= volume.extents:
        raise ProgramFailed(f"  New size given ({extents} extents) not larger than existing size", 5)
    part = VolumeSegment(
        extents=extents - volume.extents, stripes=stripes, physical=[physical(state, path)[1].uuid for path in devices],
        stripe_bytes=given.number("--stripesize", "k") * KIB if stripes > 1 else 0,
    )  # fmt: skip
    volume.segments, volume.extents = segments(group, volume) + _allocated(state, group, volume.name, part), extents
    return f"  Logical volume {name} successfully resized.\n"


def _allocated(state: State, group: VolumeGroup, name: str, part: VolumeSegment) -> list[VolumeSegment]:
    """The segments of a new part on its physical volumes: striped over the first of them, or one after another."""
    spaces = {uuid: space(state, group, uuid) for uuid in part.physical}
    free = {uuid: max(0, extents - used) for uuid, (extents, used) in spaces.items()}
    if part.stripes > len(free):
        raise ProgramFailed(f"  Number of stripes ({part.stripes}) must not exceed number of physical volumes", 5)
    found, left = [], part.extents
    if part.stripes > 1:
        chosen = part.physical[: part.stripes]
        found = [replace(part, physical=chosen)]
        left = part.extents % part.stripes + sum(part.extents // part.stripes > free[uuid] for uuid in chosen)
    for uuid in part.physical if part.stripes == 1 else ():
        count = min(left, free[uuid])
        found += [replace(part, extents=count, physical=[uuid])] if count else []
        left -= count
    if left:
        raise ProgramFailed(f"  Insufficient suitable allocatable extents for logical volume {name}", 5)
    return found


def segments(group: VolumeGroup, volume: SimulatedVolume) -> list[VolumeSegment]:
    """The segments of a volume; one that somebody else made is on the first physical volume."""
    whole = VolumeSegment(extents=volume.extents, stripes=1, stripe_bytes=0, physical=group.physical[:1])
    return volume.segments or [whole]


def _lvremove(state: State, argv: tuple[str, ...]) -> str:
    (name,) = read(argv, flags={"--yes"}, least=1, most=1).operands
    group, volume = volume_named(state, name)
    if busy(state, name):
        raise ProgramFailed(f"  Logical volume {name} contains a filesystem in use.", 5)
    group.volumes = [each for each in group.volumes if each is not volume and each.origin != volume.name]
    return f'  Logical volume "{volume.name}" successfully removed.\n'


def _vgremove(state: State, argv: tuple[str, ...]) -> str:
    (name,) = read(argv, least=1, most=1).operands
    group = _group(state, name)
    if group.volumes:
        raise ProgramFailed(
            f'Do you really want to remove volume group "{name}" containing 1 logical volumes? [y/n]: [n]', 5
        )
    for uuid in group.physical:
        found = physical_volume(state, uuid)
        if found is not None:
            put(state, found[0], replace(found[1], texts={}))
    state.groups.remove(group)
    return f'  Volume group "{name}" successfully removed\n'


def _pvremove(state: State, argv: tuple[str, ...]) -> str:
    (device,) = read(argv, least=1, most=1).operands
    key, mark = physical(state, device)
    if mark.texts.get("group"):
        raise ProgramFailed(f"  PV {device} is used by VG {mark.texts['group']} so please use vgreduce first.", 5)
    zero(state, key, mark.offset, mark.length)
    return f'  Labels on physical volume "{device}" successfully wiped.\n'


def physical(state: State, device: str) -> tuple[str, DiskMark]:
    """Device and label of the physical volume on a device. Failed when there is none."""
    key = must_resolve(state, device)
    found = next((mark for mark in seen(state, key) if mark.kind == KIND), None)
    if found is None:
        raise ProgramFailed(f'  Failed to find physical volume "{device}".', 5)
    return key, found


def _group(state: State, name: str) -> VolumeGroup:
    found = next((group for group in there(state) if group.name == name), None)
    if found is None:
        raise ProgramFailed(f'  Volume group "{name}" not found', 5)
    return found


def volume_named(state: State, full_name: str) -> tuple[VolumeGroup, SimulatedVolume]:
    """The volume group/name. Failed when there is none."""
    name, _, last = full_name.partition("/")
    group = _group(state, name)
    volume = next((each for each in group.volumes if each.name == last), None)
    if volume is None:
        raise ProgramFailed(f'  Failed to find logical volume "{full_name}"', 5)
    return group, volume


def space(state: State, group: VolumeGroup, uuid: str) -> tuple[int, int]:
    """(extents of a physical volume of the group, those that volumes have)."""
    found = physical_volume(state, uuid)
    used = sum(
        part.extents // len(part.physical)
        for volume in group.volumes
        for part in segments(group, volume)
        if uuid in part.physical
    )
    if found is None:
        return used, used
    whole = (below(state, found[0])[2] - found[1].facts["pe_start"]) // group.extent_bytes
    return found[1].facts.get("pe_count", whole), used


_PROGRAMS = {
    "pvcreate": _pvcreate, "vgcreate": _vgcreate, "lvcreate": _lvcreate, "pvresize": _pvresize, "vgextend": _vgextend,
    "lvchange": _lvchange, "lvextend": _lvextend, "lvremove": _lvremove, "vgremove": _vgremove, "pvremove": _pvremove,
}  # fmt: skip
_METADATA = frozenset({"vgcreate", "lvcreate", "lvremove", "vgremove"})
"""they write nothing but a group's metadata, in the end"""


# Output of pvs, vgs and lvs (lvm2 2.03.16).


def question(state: State, argv: tuple[str, ...]) -> str:
    """What pvs, vgs and lvs say."""
    if argv in _REPORTS:
        name, rows = _REPORTS[argv]
        return json.dumps({"report": [{name: list(rows(state))}]})
    given = read(
        argv, flags={"--noheadings", "--nosuffix"}, values={"--options", "--select", "--units", "--separator"}, most=1
    )
    asked = (argv[0], given.values.get("--options"), given.values.get("--select", "").partition("=")[0])
    wanted = given.values.get("--select", "").partition("=")[2]
    if "--noheadings" not in given.flags or given.values.get("--units", "b") != "b":
        raise unknown(argv)
    match asked, given.operands:
        case ("vgs", "vg_name", "vg_name"), ():
            return _lines([group.name for group in there(state) if group.name == wanted])
        case ("pvs", "vg_name", "pv_uuid"), ():
            return _lines([group.name for group in there(state) if wanted in group.physical])
        case ("lvs", "lv_full_name", "lv_tags"), ():
            return _lines([f"{group.name}/{each.name}" for group, each in _all(state) if each.tag == wanted])
        case ("pvs", "pv_uuid", ""), (device,):
            return _lines([physical(state, device)[1].uuid])
        case ("pvs", "pe_start", ""), (device,):
            return _lines([str(physical(state, device)[1].facts["pe_start"])])
        case ("pvs", "pv_pe_count", ""), (device,):
            uuid = physical(state, device)[1].uuid
            group = next(each for each in there(state) if uuid in each.physical)
            return _lines([str(space(state, group, uuid)[0])])
        case ("lvs", "lv_size", ""), (name,):
            group, volume = volume_named(state, name)
            return _lines([str(volume.extents * group.extent_bytes)])
        case ("lvs", "stripes,stripe_size,vg_extent_size,lv_size", ""), (name,):
            group, volume = volume_named(state, name)
            sizes = (volume.stripes, volume.stripe_bytes, group.extent_bytes, volume.extents * group.extent_bytes)
            if volume.stripes == 1:  # stripes are of segments, one in each physical volume of a full linear volume
                raise unknown(argv)
            return _lines([given.values["--separator"].join(map(str, sizes))])
        case ("lvs", "lv_layout,vg_extent_size,lv_size", ""), (name,):
            group, volume = volume_named(state, name)
            layout = "linear" if volume.stripes == 1 else "striped"
            values = (layout, group.extent_bytes, volume.extents * group.extent_bytes)
            return _lines([given.values["--separator"].join(map(str, values))])
        case _:
            raise unknown(argv)


def _physical(state: State) -> list[dict[str, str]]:
    """Every label that can be read, by the device that it is on."""
    keys = [array.name for array in state.arrays if array.running]
    keys += [drive.key for drive in state.drives if drive.present]
    paths = {key: f"/dev/{kernel_name(state, key)}" for key in keys}
    paths |= {crypt.key: f"/dev/mapper/{crypt.name}" for crypt in state.crypts}
    rows = []
    for key, path in paths.items():
        for mark in seen(state, key):
            if mark.kind == KIND:
                rows.append({"pv_name": path, "pv_uuid": mark.uuid, "vg_name": mark.texts.get("group", "")})
    labels = {row["pv_uuid"] for row in rows}
    missing = [(uuid, group.name) for group in there(state) for uuid in group.physical if uuid not in labels]
    return rows + [{"pv_name": "[unknown]", "pv_uuid": uuid, "vg_name": name} for uuid, name in missing]


def _spaces(state: State) -> Iterator[dict[str, str]]:
    """Physical volumes with their extents; one in no group has none."""
    for row in _physical(state):
        group = next((each for each in there(state) if each.name == row["vg_name"]), None)
        extents, used = (0, 0) if group is None else space(state, group, row["pv_uuid"])
        found = physical_volume(state, row["pv_uuid"])
        yield row | {
            "pe_start": str(found[1].facts["pe_start"] if found else 0), "pv_pe_count": str(extents),
            "pv_pe_alloc_count": str(used), "vg_extent_size": str(0 if group is None else group.extent_bytes),
        }  # fmt: skip


def _segments(state: State) -> Iterator[dict[str, str]]:
    """Each with its physical volumes and the first extent that it has there."""
    names = {row["pv_uuid"]: row["pv_name"] for row in _physical(state)}
    first = dict.fromkeys(names, 0)
    for group, volume in _all(state):
        for part in segments(group, volume):
            yield {
                "lv_name": volume.name, "vg_name": group.name, "lv_size": str(volume.extents * group.extent_bytes),
                "segtype": "striped" if part.stripes > 1 else "linear", "stripes": str(part.stripes),
                "stripe_size": str(part.stripe_bytes),
                "devices": ",".join(f"{names[uuid]}({first[uuid]})" for uuid in part.physical),
            }  # fmt: skip
            for uuid in part.physical:
                first[uuid] += part.extents // len(part.physical)


def _volumes(state: State) -> Iterator[dict[str, str]]:
    for group, volume in _all(state):
        key = f"{group.name}/{volume.name}"
        is_open = volume.active and busy(state, key)
        letters = f"{'s' if volume.origin else '-'}wi-{'a' if volume.active else '-'}{'o' if is_open else '-'}----"
        yield {
            "lv_full_name": key, "vg_name": group.name, "lv_tags": volume.tag, "origin": volume.origin,
            "lv_attr": letters, "lv_device_open": "open" if is_open else "",
        }  # fmt: skip


def _all(state: State) -> list[tuple[VolumeGroup, SimulatedVolume]]:
    return [(group, volume) for group in there(state) for volume in group.volumes]


_REPORTS: dict[tuple[str, ...], tuple[str, Callable[[State], Iterable[dict[str, str]]]]] = {
    lvm.PHYSICAL: ("pv", _physical), lvm.SPACE: ("pv", _spaces),
    lvm.VOLUMES: ("lv", _volumes), lvm.SEGMENTS: ("seg", _segments),
}  # fmt: skip


def _lines(values: list[str]) -> str:
    return "".join(f"  {value}\n" for value in values)
