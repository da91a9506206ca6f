"""Directories that only root or this user can change: opened component by component, created, and checked before
raidtui reads or writes in them."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from raidtui.machine.system.closing import closing
from raidtui.machine.system.file_errors import AS_ROOT, failures
from raidtui.machine.system.opened_paths import OpenedPart, open_part, opened
from raidtui.model.errors import MachineFailed, Refused
from raidtui.model.path_parts import PathFault, PathPart, directory_fault, file_fault, mode_fault, owner_fault

SPARED: tuple[Path, ...] = ()
"""directories whose owner and mode do not count; set by tests only, which work below a temporary directory"""
_MOST_LINKS = 40
"""limit of symbolic links in one path, like the kernel's (path_resolution(7))"""
_MOST_INTERPRETERS = 5
"""scripts that interpret scripts, like the kernel's (execve(2))"""
_SHEBANG_BYTES = 256
"""that the kernel reads of the first line (execve(2))"""
SERVICE_PATH = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin")
"""where the programs of a service are looked for (systemd.exec(5))"""
_NAME_ANOTHER = "name a directory that can be written"


def trusted_owners() -> frozenset[int]:
    """User ids whose files are trusted: root and this user."""
    return frozenset((0, os.geteuid()))


@contextlib.contextmanager
def trusted_folder(path: Path, *, follow: bool = True, make: bool = False) -> Iterator[int]:
    """Yields a descriptor of the directory `path`, which only root or this user can change; for root, also all above.

    A symbolic link of one of them is followed where `follow` allows it: to a target whose every component is checked in
    the same way. `make`: creates it, and what is missing above it, with mode 0700. Raises Refused, OSError.
    """
    with _reached(path, whole=is_root() or not follow, follow=follow, make=make) as last:
        _require_directory(last.part, sticky=False)
        with closing(_readable(last)) as handle:
            yield handle


def is_root() -> bool:
    """True if what is written here could serve others against root."""
    return os.geteuid() == 0


def private_directory(path: Path) -> None:
    """Creates `path` and missing directories above it with mode 0700; an existing one must be private.

    Raises Refused if `path`, or for root a directory above it, belongs to another user or others may write into it;
    MachineFailed if it cannot be created.
    """
    with failures(path, _NAME_ANOTHER), trusted_folder(path, make=True):
        return


def require_private(path: Path) -> None:
    """Raises Refused unless `path` is a directory (no link) of root or this user without permissions for others.

    Raises MachineFailed if it cannot be checked.
    """
    with failures(path, AS_ROOT):
        found = os.lstat(path)
    if not stat.S_ISDIR(found.st_mode):
        raise Refused(f"{path} is not a private directory", hint="move it away")
    part = PathPart(path=str(path), kind="directory", owner=found.st_uid, mode=stat.S_IMODE(found.st_mode))
    _refuse(owner_fault(part, trusted_owners()) or mode_fault(part))
    if part.mode & 0o077:
        raise Refused(f"{path} is open to others than its owner (mode {part.mode:04o})", hint=f"chmod 700 {path}")


def require_trusted(path: Path, *, file: bool = False) -> None:
    """Raises Refused unless only root or this user can change `path` and every directory above it.

    `path` is a directory, or a `file`. Each directory in the path, also of a symbolic link's target, must belong to
    root or this user and not be writable by its group or others; above `path` one of root with a sticky bit, such as
    /tmp, will do, since nobody renames there what is not his (inode(7)), links included. Raises MachineFailed if one
    cannot be checked.
    """
    try:
        with _reached(path, whole=True, follow=True, make=False) as last:
            if file:
                require_file(last.part)
            else:
                _require_directory(last.part, sticky=False)
    except OSError as problem:
        raise MachineFailed(f"{problem.filename or path}: {problem.strerror}", hint=AS_ROOT) from problem


