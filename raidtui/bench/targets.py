"""Targets of a benchmark: our own files in a mounted directory, and, read only, the devices below it.

Opens no device. Members, arrays and volumes are found in sysfs by device number, never by the name of a link. Raw
devices are never written to: a profile with such a job is invalid.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from raidtui.bench.expected import bench_disk
from raidtui.bench.plan import BenchFacts
from raidtui.engine.folders import RUNS, readable
from raidtui.engine.runs import plan_in
from raidtui.programs import mount as mountinfo
from raidtui.programs.mount import Mount
from raidtui.values.bench import BenchDisk, Target
from raidtui.values.errors import BadInput, MachineFailed, Refused
from raidtui.values.gauges import Scene, WatchedDisk
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.location import Location
from raidtui.values.plan import Plan, PlanFileSystem

_DEEPEST = 8
_NOT_DATA = ("/proc", "/sys", "/dev", "/run", "/boot", "/etc", "/usr")


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchPlace:
    """A directory and the devices below it."""

    path: Path
    """canonical"""
    mount: Mount
    """mount with the directory"""
    volume: str
    """kernel name of the block device that carries the file system; empty where there is none, such as tmpfs"""
    devices: tuple[str, ...]
    """kernel names of everything below the volume, disks and arrays, without partitions"""


def place_of(directory: Path, root: str = "/") -> BenchPlace:
    """The directory and its devices. Raises BadInput if it is not a directory, Refused for a directory of the system.

    `root`: parent of /proc and /sys, for tests.
    """
    path = Path(os.path.realpath(directory))
    if not path.is_dir():
        raise BadInput(f"{directory} is not a directory", hint="name the mount point of the file system to measure")
    if any(path == Path(top) or Path(top) in path.parents for top in _NOT_DATA):
        raise Refused(f"{path} belongs to the system", hint="name a directory for data")
    try:
        mounts = mountinfo.parse(Path(f"{root}/proc/self/mountinfo").read_text(errors="surrogateescape"))
    except OSError as problem:
        raise MachineFailed(f"the mounts cannot be read: {problem.strerror}", hint="mount /proc") from problem
    mount = mountinfo.holding(mounts, str(path))
    if mount is None:
        raise MachineFailed(f"no mount contains {path}", hint="mount /proc of this mount namespace")
    volume = _device(mount, root)
    below = tuple(dict.fromkeys(_below(volume, root, _DEEPEST))) if volume else ()
    return BenchPlace(path=path, mount=mount, volume=volume, devices=below)


def places_of_plan(plan: Plan) -> tuple[BenchPlace, ...]:
    """The mounted file systems of a plan. Raises Refused if one is missing or another is mounted in its place."""
    if not plan.filesystems:
        raise Refused("the plan makes no file system", hint="measure its disks instead: raidtui disks --measure")
    return tuple(_planned(filesystem) for filesystem in plan.filesystems)


def _planned(made: PlanFileSystem) -> BenchPlace:
    place = place_of(Path(made.mount_point))
    if place.mount.point != str(place.path):
        raise Refused(f"{made.mount_point} is not mounted", hint=f"mount {made.mount_point}")
    if not is_mounted(made, place.mount):
        raise Refused(
            f"the mount at {made.mount_point} is not the plan's file system {made.uuid}",
            hint="name the mount point instead of the plan to measure what is there",
        )
    return place


def is_mounted(made: PlanFileSystem, mount: Mount) -> bool:
    """True if `mount` is the file system that a plan made, by its UUID."""
    try:
        number = os.stat(f"/dev/disk/by-uuid/{made.uuid}").st_rdev  # noqa: PTH116
    except OSError:
        return False
    return mount.number == f"{os.major(number)}:{os.minor(number)}"


def plan_of_place(place: BenchPlace, roots: Iterable[Path]) -> Plan | None:
    """The plan of the run in `roots` that made the file system of `place`; None if none of the readable runs did."""
    for _, plan in readable(RUNS.all_folders(roots), plan_in):
        if not plan.simulated and any(is_mounted(made, place.mount) for made in plan.filesystems):
            return plan
    return None


def targets_of(place: BenchPlace, inventory: Inventory, scene: Scene, *, root_user: bool) -> tuple[Target, ...]:
    """All targets below `place`: always its files, as root also the devices."""
    watched = {disk.name: disk for disk in scene.disks}
    known = {disk.kernel_name: disk for disk in inventory.disks if disk.kernel_name}
    disks = tuple(watched[name] for name in place.devices if name in watched)
    ids = tuple(_id(disk) for disk in disks)
    arrays = tuple(array for array in scene.arrays if array.name in place.devices)
    outer = [array for array in arrays if not any(array.name in other.members for other in arrays)]
    top = outer[0].name if len(outer) == 1 else ""
    files = Target(
        kind="files", name=str(place.path), paths=(str(place.path),), disks=ids, size_bytes=_room(place.path)[0],
        array=top,
    )  # fmt: skip
    if not root_user:
        return (files,)
    found = [_disk_target(disk, known.get(disk.name)) for disk in disks]
    members = [target for disk, target in zip(disks, found, strict=True) if disk.role != "spare"]
    if len(members) > 1:
        found.append(Target.at_once(members, top))
    for array in arrays:
        inside = {*array.members, *array.spares}
        for lower in arrays:
            if lower.name in inside:
                inside |= {*lower.members, *lower.spares}
        own = tuple(_id(disk) for disk in disks if disk.name in inside)
        found.append(
            Target(
                kind="array", name=array.title or array.name, paths=(f"/dev/{array.name}",), disks=own,
                size_bytes=_size(array.name), array=array.name,
            )
        )  # fmt: skip
    if place.volume and place.volume not in {array.name for array in arrays}:
        name = _dm_name(place.volume)
        found.append(
            Target(
                kind="volume", name=name or place.volume, disks=ids, size_bytes=_size(place.volume), array=top,
                paths=(f"/dev/mapper/{name}" if name else f"/dev/{place.volume}",),
            )
        )  # fmt: skip
    return (*found, files)


def bench_disks(targets: Iterable[Target], scene: Scene, disks: Iterable[Disk]) -> tuple[BenchDisk, ...]:
    """The disks below any of `targets`, in the order of the scene; those of `disks` with the speed to expect."""
    wanted = {disk for target in targets for disk in target.disks}
    known = {disk.kernel_name: disk for disk in disks}
    return tuple(bench_disk(disk, known.get(disk.name)) for disk in scene.disks if (disk.id or disk.name) in wanted)


def facts_of(path: Path, *, read_bytes_per_s: float, write_bytes_per_s: float, spins: bool) -> BenchFacts:
    """Memory, free space, and whether the file system at `path` supports O_DIRECT.

    Raises Refused if it is not writable.
    """
    free, inodes = _room(path)
    return BenchFacts(
        memory_bytes=memory(),
        free_bytes=free,
        free_files=inodes,
        direct=_takes_direct(path),
        root=os.geteuid() == 0,
        read_bytes_per_s=read_bytes_per_s,
        write_bytes_per_s=write_bytes_per_s,
        files_per_s=2000.0 if spins else 8000.0,
    )


def memory() -> int:
    """Bytes of the machine's memory (/proc/meminfo, MemTotal)."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError as problem:
        raise MachineFailed("/proc/meminfo cannot be read", hint="mount /proc") from problem
    words = next((line.split() for line in lines if line.startswith("MemTotal:")), [])
    return int(words[1]) * 1024 if len(words) > 1 and words[1].isdecimal() else 0


