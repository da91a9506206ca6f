"""Directories that only root or this user can change: opened component by component, created, and checked before
raidtui reads or writes in them.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import pwd
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from raidtui.machine.system.ports import Mounted
from raidtui.machine.system.programs import closing
from raidtui.programs import mount as mountinfo
from raidtui.values.errors import BadInput, Locked, MachineFailed, RaidtuiError, Refused
from raidtui.values.paths import (
    LOCK_FILE,
    STATE_FOLDER,
    PathFault,
    PathKind,
    PathPart,
    directory_fault,
    file_fault,
    mode_fault,
    owner_fault,
)

# Opens a path one component after another from the root directory on, never through a symbolic link.
# What was opened stays what it is whatever happens to its name.


_COMPONENT = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
_KINDS: dict[int, PathKind] = {
    stat.S_IFDIR: "directory", stat.S_IFREG: "file", stat.S_IFLNK: "link", stat.S_IFIFO: "pipe",
    stat.S_IFSOCK: "socket", stat.S_IFCHR: "character device", stat.S_IFBLK: "block device",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedPart:
    """One component of a path."""

    part: PathPart
    handle: int
    """descriptor of the component itself (O_PATH), also of a link"""
    device: int
    """of its file system"""


@contextlib.contextmanager
def opened(path: str | PurePosixPath) -> Iterator[tuple[OpenedPart, ...]]:
    """Yields the components of the absolute `path` from / on, up to the first that is no directory, or before the first
    that does not exist. Raises OSError."""
    names = PurePosixPath(path).parts
    found: list[OpenedPart] = []
    with contextlib.ExitStack() as held:
        for name in names:
            above = found[-1] if found else None
            if above is not None and above.part.kind != "directory":
                break
            try:
                found.append(open_part(name, above))
            except FileNotFoundError:
                break
            held.callback(os.close, found[-1].handle)
        yield tuple(found)


def open_part(name: str, above: OpenedPart | None) -> OpenedPart:
    """The component `name` of the directory `above`, opened by itself; the caller closes it. Raises OSError."""
    handle = os.open(name, _COMPONENT, dir_fd=above.handle if above else None)
    status = os.fstat(handle)
    target = os.readlink("", dir_fd=handle) if stat.S_ISLNK(status.st_mode) else ""
    part = as_part(status, f"{above.part.path.rstrip('/')}/{name}" if above else name, target)
    return OpenedPart(part=part, handle=handle, device=status.st_dev)


def as_part(status: os.stat_result, path: str, target: str) -> PathPart:
    """A component with this status; `target`: of a link."""
    kind = _KINDS[stat.S_IFMT(status.st_mode)]
    return PathPart(path=path, kind=kind, owner=status.st_uid, mode=stat.S_IMODE(status.st_mode), target=target)


def parts_of(path: str) -> tuple[PathPart, ...]:
    """See MachineReader. Raises OSError."""
    with opened(path) as found:
        return tuple(each.part for each in found)


def mount_at(path: str) -> Mounted | None:
    """See MachineReader. Raises OSError."""
    with opened(path) as found:
        last = found[-1]
        if last.part.kind == "link":
            return Mounted(link=last.part.path)
        own = _mount_id(last.handle)
        if last.part.path != str(PurePosixPath(path)) or (len(found) > 1 and _mount_id(found[-2].handle) == own):
            return None
        mounts = mountinfo.parse(Path("/proc/self/mountinfo").read_text("utf-8", "surrogateescape"))
        root = next((mount.root for mount in mounts if mount.id == own), "")  # empty after a lazy unmount
        return Mounted(number=f"{os.major(last.device)}:{os.minor(last.device)}", mount_id=own, root=root)


def _mount_id(handle: int) -> int:
    """Id of the mount that an opened component is on (proc(5), fdinfo)."""
    lines = Path(f"/proc/self/fdinfo/{handle}").read_text("ascii").splitlines()
    return next(int(line.partition(":")[2]) for line in lines if line.startswith("mnt_id:"))


# Converts what a file raises to an error with a hint.


AS_ROOT = "run it as root"
"""the way out where this user has no rights"""
_IN_THE_WAY = (IsADirectoryError, NotADirectoryError, FileExistsError)
"""what neither room nor rights on the file system mend"""


@contextlib.contextmanager
def failures(path: Path | str, way_out: str) -> Iterator[None]:
    """Raises MachineFailed, which names the path, for an OSError in its body."""
    try:
        yield
    except OSError as problem:
        hint = "move it away, then try again" if isinstance(problem, _IN_THE_WAY) else way_out
        raise MachineFailed(f"{path}: {problem.strerror or problem}", hint=hint) from problem


@contextlib.contextmanager
def whatever_is_wrong(path: Path) -> Iterator[None]:
    """Raises BadInput for every error in its body that is none of raidtui's: of many in a list, one hides no other."""
    try:
        yield
    except RaidtuiError:
        raise
    except Exception as problem:
        raise BadInput(
            f"{path} cannot be read: {type(problem).__name__}: {problem}",
            hint="compare its files with a copy; nothing else is affected",
        ) from problem


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


