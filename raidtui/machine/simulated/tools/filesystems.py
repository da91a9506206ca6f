"""mkfs and the output of file-system tools (xfsprogs 6.1, e2fsprogs 1.47).

Figures are mkfs' arguments; those of a mounted file system are computed by the planner's own arithmetic, so they are
valid only if mkfs got the planner's figures.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from raidtui.machine.simulated.core.argv_parser import Given, ProgramFailed, read, unknown
from raidtui.machine.simulated.core.devices import busy, must_resolve
from raidtui.machine.simulated.core.state import DiskMark, State
from raidtui.machine.simulated.core.storage import below, check_read, put, seen
from raidtui.model.file_system import QUOTAS, Ext4Options, Quota, XfsOptions
from raidtui.model.units import KIB, MIB
from raidtui.planner.geometry.ext4 import planned_ext4
from raidtui.planner.geometry.xfs import xfs_geometry
from raidtui.tools.file_count import FRESH, QUOTA_FIELDS

KINDS = ("xfs", "ext4")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SUPERBLOCK_AT = 0.5
"""share of mkfs.xfs after which its first superblock is written"""
_XFS_META = frozenset({"uuid", "rmapbt", "reflink", "finobt", "inobtcount", "bigtime"})
_EXT4_TYPES: dict[str, Quota] = {"usrquota": "user", "grpquota": "group", "prjquota": "project"}
_EXT4_EXTENDED = frozenset(
    {"nodiscard", "stride", "stripe_width", "lazy_itable_init", "lazy_journal_init", "quotatype"}
)
_EXT4_QUOTA_INODES = (("user", 3), ("group", 4), ("project", 12))
_XFS_SPACE = "print blocksize dblocks logblocks fdblocks icount ifree"
_XFS_QUOTAS = " ".join(QUOTA_FIELDS)
_XFS_FIELDS = "print blocksize dblocks agblocks agcount unit width logblocks sectsize inprogress"


def mkfs(state: State, argv: tuple[str, ...], share: float = 1.0) -> str:
    """Makes the file system; what is killed early leaves a start without a magic string, mkfs.xfs later a superblock
    that says it is not whole (xfsprogs mkfs/xfs_mkfs.c writes it first, and once more when all else is there)."""
    mark, device = _ext4(state, argv) if argv[0] == "mkfs.ext4" else _xfs(state, argv)
    key = must_resolve(state, device)
    if busy(state, key):
        raise ProgramFailed(f"{argv[0]}: {device} contains a mounted filesystem or is in use")
    found = next(iter(seen(state, key)), None)
    if found is not None:
        raise ProgramFailed(
            f"{argv[0]}: {device} appears to contain an existing filesystem or signature ({found.kind}).\n"
            f"{argv[0]}: Use the -f option to force overwrite."
        )
    if share < 1 and (mark.kind == "ext4" or share < _SUPERBLOCK_AT):
        mark = DiskMark(kind="data", offset=mark.offset + 512, length=512)
    elif share < 1:
        mark.facts["inprogress"] = 1
    put(state, key, mark)
    return ""


def xfs_db(state: State, argv: tuple[str, ...]) -> str:
    """The fields of the primary superblock."""
    match argv:
        case ("xfs_db", "-r", "-c", "sb 0", "-c", asked, device) if asked == _XFS_FIELDS:
            mark = _on(state, device, "xfs", "xfs_db: {} is not a valid XFS filesystem (unexpected SB magic number)")
            return "".join(f"{name} = {mark.facts.get(name, 0)}\n" for name in _XFS_FIELDS.split()[1:])
        case (
            "xfs_db",
            "-r",
            "-c",
            "sb 0",
            "-c",
            "print features_ro_compat",
            "-c",
            "addr rootino",
            "-c",
            times,
            device,
        ):
            mark = _on(state, device, "xfs", "xfs_db: {} is not a valid XFS filesystem (unexpected SB magic number)")
            if times != "print v3.bigtime":
                raise unknown(argv)
            return f"features_ro_compat = {mark.facts['features']:#x}\nv3.bigtime = {mark.facts['bigtime']}\n"
        case ("xfs_db", "-r", "-c", "sb 0", "-c", asked, device) if asked in (
            _XFS_SPACE,
            f"{_XFS_SPACE} {_XFS_QUOTAS}",
        ):
            mark = _on(state, device, "xfs", "xfs_db: {} is not a valid XFS filesystem (unexpected SB magic number)")
            used = FRESH["xfs"] + _quota_files(mark) + len(inner(mark))
            made = -(-used // 64) * 64  # inodes come by chunks of 64
            free = used_space(state, must_resolve(state, device))[2]
            facts = {name: mark.facts[name] for name in ("blocksize", "dblocks", "logblocks")}
            values = {**facts, "fdblocks": free, "icount": made, "ifree": made - used}
            if asked != _XFS_SPACE:
                bits = mark.facts.get("quotas", 0)
                values |= {name: 131 + n if bits >> n & 1 else 0 for n, name in enumerate(_XFS_QUOTAS.split())}
            return "".join(f"{name} = {value}\n" for name, value in values.items())
    raise unknown(argv)


def dumpe2fs(state: State, argv: tuple[str, ...]) -> str:
    """The superblock's lines that a plan looks at."""
    match argv:
        case ("dumpe2fs", "-h", device):
            missing = "dumpe2fs: Bad magic number in super-block while trying to open {}"
            facts, uuid = (mark := _on(state, device, "ext4", missing)).facts, mark.uuid
            lines = [
                ("Filesystem volume name", "<none>"), ("Filesystem UUID", uuid),
                ("Filesystem features", f"has_journal extent{' needs_recovery' if facts.get('dirty') else ''}"),
                ("Filesystem state", "clean"), ("Inode count", facts["inodes"]), ("Block count", facts["blocks"]),
                ("Reserved block count", facts["reserved"]),
                ("Overhead clusters", facts["blocks"] - facts["shown_blocks"]),
                ("Free blocks", used_space(state, must_resolve(state, device))[2]),
                ("Free inodes", facts["inodes"] - FRESH["ext4"] - _quota_files(mark) - len(inner(mark))),
                ("Block size", facts["block_size"]),
                *([("RAID stride", facts["stride"]), ("RAID stripe width", facts["width"])] if facts["stride"] else []),
                *[(f"{quota.title()} quota inode", inode) for n, (quota, inode) in enumerate(_EXT4_QUOTA_INODES)
                  if facts.get("quotas", 0) >> n & 1],
            ]  # fmt: skip
            return "".join(f"{name + ':':<25} {value}\n" for name, value in lines)
        case _:
            raise unknown(argv)


