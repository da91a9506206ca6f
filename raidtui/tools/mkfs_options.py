"""The words of --mkfs: what a plan lets mkfs.xfs(8) and mke2fs(8) be told, in their own names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from raidtui.model.choices import MadeFileSystem
from raidtui.model.design import Design
from raidtui.model.file_system import EXT4_DEFAULTS, QUOTAS, XFS_DEFAULTS, Ext4Options, Quota, XfsOptions
from raidtui.model.units import exact_binary, parse_binary_size

XFS_WORDS = "reflink=0|1, rmapbt=0|1, bigtime=0|1"
EXT4_WORDS = (
    "block=1K|2K|4K, reserved=PERCENT, inode_ratio=SIZE, quota=user:group:project, "
    "lazy_itable_init=0|1, lazy_journal_init=0|1"
)
_PERCENT = re.compile(r"\d{1,2}(?:\.\d{1,4})?%?")
_SHORT: dict[str, Quota] = {"usrquota": "user", "grpquota": "group", "prjquota": "project"}
EXTERNAL_LOG = "an external log is a disk that the plan writes to, and raidtui does not check, pin and undo one"


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


def parse_xfs(text: str) -> XfsOptions:
    """The options in `rmapbt=1,reflink=0`. Raises ValueError."""
    made = XfsOptions()
    for name, value in _words(text):
        match name:
            case "reflink":
                made = replace(made, reflink=_flag(name, value))
            case "rmapbt":
                made = replace(made, rmapbt=_flag(name, value))
            case "bigtime":
                made = replace(made, bigtime=_flag(name, value))
            case "logdev":
                raise ValueError(f"logdev: {EXTERNAL_LOG}")
            case "quota":
                raise ValueError("quota: XFS takes quotas at the mount: --mount-options uquota,gquota,pquota")
            case _:
                raise ValueError(f"unknown option '{name}' of mkfs.xfs; raidtui knows {XFS_WORDS}")
    return made


def parse_ext4(text: str) -> Ext4Options:
    """The options in `reserved=1%,quota=user:project`. Raises ValueError."""
    made = Ext4Options()
    for name, value in _words(text):
        match name:
            case "block":
                made = replace(made, block_bytes=parse_binary_size(value))
            case "reserved":
                made = replace(made, reserved_percent=_percent(value))
            case "inode_ratio":
                made = replace(made, inode_ratio=parse_binary_size(value))
            case "quota":
                made = replace(made, quotas=_quotas(value))
            case "lazy_itable_init":
                made = replace(made, lazy_itable_init=_flag(name, value))
            case "lazy_journal_init":
                made = replace(made, lazy_journal_init=_flag(name, value))
            case "journal_dev" | "device":
                raise ValueError(f"{name}: {EXTERNAL_LOG}")
            case _:
                raise ValueError(f"unknown option '{name}' of mkfs.ext4; raidtui knows {EXT4_WORDS}")
    return made


def xfs_words(options: XfsOptions) -> str:
    """The words that `parse_xfs` reads as `options`; empty for the defaults."""
    flags = (("reflink", options.reflink), ("rmapbt", options.rmapbt), ("bigtime", options.bigtime))
    return _flag_words(flags, XFS_DEFAULTS)


def ext4_words(options: Ext4Options) -> str:
    """The words that `parse_ext4` reads as `options`; empty for the defaults."""
    flags = (("lazy_itable_init", options.lazy_itable_init), ("lazy_journal_init", options.lazy_journal_init))
    words = [
        f"block={exact_binary(options.block_bytes).replace(' ', '')}"
        if options.block_bytes != EXT4_DEFAULTS.block_bytes else "",
        f"reserved={options.reserved_percent:g}%" if options.reserved_percent != EXT4_DEFAULTS.reserved_percent else "",
        f"inode_ratio={exact_binary(options.inode_ratio).replace(' ', '')}" if options.inode_ratio is not None else "",
        f"quota={':'.join(options.quotas)}" if options.quotas else "",
        _flag_words(flags, EXT4_DEFAULTS),
    ]  # fmt: skip
    return ",".join(word for word in words if word)


def _flag_words(flags: Iterable[tuple[str, bool | None]], defaults: object) -> str:
    said = ((name, value) for name, value in flags if value is not None and value != getattr(defaults, name))
    return ",".join(f"{name}={value:d}" for name, value in said)


def measurable(options: Ext4Options) -> Ext4Options:
    """`options` for a file system that is benchmarked at once: mkfs itself writes what the kernel would write later."""
    itable, journal = options.lazy_itable_init, options.lazy_journal_init
    return replace(
        options,
        lazy_itable_init=False if itable is None else itable,
        lazy_journal_init=False if journal is None else journal,
    )


def _words(text: str) -> list[tuple[str, str]]:
    """Name and value of each word between commas. Raises ValueError for a word given twice."""
    pairs = [(name.strip(), value.strip()) for name, _, value in (word.partition("=") for word in text.split(","))]
    pairs = [pair for pair in pairs if any(pair)]
    twice = next((name for number, (name, _) in enumerate(pairs) if name in {each for each, _ in pairs[:number]}), None)
    if twice is not None:
        raise ValueError(f"{twice} is given twice")
    return pairs


def _flag(name: str, value: str) -> bool:
    if value not in ("0", "1"):
        raise ValueError(f"{name}: invalid value '{value}'; expected 0 or 1")
    return value == "1"


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
