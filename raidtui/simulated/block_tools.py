"""lsblk, blkid, blockdev, wipefs, blkdiscard, cmp: what is on devices, and erasing it (util-linux 2.38, diffutils)."""

from __future__ import annotations

import json

from raidtui.programs import cryptsetup
from raidtui.programs.lsblk import ARGV as LSBLK
from raidtui.programs.multipath import uuid_question
from raidtui.programs.smartctl import recovery_argv
from raidtui.simulated import crypt, leftovers
from raidtui.simulated import devices as disk_queue
from raidtui.simulated.argv_parser import ProgramFailed, read, unknown
from raidtui.simulated.devices import (
    ON_TOP_NODES,
    active_volumes,
    busy,
    children,
    kernel_name,
    must_resolve,
    resolve,
    top_name,
)
from raidtui.simulated.devices import pin as pin_of
from raidtui.simulated.filesystems import KINDS
from raidtui.simulated.state import Drive, State
from raidtui.simulated.storage import (
    array_of,
    below,
    check_read,
    crypt_of,
    drive_of,
    marks,
    partition_of,
    seen,
    spoil,
    zero,
)
from raidtui.values.units import MIB, SECTOR

_TABLES = ("gpt", "PMBR")
_AT_ONCE = 4096
"""bytes that are one request to a disk, written whole or not at all"""


def wipefs(state: State, argv: tuple[str, ...], share: float = 1.0) -> str:
    """Lists, saves or erases signatures. Without force it opens every device exclusively."""
    words = argv[2:] if argv[0] == "env" and argv[1].startswith("HOME=/") else argv
    given = read(
        words,
        flags={"--all", "--no-act", "--backup", "--noheadings"},
        values={"--lock", "--output", "--types"},
        least=1,
    )
    flags, lock = given.flags, given.values.get("--lock")
    if flags == {"--noheadings"} and given.values == {"--output": "DEVICE,OFFSET,TYPE"}:
        return "".join(_listed(state, path) for path in given.operands)
    if flags == {"--noheadings"} and given.values == {"--output": "DEVICE,OFFSET,TYPE", "--types": "linux_raid_member"}:
        (path,) = given.operands
        lines = _listed(state, path).splitlines(keepends=True)
        return "".join(line for line in lines if line.split()[-1] == "linux_raid_member")
    if flags == {"--all", "--no-act", "--backup"} and words is not argv and not given.values:
        for path in given.operands:
            _open_exclusively(state, path)
        return ""
    if flags != {"--all"} or lock not in (None, "yes") or "--output" in given.values or words is not argv:
        raise unknown(argv)
    devices = given.operands if share >= 1 else given.operands[: round(share * len(given.operands))]
    return "".join(_wiped(state, path) for path in devices)


