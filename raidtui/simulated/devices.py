"""Devices: targets of paths, devices on devices, and users that refuse an exclusive open."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from raidtui.machine.system.device_users import IN_KERNEL
from raidtui.machine.system.ports import Pin, User
from raidtui.programs import sysfs
from raidtui.simulated.argv_parser import ProgramFailed
from raidtui.simulated.state import Drive, SimulatedVolume, State, UsedBy, VolumeGroup
from raidtui.simulated.storage import array_of, below, disk_below, drive_of, partition_of, physical_volume, throw_out
from raidtui.values.inventory import Disk, OpenedBy
from raidtui.values.paths import BY_ID_LINKS, BY_PATH_LINKS, link_name

_PART = re.compile(r"(.+)-part(\d+)")
_MAJORS = (8, 65, 66, 67, 68, 69, 70, 71, 128, 129, 130, 131, 132, 133, 134, 135)
"""of SCSI disks, sixteen each (kernel admin-guide/devices.txt)"""
_OPEN = frozenset({"swap-on", "namespace", "lio", "nvmet"})
"""uses of an array or a volume that refuse an exclusive open without a device on top"""
HELD = frozenset({"mounted", "swap", "md-member", "lvm-pv", "dm-crypt", "bcache", "zfs", "multipath", "exported",
                  "exclusive", "md-inactive"})  # fmt: skip
"""uses that refuse an exclusive open"""


def resolve(state: State, path: str) -> str | None:
    """Key of the device that a path points to; None if there is none."""
    if not path.startswith("/dev/"):
        return None
    name = path.removeprefix("/dev/")
    if path in state.links:
        return next((drive.key for drive in state.drives if drive.present and drive.key == state.links[path]), None)
    if path.startswith((BY_ID_LINKS, BY_PATH_LINKS)):
        return _by_link(state, path)
    if name.startswith("block/"):
        return _by_number(state, name.removeprefix("block/"))
    if name.startswith("md/"):
        return next((array.name for array in state.arrays if array.link == name.removeprefix("md/")), None)
    if array_of(state, name) is not None:
        return name
    for drive in state.drives:
        if drive.present and drive.name == name:
            return drive.key
        parts = drive.partitions if drive.present else ()
        for part in parts:
            if partition_name(drive, part.number) == name:
                return f"{drive.key}p{part.number}"
    for each in mapped(state):
        if name in (each.key, f"mapper/{each.name}", f"dm-{each.minor}"):
            return each.key
    return None


def must_resolve(state: State, path: str) -> str:
    """Key of the device; Failed with the kernel's words when there is none."""
    key = resolve(state, path)
    if key is None:
        raise ProgramFailed(f"{path}: No such file or directory")
    return key


def exists(state: State, path: str) -> bool:
    """True for a device, a link to one, and the directories under /dev that they make."""
    name = path.removeprefix("/dev/")
    return resolve(state, path) is not None or any(group.name == name for group, _ in active_volumes(state))


def kernel_name(state: State, key: str) -> str:
    """Name in /sys/class/block."""
    if part := partition_of(key):
        drive = drive_of(state, part[0])
        return partition_name(drive, part[1]) if drive else key
    drive = drive_of(state, key)
    if drive is not None:
        return drive.name
    found = next((each for each in mapped(state) if each.key == key), None)
    return f"dm-{found.minor}" if found else key


def pin(state: State, path: str) -> Pin | None:
    """See Runner."""
    key = resolve(state, path)
    if key is None:
        return None
    size = below(state, key)[2]
    if (array := array_of(state, key)) is not None:
        number = f"9:{key.removeprefix('md')}"
        size = size if array.running else 0
        return Pin(kind="array", number=number, disk=number, sequence=str(array.sequence), size_bytes=size, name=key)
    volume = next((each for each in mapped(state) if each.key == key), None)
    if volume is not None:
        number = f"254:{volume.minor}"
        return Pin(
            kind="volume", number=number, disk=number, sequence=str(volume.sequence), size_bytes=size,
            name=volume.name,
        )  # fmt: skip
    part = partition_of(key)
    drive = drive_of(state, part[0] if part else key)
    assert drive is not None
    major, _, minor = drive.number.partition(":")
    number = f"{major}:{int(minor) + part[1]}" if part else drive.number
    return Pin(
        kind="partition" if part else "disk", number=number, disk=drive.number, sequence=str(drive.sequence),
        size_bytes=size, name=kernel_name(state, key),
    )  # fmt: skip


