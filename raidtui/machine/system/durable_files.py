"""Durable writes: one file atomically, or several files, all or none. Text keeps the bytes it was read with."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path

from raidtui.machine.system.closing import closing

_SUFFIX = ".raidtui-new"


def write_durably(path: Path, text: str, *, mode: int) -> None:
    """Writes a file atomically (temporary file, rename) and syncs it to the disk. Raises OSError.

    An earlier file stays as it was if the new one cannot be written, and no temporary file stays.
    """
    beside = Path(half_written(str(path)))
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    try:
        with closing(handle):
            os.fchmod(handle, mode)
            with os.fdopen(os.dup(handle), "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(text)
            os.fsync(handle)
        beside.rename(path)
    except OSError:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise
    sync_folder(path.parent)


def half_written(path: str) -> str:
    """The temporary file of `write_durably`, which a power cut may leave."""
    return f"{path}.raidtui"


def sync_folder(folder: Path) -> None:
    """Syncs the directory `folder` to the disk. Raises OSError."""
    with closing(os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)) as handle:
        os.fsync(handle)


def write_together(texts: Mapping[Path, str], *, mode: int) -> None:
    """Writes and syncs all files under temporary names, then renames them.

    Replaces existing files. Raises OSError; then none of the new files exists, except those renamed before a failed
    rename of another. The directories must exist.
    """
    written: list[Path] = []
    placed: list[Path] = []
    try:
        for path, text in texts.items():
            beside = path.with_name(f"{path.name}{_SUFFIX}")
            with contextlib.suppress(FileNotFoundError):
                beside.unlink()  # of a process that was killed while it wrote
            _write(beside, text, mode, written)
        for path in texts:
            new = not os.path.lexists(path)
            path.with_name(f"{path.name}{_SUFFIX}").rename(path)
            if new:
                placed.append(path)
        for folder in dict.fromkeys(path.parent for path in texts):
            sync_folder(folder)
    except BaseException:
        for path in (*written, *placed):
            with contextlib.suppress(OSError):
                path.unlink()
        raise


def _write(path: Path, text: str, mode: int, written: list[Path]) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    written.append(path)
    with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape") as file:
        os.fchmod(handle, mode)
        file.write(text)
        file.flush()
        os.fsync(handle)
