"""fstab, mount, umount, findmnt and statfs (util-linux 2.38)."""

from __future__ import annotations

from pathlib import PurePosixPath

from raidtui.machine.ports.runner import Mounted
from raidtui.machine.simulated.core.argv_parser import ProgramFailed, unknown
from raidtui.machine.simulated.core.devices import active_volumes, must_resolve
from raidtui.machine.simulated.core.state import DiskMark, SimulatedMount, State
from raidtui.machine.simulated.core.storage import put, seen
from raidtui.machine.simulated.tools.filesystems import KINDS, fresh_space, quotas_on, replayed, used_space, with_quotas
from raidtui.machine.simulated.tools.system_files import file_text
from raidtui.model.choices import MadeFileSystem
from raidtui.model.file_system import MountOption
from raidtui.tools import mountinfo
from raidtui.tools.mount_options import problem_of, quotas_of, shown

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
    keys = [f"{group.name}/{volume.name}" for group, volume in active_volumes(state)]
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
