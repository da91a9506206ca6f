"""fstab, mount, umount, findmnt and statfs (util-linux 2.38)."""

from __future__ import annotations

from pathlib import PurePosixPath

from raidtui.machine.system.ports import Mounted
from raidtui.programs import mount as mountinfo
from raidtui.programs.mount_options import problem_of, quotas_of, shown
from raidtui.simulated.argv_parser import ProgramFailed, unknown
from raidtui.simulated.devices import active_volumes, dm_name, kernel_name, mapped, must_resolve
from raidtui.simulated.filesystems import KINDS, fresh_space, quotas_on, replayed, used_space, with_quotas
from raidtui.simulated.state import DiskMark, SimulatedMount, State, UsedBy
from raidtui.simulated.storage import array_of, crypt_of, drive_of, physical_volume, put, seen
from raidtui.values.choices import MadeFileSystem
from raidtui.values.design import MountOption

# Files of /proc, /sys and configfs that tell of devices and their users.


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
    for crypt in state.crypts:
        if path == f"/sys/block/dm-{crypt.minor}/dm/name":
            return f"{crypt.name}\n"
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
        names |= {f"dm-{each.minor}" for each in mapped(state)}
    for group, volume in active_volumes(state):
        if start == f"/sys/block/dm-{volume.minor}/slaves/":
            below_it = (physical_volume(state, uuid) for uuid in group.physical)
            names |= {kernel_name(state, found[0]) for found in below_it if found is not None}
    names |= {
        kernel_name(state, crypt.below) for crypt in state.crypts if start == f"/sys/block/dm-{crypt.minor}/slaves/"
    }
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


def _node(state: State, key: str) -> str:
    drive = drive_of(state, key)
    if (crypt := crypt_of(state, key)) is not None:
        return f"/dev/mapper/{crypt.name}"
    group, slash, last = key.partition("/")
    if slash:
        return f"/dev/mapper/{group.replace('-', '--')}-{last.replace('-', '--')}"
    return f"/dev/{drive.name if drive else key}"


def _number(state: State, key: str) -> str:
    if (drive := drive_of(state, key)) is not None:
        return drive.number
    if array_of(state, key) is not None:
        return f"9:{key.removeprefix('md')}"
    return next(f"254:{each.minor}" for each in mapped(state) if each.key == key)


FSTAB = "/etc/fstab"
_MOST_LINKS = 40
_ROOT = (4096, 5_000_000)
"""block size and blocks of the system's own file system"""


def fstab_lines(state: State) -> list[list[str]]:
    """The fields of every line that says something."""
    lines = (line.split() for line in state.files.get(FSTAB, "").splitlines())
    return [fields for fields in lines if fields and not fields[0].startswith("#")]


def link_in(state: State, path: str) -> str:
    """The first component of a path that is a symbolic link; empty without one."""
    if not state.symlinks:
        return ""
    parts = PurePosixPath(path)
    return next((part for part in map(str, (*reversed(parts.parents), parts)) if part in state.symlinks), "")


def followed(state: State, path: str) -> str:
    """Where a path leads through symbolic links."""
    for _ in range(_MOST_LINKS):
        link = link_in(state, path)
        if not link:
            return path
        path = state.symlinks[link] + path.removeprefix(link)
    raise ProgramFailed(f"{path}: Too many levels of symbolic links")


def mount_at(state: State, path: str) -> Mounted | None:
    """See MachineReader."""
    if link := link_in(state, path):
        return Mounted(link=link)
    found = mountinfo.parse(file_text(state, "/proc/self/mountinfo") or "")
    top = next((each for each in reversed(found) if each.point == path), None)
    return None if top is None else Mounted(number=top.number, mount_id=top.id, root=top.root)


def mount(state: State, argv: tuple[str, ...]) -> str:
    """`mount PLACE`, as fstab says; or a device on a place, with options."""
    match argv:
        case ("mount", kind, words, device, place) if kind.startswith("--types=") and words.startswith("--options="):
            kind, words = kind.removeprefix("--types="), words.removeprefix("--options=")
            return _mount_device(state, device, followed(state, place), kind, words)
        case ("mount", place) if place.startswith("/"):
            pass
        case _:
            raise unknown(argv)
    fields = next((fields for fields in fstab_lines(state) if len(fields) >= 4 and fields[1] == place), None)
    if fields is None:
        raise ProgramFailed(f"mount: {place}: can't find in /etc/fstab.")
    place = followed(state, place)
    if place not in state.folders:
        raise ProgramFailed(f"mount: {place}: mount point does not exist.", 32)
    if any(each.place == place for each in state.mounts):
        raise ProgramFailed(f"mount: {place}: already mounted or mount point busy.", 32)
    uuid = fields[0].removeprefix("UUID=")
    key = carrier(state, uuid)
    if key is None:
        raise ProgramFailed(f"mount: {place}: can't find UUID={uuid}.")
    mark = next(mark for mark in seen(state, key) if mark.kind in KINDS and mark.uuid == uuid)
    if mark.kind != fields[2]:
        raise ProgramFailed(f"mount: {place}: wrong fs type, bad option, bad superblock.", 32)
    return _mounted(state, key, place, mark, fields[3])


