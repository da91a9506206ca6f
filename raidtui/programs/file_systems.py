"""File systems that a plan makes, one function a question: how it is made, read back, grown, how many files it holds.

Files are counted by stat(1) where it is mounted, by xfs_db(8), xfs_logprint(8) and dumpe2fs(8) where it is not.

An empty XFS has three inodes in use (root directory, realtime bitmap and summary), an empty ext4 eleven (ten
reserved ones and lost+found); only what is in use beyond them is counted. As in df, the log of an XFS and the
metadata that mke2fs lays out ("Overhead clusters") are no part of the blocks.

    4096 524288 519930 1048576 1048565                  stat: block size, blocks, free, inodes, free inodes
    icount = 64                                         xfs_db: inodes allocated; ifree = 61 of them are free
        log tail: 2 head: 2 state: <CLEAN>              xfs_logprint -t: the log holds nothing that is not in place
    Filesystem state:         clean                     dumpe2fs -h
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from raidtui.programs import mkfs_ext4, mkfs_xfs
from raidtui.values.choices import MadeFileSystem
from raidtui.values.design import FileSystemOptions
from raidtui.values.errors import MachineFailed
from raidtui.values.plan import Command
from raidtui.values.prediction import Ext4Geometry, XfsGeometry

SuperblockAnswers = tuple[tuple[str, str], ...]
"""field and value that a superblock must have"""
PROGRAMS: dict[MadeFileSystem, tuple[str, ...]] = {"xfs": ("mkfs.xfs", "xfs_db"), "ext4": ("dumpe2fs", "mkfs.ext4")}
"""what makes it and reads it back"""
FRESH: dict[str, int] = {"xfs": 3, "ext4": 11}
"""inodes in use right after mkfs"""
_LINE = re.compile(r"[ \t]*(.+?)[ \t]*[:=][ \t]*(.*?)[ \t]*")
_XFS_FIELDS = "blocksize dblocks logblocks fdblocks icount ifree"
QUOTA_FIELDS = ("uquotino", "gquotino", "pquotino")
"""inodes of the quota files; 0 before the first mount with quotas, `null` for a kind without one"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """Content of a file system in figures."""

    used_bytes: int
    files: int
    """beyond those of an empty one, never below 0"""
    clean: bool = True
    """False when a log or journal may hold more than was counted"""


def mkfs(device: str, uuid: str, geometry: XfsGeometry | Ext4Geometry, options: FileSystemOptions) -> Command:
    """Makes the file system on `device`."""
    match geometry:
        case XfsGeometry():
            return mkfs_xfs.mkfs(device, uuid, geometry, options.xfs)
        case Ext4Geometry():
            return mkfs_ext4.mkfs(device, uuid, geometry, options.ext4)


def typed(device: str, uuid: str, geometry: XfsGeometry | Ext4Geometry, options: FileSystemOptions) -> tuple[str, ...]:
    """`mkfs` as a person types it."""
    match geometry:
        case XfsGeometry():
            return mkfs_xfs.typed(device, uuid, geometry, options.xfs)
        case Ext4Geometry():
            return mkfs_ext4.mkfs(device, uuid, geometry, options.ext4).argv


def value_options(
    uuid: str | None, geometry: XfsGeometry | Ext4Geometry, options: FileSystemOptions
) -> tuple[str, ...]:
    """The options of `mkfs`; without a UUID if `uuid` is None."""
    match geometry:
        case XfsGeometry():
            return mkfs_xfs.value_options(uuid, geometry, options.xfs)
        case Ext4Geometry():
            return mkfs_ext4.value_options(uuid, geometry, options.ext4)


def readings(
    device: str, geometry: XfsGeometry | Ext4Geometry, options: FileSystemOptions
) -> tuple[tuple[tuple[str, ...], SuperblockAnswers], ...]:
    """Questions about the superblock, the geometry first, and what each answers about a file system made as planned."""
    asked = geometry_question(geometry.type, device)
    match geometry:
        case XfsGeometry():
            return (
                (asked, mkfs_xfs.geometry_answers(geometry)),
                (mkfs_xfs.feature_question(device), mkfs_xfs.feature_answers(options.xfs)),
                (mkfs_xfs.option_question(device), mkfs_xfs.option_answers(options.xfs)),
            )
        case Ext4Geometry():
            return ((asked, mkfs_ext4.geometry_answers(geometry, options.ext4)),)


def geometry_question(kind: MadeFileSystem, device: str) -> tuple[str, ...]:
    """The fields of the superblock, a line each."""
    match kind:
        case "xfs":
            return mkfs_xfs.geometry_question(device)
        case "ext4":
            return mkfs_ext4.geometry_question(device)


def mounted_question(place: str) -> tuple[str, ...]:
    """Figures of statfs(2) for the file system mounted at `place`."""
    return ("stat", "--file-system", "--format=%S %b %f %c %d", place)


def mounted(text: str, kind: MadeFileSystem, quota_inodes: int = 0) -> Count:
    """What `mounted_question` printed, less `quota_inodes` of quota files. MachineFailed if it is not five numbers."""
    words = text.split()
    if len(words) != 5 or not all(word.isdigit() for word in words):
        raise MachineFailed(f"unexpected output of stat: expected five numbers, found {text!r}")
    size, blocks, free, inodes, unused = map(int, words)
    files = max(inodes - unused - FRESH[kind] - quota_inodes, 0)
    return Count(used_bytes=size * (blocks - free), files=files)


def unmounted_questions(device: str, kind: MadeFileSystem, *, quotas: bool = False) -> tuple[tuple[str, ...], ...]:
    """Commands for a device that is not mounted; `unmounted` parses their output, in the same order.

    `quotas`: an XFS that may have quota files, which the first mount with quotas makes.
    """
    match kind:
        case "ext4":
            return (("dumpe2fs", "-h", device),)
        case "xfs":
            fields = f"{_XFS_FIELDS} {' '.join(QUOTA_FIELDS)}" if quotas else _XFS_FIELDS
            return (("xfs_db", "-r", "-c", "sb 0", "-c", f"print {fields}", device), ("xfs_logprint", "-t", device))


def unmounted(texts: tuple[str, ...], kind: MadeFileSystem, quota_inodes: int = 0) -> Count:
    """Figures of the superblock, less quota files: those of XFS that it names, and `quota_inodes` of ext4.

    MachineFailed when a figure is missing.
    """
    values = {match[1]: match[2] for match in map(_LINE.fullmatch, texts[0].splitlines()) if match}
    try:
        match kind:
            case "ext4":
                names = ("Block size", "Block count", "Free blocks", "Inode count", "Free inodes")
                size, blocks, free, inodes, unused = (int(values[name]) for name in names)
                blocks -= int(values.get("Overhead clusters", "0"))
                recovery = "needs_recovery" in values["Filesystem features"].split()
                clean = values["Filesystem state"] == "clean" and not recovery
            case "xfs":
                size, blocks, log, free, inodes, unused = (int(values[name]) for name in _XFS_FIELDS.split())
                blocks -= log
                clean = "state: <CLEAN>" in texts[1]
                named = (values.get(field, "") for field in QUOTA_FIELDS)
                quota_inodes = sum(value.isdigit() and int(value) > 0 for value in named)
    except (KeyError, ValueError) as problem:
        raise MachineFailed(f"field {problem} is missing in the {kind} superblock") from problem
    files = max(inodes - unused - FRESH[kind] - quota_inodes, 0)
    return Count(used_bytes=size * (blocks - free), files=files, clean=clean)


# Growing a mounted file system to the end of its device: xfs_growfs(8), resize2fs(8).
# XFS adds no allocation group of fewer than 64 blocks (xfs_fsops.c, XFS_MIN_AG_BLOCKS); resize2fs adds no last block
# group that would have little room beside its own tables (resize2fs.c), so that its size is stated up to the last
# group.


_LEAST_GROUP: dict[MadeFileSystem, int] = {"xfs": 64, "ext4": 4096}
"""blocks; tables of a group of ext4 have fewer with any options of mkfs"""


def grow(kind: MadeFileSystem, device: str, place: str, blocks: int) -> Command:
    """Grows the file system on `device`, mounted at `place`, to `blocks`, which `most_blocks` gave."""
    match kind:
        case "xfs":
            argv: tuple[str, ...] = ("xfs_growfs", "-d", place)
        case "ext4":
            argv = ("resize2fs", device, str(blocks))
    return Command(argv=argv, effect="change", devices=(device,), place=place)


def most_blocks(kind: MadeFileSystem, device_bytes: int, block_bytes: int, group_blocks: int) -> int:
    """Blocks that the file system has at most on a device, with groups of `group_blocks`."""
    blocks = device_bytes // block_bytes
    rest = blocks % group_blocks
    return blocks - rest if rest < _LEAST_GROUP[kind] else blocks