def blkdiscard(state: State, argv: tuple[str, ...], share: float = 1.0) -> str:
    """Writes zeros."""
    given = read(argv, flags={"--zeroout"}, values={"--offset", "--length"}, least=1, most=1)
    if "--zeroout" not in given.flags:
        raise unknown(argv)
    (path,) = given.operands
    key = _open_exclusively(state, path)
    offset, length = given.number("--offset"), given.number("--length")
    if offset + length > below(state, key)[2] or offset % SECTOR or length % SECTOR:
        raise ProgramFailed(f"blkdiscard: {path}: offset or length is out of range or not aligned to sectors")
    if share < 1 and length <= _AT_ONCE:
        return ""
    zero(state, key, offset, int(share * length) // SECTOR * SECTOR)
    state.woken.append(key)
    return ""


def cmp(state: State, argv: tuple[str, ...]) -> str:
    """Whether bytes are zero."""
    given = read(argv, values={"--bytes", "--ignore-initial"}, least=2, most=2)
    path, zeros = given.operands
    start, _, other = given.values["--ignore-initial"].partition(":")
    if zeros != "/dev/zero" or other != "0" or not start.isdigit():
        raise unknown(argv)
    key = resolve(state, path)
    if key is None:
        raise ProgramFailed(f"cmp: {path}: No such file or directory", 2)
    first, length = int(start), given.number("--bytes")
    try:
        check_read(state, key, first, length)
    except ProgramFailed as problem:
        raise ProgramFailed(f"cmp: {path}: {problem}", 2) from None
    if first + length > below(state, key)[2]:
        raise ProgramFailed(f"cmp: EOF on {path} after byte {below(state, key)[2] - first}")
    found = [max(first, mark.offset) for mark in marks(state, key)
             if mark.offset < first + length and first < mark.offset + mark.length]  # fmt: skip
    if found:
        raise ProgramFailed(f"{path} /dev/zero differ: char {min(found) - first + 1}, line 1", aloud=True)
    return ""


def blockdev(state: State, argv: tuple[str, ...]) -> str:
    """Size in bytes, read-ahead in sectors."""
    match argv:
        case ("blockdev", "--getsize64", path):
            return f"{below(state, must_resolve(state, path))[2]}\n"
        case ("blockdev", "--getra", path):
            key = must_resolve(state, path)
            array = array_of(state, key)
            volumes = (volume for group, volume in active_volumes(state) if f"{group.name}/{volume.name}" == key)
            found = array or crypt_of(state, key) or next(volumes, None)
            return f"{found.read_ahead_sectors if found else 256}\n"
        case _:
            raise unknown(argv)


def blkid(state: State, argv: tuple[str, ...]) -> str:
    """`blkid --probe --output export`: the content of the device itself."""
    match argv:
        case ("blkid", "--probe", "--output", "export", path):
            key = must_resolve(state, path)
            check_read(state, key, 0, MIB)
            part = partition_of(key)
            drive = drive_of(state, part[0]) if part else None
            tables = leftovers.table_pairs(state, key)
            entry = leftovers.entry_pairs(state, drive, part[1]) if drive is not None and part else []
            found = next((mark for mark in seen(state, key) if mark.kind not in _TABLES or not mark.facts), None)
            if tables:
                return "\n".join([f"DEVNAME={path}", *tables]) + "\n"
            if found is None and not entry:
                raise ProgramFailed("", 2)
            lines = [f"DEVNAME={path}"]
            if found is not None:
                usage = "filesystem" if found.kind in KINDS else "crypto" if found.kind == cryptsetup.KIND else "raid"
                lines += [f"UUID={found.uuid}"] if found.uuid else []
                lines += [f"TYPE={found.kind}", f"USAGE={usage}"]
            return "\n".join([*lines, *entry]) + "\n"
        case _:
            raise unknown(argv)


def lsblk(state: State, argv: tuple[str, ...]) -> str:
    """The disk, or the disk with everything on it."""
    match argv[1:]:
        case ("--nodeps", "--noheadings", "--bytes", "--raw", "--output=TYPE,SIZE,LOG-SEC,RO", path):
            drive = _drive(state, path)
            read_only = int(any(hold.how == "read-only" for hold in drive.holds))
            return f"{_type(state, drive.key)} {drive.disk.size_bytes} {drive.disk.logical_sector_bytes} {read_only}\n"
        case ("--nodeps", "--noheadings", "--output=SCHED", path):
            return f"{disk_queue.queue_of(_drive(state, path))[0]}\n"
        case ("--nodeps", "--noheadings", "--pairs", "--output=TYPE,MOUNTPOINT,MODEL,SERIAL,WWN", path):
            return _rows(state, _drive(state, path).key, names=True, deep=False)
        case ("--nodeps", "--noheadings", "--pairs", "--output=TYPE,MODEL,SERIAL,WWN", path):
            kind, _, names = _rows(state, _drive(state, path).key, names=True, deep=False).split(" ", 2)
            return f"{kind} {names}"
        case ("--noheadings", "--pairs", "--output=TYPE,MOUNTPOINT,MODEL,SERIAL,WWN", path):
            return _rows(state, _drive(state, path).key, names=True, deep=True)
        case ("--json", "--bytes", "--list", "--output", columns, *paths) if argv[: len(LSBLK)] == LSBLK:
            del columns
            shown: set[str] = set()
            drives = [drive.key for drive in state.drives if drive.present]
            roots = [must_resolve(state, path) for path in paths] or drives
            return json.dumps({"blockdevices": [row for key in roots for row in _json_rows(state, key, None, shown)]})
        case ("--noheadings", "--pairs", "--output=TYPE,MOUNTPOINT", *paths) if paths:
            keys = [resolve(state, path) for path in paths]
            if None in keys:
                raise ProgramFailed(f"lsblk: {paths[keys.index(None)]}: not a block device", 32)
            return "".join(_rows(state, key, names=False, deep=True) for key in keys if key is not None)
    raise unknown(argv)


def _listed(state: State, path: str) -> str:
    key = resolve(state, path)
    if key is None:
        raise ProgramFailed(f"wipefs: error: {path}: probing initialization failed: No such file or directory")
    try:
        check_read(state, key, 0, MIB)
        check_read(state, key, below(state, key)[2] - MIB, MIB)
    except ProgramFailed as problem:
        raise ProgramFailed(f"wipefs: error: {path}: {problem}") from None
    return "".join(f"{kernel_name(state, key)} {mark.offset:#x} {mark.kind}\n" for mark in seen(state, key))


def _wiped(state: State, path: str) -> str:
    key = _open_exclusively(state, path)
    lines = []
    for mark in seen(state, key):
        spoil(state, key, mark)
        lines.append(f"{path}: 8 bytes were erased at offset {mark.offset:#010x} ({mark.kind})\n")
        if mark.kind in ("gpt", "dos") and (drive := drive_of(state, key)) is not None:
            drive.partitions = []
            lines.append(f"{path}: calling ioctl to re-read partition table: Success\n")
    state.woken.append(key)
    return "".join(lines)


def _open_exclusively(state: State, path: str) -> str:
    key = resolve(state, path)
    if key is None:
        raise ProgramFailed(f"{path}: No such file or directory")
    drive = drive_of(state, (partition_of(key) or (key,))[0])
    if drive is not None and any(hold.how == "read-only" for hold in drive.holds):
        raise ProgramFailed(f"{path}: Read-only file system")
    if busy(state, key):
        raise ProgramFailed(f"{path}: Device or resource busy")
    return key


def _drive(state: State, path: str) -> Drive:
    key = resolve(state, path)
    drive = drive_of(state, key) if key else None
    if drive is None:
        raise ProgramFailed(f"lsblk: {path}: not a block device", 32)
    return drive


def _rows(state: State, key: str, *, names: bool, deep: bool) -> str:
    drive = drive_of(state, key)
    place = next((mount.place for mount in state.mounts if mount.key == key), "")
    if drive is not None:
        hold = next((hold for hold in drive.holds if hold.how in ("mounted", "swap")), None)
        place = (hold.name if hold.how == "mounted" else "[SWAP]") if hold else place
    values = [_type(state, key), place]
    if names:
        disk = drive.disk if drive else None
        values += [disk.model or "", disk.serial or "", disk.wwn or ""] if disk else ["", "", ""]
    columns = ("TYPE", "MOUNTPOINT", "MODEL", "SERIAL", "WWN")
    line = " ".join(f'{name}="{_quoted(value)}"' for name, value in zip(columns, values, strict=False))
    inner = [_foreign(name, names) if not child else _rows(state, child, names=names, deep=True)
             for name, child in (children(state, key) if deep else ())]  # fmt: skip
    return f"{line}\n{''.join(inner)}"


def _json_rows(state: State, key: str, parent: str | None, shown: set[str]) -> list[dict[str, object]]:
    """What `lsblk --json --list` prints of a device and of everything on it, which is `shown` once."""
    name = kernel_name(state, key)
    place = next((mount.place for mount in state.mounts if mount.key == key), None)
    number = pin.number if (pin := pin_of(state, f"/dev/{name}")) else ""
    row = _json_row(name, parent, number, _type(state, key), below(state, key)[2], place)
    if mark := next((mark for mark in seen(state, key) if mark.kind != "data"), None):
        row |= {"fstype": mark.kind, "label": mark.label or None, "uuid": mark.uuid or None}
    rows = [row]
    if key in shown:
        return rows
    shown.add(key)
    users = {top_name(state, user): user for user in state.used if user.key == key}
    for child, inner in children(state, key):
        if inner:
            rows += _json_rows(state, inner, name, shown)
        else:
            kind = ON_TOP_NODES.get(users[child].how, "dm") if child in users else "dm"
            rows.append(_json_row(child, name, f"251:{len(rows)}", kind, 0, None))
    return rows


def _json_row(
    name: str, parent: str | None, number: str, kind: str, size: int, place: str | None
) -> dict[str, object]:  # fmt: skip
    row: dict[str, object] = {column.lower(): None for column in LSBLK[-1].split(",")}
    row |= {"log-sec": 512, "phy-sec": 512, "ro": False, "rota": True}
    return row | {"kname": name, "pkname": parent, "maj:min": number, "type": kind, "size": size, "mountpoint": place}


def _type(state: State, key: str) -> str:
    if (drive := drive_of(state, key)) is not None:
        return "mpath" if drive.disk.multipath else "disk"
    array = array_of(state, key)
    if crypt_of(state, key) is not None:
        return "crypt"
    return array.config.level if array else "part" if partition_of(key) else "lvm"


_FOREIGN_TYPES = {"md": "raid1", "dm": "lvm", "cr": "crypt", "bc": "disk", "mp": "mpath"}


def _foreign(name: str, names: bool) -> str:
    tail = ' MODEL="" SERIAL="" WWN=""' if names else ""
    return f'TYPE="{_FOREIGN_TYPES.get(name[:2], "lvm")}" MOUNTPOINT=""{tail}\n'


def _quoted(text: str) -> str:
    """Between quotes, what a shell could take for its own is written as \\xHH (libsmartcols)."""
    safe = (
        chr(byte) if 0x20 <= byte < 0x7F and byte not in b'"\\`$' else f"\\x{byte:02x}"
        for byte in text.encode("utf-8", "surrogateescape")
    )
    return "".join(safe)


def dmsetup(state: State, argv: tuple[str, ...]) -> str:
    """Device-mapper UUID: of a multipath map the identity of its disk, of an open LUKS2 volume that and its name."""
    if "/" not in argv[-1] and argv == cryptsetup.mapping_question(argv[-1]):
        return crypt.mapping_uuid(state, argv[-1])
    drive = _drive(state, argv[-1])
    if argv != uuid_question(argv[-1]) or drive.disk.multipath is None:
        raise unknown(argv)
    return f"{drive.disk.id}\n"


def smartctl(state: State, argv: tuple[str, ...]) -> str:
    """Error recovery of a drive: 7 s, as drives for arrays have it."""
    if argv[:-1] != recovery_argv("")[:-1]:
        raise unknown(argv)
    must_resolve(state, argv[-1])
    return '{"ata_sct_erc": {"read": {"enabled": true, "deciseconds": 70}}}'


# fio on block devices (fio 3.33): writes zeros, to all of each as a long run does, or reads.


_PREFIX = "--filename="
_RATE = 100_000_000
"""bytes a second of each device"""


def fio(state: State, argv: tuple[str, ...], share: float = 1.0) -> str:
    """Writes zeros over `share` of each device or reads it, and reports a constant rate."""
    options = dict(word.removeprefix("--").partition("=")[::2] for word in argv[1:])
    reads = options.get("rw") in ("read", "randread") and "readonly" in options
    writes = options.get("rw") in ("write", "randwrite") and options.get("zero_buffers") == "1"
    if not reads and not writes:
        raise unknown(argv)
    paths = [word.removeprefix(_PREFIX).replace("\\:", ":") for word in argv if word.startswith(_PREFIX)]
    for path in paths:
        key = resolve(state, path)
        if key is None:
            raise ProgramFailed(f"fio: {path}: No such file or directory")
        if writes:
            size = int(share * int(options.get("size", below(state, key)[2]))) // 512 * 512
            for stream in range(int(options.get("numjobs", 1))):
                zero(state, key, stream * int(options.get("offset_increment", 0)), size)
    seconds = int(options["runtime"])
    requests = _RATE * seconds // int(options["bs"])
    moved = {"io_bytes": _RATE * seconds * len(paths), "total_ios": requests * len(paths), "runtime": seconds * 1000}
    idle = {"io_bytes": 0, "total_ios": 0, "runtime": 0}
    job = {"jobname": "zeros", "error": 0, "read": moved if reads else idle, "write": moved if writes else idle}
    return json.dumps({"fio version": "fio-3.33", "jobs": [job]}) + "\n"