def _room(path: Path) -> tuple[int, int | None]:
    found = os.statvfs(path)
    return found.f_bavail * found.f_frsize, found.f_favail if found.f_files else None


def _takes_direct(path: Path) -> bool:
    """True if a file there can be opened with O_DIRECT; tried with an unnamed temporary file."""
    for flags in (os.O_DIRECT, 0):
        try:
            os.close(os.open(path, os.O_RDWR | os.O_TMPFILE | os.O_CLOEXEC | flags, 0o600))
            return bool(flags)
        except OSError as problem:
            if problem.errno in (errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOSPC, errno.EDQUOT):
                raise Refused(f"{path}: {problem.strerror}", hint="name a directory you can write to") from problem
            if problem.errno == errno.EOPNOTSUPP:  # no nameless files there; direct ones are the rule
                return True
    return False


def _device(mount: Mount, root: str) -> str:
    """Kernel name of the device of a mount; by its source where the number is not a block device's (btrfs)."""
    number = mount.number
    if number.startswith("0:") and mount.source.startswith("/dev/"):
        try:
            found = os.stat(mount.source).st_rdev  # noqa: PTH116
        except OSError:
            return ""
        number = f"{os.major(found)}:{os.minor(found)}"
    node = Path(f"{root}/sys/dev/block/{number}")
    return os.path.realpath(node).rpartition("/")[2] if node.is_dir() else ""


def _below(name: str, root: str, deepest: int) -> list[str]:
    """`name` if it is a disk or an array, and all lower devices; the disk instead of a partition."""
    node = Path(os.path.realpath(f"{root}/sys/class/block/{name}"))
    if (node / "partition").exists():
        return _below(node.parent.name, root, deepest)
    slaves = node / "slaves"
    lower = sorted(entry.name for entry in slaves.iterdir()) if slaves.is_dir() and deepest else []
    own = [name.replace("!", "/")] if not lower or (node / "md").is_dir() else []
    return own + [each for part in lower for each in _below(part, root, deepest - 1)]


def _disk_target(disk: WatchedDisk, known: Disk | None) -> Target:
    return Target(
        kind="disk", name=_place(disk).text or disk.serial or disk.name, paths=(_path(disk, known),),
        disks=(_id(disk),), size_bytes=disk.size_bytes, array=disk.array,
    )  # fmt: skip


def _path(disk: WatchedDisk, known: Disk | None) -> str:
    return known.path if known is not None and known.path else f"/dev/{disk.name}"


def _id(disk: WatchedDisk) -> str:
    return disk.id or disk.name


def _place(disk: WatchedDisk) -> Location:
    return Location.in_bench(disk.slot, disk.enclosure)


def _size(name: str) -> int:
    try:
        return int(Path(f"/sys/class/block/{name}/size").read_text()) * 512
    except (OSError, ValueError):
        return 0


def _dm_name(name: str) -> str:
    try:
        return Path(f"/sys/class/block/{name}/dm/name").read_text().strip()
    except OSError:
        return ""
