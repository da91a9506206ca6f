"""LVM as a plan uses it: one striped volume over arrays (lvm2 2.03.16: pvcreate, vgcreate, lvcreate, and back)."""

from __future__ import annotations

from dataclasses import replace

from raidtui.machine.simulated.core.argv_parser import ProgramFailed, read, unknown
from raidtui.machine.simulated.core.devices import busy, exists, must_resolve
from raidtui.machine.simulated.core.state import DiskMark, SimulatedVolume, State, VolumeGroup
from raidtui.machine.simulated.core.storage import below, physical_volume, put, seen, spoil, zero
from raidtui.model.units import KIB

KIND = "LVM2_member"
_LABEL = 0x218
_AREA = 1024 * KIB


def command(state: State, argv: tuple[str, ...], share: float = 1.0) -> str:
    """What one of the LVM commands says; `share` below 1: it ended before the metadata was written."""
    whole = share >= 1
    match argv[0]:
        case "pvcreate":
            return _pvcreate(state, argv)
        case "vgcreate":
            return _vgcreate(state, argv) if whole else ""
        case "lvcreate":
            return _lvcreate(state, argv) if whole else ""
        case "lvremove":
            return _lvremove(state, argv) if whole else ""
        case "vgremove":
            return _vgremove(state, argv) if whole else ""
        case "pvremove":
            return _pvremove(state, argv)
        case _:
            raise unknown(argv)


def there(state: State) -> list[VolumeGroup]:
    """Groups of which a physical volume can be read; those without any are forgotten."""
    state.groups = [
        group for group in state.groups if any(physical_volume(state, uuid) is not None for uuid in group.physical)
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
                volume.active, volume.sequence, volume.minor = True, state.number(), _minor(state)


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
    found = [physical(state, device) for device in devices]
    for device, (_, mark) in zip(devices, found, strict=True):
        if mark.texts.get("group"):
            raise ProgramFailed(f"  Physical volume '{device}' is already in volume group '{mark.texts['group']}'", 5)
    for key, mark in found:
        put(state, key, replace(mark, texts={"group": name}))
    uuids = [mark.uuid for _, mark in found]
    state.groups.append(
        VolumeGroup(name=name, extent_bytes=given.number("--physicalextentsize", "k") * KIB, physical=uuids)
    )
    return f'  Volume group "{name}" successfully created\n'


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
    if stripes > len(group.physical):
        raise ProgramFailed(f"  Number of stripes ({stripes}) must not exceed number of physical volumes", 5)
    if extents > _free_extents(state, group) or extents % stripes:
        raise ProgramFailed(f"  Insufficient suitable allocatable extents for logical volume {options['--name']}", 5)
    stripe_bytes = given.number("--stripesize", "k") * KIB if striped else 0
    volume = SimulatedVolume(
        name=options["--name"], tag=options["--addtag"], stripes=stripes, extents=extents,
        stripe_bytes=stripe_bytes, read_ahead_sectors=given.number("--readahead"),
        minor=_minor(state), sequence=state.number(),
    )  # fmt: skip
    group.volumes.append(volume)
    key = f"{group.name}/{volume.name}"
    for mark in seen(state, key):
        spoil(state, key, mark)
    zero(state, key, 0, 4 * KIB)
    return f'  Logical volume "{volume.name}" created.\n'


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


def _free_extents(state: State, group: VolumeGroup) -> int:
    free = 0
    for uuid in group.physical:
        found = physical_volume(state, uuid)
        if found is not None:
            free += (below(state, found[0])[2] - found[1].facts["pe_start"]) // group.extent_bytes
    return free - sum(volume.extents for volume in group.volumes)


def _minor(state: State) -> int:
    taken = {volume.minor for group in state.groups for volume in group.volumes if volume.active}
    return next(minor for minor in range(1000) if minor not in taken)