def require_program(path: Path) -> None:
    """Raises Refused unless only root or this user can change the program at `path`, and what its #! line starts.

    Of /usr/bin/env that is the program it finds for a service, and every directory where it looks first. Raises
    MachineFailed if one cannot be checked.
    """
    wanted = path
    for _ in range(_MOST_INTERPRETERS):
        require_trusted(wanted, file=True)
        with failures(wanted, AS_ROOT), wanted.open("rb") as file:
            head = file.read(_SHEBANG_BYTES)
        if not head.startswith(b"#!"):
            return
        words = head[2:].partition(b"\n")[0].decode("utf-8", "surrogateescape").split()
        if not words or not words[0].startswith("/"):
            raise Refused(f"{wanted}: its first line names no interpreter with a path", hint="write #!/bin/sh there")
        wanted = Path(words[0])
        if wanted.name == "env":
            require_trusted(wanted, file=True)
            wanted = _found_by_env(path, words[1:])
    raise Refused(f"{path} is a script of a script of a script", hint="name the program itself")


def _found_by_env(script: Path, words: Sequence[str]) -> Path:
    """The program that env(1) starts in a service; nobody else can put another in its place."""
    names = [word for word in words if word != "-S"]
    if not names or names[0].startswith("-") or "=" in names[0] or "/" in names[0]:
        raise Refused(f"cannot tell what env starts for {script}", hint="name the interpreter with its path")
    for folder in map(Path, SERVICE_PATH):
        if folder.exists():
            require_trusted(folder)
        if (folder / names[0]).exists():
            return folder / names[0]
    raise Refused(f"{script}: no {names[0]} in {':'.join(SERVICE_PATH)}", hint="name the interpreter with its path")


def require_file(part: PathPart) -> None:
    """Raises Refused unless `part`, in a directory of `trusted_folder`, is a regular file that only root or this user
    can change."""
    _refuse(file_fault(part, trusted_owners()))


@contextlib.contextmanager
def _reached(path: Path, *, whole: bool, follow: bool, make: bool) -> Iterator[OpenedPart]:
    """Yields what `path` leads to, opened; with `whole`, every directory and link on the way there was checked."""
    way = PurePosixPath(path.absolute())
    for _ in range(_MOST_LINKS + 1):
        with contextlib.ExitStack() as held:
            parts = held.enter_context(opened(way))
            last, left = parts[-1], way.parts[len(parts) :]
            above = parts if left and last.part.kind == "directory" else parts[:-1]
            for each in above if whole else ():
                _require_directory(each.part, sticky=True)
            if last.part.kind == "link" and follow:
                if whole or not left:
                    _refuse(owner_fault(last.part, trusted_owners()))
                way = PurePosixPath(last.part.path).parent.joinpath(last.part.target, *left)
                continue
            if left and last.part.kind == "directory" and make:
                for name in left:
                    last = _made(name, last)
                    held.callback(os.close, last.handle)
            elif left and last.part.kind != "link":
                code = errno.ENOENT if last.part.kind == "directory" else errno.ENOTDIR
                raise OSError(code, os.strerror(code), str(way))
            yield last
            return
    raise Refused(f"{path} contains too many symbolic links", hint="remove the links")


def _made(name: str, above: OpenedPart) -> OpenedPart:
    """A new directory with mode 0700 whose name is on the disk; one that another process made meanwhile must be
    private."""
    try:
        os.mkdir(name, 0o700, dir_fd=above.handle)
        new = True
    except FileExistsError:
        new = False
    made = open_part(name, above)
    try:
        _require_directory(made.part, sticky=False)
        if new:
            with closing(_readable(made)) as handle:
                os.fchmod(handle, 0o700)
            with closing(_readable(above)) as handle:
                os.fsync(handle)  # below it stands the journal, which a power cut must not take
    except BaseException:
        os.close(made.handle)
        raise
    return made


def _readable(directory: OpenedPart) -> int:
    """A descriptor of the same directory that can be listed and synced."""
    return os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=directory.handle)


def _require_directory(part: PathPart, *, sticky: bool) -> None:
    if Path(part.path) not in SPARED:
        _refuse(directory_fault(part, trusted_owners(), sticky=sticky))


def _refuse(fault: PathFault | None) -> None:
    """Raises Refused for a fault."""
    if fault is not None:
        raise Refused(fault.message, hint=fault.way_out)
