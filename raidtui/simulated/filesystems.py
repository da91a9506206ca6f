"""mkfs and the output of file-system tools (xfsprogs 6.1, e2fsprogs 1.47).

Figures are mkfs' arguments; those of a mounted file system are computed by the planner's own arithmetic, so they are
valid only if mkfs got the planner's figures.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from raidtui.programs import mkfs_xfs
from raidtui.programs.file_systems import FRESH, QUOTA_FIELDS, most_blocks
from raidtui.simulated.argv_parser import Given, ProgramFailed, read, unknown
from raidtui.simulated.devices import busy, must_resolve
from raidtui.simulated.state import DiskMark, State
from raidtui.simulated.storage import below, check_read, put, seen
from raidtui.sizes import xfs
from raidtui.sizes.ext4 import planned_ext4
from raidtui.values.design import EXT4_FEATURES, QUOTAS, Ext4Options, Quota, XfsOptions
from raidtui.values.units import KIB, MIB

KINDS = ("xfs", "ext4")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SUPERBLOCK_AT = 0.5
"""share of mkfs.xfs after which its first superblock is written"""
_XFS_META = frozenset({"uuid", "rmapbt", "reflink", "finobt", "inobtcount", "bigtime"})
_EXT4_TYPES: dict[str, Quota] = {"usrquota": "user", "grpquota": "group", "prjquota": "project"}
_EXT4_EXTENDED = frozenset(
    {"nodiscard", "stride", "stripe_width", "lazy_itable_init", "lazy_journal_init", "quotatype", "packed_meta_blocks"}
)
_EXT4_QUOTA_INODES = (("user", 3), ("group", 4), ("project", 12))
_XFS_LATER = frozenset(mkfs_xfs.FIELDS)


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


def xfs_growfs(state: State, argv: tuple[str, ...]) -> str:
    """`xfs_growfs -d PLACE`: to the end of its device, as the kernel ends it (xfs_fsops.c)."""
    match argv:
        case ("xfs_growfs", "-d", place):
            mount = next((each for each in state.mounts if each.place == place), None)
        case _:
            raise unknown(argv)
    mark = next((mark for mark in seen(state, mount.key) if mark.kind == "xfs"), None) if mount else None
    if mount is None or mark is None:
        raise ProgramFailed(f"xfs_growfs: {place} is not a mounted XFS filesystem")
    facts = mark.facts
    blocks = most_blocks("xfs", below(state, mount.key)[2], facts["blocksize"], facts["agblocks"])
    put(state, mount.key, replace(mark, facts=facts | {
        "dblocks": blocks, "agcount": -(-blocks // facts["agblocks"]),
        "shown_blocks": facts["shown_blocks"] + blocks - facts["dblocks"],
    }))  # fmt: skip
    return f"data blocks changed from {facts['dblocks']} to {blocks}\n"


def resize2fs(state: State, argv: tuple[str, ...]) -> str:
    """`resize2fs DEVICE BLOCKS` of a mounted ext4; a group that is added has what the others have on average."""
    device, text = read(argv, least=2, most=2).operands
    mark = _on(state, device, "ext4", "resize2fs: Bad magic number in super-block while trying to open {}")
    facts, key, blocks = mark.facts, must_resolve(state, device), int(text)
    most = below(state, key)[2] // facts["block_size"]
    if blocks > most:
        raise ProgramFailed(f"resize2fs: The containing partition (or device) is only {most} (4k) blocks.")
    before, after = (-(-each // (8 * facts["block_size"])) for each in (facts["blocks"], blocks))
    inside = (facts["blocks"] - facts["shown_blocks"]) * after // before
    put(state, key, replace(mark, facts=facts | {
        "blocks": blocks, "shown_blocks": blocks - inside, "inodes": facts["inodes"] // before * after,
    }))  # fmt: skip
    return f"The filesystem on {device} is now {blocks} (4k) blocks long.\n"


def xfs_db(state: State, argv: tuple[str, ...]) -> str:
    """Fields of the primary superblock and of the root directory."""
    commands, device = argv[3:-1:2], argv[-1]
    if argv[1] != "-r" or set(argv[2:-1:2]) != {"-c"} or commands[0] != "sb 0":
        raise unknown(argv)
    mark = _on(state, device, "xfs", "xfs_db: {} is not a valid XFS filesystem (unexpected SB magic number)")
    used = FRESH["xfs"] + _own_files(mark) + len(inner(mark))
    made = -(-used // 64) * 64  # inodes come by chunks of 64
    bits = mark.facts.get("quotas", 0)
    fields: dict[str, int | str] = {
        **mark.facts, "icount": made, "ifree": made - used,
        "fdblocks": used_space(state, must_resolve(state, device))[2],
        "features_ro_compat": f"{mark.facts.get('features', 0):#x}",
        **{name: 131 + n if bits >> n & 1 else 0 for n, name in enumerate(QUOTA_FIELDS)},
    }  # fmt: skip
    lines = []
    for command in commands:
        verb, _, names = command.partition(" ")
        if verb == "print" and set(names.split()) <= {*fields, *_XFS_LATER}:
            lines += [f"{name} = {fields.get(name, 0)}\n" for name in names.split()]
        elif command not in ("sb 0", "addr rootino"):
            raise unknown(argv)
    return "".join(lines)


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
                ("Free inodes", facts["inodes"] - FRESH["ext4"] - _own_files(mark) - len(inner(mark))),
                ("Block size", facts["block_size"]), ("Blocks per group", 8 * facts["block_size"]),
                *([("RAID stride", facts["stride"]), ("RAID stripe width", facts["width"])] if facts["stride"] else []),
                ("Inode size", facts["inode_size"]), ("Flex block group size", facts["flex"]),
                ("Total journal blocks", facts["journal"]), *([("MMP update interval", 5)] if "mmp" in facts else []),
                *([("Orphan file inode", 12 + (facts.get("quotas", 0) >> 2 & 1))] if "orphan_file" in facts else []),
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
    size = "block_size" if mark.kind == "ext4" else "blocksize"
    return mark.facts.get(size, 4096), mark.facts.get("shown_blocks", 0)  # what others left has no figures


def used_space(state: State, key: str) -> tuple[int, int, int, int, int]:
    """Block size, blocks, free blocks, inodes and free inodes, as statfs(2) shows them."""
    block, blocks = fresh_space(state, key)
    mark = next(mark for mark in seen(state, key) if mark.kind in KINDS)
    free = blocks - sum(-(-len(text.encode("utf-8", "surrogateescape")) // block) for text in mark.texts.values())
    inodes = mark.facts.get("inodes", 0) if mark.kind == "ext4" else blocks // 20 * 8
    return block, blocks, free, inodes, inodes - FRESH[mark.kind] - _own_files(mark) - len(inner(mark))


def _own_files(mark: DiskMark) -> int:
    """Inodes of quota files (on XFS one for each kind, on ext4 that of projects, for the others are reserved) and of
    ext4's orphan file."""
    bits = mark.facts.get("quotas", 0)
    return bits.bit_count() if mark.kind == "xfs" else (bits >> 2 & 1) + mark.facts.get("orphan_file", 0)


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
    given = read(argv, flags={"-K"}, apart={"-b", "-s", "-m", "-d", "-l", "-i", "-n"}, least=1, most=1)
    (device,) = given.operands
    said = {name: _words(text, argv) for name, text in given.values.items()}
    meta, data, log, inode = said["-m"], said["-d"], said["-l"], said["-i"]
    if not _UUID.fullmatch(str(meta["uuid"])) or not set(meta) <= _XFS_META:
        raise unknown(argv)
    block, agsize, blocks = (int(text.removesuffix("b")) for text in (said["-b"]["size"], data["agsize"], log["size"]))
    made_with = XfsOptions(
        block_bytes=block, sector_bytes=int(said["-s"]["size"]), inode_bytes=int(inode.get("size", 512)),
        reflink=meta["reflink"] == "1", rmapbt=meta["rmapbt"] == "1", finobt=meta.get("finobt", "1") == "1",
        imaxpct=int(inode["maxpct"]), agsize_bytes=agsize * block, log_bytes=blocks * block,
        log_sunit_bytes=int(log["su"]) if "su" in log else None,
    )  # fmt: skip
    size = below(state, must_resolve(state, device))[2]
    stripe = {"sunit_bytes": int(data.get("su", 0)), "stripe_width": int(data.get("sw", 0))}
    problem = xfs.problem(size, **stripe, options=made_with)
    shape = xfs.xfs_geometry(size, **stripe, options=made_with)
    if problem or (agsize, blocks) != (shape.agsize_blocks, shape.log_blocks):
        raise ProgramFailed(f"mkfs.xfs: agsize and log of {(agsize, blocks)} do not fit {device} of {size} bytes")
    directory = int(said["-n"]["size"]) if "-n" in said else 4096
    sparse = inode.get("sparse", "1") == "1"
    facts = {
        "blocksize": block, "dblocks": shape.blocks, "agblocks": agsize, "agcount": shape.agcount,
        "unit": shape.sunit_blocks, "width": shape.swidth_blocks, "logblocks": blocks, "sectsize": shape.sector_bytes,
        "inprogress": 0, "shown_blocks": shape.statfs_blocks, "v3.bigtime": int(meta.get("bigtime", "1")),
        "features": sum(bit for name, bit in mkfs_xfs.BITS.items() if meta.get(name, "1") == "1"),
        "inodesize": int(inode.get("size", 512)), "dirblklog": (directory // block).bit_length() - 1,
        "spino_align": 32 * int(inode.get("size", 512)) // block if sparse else 0, "imax_pct": shape.imaxpct,
        "logsunit": shape.log_sunit_blocks * block or 1,
        "core.extsize": int(data.get("extszinherit", 0)), "v3.cowextsize": int(data.get("cowextsize", 0)),
        "v3.nrext64": int(inode.get("nrext64", 0)),
    }  # fmt: skip
    return DiskMark(kind="xfs", offset=0, length=4 * KIB, uuid=meta["uuid"], facts=facts), device


def _ext4(state: State, argv: tuple[str, ...]) -> tuple[DiskMark, str]:
    given = read(argv, flags={"-q"}, apart={"-b", "-U", "-O", "-I", "-N", "-m", "-J", "-E", "-G"}, least=2, most=2)
    device, blocks = given.operands
    options, extended = given.values, _words(given.values["-E"], argv)
    if not set(extended) <= _EXT4_EXTENDED or "nodiscard" not in extended:
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
    journal = _number(given, "-J", argv) * MIB
    features = tuple(name for name in EXT4_FEATURES if name in options["-O"].split(","))
    made_with = Ext4Options(
        block_bytes=each, reserved_percent=float(options["-m"]), quotas=quotas, inode_bytes=int(options["-I"]),
        journal_bytes=journal, flex_bg=int(options.get("-G", 16)), features=features,
        packed_meta_blocks=extended.get("packed_meta_blocks") == "1",
    )  # fmt: skip
    shape = planned_ext4(
        size, sunit_bytes=stride * each, stripe_width=width // stride if stride else 0, options=made_with,
        inodes=int(options["-N"]),
    )  # fmt: skip
    sizes = (int(blocks), int(options["-N"]), journal // each)
    if sizes != (shape.blocks, shape.inodes, shape.journal_blocks):
        raise ProgramFailed(f"mkfs.ext4: {sizes} is not what fits {device} of {size} bytes")
    facts: dict[str, int] = {
        "block_size": each, "blocks": sizes[0], "inodes": sizes[1], "reserved": shape.reserved_blocks, "stride": stride,
        "width": width, "shown_blocks": shape.statfs_blocks, "inode_size": int(options["-I"]),
        "flex": int(options.get("-G", 16)), "journal": journal // each,
        **dict.fromkeys((name for name in ("mmp", "orphan_file") if name in features), 1),
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