def _mounted(state: State, key: str, place: str, mark: DiskMark, words: str) -> str:
    type_: MadeFileSystem = "xfs" if mark.kind == "xfs" else "ext4"
    options = _for_kernel(words)
    quotas = quotas_of(options)
    if any(problem_of(option, type_) for option in options) or (type_ == "ext4" and not quotas <= quotas_on(mark)):
        raise ProgramFailed(f"mount: {place}: wrong fs type, bad option, bad superblock.", 32)
    put(state, key, with_quotas(replayed(mark), quotas))  # the log is written, and XFS makes its quota files
    state.mounts.append(SimulatedMount(place=place, key=key, uuid=mark.uuid, shown=shown(options, type_)))
    return ""


def _for_kernel(words: str) -> list[MountOption]:
    """The options in fstab that mount(8) and systemd do not keep to themselves."""
    pairs = [word.partition("=") for word in words.split(",") if word != "nofail" and not word.startswith("x-")]
    return [MountOption(name=name, value=value) for name, _, value in pairs]


def _mount_device(state: State, device: str, place: str, kind: str, words: str) -> str:
    key = must_resolve(state, device)
    if place not in state.folders:
        raise ProgramFailed(f"mount: {place}: mount point does not exist.", 32)
    mark = next((mark for mark in seen(state, key) if mark.kind == kind), None)
    if mark is None:
        raise ProgramFailed(f"mount: {place}: wrong fs type, bad option, bad superblock.", 32)
    if any(each.place == place for each in state.mounts):
        raise ProgramFailed(f"mount: {place}: already mounted or mount point busy.", 32)
    return _mounted(state, key, place, mark, words)


def umount(state: State, argv: tuple[str, ...]) -> str:
    """`umount PLACE`."""
    match argv:
        case ("umount", place) if place.startswith("/"):
            place = followed(state, place)
        case _:
            raise unknown(argv)
    if hidden := next((user for user in state.used if (user.how, user.name) == ("hidden", place)), None):
        state.used.remove(hidden)
        return ""
    found = next((each for each in reversed(state.mounts) if each.place == place), None)
    if found is None:
        raise ProgramFailed(f"umount: {place}: not mounted.", 32)
    state.mounts.remove(found)
    return ""


def findmnt(state: State, argv: tuple[str, ...]) -> str:
    """Mounted now, or planned in fstab."""
    match argv[1:]:
        case ("--noheadings", "--first-only", "--output=UUID", "--mountpoint", place):
            place = followed(state, place)
            found = next((each.uuid for each in state.mounts if each.place == place), None)
        case ("--noheadings", "--first-only", "--output=UUID", asked, "--mountpoint", place) if asked.startswith(
            "--opt"
        ):
            place = followed(state, place)
            words = {word.removeprefix("+") for word in asked.removeprefix("--options=").split(",")}
            found = next((each.uuid for each in state.mounts if each.place == place and words <= set(each.shown)), None)
        case ("--fstab", "--noheadings", "--output=SOURCE", "--mountpoint", place):
            found = next((fields[0] for fields in fstab_lines(state) if len(fields) > 1 and fields[1] == place), None)
        case _:
            raise unknown(argv)
    if found is None:
        raise ProgramFailed("")
    return f"{found}\n"


def statfs(state: State, argv: tuple[str, ...]) -> str:
    """`stat --file-system`: of the file system mounted there, else of the system's own."""
    match argv[1:]:
        case ("--file-system", "--format=%S %b %f %c %d", path):
            path = followed(state, path)
            found = next((each for each in state.mounts if each.place == path), None)
            if found is None:
                raise ProgramFailed(
                    f"stat: cannot read file system information for '{path}': No such file or directory"
                )
            return " ".join(map(str, used_space(state, found.key))) + "\n"
        case ("--file-system", "--format=%S %b", path):
            path = followed(state, path)
            if path not in state.folders:
                raise ProgramFailed(
                    f"stat: cannot read file system information for '{path}': No such file or directory"
                )
            found = next((each for each in state.mounts if each.place == path), None)
            block, blocks = fresh_space(state, found.key) if found else _ROOT
            return f"{block} {blocks}\n"
        case _:
            raise unknown(argv)


def carrier(state: State, uuid: str) -> str | None:
    """The device with the file system of this UUID, the first that is found."""
    keys = [each.key for each in mapped(state)]
    keys += [array.name for array in state.arrays if array.running]
    keys += [drive.key for drive in state.drives if drive.present]
    return next((key for key in keys for mark in seen(state, key) if mark.kind in KINDS and mark.uuid == uuid), None)


def file_at(state: State, path: str) -> tuple[SimulatedMount, DiskMark] | None:
    """The mounted file system that a path lies on; None below somebody's empty tmpfs too."""
    hidden = [user.name for user in state.used if user.how == "hidden" and path.startswith(f"{user.name}/")]
    for _, found in sorted(enumerate(state.mounts), key=lambda each: (-len(each[1].place), -each[0])):
        if any(len(place) >= len(found.place) for place in hidden):
            return None
        if path.startswith(f"{found.place}/"):
            mark = next((mark for mark in seen(state, found.key) if mark.kind in KINDS), None)
            return (found, mark) if mark else None
    return None
