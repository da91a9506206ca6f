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
from pathlib import Path

from raidtui.machine.system.closing import closing
from raidtui.machine.system.file_errors import failures
from raidtui.machine.system.opened_paths import as_part
from raidtui.machine.system.private_places import require_file, trusted_folder
from raidtui.model.errors import Refused

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
