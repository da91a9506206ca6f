"""A machine's temporary directory; what a killed process left behind is swept by the next."""

from __future__ import annotations

import fcntl
import shutil
import tempfile
import time
from pathlib import Path
from typing import IO

from tests.lab.host import scratch_root

_PREFIX = "raidtui-lab-"
_OWNER = "owner"


class Scratch:
    """A directory on a file system with sparse files, held by a lock as long as its process lives."""

    def __init__(self) -> None:
        _sweep()
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=scratch_root()))
        self._lock: IO[str] = (self.path / _OWNER).open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def remove(self) -> None:
        """Delete the directory and let the lock go."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._lock.close()


def _sweep(grace_s: float = 60) -> None:
    """Delete directories whose owner is gone; young ones may not have their lock yet."""
    for owner in Path(scratch_root()).glob(f"{_PREFIX}*/{_OWNER}"):
        try:
            with owner.open("r+") as lock:
                if time.time() - owner.stat().st_mtime < grace_s:
                    continue
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(owner.parent, ignore_errors=True)
        except OSError:  # held by its owner, or just gone
            continue
