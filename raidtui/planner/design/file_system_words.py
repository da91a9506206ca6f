"""Options of file system and mount from the words that options and recipes hold."""

from __future__ import annotations

from dataclasses import replace

from raidtui.model.choices import MadeFileSystem
from raidtui.model.file_system import DEFAULTS, Ext4Options, FileSystemOptions, MountOption, XfsOptions
from raidtui.tools.mkfs_options import measurable, parse_ext4, parse_xfs


def parse_mkfs(text: str, kind: MadeFileSystem) -> XfsOptions | Ext4Options:
    """The options of mkfs in `text`, for a file system of this type. Raises ValueError."""
    match kind:
        case "xfs":
            return parse_xfs(text)
        case "ext4":
            return parse_ext4(text)


def file_system_options(
    kind: MadeFileSystem,
    *,
    made: XfsOptions | Ext4Options | None,
    mount: tuple[MountOption, ...],
    benchmark_follows: bool,
) -> FileSystemOptions | None:
    """Options of a file system of this type; None if all are defaults. `made`: None for mkfs without options."""
    options = FileSystemOptions(mount=mount)
    if isinstance(made, XfsOptions):
        options = replace(options, xfs=made)
    elif made is not None:
        options = replace(options, ext4=made)
    if kind == "ext4" and benchmark_follows:
        options = replace(options, ext4=measurable(options.ext4))
    return None if options == DEFAULTS else options
