"""Run lock: one run at a time on a machine; the exported scripts use the same lock."""

from __future__ import annotations

import fcntl
import os
import stat
from pathlib import Path

from raidtui.machine.system.file_errors import AS_ROOT, failures
from raidtui.model.errors import Locked, MachineFailed


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
