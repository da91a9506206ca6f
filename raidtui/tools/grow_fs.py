"""Growing a mounted file system to the end of its device: xfs_growfs(8), resize2fs(8).

XFS adds no allocation group of fewer than 64 blocks (xfs_fsops.c, XFS_MIN_AG_BLOCKS); resize2fs adds no last block
group that would have little room beside its own tables (resize2fs.c), so that its size is stated up to the last group.
"""

from __future__ import annotations

from raidtui.model.choices import MadeFileSystem
from raidtui.model.plan import Command

_LEAST_AG = 64
_LEAST_GROUP = 4096
"""blocks; tables of a group of ext4 have fewer with any options of mkfs"""


def grow(kind: MadeFileSystem, device: str, place: str, blocks: int) -> Command:
    """Grows the file system on `device`, mounted at `place`, to `blocks`, which `most_blocks` gave."""
    if kind == "xfs":
        return Command(argv=("xfs_growfs", "-d", place), effect="change", devices=(device,), place=place)
    return Command(argv=("resize2fs", device, str(blocks)), effect="change", devices=(device,), place=place)


def most_blocks(kind: MadeFileSystem, device_bytes: int, block_bytes: int, group_blocks: int) -> int:
    """Blocks that the file system has at most on a device, with groups of `group_blocks`."""
    blocks = device_bytes // block_bytes
    rest = blocks % group_blocks
    return blocks - rest if rest < (_LEAST_AG if kind == "xfs" else _LEAST_GROUP) else blocks
