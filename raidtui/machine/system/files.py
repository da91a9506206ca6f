"""The one door for files that raidtui writes: new or whole in place of an earlier one, all of several or none, durably.

The directory is opened without following a link of anybody else, and must be private with all above it
(private_places.py); the file is written beside under a new name and renamed within that directory. What it replaces is
a regular file of root or this user, whose mode and owner it keeps. Text keeps the bytes it was read with.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from raidtui.machine.system.places import as_part, failures, require_file, trusted_folder, trusted_owners
from raidtui.machine.system.programs import closing
from raidtui.values.codec import from_json, to_json
from raidtui.values.errors import BadInput, MachineFailed, Refused
from raidtui.values.units import GIB, KIB, MIB, exact_binary

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_MARK = ".raidtui-"
_DIGITS = 16


def write_durably(path: Path, text: str, *, mode: int, follow: bool = True) -> None:
    """Writes a file, with `mode` if it is new, and syncs it to the disk.

    An earlier file stays as it was if the new one cannot be written, and no temporary file stays. `follow`: see
    `trusted_folder`. Raises Refused where others could change the file or a directory above it, or where something
    else than a regular file has the name; OSError.
    """
    write_together({path: text}, mode=mode, follow=follow)


def write_together(texts: Mapping[Path, str], *, mode: int, follow: bool = True) -> None:
    """Writes several files as `write_durably` does: all under temporary names before the first is renamed.

    After an error none of the new files exists, except those renamed before a failed rename of another.
    """
    with contextlib.ExitStack() as held:
        folders = {each: held.enter_context(trusted_folder(each, follow=follow)) for each in _folders(texts)}
        files = [_Replacement(folders[path.parent], path) for path in texts]
        try:
            for file in files:
                file.write(texts[file.path], mode)
            for file in files:
                file.place()
            for folder in folders.values():
                os.fsync(folder)
        except BaseException:
            for file in files:
                file.take_back()
            raise


class _Replacement:
    """A file that takes the place of `path` in an opened directory."""

    def __init__(self, folder: int, path: Path) -> None:
        """Raises Refused where something else than a regular file of root or this user has the name."""
        self.path = path
        self._folder = folder
        self._before = _present(folder, path)
        self._name = f"{path.name}{_MARK}{secrets.token_hex(_DIGITS // 2)}"
        self._made = self._placed = False

    def write(self, text: str, mode: int) -> None:
        """Writes it under its temporary name. It is readable for its owner alone until it has mode and owner."""
        with closing(os.open(self._name, _NEW, 0o600, dir_fd=self._folder)) as handle:
            self._made = True
            if self._before is not None:
                mode = stat.S_IMODE(self._before.st_mode)
                try:
                    os.fchown(handle, self._before.st_uid, self._before.st_gid)
                except PermissionError:  # not root: what its owner alone may do is no more than before
                    mode &= 0o700
            os.fchmod(handle, mode)
            _put(handle, text)

    def place(self) -> None:
        """Gives it its name."""
        os.rename(self._name, self.path.name, src_dir_fd=self._folder, dst_dir_fd=self._folder)
        self._placed = True

    def take_back(self) -> None:
        """Removes it, unless it has taken the place of an earlier file."""
        if self._made and not (self._placed and self._before is not None):
            with contextlib.suppress(OSError):
                os.unlink(self.path.name if self._placed else self._name, dir_fd=self._folder)


def write_new(path: Path, text: str, *, mode: int = 0o600) -> Path:
    """Writes a file that must not exist yet, and syncs it to the disk. Returns its path.

    Raises Refused if it exists, also as a link, or others could change the directory; MachineFailed if writing fails.
    Then no file is left.
    """
    with new_file(path, mode) as handle:
        _put(handle, text)
    return path


@contextlib.contextmanager
def new_file(path: Path, mode: int) -> Iterator[int]:
    """Yields a descriptor of a new file; removes it if the body raises. Raises as `write_new`."""
    with failures(path, "name a place that can be written"), trusted_folder(path.parent) as folder:
        try:
            handle = os.open(path.name, _NEW, mode, dir_fd=folder)
        except FileExistsError as problem:
            raise Refused(f"{path} exists already", hint="name another file, or remove it") from problem
        try:
            with closing(handle):
                yield handle
            os.fsync(folder)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(path.name, dir_fd=folder)
            raise


def half_written(names: Sequence[str], name: str) -> tuple[str, ...]:
    """Of the `names` in a directory those that the file `name` has until it is whole; a power cut may leave one."""
    return tuple(each for each in names if re.fullmatch(rf"{re.escape(name + _MARK)}[0-9a-f]{{{_DIGITS}}}", each))


def sync_folder(folder: Path) -> None:
    """Syncs the directory `folder` to the disk. Raises OSError."""
    with closing(os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)) as handle:
        os.fsync(handle)


def _folders(paths: Iterable[Path]) -> Iterable[Path]:
    return dict.fromkeys(path.parent for path in paths)


def _present(folder: int, path: Path) -> os.stat_result | None:
    """The file that is to be replaced; None if there is none. Raises Refused where it is not one."""
    try:
        found = os.stat(path.name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    target = os.readlink(path.name, dir_fd=folder) if stat.S_ISLNK(found.st_mode) else ""
    require_file(as_part(found, str(path.absolute()), target))
    return found


def _put(handle: int, text: str) -> None:
    with os.fdopen(os.dup(handle), "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
    os.fsync(handle)


# Reads complete regular files, up to a size per kind; never a device, a pipe or a directory.


_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_PART = 1 << 20
_TYPES = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a character device",
    stat.S_IFBLK: "a block device",
    stat.S_IFLNK: "a symbolic link",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class InputKind:
    """Expected kind of a file."""

    name: str
    """in messages, with its article"""
    most: int
    """limit of its size in bytes; read into values, a document takes up to twenty times as much memory"""
    way_out: str


BYTES_A_VALUE = 32
"""a document has at most a comma for so many bytes of its largest size: pydantic keeps a thousand bytes for each value
that is wrong; those of raidtui have one for some forty bytes"""
# a plan has 14 KB a disk, an inventory and a journal up to 4 KB; a fleet of 1,000 hosts 100 KB a host
_ROOT = "run it as root, or check the content of the directory"
PLAN = InputKind(name="a plan", most=16 * MIB, way_out="name a plan written by raidtui plan --out")
INVENTORY = InputKind(name="an inventory", most=16 * MIB, way_out="make one with `raidtui disks --json > FILE`")
PROFILE = InputKind(name="a profile", most=1 * MIB, way_out="raidtui schema profile prints its format")
RESULT_FILE = InputKind(
    name="a result or report", most=64 * MIB,
    way_out="name a run, a benchmark, their folder, a result.json or a report.json",
)  # fmt: skip
RECORDING = InputKind(name="a recording", most=16 * GIB, way_out="name the gauges.jsonl of a benchmark")
"""read line by line"""
LAST_LOOKS = InputKind(
    name="the last look at all hosts", most=256 * MIB, way_out="make it readable, or remove it: it is made anew"
)
HOSTS = InputKind(name="a list of hosts", most=4 * MIB, way_out="write a host or node set on each line")
RECIPE = InputKind(name="a recipe", most=4 * MIB, way_out="raidtui fleet recipe LAYOUT --out FILE writes one")
SHEET = InputKind(name="a sheet", most=256 * MIB, way_out="raidtui fleet plan RECIPE --out DIR writes DIR/sheet.json")
FLEET_INVENTORY = InputKind(
    name="a fleet's inventory", most=256 * MIB, way_out="make one with `raidtui fleet disks --json > FILE`"
)
SPEEDS = InputKind(name="the file of measured speeds", most=16 * MIB, way_out="make it readable, or remove it")
SAVED_DESIGN = InputKind(
    name="a saved design", most=4 * MIB, way_out="remove it, and save the design again with S on the Design screen"
)
RUN_PLAN = InputKind(name="the plan of a run", most=PLAN.most, way_out=_ROOT)
JOURNAL = InputKind(name="a journal", most=64 * MIB, way_out=_ROOT)
MACHINE_FILE = InputKind(name="a simulated machine", most=128 * MIB, way_out=_ROOT)
RUN_FILE = InputKind(name="a file of a run", most=64 * MIB, way_out=_ROOT)
ALERT_PROGRAMS = InputKind(name="a list of alert programs", most=64 * KIB, way_out="make it readable, or remove it")
BASELINE = InputKind(name="an audit", most=16 * MIB, way_out="write it with raidtui audit --json")
REQUEST = InputKind(name="a request to an executor", most=64 * KIB, way_out=_ROOT)


def is_named(name: str) -> bool:
    """True if `name` exists and is not a directory; False also if this cannot be determined."""
    return os.path.exists(name) and not os.path.isdir(name)  # noqa: PTH110, PTH112 - Path's raise for a long name


def is_directory(name: str | Path) -> bool:
    """True if `name` is a directory; False also if this cannot be determined."""
    return os.path.isdir(name)  # noqa: PTH112


def open_named(path: Path, kind: InputKind) -> int:
    """A descriptor of the regular file at `path`; symbolic links are followed. Raises BadInput."""
    try:
        _require_regular(os.stat(path).st_mode, path, kind)  # noqa: PTH116 - before open: opening a device can act
        handle = os.open(path, _FLAGS)
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise BadInput(f"{path} cannot be read: {reason}", hint=kind.way_out) from problem
    try:
        found = os.fstat(handle)
        _require_regular(found.st_mode, path, kind)
        _require_size(found.st_size, path, kind)
    except BadInput:
        os.close(handle)
        raise
    return handle


def read_named(path: Path, kind: InputKind) -> bytes:
    """Content of a file named by the user; symbolic links are followed.

    Raises BadInput with the path, the problem and a hint.
    """
    handle = open_named(path, kind)
    try:
        return _content(handle, path, kind)
    except OSError as problem:
        raise BadInput(f"{path}: {problem.strerror}", hint=kind.way_out) from problem
    finally:
        os.close(handle)


def open_own(path: Path, kind: InputKind, *, flags: int = os.O_RDONLY) -> int:
    """A descriptor of raidtui's own file: regular, no link, owned by root or this user, writable by its owner only.

    Opened relative to its directory, which is checked too. Raises MachineFailed if it cannot be opened, Refused if
    another user may have written it, BadInput for its type or size.
    """
    try:
        with closing(os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)) as folder:
            _require_own(os.fstat(folder), path.parent)
            _require_regular(os.stat(path.name, dir_fd=folder, follow_symlinks=False).st_mode, path, kind)
            handle = os.open(path.name, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except OSError as problem:
        raise MachineFailed(f"{path}: {problem.strerror}", hint=kind.way_out) from problem
    try:
        found = os.fstat(handle)
        _require_regular(found.st_mode, path, kind)
        _require_own(found, path)
        _require_size(found.st_size, path, kind)
    except (BadInput, Refused):
        os.close(handle)
        raise
    return handle


def read_own(path: Path, kind: InputKind) -> bytes:
    """Content of raidtui's own file. Raises like `open_own`."""
    with closing(open_own(path, kind)) as handle, failures(path, kind.way_out):
        return _content(handle, path, kind)


