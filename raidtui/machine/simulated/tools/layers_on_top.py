"""Foreign content and volumes on a plan's arrays and volumes, and users of these devices."""

from __future__ import annotations

import uuid as uuids
from dataclasses import replace

from raidtui.machine.simulated.core.devices import active_volumes, dm_name, kernel_name, must_resolve
from raidtui.machine.simulated.core.fault_model import OnTop
from raidtui.machine.simulated.core.state import (
    DiskMark,
    Member,
    SimulatedMount,
    SimulatedVolume,
    State,
    UsedBy,
    VolumeGroup,
)
from raidtui.machine.simulated.core.storage import array_of, drive_of, physical_volume, put, seen
from raidtui.machine.simulated.tools import leftovers
from raidtui.machine.simulated.tools.filesystems import KINDS
from raidtui.machine.simulated.tools.lvm import KIND, there
from raidtui.model.units import MIB
from raidtui.tools.lvm import pv_uuid

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


def file_text(state: State, path: str) -> str | None:
    """/proc/swaps, mountinfo, and the files of sysfs and configfs that tell of users; None for any other path."""
    head, _, rest = path.removeprefix("/proc/").partition("/")
    if path == "/proc/swaps":
        used = [user for user in state.used if user.how == "swap-on"]
        rows = (f"{_node(state, user.key):<40}partition\t1048572\t\t0\t\t-2\n" for user in used)
        return "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n" + "".join(rows)
    if path.startswith("/proc/") and rest in ("mountinfo", "comm", "stat") and (head == "self" or head in _PROCESSES):
        return _process(state, head, rest)
    for user in state.used:
        if (text := _files_of(state, user).get(path)) is not None:
            return text
    for group, volume in active_volumes(state):
        node, least = f"/sys/block/dm-{volume.minor}", volume.stripe_bytes
        most = least * volume.stripes
        texts = {"dm/name": dm_name(group, volume), "queue/minimum_io_size": least, "queue/optimal_io_size": most}
        if (value := texts.get(path.removeprefix(f"{node}/"))) is not None:
            return f"{value}\n"
    return None


def file_names(state: State, path: str) -> tuple[str, ...]:
    """Names that users add to a directory of /proc, /sys/block and configfs."""
    start = path.rstrip("/") + "/"
    paths = [each for user in state.used for each in _files_of(state, user)]
    names = {each.removeprefix(start).split("/")[0] for each in paths if each.startswith(start)}
    if start == "/proc/":
        names |= set(_PROCESSES)
    if start == "/sys/block/":
        names |= {array.name for array in state.arrays} | {drive.name for drive in state.drives if drive.present}
        names |= {f"dm-{volume.minor}" for _, volume in active_volumes(state)}
    for group, volume in active_volumes(state):
        if start == f"/sys/block/dm-{volume.minor}/slaves/":
            below_it = (physical_volume(state, uuid) for uuid in group.physical)
            names |= {kernel_name(state, found[0]) for found in below_it if found is not None}
    return tuple(sorted(names))


_PROCESSES = ("1", "300", "4711")
"""init; a service of systemd, whose namespace is a slave of init's; a container's first process"""


def _process(state: State, pid: str, what: str) -> str:
    name = {"1": "systemd", "300": "systemd-udevd"}.get(pid, "containerd-shim")
    if what != "mountinfo":
        return f"{name}\n" if what == "comm" else f"{pid} ({name}) S 1 1 1 0\n"
    lines = ["1 0 259:255 / / rw,relatime shared:1 - ext4 /dev/root rw"]
    private = [user.key for user in state.used if user.how == "namespace"]
    slave = [user.key for user in state.used if user.how == "namespace-slave"]
    for number, mount in enumerate(state.mounts, start=2):
        if pid in ("self", "1"):
            lines.append(_line(state, number, mount, f"shared:{number}"))
        elif pid == "300" or mount.key in slave:
            lines.append(_line(state, number, mount, f"master:{number}"))
        elif mount.key in private:
            lines.append(_line(state, number, mount, ""))
    if pid in ("self", "1"):
        lines += [f"90 1 0:77 / {user.name} rw - tmpfs tmpfs rw" for user in state.used if user.how == "hidden"]
    return "".join(f"{line}\n" for line in lines)


def _line(state: State, number: int, mount: SimulatedMount, group: str) -> str:
    found = next(iter(seen(state, mount.key)), None)
    node = _node(state, mount.key)
    fields = [str(number + 30), "1", _number(state, mount.key), mount.root, mount.place, "rw,noatime", group]
    kind = found.kind if found else "xfs"
    return f"{' '.join(filter(None, fields))} - {kind} {node} rw"


def _files_of(state: State, user: UsedBy) -> dict[str, str]:
    node = _node(state, user.key)
    match user.how:
        case "loop" | "loop-file":
            backing = user.name if user.how == "loop-file" else node
            return {f"/sys/{folder}/loop7/loop/backing_file": f"{backing}\n" for folder in ("block", "class/block")}
        case "lio":
            return {"/sys/kernel/config/target/core/iblock_0/shared/udev_path": f"{node}\n"}
        case "nvmet":
            return {"/sys/kernel/config/nvmet/subsystems/nqn.x/namespaces/1/device_path": f"{node}\n"}
        case _:
            return {}


def _left(state: State, key: str, what: str) -> None:
    if what == "md":
        uuid = str(uuids.uuid5(_SPACE, key))
        put(state, key, DiskMark(kind="linux_raid_member", offset=4096, length=256, uuid=uuid))
        return
    put(state, key, leftovers.signature_mark(_LEFT[what], str(uuids.uuid5(_SPACE, f"{key} {what}"))))


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


def _node(state: State, key: str) -> str:
    drive = drive_of(state, key)
    group, slash, last = key.partition("/")
    if slash:
        return f"/dev/mapper/{group.replace('-', '--')}-{last.replace('-', '--')}"
    return f"/dev/{drive.name if drive else key}"


def _number(state: State, key: str) -> str:
    if (drive := drive_of(state, key)) is not None:
        return drive.number
    if array_of(state, key) is not None:
        return f"9:{key.removeprefix('md')}"
    group, _, last = key.partition("/")
    return next(
        f"254:{volume.minor}" for each in state.groups if each.name == group for volume in each.volumes
        if volume.name == last
    )  # fmt: skip
