"""Arithmetic of mke2fs and of a fresh ext4 mount: groups, inodes, journal, and the sizes shown by df.

Source: e2fsprogs 1.47 (misc/mke2fs.c, lib/ext2fs/initialize.c, lib/support/mkquota.c), Linux 6.1 to 6.18
(fs/ext4/super.c). Block size, 256-byte inodes and the number of inodes are said to mke2fs (-b, -I, -N), which by
itself takes smaller ones below 512 MiB; 64bit and resize_inode are its defaults, orphan_file is turned off.
"""

from __future__ import annotations

from dataclasses import dataclass

from raidtui.model.file_system import EXT4_DEFAULTS, Ext4Options
from raidtui.model.geometry import Ext4Geometry
from raidtui.model.units import KIB, MIB, TIB, round_down, round_up

BLOCK = 4096
"""bytes of a block unless the options say another one"""
BLOCKS = (1024, 2048, 4096)
"""block sizes that every kernel mounts"""
LEAST_BYTES = 64 * MIB
"""smaller ones are not modelled"""
LARGEST_STRIDE = 65535
"""blocks; largest stride that mke2fs accepts, a 16-bit field of the superblock"""
LARGEST_STRIPE_WIDTH = 32768
"""blocks; above it the kernel falls back to the stride (ext4_get_stripe_size)"""
_LARGEST_BLOCKS = 2**47 - 1
_LARGEST_32_BIT = 2**32 - 1
_PAGE = 4096
"""mke2fs uses whole pages of a device"""
INODE_BYTES = 256
"""bytes of an inode"""
LARGEST_INODE_RATIO = 64 * MIB
"""bytes"""
_DESCRIPTOR = 64
_QUOTA_FILE = 6 * KIB
"""bytes of a quota file with one user: header, four levels of its tree, one record block of 1 KiB each"""
_LOST_AND_FOUND = 16 * KIB
_DIRECT_BLOCKS = 12
_JOURNALS = (
    (2048, 0), (32768, 1024), (262144, 4096), (524288, 8192), (4194304, 16384), (8388608, 32768),
    (16777216, 65536), (33554432, 131072),
)  # fmt: skip
"""blocks below which a file system gets that journal (lib/ext2fs/mkjournal.c)"""
_LARGEST_JOURNAL = 262144
_LARGEST_EXTENT = 32768
_FLEX = 16
"""groups whose tables are in the first of them"""


def largest_bytes(block_bytes: int) -> int:
    """Size of the largest device."""
    return _LARGEST_BLOCKS * block_bytes


def fits(device_bytes: int, *, sunit_bytes: int = 0, options: Ext4Options = EXT4_DEFAULTS) -> bool:
    """True if mke2fs accepts a device of that size and that stride."""
    block = options.block_bytes
    return LEAST_BYTES <= device_bytes <= largest_bytes(block) and sunit_bytes // block <= LARGEST_STRIDE


def inode_ratio(device_bytes: int) -> int:
    """Bytes per inode from mke2fs.conf's usage types by size: default, big (4 TiB), huge (16 TiB)."""
    if device_bytes // BLOCK >= 16 * TIB // BLOCK:
        return 65536
    return 32768 if device_bytes // BLOCK >= 4 * TIB // BLOCK else 16384


def ext4_geometry(
    device_bytes: int,
    *,
    sunit_bytes: int = 0,
    stripe_width: int = 0,
    options: Ext4Options = EXT4_DEFAULTS,
    inodes: int | None = None,
) -> Ext4Geometry:
    """A fresh ext4 on a device of `device_bytes`, made with `-E stride=,stripe_width=` (0: no stripe).

    `stripe_width` counts stripe units, as XFS' sw does; `inodes` is what -N says, in place of a ratio. Meaningful from
    `LEAST_BYTES` up.
    """
    asked = _blocks_of(device_bytes, options)
    wanted = inodes or asked * options.block_bytes // (options.inode_ratio or inode_ratio(device_bytes))
    return _geometry(asked, wanted, sunit_bytes, stripe_width, options)


def _blocks_of(device_bytes: int, options: Ext4Options) -> int:
    """Blocks of a device, before mke2fs drops a short last group."""
    return round_down(device_bytes, _PAGE) // options.block_bytes


