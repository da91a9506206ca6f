"""Output of mdadm for arrays and members, in its own format (mdadm 4.2: Detail.c, super1.c; checked against 6.1)."""

from __future__ import annotations

from collections.abc import Iterable

from raidtui.simulated.argv_parser import ProgramFailed
from raidtui.simulated.devices import kernel_name, must_resolve, pin
from raidtui.simulated.md import policy, superblock
from raidtui.simulated.state import JOURNAL, Array, ArrayConfig, Member, State, Superblock
from raidtui.simulated.storage import array_of, below, check_read, seen
from raidtui.values.units import KIB, SECTOR

_EPOCH = "Thu Jan  1 00:00:00 2026"
_WORDS = {"n": "near", "f": "far", "o": "offset"}


def detail_export(state: State, device: str) -> str:
    """`mdadm --detail --export`."""
    array = _array(state, device)
    config = array.config
    lines = [
        *([f"MD_LEVEL={config.level}"] if array.running else []),
        f"MD_DEVICES={config.devices if array.running else len(array.members)}",
        f"MD_METADATA={config.metadata}",
        f"MD_UUID={config.uuid}",
        f"MD_DEVNAME={array.link or config.name.rpartition(':')[2]}",
        *([f"MD_NAME={config.name}"] if config.metadata != "0.90" else []),
    ]
    for member, path in _paths(state, array):
        role = str(member.role) if member.role >= 0 and array.running else "spare"
        word = path.removeprefix("/dev/").replace("/", "_")
        lines += [f"MD_DEVICE_dev_{word}_ROLE={role}", f"MD_DEVICE_dev_{word}_DEV={path}"]
    return _text(lines)


def detail(state: State, device: str) -> str:
    """`mdadm --detail`."""
    array = _array(state, device)
    config = array.config
    counts = {word: sum(member.state == word for member in array.members) for word in
              ("active", "rebuilding", "replacing", "spare", "journal", "faulty")}  # fmt: skip
    spares = counts["spare"] + counts["rebuilding"] + counts["replacing"]
    lines = [
        f"{device}:",
        f"           Version : {config.metadata}",
        *([f"     Creation Time : {_EPOCH}"] if array.running else []),
        f"        Raid Level : {config.level}",
    ]
    if array.running:
        lines.append(f"        Array Size : {config.array_sectors // 2} ({_human(config.array_sectors)})")
        if config.component_sectors:
            lines.append(f"     Used Dev Size : {config.component_sectors // 2} ({_human(config.component_sectors)})")
        lines.append(f"      Raid Devices : {config.devices}")
    lines += [f"     Total Devices : {len(array.members)}", "       Persistence : Superblock is persistent", ""]
    if not array.running:
        return _text([*lines, "             State : inactive", f"   Working Devices : {len(array.members)}", "",
                      f"              Name : {config.name}", f"              UUID : {config.uuid}"])  # fmt: skip
    lines += ["     Intent Bitmap : Internal", ""] if config.bitmap else []
    lines += [
        f"       Update Time : {_EPOCH}",
        f"             State : {_state(array)} ",
        f"    Active Devices : {counts['active']}",
        f"   Working Devices : {counts['active'] + spares + counts['journal']}",
        f"    Failed Devices : {counts['faulty']}",
        f"     Spare Devices : {spares}",
        "",
        *_shape(config, detail=True),
        f"Consistency Policy : {policy(config)}",
        "",
    ]
    if array.sync is not None and not array.waiting:
        word = {"recover": "Rebuild", "check": "Check"}.get(array.sync.action, "Resync")
        lines += [f"    {word} Status : {int(100 * array.sync.done / max(1, array.sync.whole))}% complete", ""]
    lines += [f"              Name : {config.name}", f"              UUID : {config.uuid}",
              f"            Events : {array.events}", ""]  # fmt: skip
    return _text([*lines, "    Number   Major   Minor   RaidDevice State", *_table(state, array)])


