"""Options of mount(8) that a plan may have, what each does and costs, and which exclude each other (xfs(5), ext4(5)).

An option that is not in the table is refused, because nobody says what it does to the arrays. Sources: Linux 6.1,
Documentation/admin-guide/xfs.rst, Documentation/admin-guide/ext4.rst, fs/xfs/xfs_super.c, fs/ext4/super.c; what the
kernel shows of each is from a mount with it (Linux 6.1).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from raidtui.model.choices import MADE_FILE_SYSTEMS, MadeFileSystem
from raidtui.model.file_system import MountOption, Quota

_BOTH = MADE_FILE_SYSTEMS
_XFS: tuple[MadeFileSystem, ...] = ("xfs",)
_EXT4: tuple[MadeFileSystem, ...] = ("ext4",)
ALWAYS = (
    MountOption(name="noatime"),
    MountOption(name="nofail"),
    MountOption(name="x-systemd.device-timeout", value="5min"),
)
"""noatime: reads write nothing to the parity; nofail: a missing array does not stop the boot; the timeout is
longer than the half minute after which udev starts a degraded array, and with nofail nothing waits for it"""


@dataclass(frozen=True, slots=True)
class Listed:
    """One option of the table."""

    name: str
    types: tuple[MadeFileSystem, ...]
    does: str
    """effect and cost, a clause that continues `NAME: `"""
    value: str = ""
    """regular expression of its value; empty for an option without one"""
    shown: str | None = None
    """what the kernel shows of it where that is not its own text, with {value}; empty: it shows nothing"""
    group: str = ""
    """only one option of a group may be given"""
    quota: Quota | None = None
    """the kind of quota that it turns on"""
    striped: bool = False
    """True if it does nothing without a stripe"""


_TABLE = (
    Listed("noatime", _BOTH, "reads write no access times (every plan has it)", group="atime"),
    Listed("relatime", _BOTH, "access times are written once a day: reads cause some writes", group="atime"),
    Listed(
        "strictatime", _BOTH, "every read writes an access time: costs a parity update each", shown="", group="atime"
    ),
    Listed("lazytime", _BOTH, "times are kept in memory up to a day; a crash loses them"),
    Listed("nodev", _BOTH, "device nodes on it have no effect"),
    Listed("nosuid", _BOTH, "set-user-id programs on it run without that right"),
    Listed("noexec", _BOTH, "programs on it cannot be started"),
    Listed("discard", _BOTH, "freed blocks are discarded at once: md passes that on only to disks that support it, and "
          "each deletion waits; fstrim.timer costs less", group="discard"),
    Listed("nodiscard", _BOTH, "freed blocks are not discarded (the default)", shown="", group="discard"),
    Listed("uquota", _XFS, "user quotas: every write is accounted; the first mount counts all files", shown="usrquota",
          group="user quota", quota="user"),
    Listed("gquota", _XFS, "group quotas: every write is accounted; the first mount counts all files", shown="grpquota",
          group="group quota", quota="group"),
    Listed("pquota", _XFS, "project quotas, limits for directories: every write is accounted", shown="prjquota",
          group="project quota", quota="project"),
    Listed("uqnoenforce", _XFS, "users are accounted, limits are not enforced", group="user quota", quota="user"),
    Listed("gqnoenforce", _XFS, "groups are accounted, limits are not enforced", group="group quota", quota="group"),
    Listed("pqnoenforce", _XFS, "projects are accounted, limits are not enforced", group="project quota",
          quota="project"),
    Listed("usrquota", _EXT4, "user quotas: limits are enforced", group="user quota", quota="user"),
    Listed("grpquota", _EXT4, "group quotas: limits are enforced", group="group quota", quota="group"),
    Listed("prjquota", _EXT4, "project quotas, limits for directories: limits are enforced", group="project quota",
          quota="project"),
    Listed("largeio", _XFS, "programs that ask for the best request size (st_blksize) are told the full stripe: fewer "
          "partial stripes, more memory for small files", striped=True),
    Listed("swalloc", _XFS, "files that grow are aligned to the full stripe instead of the stripe unit: full stripes "
          "for streams, unused space between small files", striped=True),
    Listed("inode64", _XFS, "inodes are placed anywhere (the default)", group="inode numbers"),
    Listed("inode32", _XFS, "inodes stay in the first TiB, for programs that know only 32-bit numbers: that part fills "
          "first and becomes the slow one", group="inode numbers"),
    Listed("allocsize", _XFS, "space kept ahead of a growing file: less fragmentation of parallel streams, held until "
          "the file is closed", value="(?:64|128|256|512)k|(?:1|2|4|8|16|32|64|128|256|512)m|1g",
          shown="allocsize={kib}k"),
    Listed("logbufs", _XFS, "log buffers in memory: 8 is the default and the most", value="[2-8]"),
    Listed("logbsize", _XFS, "bytes of a log buffer: 256k, the most and never below the log's stripe unit, suits many "
          "metadata changes; a crash loses up to all buffers", value="256k"),
    Listed("wsync", _XFS, "metadata changes wait for the log: for NFS servers; slow on parity levels"),
    Listed("data", _EXT4, "journal: all data is written twice and never directly (O_DIRECT); ordered: the default; "
          "writeback: old content may appear in files after a crash", value="journal|ordered|writeback"),
    Listed("commit", _EXT4, "seconds between journal commits (default 5): longer means fewer writes and more lost in a "
          "crash", value="[1-9]|[1-9][0-9]|[12][0-9][0-9]|300"),
    Listed("errors", _EXT4, "what an inconsistency does: continue (the default), remount-ro, or panic",
          value="continue|remount-ro|panic"),
    Listed("delalloc", _EXT4, "blocks are allocated when data is written back (the default)", shown="",
          group="delalloc"),
    Listed("nodelalloc", _EXT4, "blocks are allocated at each write: more fragments, fewer full stripes",
          group="delalloc"),
    Listed("journal_checksum", _EXT4, "journal blocks carry checksums (metadata_csum, which every plan has, does that)",
          shown=""),
    Listed("noinit_itable", _EXT4, "the kernel does not initialise inode tables in the background: nothing disturbs a "
          "benchmark, fsck takes longer"),
)  # fmt: skip
REFUSED: dict[str, str] = {
    **dict.fromkeys(
        ("nobarrier", "barrier"),
        "flushes are what makes the log survive a power failure; XFS has no such option since Linux 4.19, and without "
        "them ext4 on md loses acknowledged writes",
    ),
    "logdev": "an external log is a disk that the plan writes to, and raidtui does not check, pin and undo one",
    "rtdev": "raidtui plans no realtime device",
    **dict.fromkeys(("sunit", "swidth", "stripe", "noalign"), "mkfs records the true stripe in the superblock"),
    "nouuid": "the plan mounts by a UUID that nothing else has",
    **dict.fromkeys(("norecovery", "noload"), "the log must be replayed, or the content is not consistent"),
    **dict.fromkeys(("ro", "noauto"), "the build verifies the mounted file system, and a boot mounts it"),
    **dict.fromkeys(("nofail", "x-systemd.device-timeout"), "every plan has it"),
    **dict.fromkeys(("attr2", "noattr2", "ikeep", "noikeep"), "the kernel ignores it and will refuse it"),
}
"""options with a reason of their own"""
_ALIASES: dict[MadeFileSystem, dict[str, str]] = {
    "xfs": {"quota": "uquota", "usrquota": "uquota", "grpquota": "gquota", "prjquota": "pquota"},
    "ext4": {"uquota": "usrquota", "gquota": "grpquota", "pquota": "prjquota", "quota": "usrquota"},
}
_INCOMPATIBLE = (("data=journal", "delalloc"),)
_UNITS = {"k": 1, "m": 1024, "g": 1024 * 1024}


def parse(text: str, kind: MadeFileSystem) -> tuple[MountOption, ...]:
    """The options in `a,b=1`; other spellings of the quotas become those of `kind`. Raises ValueError."""
    found = []
    for word in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = word.partition("=")
        option = MountOption(name=_ALIASES[kind].get(name, name), value=value.lower())
        problem = problem_of(option, kind)
        if problem:
            raise ValueError(problem)
        found.append(option)
    return tuple(found)


def entry(option: MountOption, kind: MadeFileSystem) -> Listed | None:
    """Its entry in the table; None if the file system has no such option there."""
    return next((each for each in _TABLE if each.name == option.name and kind in each.types), None)


def problem_of(option: MountOption, kind: MadeFileSystem) -> str:
    """Why an option cannot be used; empty if it can."""
    if option.name in REFUSED:
        return f"{option.name}: {REFUSED[option.name]}"
    known = entry(option, kind)
    if known is None:
        names = ", ".join(each.name for each in _TABLE if kind in each.types)
        return f"unknown mount option '{option.name}' of {kind}; raidtui knows {names}"
    if bool(known.value) != bool(option.value) or not re.fullmatch(known.value, option.value):
        return f"{option.name}: invalid value '{option.value}'; expected {_values(known)}"
    return ""


def conflicts(options: Sequence[MountOption], kind: MadeFileSystem) -> tuple[tuple[str, str], ...]:
    """Pairs of options that exclude each other, or the same one given twice."""
    found = []
    for number, left in enumerate(options):
        for right in options[number + 1 :]:
            first, second = entry(left, kind), entry(right, kind)
            grouped = first is not None and second is not None and first.group and first.group == second.group
            pair = {left.text, right.text}
            if left.name == right.name or grouped or any(pair == set(each) for each in _INCOMPATIBLE):
                found.append((left.text, right.text))
    return tuple(found)


def quotas_of(options: Sequence[MountOption]) -> frozenset[Quota]:
    """The kinds of quota that these options turn on."""
    kinds = {each.name: each.quota for each in _TABLE}
    return frozenset(quota for option in options if (quota := kinds.get(option.name)) is not None)


def fstab_words(options: Sequence[MountOption]) -> str:
    """The fourth field of fstab: what every plan has, and `options`; one about access times replaces noatime."""
    atime = {each.name for each in _TABLE if each.group == "atime"}
    own = any(option.name in atime for option in options)
    return ",".join(each.text for each in (*(each for each in ALWAYS if not own or each.name not in atime), *options))


def shown(options: Sequence[MountOption], kind: MadeFileSystem) -> tuple[str, ...]:
    """What the kernel shows of `options` on a mounted file system; those that it does not show are left out."""
    texts = []
    for option in options:
        known = entry(option, kind)
        if known is None or known.shown == "" or option.text in _DEFAULTS:
            continue
        texts.append((known.shown or option.text).format(kib=_kib(option.value)))
    return tuple(texts)


_DEFAULTS = frozenset({"data=ordered", "commit=5", "errors=continue"})
"""values that the kernel does not show, since they are its own"""


def _values(known: Listed) -> str:
    return known.value.replace("(?:", "(").replace("|", ", ") if known.value else "no value"


def _kib(value: str) -> int:
    number, unit = value[:-1], value[-1:]
    return int(number) * _UNITS[unit] if number.isdigit() and unit in _UNITS else 0