def children(state: State, key: str) -> Iterator[tuple[str, str]]:
    """Kernel name and key of the devices directly on a device; the key of a foreign device is empty."""
    drive = drive_of(state, key)
    if drive is not None:
        for part in drive.partitions:
            yield partition_name(drive, part.number), f"{key}p{part.number}"
        for hold in drive.holds:
            if hold.how in _NODES:
                yield hold.name, ""
    for array in state.arrays:
        if any(member.key == key for member in array.members):
            yield array.name, array.name
    for group, volume in active_volumes(state):
        below_it = (physical_volume(state, uuid) for uuid in group.physical)
        if any(found is not None and found[0] == key for found in below_it):
            yield f"dm-{volume.minor}", f"{group.name}/{volume.name}"
    for crypt in state.crypts:
        if crypt.below == key:
            yield f"dm-{crypt.minor}", crypt.key
    for user in state.used:
        if user.key == key and user.how in ON_TOP_NODES:
            yield top_name(state, user), ""


ON_TOP_NODES = {"partition": "part", "luks-open": "crypt", "device-mapper": "dm", "md": "raid1"}
"""uses of an array or a volume that show as a device on top, and lsblk's word for it"""
_NODES = frozenset({"md-member", "md-inactive", "lvm-pv", "dm-crypt", "bcache", "multipath"})
"""foreign uses that show as a device on top"""


def holders(state: State, key: str) -> tuple[str, ...]:
    """Kernel names of what stands on a device or on its partitions; partitions are none."""
    found = set()
    for name, child in children(state, key):
        if partition_of(child):
            found |= set(holders(state, child))
        else:
            found.add(name)
    return tuple(sorted(found))


def busy(state: State, key: str) -> bool:
    """True when an exclusive open is refused: the device or a part of it is mounted, held or opened exclusively."""
    if holders(state, key) or any(mount.key == key for mount in state.mounts):
        return True
    if any(user.key == key and user.how in _OPEN for user in state.used):
        return True
    drive = drive_of(state, (partition_of(key) or (key,))[0])
    return drive is not None and any(hold.how in HELD for hold in drive.holds)


def top_name(state: State, user: UsedBy) -> str:
    """Kernel name of a foreign device on ours; a partition is named after its device."""
    return f"{kernel_name(state, user.key)}{user.name}" if user.how == "partition" else user.name


def active_volumes(state: State) -> list[tuple[VolumeGroup, SimulatedVolume]]:
    """Logical volumes that have a device."""
    return [(group, volume) for group in state.groups for volume in group.volumes if volume.active]


class Mapped(NamedTuple):
    """A device of device-mapper."""

    key: str
    name: str
    minor: int
    sequence: int


def mapped(state: State) -> list[Mapped]:
    """Logical volumes that have a device, and open LUKS2 volumes."""
    volumes = (
        Mapped(f"{group.name}/{volume.name}", dm_name(group, volume), volume.minor, volume.sequence)
        for group, volume in active_volumes(state)
    )
    return [*volumes, *(Mapped(each.key, each.name, each.minor, each.sequence) for each in state.crypts)]


def free_minor(state: State) -> int:
    """The first minor number that device-mapper has not given."""
    taken = {each.minor for each in mapped(state)}
    return next(minor for minor in range(1000) if minor not in taken)


def dm_name(group: VolumeGroup, volume: SimulatedVolume) -> str:
    """Device-mapper doubles the hyphens within names."""
    return f"{group.name.replace('-', '--')}-{volume.name.replace('-', '--')}"


def partition_name(drive: Drive, number: int) -> str:
    """sda1, nvme0n1p1."""
    return sysfs.partition_name(drive.name, number)


def named(place: int, nvme: bool) -> tuple[str, str]:
    """Kernel name and major:minor of the disk that the kernel finds at `place`, from 0."""
    if nvme:
        return f"nvme{place}n1", f"259:{place * 32}"
    name, left = "", place
    while left >= 0:
        name, left = chr(ord("a") + left % 26) + name, left // 26 - 1
    block, minor = divmod(place, 16)
    rounds, major = divmod(block, len(_MAJORS))
    return f"sd{name}", f"{_MAJORS[major]}:{minor * 16 + rounds * 256}"


def unplug(state: State, drive: Drive) -> None:
    """The drive is gone: arrays lose a member, mounts stay as they are."""
    drive.present = False
    for array in list(state.arrays):
        for member in [each for each in array.members if disk_below(state, each.key) is drive]:
            if array.running and array.config.level == "raid0":
                member.state = "faulty"
                continue
            throw_out(array, member)
            array.members.remove(member)  # udev: mdadm --incremental --fail
        if not array.running and not array.members:
            state.arrays.remove(array)


def plug(state: State, drive: Drive, held: Collection[str] = ()) -> None:
    """The drive is there again, as the kernel finds a new one; `held`: names that it gives to none."""
    taken = {each.name for each in state.drives if each.present} | {drive.name, *held}
    nvme = drive.disk.transport == "nvme"
    place = next(place for place in range(10_000) if named(place, nvme)[0] not in taken)
    drive.name, drive.number = named(place, nvme)
    drive.sequence, drive.present = state.number(), True
    state.woken += [drive.key, *(f"{drive.key}p{part.number}" for part in drive.partitions)]


