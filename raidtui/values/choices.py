"""The words an admin chooses from. Apart from `design`, so that the command line can offer them at no cost."""

from __future__ import annotations

from typing import Literal, get_args

MdLevel = Literal["raid0", "raid1", "raid4", "raid5", "raid6", "raid10"]
Level = MdLevel | Literal["disk"]
"""`disk` is a disk or LUN without md"""
LEVELS: tuple[MdLevel, ...] = get_args(MdLevel)

Metadata = Literal["1.2", "1.0", "0.90"]
Bitmap = Literal["auto", "internal", "none"]
Stack = Literal["lvm", "md", "separate"]
MadeFileSystem = Literal["xfs", "ext4"]
"""file systems that a plan makes"""
FileSystem = Literal[MadeFileSystem, "none"]
Initramfs = Literal["debian", "dracut"]
CryptLayer = Literal["volume", "arrays"]
"""volume: LUKS2 below every file system; arrays: on every array, below what joins them"""
Encrypted = Literal["none", "volume", "arrays"]
"""see CryptLayer"""
ENCRYPTED: tuple[Encrypted, ...] = get_args(Encrypted)
FirstSync = Literal["resync", "zeroes"]
"""how redundancy becomes true: md computes it, or it is over zeroes that were written to all members"""
FIRST_SYNCS: tuple[FirstSync, ...] = get_args(FirstSync)
INITRAMFS: tuple[Initramfs, ...] = get_args(Initramfs)
Scheduler = Literal["none", "mq-deadline", "bfq", "kyber"]
METADATA: tuple[Metadata, ...] = get_args(Metadata)
BITMAPS: tuple[Bitmap, ...] = get_args(Bitmap)
STACKS: tuple[Stack, ...] = get_args(Stack)
MADE_FILE_SYSTEMS: tuple[MadeFileSystem, ...] = get_args(MadeFileSystem)
FILE_SYSTEMS: tuple[FileSystem, ...] = get_args(FileSystem)
SCHEDULERS: tuple[Scheduler, ...] = get_args(Scheduler)
"""I/O schedulers of blk-mq (Linux 5.0 and later), as /sys/block/DISK/queue/scheduler names them"""

Direction = Literal["read", "write"]
Wish = Literal["capacity", "read", "write", "random-read", "random-write", "rebuild", "risk", "cost"]
WISHES: tuple[Wish, ...] = get_args(Wish)
Carry = Literal["missing", "always", "never"]
"""whether what a look needs is carried to hosts: only to those without raidtui, to all, or to none"""
CARRY: tuple[Carry, ...] = get_args(Carry)
ColourChoice = Literal["auto", "always", "never"]
COLOUR_CHOICES: tuple[ColourChoice, ...] = get_args(ColourChoice)
TOPICS: tuple[str, ...] = (
    "notation", "sizes", "speeds", "risk", "plans", "promises", "measure", "fleet", "installers", "install",
    "mkfs", "mount", "luks", "boot", "integrity", "journal", "states", "rules", "growth", "terminals", "plain", "keys",
    "words",
)  # fmt: skip
"""what `raidtui help TOPIC` explains; a page of Markdown each in `raidtui/topics/`"""
Purpose = Literal["streams", "small", "databases", "backup"]
"""what a file system is for: big files, many small ones, small random requests, nightly copies"""
PURPOSES: tuple[Purpose, ...] = get_args(Purpose)
PURPOSE_WORDS: dict[Purpose, str] = {
    "streams": "big files", "small": "small files", "databases": "databases", "backup": "backup",
}  # fmt: skip
Outage = Literal["enclosure", "controller", "expander"]
OUTAGES: tuple[Outage, ...] = get_args(Outage)
ExportFormat = Literal["kickstart", "autoinstall", "butane", "ignition", "disko", "linux-system-roles", "systemd"]
EXPORT_FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)
"""installers whose files `raidtui export` writes"""


def made_kind(content: str) -> MadeFileSystem | None:
    """The file system that udev or a mount calls so; None for one that no plan makes."""
    return next((kind for kind in MADE_FILE_SYSTEMS if kind == content), None)
