"""Measured read speeds of disks, one disk at a time, stored on this machine for the planner.

Reads only, past the page cache (O_DIRECT), and only unused disks: other I/O would change the result.
"""

from __future__ import annotations

import mmap
import os
import stat
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from raidtui.machine.system.durable_files import write_durably
from raidtui.machine.system.input_files import SPEEDS, read_own
from raidtui.machine.system.private_places import private_directory
from raidtui.model.codec import from_json, to_json
from raidtui.model.codec_rules import Value
from raidtui.model.errors import MachineFailed
from raidtui.model.inventory import Disk, Inventory, Measured

BLOCK = 1024 * 1024
"""bytes of one read"""
SECONDS = 2.0
"""measured at each end of a disk"""
_LEAST_INNER = 2 * 1024**3
"""bytes at the end of a disk that count as its inner zone, at least"""
_WARM_UP = 0.3
"""seconds before: a disk that slept, a cache in the drive"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSpeeds(Value):
    """The file of measured speeds."""

    schema: Literal["raidtui/speeds/1"] = "raidtui/speeds/1"
    """format of this document"""
    disks: dict[str, Measured]
    """by the disk's identity"""


def kept(path: Path) -> dict[str, Measured]:
    """Measurements by identity; empty without a file. Raises BadInput for an invalid file."""
    if not path.exists():
        return {}
    return dict(from_json(StoredSpeeds, read_own(path, SPEEDS), source=str(path)).disks)


def keep(path: Path, found: dict[str, Measured]) -> None:
    """Adds measurements to the file. Raises MachineFailed if it cannot be written."""
    try:
        private_directory(path.parent)
        write_durably(path, to_json(StoredSpeeds(disks={**kept(path), **found})) + "\n", mode=0o600)
    except OSError as problem:
        raise MachineFailed(f"{path}: {problem.strerror}", hint="name a place that can be written") from problem


def with_measured(inventory: Inventory, found: dict[str, Measured]) -> Inventory:
    """`inventory` with the measured speeds of its disks."""
    if not found:
        return inventory
    disks = tuple(replace(disk, measured=found[disk.id]) if disk.id in found else disk for disk in inventory.disks)
    return replace(inventory, disks=disks)


def quiet(disks: Iterable[Disk]) -> tuple[Disk, ...]:
    """Disks without a present user: their measurement is not disturbed."""
    return tuple(disk for disk in disks if disk.id and disk.path and not any(use.active for use in disk.uses))


def measure(disk: Disk, *, seconds: float = SECONDS) -> Measured:
    """Measures both ends of `disk`. Raises MachineFailed if it cannot be read or is another disk."""
    try:
        handle = os.open(disk.path, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC)
    except OSError as problem:
        raise MachineFailed(f"{disk.path}: {problem.strerror}", hint="run it as root") from problem
    try:
        if not stat.S_ISBLK(os.fstat(handle).st_mode) or os.lseek(handle, 0, os.SEEK_END) != disk.size_bytes:
            raise MachineFailed(f"{disk.path} is not the disk that was listed", hint="read the disks again")
        with mmap.mmap(-1, BLOCK) as buffer:

            def read(position: int) -> int:
                got = os.preadv(handle, [buffer], position)
                if got != BLOCK:
                    raise OSError(5, "a read came back short")
                return got

            end = disk.size_bytes // BLOCK * BLOCK
            last = max(end // 2, end - max(end // 50, _LEAST_INNER)) // BLOCK * BLOCK
            outer, inner = (rate_of(read, start, stop, seconds) for start, stop in ((0, end), (last, end)))
    except OSError as problem:
        raise MachineFailed(f"{disk.path}: {problem.strerror}", hint="the disk may be failing") from problem
    finally:
        os.close(handle)
    return Measured(outer_bytes_per_s=outer, inner_bytes_per_s=inner, day=datetime.now(UTC).date().isoformat())


def rate_of(
    read: Callable[[int], int], start: int, end: int, seconds: float, *, clock: Callable[[], float] = time.monotonic
) -> int:
    """Bytes per second of reading blocks in order from `start` for `seconds`, after a warm-up, at most up to `end`."""
    position = start
    until = clock() + _WARM_UP
    while clock() < until and position + 2 * BLOCK <= end:
        position += read(position)
    began, first = clock(), position
    now = began
    while now < began + seconds and position + BLOCK <= end:
        position += read(position)
        now = clock()
    return max(1, round((position - first) / max(now - began, 1e-9)))
