"""Arithmetic of mkfs.xfs and of a fresh XFS mount: allocation groups, log, and the sizes shown by df.

Source: xfsprogs 6.1 to 6.13 (mkfs/xfs_mkfs.c, without the concurrency defaults that 6.8 brought, since the
product says agsize and log size itself), Linux 6.1 to 6.18 (fs/xfs: per-AG reservations). CRC is on.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from raidtui.values.design import XFS_DEFAULTS, XfsOptions
from raidtui.values.prediction import XfsGeometry
from raidtui.values.units import GIB, KIB, MIB, TIB, binary_size, exact_binary, round_down, round_up

BLOCK = 4096
"""bytes of a block unless the options say another one"""
BLOCKS = (1024, 2048, 4096)
"""block sizes that every kernel mounts, with checksums"""
LEAST_BYTES = 300 * MIB
"""mkfs.xfs since 5.19 refuses smaller ones"""
LARGEST_SWIDTH_BYTES = 2**31 - 1
"""su * sw must fit"""
_SMALLEST_AG, _LEAST_LOG, _LARGEST_LOG = 16 * MIB, 64 * MIB, 2 * GIB - 10 * MIB
_LARGEST_LOG_BLOCKS = 2**20
_LARGEST_LOG_SUNIT, _FALLBACK_LOG_SUNIT = 256 * KIB, 32 * KIB
_LONGEST_EXTENT = 2**21 - 1
"""blocks"""


class _Groups(NamedTuple):
    """Allocation groups: all of `size` blocks except the last; `blocks` in total."""

    number: int
    size: int
    blocks: int


def fits(device_bytes: int, *, sunit_bytes: int = 0, stripe_width: int = 0, options: XfsOptions = XFS_DEFAULTS) -> bool:
    """True if mkfs.xfs accepts a device of that size and a stripe of that width, on any disks.

    The minimum log must fit into one allocation group; there are 4 groups without a stripe and 8 with one.
    """
    return not problem(device_bytes, sunit_bytes=sunit_bytes, stripe_width=stripe_width, options=options)


def problem(
    device_bytes: int, *, sunit_bytes: int, stripe_width: int, sector_bytes: int = BLOCK, options: XfsOptions
) -> str:
    """Why mkfs.xfs refuses a device of that size, a stripe or options; empty if it takes them. Arguments as below."""
    if device_bytes < LEAST_BYTES or sunit_bytes * stripe_width > LARGEST_SWIDTH_BYTES:
        return f"it needs {exact_binary(LEAST_BYTES)} and a stripe below 2 GiB"
    block = options.block_bytes
    if sunit_bytes % block:
        return f"its stripe unit of {exact_binary(sunit_bytes)} is no multiple of its block"
    made = _mkfs(sunit_bytes // block, sector_bytes, options)
    return _contradiction(options) or made.problem(device_bytes // block, stripe_width)


def _contradiction(options: XfsOptions) -> str:
    """Which of `options` exclude each other, whatever the device."""
    block, log, unit = options.block_bytes, options.log_bytes, options.log_sunit_bytes
    if block not in BLOCKS:
        return f"block={exact_binary(block)}: every kernel mounts 1, 2 and 4 KiB only"
    if max(options.sector_bytes or 512, 2 * (options.inode_bytes or 512)) > block:
        return f"a sector and two inodes must fit into a block, {exact_binary(block)}"
    if options.finobt is False and options.inobtcount:
        return "inobtcount=1 needs finobt=1"
    if options.cowextsize_blocks is not None and not options.reflink:
        return "cowextsize needs reflink=1"
    if options.agcount is not None and options.agsize_bytes is not None:
        return "agcount and agsize exclude each other"
    if any(size is not None and size % block for size in (options.agsize_bytes, log, unit)):
        return f"agsize, log and log_su must be multiples of a block, {exact_binary(block)}"
    if log is not None and not _LEAST_LOG <= log <= min(_LARGEST_LOG, _LARGEST_LOG_BLOCKS * block):
        most = exact_binary(min(_LARGEST_LOG, _LARGEST_LOG_BLOCKS * block))
        return f"log={exact_binary(log)}: expected {exact_binary(_LEAST_LOG)} to {most}"
    return ""


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

    `sector_bytes` is the device's physical sector; `quotas` is the number of kinds of quota that it is mounted with,
    whose first records the mount allocates. Meaningful where there is no `problem`.
    """
    block = options.block_bytes
    mkfs = _mkfs(sunit_bytes // block, sector_bytes, options)
    groups, log, free = mkfs.made(device_bytes // block, stripe_width)
    free = max(0, free - quotas)
    imaxpct = 25 if groups.blocks < TIB // block else 5 if groups.blocks < 50 * TIB // block else 1
    return XfsGeometry(
        blocks=groups.blocks,
        block_bytes=block,
        sector_bytes=options.sector_bytes or min(sector_bytes, block),
        sunit_blocks=sunit_bytes // block,
        swidth_blocks=sunit_bytes // block * stripe_width,
        agcount=groups.number,
        agsize_blocks=groups.size,
        log_blocks=log,
        log_sunit_blocks=mkfs.log_sunit,
        imaxpct=imaxpct if options.imaxpct is None else options.imaxpct,
        statfs_blocks=groups.blocks - log,
        statfs_available_blocks=free,
        total_bytes=(groups.blocks - log) * block,
        available_bytes=free * block,
    )


class _Trees(NamedTuple):
    """What the size of a group's trees depends on."""

    block: int
    inodes: int
    """inodes of a block"""
    finobt: bool
    reflink: bool
    rmapbt: bool


class _Mkfs:
    """mkfs.xfs with one stripe unit in blocks, sector in bytes and options, for devices of any size; in blocks."""

    def __init__(self, sunit: int, sector_bytes: int, options: XfsOptions) -> None:
        self._sunit, self._options, self._block = sunit, options, options.block_bytes
        sector, inode = options.sector_bytes or min(sector_bytes, self._block), options.inode_bytes or 512
        finobt = options.finobt is not False
        self._headers = 3 * sector // self._block + 4 + finobt + options.reflink + options.rmapbt
        self.log_sunit = self._log_sunit(sector)
        self._log_unit = self.log_sunit or sunit
        self._inodes = 64 * inode // self._block
        self._trees = _Trees(self._block, self._block // inode, finobt, options.reflink, options.rmapbt)

    def made(self, blocks: int, stripe_width: int) -> tuple[_Groups, int, int]:
        """(allocation groups, blocks of the log, f_bavail without quotas); the last is below 0 on a tiny device."""
        groups = self._groups(blocks, stripe_width)
        log = self._log_blocks(groups)
        return groups, log, self._free_blocks(groups, log)

    def problem(self, blocks: int, stripe_width: int) -> str:
        """Why mkfs.xfs refuses such a device; empty if it does not."""
        groups, options, unit = self._groups(blocks, stripe_width), self._options, self._log_unit
        least, most = self._in_blocks(_SMALLEST_AG), self._in_blocks(TIB) - 1
        if not least <= groups.size <= most or groups.number < 2:
            size = binary_size(groups.size * self._block)
            return f"{groups.number} groups of {size}: it needs two or more, of 16 MiB to 1 TiB"
        if options.agcount is not None and groups.number != options.agcount:
            return f"agcount={options.agcount}: this device has {groups.number} groups of whole stripe units"
        if options.log_bytes is not None and unit and self._in_blocks(options.log_bytes) % unit:
            return f"log must be a multiple of the log's stripe unit, {exact_binary(unit * self._block)}"
        if self._log_blocks(groups) < self._in_blocks(options.log_bytes or _LEAST_LOG) - unit:
            return f"the log does not fit into an allocation group of {binary_size(groups.size * self._block)}"
        longest = max(options.cowextsize_blocks or 0, options.extszinherit_blocks or 0)
        if longest > min(_LONGEST_EXTENT, groups.size // 2):
            return f"cowextsize and extszinherit: at most {min(_LONGEST_EXTENT, groups.size // 2)} blocks"
        return ""

    def _in_blocks(self, size: int) -> int:
        return size // self._block

    def _log_sunit(self, sector: int) -> int:
        stated = self._options.log_sunit_bytes
        chosen = self._in_blocks(stated) if stated is not None else 1 if sector > 512 else self._sunit
        return chosen if chosen * self._block <= _LARGEST_LOG_SUNIT else self._in_blocks(_FALLBACK_LOG_SUNIT)

    def _free_blocks(self, groups: _Groups, log: int) -> int:
        """f_bavail of a fresh mount: free blocks less each group's reserved metadata and the kernel's reserve pool."""
        number, size, blocks = groups
        trees = self._trees
        last = blocks - (number - 1) * size
        plain = number - 1
        with_log = number // 2
        if with_log < plain:
            plain -= 1
            hidden = _hidden_blocks(size - log, trees) + _hidden_blocks(last, trees)
        else:
            hidden = _hidden_blocks(last - log, trees)
        hidden += plain * _hidden_blocks(size, trees)
        free = blocks - number * self._headers - log - self._inodes
        return free - hidden - min(blocks // 20, 8192) - 8 * number

    def _groups(self, blocks: int, stripe_width: int) -> _Groups:
        stated, count = self._options.agsize_bytes, self._options.agcount
        if stated is not None:
            size = max(1, self._in_blocks(stated))
        elif count is not None:
            size = max(1, -(-blocks // count))
        else:
            size = self._default_group(blocks)
        if self._sunit:
            size = self._aligned_group(blocks, size, self._sunit * stripe_width, stated=bool(stated or count))
        number = -(-blocks // size)
        tail = blocks % size
        if 0 < tail < self._in_blocks(_SMALLEST_AG) and number > 1:
            return _Groups(number - 1, size, (number - 1) * size)
        return _Groups(number, size, blocks)

    def _default_group(self, blocks: int) -> int:
        """Blocks of a group before alignment (libxfs topology: calc_default_ag_geometry)."""
        most, size = self._in_blocks(TIB) - 1, blocks * self._block
        if size >= (32 if self._sunit else 4) * TIB:
            return most
        count = 4 if not self._sunit else 8 if size <= 8 * GIB else 16 if size <= 512 * GIB else 32
        return min(-(-blocks // count), most)

    def _aligned_group(self, blocks: int, size: int, swidth: int, *, stated: bool) -> int:
        """Groups start on a stripe unit, and unless stated not all on the same disk (align_ag_geometry)."""
        sunit = self._sunit
        if size % sunit:
            unaligned = size
            size = round_up(size, sunit)
            if size > self._in_blocks(TIB) - 1:
                size = round_down(unaligned, sunit)
        if not stated and size % swidth == 0 and swidth != sunit and -(-blocks // size) > 1:
            size += -sunit if size - sunit >= self._in_blocks(_SMALLEST_AG) else sunit
        return size

    def _log_blocks(self, groups: _Groups) -> int:
        """Blocks of the log, a multiple of its stripe unit; its allocation group also holds headers and five blocks."""
        most = min(self._in_blocks(_LARGEST_LOG), _LARGEST_LOG_BLOCKS, groups.size - self._headers - 5)
        stated, unit = self._options.log_bytes, self._log_unit
        log = max(groups.blocks // 2048, self._in_blocks(_LEAST_LOG)) if stated is None else self._in_blocks(stated)
        log = min(log, most)
        if unit and log % unit:
            longer = round_up(log, unit)
            log = longer if longer <= most else round_down(log, unit)
        last = groups.blocks - (groups.number - 1) * groups.size
        room = last if groups.number // 2 == groups.number - 1 else groups.size
        over = round_up(self._headers, unit or 1) + log - room
        return log if over <= 0 else log - unit if 0 < over <= unit < log else 0


_mkfs = lru_cache(maxsize=64)(_Mkfs)


@lru_cache(maxsize=1024)
def _hidden_blocks(length: int, trees: _Trees) -> int:
    """Blocks that a group of `length` reserves for its free-inode, refcount and reverse-map trees, beyond their roots.

    The reverse map's own root counts as none (xfs_rmapbt_calc_reserves).
    """
    room = trees.block - 56
    node = room // 8 // 2
    free_inodes = _tree_blocks(room // 16 // 2, node, length * trees.inodes // 64) - 1 if trees.finobt else 0
    refcount = _tree_blocks(room // 12 // 2, node, length) - 1 if trees.reflink else 0
    mapped = _tree_blocks(room // 24 // 2, room // 44 // 2, length)
    return free_inodes + refcount + (max(length // 100, mapped) if trees.rmapbt else 0)


def _tree_blocks(leaf_records: int, node_records: int, records: int) -> int:
    """Blocks of a full B+tree over `records`, all levels."""
    level = -(-records // leaf_records)
    total = level
    while level > 1:
        level = -(-level // node_records)
        total += level
    return total
