"""The benchmark's own directory on the measured file system: created, found again after a kill, and removed.

Its name contains the benchmark's id, which is in bench.json on disk before the directory is created. It is held open
and locked (flock) while in use, so that it does not count as a leftover, and emptied through that handle, so that only
what is in the created directory is removed, even after a lazy unmount of the file system. Its name is removed last, if
it still leads to that directory, and by rmdir(2), which removes nothing that has content.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import re
import shutil
import stat
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from raidtui.machine.system.closing import closing
from raidtui.machine.system.file_errors import failures
from raidtui.model.errors import MachineFailed
from raidtui.model.safe import safe
from raidtui.tools import mountinfo

PREFIX = ".raidtui-bench-"
_NAME = re.compile(re.escape(PREFIX) + r"[0-9a-f]{32}")
_TRIES = 5
_MARK = "made-by-raidtui"
"""file in it that marks it as a benchmark's directory"""
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Scratch:
    """The directory of one benchmark below `above`."""

    def __init__(self, above: Path, bench_id: str) -> None:
        self.above = Path(os.path.realpath(above))
        self.name = f"{PREFIX}{bench_id}"
        self._id = bench_id
        self._above = self._own = -1
        with failures(self.above, "name an existing directory"):
            found = os.stat(self.above)  # noqa: PTH116
        self._place = (found.st_dev, found.st_ino)
        self._way_out = f"if {self.path} is left, the next benchmark there removes it"

    @property
    def path(self) -> Path:
        """Its present or future path."""
        return self.above / self.name

    @property
    def there(self) -> bool:
        """True while it exists."""
        return self._own >= 0

    def make(self) -> str:
        """Creates it if missing. Returns a path through its handle, valid in this process whatever is mounted."""
        if self._own < 0:
            with failures(self.path, self._way_out):
                self._above = os.open(self.above, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
                self.check()
                for number in range(_TRIES):
                    try:
                        os.mkdir(self.name, 0o700, dir_fd=self._above)
                        self._own = self._marked()
                        break
                    except (FileNotFoundError, BlockingIOError, FileExistsError) as problem:
                        # another benchmark that begins here now may take it for a leftover
                        if number == _TRIES - 1 or (isinstance(problem, FileExistsError) and not number):
                            raise
                        time.sleep(0.05)
        return f"/proc/self/fd/{self._own}"

    def _marked(self) -> int:
        """Handle of the directory just made, locked and marked as ours."""
        own = os.open(self.name, _DIRECTORY, dir_fd=self._above)
        try:
            fcntl.flock(own, fcntl.LOCK_EX | fcntl.LOCK_NB)
            mark = os.open(_MARK, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=own)
            os.write(mark, self._id.encode())
            os.close(mark)
        except OSError:
            os.close(own)
            raise
        return own

    def check(self) -> None:
        """Raises MachineFailed if another file system is at its place."""
        try:
            found = os.stat(self.above)  # noqa: PTH116
        except OSError as problem:
            raise MachineFailed(f"{self.above} is gone: {problem.strerror}", hint="mount it, then resume") from problem
        if (found.st_dev, found.st_ino) != self._place:
            raise MachineFailed(f"{self.above} is no longer the file system it was", hint="mount it, then resume")

    def sync(self) -> None:
        """Syncs its file system (syncfs(2))."""
        if self._own >= 0 and ctypes.CDLL(None, use_errno=True).syncfs(self._own):
            number = ctypes.get_errno()
            raise MachineFailed(f"{self.path}: {os.strerror(number)}", hint="the file system may have failed")

    def empty(self) -> None:
        """Removes everything in it but the mark file."""
        if self._own >= 0:
            with failures(self.path, self._way_out):
                for name in os.listdir(self._own):  # noqa: PTH208 - by handle
                    if name != _MARK:
                        _remove(name, self._own)

    def remove(self) -> None:
        """Removes it. Raises MachineFailed if something is left."""
        if self._own < 0 and self._above < 0:
            return
        try:
            if self._own >= 0:
                with failures(self.path, self._way_out):
                    _remove_own(self._own, self.name, self._above, self.path)
        finally:
            self._close()

    def _close(self) -> None:
        for handle in (self._own, self._above):
            if handle >= 0:
                os.close(handle)
        self._own = self._above = -1


def sweep(places: Iterable[Path]) -> tuple[Path, ...]:
    """Removes the directories that killed benchmarks of this user left in `places`. Returns the removed ones.

    Only directories with our name, owner, mark file and device that are not locked; errors are ignored.
    """
    return tuple(path for place in dict.fromkeys(places) for path in _swept(place))


def _swept(place: Path) -> Iterator[Path]:
    try:
        names = sorted(name for name in os.listdir(place) if _NAME.fullmatch(name))  # noqa: PTH208
        above = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC) if names else -1
    except OSError:
        return
    try:
        for name in names:
            with contextlib.suppress(OSError, MachineFailed):
                with closing(os.open(name, _DIRECTORY, dir_fd=above)) as own:
                    leftover = _is_leftover(own, name, above)
                    if leftover:
                        _remove_own(own, name, above, place / name)
                if leftover:
                    yield place / name
    finally:
        if above >= 0:
            os.close(above)


def _is_leftover(own: int, name: str, above: int) -> bool:
    """True for the directory of a killed benchmark of this user, which this locks. BlockingIOError: it is in use."""
    found, outer = os.fstat(own), os.fstat(above)
    if found.st_uid != os.geteuid() or found.st_dev != outer.st_dev:
        return False
    fcntl.flock(own, fcntl.LOCK_EX | fcntl.LOCK_NB)
    inside = os.listdir(own)
    if not inside:  # killed between making it and marking it
        return True
    with closing(os.open(_MARK, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=own)) as mark:
        return os.read(mark, 64).decode("ascii", "replace") in (name.removeprefix(PREFIX), "")


def _remove_own(own: int, name: str, above: int, path: Path) -> None:
    """Empties the directory `own`, its mark last, then removes `name` in `above` if that is still this directory.

    Raises MachineFailed if something is mounted in it, or if `name` leads elsewhere by now.
    """
    _refuse_mounts(Path(os.readlink(f"/proc/self/fd/{own}")))  # noqa: PTH115 - where it is now, if it was moved
    for each in sorted(os.listdir(own), key=_MARK.__eq__):
        _remove(each, own)
    if not os.path.samestat(os.stat(name, dir_fd=above, follow_symlinks=False), os.fstat(own)):
        raise MachineFailed(
            f"{path} is another directory than the one that was created, which is empty now",
            hint=f"look at both: {path} is kept, and the other was moved to another name",
        )
    os.rmdir(name, dir_fd=above)


def _remove(name: str, folder: int) -> None:
    if stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        shutil.rmtree(name, dir_fd=folder)
    else:
        os.unlink(name, dir_fd=folder)


def _refuse_mounts(path: Path) -> None:
    """Raises MachineFailed if something is mounted inside of `path`: nothing is removed through a mount point."""
    try:
        text = Path("/proc/self/mountinfo").read_text(errors="surrogateescape")
    except OSError as problem:
        raise MachineFailed("/proc is not mounted, so no directory is removed", hint="mount /proc") from problem
    for mount in mountinfo.parse(text):
        if mount.point == str(path) or mount.point.startswith(f"{path}/"):
            raise MachineFailed(f"something is mounted at {safe(mount.point)}", hint=f"unmount it, then remove {path}")
