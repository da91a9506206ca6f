"""This machine, read only; implements the port `Host`."""

from __future__ import annotations

import errno
import fcntl
import mmap
import os
import stat
import sys
import threading
import time
from collections.abc import Iterable
from datetime import UTC, datetime

from raidtui.machine.system import device_users, programs
from raidtui.machine.system.places import REAL_ROOT, user_state
from raidtui.machine.system.ports import Denied, Look, Openers, Ran
from raidtui.machine.system.programs import closing
from raidtui.programs import signatures
from raidtui.programs.signatures import LENGTH, SPAN, sample_offsets
from raidtui.values.errors import MachineFailed

# Reads both ends of a block device and places between them past the page cache.


_ZERO = bytearray(SPAN)
_ZERO_PLACE = bytes(LENGTH)


class Ends(threading.local):
    """Reader with one buffer per thread: new pages per device would cost more than the reads."""

    def __init__(self) -> None:
        self._pages: mmap.mmap | None = None

    def read(self, path: str, flags: int, size: int) -> tuple[bytes, bytes] | None:
        """The first and the last MiB of the device of `size` bytes at `path`; None if every byte is zero.

        Raises OSError if they cannot be read completely.
        """
        with closing(_open_direct(path, flags)) as fd:
            span = min(SPAN, size)
            head = self._read(fd, 0, span)
            tail = self._read(fd, size - span, span)
        return None if head is None and tail is None else (head or bytes(span), tail or bytes(span))

    def not_zero(self, path: str, flags: int, offsets: Iterable[int]) -> tuple[int, ...]:
        """Those of `offsets` at which `LENGTH` bytes of the device at `path` are not all zero.

        Raises OSError when one of them cannot be read whole.
        """
        with closing(_open_direct(path, flags)) as fd:
            return tuple(at for at in offsets if self._filled(fd, at, LENGTH)[:LENGTH] != _ZERO_PLACE)

    def first_nonzero(self, path: str, flags: int, areas: Iterable[tuple[int, int]]) -> int | None:
        """Offset of the first byte in `areas` (offset, length) of the device at `path` that is not zero.

        None when all are. Raises OSError when one of them cannot be read whole.
        """
        with closing(_open_direct(path, flags)) as fd:
            for start, length in areas:
                for at in range(start, start + length, SPAN):
                    span = min(SPAN, start + length - at)
                    if (found := self._read(fd, at, span)) is not None:
                        return at + span - len(found.lstrip(b"\0"))
        return None

    def parts(self, path: str, flags: int, areas: Iterable[tuple[int, int]]) -> tuple[bytes, ...]:
        """The bytes of each of `areas` (offset, length), each at most one MiB. Raises OSError as `read` does."""
        with closing(_open_direct(path, flags)) as fd:
            return tuple(self._filled(fd, at, length)[:length] for at, length in areas)

    def _read(self, fd: int, offset: int, span: int) -> bytes | None:
        """`span` bytes at `offset`; None when all are zero."""
        pages = self._filled(fd, offset, span)
        if span == SPAN and _same(pages, _ZERO):
            return None
        found = pages[:span]
        return found if any(found) else None

    def _filled(self, fd: int, offset: int, span: int) -> mmap.mmap:
        """The buffer with `span` bytes from `offset` at its start."""
        if self._pages is None:
            self._pages = mmap.mmap(-1, SPAN)  # direct reads want whole pages
        with memoryview(self._pages)[:span] as room:
            if os.preadv(fd, [room], offset) != span:
                raise OSError(errno.EIO, "it stopped early")
        return self._pages


def fingerprint(*parts: bytes) -> str:
    """128 bits of BLAKE2b over all parts, in hex; empty if every byte is zero."""
    if not any(map(any, parts)):
        return ""
    from hashlib import blake2b  # blank disks, the usual ones, need none

    return blake2b(b"".join(parts), digest_size=16).hexdigest()


