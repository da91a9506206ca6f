"""Test disks: what they look like to the guest, and their sparse backing files on the host.

A disk is a sparse file, so that 60 disks of 2 TB take a few megabytes. The host can look into
the file while the guest runs: `content_digest` and `is_blank` read allocated extents only.
"""

from __future__ import annotations

import ctypes
import errno
import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

VENDOR = "RAIDTUI"
PRODUCT = "RAIDTUI-LAB"
_BLOCK = 65536
_PUNCH_HOLE_KEEP_SIZE = 3


@dataclass(frozen=True)
class Fault:
    """An error that QEMU injects: requests of `iotype` that touch `sector` (None: all) fail."""

    iotype: Literal["read", "write", "flush", "discard", "write-zeroes"]
    sector: int | None = None
    once: bool = False
    errno: int = errno.EIO

    def rule(self) -> dict[str, Any]:
        """The blkdebug rule."""
        where = {} if self.sector is None else {"sector": self.sector}
        return {"event": "none", "iotype": self.iotype, "errno": self.errno, "once": self.once, **where}


@dataclass(frozen=True)
class Disk:
    """A disk of the lab. `serial` is its name everywhere; never a kernel name.

    `rotation` is 7200 and the like, 1 for flash, 0 for "not reported"; NVMe has none, and its
    model is QEMU's. `paths` above 1 makes a multipath disk, one path on each of the following
    HBAs. `firmware` is its revision, None for QEMU's. `bps`, `iops` throttle it (bytes a second,
    requests a second); `shared` is the name of a link and the bytes a second that all disks with
    that name get together. `content` is a host
    file that its backing file starts as a sparse copy of. `unplugged` disks exist and keep
    their content but are not attached at start.
    """

    serial: str
    bytes: int = 2_000_398_934_016
    kind: Literal["scsi", "nvme"] = "scsi"
    wwn: int | None = None
    rotation: int = 7200
    logical_block: int = 512
    physical_block: int = 4096
    controller: int = 0
    paths: int = 1
    bps: int | None = None
    iops: int | None = None
    shared: tuple[str, int] | None = None
    product: str = PRODUCT
    vendor: str = VENDOR
    firmware: str | None = None
    content: Path | None = None
    faults: tuple[Fault, ...] = field(default=())
    unplugged: bool = False

    def __post_init__(self) -> None:
        if self.bytes % self.logical_block:
            raise ValueError(f"{self.serial}: {self.bytes} is no multiple of its {self.logical_block}-byte blocks")
        if not 4 <= len(self.serial) <= 20 or not self.serial.isascii() or "," in self.serial:
            raise ValueError(f"serial {self.serial!r}: 4 to 20 ASCII characters (scsi_id drops shorter ones), no comma")
        if self.kind == "nvme" and (self.paths > 1 or self.wwn is not None):
            raise ValueError(f"{self.serial}: the lab's NVMe disks have one path and no WWN")
        if len(self.vendor) > 8 or len(self.product) > 16 or len(self.firmware or "") > 4:
            raise ValueError(f"{self.serial}: SCSI vendor has 8 characters, product 16, firmware 4")


def lab_disks(count: int, *, controllers: int = 1, prefix: str = "LAB", **properties: Any) -> list[Disk]:
    """`count` disks LAB0001.. with WWNs, spread over the controllers; `properties` as of Disk."""
    return [
        Disk(
            serial=f"{prefix}{number:04d}",
            wwn=0x5000C500_00000000 + int.from_bytes(prefix.encode()[:2], "big") * 0x10000 + number,
            controller=(number - 1) % controllers,
            **properties,
        )
        for number in range(1, count + 1)
    ]


def backing_path(directory: Path, serial: str) -> Path:
    """The backing file of the disk with a serial number: never that of another disk, whatever is plugged and scrapped.

    Serial numbers may hold any ASCII character, so the name has their bytes in hexadecimal.
    """
    return directory / f"disk-{serial.encode('ascii').hex()}.raw"


class Backing:
    """The sparse file below a disk."""

    def __init__(self, path: Path, disk: Disk) -> None:
        """Make the file; OSError when the file system cannot hold a file of that size."""
        self.path = path
        self.bytes = disk.bytes
        path.unlink(missing_ok=True)  # that of a scrapped disk of the same serial number
        with path.open("wb") as file:
            file.truncate(disk.bytes)
        if disk.content is not None:
            self.write_from(disk.content)

    @property
    def allocated_bytes(self) -> int:
        """Bytes that the file takes on the host."""
        return self.path.stat().st_blocks * 512

    def write_from(self, source: Path) -> None:
        """Copy the data of another sparse file into this one."""
        with self.path.open("r+b") as file:
            for offset, data in _data_blocks(source, source.stat().st_size):
                file.seek(offset)
                file.write(data)

    def erase(self) -> None:
        """Make the whole disk a hole; no guest may be using it, and its page cache must be dropped."""
        libc = ctypes.CDLL(None, use_errno=True)
        with self.path.open("r+b") as file:
            where, length = ctypes.c_longlong(0), ctypes.c_longlong(self.bytes)
            if libc.fallocate(file.fileno(), _PUNCH_HOLE_KEEP_SIZE, where, length) != 0:
                raise OSError(ctypes.get_errno(), "fallocate", str(self.path))

    def content_digest(self) -> str:
        """SHA-256 over size and content, full device; the same however it is allocated."""
        digest = hashlib.sha256(str(self.bytes).encode())
        for offset, data in _data_blocks(self.path, self.bytes):
            digest.update(b"@%d:" % offset)
            digest.update(data)
        return digest.hexdigest()

    def is_blank(self, start: int = 0, end: int | None = None) -> bool:
        """Whether every byte in [start, end) is zero."""
        stop = self.bytes if end is None else end
        for offset, data in _data_blocks(self.path, stop, start):
            inner = data[max(start - offset, 0) : stop - offset]
            if inner.strip(b"\0"):
                return False
        return True

    def read(self, offset: int, length: int) -> bytes:
        """Bytes as they are on the disk."""
        with self.path.open("rb") as file:
            file.seek(offset)
            return file.read(length)


def _data_blocks(path: Path, end: int, start: int = 0) -> Iterator[tuple[int, bytes]]:
    """The 64 KiB-aligned blocks in [start, end) that are not all zero, in order."""
    zero = bytes(_BLOCK)
    with path.open("rb", buffering=0) as file:
        position = start // _BLOCK * _BLOCK
        while position < end:
            try:
                data_at = os.lseek(file.fileno(), position, os.SEEK_DATA)
            except OSError as error:
                if error.errno == errno.ENXIO:  # only a hole is left
                    return
                raise
            hole_at = os.lseek(file.fileno(), data_at, os.SEEK_HOLE)
            position = max(data_at // _BLOCK * _BLOCK, position)
            while position < min(hole_at, end):
                data = os.pread(file.fileno(), _BLOCK, position)
                if data != zero[: len(data)]:
                    yield position, data
                position += _BLOCK
