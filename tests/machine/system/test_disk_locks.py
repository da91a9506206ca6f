"""The locks of disks let udev see afterwards what was written meanwhile.

udev does not probe a locked disk. Since udev 250 it tries again later; until then it probes when a descriptor that was
open for writing is closed (systemd.io/BLOCK_DEVICE_LOCKING), and keeps its record of the disk otherwise.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
from pathlib import Path

import pytest

from raidtui.machine.system.runner import SystemRunner

CLOSED_AFTER_WRITING = 0x8
"""IN_CLOSE_WRITE of inotify(7), which udev watches"""


@pytest.fixture
def disks(tmp_path: Path) -> list[str]:
    paths = [tmp_path / "one", tmp_path / "two"]
    for path in paths:
        path.touch()
    return [str(path) for path in paths]


def watch(paths: list[str]) -> int:
    """A descriptor with an event for each close of one of the files after writing."""
    libc = ctypes.CDLL(None)
    watched: int = libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
    for path in paths:
        assert libc.inotify_add_watch(watched, path.encode(), CLOSED_AFTER_WRITING) > 0
    return watched


def closed(watched: int) -> int:
    """How many closes were seen since the last look."""
    try:
        return len(os.read(watched, 4096)) // 16
    except BlockingIOError:
        return 0


def is_locked(path: str) -> bool:
    with Path(path).open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_udev_looks_at_each_disk_when_the_app_releases_its_locks(disks: list[str]) -> None:
    watched = watch(disks)
    with SystemRunner(0).lock(disks):
        assert [is_locked(disk) for disk in disks] == [True, True]
        assert closed(watched) == 0
    assert [is_locked(disk) for disk in disks] == [False, False]
    assert closed(watched) == 2
    os.close(watched)
