"""A design: a layout and everything else the admin chooses; what `raidtui model` takes."""

from __future__ import annotations

from dataclasses import dataclass

from raidtui.model.choices import Bitmap, FileSystem, Metadata, Stack
from raidtui.model.codec_rules import STRICT
from raidtui.model.layout import Layout

DEFAULT_CHUNK = 512 * 1024
"""bytes; mdadm's own default"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """What the admin asks for; which disks it lands on is said beside it."""

    __pydantic_config__ = STRICT

    layout: Layout
    """arrays, members, spares"""
    chunk_bytes: int = DEFAULT_CHUNK
    """chunk of levels that have one; for mirrors the LVM stripe size"""
    metadata: Metadata = "1.2"
    """md superblock version"""
    bitmap: Bitmap = "auto"
    """write-intent bitmap; auto means internal above 100 GiB a member, as mdadm 4.2 does, said explicitly"""
    ppl: bool = False
    """partial parity log in place of the bitmap (RAID5 only)"""
    stack: Stack = "lvm"
    """how several arrays become one volume; one array carries its file system directly"""
    fs: FileSystem = "xfs"
    """file system on the volume"""