def _geometry(asked: int, wanted: int, sunit_bytes: int, stripe_width: int, options: Ext4Options) -> Ext4Geometry:
    """What mke2fs makes of `asked` blocks and about `wanted` inodes."""
    block = options.block_bytes
    layout = _layout(asked, block, min(wanted, _LARGEST_32_BIT))
    blocks, groups = layout.blocks, layout.groups
    journal = next((size for below, size in _JOURNALS if blocks < below), _LARGEST_JOURNAL)
    total = blocks - layout.first - groups * (2 + layout.tables) - layout.descriptors - journal
    # root 1, the resize inode 1 where there is one, and a leaf for a journal of more than four extents
    free = total - _lost_and_found(block) - 1 - layout.resize - (1 if _journal_leaf(journal, layout, block) else 0)
    free -= len(options.quotas) * _how_many(block, _QUOTA_FILE)
    reserved = _reserved(asked, layout.least, options.reserved_percent)
    available = max(0, free - reserved - min(blocks // 50, 4096))
    stride = sunit_bytes // block
    return Ext4Geometry(
        blocks=blocks,
        block_bytes=block,
        stride_blocks=stride,
        stripe_width_blocks=stride * stripe_width,
        reserved_blocks=reserved,
        inodes=groups * layout.inodes,
        journal_blocks=journal,
        statfs_blocks=total,
        statfs_free_blocks=free,
        statfs_available_blocks=available,
        total_bytes=total * block,
        available_bytes=available * block,
    )


def planned_ext4(
    device_bytes: int,
    *,
    sunit_bytes: int = 0,
    stripe_width: int = 0,
    options: Ext4Options = EXT4_DEFAULTS,
    inodes: int | None = None,
) -> Ext4Geometry:
    """The ext4 that a plan makes: as `ext4_geometry`, with the blocks and inodes that it chose stated to mke2fs.

    Where mke2fs drops a short last group by itself, it scales the blocks reserved for root in floating point, which may
    be one block fewer.
    """
    chosen = ext4_geometry(
        device_bytes, sunit_bytes=sunit_bytes, stripe_width=stripe_width, options=options, inodes=inodes
    )
    if chosen.blocks == _blocks_of(device_bytes, options):
        return chosen
    return _geometry(chosen.blocks, chosen.inodes, sunit_bytes, stripe_width, options)


def _journal_leaf(journal: int, layout: _Layout, block: int) -> bool:
    """True if the journal has more than the four extents of 32768 blocks that an inode holds.

    It starts behind the inode tables in the middle of the file system. Groups of 1 KiB blocks are so short that the
    tables of the next 16 groups are in its way, those of 2 KiB blocks so short that a backup superblock may be.
    """
    if journal != 4 * _LARGEST_EXTENT:
        return journal > 4 * _LARGEST_EXTENT
    start = layout.groups // 2 // _FLEX * _FLEX
    span = _how_many(8 * block, _FLEX * (2 + layout.tables) + journal)
    return block == KIB or any(_has_superblock(group) for group in range(start + 2, start + span))


def _lost_and_found(block: int) -> int:
    """Blocks of lost+found: 16 KiB, unless that needs more than the direct ones."""
    return min(_LOST_AND_FOUND // block, _DIRECT_BLOCKS)


def _reserved(asked: int, kept: int, percent: float) -> int:
    """Blocks reserved for root, in floating point, scaled if a short last group was dropped."""
    reserved = int(percent * asked / 100.0)
    return reserved if kept == asked else int(100.0 * reserved / asked * kept / 100.0)


def _how_many(size: int, total: int) -> int:
    """`total` / `size`, rounded up."""
    return -(-total // size)


@dataclass(frozen=True, slots=True)
class _Layout:
    """Groups and what they hold."""

    blocks: int
    """blocks kept: a last group too short is dropped"""
    least: int
    """fewest blocks kept while mke2fs tried, from which it computed those reserved for root"""
    first: int
    """1 if block 0 is before the first group, with the boot sector in it; else 0"""
    groups: int
    tables: int
    """blocks of a group's inode table"""
    inodes: int
    """inodes of a group"""
    descriptors: int
    """blocks of all superblocks and descriptors, with those reserved for growth"""
    resize: int
    """1 if there is a resize inode, with a block of its own; else 0"""


def _layout(blocks: int, block: int, wanted: int) -> _Layout:
    """The layout of `blocks` blocks of `block` bytes with about `wanted` inodes.

    A last group too short for its own tables and 50 blocks more is dropped; where that leaves a group with more inodes
    than its bitmap has bits, groups get shorter instead (initialize.c: "retry").
    """
    asked, least, group, first = blocks, blocks, 8 * block, 1 if block == KIB else 0
    resize = 1 if blocks <= _LARGEST_32_BIT else 0
    while True:
        groups = _how_many(group, blocks - first)
        if _how_many(groups, wanted) > 8 * block:
            blocks, group = asked, group - 8
            continue
        descriptors = _how_many(block // _DESCRIPTOR, groups)
        reserved = _reserved_descriptors(blocks, block, descriptors) if resize else 0
        tables, inodes = _inode_tables(wanted, groups, block)
        meta_bg = descriptors + reserved > group * 3 // 4
        each = 1 if meta_bg else 1 + descriptors + reserved
        rest = (blocks - first) % group
        overhead = 2 + tables + (each if _has_superblock(groups - 1) else 0)
        if groups == 1 or not rest or rest >= overhead + 50:
            break
        blocks -= rest
        least = min(least, blocks)
    resize = 0 if meta_bg else resize
    spread = _meta_bg_descriptors(groups, block // _DESCRIPTOR) if meta_bg else 0
    return _Layout(blocks, least, first, groups, tables, inodes, _superblocks(groups) * each + spread, resize)


def _inode_tables(wanted: int, groups: int, block: int) -> tuple[int, int]:
    """(blocks of a group's inode table, its inodes): whole blocks, and a multiple of 8 inodes."""
    each = _how_many(groups, wanted)
    while True:
        inodes = max(8, round_down(round_up(each, block // INODE_BYTES), 8))
        if inodes * groups <= _LARGEST_32_BIT:
            return _how_many(block, inodes * INODE_BYTES), inodes
        each -= 1


def _reserved_descriptors(blocks: int, block: int, descriptors: int) -> int:
    """Descriptor blocks reserved for growth by a factor of 1024."""
    largest = min(1024 * blocks, _LARGEST_32_BIT) - (1 if block == KIB else 0)
    groups = _how_many(8 * block, largest)
    return max(0, min(_how_many(block // _DESCRIPTOR, groups) - descriptors, block // 4))


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


def _meta_bg_descriptors(groups: int, a_block: int) -> int:
    """One descriptor block in the first, second and last group of as many as it describes."""
    whole, rest = divmod(groups, a_block)
    return whole * 3 + min(rest, 2)
