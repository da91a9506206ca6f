"""The door to a machine: every way raidtui looks at one. Nothing behind this door can write.

`Host` is what the probe asks; `SystemHost` answers from the machine it runs on. Captured
answers, for tests and bug reports, are in `recorded`.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import subprocess
import sys
from dataclasses import dataclass
from typing import Protocol

from raidtui.machine.device_users import open_files
from raidtui.machine.device_users.open_files import Openers
from raidtui.machine.ends import Ends, fingerprint
from raidtui.model.errors import MachineFailed
from raidtui.tools import signatures
from raidtui.tools.samples import sample_offsets
from raidtui.tools.signatures import Signature

SEARCH = ("/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/sbin", "/usr/local/bin")
"""where programs are looked for; never the caller's PATH"""
PROGRAMS = frozenset({"lsblk", "smartctl", "nvme", "udevadm"})
"""the only programs that are started, each with arguments from its file under tools/ that only look or wait"""
_ENVIRONMENT = {"LC_ALL": "C", "PATH": ":".join(SEARCH)}
_LONGEST = 16 * 1024 * 1024
_ABSENT = {errno.ENOENT, errno.ENOTDIR, errno.ESRCH, errno.EINVAL, errno.ENXIO, errno.ENODEV, errno.EIO, errno.ENODATA}


class Denied(Exception):
    """The answer is there, but not for this user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """How a program ended."""

    exit: int
    stdout: str
    stderr: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What opening a block device read-only told."""

    error: str = ""
    """why its ends could not be read; empty when they were"""
    busy: bool = False
    """an exclusive open was refused: mounted, held, swapped on, or opened exclusively by somebody"""
    locked: bool = False
    """a shared flock was refused: somebody holds a BSD lock on it"""
    zero: bool | None = None
    """every byte of the first and last MiB is zero; None when not read"""
    signatures: tuple[Signature, ...] = ()
    """what was recognised there"""
    fingerprint: str = ""
    """hash of both; empty when they are zero or were not read"""
    places: int = 0
    """places between the ends that were read; only where both ends are zero"""
    not_zero: tuple[int, ...] = ()
    """offsets in bytes of the places that are not zero"""


class Host(Protocol):
    """Read-only questions to one machine. None or an empty answer means: not there. Denied: not for this user."""

    def text(self, path: str) -> str | None:
        """Content of a small text file; bytes that are not UTF-8 become U+FFFD."""

    def names(self, path: str) -> tuple[str, ...]:
        """Names in a directory, sorted."""

    def link(self, path: str) -> str | None:
        """Target of a symbolic link, as it is written."""

    def number(self, path: str) -> str | None:
        """major:minor of the block device that `path` leads to, through links."""

    def look(self, path: str, number: str, size: int) -> Look:
        """Open the block device at `path` read-only; it must be device `number` and `size` bytes long."""

    def run(self, argv: tuple[str, ...]) -> Ran | None:
        """Run a program that only looks; None when it is not installed. MachineFailed when it does not end."""

    def openers(self) -> Openers:
        """Every process that has a block device open, except this one and its children."""

    def euid(self) -> int:
        """Effective user id."""

    def own_paths(self) -> tuple[str, ...]:
        """Directories this very program needs: where it runs, where it is installed, where it keeps its state."""