def started_by() -> str:
    """The user who started this process: `root`, or `alice as root` after a login, su or sudo of alice."""
    acting = _user(os.geteuid())
    login = _UNSET
    with contextlib.suppress(OSError, ValueError):
        login = int(Path("/proc/self/loginuid").read_text())
    asked = os.environ.get("SUDO_USER", "") if login == _UNSET else _user(login)
    return f"{asked} as {acting}" if asked and asked != acting else acting


_UNSET = 2**32 - 1
"""login uid of a process that no login started"""


def _user(uid: int) -> str:
    """Name of a user, or the number of one without a name."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid {uid}"


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


# Paths of raidtui's state: runs, benchmarks, measured speeds, and the run lock.


REAL_ROOT = Path(STATE_FOLDER)
"""directory of all runs on this machine's disks"""
REAL_LOCK = Path(LOCK_FILE)


def user_state() -> Path:
    """State directory of this user (XDG Base Directory Specification, XDG_STATE_HOME)."""
    home = os.environ.get("XDG_STATE_HOME") or f"{os.environ.get('HOME', '')}/.local/state"
    return Path(home) / "raidtui"


def measured_state() -> Path:
    """Directory of measurements: root's for the whole machine, otherwise the user's own."""
    return REAL_ROOT if os.geteuid() == 0 else user_state()


def speeds_path() -> Path:
    """File of the measured speeds of disks."""
    return measured_state() / "speeds.json"


def benches_root(*, simulated: bool = False) -> Path:
    """Directory of all benchmarks; the simulated ones are apart from the measured ones."""
    return (simulated_root() if simulated else measured_state()) / "benches"


def designs_root() -> Path:
    """Directory of this user's saved designs."""
    return user_state() / "designs"


def simulated_root() -> Path:
    """Directory of all simulated runs of this user."""
    return user_state() / "simulated"


def run_roots() -> tuple[Path, Path]:
    """Directories of all runs: real, simulated."""
    return REAL_ROOT, simulated_root()


def all_benches_roots() -> tuple[Path, ...]:
    """Directories of all benchmarks for this user: measured, root's, simulated."""
    return tuple(dict.fromkeys((benches_root(), REAL_ROOT / "benches", benches_root(simulated=True))))


# Run lock: one run at a time on a machine; the exported scripts use the same lock.


def take_lock(path: Path) -> int:
    """Descriptor of the run lock. Raises Locked if another process holds it, MachineFailed if it cannot be opened."""
    with failures(path, AS_ROOT):
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    _require_regular(handle, path)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as problem:
        os.close(handle)
        raise Locked(
            "another run holds the lock", hint="raidtui status shows it; raidtui build --attach follows it"
        ) from problem
    return handle


def lock_is_free(path: Path) -> bool:
    """True if no run holds the lock. Takes a shared lock for a moment, which several viewers can hold."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    except OSError as problem:
        raise MachineFailed(f"{path}: {problem.strerror}", hint="run it as root") from problem
    _require_regular(handle, path)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True


def _require_regular(handle: int, path: Path) -> None:
    """Closes the lock and raises MachineFailed if it is not a regular file: scripts would hang on a FIFO."""
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise MachineFailed(f"{path} is not a regular file", hint=f"check its owner (ls -l {path}), then remove it")
