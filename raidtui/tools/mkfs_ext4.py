"""mkfs.ext4: features, inodes, journal and stripe as explicit options (e2fsprogs 1.45 to 1.47, mke2fs(8)).

mke2fs.conf differs between distributions, and -O none forgets it. orphan_file, a default of newer
versions that older ones do not know, is left out by not naming it. No -F.
"""

from __future__ import annotations

from raidtui.model.geometry import Ext4Geometry
from raidtui.model.plan import Command
from raidtui.model.units import MIB

_FEATURES = (
    "none", "has_journal", "ext_attr", "dir_index", "filetype", "extent", "64bit", "flex_bg", "sparse_super",
    "large_file", "huge_file", "dir_nlink", "extra_isize", "metadata_csum",
)  # fmt: skip
_RESIZE_LIMIT_BLOCKS = 2**32 - 1
"""mke2fs refuses resize_inode above"""


def mkfs(device: str, uuid: str, geometry: Ext4Geometry) -> Command:
    """Makes the file system that was predicted; nothing is discarded."""
    features = _FEATURES + (("resize_inode",) if geometry.blocks <= _RESIZE_LIMIT_BLOCKS else ())
    extended = "nodiscard"
    if geometry.stride_blocks:
        extended += f",stride={geometry.stride_blocks},stripe_width={geometry.stripe_width_blocks}"
    argv = (
        "mkfs.ext4", "-q", "-b", str(geometry.block_bytes), "-U", uuid, "-O", ",".join(features),
        "-I", "256", "-N", str(geometry.inodes), "-m", "5",
        "-J", f"size={geometry.journal_blocks * geometry.block_bytes // MIB}", "-E", extended, device,
        str(geometry.blocks),
    )  # fmt: skip
    return Command(argv=argv, effect="destroy", devices=(device,))


def geometry_question(device: str) -> tuple[str, ...]:
    """The superblock as `Name: value` lines."""
    return ("dumpe2fs", "-h", device)


def geometry_answers(geometry: Ext4Geometry) -> tuple[tuple[str, str], ...]:
    """Expected output of `geometry_question` for this geometry."""
    answers = [
        ("Block size", geometry.block_bytes),
        ("Block count", geometry.blocks),
        ("Reserved block count", geometry.reserved_blocks),
        ("Inode count", geometry.inodes),
    ]
    if geometry.stride_blocks:
        answers += [("RAID stride", geometry.stride_blocks), ("RAID stripe width", geometry.stripe_width_blocks)]
    return tuple((name, str(value)) for name, value in answers)