class SystemHost:
    """This machine."""

    def __init__(self) -> None:
        self._ends = Ends()
        self._begun: dict[tuple[str, ...], subprocess.Popen[bytes]] = {}

    def begin(self, argv: tuple[str, ...]) -> None:
        """Starts a program whose answer `run` will be asked for soon, so that both may work meanwhile."""
        process = _start(argv)
        if process is not None:
            self._begun[argv] = process

    def text(self, path: str) -> str | None:
        """See Host."""
        fd = _open(path, os.O_RDONLY)
        if fd is None:
            return None
        try:
            parts: list[bytes] = []
            while len(parts) * 65536 < _LONGEST and (part := os.read(fd, 65536)):
                parts.append(part)
        except OSError as problem:
            _absent(problem)
            return None
        finally:
            os.close(fd)
        return b"".join(parts).decode("utf-8", "replace")

    def names(self, path: str) -> tuple[str, ...]:
        """See Host."""
        try:
            with os.scandir(path) as entries:
                return tuple(sorted(entry.name for entry in entries))
        except OSError as problem:
            _absent(problem)
            return ()

    def link(self, path: str) -> str | None:
        """See Host."""
        try:
            return os.readlink(path)  # noqa: PTH115 - asked hundreds of times
        except OSError as problem:
            _absent(problem)
            return None

    def number(self, path: str) -> str | None:
        """See Host."""
        try:
            found = os.stat(path)  # noqa: PTH116
        except (OSError, ValueError):
            return None
        return _number(found) if stat.S_ISBLK(found.st_mode) else None

    def look(self, path: str, number: str, size: int) -> Look:
        """See Host. The exclusive open is given back at once, before anything is read."""
        flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        try:
            busy = _exclusive_refused(path, flags)
            fd = os.open(path, flags)
        except OSError as problem:
            return Look(error=(problem.strerror or "cannot be opened").lower())
        try:
            found = os.fstat(fd)
            if not stat.S_ISBLK(found.st_mode) or _number(found) != number or os.lseek(fd, 0, os.SEEK_END) != size:
                return Look(error="another device took its place", busy=busy)
            locked = _flock_refused(fd)
            both = self._ends.read(path, flags, size)
            if both is None:
                offsets = sample_offsets(size)
                places = self._ends.not_zero(path, flags, offsets)
                return Look(busy=busy, locked=locked, zero=True, places=len(offsets), not_zero=places)
        except OSError as problem:
            return Look(error=f"reading it failed ({problem.strerror})", busy=busy)
        finally:
            os.close(fd)
        found_there = signatures.find(*both, size)
        return Look(busy=busy, locked=locked, zero=False, signatures=found_there, fingerprint=fingerprint(*both))

    def run(self, argv: tuple[str, ...]) -> Ran | None:
        """See Host."""
        process = self._begun.pop(argv, None) or _start(argv)
        if process is None:
            return None
        with process:
            try:
                stdout, stderr = process.communicate(timeout=60)
            except subprocess.TimeoutExpired as late:
                process.kill()
                raise MachineFailed(
                    f"{argv[0]} did not end within a minute", hint="look for a disk that hangs"
                ) from late
        return Ran(
            exit=process.returncode, stdout=stdout.decode("utf-8", "replace"), stderr=stderr.decode("utf-8", "replace")
        )

    def openers(self) -> Openers:
        """See Host."""
        return open_files.read()

    def euid(self) -> int:
        """See Host."""
        return os.geteuid()

    def own_paths(self) -> tuple[str, ...]:
        """See Host."""
        state = os.environ.get("XDG_STATE_HOME") or f"{os.environ.get('HOME', '')}/.local/state"
        paths = (os.getcwd(), sys.executable, __file__, "/var/lib/raidtui", f"{state}/raidtui")  # noqa: PTH109
        return tuple(os.path.realpath(path) for path in paths)


def installed(name: str) -> str | None:
    """Where a program is; None when it is not installed."""
    return next((f"{place}/{name}" for place in SEARCH if os.access(f"{place}/{name}", os.X_OK)), None)


def _start(argv: tuple[str, ...]) -> subprocess.Popen[bytes] | None:
    """The running program; None when it is not installed."""
    name, *arguments = argv
    if name not in PROGRAMS:
        raise MachineFailed(f"'{name}' is none of the programs that raidtui starts")
    program = installed(name)
    if program is None:
        return None
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(
            [program, *arguments], stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, env=_ENVIRONMENT, cwd="/"
        )
    except OSError as problem:
        raise MachineFailed(f"{program} cannot be started: {problem.strerror}") from problem


def _open(path: str, flags: int) -> int | None:
    try:
        return os.open(path, flags | os.O_CLOEXEC)
    except OSError as problem:
        _absent(problem)
        return None


def _absent(problem: OSError) -> None:
    """Returns when what was asked for is not there or says nothing; raises Denied when it is not for this user."""
    if isinstance(problem, PermissionError):
        raise Denied(str(problem)) from problem
    if problem.errno not in _ABSENT:
        raise MachineFailed(f"looking at {problem.filename} failed: {problem.strerror}") from problem


def _number(found: os.stat_result) -> str:
    return f"{os.major(found.st_rdev)}:{os.minor(found.st_rdev)}"


def _exclusive_refused(path: str, flags: int) -> bool:
    try:
        os.close(os.open(path, flags | os.O_EXCL))
    except OSError as problem:
        if problem.errno == errno.EBUSY:
            return True
        raise
    return False


def _flock_refused(fd: int) -> bool:
    """True when a shared lock is not to be had; one that was had is gone when `fd` is closed."""
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False
