"""mkfs.xfs: every value explicit, so that neither detection nor a version's default applies (xfsprogs 5.10 to 7.2).

No -f: on a clean device it is not needed, and without it mkfs refuses one that is not. An explicit agsize and log
size leave nothing to the concurrency rules of xfsprogs 6.8; rmapbt, on by default since 6.5, is explicit too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raidtui.programs.mkfs_options import named_features
from raidtui.values.design import XFS_DEFAULTS, XfsOptions
from raidtui.values.plan import Command
from raidtui.values.prediction import XfsGeometry

FIELDS = ("blocksize", "dblocks", "agblocks", "agcount", "unit", "width", "logblocks", "sectsize", "inprogress")
"""superblock fields that `geometry_question` prints; mkfs.xfs clears the last one when all else is written"""
_BLOCK_BYTES = 4096
"""block of every mkfs.xfs that is not told another"""


def mkfs(device: str, uuid: str, geometry: XfsGeometry, options: XfsOptions = XFS_DEFAULTS) -> Command:
    """Makes the file system that was predicted, with `options`; nothing is discarded (-K)."""
    argv = ("mkfs.xfs", *value_options(uuid, geometry, options), device)
    return Command(argv=argv, effect="destroy", devices=(device,))


def typed(device: str, uuid: str, geometry: XfsGeometry, options: XfsOptions = XFS_DEFAULTS) -> tuple[str, ...]:
    """`mkfs` as a person types it: without a block of 4 KiB and a maxpct that every mkfs.xfs chooses by itself.

    The sector depends on the device; agsize and log are chosen otherwise from 6.8 on, rmapbt from 6.5 on, reflink
    before 5.1; a stripe is not always detected.
    """
    told = _values(uuid, geometry, options)
    told["-b"] = () if geometry.block_bytes == _BLOCK_BYTES else told["-b"]
    told["-i"] = told["-i"][options.imaxpct is None :]
    return ("mkfs.xfs", *_words(told), device)


def value_options(uuid: str | None, geometry: XfsGeometry, options: XfsOptions = XFS_DEFAULTS) -> tuple[str, ...]:
    """The options of `mkfs`; without -m uuid= if `uuid` is None."""
    return _words(_values(uuid, geometry, options))


def _words(told: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    given = (("-K", ""), *((name, ",".join(values)) for name, values in told.items() if values))
    return tuple(word for pair in given for word in pair if word)


def _values(uuid: str | None, geometry: XfsGeometry, options: XfsOptions) -> dict[str, tuple[str, ...]]:
    """Each option with its values."""
    block = geometry.block_bytes
    stripe: tuple[str, ...] = ("noalign",)
    if geometry.sunit_blocks:
        stripe = (f"su={geometry.sunit_blocks * block}", f"sw={geometry.swidth_blocks // geometry.sunit_blocks}")
    log_unit = (f"su={geometry.log_sunit_blocks * block}",) if geometry.log_sunit_blocks else ()
    named = () if uuid is None else (f"uuid={uuid}",)
    return {
        "-b": (f"size={block}",),
        "-s": (f"size={geometry.sector_bytes}",),
        "-m": (*named, *(f"{name}={said:d}" for name, said in named_features(options).items())),
        "-d": (
            f"agsize={geometry.agsize_blocks}b", *stripe,
            *_said(cowextsize=options.cowextsize_blocks, extszinherit=options.extszinherit_blocks),
        ),
        "-l": (f"size={geometry.log_blocks}b", *log_unit),
        "-i": (
            f"maxpct={geometry.imaxpct}",
            *_said(size=options.inode_bytes, sparse=options.sparse, nrext64=options.nrext64),
        ),
        "-n": _said(size=options.directory_bytes),
    }  # fmt: skip


def _said(**values: int | None) -> tuple[str, ...]:
    """`name=value` for each that is stated."""
    return tuple(f"{name}={value:d}" for name, value in values.items() if value is not None)


def geometry_question(device: str) -> tuple[str, ...]:
    """The primary superblock's fields as `name = value` lines; the device is opened read-only."""
    return ("xfs_db", "-r", "-c", "sb 0", "-c", f"print {' '.join(FIELDS)}", device)


def feature_question(device: str) -> tuple[str, ...]:
    """The features that kernels may lack for writing, and whether the root directory has big timestamps."""
    return (
        "xfs_db", "-r", "-c", "sb 0", "-c", "print features_ro_compat", "-c", "addr rootino", "-c", "print v3.bigtime",
        device,
    )  # fmt: skip


def option_question(device: str) -> tuple[str, ...]:
    """What options change of the superblock and of the root directory; the last one is newer than xfsprogs 5.10."""
    return (
        "xfs_db", "-r", "-c", "sb 0", "-c", "print inodesize dirblklog spino_align imax_pct logsunit",
        "-c", "addr rootino", "-c", "print core.extsize v3.cowextsize", "-c", "print v3.nrext64", device,
    )  # fmt: skip


def option_answers(options: XfsOptions) -> tuple[tuple[str, str], ...]:
    """Expected output of `option_question`; nothing where these options are the defaults."""
    block, inode, naming = options.block_bytes, options.inode_bytes or 512, options.directory_bytes
    values = {
        "inodesize": options.inode_bytes, "imax_pct": options.imaxpct, "logsunit": options.log_sunit_bytes,
        "dirblklog": None if naming is None else (naming // block).bit_length() - 1,
        "spino_align": None if options.sparse is None else 32 * inode // block if options.sparse else 0,
        "core.extsize": options.extszinherit_blocks, "v3.cowextsize": options.cowextsize_blocks,
        "v3.nrext64": options.nrext64,
    }  # fmt: skip
    return tuple((name, f"{value:d}") for name, value in values.items() if value is not None)


def feature_answers(options: XfsOptions) -> tuple[tuple[str, str], ...]:
    """Expected output of `feature_question`; nothing for the defaults, where mkfs.xfs chooses some of them."""
    if options == XFS_DEFAULTS:
        return ()
    on = named_features(options)
    bits = sum(bit for name, bit in BITS.items() if on[name])
    times = () if options.bigtime is None else (("v3.bigtime", f"{options.bigtime:d}"),)
    return (("features_ro_compat", f"{bits:#x}"), *times)


BITS = {"finobt": 1, "rmapbt": 2, "reflink": 4, "inobtcount": 8}
"""bits of features_ro_compat (fs/xfs/libxfs/xfs_format.h)"""


def geometry_answers(geometry: XfsGeometry) -> tuple[tuple[str, str], ...]:
    """Expected output of `geometry_question` for this geometry."""
    values = (
        geometry.block_bytes,
        geometry.blocks,
        geometry.agsize_blocks,
        geometry.agcount,
        geometry.sunit_blocks,
        geometry.swidth_blocks,
        geometry.log_blocks,
        geometry.sector_bytes,
        0,
    )
    return tuple((field, str(value)) for field, value in zip(FIELDS, values, strict=True))
