"""The words an admin chooses from. Apart from `design`, so that the command line can offer them at no cost."""

from __future__ import annotations

from typing import Literal

MdLevel = Literal["raid0", "raid1", "raid4", "raid5", "raid6", "raid10"]
Level = MdLevel | Literal["disk"]
"""`disk` is a disk or LUN without md"""
LEVELS: tuple[MdLevel, ...] = ("raid0", "raid1", "raid4", "raid5", "raid6", "raid10")

Metadata = Literal["1.2", "1.0", "0.90"]
Bitmap = Literal["auto", "internal", "none"]
Stack = Literal["lvm", "md", "separate"]
MadeFileSystem = Literal["xfs", "ext4"]
"""file systems that a plan makes"""
FileSystem = Literal[MadeFileSystem, "none"]
Initramfs = Literal["debian", "dracut"]
FirstSync = Literal["resync", "zeroes"]
"""how redundancy becomes true: md computes it, or it is over zeroes that were written to all members"""
FIRST_SYNCS: tuple[FirstSync, ...] = ("resync", "zeroes")
INITRAMFS: tuple[Initramfs, ...] = ("debian", "dracut")
Scheduler = Literal["none", "mq-deadline", "bfq", "kyber"]
METADATA: tuple[Metadata, ...] = ("1.2", "1.0", "0.90")
BITMAPS: tuple[Bitmap, ...] = ("auto", "internal", "none")
STACKS: tuple[Stack, ...] = ("lvm", "md", "separate")
FILE_SYSTEMS: tuple[FileSystem, ...] = ("xfs", "ext4", "none")
SCHEDULERS: tuple[Scheduler, ...] = ("none", "mq-deadline", "bfq", "kyber")
"""I/O schedulers of blk-mq (Linux 5.0 and later), as /sys/block/DISK/queue/scheduler names them"""

Direction = Literal["read", "write"]
Wish = Literal["capacity", "read", "write", "rebuild", "risk", "cost"]
WISHES: tuple[Wish, ...] = ("capacity", "read", "write", "rebuild", "risk", "cost")
Carry = Literal["missing", "always", "never"]
"""whether what a look needs is carried to hosts: only to those without raidtui, to all, or to none"""
CARRY: tuple[Carry, ...] = ("missing", "always", "never")
ColourChoice = Literal["auto", "always", "never"]
COLOUR_CHOICES: tuple[ColourChoice, ...] = ("auto", "always", "never")
TOPICS: tuple[str, ...] = (
    "notation", "sizes", "speeds", "risk", "plans", "promises", "measure", "fleet", "installers", "install",
    "terminals", "plain", "keys",
)  # fmt: skip
"""what `raidtui help TOPIC` explains; a page of Markdown each in `raidtui/topics/`"""
Purpose = Literal["streams", "small", "databases", "backup"]
"""what a file system is for: big files, many small ones, small random requests, nightly copies"""
PURPOSES: tuple[Purpose, ...] = ("streams", "small", "databases", "backup")
Outage = Literal["enclosure", "controller", "expander"]
OUTAGES: tuple[Outage, ...] = ("enclosure", "controller", "expander")
ExportFormat = Literal["kickstart", "autoinstall", "butane", "ignition", "disko", "linux-system-roles", "systemd"]
EXPORT_FORMATS: tuple[ExportFormat, ...] = (
    "kickstart", "autoinstall", "butane", "ignition", "disko", "linux-system-roles", "systemd",
)  # fmt: skip
"""installers whose files `raidtui export` writes"""