def _content(handle: int, path: Path, kind: InputKind) -> bytes:
    """The complete content. A file of /proc has size 0, so the bytes read are limited too."""
    parts: list[bytes] = []
    size = values = 0
    while part := os.read(handle, _PART):
        parts.append(part)
        size += len(part)
        values += part.count(b",")
        _require_size(size, path, kind)
        if values > kind.most // BYTES_A_VALUE:
            raise BadInput(
                f"{path} has too many values: {kind.name} has at most {kind.most // BYTES_A_VALUE}", hint=kind.way_out
            )
    return b"".join(parts)


def _require_regular(mode: int, path: Path, kind: InputKind) -> None:
    if not stat.S_ISREG(mode):
        found = _TYPES.get(stat.S_IFMT(mode), "of an unknown type")
        raise BadInput(f"{path} is {found}; {kind.name} must be a regular file", hint=kind.way_out)


def _require_size(size: int, path: Path, kind: InputKind) -> None:
    if size > kind.most:
        raise BadInput(f"{path} is too large: {kind.name} has at most {exact_binary(kind.most)}", hint=kind.way_out)


def _require_own(found: os.stat_result, path: Path) -> None:
    if found.st_uid not in trusted_owners():
        raise Refused(f"{path} belongs to user {found.st_uid}, who may have changed it", hint=f"chown root {path}")
    if found.st_mode & 0o022:
        raise Refused(
            f"{path} is writable by others than its owner (mode {stat.S_IMODE(found.st_mode):04o})",
            hint=f"check its content, then chmod go-w {path}",
        )


# raidtui's own documents: a value as JSON in a file, written durably, read only if no other may have changed it.


_T = TypeVar("_T")


def save_document(
    path: Path, value: object, *, way_out: str = "make room, or make it writable", indent: int | None = 2
) -> str:
    """Writes `value` to `path`, atomically, in place of an earlier document. Returns the text. Raises MachineFailed."""
    text = to_json(value, indent=indent) + "\n"
    with failures(path, way_out):
        write_durably(path, text, mode=0o600)
    return text


def read_document(of: type[_T], path: Path, kind: InputKind) -> _T:
    """The value in the file `path`. Raises as `read_own`, and BadInput if it is no such document."""
    return from_json(of, read_own(path, kind), source=str(path))


def kept_document(of: type[_T], path: Path, kind: InputKind) -> _T | None:
    """The same; None if there is no such file."""
    return read_document(of, path, kind) if path.exists() else None