def _same(pages: object, zeros: object) -> bool:
    """A bytearray compares itself with any buffer by memcmp; a slice would copy, a memoryview goes byte by byte."""
    return zeros == pages


def _open_direct(path: str, flags: int) -> int:
    try:
        return os.open(path, flags | os.O_DIRECT)
    except OSError as problem:
        if problem.errno != errno.EINVAL:  # EINVAL: the driver does not support O_DIRECT
            raise
        return os.open(path, flags)


PROGRAMS = frozenset({"lsblk", "smartctl", "nvme", "udevadm", "dmsetup"})
"""the only programs that are started, with read-only arguments from their files under tools/"""
_RUN_SECONDS = 60
_LONGEST = 16 * 1024 * 1024
_ABSENT = {errno.ENOENT, errno.ENOTDIR, errno.ESRCH, errno.EINVAL, errno.ENXIO, errno.ENODEV, errno.EIO, errno.ENODATA}


class SystemHost:
    """This machine."""

    def __init__(self) -> None:
        self._ends = Ends()
        self._begun: dict[tuple[str, ...], programs.Process] = {}

    def begin(self, argv: tuple[str, ...]) -> None:
        """Starts a program in advance; a later `run` returns its output."""
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
        return b"".join(parts).decode("utf-8", "surrogateescape")

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
        """See Host. The exclusive descriptor is closed before anything is read."""
        flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        try:
            busy = _exclusive_refused(path, flags)
            fd = os.open(path, flags)
        except OSError as problem:
            return Look(error=(problem.strerror or "cannot be opened").lower())
        try:
            found = os.fstat(fd)
            if not stat.S_ISBLK(found.st_mode) or _number(found) != number or os.lseek(fd, 0, os.SEEK_END) != size:
                return Look(error="the path points to another device now", busy=busy)
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
        try:
            return programs.finish(process, _RUN_SECONDS)
        except programs.Overdue as late:
            raise MachineFailed(
                f"{argv[0]} timed out after one minute", hint="check for a disk that does not respond"
            ) from late

    def openers(self) -> Openers:
        """See Host."""
        return device_users.read()

    def euid(self) -> int:
        """See Host."""
        return os.geteuid()

    def own_paths(self) -> tuple[str, ...]:
        """See Host."""
        paths = (os.getcwd(), sys.executable, __file__, REAL_ROOT, user_state())  # noqa: PTH109
        return tuple(os.path.realpath(path) for path in paths)


def _start(argv: tuple[str, ...]) -> programs.Process | None:
    """The running program; None if it is not installed."""
    name, *arguments = argv
    if name not in PROGRAMS:
        raise MachineFailed(f"'{name}' is not one of the programs that raidtui starts")
    program = programs.find(name, programs.ANYWHERE)
    if program is None:
        return None
    try:
        return programs.start([program, *arguments])
    except OSError as problem:
        raise MachineFailed(f"{program} cannot be started: {problem.strerror}") from problem


def _open(path: str, flags: int) -> int | None:
    try:
        return os.open(path, flags | os.O_CLOEXEC)
    except OSError as problem:
        _absent(problem)
        return None


def _absent(problem: OSError) -> None:
    """Returns for a missing or unreadable value; raises Denied without permission, MachineFailed for other errors."""
    if isinstance(problem, PermissionError):
        raise Denied(str(problem)) from problem
    if problem.errno not in _ABSENT:
        raise MachineFailed(f"reading {problem.filename} failed: {problem.strerror}") from problem


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
    """True if a shared lock is refused; a granted one is released with `fd`."""
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


# This machine's clock; implements the port `Clock`.


def utc_now() -> str:
    """The time as 2026-01-31T12:00:00Z."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class RealClock:
    """This machine's time, monotonic: setting the clock has no effect."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    def now(self) -> float:
        """See Clock."""
        return self._offset + time.monotonic()

    def wait(self, seconds: float) -> None:
        """See Clock."""
        time.sleep(seconds)
