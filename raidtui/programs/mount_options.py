"""Options of mount(8) that a plan may have, what each does and costs, and which exclude each other (xfs(5), ext4(5)).

An option that is not in the table is refused, because nobody says what it does to the arrays. Sources: Linux 6.1,
Documentation/admin-guide/xfs.rst, Documentation/admin-guide/ext4.rst, fs/xfs/xfs_super.c, fs/ext4/super.c; what the
kernel shows of each is from a mount with it (Linux 6.1).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from raidtui.programs.mkfs_options import EXTERNAL_LOG
from raidtui.values.choices import MADE_FILE_SYSTEMS, MadeFileSystem
from raidtui.values.design import MountOption, Quota

_BOTH = MADE_FILE_SYSTEMS
_XFS: tuple[MadeFileSystem, ...] = ("xfs",)
_EXT4: tuple[MadeFileSystem, ...] = ("ext4",)
_NUMBER, _SECONDS, _BUFFERS, _PRIORITY = "0|[1-9][0-9]{0,8}", "[1-9]|[1-9][0-9]|[12][0-9][0-9]|300", "[2-8]", "[0-7]"
_KEPT_AHEAD = "(?:64|128|256|512)k|(?:1|2|4|8|16|32|64|128|256|512)m|1g"
_BLOCKS_AHEAD = "0|1|2|4|8|16|32|64|128|256|512|1024|2048|4096"
_RANGES = {
    _NUMBER: "a whole number",
    _SECONDS: "1 to 300",
    _BUFFERS: "2 to 8",
    _PRIORITY: "0 to 7",
    _KEPT_AHEAD: "a power of two from 64k to 1g",
    _BLOCKS_AHEAD: "0 or a power of two up to 4096",
}
"""words for patterns of numbers"""
ALWAYS = (
    MountOption(name="noatime"),
    MountOption(name="nofail"),
    MountOption(name="x-systemd.device-timeout", value="5min"),
)
"""noatime: reads write nothing to the parity; nofail: a missing array does not stop the boot; the timeout is
longer than the half minute after which udev starts a degraded array, and with nofail nothing waits for it"""
TYPED = (*ALWAYS[:2], MountOption(name="x-systemd.device-timeout", value="0"))
"""in place of `ALWAYS` where a passphrase opens what is mounted: the mount waits until somebody has typed it"""


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


TABLE = (
    Listed("noatime", _BOTH, "reads write no access times (every plan has it)", group="atime"),
    Listed("relatime", _BOTH, "access times are written once a day: reads cause some writes", group="atime"),
    Listed(
        "strictatime", _BOTH, "every read writes an access time: costs a parity update each", shown="", group="atime"
    ),
    Listed("lazytime", _BOTH, "times are kept in memory up to a day; a crash loses them", group="lazytime"),
    Listed("nolazytime", _BOTH, "times are written with the inode (the default)", shown="", group="lazytime"),
    Listed("nodiratime", _BOTH, "reading a directory writes no access time (noatime, which every plan has, covers it)",
          group="directory times"),
    Listed("diratime", _BOTH, "reading a directory counts as any other read (the default)", shown="",
          group="directory times"),
    Listed("async", _BOTH, "writes wait in the cache until they are flushed (the default)", shown="", group="sync"),
    Listed("sync", _BOTH, "every write waits for the disks: partial stripes on parity levels; predicted rates do not "
          "hold", group="sync"),
    Listed("dirsync", _BOTH, "creating, renaming and deleting wait for the disks; files keep the cache"),
    Listed("dev", _BOTH, "device nodes on it have effect (the default)", shown="", group="dev"),
    Listed("nodev", _BOTH, "device nodes on it have no effect", group="dev"),
    Listed("suid", _BOTH, "set-user-id programs on it have that right (the default)", shown="", group="suid"),
    Listed("nosuid", _BOTH, "set-user-id programs on it run without that right", group="suid"),
    Listed("exec", _BOTH, "programs on it can be started (the default)", shown="", group="exec"),
    Listed("noexec", _BOTH, "programs on it cannot be started", group="exec"),
    Listed("rw", _BOTH, "it is mounted for writing (the default)"),
    Listed("auto", _BOTH, "a boot mounts it (every plan does that)", shown=""),
    Listed("defaults", _BOTH, "the kernel's defaults (what else is named applies beside them)", shown=""),
    Listed("grpid", _BOTH, "a new file gets the group of its directory", group="group of files"),
    Listed("nogrpid", _BOTH, "a new file gets the group of who makes it (the default)", shown="",
          group="group of files"),
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
    Listed("largeio", _XFS, "programs that ask for the best request size (st_blksize) are told the full stripe; fewer "
    "partial stripes, more memory for small files", group="largeio", striped=True),
    Listed("nolargeio", _XFS, "programs are told the page size or the stripe unit (the default)", shown="",
          group="largeio"),
    Listed("filestreams", _XFS, "files of a directory stay in an allocation group of their own: for several "
          "recordings at a time"),
    Listed("swalloc", _XFS, "files that grow are aligned to the full stripe instead of the stripe unit; full stripes "
    "for streams, unused space between small files", striped=True),
    Listed("inode64", _XFS, "inodes are placed anywhere (the default)", group="inode numbers"),
    Listed("inode32", _XFS, "inodes stay in the first TiB, for programs that know only 32-bit numbers; that part fills "
          "first and becomes the slow one", group="inode numbers"),
    Listed("allocsize", _XFS, "space kept ahead of a growing file: less fragmentation of parallel streams, held until "
          "the file is closed", value=_KEPT_AHEAD,
          shown="allocsize={kib}k"),
    Listed("logbufs", _XFS, "log buffers in memory: 8 is the default and the most", value=_BUFFERS),
    Listed("logbsize", _XFS, "bytes of a log buffer: 256k, the most and never below the log's stripe unit, suits many "
          "metadata changes; a crash loses up to all buffers", value="256k"),
    Listed("wsync", _XFS, "metadata changes wait for the log: for NFS servers; slow on parity levels"),
    Listed("data", _EXT4, "journal: all data is written twice and never directly (O_DIRECT); ordered: the default; "
          "writeback: old content may appear in files after a crash", value="journal|ordered|writeback"),
    Listed("commit", _EXT4, "seconds between journal commits (default 5): longer means fewer writes and more lost in a "
          "crash", value=_SECONDS),
    Listed("errors", _EXT4, "what an inconsistency does: continue (the default), remount-ro, or panic",
          value="continue|remount-ro|panic"),
    Listed("delalloc", _EXT4, "blocks are allocated when data is written back (the default)", shown="",
          group="delalloc"),
    Listed("nodelalloc", _EXT4, "blocks are allocated at each write: more fragments, fewer full stripes",
          group="delalloc"),
    Listed("journal_checksum", _EXT4, "journal blocks carry checksums (metadata_csum, which every plan has, does that)",
          shown="", group="journal_checksum"),
    Listed("nojournal_checksum", _EXT4, "no effect (metadata_csum, which every plan has, keeps checksums of the "
          "journal)", shown="", group="journal_checksum"),
    Listed("journal_async_commit", _EXT4, "a commit does not wait for its own blocks: one flush less; after a crash "
          "the checksum alone tells whether it is whole"),
    Listed("journal_ioprio", _EXT4, "I/O priority of journal writes, 0 the highest (default 3): only schedulers with "
          "priorities know it", value=_PRIORITY, shown=""),
    Listed("barrier", _EXT4, "the journal flushes the disks' caches (the default)", value="1", shown=""),
    Listed("data_err", _EXT4, "what a failed write of file data does to the journal in data=ordered: abort, or ignore "
          "(the default)", value="abort|ignore"),
    Listed("min_batch_time", _EXT4, "least microseconds that a commit waits for others to join (default 0)",
          value=_NUMBER),
    Listed("max_batch_time", _EXT4, "most microseconds that a commit waits for others to join (default 15000)",
          value=_NUMBER),
    Listed("inode_readahead_blks", _EXT4, "blocks of inode tables that are read ahead (default 32)",
          value=_BLOCKS_AHEAD),
    Listed("init_itable", _EXT4, "the kernel initialises inode tables in the background, and waits this many times as "
          "long as it works (default 10)", value=_NUMBER, group="init_itable"),
    Listed("noinit_itable", _EXT4, "the kernel does not initialise inode tables in the background: nothing disturbs a "
          "benchmark, fsck takes longer", group="init_itable"),
    Listed("auto_da_alloc", _EXT4, "a file that replaces another is written before its name changes (the default)",
          shown="", group="auto_da_alloc"),
    Listed("noauto_da_alloc", _EXT4, "a file that replaces another may be empty after a crash; fewer writes",
          group="auto_da_alloc"),
    Listed("block_validity", _EXT4, "file blocks are checked against metadata blocks (the default)", shown="",
          group="block_validity"),
    Listed("noblock_validity", _EXT4, "file blocks are not checked against metadata blocks; less processor time",
          group="block_validity"),
    Listed("dioread_nolock", _EXT4, "direct reads take no lock of the file (the default)", shown="", group="dioread"),
    Listed("dioread_lock", _EXT4, "direct reads take the file's lock, and wait for writes", shown="nodioread_nolock",
          group="dioread"),
    Listed("max_dir_size_kb", _EXT4, "most KiB of a directory; making a file in a full one fails (default 0, no limit)",
          value=_NUMBER),
    Listed("nombcache", _EXT4, "extended attributes are not shared between files: less work where each is different"),
    Listed("resuid", _EXT4, "number of the user who may use the reserved blocks (default 0)", value=_NUMBER),
    Listed("resgid", _EXT4, "number of the group that may use the reserved blocks (default 0)", value=_NUMBER),
    Listed("user_xattr", _EXT4, "files have attributes of users (the default)", shown=""),
    Listed("acl", _EXT4, "files have access control lists (the default)", shown=""),
    Listed("bsddf", _EXT4, "df leaves metadata out (the default)", shown=""),
)  # fmt: skip
REFUSED: dict[str, str] = {
    **dict.fromkeys(
        ("nobarrier", "barrier"),
        "flushes are what makes the log survive a power failure; XFS has no such option since Linux 4.19, and without "
        "them ext4 on md loses acknowledged writes",
    ),
    **dict.fromkeys(("logdev", "journal_dev", "journal_path"), EXTERNAL_LOG),
    "rtdev": "raidtui plans no realtime device",
    **dict.fromkeys(("sunit", "swidth", "stripe", "noalign"), "mkfs records the true stripe in the superblock"),
    "nouuid": "the plan mounts by a UUID that nothing else has",
    **dict.fromkeys(("norecovery", "noload"), "the log must be replayed, or the content is not consistent"),
    **dict.fromkeys(("ro", "noauto"), "the build verifies the mounted file system, and a boot mounts it"),
    **dict.fromkeys(("nofail", "x-systemd.device-timeout"), "every plan has it"),
    **dict.fromkeys(
        ("attr2", "noattr2", "ikeep", "noikeep", "orlov", "oldalloc"), "the kernel ignores it and will refuse it"
    ),
    **dict.fromkeys(("nouser_xattr", "noacl"), "newer kernels refuse it"),
    **dict.fromkeys(
        ("lifetime", "nolifetime", "max_open_zones", "max_atomic_write"), "kernels before Linux 6.15 refuse it"
    ),
    "nosymfollow": "mount(8) before util-linux 2.38 does not know it",
    **dict.fromkeys(("mand", "nomand"), "the kernel has no mandatory locks since Linux 5.15"),
    **dict.fromkeys(("iversion", "noiversion", "i_version"), "the kernel counts changes of files by itself"),
    **dict.fromkeys(
        ("atime", "norelatime", "nostrictatime"), "relatime or strictatime names the times that are written"
    ),
    **dict.fromkeys(
        ("user", "nouser", "users", "owner", "group"), "only root mounts the file system of an array, at each boot"
    ),
    **dict.fromkeys(("silent", "loud", "debug"), "it only changes what is written to the kernel log"),
    "_netdev": "the arrays are on disks of this machine: nothing waits for a network",
    **dict.fromkeys(("remount", "bind", "rbind", "move"), "fstab has one mount of the whole file system"),
    **dict.fromkeys(("loop", "offset", "sizelimit"), "the plan mounts a block device, no file"),
    **dict.fromkeys(
        ("context", "fscontext", "defcontext", "rootcontext"), "the system's policy sets the labels of SELinux"
    ),
    **dict.fromkeys(("helper", "uhelper"), "it names a program that umount starts as root"),
    "dax": "it is for persistent memory, and an array of disks has none",
    "minixdf": "df would show other sizes than those predicted",
    "nouid32": "owners with numbers above 65535 would be lost",
    "abort": "it stops the journal at once, for tests of ext4",
    "sb": "the plan mounts by the superblock that mkfs wrote last",
    **dict.fromkeys(("usrjquota", "grpjquota", "jqfmt"), "--mkfs quota=user:group keeps quotas in the file system"),
    **dict.fromkeys(("noquota",), "no quota is on unless an option names one"),
}
"""options with a reason of their own; beside them all that start with x- or verity"""
OF_OTHERS = "another program than mount reads it, and raidtui does not know what it does"
ALIASES: dict[MadeFileSystem, dict[str, str]] = {
    "xfs": {
        "quota": "uquota", "usrquota": "uquota", "grpquota": "gquota", "prjquota": "pquota",
        "qnoenforce": "uqnoenforce", "bsdgroups": "grpid", "sysvgroups": "nogrpid",
    },
    "ext4": {
        "uquota": "usrquota", "gquota": "grpquota", "pquota": "prjquota", "quota": "usrquota", "bsdgroups": "grpid",
        "sysvgroups": "nogrpid", "no_mbcache": "nombcache", "barrier": "barrier=1", "init_itable": "init_itable=10",
    },
}  # fmt: skip
"""other spellings, and what a name without its value means"""
_INCOMPATIBLE = (("data=journal", "delalloc"), ("data=ordered", "journal_async_commit"))
_BY_DEFAULT: dict[MadeFileSystem, tuple[MountOption, ...]] = {
    "xfs": (), "ext4": (MountOption(name="data", value="ordered"),),
}  # fmt: skip
"""what holds unless it is named otherwise, and excludes others"""
_UNITS = {"k": 1, "m": 1024, "g": 1024 * 1024}
_SIZES = frozenset({"allocsize", "logbsize"})
"""options with a size, which the kernel takes in bytes too and shows in KiB"""


def parse(text: str, kind: MadeFileSystem) -> tuple[MountOption, ...]:
    """The options in `a,b=1`, each once; other spellings become those of the table. Raises ValueError."""
    found = {}
    for word in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = ALIASES[kind].get(word, word).partition("=")
        option = MountOption(name=name, value=_spelled(value.lower()) if name in _SIZES else value.lower())
        problem = problem_of(option, kind)
        if problem:
            raise ValueError(problem)
        found[option.text] = option
    return tuple(found.values())


def entry(option: MountOption, kind: MadeFileSystem) -> Listed | None:
    """Its entry in the table; None if the file system has no such option there."""
    return next((each for each in TABLE if each.name == option.name and kind in each.types), None)


def problem_of(option: MountOption, kind: MadeFileSystem) -> str:
    """Why an option cannot be used; empty if it can."""
    known = entry(option, kind)
    if known is not None and re.fullmatch(known.value, option.value):
        return ""
    if option.name in REFUSED:
        return f"{option.name}: {REFUSED[option.name]}"
    if option.name.lower().startswith(("x-", "verity")):
        return f"{option.name}: {OF_OTHERS}"
    if known is None:
        return f"unknown mount option '{option.name}' of {kind}: raidtui help mount lists all"
    return f"{option.name}: invalid value '{option.value}'; expected {values_of(known)}"


def conflicts(options: Sequence[MountOption], kind: MadeFileSystem) -> tuple[tuple[str, str], ...]:
    """Pairs of options that exclude each other, or the same one given twice; what holds by default is among them."""
    found = []
    implied = [each for each in _BY_DEFAULT[kind] if each.name not in {option.name for option in options}]
    for number, left in enumerate(options):
        for right in (*options[number + 1 :], *implied):
            first, second = entry(left, kind), entry(right, kind)
            grouped = first is not None and second is not None and first.group and first.group == second.group
            pair = {left.text, right.text}
            if left.name == right.name or grouped or any(pair == set(each) for each in _INCOMPATIBLE):
                found.append((left.text, right.text))
    return tuple(found)


def quotas_of(options: Sequence[MountOption]) -> frozenset[Quota]:
    """The kinds of quota that these options turn on."""
    kinds = {each.name: each.quota for each in TABLE}
    return frozenset(quota for option in options if (quota := kinds.get(option.name)) is not None)


def fstab_words(options: Sequence[MountOption], always: Sequence[MountOption] = ALWAYS) -> str:
    """The fourth field of fstab: what every plan has, and `options`; one about access times replaces noatime."""
    atime = {each.name for each in TABLE if each.group == "atime"}
    own = any(option.name in atime for option in options)
    return ",".join(each.text for each in (*(each for each in always if not own or each.name not in atime), *options))


def shown(options: Sequence[MountOption], kind: MadeFileSystem) -> tuple[str, ...]:
    """What the kernel shows of `options` on a mounted file system; those that it does not show are left out."""
    texts = []
    for option in options:
        known = entry(option, kind)
        if known is None or known.shown == "" or option.text in _DEFAULTS:
            continue
        texts.append((known.shown or option.text).format(kib=_kib(option.value)))
    return tuple(texts)


_DEFAULTS = frozenset(
    {
        "data=ordered", "commit=5", "errors=continue", "data_err=ignore", "min_batch_time=0", "max_batch_time=15000",
        "inode_readahead_blks=32", "init_itable=10", "max_dir_size_kb=0", "resuid=0", "resgid=0",
    }
)  # fmt: skip
"""values that the kernel does not show, since they are its own"""


def values_of(known: Listed) -> str:
    """The values that it may have, in words."""
    return _RANGES.get(known.value, known.value.replace("|", ", ") or "no value")


def _spelled(value: str) -> str:
    """A size in the largest unit that holds it, as the table has it; what is no size as it is."""
    if not re.fullmatch("[1-9][0-9]{0,11}[kmg]?", value):
        return value
    size = _kib(value) * 1024 if value[-1] in _UNITS else int(value)
    fits = [(unit, size // (1024 * kib)) for unit, kib in _UNITS.items() if size % (1024 * kib) == 0]
    return f"{fits[-1][1]}{fits[-1][0]}" if fits else value


def _kib(value: str) -> int:
    number, unit = value[:-1], value[-1:]
    return int(number) * _UNITS[unit] if number.isdigit() and unit in _UNITS else 0
