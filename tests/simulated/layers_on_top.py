"""Foreign content and volumes on a plan's arrays and volumes, and users of these devices."""

from __future__ import annotations

import uuid as uuids
from dataclasses import replace

from raidtui.programs.lvm import pv_uuid
from raidtui.simulated.devices import must_resolve
from raidtui.simulated.filesystems import KINDS
from raidtui.simulated.lvm import KIND, there
from raidtui.simulated.state import DiskMark, Member, SimulatedMount, SimulatedVolume, State, UsedBy, VolumeGroup
from raidtui.simulated.storage import array_of, physical_volume, put, seen
from raidtui.values.units import MIB
from tests.simulated.fault_model import OnTop
from tests.simulated.leftovers import signature_mark

_SPACE = uuids.UUID("7b1f6f0e-0a52-4c43-9d55-4f1f7d9a8e21")
_LEFT = {"luks": "luks", "luks-open": "luks", "swap": "swap", "swap-on": "swap", "xfs": "xfs", "ext4": "ext4",
         "btrfs": "btrfs", "gpt": "gpt", "partition": "gpt", "md": "md", "pv": "lvm"}  # fmt: skip
_NODES = {"luks-open": "crypt-secret", "device-mapper": "cache0", "md": "md9", "partition": "p1"}
"""what shows as a block device on top"""


def stand(state: State, device: str, what: OnTop, name: str) -> None:
    """Puts `what` on the device at `device`; `name` is its name, or the identity of a disk for foreign-pv and
    foreign-member, the file of loop-file, the mount point of bind and second-mount."""
    key = must_resolve(state, device)
    match what:
        case "volume-group":
            _volume_group(state, key, name or "tank")
        case "logical-volume" | "snapshot":
            _volume(state, key, name or what.replace("logical-volume", "second"), origin=what == "snapshot")
        case "foreign-pv":
            _joined(state, key, name)
        case "vg-renamed":
            _renamed(state, key, name or "other")
        case "data":
            put(state, key, DiskMark(kind="data", offset=512, length=512))
        case "bind" | "second-mount":
            where = name or "/srv/other"
            found = next((each for each in state.mounts if each.key == key), None)
            root = "/letters" if what == "bind" else "/"
            state.mounts.append(SimulatedMount(place=where, key=key, uuid=found.uuid if found else "", root=root))
        case "dirty-log":
            (mark,) = (mark for mark in seen(state, key) if mark.kind in KINDS)
            put(state, key, replace(mark, facts={**mark.facts, "dirty": 1}))
        case "hidden":
            place = next(each.place for each in state.mounts if each.key == key)
            state.used.append(UsedBy(how=what, key=key, name=name or place))
        case "grown" | "renamed":
            array = array_of(state, key)
            assert array is not None
            other = f"{array.config.name.partition(':')[0]}:{name or 'theirs'}"
            grown = {"devices": array.config.devices + 1} if what == "grown" else {"name": other}
            array.config = replace(array.config, **grown)
        case "foreign-member":
            array = array_of(state, key)
            assert array is not None
            drive = next(drive for drive in state.drives if drive.disk.id == name)
            array.members.append(Member(key=drive.key, role=-1, state="spare"))
        case _:
            if what in _LEFT:
                _left(state, key, what)
            if what not in _LEFT or what in _NODES or what == "swap-on":
                state.used.append(UsedBy(how=what, key=key, name=name or _NODES.get(what, "")))


def _left(state: State, key: str, what: str) -> None:
    if what == "md":
        uuid = str(uuids.uuid5(_SPACE, key))
        put(state, key, DiskMark(kind="linux_raid_member", offset=4096, length=256, uuid=uuid))
        return
    put(state, key, signature_mark(_LEFT[what], str(uuids.uuid5(_SPACE, f"{key} {what}"))))


def _volume_group(state: State, key: str, name: str) -> None:
    uuid = pv_uuid(uuids.uuid5(_SPACE, f"{key} {name}").hex)
    mark = DiskMark(kind=KIND, offset=0x218, length=512, uuid=uuid, facts={"pe_start": MIB}, texts={"group": name})
    put(state, key, mark)
    volume = SimulatedVolume(name="theirs", tag="", stripes=1, stripe_bytes=0, extents=4, read_ahead_sectors=256,
                    minor=0, active=False, dormant=True)  # fmt: skip
    state.groups.append(VolumeGroup(name=name, extent_bytes=4 * MIB, physical=[uuid], volumes=[volume]))


def _volume(state: State, key: str, name: str, *, origin: bool) -> None:
    group, _, last = key.partition("/")
    found = next(each for each in state.groups if each.name == group)
    minor = max(volume.minor for each in state.groups for volume in each.volumes) + 1
    start = sum(volume.extents for volume in found.volumes)
    found.volumes.append(
        SimulatedVolume(
            name=name, tag="", stripes=1, stripe_bytes=0, extents=1, read_ahead_sectors=256, minor=minor,
            origin=last if origin else "", start=start, sequence=state.number(),
        )
    )  # fmt: skip


def _joined(state: State, key: str, disk: str) -> None:
    """vgextend: a disk of somebody becomes a physical volume of the plan's group."""
    group = next(each for each in there(state) if each.name == key.partition("/")[0])
    drive = next(drive for drive in state.drives if drive.disk.id == disk)
    uuid = pv_uuid(uuids.uuid5(_SPACE, disk).hex)
    mark = DiskMark(
        kind=KIND, offset=0x218, length=512, uuid=uuid, facts={"pe_start": MIB}, texts={"group": group.name}
    )
    put(state, drive.key, mark)
    group.physical.append(uuid)


def _renamed(state: State, key: str, name: str) -> None:
    group = next(each for each in there(state) if each.name == key.partition("/")[0])
    for uuid in group.physical:
        found = physical_volume(state, uuid)
        assert found is not None
        put(state, found[0], replace(found[1], texts={"group": name}))
    state.mounts = [replace(each, key=each.key.replace(f"{group.name}/", f"{name}/", 1)) for each in state.mounts]
    group.name = name
