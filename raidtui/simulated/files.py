"""Text files and directories, and the programs that ask about them (coreutils, grep, sed, findutils)."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from pathlib import PurePosixPath

from raidtui.programs import cryptsetup, mdadm_conf, multipath
from raidtui.simulated import boot, devices, md, md_output, mounts
from raidtui.simulated.argv_parser import ProgramFailed, read, unknown
from raidtui.simulated.devices import exists
from raidtui.simulated.mounts import file_at, followed
from raidtui.simulated.state import State
from raidtui.simulated.storage import put
from raidtui.values.errors import Refused
from raidtui.values.paths import PathKind, PathPart, SeenPath, written_fault

_SED = re.compile(r"/\^([A-Za-z0-9 #_-]+)\$/,/\^([A-Za-z0-9 #_-]+)\$/p")
_FOLDERS = ("/", "/etc", "/etc/mdadm", "/etc/udev", "/etc/udev/rules.d", "/run", "/run/mdadm", "/srv", "/mnt", "/var",
            "/var/lib", "/dev", "/dev/md", "/proc", "/sys", "/etc/systemd/system", "/etc/mdadm/mdadm.conf.d",
            "/etc/mdadm.conf.d", "/etc/keys")  # fmt: skip


_KEY_FILE = "/etc/keys/data.key"
_REGULAR = 0o100000
_SOMEBODY = 1000
"""user id of the owner of what others can change"""


def fresh(state: State) -> None:
    """The files of a system just installed."""
    state.folders = list(_FOLDERS)
    state.modes[_KEY_FILE] = 0o400
    state.files = {
        state.conf_path: "HOMEHOST <system>\nMAILADDR root\n",
        "/etc/fstab": "UUID=6b0ff5a8-27e6-4a33-9a5e-2b6e0a6d0f5d / ext4 errors=remount-ro 0 1\n",
        "/etc/machine-id": f"{state.machine_id}\n",
        "/proc/cmdline": "root=UUID=6b0ff5a8-27e6-4a33-9a5e-2b6e0a6d0f5d ro quiet\n",
        "/proc/sys/kernel/osrelease": f"{boot.KERNEL}\n",
        _KEY_FILE: "key of a simulated machine",
        **boot.RULES,
    }


def text_of(state: State, path: str) -> str | None:
    """Content of a file; None when there is none."""
    if (text := mounts.file_text(state, path)) is not None:
        return text
    if devices.is_queue(path):
        return devices.text_of(state, path)
    if path.startswith("/sys/block/"):
        return md.text_of(state, path)
    if path == "/proc/mdstat":
        return md_output.mdstat(state)
    if path == multipath.WWIDS:
        maps = (drive.disk.id for drive in state.drives if drive.disk.multipath)
        return "".join(f"/{name.removeprefix(multipath.PREFIX)}/\n" for name in maps)
    if path == "/proc/sys/kernel/random/boot_id":
        return f"00000000-0000-4000-8000-{state.boots:012x}\n"
    if path == "/proc/modules":
        names = ("raid0", "raid1", "raid10", "raid456", "md_mod", "dm_mod", "xfs", "ext4")
        return "".join(f"{name} 16384 0 - Live 0x0000000000000000\n" for name in names)
    path = followed(state, path)
    on = file_at(state, path)
    if on is not None:
        return on[1].texts.get(path.removeprefix(on[0].place))
    return "" if path in state.no_files else state.files.get(path)


def stat(state: State, argv: tuple[str, ...]) -> str:
    """stat: of a file type and permissions, owner, mount point; of a file system its space."""
    match argv[1:]:
        case ("--dereference", "--format=%f %u %m", path):
            found = followed(state, path)
            if text_of(state, found) is None:
                raise ProgramFailed(f"stat: cannot statx '{path}': No such file or directory")
            on = file_at(state, found)
            owner = _SOMEBODY if found in state.of_others else 0
            return f"{_REGULAR | state.modes.get(found, 0o644):x} {owner} {on[0].place if on else '/'}\n"
        case _:
            return mounts.statfs(state, argv)


def path_parts(state: State, path: str) -> tuple[PathPart, ...]:
    """See MachineReader."""
    there = {*state.files, *state.folders, *state.symlinks, *state.no_files}
    found = []
    whole = PurePosixPath(path)
    for each in map(str, (*reversed(whole.parents), whole)):
        if each != "/" and not any(known == each or known.startswith(f"{each}/") for known in there):
            break
        kind: PathKind = state.no_files.get(each, "file" if each in state.files else "directory")
        kind = "link" if each in state.symlinks else kind
        found.append(
            PathPart(
                path=each, kind=kind, owner=_SOMEBODY if each in state.of_others else 0,
                mode=state.modes.get(each, 0o644 if kind == "file" else 0o755), target=state.symlinks.get(each, ""),
            )
        )  # fmt: skip
        if kind != "directory":
            break
    return tuple(found)


def put_text(state: State, path: str, text: str, mode: int) -> None:
    """Writes a file whole; one that is there keeps its mode. Refused unless it is root's alone, failed when it is on a
    file system that was mounted and its directory is missing."""
    on = file_at(state, path)
    if on is not None:
        place, mark = on
        put(state, place.key, replace(mark, texts={**mark.texts, path.removeprefix(place.place): text}))
        return
    if path.rpartition("/")[0] not in state.folders:
        raise ProgramFailed("No such file or directory")
    if fault := written_fault(SeenPath(path=path, parts=path_parts(state, path))):
        raise Refused(fault.message, hint=fault.way_out)
    state.files[path] = text
    state.modes.setdefault(path, mode)


def names_in(state: State, path: str) -> tuple[str, ...]:
    """Names in a directory."""
    if (found := md.names_in(state, path)) is not None:
        return found
    if (found := boot.links(state, path)) is not None:
        return found
    if found := mounts.file_names(state, path):
        return found
    start = path.rstrip("/") + "/"
    if start == "/boot/":
        return (boot.image(state), f"vmlinuz-{boot.KERNEL}")
    on = file_at(state, start)
    inner = list(on[1].texts) if on else []
    whole = [*state.files, *state.folders, *([on[0].place + name for name in inner] if on else [])]
    if start == "/dev/md/":
        whole += [f"/dev/md/{array.link}" for array in state.arrays if array.link]
    return tuple(sorted({each.removeprefix(start).split("/")[0] for each in whole if each.startswith(start)} - {""}))


def there(state: State, path: str) -> bool:
    """True when anything has that path."""
    return path in state.folders or text_of(state, path) is not None or exists(state, path)


def question(state: State, argv: tuple[str, ...]) -> str:
    """What one of the programs that look at files says."""
    match argv:
        case ("test", "!", "-e", path):
            return "" if not there(state, path) else _fail("")
        case ("test", "-x", cryptsetup.OPENER):
            return ""
        case ("test", "-e", path) if path.endswith(".header"):
            return "" if path in state.files else _fail("")
        case ("test", "!", "-L", path) if path.startswith("/") and not path.startswith("/dev/"):
            return ""
        case ("cat", path):
            return _must(state, path, f"cat: {path}: No such file or directory")
        case ("sha256sum", path):
            text = _must(state, path, f"sha256sum: {path}: No such file or directory")
            return f"{hashlib.sha256(text.encode('utf-8', 'surrogateescape')).hexdigest()}  {path}\n"
        case ("grep", "--no-messages", "--files-with-matches", "--devices=skip", "--extended-regexp", pattern, path):
            return _grep(state, argv, pattern, path)
        case ("grep", "--max-count=1", "--ignore-case", "--extended-regexp", pattern, path):
            lines = _must(state, path, f"grep: {path}: No such file or directory", 2).splitlines()
            found_line = next((line for line in lines if re.search(pattern, line, re.IGNORECASE)), None)
            return _fail("") if found_line is None else f"{found_line}\n"
        case ("grep", "--null-data", *_, program) if argv == mdadm_conf.preference_question(program):
            return boot.preference(state)
        case ("sed", "--quiet", program, path) if found := _SED.fullmatch(program):
            return _between(_must(state, path, f"sed: can't read {path}", 2), found[1], found[2])
        case ("find", *_):
            return _found(state, argv)
        case _:
            raise unknown(argv)


def _found(state: State, argv: tuple[str, ...]) -> str:
    """What find prints (findutils)."""
    match argv:
        case ("find", "-L", _, "-maxdepth", "0", "-samefile", _):
            return ""  # it has no links
        case ("find", "-L", path, "-maxdepth", "0", "-type", "f", "-perm", "/111"):
            return f"{path}\n"  # this machine has every program
        case ("find", *paths, "-maxdepth", "0", "!", "-type", "l", "-user", "root", "!", "-perm", "/022"):
            return "".join(f"{path}\n" for path in paths if path not in state.of_others and path not in state.symlinks)
        case ("find", path, *_) if argv == cryptsetup.key_question(path):
            private = path in state.files and not state.modes.get(path, 0o644) & 0o077
            return f"{path}\n" if private and path not in state.of_others and state.files[path] else ""
        case ("find", "/boot", "-maxdepth", "1", "-name", "initrd.img-*", "-newer", conf, "-printf", "newer", "-quit"):
            return "newer" if conf == state.conf_path and state.initramfs == state.files.get(conf) else ""
        case ("find", *_, "-print", "-quit") if "-maxdepth" in argv and "-path" in argv:
            return boot.other_unit(state, argv)
        case ("find", path, "-mindepth", "1", "-print", "-quit"):
            return _find(state, path)
        case ("find", path, "-mindepth", "1", "!", "-path", _, "-print", "-quit"):
            return _find(state, path)  # none has that directory here
        case _:
            raise unknown(argv)


def install(state: State, argv: tuple[str, ...]) -> str:
    """`install --directory`: makes a directory and those above it."""
    given = read(argv, flags={"--directory"}, values={"--mode"}, least=1, most=1)
    if "--directory" not in given.flags:
        raise unknown(argv)
    path = followed(state, given.operands[0])
    state.modes[path] = int(given.values["--mode"], 8)
    while path and path not in state.folders:
        state.folders.append(path)
        path = path.rpartition("/")[0]
    return ""


def remove(state: State, argv: tuple[str, ...]) -> str:
    """`rm -- FILES`."""
    given = read(argv, flags={"--"}, least=1)
    for path in given.operands:
        if path not in state.files:
            raise ProgramFailed(f"rm: cannot remove '{path}': No such file or directory")
        del state.files[path]
        state.modes.pop(path, None)
    return ""


def sync(state: State, argv: tuple[str, ...]) -> str:
    """`sync -- FILES`."""
    given = read(argv, flags={"--"}, least=1)
    for path in given.operands:
        if path not in state.files:
            raise ProgramFailed(f"sync: error opening '{path}': No such file or directory")
    state.unsynced = [path for path in state.unsynced if path not in given.operands]
    return ""


def _grep(state: State, argv: tuple[str, ...], pattern: str, path: str) -> str:
    plain = pattern.replace("[[:blank:]]", "[ \t]")
    if "[[:" in plain or "\\" in plain:
        raise unknown(argv)
    text = text_of(state, path)
    if text is None:
        raise ProgramFailed("", 2)
    return f"{path}\n" if any(re.search(plain, line) for line in text.splitlines()) else _fail("")


def _between(text: str, begin: str, end: str) -> str:
    """sed's range: from a line that is `begin` to the next that is `end`, or the last."""
    kept, inside = [], False
    for line in text.splitlines():
        inside = inside or line == begin
        if inside:
            kept.append(f"{line}\n")
            inside = line != end or line == begin
    return "".join(kept)


def _find(state: State, path: str) -> str:
    if path not in state.folders:
        raise ProgramFailed(f"find: '{path}': No such file or directory")
    inner = names_in(state, path)
    return f"{path}/{inner[0]}\n" if inner else ""


def _must(state: State, path: str, otherwise: str, code: int = 1) -> str:
    text = text_of(state, path)
    return text if text is not None else _fail(otherwise, code)


def _fail(message: str, code: int = 1) -> str:
    raise ProgramFailed(message, code)
