"""What mkfs and mount are told beyond the geometry; the defaults are those of a plan that says nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from raidtui.model.codec_rules import Value

Quota = Literal["user", "group", "project"]
QUOTAS: tuple[Quota, ...] = ("user", "group", "project")
Ext4Feature = Literal[
    "ea_inode",
    "encrypt",
    "inline_data",
    "large_dir",
    "metadata_csum_seed",
    "mmp",
    "orphan_file",
    "stable_inodes",
    "verity",
]
EXT4_FEATURES: tuple[Ext4Feature, ...] = get_args(Ext4Feature)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ext4Options(Value):
    """Options of mkfs.ext4."""

    block_bytes: int = 4096
    """bytes of a block: 1024, 2048 or 4096"""
    reserved_percent: float = 5.0
    """share of the blocks that only root may fill, in per cent"""
    inode_ratio: int | None = None
    """bytes of the file system per inode; None: mke2fs.conf's own by size"""
    quotas: tuple[Quota, ...] = ()
    """kinds of quota that the file system accounts from its first mount on; empty: no quota feature. With `project`
    inodes have a project id"""
    lazy_itable_init: bool | None = None
    """False: mkfs writes the inode tables before it ends; True: the kernel does in the background after the first
    mount; None: as mke2fs chooses, which is True on every kernel since 2.6.37"""
    lazy_journal_init: bool | None = None
    """False: mkfs overwrites the journal with zeros; True: it does not; None: as mke2fs.conf has it, mostly False"""
    inode_bytes: int | None = None
    """bytes of an inode; None: 256"""
    inodes: int | None = None
    """number of inodes, at least; None: by their ratio"""
    journal_bytes: int | None = None
    """bytes of the journal; None: by size"""
    flex_bg: int | None = None
    """groups whose tables are together; None: 16"""
    packed_meta_blocks: bool | None = None
    """True: all tables and the journal are at the beginning; None: spread over the file system"""
    features: tuple[Ext4Feature, ...] = ()
    """features of -O beyond those that every plan has"""


@dataclass(frozen=True, slots=True, kw_only=True)
class XfsOptions(Value):
    """Options of mkfs.xfs."""

    reflink: bool = True
    """files can share blocks (cp --reflink); costs reserved space for the reference counts"""
    rmapbt: bool = False
    """each block's owner is recorded, for online scrub and repair; costs about 1 % of the space and some writes"""
    bigtime: bool | None = None
    """timestamps until 2486 instead of 2038; None: as mkfs.xfs chooses, which is True since 5.15"""
    block_bytes: int = 4096
    """bytes of a block: 1024, 2048 or 4096"""
    sector_bytes: int | None = None
    """bytes of a sector, the least that it writes; None: the device's physical sector"""
    inode_bytes: int | None = None
    """bytes of an inode; None: 512"""
    finobt: bool | None = None
    """each group has a tree of its free inodes; None: yes"""
    inobtcount: bool | None = None
    """each group counts the blocks of its inode trees, which makes a mount faster; None: as finobt"""
    sparse: bool | None = None
    """inodes are allocated where no run for 64 of them is free, too; None: as mkfs.xfs chooses, which is True"""
    nrext64: bool | None = None
    """files may have more than 2^31 extents; None: as mkfs.xfs chooses, which is True since 6.5"""
    imaxpct: int | None = None
    """per cent of the space that inodes may take; None: by size"""
    agcount: int | None = None
    """number of allocation groups; None: by size"""
    agsize_bytes: int | None = None
    """bytes of an allocation group; None: by size"""
    log_bytes: int | None = None
    """bytes of the log; None: by size"""
    log_sunit_bytes: int | None = None
    """stripe unit of the log; None: the stripe unit, a block with sectors above 512 bytes"""
    directory_bytes: int | None = None
    """bytes of a directory's block; None: 4096"""
    cowextsize_blocks: int | None = None
    """blocks that a copy on write takes at least; None: the kernel's 32"""
    extszinherit_blocks: int | None = None
    """blocks that a growing file takes at least; None: no such hint"""


XFS_DEFAULTS = XfsOptions()
EXT4_DEFAULTS = Ext4Options()


@dataclass(frozen=True, slots=True, kw_only=True)
class MountOption(Value):
    """One option of mount(8)."""

    name: str
    """as the table of mount options spells it"""
    value: str = ""
    """behind the equals sign; empty for an option that has none"""

    @property
    def text(self) -> str:
        """As fstab has it."""
        return f"{self.name}={self.value}" if self.value else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSystemOptions(Value):
    """Options of the file system and of its mount. Those of the type that a design does not have stay unused."""

    xfs: XfsOptions = XFS_DEFAULTS
    """of mkfs.xfs"""
    ext4: Ext4Options = EXT4_DEFAULTS
    """of mkfs.ext4"""
    mount: tuple[MountOption, ...] = ()
    """of mount(8), beyond those that every plan has"""


DEFAULTS = FileSystemOptions()