def another(state: State, disk: Disk) -> Disk:
    """A disk of the same kind, with a serial number and names of its own."""
    digits = f"{state.number():08x}"
    wwn = f"{disk.wwn[: -len(digits)]}{digits}" if disk.wwn else None
    names = tuple(f"{link[: -len(digits)]}{digits}" for link in disk.by_id)
    return replace(disk, id=f"{disk.id[: -len(digits)]}{digits}", serial=f"X{digits}", wwn=wwn, by_id=names)


def _by_number(state: State, number: str) -> str | None:
    """The device that has a major:minor, which the links in /dev/block are called by."""
    for drive in (each for each in state.drives if each.present):
        if drive.number == number:
            return drive.key
        major, _, minor = drive.number.partition(":")
        for part in drive.partitions:
            if f"{major}:{int(minor) + part.number}" == number:
                return f"{drive.key}p{part.number}"
    return next((each.key for each in mapped(state) if f"254:{each.minor}" == number), None)


def _by_link(state: State, path: str) -> str | None:
    """The link belongs to the disk that claimed it last; one of a partition to the partition."""
    match = _PART.fullmatch(path)
    whole = match[1] if match else path
    by_id, name = whole.startswith(BY_ID_LINKS), link_name(whole)
    claims = [
        drive
        for drive in state.drives
        if drive.present and (name in drive.disk.by_id if by_id else name == drive.disk.by_path)
    ]
    if not claims:
        return None
    drive = max(claims, key=lambda each: each.sequence)
    if match is None:
        return drive.key
    known = any(part.number == int(match[2]) for part in drive.partitions)
    return f"{drive.key}p{match[2]}" if known else None


# I/O scheduler, queue depth and Write Zeroes of a disk: what sysfs shows, what may be set.


_PATH = re.compile(r"/sys/block/([^/]+)/(queue/scheduler|queue/write_zeroes_max_bytes|device/queue_depth)")
_SCSI_DEPTH = 32
_SCHEDULERS = ("mq-deadline", "kyber", "bfq", "none")


def queue_of(drive: Drive) -> tuple[str, int | None]:
    """Active I/O scheduler and queue depth of a drive; None where its driver has none."""
    nvme = drive.disk.transport == "nvme"
    return drive.scheduler or ("none" if nvme else "mq-deadline"), None if nvme else drive.queue_depth or _SCSI_DEPTH


def text_of(state: State, path: str) -> str | None:
    """What a file reads, with its line end; None when there is none."""
    drive, name = _found(state, path)
    if drive is None:
        return None
    scheduler, depth = queue_of(drive)
    if name == "queue/write_zeroes_max_bytes":
        return None if (most := drive.disk.write_zeroes_max_bytes) is None else f"{most}\n"
    if name == "device/queue_depth":
        return None if depth is None else f"{depth}\n"
    return " ".join(f"[{each}]" if each == scheduler else each for each in _SCHEDULERS) + "\n"


def put(state: State, path: str, value: str) -> None:
    """Sets a value. Failed as the kernel fails."""
    drive, name = _found(state, path)
    if drive is None or text_of(state, path) is None:
        raise ProgramFailed("No such file or directory")
    if name == "queue/scheduler" and value in _SCHEDULERS:
        drive.scheduler = value
    elif name == "device/queue_depth" and value.isdigit() and int(value) > 0:
        drive.queue_depth = int(value)
    else:
        raise ProgramFailed("Invalid argument")


def is_queue(path: str) -> bool:
    """True for a path of one of these files."""
    return _PATH.fullmatch(path) is not None


def _found(state: State, path: str) -> tuple[Drive | None, str]:
    match = _PATH.fullmatch(path)
    if match is None:
        return None, ""
    return next((drive for drive in state.drives if drive.name == match[1] and drive.present), None), match[2]


# Processes and kernel users of simulated devices, as `Runner.users` and a probe find them.


def users_of(state: State, paths: Iterable[str]) -> tuple[User, ...]:
    """See Runner.users."""
    found = []
    for path in paths:
        key = resolve(state, path)
        if key is None:
            continue
        drive = drive_of(state, key)
        for hold in drive.holds if drive else ():
            if hold.how in IN_KERNEL:
                found.append(User(path=path, by=IN_KERNEL[hold.how].format(hold.name), writing=True))
        for each in opened_by(state, key):
            found.append(User(path=path, by=f"{each.command} (pid {each.process})", writing=each.writing))
    return tuple(dict.fromkeys(found))


def opened_by(state: State, key: str) -> tuple[OpenedBy, ...]:
    """Processes that have a device or something on it open."""
    stack = _subtree(state, key)
    return tuple(
        OpenedBy(
            process=each.process, command=each.command, device=kernel_name(state, each.key), writing=each.writing
        )
        for each in state.opened
        if each.key in stack
    )  # fmt: skip


def _subtree(state: State, key: str) -> set[str]:
    found, waiting = {key}, [key]
    while waiting:
        for _, child in children(state, waiting.pop()):
            if child and child not in found:
                found.add(child)
                waiting.append(child)
    return found
