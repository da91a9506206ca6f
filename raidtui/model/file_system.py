"""What mkfs and mount are told beyond the geometry; the defaults are those of a plan that says nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidtui.model.codec_rules import Value

Quota = Literal["user", "group", "project"]
QUOTAS: tuple[Quota, ...] = ("user", "group", "project")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class XfsOptions(Value):
    """Options of mkfs.xfs."""

    reflink: bool = True
    """files can share blocks (cp --reflink); costs reserved space for the reference counts"""
    rmapbt: bool = False
    """each block's owner is recorded, for online scrub and repair; costs about 1 % of the space and some writes"""
    bigtime: bool | None = None
    """timestamps until 2486 instead of 2038; None: as mkfs.xfs chooses, which is True since 5.15"""


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