def fresh_space(state: State, key: str) -> tuple[int, int]:
    """Block size and blocks that statfs(2) shows of the file system on a device."""
    mark = next((mark for mark in seen(state, key) if mark.kind in KINDS), None)
    if mark is None:
        raise ProgramFailed("Input/output error")
    return mark.facts["block_size"] if mark.kind == "ext4" else mark.facts["blocksize"], mark.facts["shown_blocks"]


def used_space(state: State, key: str) -> tuple[int, int, int, int, int]:
    """Block size, blocks, free blocks, inodes and free inodes, as statfs(2) shows them."""
    block, blocks = fresh_space(state, key)
    mark = next(mark for mark in seen(state, key) if mark.kind in KINDS)
    free = blocks - sum(-(-len(text.encode("utf-8", "surrogateescape")) // block) for text in mark.texts.values())
    inodes = mark.facts["inodes"] if mark.kind == "ext4" else blocks // 20 * 8
    return block, blocks, free, inodes, inodes - FRESH[mark.kind] - _quota_files(mark) - len(inner(mark))


def _quota_files(mark: DiskMark) -> int:
    """Inodes of quota files: on XFS one for each kind, on ext4 that of projects, for the others are reserved."""
    bits = mark.facts.get("quotas", 0)
    return bits.bit_count() if mark.kind == "xfs" else bits >> 2 & 1


def with_quotas(mark: DiskMark, quotas: Collection[Quota]) -> DiskMark:
    """A file system with the files of these quotas besides those that it has."""
    bits = sum(1 << number for number, quota in enumerate(QUOTAS) if quota in quotas)
    return replace(mark, facts={**mark.facts, "quotas": mark.facts.get("quotas", 0) | bits}) if bits else mark


def quotas_on(mark: DiskMark) -> frozenset[Quota]:
    """The kinds of quota that a file system has a file for."""
    bits = mark.facts.get("quotas", 0)
    return frozenset(quota for number, quota in enumerate(QUOTAS) if bits >> number & 1)


def replayed(mark: DiskMark) -> DiskMark:
    """A file system whose log a mount has worked off."""
    return replace(mark, facts={name: value for name, value in mark.facts.items() if name != "dirty"})


def inner(mark: DiskMark) -> list[str]:
    """All files and directories of a file system but its root."""
    parts = (name.strip("/").split("/") for name in mark.texts)
    return sorted({"/".join(each[: end + 1]) for each in parts for end in range(len(each))})


def xfs_logprint(state: State, argv: tuple[str, ...]) -> str:
    """`xfs_logprint -t`: a log is dirty where the file system was not unmounted."""
    match argv:
        case ("xfs_logprint", "-t", device):
            mark = _on(state, device, "xfs", "xfs_logprint: {} is not a valid XFS filesystem")
            word, head = ("DIRTY", 9) if mark.facts.get("dirty") else ("CLEAN", 2)
            return f"xfs_logprint:\n    data device: {device}\n\n    log tail: 2 head: {head} state: <{word}>\n"
        case _:
            raise unknown(argv)


def _on(state: State, device: str, kind: str, otherwise: str) -> DiskMark:
    key = must_resolve(state, device)
    check_read(state, key, 0, 4 * KIB)
    found = next((mark for mark in seen(state, key) if mark.kind == kind), None)
    if found is None:
        raise ProgramFailed(otherwise.format(device))
    return found


def _xfs(state: State, argv: tuple[str, ...]) -> tuple[DiskMark, str]:
    given = read(argv, flags={"-K"}, apart={"-b", "-s", "-m", "-d", "-l", "-i"}, least=1, most=1)
    (device,) = given.operands
    options = given.values
    block, sector = _words(options["-b"], argv)["size"], _words(options["-s"], argv)["size"]
    meta, data, log = (_words(options[name], argv) for name in ("-m", "-d", "-l"))
    if not _UUID.fullmatch(str(meta["uuid"])) or block != "4096" or not set(meta) <= _XFS_META:
        raise unknown(argv)
    made_with = XfsOptions(reflink=meta["reflink"] == "1", rmapbt=meta["rmapbt"] == "1")
    size = below(state, must_resolve(state, device))[2]
    unit = int(data.get("su", 0))
    width = int(data.get("sw", 0))
    shape = xfs_geometry(size, sunit_bytes=unit, stripe_width=width, sector_bytes=int(sector), options=made_with)
    made = (int(str(data["agsize"]).removesuffix("b")), int(str(log["size"]).removesuffix("b")))
    if made != (shape.agsize_blocks, shape.log_blocks):
        raise ProgramFailed(f"mkfs.xfs: agsize and log of {made} do not fit {device} of {size} bytes")
    facts = {
        "blocksize": 4096, "dblocks": shape.blocks, "agblocks": made[0], "agcount": shape.agcount, "unit": unit // 4096,
        "width": unit // 4096 * width, "logblocks": made[1], "sectsize": int(sector),
        "inprogress": 0, "shown_blocks": shape.statfs_blocks, "bigtime": int(meta.get("bigtime", "1")),
        "features": 1 | made_with.rmapbt << 1 | made_with.reflink << 2 | 8,
    }  # fmt: skip
    return DiskMark(kind="xfs", offset=0, length=4 * KIB, uuid=meta["uuid"], facts=facts), device


def _ext4(state: State, argv: tuple[str, ...]) -> tuple[DiskMark, str]:
    given = read(argv, flags={"-q"}, apart={"-b", "-U", "-O", "-I", "-N", "-m", "-J", "-E"}, least=2, most=2)
    device, blocks = given.operands
    options, extended = given.values, _words(given.values["-E"], argv)
    if options["-I"] != "256" or not set(extended) <= _EXT4_EXTENDED or "nodiscard" not in extended:
        raise unknown(argv)
    quotas = tuple(_EXT4_TYPES[word] for word in filter(None, extended.get("quotatype", "").split(":")))
    if bool(quotas) != ("quota" in options["-O"].split(",")):
        raise unknown(argv)
    if not _UUID.fullmatch(options["-U"]) or not options["-O"].startswith("none,has_journal,"):
        raise unknown(argv)
    size = below(state, must_resolve(state, device))[2]
    stride = int(extended.get("stride", 0))
    width = int(extended.get("stripe_width", 0))
    each = int(options["-b"])
    made_with = Ext4Options(block_bytes=each, reserved_percent=float(options["-m"]), quotas=quotas)
    shape = planned_ext4(
        size, sunit_bytes=stride * each, stripe_width=width // stride if stride else 0, options=made_with,
        inodes=int(options["-N"]),
    )  # fmt: skip
    journal = _number(given, "-J", argv) * MIB // each
    sizes = (int(blocks), int(options["-N"]), journal)
    if sizes != (shape.blocks, shape.inodes, shape.journal_blocks):
        raise ProgramFailed(f"mkfs.ext4: {sizes} is not what fits {device} of {size} bytes")
    facts = {
        "block_size": each, "blocks": sizes[0], "inodes": sizes[1], "reserved": shape.reserved_blocks, "stride": stride,
        "width": width, "shown_blocks": shape.statfs_blocks,
    }  # fmt: skip
    mark = DiskMark(kind="ext4", offset=KIB, length=KIB, uuid=options["-U"], facts=facts)
    return with_quotas(mark, quotas), device


def _number(given: Given, name: str, argv: tuple[str, ...]) -> int:
    return int(_words(given.values[name], argv)["size"])


def _words(text: str, argv: tuple[str, ...]) -> dict[str, str]:
    """`a=1,b=2,c` as names and values; a word without `=` has an empty value."""
    pairs = [word.partition("=") for word in text.split(",")]
    if any(not name for name, _, _ in pairs):
        raise unknown(argv)
    return {name: value for name, _, value in pairs}
