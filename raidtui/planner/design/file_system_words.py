"""Options of mkfs from the words that options and recipes hold, and back."""

from __future__ import annotations

from raidtui.model.choices import MadeFileSystem
from raidtui.model.design import Design
from raidtui.model.file_system import Ext4Options, XfsOptions
from raidtui.tools.mkfs_options import ext4_words, parse_ext4, parse_xfs, xfs_words


def parse_mkfs(text: str, kind: MadeFileSystem) -> XfsOptions | Ext4Options:
    """The options of mkfs in `text`, for a file system of this type. Raises ValueError."""
    match kind:
        case "xfs":
            return parse_xfs(text)
        case "ext4":
            return parse_ext4(text)


def mkfs_words(design: Design) -> str:
    """The words that `parse_mkfs` reads as the options of mkfs of `design`; empty for the defaults."""
    match design.fs:
        case "xfs":
            return xfs_words(design.options.xfs)
        case "ext4":
            return ext4_words(design.options.ext4)
        case "none":
            return ""
