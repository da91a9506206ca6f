"""mkfs.ext4: features, inodes, journal and stripe as explicit options (e2fsprogs 1.46 to 1.47, mke2fs(8)).

mke2fs.conf differs between distributions, and -O none forgets it. orphan_file, a default of newer
versions that older ones do not know, is left out by not naming it. No -F.
"""

from __future__ import annotations

from raidtui.values.design import EXT4_DEFAULTS, Ext4Options, Quota
from raidtui.values.plan import Command
from raidtui.values.prediction import Ext4Geometry
from raidtui.values.units import MIB

_FEATURES = (
    "none", "has_journal", "ext_attr", "dir_index", "filetype", "extent", "64bit", "flex_bg", "sparse_super",
    "large_file", "huge_file", "dir_nlink", "extra_isize", "metadata_csum",
)  # fmt: skip
_QUOTA_TYPES: dict[Quota, str] = {"user": "usrquota", "group": "grpquota", "project": "prjquota"}
_QUOTA_INODES: dict[Quota, int] = {"user": 3, "group": 4, "project": 12}
"""inodes of the quota files: two are reserved, that of projects is the first free one after lost+found"""
_RESIZE_LIMIT_BLOCKS = 2**32 - 1
"""mke2fs refuses resize_inode above"""


def mkfs(device: str, uuid: str, geometry: Ext4Geometry, options: Ext4Options = EXT4_DEFAULTS) -> Command:
    """Makes the file system that was predicted, with `options`; nothing is discarded."""
    argv = ("mkfs.ext4", "-q", *value_options(uuid, geometry, options), device, str(geometry.blocks))
    return Command(argv=argv, effect="destroy", devices=(device,))


def value_options(uuid: str | None, geometry: Ext4Geometry, options: Ext4Options = EXT4_DEFAULTS) -> tuple[str, ...]:
    """The options of `mkfs`; without -U if `uuid` is None. The number of blocks is no option."""
    features = _FEATURES + (("resize_inode",) if geometry.blocks <= _RESIZE_LIMIT_BLOCKS else ())
    features += ("quota",) if options.quotas else ()
    features += ("project",) if "project" in options.quotas else ()
    features += options.features
    extended = "nodiscard"
    if geometry.stride_blocks:
        extended += f",stride={geometry.stride_blocks},stripe_width={geometry.stripe_width_blocks}"
    if options.lazy_itable_init is not None:
        extended += f",lazy_itable_init={options.lazy_itable_init:d}"
    if options.lazy_journal_init is not None:
        extended += f",lazy_journal_init={options.lazy_journal_init:d}"
    if options.packed_meta_blocks is not None:
        extended += f",packed_meta_blocks={options.packed_meta_blocks:d}"
    if options.quotas:
        extended += ",quotatype=" + ":".join(_QUOTA_TYPES[quota] for quota in options.quotas)
    named = () if uuid is None else ("-U", uuid)
    flex = () if options.flex_bg is None else ("-G", str(options.flex_bg))
    return (
        "-b", str(geometry.block_bytes), *named, "-O", ",".join(features),
        "-I", str(options.inode_bytes or 256), *flex, "-N", str(geometry.inodes), "-m", f"{options.reserved_percent:g}",
        "-J", f"size={geometry.journal_blocks * geometry.block_bytes // MIB}", "-E", extended,
    )  # fmt: skip


def geometry_question(device: str) -> tuple[str, ...]:
    """The superblock as `Name: value` lines."""
    return ("dumpe2fs", "-h", device)


def geometry_answers(geometry: Ext4Geometry, options: Ext4Options = EXT4_DEFAULTS) -> tuple[tuple[str, str], ...]:
    """Expected output of `geometry_question` for this geometry and these options."""
    answers = [
        ("Block size", geometry.block_bytes),
        ("Block count", geometry.blocks),
        ("Reserved block count", geometry.reserved_blocks),
        ("Inode count", geometry.inodes),
    ]
    if geometry.stride_blocks:
        answers += [("RAID stride", geometry.stride_blocks), ("RAID stripe width", geometry.stripe_width_blocks)]
    stated = {
        "Inode size": options.inode_bytes, "Flex block group size": options.flex_bg,
        "Total journal blocks": geometry.journal_blocks if options.journal_bytes else None,
        "MMP update interval": 5 if "mmp" in options.features else None,
        "Orphan file inode": 12 + ("project" in options.quotas) if "orphan_file" in options.features else None,
    }  # fmt: skip
    answers += [(name, value) for name, value in stated.items() if value is not None]
    answers += [(f"{quota.title()} quota inode", _QUOTA_INODES[quota]) for quota in options.quotas]
    return tuple((name, str(value)) for name, value in answers)
