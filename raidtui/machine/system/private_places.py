"""Private directories (writable by their owner only): creation, and checks before raidtui reads or writes in them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from raidtui.machine.system.durable_files import sync_folder
from raidtui.machine.system.file_errors import AS_ROOT, failures
from raidtui.model.errors import MachineFailed, Refused

SPARED: tuple[Path, ...] = ()
"""directories that `require_trusted` skips; set by tests only, which work below a temporary directory"""
_MOST_LINKS = 40
"""limit of symbolic links in one path, like the kernel's (path_resolution(7))"""
_WRITABLE_BY_OTHERS = 0o022
_NAME_ANOTHER = "name a directory that can be written"


def trusted_owners() -> frozenset[int]:
    """User ids whose files are trusted: root and this user."""
    return frozenset((0, os.geteuid()))


def private_directory(path: Path) -> None:
    """Creates `path` and missing directories above it with mode 0700; an existing one must be private.

    Raises Refused if `path` belongs to another user or others may write into it, MachineFailed if it cannot be
    created.
    """
    with failures(path, _NAME_ANOTHER):
        _make(path)
        link, found = os.lstat(path), os.stat(path)  # noqa: PTH116
    if not stat.S_ISDIR(found.st_mode):
        raise Refused(f"{path} is not a directory", hint=_NAME_ANOTHER)
    _require(link.st_uid, found.st_mode, path)
    _require(found.st_uid, found.st_mode, path)


def require_private(path: Path) -> None:
    """Raises Refused unless `path` is a directory (no link) of root or this user without permissions for others.

    Raises MachineFailed if it cannot be checked.
    """
    with failures(path, AS_ROOT):
        found = os.lstat(path)
    if not stat.S_ISDIR(found.st_mode):
        raise Refused(f"{path} is not a private directory", hint="move it away")
    _require(found.st_uid, found.st_mode, path)
    if found.st_mode & 0o077:
        mode = stat.S_IMODE(found.st_mode)
        raise Refused(f"{path} is open to others than its owner (mode {mode:04o})", hint=f"chmod 700 {path}")


def require_trusted(path: Path, *, file: bool = False) -> None:
    """Raises Refused unless only root or this user can change `path` and every directory above it.

    `path` is a directory, or a `file`. Each directory in the path, also of a symbolic link's target, must belong to
    root or this user and not be writable by its group or others; above `path` one of root with a sticky bit, such as
    /tmp, will do, since nobody renames there what is not his (inode(7)), links included. Raises MachineFailed if one
    cannot be checked.
    """
    left = list(path.absolute().parts[1:])
    here = Path("/")
    links = 0
    try:
        _require_directory(here, above=True)
        while left:
            name = left.pop(0)
            if name == "..":
                here = here.parent
                continue
            entry = here / name
            if stat.S_ISLNK((link := os.lstat(entry)).st_mode):
                _require_owner(link.st_uid, entry)
                links += 1
                if links > _MOST_LINKS:
                    raise Refused(f"{path} contains too many symbolic links", hint="remove the links")
                target = Path(os.readlink(entry))  # noqa: PTH115
                left = [*target.parts[target.is_absolute() :], *left]
                here = Path("/") if target.is_absolute() else here
                continue
            if file and not left:
                found = os.lstat(entry)
                _require(found.st_uid, found.st_mode, entry)
                return
            _require_directory(entry, above=bool(left))
            here = entry
    except OSError as problem:
        raise MachineFailed(f"{problem.filename or path}: {problem.strerror}", hint=AS_ROOT) from problem


def _require_directory(path: Path, *, above: bool) -> None:
    if path in SPARED:
        return
    found = os.lstat(path)
    if not stat.S_ISDIR(found.st_mode):
        raise Refused(f"{path} is not a directory", hint="move it away")
    if not (above and found.st_uid == 0 and found.st_mode & stat.S_ISVTX):
        _require(found.st_uid, found.st_mode, path)


def _require(owner: int, mode: int, path: Path) -> None:
    _require_owner(owner, path)
    if mode & _WRITABLE_BY_OTHERS:
        way_out = "" if mode & stat.S_ISVTX else f"check its content, then chmod go-w {path}; or "
        raise Refused(
            f"{path} is writable by others than its owner (mode {stat.S_IMODE(mode):04o})",
            hint=f"{way_out}use another directory",
        )


def _require_owner(owner: int, path: Path) -> None:
    if owner not in trusted_owners():
        raise Refused(
            f"{path} belongs to user {owner}, who could change what is in it",
            hint=f"check its content, then chown root {path}; or use another directory",
        )


def _make(path: Path) -> None:
    """Creates `path` and missing directories above it, each with mode 0700, and syncs their names. Raises OSError."""
    missing = [path]
    while not missing[-1].parent.exists():
        missing.append(missing[-1].parent)
    for each in reversed(missing):
        try:
            each.mkdir(mode=0o700)
        except FileExistsError:
            continue
        each.chmod(0o700)
        sync_folder(each.parent)  # below it stands the journal, which a power cut must not take