def search(state: State) -> str:
    """`mdadm --examine --scan --verbose` over all devices: disks, partitions, arrays that are members of another."""
    drives = [drive for drive in state.drives if drive.present]
    devices = [
        (f"/dev/{kernel_name(state, key)}", key)
        for drive in drives
        for key in (drive.key, *(f"{drive.key}p{part.number}" for part in drive.partitions))
    ]
    devices += [(f"/dev/{array.name}", array.name) for array in state.arrays if array.running]
    found: dict[str, tuple[ArrayConfig, list[str]]] = {}
    for device, key in devices:
        if (block := superblock(state, key)) is not None:
            found.setdefault(block.config.uuid, (block.config, []))[1].append(device)
    return _text(
        line
        for config, names in found.values()
        for line in (
            f"ARRAY /dev/md/{config.name.rpartition(':')[2]}  level={config.level} metadata={config.metadata} "
            f"num-devices={config.devices} UUID={config.uuid} name={config.name}",
            f"   devices={','.join(names)}",
        )
    )


def examine_export(state: State, device: str) -> str:
    """`mdadm --examine --export`."""
    block = _block(state, device)
    config = block.config
    return _text(
        [
            f"MD_LEVEL={config.level}",
            f"MD_DEVICES={config.devices}",
            *([f"MD_NAME={config.name}"] if config.metadata != "0.90" else []),
            f"MD_ARRAY_SIZE={config.array_sectors * SECTOR / 1024**4:.2f}TiB",
            f"MD_UUID={config.uuid}",
            f"MD_DEV_UUID={block.device_uuid}",
            f"MD_EVENTS={block.events}",
        ]
    )


def examine(state: State, device: str) -> str:
    """`mdadm --examine`."""
    block = _block(state, device)
    config = block.config
    size = below(state, must_resolve(state, device))[2] // SECTOR
    free = size - config.data_offset
    role = f"Active device {block.role}" if block.role >= 0 else "Journal" if block.role == JOURNAL else "spare"
    there = "".join("A" if role in block.roster else "." for role in range(config.devices))
    lines = [f"{device}:", "          Magic : a92b4efc"]
    if config.metadata == "0.90":
        lines += ["        Version : 0.90.00", f"           UUID : {config.uuid}", f"     Raid Level : {config.level}",
                  f"   Raid Devices : {config.devices}", "          State : clean"]  # fmt: skip
        return _text([*lines, "", *_shape(config), f"this     {max(block.role, 0)}       0        0        0"])
    return _text(
        [
            *lines,
            f"        Version : {config.metadata}",
            f"    Feature Map : {config.bitmap + 0x200 * config.journal:#x}",
            f"     Array UUID : {config.uuid}",
            f"           Name : {config.name}",
            f"  Creation Time : {_EPOCH}",
            f"     Raid Level : {config.level}",
            f"   Raid Devices : {config.devices}",
            "",
            f" Avail Dev Size : {free} sectors ({_human(free)})",
            *([f"  Used Dev Size : {config.component_sectors} sectors"] if config.component_sectors else []),
            *([f"    Data Offset : {config.data_offset} sectors"] if config.metadata != "1.0" else []),
            "          State : clean",
            f"    Device UUID : {block.device_uuid}",
            "",
            f"    Update Time : {_EPOCH}",
            f"         Events : {block.events}",
            "",
            *_shape(config),
            f"   Device Role : {role}",
            f"   Array State : {there} ('A' == active, '.' == missing, 'R' == replacing)",
        ]
    )


def examine_bitmap(state: State, device: str) -> str:
    """`mdadm --examine-bitmap`."""
    config = _block(state, device).config
    if not config.bitmap:
        raise ProgramFailed(f"mdadm: cannot find bitmap on {device}")
    shown, unit = config.bitmap_chunk_bytes, 0
    while shown >> 10:
        shown, unit = shown >> 10, unit + 1
    return _text(
        [
            f"        Filename : {device}",
            "           Magic : 6d746962",
            "         Version : 4",
            f"            UUID : {config.uuid}",
            f"       Chunksize : {shown} {('B', 'KB', 'MB', 'GB')[unit]}",
            "          Daemon : 5s flush period",
        ]
    )


