"""The words of --mkfs: each option of mkfs.xfs(8) and mke2fs(8), what it does and costs, or why no plan has it.

An option that is not in a table is refused, because nobody says what it does to the predicted sizes. Sources: the man
pages of xfsprogs 6.1 to 6.17 and e2fsprogs 1.46 to 1.47, ext4(5), mkfs/xfs_mkfs.c, misc/mke2fs.c.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

from raidtui.values.choices import MadeFileSystem
from raidtui.values.design import (
    EXT4_FEATURES,
    QUOTAS,
    XFS_DEFAULTS,
    Design,
    Ext4Feature,
    Ext4Options,
    FileSystemOptions,
    Quota,
    XfsOptions,
)
from raidtui.values.units import exact_binary, parse_binary_size

_Options = TypeVar("_Options", XfsOptions, Ext4Options)
_PERCENT = re.compile(r"\d{1,2}(?:\.\d{1,4})?%?")
_NUMBER = re.compile(r"0|[1-9]\d{0,9}")
_SHORT: dict[str, Quota] = {"usrquota": "user", "grpquota": "group", "prjquota": "project"}
EXTERNAL_LOG = "an external log is a disk that the plan writes to, and raidtui does not check, pin and undo one"


class _Form(NamedTuple):
    """How values of a word are written."""

    hint: str
    """what is expected, in words"""
    read: Callable[[str], Any]
    """the value of a text; raises ValueError, or KeyError where `hint` says all"""
    text: Callable[[Any], str]


def _flag(value: str) -> bool:
    return {"0": False, "1": True}[value]


def _percent(value: str) -> float:
    if not _PERCENT.fullmatch(value):
        raise ValueError(f"reserved: invalid share '{value}'; write for example 1% or 0.5%")
    return float(value.removesuffix("%"))


def _quotas(value: str) -> tuple[Quota, ...]:
    asked = {_SHORT.get(word, word) for word in value.split(":")}
    unknown = sorted(asked - set(QUOTAS))
    if unknown:
        raise ValueError(f"quota: unknown kind '{unknown[0]}'; expected user, group, project, joined by ':'")
    return tuple(quota for quota in QUOTAS if quota in asked)


def _features(value: str) -> tuple[Ext4Feature, ...]:
    asked = set(value.split(":"))
    for name in sorted(asked - set(EXT4_FEATURES)):
        raise ValueError(_problem(name.removeprefix("^"), "ext4"))
    return tuple(name for name in EXT4_FEATURES if name in asked)


def _size_text(size: int) -> str:
    return exact_binary(size).replace(" ", "").removesuffix("bytes")


def _one_of(*sizes: str) -> _Form:
    sizes_of = {size: size for size in map(parse_binary_size, sizes)}
    words = f"{', '.join(sizes[:-1])} or {sizes[-1]}"
    return _Form(words, lambda value: sizes_of[parse_binary_size(value)], _size_text)


def _number(least: int, most: int) -> _Form:
    def read(value: str) -> int:
        if not (_NUMBER.fullmatch(value) and least <= int(value) <= most):
            raise KeyError(value)
        return int(value)

    return _Form(f"{least} to {most}", read, str)


_FLAG = _Form("0 or 1", _flag, lambda value: f"{value:d}")
_SIZE = _Form("a size", parse_binary_size, _size_text)
_SHARE = _Form("a share", _percent, lambda value: f"{value:g}%")


@dataclass(frozen=True, slots=True)
class Word:
    """One option that a plan may have."""

    name: str
    of: str
    """as the program takes it"""
    field: str
    form: _Form
    does: str
    """effect and cost, a clause that continues `NAME=VALUE: `"""


_XFS = (
    Word("block", "-b size", "block_bytes", _SIZE, "1K and 2K waste less on tiny files; large ones take more metadata"),
    Word("sector", "-s size", "sector_bytes", _one_of("512", "1K", "2K", "4K"),
         "least that it writes: below a disk's physical sector each such write makes the disk read first"),
    Word("inode", "-i size", "inode_bytes", _one_of("512", "1K", "2K"),
         "larger inodes keep more attributes and extents; every file takes as much"),
    Word("maxpct", "-i maxpct", "imaxpct", _number(1, 100), "per cent of the space that inodes may take"),
    Word("reflink", "-m reflink", "reflink", _FLAG,
         "1 (the default): files can share blocks, whose counts reserve 0.6 % of the space; 0: cp --reflink fails"),
    Word("rmapbt", "-m rmapbt", "rmapbt", _FLAG,
         "each block's owner is recorded, for online scrub and repair: 1 % of the space and more writes"),
    Word("bigtime", "-m bigtime", "bigtime", _FLAG, "1: times until 2486, from Linux 5.10 on; 0: until 2038"),
    Word("finobt", "-m finobt", "finobt", _FLAG,
         "1 (the default): a tree of free inodes in each group; 0: new files become slow on a file system that aged"),
    Word("inobtcount", "-m inobtcount", "inobtcount", _FLAG,
         "1 (the default): inode trees are counted; 0: a mount reads all of them first"),
    Word("sparse", "-i sparse", "sparse", _FLAG,
         "1 (the default): inodes fit into small gaps; 0: none can be made where free space is in small pieces"),
    Word("nrext64", "-i nrext64", "nrext64", _FLAG,
         "1: more than 2^31 extents a file, from Linux 5.19 on; 0: older kernels mount it, too"),
    Word("agcount", "-d agcount", "agcount", _number(2, 1_000_000),
         "groups that allocate at the same time: for many writers; each costs reserved blocks and time at mount"),
    Word("agsize", "-d agsize", "agsize_bytes", _SIZE,
         "size of a group, rounded up to the stripe unit: small ones are many (agcount)"),
    Word("log", "-l size", "log_bytes", _SIZE, "more metadata changes at a time, a longer replay after a crash"),
    Word("log_su", "-l su", "log_sunit_bytes", _SIZE,
         "the log writes multiples of this: small ones are partial stripes, large ones pad each fsync"),
    Word("directory", "-n size", "directory_bytes", _one_of("4K", "8K", "16K", "32K", "64K"),
         "larger directory blocks suit directories of millions of files; each change of one writes more"),
    Word("cowextsize", "-d cowextsize", "cowextsize_blocks", _number(1, 2**21 - 1),
         "blocks that a write to a shared file allocates at least: fewer fragments, more space"),
    Word("extszinherit", "-d extszinherit", "extszinherit_blocks", _number(1, 2**21 - 1),
         "blocks by which a file grows: fewer fragments, no delayed allocation, and small files take as much"),
)  # fmt: skip
_EXT4 = (
    Word("block", "-b", "block_bytes", _SIZE, "1K and 2K waste less on tiny files; files end at 4 TiB and 8 TiB"),
    Word("reserved", "-m", "reserved_percent", _SHARE, "per cent that only root may fill; 0 lets users fill it wholly"),
    Word("inode_ratio", "-i", "inode_ratio", _SIZE, "bytes for each file: fewer inodes leave more space, for ever"),
    Word("inodes", "-N", "inodes", _number(16, 2**32 - 1), "most files that it can hold, for ever"),
    Word("inode", "-I", "inode_bytes", _one_of("128", "256", "512", "1K", "2K", "4K"),
         "128: no times beyond 2038; above 256: more attributes in the inode, larger inode tables"),
    Word("quota", "-E quotatype", "quotas", _Form("user:group:project", _quotas, ":".join),
         "each write is accounted; limits are enforced with the mount option of the same kind"),
    Word("lazy_itable_init", "-E lazy_itable_init", "lazy_itable_init", _FLAG,
         "0: mkfs writes the inode tables; 1: the kernel does after the mount, which disturbs a benchmark"),
    Word("lazy_journal_init", "-E lazy_journal_init", "lazy_journal_init", _FLAG,
         "0: mkfs zeroes the journal; 1: it does not, and old blocks may look like a log until it was filled once"),
    Word("journal", "-J size", "journal_bytes", _SIZE, "more changes at a time, more memory, a longer replay"),
    Word("flex_bg", "-G", "flex_bg", _one_of(*map(str, (2**power for power in range(1, 11)))),
         "groups whose tables are together: few seeks for metadata with many, shorter free runs with few"),
    Word("packed_meta_blocks", "-E packed_meta_blocks", "packed_meta_blocks", _FLAG,
         "1: all metadata at the beginning: long free runs, and every change seeks there"),
    Word("features", "-O", "features", _Form("names joined by ':'", _features, ":".join), ""),
)  # fmt: skip
WORDS: dict[MadeFileSystem, tuple[Word, ...]] = {"xfs": _XFS, "ext4": _EXT4}
FEATURES: dict[Ext4Feature, str] = {
    "ea_inode": "attributes of more than a block, from Linux 4.13 on; each takes an inode",
    "encrypt": "directories can be encrypted with keys of their users",
    "inline_data": "tiny files are in their inodes, without a block; larger inodes hold more of them",
    "large_dir": "directories above 2 GiB, from Linux 4.13 on",
    "metadata_csum_seed": "the UUID can be changed while it is mounted, from Linux 4.4 on",
    "mmp": "a mount waits 11 s to see whether another server has it; a write every 5 s keeps disks awake",
    "orphan_file": "fewer waits where many files are deleted at the same time, from Linux 5.15 and e2fsprogs 1.47 on",
    "stable_inodes": "it never shrinks, for encryption by inode numbers, from Linux 5.5 and e2fsprogs 1.46 on",
    "verity": "files can be sealed by a checksum tree, from Linux 5.4 on",
}
_STRIPE, _WHOLE = "mkfs gets the true stripe", "the plan makes it on a whole device"
_OUTPUT = "it changes the output only"
_ALWAYS, _REALTIME = "every plan has it", "raidtui plans no realtime device"
_BLANK = "raidtui makes a file system without files"
_ONLY_V4 = "it is always on with checksums, which every plan has"
REFUSED: dict[MadeFileSystem, dict[str, str]] = {
    "xfs": {
        "-c options": "a file of the server would change what is predicted",
        "-m crc": "without checksums damage stays unseen, and kernels from 2030 on do not mount it",
        **dict.fromkeys(("-m uuid", "-L"), "the plan generates the UUID, by which it is mounted"),
        **dict.fromkeys(("-d su", "-d sw", "-d sunit", "-d swidth", "-d noalign"), _STRIPE),
        **dict.fromkeys(("-d name", "-d file", "-d size"), _WHOLE),
        "-d daxinherit": "it is for persistent memory, and an array of disks has none",
        "-d projinherit": "chattr -p sets the project of a directory at any time",
        "-i perblock": "inode=1K says it in bytes",
        **dict.fromkeys(("-i align", "-i attr", "-i projid32bit", "-l version", "-l lazy-count", "-n ftype"), _ONLY_V4),
        "-l agnum": "the log is in the middle, where the way of disk heads is shortest",
        "-l internal": _ALWAYS,
        **dict.fromkeys(("-l logdev", "-l name"), EXTERNAL_LOG),
        "-l sunit": "log_su=32K says it in bytes",
        "-n version": "names without case (ci) are deprecated, and kernels drop them",
        "-p": _BLANK,
        **dict.fromkeys(
            ("-r rtdev", "-r extsize", "-r size", "-r noalign", "-r rgcount", "-r rgsize", "-r zoned", "-r start",
             "-r reserved", "-d rtinherit"), _REALTIME,
        ),
        **dict.fromkeys(("-d concurrency", "-l concurrency", "-r concurrency"), "the plan states agsize and log"),
        **dict.fromkeys(
            ("-i exchange", "-n parent", "-m metadir", "-m autofsck", "-m uquota", "-m gquota", "-m pquota",
             "-m uqnoenforce", "-m gqnoenforce", "-m pqnoenforce", "-d max_atomic_write"),
            "mkfs.xfs before 6.10 does not know it, and kernels before Linux 6.10 do not mount it",
        ),
        "-f": "without it mkfs.xfs refuses a device that is not blank",
        "-K": _ALWAYS,
        **dict.fromkeys(("-q", "-V"), _OUTPUT),
        "-N": "raidtui model predicts it",
        "quota": "XFS takes quotas at the mount: --mount-options uquota,gquota,pquota",
    },
    "ext4": {
        **dict.fromkeys(("-c", "-l"), "a scrub of the array finds unreadable sectors, and md writes them anew"),
        **dict.fromkeys(("-C", "bigalloc"), "ext4(5) calls bigalloc under development, with bugs in kernels"),
        "-d": _BLANK,
        "-D": "it is slower, and spares a cache that nothing else needs during a build",
        "-e": "--mount-options errors=remount-ro says it in fstab",
        **dict.fromkeys(("casefold", "-E encoding", "-E encoding_flags"), "kernels without Unicode do not mount it"),
        "-E mmp_update_interval": "features=mmp takes the default, 5 s",
        **dict.fromkeys(("-E stride", "-E stripe_width"), _STRIPE),
        "-E offset": _WHOLE,
        "-E resize": "every plan reserves what growth by 1024 times needs, up to 16 TiB",
        "-E assume_storage_prezeroed": "mke2fs before 1.47 does not know it, and only zeroes that were read count",
        "-E no_copy_xattrs": "nothing is copied",
        **dict.fromkeys(("-E num_backup_sb", "sparse_super2"), "e2fsck repairs from copies of the superblock"),
        "-E root_owner": "chown sets it after the mount",
        "-E test_fs": "it lets unfinished kernel code mount it",
        "-E orphan_file_size": "features=orphan_file takes a size that follows that of the device",
        "-E discard": "md passes a discard on only to disks that support it, and it takes hours on large arrays",
        "-E nodiscard": _ALWAYS,
        "-F": "without it mke2fs refuses a device that is not blank",
        "-g": "a group is as large as its bitmap; flex_bg joins groups",
        **dict.fromkeys(("-j", "has_journal"), _ALWAYS),
        **dict.fromkeys(("fast_commit", "-J fast_commit_size"), "kernels before Linux 5.10 cannot replay it"),
        "-J location": "the journal is in the middle, where the way of disk heads is shortest",
        **dict.fromkeys(("-J device", "journal_dev", "device"), EXTERNAL_LOG),
        **dict.fromkeys(("-L", "-M", "-U"), "the plan generates the UUID, by which it is mounted"),
        "-n": "raidtui model predicts it",
        **dict.fromkeys(("-o", "-r", "-t"), "it would not be ext4 of Linux any more"),
        **dict.fromkeys(("-q", "-v", "-V"), _OUTPUT),
        "-S": "it repairs a file system, and makes none",
        "-T": "it names ratios of the server's mke2fs.conf: news is inode_ratio=4K, largefile 1M, largefile4 4M",
        "-z": "undo.sh undoes the plan",
        "meta_bg": "it cannot grow by a resize inode then; mke2fs takes it where it must",
        "uninit_bg": "metadata_csum, which every plan has, does that",
        **dict.fromkeys(
            ("ext_attr", "dir_index", "filetype", "extent", "64bit", "sparse_super", "large_file", "huge_file",
             "dir_nlink", "extra_isize", "metadata_csum", "resize_inode"), _ALWAYS,
        ),
        "project": "quota=project turns it on",
    },
}  # fmt: skip
"""options of the programs, as they take them, and features of ext4(5), with the reason"""


def parse_mkfs(text: str, kind: MadeFileSystem) -> XfsOptions | Ext4Options:
    """The options of mkfs in `text`, for a file system of this type. Raises ValueError."""
    match kind:
        case "xfs":
            return _parsed(text, kind, XfsOptions())
        case "ext4":
            return _parsed(text, kind, Ext4Options())


def mkfs_words(design: Design) -> str:
    """The words that `parse_mkfs` reads as the options of mkfs of `design`; empty for the defaults."""
    return "" if design.fs == "none" else ",".join(text for _, text in stated(design.options, design.fs))


def stated(options: FileSystemOptions, kind: MadeFileSystem) -> Iterator[tuple[Word, str]]:
    """Each word with what is said, `NAME=VALUE`, where it is not the default."""
    match kind:
        case "xfs":
            own: XfsOptions | Ext4Options = options.xfs
        case "ext4":
            own = options.ext4
    usual = type(own)()
    for word in WORDS[kind]:
        value = getattr(own, word.field)
        if value != getattr(usual, word.field):
            yield word, f"{word.name}={word.form.text(value)}"


def named_features(options: XfsOptions) -> dict[str, bool]:
    """Features that mkfs.xfs names with `options`, and whether it turns them on."""
    named = {"rmapbt": options.rmapbt, "reflink": options.reflink}
    if options != XFS_DEFAULTS:
        finobt = options.finobt is not False  # all features that `mkfs_xfs.feature_answers` names
        named |= {"finobt": finobt, "inobtcount": finobt if options.inobtcount is None else options.inobtcount}
    if options.bigtime is not None:
        named["bigtime"] = options.bigtime
    return named


def measurable(options: Ext4Options) -> Ext4Options:
    """`options` for a file system that is benchmarked at once: mkfs itself writes what the kernel would write later."""
    itable, journal = options.lazy_itable_init, options.lazy_journal_init
    return replace(
        options,
        lazy_itable_init=False if itable is None else itable,
        lazy_journal_init=False if journal is None else journal,
    )


def _parsed(text: str, kind: MadeFileSystem, made: _Options) -> _Options:
    named = {name: word for word in WORDS[kind] for name in (word.name, word.of)}
    given: set[str] = set()
    for name, _, value in (part.strip().partition("=") for part in text.split(",") if part.strip()):
        word = named.get(name)
        if word is None:
            raise ValueError(_problem(name, kind))
        if word.name in given:
            raise ValueError(f"{word.name} is given twice")
        given.add(word.name)
        try:
            made = replace(made, **{word.field: word.form.read(value)})
        except KeyError:
            raise ValueError(f"{word.name}: invalid value '{value}'; expected {word.form.hint}") from None
    return made


def _problem(name: str, kind: MadeFileSystem) -> str:
    """Why a plan cannot have an option of this name."""
    reasons = REFUSED[kind]
    reason = next((why for full, why in reasons.items() if name in (full, full.partition(" ")[2])), None)
    return f"{name}: {reason}" if reason else f"unknown option '{name}' of mkfs.{kind}: raidtui help mkfs lists all"
