"""Arithmetic of mke2fs and of a fresh ext4 mount: groups, inodes, journal, and the sizes shown by df.

Source: e2fsprogs 1.47 (misc/mke2fs.c, lib/ext2fs/initialize.c, alloc_tables.c, mkjournal.c, fallocate.c, extent.c,
lib/support/mkquota.c), Linux 6.1 to 6.18 (fs/ext4/super.c). Block size, inode size and the number of inodes are said
to mke2fs (-b, -I, -N), which by itself takes smaller ones below 512 MiB; 64bit and resize_inode are its defaults.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from raidtui.values.design import EXT4_DEFAULTS, Ext4Options
from raidtui.values.prediction import Ext4Geometry
from raidtui.values.units import KIB, MIB, TIB, exact_binary, round_down, round_up

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
"""bytes of an inode unless the options say another one"""
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
_STATED_JOURNAL = (1024, 10_240_000)
"""blocks"""
_LARGEST_EXTENT = 32768
_Run = tuple[int, int]
"""blocks from the first up to the second"""
_FLEX = 16
"""groups whose tables are in the first of them"""


def largest_bytes(block_bytes: int) -> int:
    """Size of the largest device."""
    return _LARGEST_BLOCKS * block_bytes


def fits(device_bytes: int, *, sunit_bytes: int = 0, options: Ext4Options = EXT4_DEFAULTS) -> bool:
    """True if mke2fs accepts a device of that size, that stride and these options."""
    block = options.block_bytes
    if not LEAST_BYTES <= device_bytes <= largest_bytes(block) or sunit_bytes // block > LARGEST_STRIDE:
        return False
    return not problem(device_bytes, options)


def problem(device_bytes: int, options: Ext4Options) -> str:
    """Why mke2fs refuses `options` on a device of a size that it takes; empty if it does not."""
    block, inode = options.block_bytes, options.inode_bytes or INODE_BYTES
    if inode > block:
        return f"inode={exact_binary(inode)}: an inode must fit into a block, {exact_binary(block)}"
    if inode < INODE_BYTES and ("project" in options.quotas or "inline_data" in options.features):
        return f"inode={inode}: project quotas and inline_data need larger ones"
    if options.inodes is not None and options.inode_ratio is not None:
        return "inodes and inode_ratio exclude each other"
    if "verity" in options.features and block != BLOCK:
        return "verity: kernels before Linux 6.3 mount it with blocks of 4 KiB only"
    asked = _blocks_of(device_bytes, options)
    wanted = _wanted(device_bytes, asked, options)
    layout = _layout(asked, block, min(wanted, _LARGEST_32_BIT), inode)
    if wanted * inode >= asked * block or layout is None:
        return f"{wanted} inodes of {inode} bytes do not fit, use fewer: --mkfs inode_ratio=64K"
    if options.packed_meta_blocks and layout.spread:
        return "packed_meta_blocks: so many groups have their descriptors spread over the device"
    if options.journal_bytes is not None:
        least, most = _STATED_JOURNAL
        most = min(most, (layout.blocks - layout.first - layout.descriptors) // 2)
        if options.journal_bytes % MIB or not least <= options.journal_bytes // block <= most:
            return f"journal={exact_binary(options.journal_bytes)}: expected whole MiB, {least} to {most} blocks"
    return ""


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
    wanted = inodes or _wanted(device_bytes, asked, options)
    return _geometry(asked, wanted, sunit_bytes, stripe_width, options)


def _wanted(device_bytes: int, asked: int, options: Ext4Options) -> int:
    """Inodes that mke2fs is asked for."""
    return options.inodes or asked * options.block_bytes // (options.inode_ratio or inode_ratio(device_bytes))


def _blocks_of(device_bytes: int, options: Ext4Options) -> int:
    """Blocks of a device, before mke2fs drops a short last group."""
    return round_down(device_bytes, _PAGE) // options.block_bytes


def _geometry(asked: int, wanted: int, sunit_bytes: int, stripe_width: int, options: Ext4Options) -> Ext4Geometry:
    """What mke2fs makes of `asked` blocks and about `wanted` inodes."""
    block = options.block_bytes
    layout = _layout(asked, block, min(wanted, _LARGEST_32_BIT), options.inode_bytes or INODE_BYTES)
    if layout is None:
        raise ValueError(f"{wanted} inodes do not fit into {asked} blocks")
    blocks, groups = layout.blocks, layout.groups
    journal = next((size for below, size in _JOURNALS if blocks < below), _LARGEST_JOURNAL)
    if options.journal_bytes is not None:
        journal = options.journal_bytes // block
    total = blocks - layout.first - groups * (2 + layout.tables) - layout.descriptors - journal
    inner = _root(block, options) + layout.resize
    free = total - inner - _Placed(layout, block, options, inner).journal_leaves(journal)
    free -= len(options.quotas) * _how_many(block, _QUOTA_FILE) + ("mmp" in options.features)
    free -= _orphan_blocks(blocks) if "orphan_file" in options.features else 0
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


def _root(block: int, options: Ext4Options) -> int:
    """Blocks of the root directory and of lost+found: 16 KiB, unless that needs more than the direct ones.

    With inline_data the root directory is in its inode.
    """
    return min(_LOST_AND_FOUND // block, _DIRECT_BLOCKS) + 1 - (1 if "inline_data" in options.features else 0)


def _orphan_blocks(blocks: int) -> int:
    """Blocks of the orphan file (lib/ext2fs/orphan.c)."""
    return 32 if blocks < 2**17 else blocks // 4096 if blocks < 2**21 else 512


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
    length: int
    """blocks of a group"""
    copy: int
    """blocks of a superblock with the descriptors beside it"""
    spread: int
    """groups that one block of descriptors describes, if such blocks are spread over the groups; else 0"""

    def start(self, group: int) -> int:
        """First block of a group; behind the last one, the end of the file system."""
        return min(self.first + group * self.length, self.blocks)


def _layout(blocks: int, block: int, wanted: int, inode: int) -> _Layout | None:
    """The layout of `blocks` blocks of `block` bytes with about `wanted` inodes; None if they do not fit.

    A last group too short for its own tables and 50 blocks more is dropped; where that leaves a group with more inodes
    than its bitmap has bits, groups get shorter instead (initialize.c: "retry").
    """
    asked, least, group, first = blocks, blocks, 8 * block, 1 if block == KIB else 0
    resize = 1 if blocks <= _LARGEST_32_BIT else 0
    while True:
        groups = _how_many(group, blocks - first)
        if _how_many(groups, wanted) > 8 * block:
            if group < 256:
                return None
            blocks, group = asked, group - 8
            continue
        descriptors = _how_many(block // _DESCRIPTOR, groups)
        reserved = _reserved_descriptors(blocks, block, group, descriptors) if resize else 0
        tables, inodes = _inode_tables(wanted, groups, block, inode)
        meta_bg = descriptors + reserved > group * 3 // 4
        each = 1 if meta_bg else 1 + descriptors + reserved
        rest = (blocks - first) % group
        if 3 + tables + (1 if meta_bg else descriptors + reserved) > group:
            return None
        overhead = 2 + tables + (each if _copies(groups)[-1] == groups - 1 else 0)
        if groups == 1 or not rest or rest >= overhead + 50:
            break
        blocks -= rest
        least = min(least, blocks)
    resize = 0 if meta_bg else resize
    many = block // _DESCRIPTOR
    all_copies = len(_copies(groups)) * each + (_meta_bg_descriptors(groups, many) if meta_bg else 0)
    return _Layout(
        blocks, least, first, groups, tables, inodes, all_copies, resize, group, each, many if meta_bg else 0
    )


def _inode_tables(wanted: int, groups: int, block: int, inode: int) -> tuple[int, int]:
    """(blocks of a group's inode table, its inodes): whole blocks, and a multiple of 8 inodes."""
    each = _how_many(groups, wanted)
    while True:
        inodes = max(8, round_down(round_up(each, block // inode), 8))
        if inodes * groups <= _LARGEST_32_BIT:
            return _how_many(block, inodes * inode), inodes
        each -= 1


def _reserved_descriptors(blocks: int, block: int, group: int, descriptors: int) -> int:
    """Descriptor blocks reserved for growth by a factor of 1024."""
    largest = min(1024 * blocks, _LARGEST_32_BIT) - (1 if block == KIB else 0)
    groups = _how_many(group, largest)
    return max(0, min(_how_many(block // _DESCRIPTOR, groups) - descriptors, block // 4))


@lru_cache(maxsize=64)
def _copies(groups: int) -> tuple[int, ...]:
    """Groups with a superblock, in order: 0, 1 and the powers of 3, 5 and 7."""
    found = {*range(min(groups, 2))}
    for base in (3, 5, 7):
        power = base
        while power < groups:
            found.add(power)
            power *= base
    return tuple(sorted(found))


def _meta_bg_descriptors(groups: int, a_block: int) -> int:
    """One descriptor block in the first, second and last group of as many as it describes."""
    whole, rest = divmod(groups, a_block)
    return whole * 3 + min(rest, 2)


class _Placed:
    """Where mke2fs places tables, directories and the journal: how many pieces the journal has depends on it."""

    def __init__(self, layout: _Layout, block: int, options: Ext4Options, inner: int) -> None:
        self._layout, self._inner = layout, inner
        self._leaf = (block - 12) // 12
        self._flex = options.flex_bg or _FLEX
        self._packed = bool(options.packed_meta_blocks)
        self._copies = _copies(layout.groups)
        self._found: dict[int, list[_Run]] = {}

    def journal_leaves(self, journal: int) -> int:
        """Blocks of the journal's extent tree: none up to the four extents that an inode holds."""
        extents = leaves = owed = 0
        whole = self._behind_tables(0, self._layout.groups, self._inner) if self._packed else self._from_goal()
        for start, end in whole:
            at = start + min(owed, end - start)
            owed -= at - start
            while at < end and journal:
                taken = min(journal, _LARGEST_EXTENT, end - at)
                journal, at, extents = journal - taken, at + taken, extents + 1
                more = self._tree(extents) - leaves
                leaves += more
                cut = min(more, end - at)
                at, owed = at + cut, owed + more - cut
            if not journal:
                break
        return leaves

    def _tree(self, extents: int) -> int:
        """Blocks of the tree of so many extents; what is added behind a full one takes its last extent along."""
        if extents <= 4:
            return 0
        leaves = max(1, _how_many(self._leaf - 1, extents - 1))
        return leaves + (1 if leaves > 4 else 0)

    def _from_goal(self) -> Iterator[_Run]:
        """Free runs from the group where the journal starts on to the end, then from the first block on."""
        goal, flexes = self._layout.start(group := self._goal()), _how_many(self._flex, self._layout.groups)
        first = group // self._flex
        for number in range(flexes):
            for start, end in self._free((first + number) % flexes):
                if number or end > goal:
                    yield (start if number else max(start, goal)), end

    def _goal(self) -> int:
        """The group around the middle with most free blocks (get_midpoint_journal_block)."""
        layout, flex = self._layout, self._flex
        group = ((layout.blocks - layout.first) // 2 - layout.first) // layout.length
        start = max(0, group - 1)
        if group > flex:
            group = group // flex * flex
            group = next((each for each in range(group, layout.groups) if self._unused(each)), 0)
            start = group
        return max(range(start, min(group + 2, layout.groups)), key=self._unused)

    def _unused(self, group: int) -> int:
        low, high = self._layout.start(group), self._layout.start(group + 1)
        return sum(max(0, min(high, end) - max(low, start)) for start, end in self._free(group // self._flex))

    def _between_heads(self, first: int, last: int) -> list[_Run]:
        """What superblocks and descriptors leave of the groups from `first` up to `last`."""
        layout, runs = self._layout, []
        at = layout.start(first)
        spread = layout.spread
        heads = range(first, last) if spread else self._copies[bisect_left(self._copies, first) :]
        for group in heads:
            if group >= last:
                break
            length = layout.copy if group in self._copies else 0
            length += 1 if spread and group % spread in (0, 1, spread - 1) else 0
            if length:
                runs.append((at, layout.start(group)))
                at = layout.start(group) + length
        return [(start, end) for start, end in (*runs, (at, layout.start(last))) if start < end]

    def _free(self, flex: int) -> list[_Run]:
        """Free runs of so many groups that keep their tables together, after mkfs made its own directories."""
        if flex not in self._found:
            first = flex * self._flex
            last = min(first + self._flex, self._layout.groups)
            self._found[flex] = self._behind_tables(first, last, self._inner if flex == 0 else 0)
        return self._found[flex]

    def _behind_tables(self, first: int, last: int, inner: int) -> list[_Run]:
        """What bitmaps, then tables, then `inner` blocks leave of these groups: each takes the first run that fits."""
        layout, groups = self._layout, last - first
        bitmaps, tables, left = 2 * groups, groups, []
        for start, end in self._between_heads(first, last):
            at = start + min(bitmaps, end - start)
            bitmaps -= at - start
            if groups == 1 and tables and not self._packed:  # alone, its bitmaps are where those of the first would be
                at = start + 2 * self._flex
                left += [(start + 1, start + self._flex), (start + self._flex + 1, at)]
            if not bitmaps:
                some = min(tables, (end - at) // layout.tables)
                tables -= some
                at += some * layout.tables
            left.append((at, end))
        free = []
        for start, end in left:
            cut = min(inner, max(0, end - start))
            inner -= cut
            if start + cut < end:
                free.append((start + cut, end))
        return free
