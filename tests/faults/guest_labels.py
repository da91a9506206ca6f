"""Content for disks that no program of the lab's guest can write: labels of ZFS, a backing device of bcache.

Stands apart from the tests' package: the guest loads it. Layouts: OpenZFS vdev_label.c; kernel 6.1
include/uapi/linux/bcache.h (struct cache_sb_disk) and lib/crc64.c.
"""

from __future__ import annotations

import os
import struct

_LABEL = 256 * 1024
_BCACHE_MAGIC = bytes.fromhex("c68573f64e1a45ca8265f57f48ba6d81")
_POLYNOMIAL = 0x42F0E1EBA9EA3693
_ONES = 0xFFFFFFFFFFFFFFFF


def zfs_label(pool: bytes, order: str) -> bytes:
    """One label of a pool: its name as an XDR pair at 16 KiB, empty uberblocks from 128 KiB on; `order`: `<` or `>`."""
    label = bytearray(_LABEL)
    pair = struct.pack(">I", 4) + b"name" + struct.pack(">III", 9, 1, len(pool)) + pool
    label[16 * 1024 : 16 * 1024 + len(pair)] = pair
    for at in range(128 * 1024, _LABEL, 1024):
        label[at : at + 8] = struct.pack(f"{order}Q", 0x00BAB10C)
    return bytes(label)


def write_zfs(disk: str) -> None:
    """The four labels of a pool named tank."""
    label = zfs_label(b"tank", "<")
    handle = os.open(disk, os.O_RDWR)
    size = os.lseek(handle, 0, os.SEEK_END) // _LABEL * _LABEL
    for start in (0, _LABEL, size - 2 * _LABEL, size - _LABEL):
        os.pwrite(handle, label, start)
    os.fsync(handle)
    os.close(handle)


def write_bcache(disk: str) -> None:
    """The superblock of a backing device without a cache."""
    block = struct.pack("<QQ16s16s16s32s", 8, 1, _BCACHE_MAGIC, b"b" * 16, bytes(16), b"slow")
    block += bytes(8 * 2 + 8 * 3 + 8 * 5) + struct.pack("<QHHHH", 16, 8, 0, 1, 0) + bytes(8)
    handle = os.open(disk, os.O_RDWR)
    os.pwrite(handle, (struct.pack("<Q", _crc64(block)) + block).ljust(4096, b"\0"), 4096)
    os.fsync(handle)
    os.close(handle)


def _crc64(data: bytes) -> int:
    value = _ONES
    for byte in data:
        value ^= byte << 56
        for _ in range(8):
            value = (value << 1 ^ (_POLYNOMIAL if value >> 63 else 0)) & _ONES
    return value ^ _ONES
