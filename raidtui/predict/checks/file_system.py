"""Findings about the file system on the volume: size limits, and stripes that it cannot record or ignores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidtui.programs import mkfs_options, mount_options
from raidtui.sizes import ext4, xfs
from raidtui.values.amounts import stated_percent
from raidtui.values.choices import MadeFileSystem
from raidtui.values.design import Design, Ext4Options, XfsOptions
from raidtui.values.findings import Finding, error, names, note, subject, warning
from raidtui.values.inventory import Disk
from raidtui.values.members import ArrayDisks
from raidtui.values.options import ROW
from raidtui.values.units import KIB, TIB, binary_size, exact_binary

_MOST_RESERVED = 50
"""per cent"""


def check_file_system(
    design: Design, sizes: Sequence[int], stripes: Sequence[tuple[int, int]], sector_bytes: int
) -> list[Finding]:
    """Findings about file systems on devices of `sizes` bytes with `stripes` of (unit bytes, units), one each.

    `sector_bytes`: the largest logical sector of the disks below, which the devices have too.
    """
    if min(sizes) == 0:
        return []
    found: list[Finding] = []
    options = design.options.ext4
    if design.fs != "none":
        try:
            mkfs_options.parse_mkfs(mkfs_options.mkfs_words(design), design.fs)
        except ValueError as problem:
            return [error("mkfs-option", f"mkfs option {problem}.", "change --mkfs", "fs")]
        found += _mkfs_options(design, design.fs)
    if design.fs == "ext4":
        wrong = list(_ext4_options(options, sector_bytes))
        if wrong:
            return wrong
        found += _ext4_size(sizes, options)
    elif design.fs == "xfs":
        found += _xfs_sectors(design.options.xfs, sector_bytes)
    for stripe in sorted(set(stripes), reverse=True):
        match design.fs:
            case "xfs":
                alike = [size for size, own in zip(sizes, stripes, strict=True) if own == stripe]
                found += _xfs(alike, *stripe, design.options.xfs)
            case "ext4":
                found += _ext4_stripe(*stripe, options.block_bytes)
            case "none":
                pass
    if design.fs == "ext4":
        found += _ext4_writes(design, sizes)
    if design.fs != "none":
        found += _mount_options(design, design.fs, any(unit for unit, _ in stripes))
    return found


def _mkfs_options(design: Design, kind: MadeFileSystem) -> Iterator[Finding]:
    """What each option of mkfs does and costs."""
    for word, text in mkfs_options.stated(design.options, kind):
        told = (
            {text: word.does}
            if word.does
            else {f"features={name}": mkfs_options.FEATURES[name] for name in design.options.ext4.features}
        )
        for option, does in told.items():
            yield note("mkfs-option", f"mkfs option {option}: {does}.", "leave it out of --mkfs if unwanted", "fs")


def _xfs_sectors(options: XfsOptions, sector_bytes: int) -> Iterator[Finding]:
    if min(options.block_bytes, options.sector_bytes or sector_bytes) < sector_bytes:
        yield error(
            "xfs-below-sector",
            f"The disks have logical sectors of {exact_binary(sector_bytes)}: mkfs.xfs refuses less.",
            "leave block and sector out of --mkfs",
            "fs",
        )


def _xfs(sizes: Sequence[int], sunit: int, width: int, options: XfsOptions) -> Iterator[Finding]:
    reason = xfs.problem(min(sizes), sunit_bytes=sunit, stripe_width=width, options=options)
    if sunit * width > xfs.LARGEST_SWIDTH_BYTES:
        yield error(
            "xfs-stripe-too-wide",
            f"Full stripe of {binary_size(sunit * width)}: XFS supports less than 2 GiB.",
            "use a smaller chunk",
            "chunk",
        )
    elif reason and xfs.fits(min(sizes), sunit_bytes=sunit, stripe_width=width):
        yield error("xfs-options", f"mkfs.xfs refuses these options: {reason}.", "change --mkfs", "fs")
    elif reason:
        yield error(
            "xfs-too-small",
            f"XFS needs {exact_binary(xfs.LEAST_BYTES)}, striped 513 MiB; the volume has {binary_size(min(sizes))}.",
            "use larger disks, or ext4",
            "fs",
        )
    elif sunit and width > 1 and (options.agcount or options.agsize_bytes):
        made = xfs.xfs_geometry(min(sizes), sunit_bytes=sunit, stripe_width=width, options=options)
        if made.agsize_blocks % made.swidth_blocks == 0:
            yield warning(
                "xfs-groups-on-one-disk",
                "Allocation groups of whole stripes: all of them start on the same disk, which holds their metadata.",
                "use another --mkfs agcount or agsize",
                "fs",
            )


def _ext4_options(options: Ext4Options, sector_bytes: int) -> Iterator[Finding]:
    """Values that mke2fs refuses, or that raidtui does not model."""
    block, ratio = options.block_bytes, options.inode_ratio
    if block not in ext4.BLOCKS:
        yield error(
            "ext4-block-size",
            f"Block size of {exact_binary(block)}: every kernel mounts 1, 2 and 4 KiB only.",
            "use --mkfs block=4K",
            "fs",
        )
    elif block < sector_bytes:
        yield error(
            "ext4-block-below-sector",
            f"Block size of {exact_binary(block)}: the disks have logical sectors of {exact_binary(sector_bytes)}, "
            "mkfs.ext4 refuses smaller blocks.",
            f"use --mkfs block={sector_bytes // KIB}K",
            "fs",
        )
    elif ratio is not None and not block <= ratio <= ext4.LARGEST_INODE_RATIO:
        yield error(
            "ext4-inode-ratio",
            f"Inode ratio of {exact_binary(ratio)}: expected {exact_binary(block)}, a block, to 64 MiB.",
            "use for example --mkfs inode_ratio=64K",
            "fs",
        )
    if not 0 <= options.reserved_percent <= _MOST_RESERVED:
        yield error(
            "ext4-reserved",
            f"Reserved share of {stated_percent(options.reserved_percent / 100)}: mke2fs accepts 0 to "
            f"{stated_percent(_MOST_RESERVED / 100)}.",
            "use for example --mkfs reserved=1%",
            "fs",
        )


def _ext4_writes(design: Design, sizes: Sequence[int]) -> Iterator[Finding]:
    """What mkfs writes before it ends, where it is told to."""
    options = design.options.ext4
    if options.lazy_itable_init is not False or not ext4.fits(max(sizes), options=options):
        return
    inodes = sum(ext4.ext4_geometry(size, options=options).inodes for size in sizes)
    tables = inodes * (options.inode_bytes or ext4.INODE_BYTES)
    yield note(
        "ext4-eager-init",
        f"mkfs.ext4 writes {binary_size(tables)} of inode tables before it ends; later no "
        "background thread of the kernel writes them, which would lower the rates of a benchmark.",
        "a larger inode ratio writes less: --mkfs inode_ratio=1M",
        "fs",
    )


def _mount_options(design: Design, kind: MadeFileSystem, striped: bool) -> Iterator[Finding]:
    """What each mount option does; errors for those that cannot be, alone or together."""
    options = design.options.mount
    for option in options:
        problem = mount_options.problem_of(option, kind)
        if problem:
            yield error("mount-option", f"Mount option {problem}.", "leave it out of --mount-options", "fs")
            continue
        known = mount_options.entry(option, kind)
        if known is None:
            continue
        if known.striped and not striped:
            yield error(
                "mount-option-stripe",
                f"Mount option {option.name} does nothing without a stripe, which a single mirror does not have.",
                "leave it out of --mount-options",
                "fs",
            )
        yield note(
            "mount-option", f"Mount option {option.text}: {known.does}.", "leave it out of --mount-options if unwanted",
            "fs",
        )  # fmt: skip
        if kind == "ext4" and known.quota is not None and known.quota not in design.options.ext4.quotas:
            yield error(
                "mount-option-quota",
                f"Mount option {option.name} needs the {known.quota} quota of the file system.",
                f"add --mkfs quota={':'.join((*design.options.ext4.quotas, known.quota))}",
                "fs",
            )
    for left, right in mount_options.conflicts(options, kind):
        yield error(
            "mount-options-conflict",
            f"Mount options {left} and {right} exclude each other.",
            "leave one of them out of --mount-options",
            "fs",
        )


def _ext4_size(sizes: Sequence[int], options: Ext4Options) -> Iterator[Finding]:
    block = options.block_bytes
    if min(sizes) < ext4.LEAST_BYTES:
        yield error(
            "ext4-too-small",
            f"The volume has {binary_size(min(sizes))}; raidtui supports ext4 from {exact_binary(ext4.LEAST_BYTES)}.",
            "use larger disks",
            "fs",
        )
    largest = ext4.largest_bytes(block)
    if max(sizes) > largest:
        yield error(
            "ext4-too-large",
            f"The volume has {binary_size(max(sizes))}; ext4 supports at most {binary_size(largest)}.",
            "use XFS, or separate file systems",
            "fs",
        )
        return
    reason = next(
        filter(None, (ext4.problem(size, options) for size in sorted({*sizes}) if size >= ext4.LEAST_BYTES)), ""
    )
    if reason:
        yield error("ext4-options", f"mkfs.ext4 refuses these options: {reason}.", "change --mkfs", "fs")
    if max(sizes) >= 16 * TIB:
        yield note(
            "ext4-over-16-tib",
            f"ext4 of {binary_size(max(sizes))} needs the 64bit feature and has no resize inode; files end at 16 TiB.",
            "consider XFS at this size",
            "fs",
        )


def _ext4_stripe(sunit: int, width: int, block: int) -> Iterator[Finding]:
    stride = sunit // block
    if stride > ext4.LARGEST_STRIDE:
        yield error(
            "ext4-stride-too-large",
            f"A chunk of {exact_binary(sunit)} is a stride of {stride} blocks; ext4 supports {ext4.LARGEST_STRIDE}.",
            "use a smaller chunk",
            "chunk",
        )
    elif stride * width > ext4.LARGEST_STRIPE_WIDTH:
        yield warning(
            "ext4-stripe-ignored",
            f"Stripe width of {stride * width} blocks: the kernel ignores values above {ext4.LARGEST_STRIPE_WIDTH}.",
            "use a smaller chunk, or XFS",
            "chunk",
        )
    elif width & (width - 1):
        yield note(
            "ext4-odd-width",
            f"Full stripes of {width} chunks: ext4's allocator aligns well only to powers of two.",
            "use XFS, which handles any width, or 2, 4, 8 or 16 data disks",
            "fs",
        )


# Findings about zeroes that stand for the first sync: every member must have Write Zeroes.


_RESYNC = "leave out --first-sync zeroes: md then syncs the arrays (resync)"


def check_first_sync(design: Design, shares: Sequence[ArrayDisks]) -> Iterator[Finding]:
    """Refuses zeroes where nothing is synced, and where the kernel would have to write every byte itself."""
    if not design.zeroes:
        return
    if not design.layout.survives:
        yield error("zeroes-of-nothing", "Nothing is synced without redundancy, so nothing has to be zero.", _RESYNC)
        return
    members = [disk for share in shares for disk in share.members]
    without = [disk for disk in members if disk.write_zeroes_max_bytes == 0]
    unknown = [disk for disk in members if disk.write_zeroes_max_bytes is None]
    if without:
        yield error("no-write-zeroes", f"No Write Zeroes on {names(without)}: {WRITES}.", _RESYNC, subject(without))
    if unknown:
        yield _unknown(unknown)


WRITES = "the kernel would write every byte of it"


def _unknown(disks: Sequence[Disk]) -> Finding:
    return warning(
        "write-zeroes-unknown",
        f"Not known whether there is Write Zeroes on {names(disks)}: the build looks before it writes, and refuses "
        "without.",
        "plan on the machine itself, which reads queue/write_zeroes_max_bytes",
        subject(disks),
    )


# Findings about the I/O scheduler and the queue depth that a design sets on its disks.


MOST_SATA_DEPTH = 32
"""NCQ has 32 tags (ACS; ATA_MAX_QUEUE of include/linux/libata.h)"""
_NO_DEPTH = ("nvme", "virtio", "mmc")
"""transports whose drivers have no device/queue_depth: it is an attribute of SCSI devices, and SATA disks are such"""


def check_queue(design: Design, shares: Sequence[ArrayDisks]) -> Iterator[Finding]:
    """Findings about both settings on all disks, spares included."""
    depth = design.queue_depth
    if depth is None and design.io_scheduler is None:
        return
    disks = [disk for share in shares for disk in share.members + share.spares]
    if maps := [disk for disk in disks if disk.multipath]:
        yield error(
            "queue-of-multipath",
            f"I/O scheduler and queue depth of a multipath disk are those of its paths: {names(maps)}.",
            "leave both out; set them for the paths by a udev rule of your own",
            subject(maps),
        )
        return
    if depth is not None:
        yield from _depth(depth, disks)
    yield note(
        "queue-not-predicted",
        "Predicted rates do not include an I/O scheduler or a queue depth.",
        "raidtui bench measures with and without them",
    )


def _depth(depth: int, disks: Sequence[Disk]) -> Iterator[Finding]:
    without = [disk for disk in disks if disk.transport in _NO_DEPTH]
    try:
        ROW.queue_depth.check(depth)
    except ValueError as problem:
        yield error("queue-depth", f"Invalid queue depth: {problem}.", "leave it out for the driver's own")
        return
    if without:
        yield error(
            "queue-depth-of-nothing",
            f"No queue depth can be set for {names(without)}: only SATA and SAS disks have one (device/queue_depth).",
            "leave the queue depth out",
            subject(without),
        )
    elif depth > MOST_SATA_DEPTH and (sata := [disk for disk in disks if disk.speaks_ata]):
        yield error(
            "queue-depth",
            f"Invalid queue depth {depth} for {names(sata)}: SATA disks take at most {MOST_SATA_DEPTH} requests at "
            "once (NCQ).",
            f"use 1 to {MOST_SATA_DEPTH}",
            subject(sata),
        )
