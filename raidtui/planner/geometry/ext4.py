"""Arithmetic of mke2fs and of a fresh ext4 mount: groups, inodes, journal, and the sizes shown by df.

Source: e2fsprogs 1.47 (misc/mke2fs.c, lib/ext2fs/initialize.c), Linux 6.1 to 6.18 (fs/ext4/super.c). 4096-byte
blocks, 256-byte inodes and one inode per `inode_ratio` are said to mke2fs (-b, -I, -i), which by itself takes smaller
ones below 512 MiB; 64bit and resize_inode are its defaults, orphan_file is turned off.
"""

from __future__ import annotations

from raidtui.model.geometry import Ext4Geometry
from raidtui.model.units import MIB, TIB

BLOCK = 4096
LEAST_BYTES = 64 * MIB
"""smaller ones are not modelled"""
LARGEST_STRIDE = 65535
"""blocks; a 16-bit field of the superblock"""
LARGEST_STRIPE_WIDTH = 32768
"""blocks; above it the kernel falls back to the stride (ext4_get_stripe_size)"""
LARGEST_BYTES = (2**47 - 1) * BLOCK
"""largest stride that mke2fs accepts"""
_GROUP = 32768
_LARGEST_32_BIT = 2**32 - 1
_DESCRIPTORS_A_BLOCK = 64
_INODES_A_BLOCK = 16
_JOURNALS = (
    (2048, 0), (32768, 1024), (262144, 4096), (524288, 8192), (4194304, 16384), (8388608, 32768),
    (16777216, 65536), (33554432, 131072),
)  # fmt: skip
"""blocks below which a file system gets that journal (lib/ext2fs/mkjournal.c)"""
_LARGEST_JOURNAL = 262144


def fits(device_bytes: int, *, sunit_bytes: int = 0) -> bool:
    """True if mke2fs accepts a device of that size and that stride."""
    return LEAST_BYTES <= device_bytes <= LARGEST_BYTES and sunit_bytes // BLOCK <= LARGEST_STRIDE


def inode_ratio(device_bytes: int) -> int:
    """Bytes per inode from mke2fs.conf's usage types by size: default, big (4 TiB), huge (16 TiB)."""
    if device_bytes // BLOCK >= 16 * TIB // BLOCK:
        return 65536
    return 32768 if device_bytes // BLOCK >= 4 * TIB // BLOCK else 16384


def ext4_geometry(
    device_bytes: int, *, sunit_bytes: int = 0, stripe_width: int = 0, reserved_percent: int = 5
) -> Ext4Geometry:
    """A fresh ext4 on a device of `device_bytes`, made with `-E stride=,stripe_width=` (0: no stripe).

    `stripe_width` counts stripe units, as XFS' sw does. Meaningful from `LEAST_BYTES` up.
    """
    asked = device_bytes // BLOCK
    blocks, tables, descriptors = _groups(asked, inode_ratio(device_bytes))
    groups = _how_many(_GROUP, blocks)
    journal = next((size for below, size in _JOURNALS if blocks < below), _LARGEST_JOURNAL)
    total = blocks - groups * (2 + tables) - descriptors - journal
    # lost+found 4, root 1, the resize inode 1 where there is one, and a leaf for a journal of several extents
    free = total - 5 - (1 if blocks <= _LARGEST_32_BIT else 0) - (1 if journal > 131072 else 0)
    reserved = _reserved(asked, blocks, reserved_percent)
    available = max(0, free - reserved - min(blocks // 50, 4096))
    stride = sunit_bytes // BLOCK
    return Ext4Geometry(
        blocks=blocks,
        block_bytes=BLOCK,
        stride_blocks=stride,
        stripe_width_blocks=stride * stripe_width,
        reserved_blocks=reserved,
        inodes=groups * tables * _INODES_A_BLOCK,
        journal_blocks=journal,
        statfs_blocks=total,
        statfs_free_blocks=free,
        statfs_available_blocks=available,
        total_bytes=total * BLOCK,
        available_bytes=available * BLOCK,
    )


def _reserved(asked: int, kept: int, percent: int) -> int:
    """Blocks reserved for root, scaled in floating point if a short last group was dropped."""
    reserved = asked * percent // 100
    return reserved if kept == asked else int(100.0 * reserved / asked * kept / 100.0)


def _how_many(size: int, total: int) -> int:
    """`total` / `size`, rounded up."""
    return -(-total // size)


def _groups(blocks: int, ratio: int) -> tuple[int, int, int]:
    """(blocks kept, inode table blocks per group, blocks of all superblocks and descriptors).

    A last group too short for its own tables and 50 blocks more is dropped (initialize.c: "retry").
    """
    wanted = min(blocks * BLOCK // ratio, _LARGEST_32_BIT)
    while True:
        groups = _how_many(_GROUP, blocks)
        descriptors = _how_many(_DESCRIPTORS_A_BLOCK, groups)
        reserved = _reserved_descriptors(blocks, descriptors)
        tables = _how_many(_INODES_A_BLOCK, _how_many(groups, wanted))
        while tables * _INODES_A_BLOCK * groups > _LARGEST_32_BIT:
            tables -= 1
        meta_bg = descriptors + reserved > 24576
        each = 1 if meta_bg else 1 + descriptors + reserved
        rest = blocks % _GROUP
        overhead = 2 + tables + (each if _has_superblock(groups - 1) else 0)
        if groups == 1 or not rest or rest >= overhead + 50:
            break
        blocks -= rest
    spread = _meta_bg_descriptors(groups) if meta_bg else 0
    return blocks, tables, _superblocks(groups) * each + spread


def _reserved_descriptors(blocks: int, descriptors: int) -> int:
    """Descriptor blocks reserved for growth by a factor of 1024; none once block numbers need 64 bits."""
    if blocks > _LARGEST_32_BIT:
        return 0
    largest = min(1024 * blocks, _LARGEST_32_BIT)
    return max(0, min(_how_many(_DESCRIPTORS_A_BLOCK, _how_many(_GROUP, largest)) - descriptors, 1024))


def _superblocks(groups: int) -> int:
    """Number of groups with a superblock: 0, 1 and the powers of 3, 5 and 7."""
    count = min(groups, 2)
    for base in (3, 5, 7):
        power = base
        while power < groups:
            count += 1
            power *= base
    return count


def _has_superblock(group: int) -> bool:
    return _superblocks(group + 1) > _superblocks(group)


def _meta_bg_descriptors(groups: int) -> int:
    """One descriptor block in the first, second and last group of every 64."""
    whole, rest = divmod(groups, _DESCRIPTORS_A_BLOCK)
    return whole * 3 + min(rest, 2) + (1 if rest > 2 else 0)
