"""Arithmetic of mkfs.xfs and of a fresh XFS mount: allocation groups, log, and the sizes shown by df.

Source: xfsprogs 6.1 to 6.13 (mkfs/xfs_mkfs.c, without the concurrency defaults that 6.8 brought, since the
product says agsize and log size itself), Linux 6.1 to 6.18 (fs/xfs: per-AG reservations). CRC, finobt, sparse
inodes and inobtcount are on; a block is 4096 bytes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from raidtui.model.file_system import XFS_DEFAULTS, XfsOptions
from raidtui.model.geometry import XfsGeometry
from raidtui.model.units import GIB, KIB, MIB, TIB, round_down, round_up

BLOCK = 4096
LEAST_BYTES = 300 * MIB
"""mkfs.xfs since 5.19 refuses smaller ones"""
LARGEST_SWIDTH_BYTES = 2**31 - 1
"""su * sw must fit"""
_LARGEST_AG = 2**40 // BLOCK - 1
_SMALLEST_AG = 16 * MIB // BLOCK
_LARGEST_LOG = (2 * GIB - 10 * MIB) // BLOCK
_LEAST_LOG = 64 * MIB // BLOCK
_LARGEST_LOG_SUNIT = 256 * KIB // BLOCK
_FALLBACK_LOG_SUNIT = 32 * KIB // BLOCK


class _Groups(NamedTuple):
    """Allocation groups: all of `size` blocks except the last; `blocks` in total."""

    number: int
    size: int
    blocks: int


def fits(device_bytes: int, *, sunit_bytes: int = 0, stripe_width: int = 0) -> bool:
    """True if mkfs.xfs accepts a device of that size and a stripe of that width.

    The minimum log must fit into one allocation group; there are 4 groups without a stripe and 8 with one.
    """
    if device_bytes < LEAST_BYTES or sunit_bytes * stripe_width > LARGEST_SWIDTH_BYTES:
        return False
    geometry = xfs_geometry(device_bytes, sunit_bytes=sunit_bytes, stripe_width=stripe_width, sector_bytes=BLOCK)
    return geometry.log_blocks >= _LEAST_LOG


def xfs_geometry(
    device_bytes: int,
    *,
    sunit_bytes: int = 0,
    stripe_width: int = 0,
    sector_bytes: int = 512,
    options: XfsOptions = XFS_DEFAULTS,
    quotas: int = 0,
) -> XfsGeometry:
    """A fresh XFS on a device of `device_bytes`, made with `-d su=sunit_bytes,sw=stripe_width` (0: no stripe).

    `sector_bytes` is the device's physical sector; `options` are what `-m` says; `quotas` is the number of kinds of
    quota that it is mounted with, whose first records the mount allocates. Meaningful from `LEAST_BYTES` up.
    """
    mkfs = _mkfs(sunit_bytes // BLOCK, sector_bytes, options)
    groups, log, free = mkfs.made(device_bytes // BLOCK, stripe_width)
    free = max(0, free - quotas)
    return XfsGeometry(
        blocks=groups.blocks,
        block_bytes=BLOCK,
        sector_bytes=sector_bytes,
        sunit_blocks=sunit_bytes // BLOCK,
        swidth_blocks=sunit_bytes // BLOCK * stripe_width,
        agcount=groups.number,
        agsize_blocks=groups.size,
        log_blocks=log,
        log_sunit_blocks=mkfs.log_sunit,
        imaxpct=25 if groups.blocks < TIB // BLOCK else 5 if groups.blocks < 50 * TIB // BLOCK else 1,
        statfs_blocks=groups.blocks - log,
        statfs_available_blocks=free,
        total_bytes=(groups.blocks - log) * BLOCK,
        available_bytes=free * BLOCK,
    )


def available_bytes(
    device_bytes: int, *, sunit_bytes: int, stripe_width: int, sector_bytes: int, options: XfsOptions, quotas: int
) -> int:
    """`xfs_geometry(...).available_bytes` alone, for a search."""
    _, _, free = _mkfs(sunit_bytes // BLOCK, sector_bytes, options).made(device_bytes // BLOCK, stripe_width)
    return max(0, free - quotas) * BLOCK


def surely_less(device_bytes: int, larger_bytes: int) -> bool:
    """True if less is available on the smaller device, whatever the stripe, sector and options that both have.

    A larger device may hold less: mkfs gives a tail of less than 16 MiB away, and each allocation group takes blocks.
    From 32 TiB on groups and log have the same size on any device, and so does what each group hides; the kernel's
    reserve is full. Of 32 MiB more at least 16 MiB are not given away. Of these trees take at most 1 block in 40, and
    each group that they begin some tens of blocks for its headers and reserves: most of them are available.
    """
    return device_bytes >= 32 * TIB and larger_bytes - device_bytes >= 2 * _SMALLEST_AG * BLOCK


class _Mkfs:
    """mkfs.xfs with one stripe unit in blocks, sector in bytes and options, for devices of any size; in blocks."""

    def __init__(self, sunit: int, sector_bytes: int, options: XfsOptions) -> None:
        self._sunit = sunit
        self._headers = (1 if sector_bytes == 512 else 4) + 4 + options.reflink + options.rmapbt
        self.log_sunit = _log_sunit(sunit, sector_bytes)
        self._trees = options.reflink, options.rmapbt

    def made(self, blocks: int, stripe_width: int) -> tuple[_Groups, int, int]:
        """(allocation groups, blocks of the log, f_bavail without quotas); the last is below 0 on a tiny device."""
        groups = _allocation_groups(blocks, self._sunit, self._sunit * stripe_width)
        log = _log_blocks(groups, self.log_sunit or self._sunit, self._headers)
        return groups, log, self._free_blocks(groups, log)

    def _free_blocks(self, groups: _Groups, log: int) -> int:
        """f_bavail of a fresh mount: free blocks less each group's reserved metadata and the kernel's reserve pool."""
        number, size, blocks = groups
        trees = self._trees
        last = blocks - (number - 1) * size
        plain = number - 1
        with_log = number // 2
        if with_log < plain:
            plain -= 1
            hidden = _hidden_blocks(size - log, *trees) + _hidden_blocks(last, *trees)
        else:
            hidden = _hidden_blocks(last - log, *trees)
        hidden += plain * _hidden_blocks(size, *trees)
        root_inodes = 8
        free = blocks - number * self._headers - log - root_inodes
        return free - hidden - min(blocks // 20, 8192) - 8 * number


_mkfs = lru_cache(maxsize=64)(_Mkfs)


def _allocation_groups(blocks: int, sunit: int, swidth: int) -> _Groups:
    size = _default_group(blocks, striped=sunit > 0)
    if sunit:
        size = _aligned_group(blocks, size, sunit, swidth)
    count = -(-blocks // size)
    tail = blocks % size
    if 0 < tail < _SMALLEST_AG and count > 1:
        return _Groups(count - 1, size, (count - 1) * size)
    return _Groups(count, size, blocks)


def _default_group(blocks: int, *, striped: bool) -> int:
    """Blocks of a group before alignment (libxfs topology: calc_default_ag_geometry)."""
    if blocks >= 32 * TIB // BLOCK:
        return _LARGEST_AG
    if not striped and blocks >= 4 * TIB // BLOCK:
        return _LARGEST_AG
    count = 4 if not striped else 8 if blocks <= 8 * GIB // BLOCK else 16 if blocks <= 512 * GIB // BLOCK else 32
    return min(-(-blocks // count), _LARGEST_AG)


def _aligned_group(blocks: int, size: int, sunit: int, swidth: int) -> int:
    """Groups start on a stripe unit, and on purpose not all on the same disk of the stripe (align_ag_geometry)."""
    if size % sunit:
        unaligned = size
        size = round_up(size, sunit)
        if size > _LARGEST_AG:
            size = round_down(unaligned, sunit)
    if size % swidth == 0 and swidth != sunit and -(-blocks // size) > 1:
        size += -sunit if size - sunit >= _SMALLEST_AG else sunit
    return size


def _log_sunit(sunit: int, sector_bytes: int) -> int:
    chosen = 1 if sector_bytes > 512 else sunit
    return chosen if chosen <= _LARGEST_LOG_SUNIT else _FALLBACK_LOG_SUNIT


def _log_blocks(groups: _Groups, unit: int, headers: int) -> int:
    """Blocks of the log, a multiple of `unit`; its allocation group also holds headers and five more blocks."""
    most = min(_LARGEST_LOG, groups.size - headers - 5)
    log = min(max(groups.blocks // 2048, _LEAST_LOG), most)
    if unit and log % unit:
        longer = round_up(log, unit)
        log = longer if longer <= most else round_down(log, unit)
    return log


@lru_cache(maxsize=1024)
def _hidden_blocks(length: int, reflink: bool, rmapbt: bool) -> int:
    """Blocks that a group of `length` reserves for its free-inode, refcount and reverse-map trees, beyond their roots.

    The reverse map's own root counts as none (xfs_rmapbt_calc_reserves).
    """
    free_inodes = _tree_blocks(126, 252, length * 8 // 64) - 1
    refcount = _tree_blocks(168, 252, length) - 1 if reflink else 0
    reverse_map = max(length // 100, _tree_blocks(84, 45, length)) if rmapbt else 0
    return free_inodes + refcount + reverse_map


def _tree_blocks(leaf_records: int, node_records: int, records: int) -> int:
    """Blocks of a full B+tree over `records`, all levels."""
    level = -(-records // leaf_records)
    total = level
    while level > 1:
        level = -(-level // node_records)
        total += level
    return total
