"""Reads complete regular files, up to a size per kind; never a device, a pipe or a directory."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from raidtui.machine.system.closing import closing
from raidtui.machine.system.file_errors import failures
from raidtui.machine.system.private_places import trusted_owners
from raidtui.model.errors import BadInput, MachineFailed, Refused
from raidtui.model.units import GIB, KIB, MIB, exact_binary

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