def mdstat(state: State) -> str:
    """/proc/mdstat."""
    lines = ["Personalities : [raid0] [raid1] [raid6] [raid5] [raid4] [raid10]"]
    for array in state.arrays:
        devices = " ".join(f"{path.removeprefix('/dev/')}[{at}]{_MARKS.get(member.state, '')}"
                           for at, (member, path) in enumerate(_paths(state, array)))  # fmt: skip
        read_only = "(auto-read-only) " if array.waiting else ""
        how = f"active {read_only}{array.config.level}" if array.running else "inactive"
        lines += [
            f"{array.name} : {how} {devices}",
            f"      {array.config.array_sectors // 2} blocks{_counts(array)}",
            "",
        ]
    return _text([*lines, "unused devices: <none>"])


def _counts(array: Array) -> str:
    """` super 1.2 [3/2] [U_U]`."""
    there = {member.role for member in array.members if member.state == "active"}
    devices = range(array.config.devices)
    if not array.running or array.config.level == "raid0":
        return ""
    marks = "".join("U" if role in there else "_" for role in devices)
    return f" super {array.config.metadata} [{len(devices)}/{marks.count('U')}] [{marks}]"


_MARKS = {"spare": "(S)", "journal": "(J)", "faulty": "(F)"}


def _array(state: State, device: str) -> Array:
    key = must_resolve(state, device)
    array = array_of(state, key)
    if array is None:
        raise ProgramFailed(f"mdadm: {device} does not appear to be an md device")
    return array


def _block(state: State, device: str) -> Superblock:
    key = must_resolve(state, device)
    check_read(state, key, 0, 8 * KIB)
    block = superblock(state, key)
    if block is None:
        if any(mark.kind in ("gpt", "dos") for mark in seen(state, key)):
            raise ProgramFailed(f"{device}:\n   MBR Magic : aa55", 0)
        raise ProgramFailed(f"mdadm: No md superblock detected on {device}.")
    return block


def _shape(config: ArrayConfig, *, detail: bool = False) -> Iterable[str]:
    width = 18 if detail else 14
    if config.layout:
        word = _WORDS.get(config.layout[0])
        shown = f"{word}={config.layout[1:]}" if word and config.layout[1:].isdigit() else config.layout
        yield f"{'Layout':>{width}} : {shown}"
    if config.chunk_bytes:
        yield f"{'Chunk Size':>{width}} : {config.chunk_bytes // KIB}K"
    yield ""


def _state(array: Array) -> str:
    words = ["clean" if array.in_sync or array.waiting else "active"]
    if sum(member.state == "active" for member in array.members) < array.config.devices:
        words.append("degraded")
    if array.sync is not None and not array.waiting:
        words.append({"recover": "recovering", "check": "checking"}.get(array.sync.action, "resyncing"))
    elif array.waiting and not array.in_sync:
        words.append("resyncing (PENDING)")
    return ", ".join(words)


_SHOWN = {"active": "active sync", "rebuilding": "spare rebuilding", "replacing": "spare rebuilding",
          "spare": "spare", "journal": "journal", "faulty": "faulty"}  # fmt: skip


def _table(state: State, array: Array) -> Iterable[str]:
    for at, (member, path) in enumerate(_paths(state, array)):
        role = str(member.role) if member.state in ("active", "rebuilding", "replacing") else "-"
        found = pin(state, path)
        major, _, minor = found.number.partition(":") if found else ("0", "", "0")
        yield f"    {at:>4} {major:>8} {minor:>8} {role:>8}      {_SHOWN[member.state]}   {path}"
    filled = {member.role for member in array.members if member.state in ("active", "rebuilding")}
    for gone in sorted(set(range(array.config.devices)) - filled):
        yield f"    {'-':>4} {0:>8} {0:>8} {gone:>8}      removed"


def _paths(state: State, array: Array) -> Iterable[tuple[Member, str]]:
    for member in array.members:
        yield member, f"/dev/{kernel_name(state, member.key)}"


def _human(sectors: int) -> str:
    size = sectors * SECTOR
    for power, binary, decimal in ((2, "MiB", "MB"), (3, "GiB", "GB")):
        if size < 2 * 1024 ** (power + 1):
            return f"{size / 1024**power:.2f} {binary} {size / 1000**power:.2f} {decimal}"
    return f"{size / 1024**4:.2f} TiB {size / 1000**4:.2f} TB"


def _text(lines: Iterable[str]) -> str:
    return "\n".join(lines) + "\n"
