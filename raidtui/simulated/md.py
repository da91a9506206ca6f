"""`mdadm --create` (mdadm 4.2: Create.c), and what it leaves when it ends half-way.

Its question about old content is answered "no", for standard input is closed; it knows ext2 to ext4, md and partition
tables only.
"""

from __future__ import annotations

import re
import uuid as uuids
from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

from raidtui.programs.mdadm import superblock_offset
from raidtui.simulated.argv_parser import Given, ProgramFailed, read, unknown
from raidtui.simulated.devices import busy, kernel_name, resolve
from raidtui.simulated.state import (
    FAULTY,
    JOURNAL,
    SPARE,
    Array,
    ArrayConfig,
    DiskMark,
    Member,
    State,
    Superblock,
    Sync,
)
from raidtui.simulated.storage import array_of, below, drive_of, enough, seen
from raidtui.simulated.storage import put as storage_put
from raidtui.sizes.md import ArrayRequest, array_geometry, component_kib, least_bitmap_chunk
from raidtui.values.choices import Metadata
from raidtui.values.layout import PARITY, MdLevel, Spread
from raidtui.values.units import KIB, SECTOR

# md as the kernel and mdadm keep it: superblocks, assembly as udev does it, who is a member, who a spare.
# Source: mdadm 4.2 (Incremental.c, Assemble.c, super1.c), drivers/md/md.c, raid5.c. An array that was not wholly
# assembled by udev starts 30 seconds after its first member came (mdadm-last-resort@.timer). Seen on Debian 12: an
# array that the initramfs does not know comes up as /dev/md/HOST:NAME, auto-read-only, its spare in it and its
# sync_action idle.


KIND = "linux_raid_member"
LAST_RESORT = 30.0
"""seconds until an incomplete array is started all the same"""
_BITMAP_AT = 8 * KIB
_SPACE = uuids.UUID("5f6d1c4e-2f52-4d56-8e8b-3c7a8e0c9d11")
_CONF = re.compile(r"^ARRAY[ \t]+(?:/dev/md/|/dev/)?(\S+)[ \t].*?UUID=([0-9a-f:]{35})(.*)$", re.MULTILINE)


def superblock(state: State, key: str) -> Superblock | None:
    """The md superblock on a device."""
    return next((mark.superblock for mark in seen(state, key) if mark.kind == KIND), None)


def write_superblock(state: State, key: str, block: Superblock) -> None:
    """Puts a superblock on a device, and the bitmap beside it. Failed when the device cannot be written."""
    config = block.config
    at = superblock_offset(config.metadata, below(state, key)[2])
    made = DiskMark(kind=KIND, offset=at, length=4 * KIB, uuid=config.uuid, label=config.name, superblock=block)
    storage_put(state, key, made)
    if config.bitmap and config.metadata == "1.2":
        storage_put(state, key, DiskMark(kind="data", offset=_BITMAP_AT, length=4 * KIB))


def new_superblock(state: State, config: ArrayConfig, role: int, *, in_sync: bool) -> Superblock:
    """Of a member of an array that is just made."""
    return Superblock(
        config=config, device_uuid=colons(uuids.uuid5(_SPACE, f"{config.uuid} {state.number()}").hex), role=role,
        events=0, in_sync=in_sync, recovered=True, synced=0, roster=list(range(config.devices)), spares=0,
    )  # fmt: skip


def colons(digits: str) -> str:
    """32 hex digits as md writes a UUID."""
    return ":".join(digits[start : start + 8] for start in range(0, 32, 8))


def record(state: State, array: Array) -> None:
    """Writes what the kernel knows into the superblocks of all members that work."""
    array.dirty = False
    if not array.running:
        return
    array.events += 1
    working = [member for member in array.members if member.state != "faulty"]
    roster = sorted({member.role for member in working if member.state in ("active", "rebuilding")})
    for member in working:
        old = superblock(state, member.key)
        if old is None:
            continue  # erased beneath the running array: md notices at the next start
        role = SPARE if member.state == "spare" else member.role
        new = Superblock(
            config=array.config, device_uuid=old.device_uuid, role=role, events=array.events, in_sync=array.in_sync,
            recovered=member.state not in ("rebuilding", "replacing"), replacement=member.state == "replacing",
            synced=int(array.sync.done) if array.sync and array.sync.action != "check" else 0, roster=roster,
            spares=sum(each.state in ("spare", "replacing") for each in working),
        )  # fmt: skip
        try:
            write_superblock(state, member.key, new)
        except ProgramFailed:
            member.state, array.dirty = "faulty", True


def free_name(state: State) -> str:
    """The kernel name that mdadm takes next: md127 and down."""
    taken = {array.name for array in state.arrays}
    return next(f"md{number}" for number in (*range(127, -1, -1), *range(511, 127, -1)) if f"md{number}" not in taken)


def take_in(state: State, key: str, conf: str, host: str) -> Array | None:
    """`mdadm --incremental` on a device: the array it belongs to, begun or completed. None when it has none."""
    block = superblock(state, key)
    if block is None:
        return None
    array = next((each for each in state.arrays if each.config.uuid == block.config.uuid), None)
    if array is None:
        array = Array(
            name=free_name(state), link="", config=block.config, members=[], running=False, in_sync=block.in_sync,
            waiting=False, events=block.events, sequence=state.number(), born=state.now,
            read_ahead_sectors=2 * block.config.read_ahead_kib,
        )  # fmt: skip
        state.arrays.append(array)
    if any(member.key == key for member in array.members):
        return array
    if array.running:  # Incremental.c: of what comes late to a running array only spares are added
        if block.role == SPARE:
            add_spare(state, array, key)
        return array
    array.members.append(Member(key=key, role=block.role, state="active"))
    blocks = _blocks(state, array)
    newest = max(blocks.values(), key=lambda each: each.events)
    members = [each for each in blocks.values() if not each.replacement]
    there = {each.role for each in members if each.events == newest.events}  # Incremental.c: count_active
    spares = sum(each.role == SPARE or each.replacement for each in blocks.values())
    logged = not newest.config.journal or JOURNAL in there
    if set(newest.roster) <= there and spares >= newest.spares and logged:
        start(state, array, conf, host)
    return array


def add_spare(state: State, array: Array, key: str) -> None:
    """A device with a spare's superblock joins a running array, which makes that writable."""
    array.members.append(Member(key=key, role=SPARE, state="spare"))
    array.waiting = False
    record(state, array)


def start(state: State, array: Array, conf: str, host: str) -> bool:
    """Runs an assembled array with the members it has; False when they do not suffice, then it stays inactive."""
    blocks = _blocks(state, array)
    newest = max(blocks.values(), key=lambda each: each.events, default=None)
    if newest is None:
        return False
    config, fresh = newest.config, [key for key, each in blocks.items() if each.events == newest.events]
    members = [
        Member(key=key, role=blocks[key].role, state=_state_of(blocks[key]))
        for key in fresh
        if blocks[key].role != FAULTY
    ]
    tried = Array(
        name=array.name, link="", config=config, members=members, running=True, in_sync=newest.in_sync,
        waiting=state.family == "debian", events=newest.events, sequence=array.sequence, born=array.born,
        read_ahead_sectors=2 * config.read_ahead_kib,
    )  # fmt: skip
    short = len([member for member in members if member.state == "active"]) < config.devices
    dirty_parity = PARITY[config.level] > 0 and not newest.in_sync
    if not enough(tried) or (short and dirty_parity) or tried.journal_lost:
        return False
    if newest.synced:
        action = "recover" if any(member.state in ("rebuilding", "replacing") for member in members) else "resync"
        tried.sync = Sync(action=action, done=float(newest.synced), whole=config.component_sectors)
    tried.link = link_for(state, config, conf, host)
    state.arrays[state.arrays.index(array)] = tried
    return True


def link_for(state: State, config: ArrayConfig, conf: str, host: str) -> str:
    """Name under /dev/md: as mdadm.conf says; of this host the bare name; of another with its host."""
    wanted = next((name for name, uuid, _ in conf_arrays(conf) if uuid == config.uuid), None)
    if wanted is None:
        of, _, bare = config.name.rpartition(":")
        wanted = bare if of in ("", host) and host else config.name
    taken = {array.link for array in state.arrays if array.config.uuid != config.uuid}
    return wanted if wanted not in taken else f"{wanted}_0"


def conf_arrays(conf: str) -> list[tuple[str, str, str]]:
    """Name, UUID and spare-group of every ARRAY line in a mdadm.conf."""
    found = []
    for match in _CONF.finditer(conf):
        group = re.search(r"spare-group=(\S+)", match[3])
        found.append((match[1], match[2], group[1] if group else ""))
    return found


def let_go(state: State, array: Array) -> None:
    """Stops an array that nothing uses: its superblocks say how far it is, unless it was auto-read-only."""
    if not array.waiting:
        record(state, array)
    state.arrays.remove(array)


def _blocks(state: State, array: Array) -> dict[str, Superblock]:
    found = {member.key: superblock(state, member.key) for member in array.members}
    return {key: block for key, block in found.items() if block is not None and block.config.uuid == array.config.uuid}


def _state_of(block: Superblock) -> str:
    if block.role in (SPARE, JOURNAL):
        return "spare" if block.role == SPARE else "journal"
    if block.replacement:
        return "replacing"
    return "active" if block.recovered else "rebuilding"


_LEVELS: dict[str, MdLevel] = {"0": "raid0", "1": "raid1", "4": "raid4", "5": "raid5", "6": "raid6", "10": "raid10"}
_CREATE = ("--name", "--homehost", "--uuid", "--metadata", "--level", "--raid-devices", "--layout", "--chunk", "--size",
           "--data-offset", "--bitmap", "--bitmap-chunk", "--consistency-policy")  # fmt: skip
_KNOWN = frozenset({"ext2", "ext3", "ext4", "linux_raid_member", "gpt", "dos"})


def create(state: State, argv: Sequence[str], device: str, share: float) -> str:
    """`mdadm --create`; `share` below 1: it was killed when so many superblocks were written."""
    given = read(
        ("mdadm", *argv[2:]), flags={"--run", "--assume-clean"}, values=_CREATE, apart=("--write-journal",), least=2
    )
    paths = given.operands[1:]
    if given.operands[0] != device or not device.startswith("/dev/md/"):
        raise unknown(argv)
    if resolve(state, device) is not None:
        raise ProgramFailed(f"mdadm: {device} is already in use.")
    if given.number("--raid-devices") != len(paths):
        raise ProgramFailed(f"mdadm: You have listed {len(paths)} devices, not {given.values['--raid-devices']}")
    keys = [_member(state, path) for path in paths]
    log = given.values.get("--write-journal")
    journal = None if log is None else _member(state, log)
    if len({*keys, journal}) <= len(keys):
        raise ProgramFailed("mdadm: a device was listed twice")
    config = _config(state, given, argv, [below(state, key)[2] for key in keys])
    if "--run" not in given.flags:
        _ask_about(state, config, list(zip(paths, keys, strict=True)))
    clean, link = "--assume-clean" in given.flags, device.removeprefix("/dev/md/")
    return _make(state, config, link, keys, share, clean=clean, journal=journal)


def _member(state: State, path: str) -> str:
    key = resolve(state, path)
    if key is None:
        raise ProgramFailed(f"mdadm: cannot open {path}: No such file or directory")
    drive = drive_of(state, key)
    if drive is not None and any(hold.how == "read-only" for hold in drive.holds):
        raise ProgramFailed(f"mdadm: cannot open {path}: Read-only file system")
    if busy(state, key):
        raise ProgramFailed(f"mdadm: cannot open {path}: Device or resource busy")
    return key


def _config(state: State, given: Given, argv: Sequence[str], sizes: list[int]) -> ArrayConfig:
    options = given.values
    level = _LEVELS.get(options["--level"])
    metadata = next((each for each in get_args(Metadata) if each == options["--metadata"]), None)
    if level is None or metadata is None:
        raise unknown(argv)
    layout, bitmap = options.get("--layout", ""), options.get("--bitmap")
    if level == "raid0" and bitmap is not None:
        raise ProgramFailed("mdadm: bitmaps not meaningful with level raid0")
    if "--write-journal" in options and (not PARITY[level] or bitmap == "internal"):
        raise ProgramFailed("mdadm: RUN_ARRAY failed: Invalid argument")
    chunk = given.number("--chunk", "K") * KIB if "--chunk" in options else 0
    ppl = options.get("--consistency-policy") == "ppl"
    spreads: dict[str, Spread] = {"n": "n", "f": "f", "o": "o"}
    ask = ArrayRequest(
        level=level, member_bytes=tuple(sizes), chunk_bytes=chunk or 512 * KIB, metadata=metadata, ppl=ppl,
        bitmap="internal" if bitmap == "internal" else "none",
        bitmap_chunk_bytes=given.number("--bitmap-chunk", "K") * KIB if "--bitmap-chunk" in options else None,
        copies=int(layout[1:]) if level == "raid10" else 2, spread=spreads[layout[0]] if level == "raid10" else "n",
        data_offset_sectors=given.number("--data-offset", "K") * 2 if "--data-offset" in options else None,
    )  # fmt: skip
    geometry = array_geometry(ask)
    least_chunk = least_bitmap_chunk(ask, component_kib(ask, geometry.data_offset_sectors))
    if ask.bitmap_chunk_bytes is not None and (least_chunk is None or ask.bitmap_chunk_bytes < least_chunk):
        raise ProgramFailed("mdadm: Given bitmap chunk size not supported.")
    component = given.number("--size") * KIB if "--size" in options else geometry.component_bytes or 0
    if component > (geometry.component_bytes or component):
        raise ProgramFailed(f"mdadm: a device is smaller than given size. {component // KIB}K < required")
    config = ArrayConfig(
        uuid=options["--uuid"], name=f"{options['--homehost']}:{options['--name']}", level=level, devices=len(sizes),
        chunk_bytes=chunk, layout=layout, component_sectors=component // SECTOR, array_sectors=geometry.sectors,
        metadata=metadata, data_offset=geometry.data_offset_sectors, bitmap=bitmap == "internal",
        bitmap_chunk_bytes=geometry.bitmap_chunk_bytes or 0, ppl=ppl,
        created=state.now, read_ahead_kib=geometry.read_ahead_kib, journal="--write-journal" in options,
    )  # fmt: skip
    return config if level == "raid0" else of_component(config, component)


def of_component(config: ArrayConfig, component: int) -> ArrayConfig:
    """The array whose members give `component` bytes each (raid5.c, raid10.c: raid10_size)."""
    size, chunk = component, config.chunk_bytes or 512 * KIB
    if config.level == "raid10":
        copies = int(config.layout[1:])
        near, far = (copies, 1) if config.layout[0] == "n" else (1, copies)
        size = component // chunk // far * config.devices // near * chunk
    elif config.level != "raid1":
        size = component // chunk * chunk * (config.devices - PARITY[config.level])
    return replace(config, component_sectors=component // SECTOR, array_sectors=size // SECTOR)


def _ask_about(state: State, config: ArrayConfig, members: list[tuple[str, str]]) -> None:
    """mdadm's own question, which closed input answers with no."""
    for path, key in members:
        found = next((mark.kind for mark in seen(state, key) if mark.kind in _KNOWN), None)
        if found is not None:
            raise ProgramFailed(
                f"mdadm: {path} appears to contain {found}\nContinue creating array? mdadm: create aborted."
            )
    if config.level != "raid0":
        sizes = [below(state, key)[2] // SECTOR - config.data_offset for _, key in members]
        if max(sizes) * 100 > 101 * config.component_sectors:
            raise ProgramFailed(
                f"mdadm: largest drive exceeds size ({config.component_sectors // 2}K) by more than 1%\n"
                "Continue creating array? mdadm: create aborted."
            )


def _make(
    state: State, config: ArrayConfig, link: str, keys: list[str], share: float, *, clean: bool, journal: str | None
) -> str:
    """Superblocks on all members, then the array; killed in between it leaves what it wrote, and its mark for udev."""
    name = free_name(state)
    claim = f"/run/mdadm/creating-{name}"
    state.files[claim] = ""
    roles = [*enumerate(keys), *([] if journal is None else [(JOURNAL, journal)])]
    for role, key in roles[: round(share * len(keys))] if share < 1 else roles:
        block = new_superblock(state, config, role, in_sync=clean or config.level in ("raid0", "raid4", "raid5"))
        block.recovered = clean or not (config.level in ("raid4", "raid5") and role == config.devices - 1)
        try:
            write_superblock(state, key, block)
        except ProgramFailed as problem:
            del state.files[claim]
            _leave_inactive(state, config, name, keys[:role] if role >= 0 else keys)
            raise ProgramFailed(f"mdadm: failed to write metadata to {key}: {problem}") from None
        if key not in state.woken:
            state.woken.append(key)
    if share < 1:
        return ""
    members = [Member(key=key, role=role, state="active") for role, key in enumerate(keys)]
    if config.level in ("raid4", "raid5") and not clean:
        members[-1].state = "rebuilding"  # as a spare that is built in at once: faster than reading all parity
    members += [] if journal is None else [Member(key=journal, role=JOURNAL, state="journal")]
    array = _array(state, config, name, members)
    array.running, array.link = True, link
    array.in_sync = clean or config.level in ("raid0", "raid4", "raid5")
    array.unproven = clean and config.level != "raid0"
    state.arrays.append(array)
    record(state, array)
    del state.files[claim]
    return f"mdadm: array {link} started.\n"


def _leave_inactive(state: State, config: ArrayConfig, name: str, keys: list[str]) -> None:
    """mdadm that fails half-way takes nothing back."""
    if keys:
        members = [Member(key=key, role=role, state="active") for role, key in enumerate(keys)]
        state.arrays.append(_array(state, config, name, members))


def _array(state: State, config: ArrayConfig, name: str, members: list[Member]) -> Array:
    return Array(
        name=name, link="", config=config, members=members, running=False, in_sync=False, waiting=False, events=0,
        sequence=state.number(), read_ahead_sectors=2 * config.read_ahead_kib, born=state.now,
    )  # fmt: skip


# The files of an array under /sys/block (Documentation/admin-guide/md.rst): what they read, what may be set.


_PATH = re.compile(r"/sys/block/(md\d+)/(md|queue)/(?:(dev-[^/]+)/)?((?:bitmap/)?\w+)")
_FOLDER = re.compile(r"/sys/block/(md\d+)/md/?")
_STATES = {
    "active": "in_sync",
    "rebuilding": "spare",
    "replacing": "spare,replacement",
    "spare": "spare",
    "journal": "journal",
    "faulty": "faulty",
}


def text_of(state: State, path: str) -> str | None:
    """What a file reads, with its line end; None when there is none."""
    match = _PATH.fullmatch(path)
    array = array_of(state, match[1]) if match else None
    if match is None or array is None:
        return None
    if match[3]:
        found = next((each for each in array.members if _name(state, each) == match[3]), None)
        return _sysfs_member(array, found, match[4]) if found else None
    value = _values(array).get((match[2], match[4]))
    return None if value is None else f"{value}\n"


def names_in(state: State, path: str) -> tuple[str, ...] | None:
    """Names in the `md` directory of an array; None when it is none."""
    match = _FOLDER.fullmatch(path)
    array = array_of(state, match[1]) if match else None
    if array is None:
        return None
    files = [name for folder, name in _values(array) if folder == "md" and "/" not in name]
    return tuple(sorted([*files, *(_name(state, member) for member in array.members)]))


def put(state: State, path: str, value: str) -> None:
    """Sets a value. Failed as the kernel fails."""
    match = _PATH.fullmatch(path)
    array = array_of(state, match[1]) if match else None
    if match is None or array is None or text_of(state, path) is None:
        raise ProgramFailed("No such file or directory")
    match match[4], int(value) if value.isdigit() else -1:
        case "stripe_cache_size", number if 17 <= number <= 32768:
            array.stripe_cache = number
        case "read_ahead_kb", number if number >= 0:
            array.read_ahead_sectors = 2 * number
        case _:
            raise ProgramFailed("Invalid argument")


def _values(array: Array) -> dict[tuple[str, str], str]:
    config, sync = array.config, array.sync
    there = {member.role for member in array.members if member.state == "active"}
    found = {
        ("queue", "read_ahead_kb"): str(array.read_ahead_sectors // 2),
        ("md", "array_state"): _state_word(array),
        ("md", "metadata_version"): config.metadata,
    }
    if not array.running:
        return found
    found |= {
        ("md", "level"): config.level,
        ("md", "raid_disks"): str(config.devices),
        ("md", "chunk_size"): str(config.chunk_bytes),
        ("md", "layout"): str(_layout(config.layout)),
        ("md", "component_size"): str(config.component_sectors // 2),
        ("queue", "logical_block_size"): "512",
    }
    if config.level == "raid0":
        return found
    found |= {
        ("md", "degraded"): str(config.devices - len(there)),
        ("md", "sync_action"): sync.action if sync and not array.waiting else "idle",
        ("md", "resync_start"): "none" if array.in_sync else str(int(sync.done) if sync else 0),
        ("md", "sync_completed"): f"{int(sync.done)} / {sync.whole}" if sync and not array.waiting else "none",
        ("md", "mismatch_cnt"): str(array.mismatches),
        ("md", "sync_speed_max"): f"{array.limit_kib} (local)" if array.limit_kib else "200000 (system)",
        ("md", "last_sync_action"): sync.action if sync else array.last_action or "none",
        ("md", "consistency_policy"): policy(config),
        ("md", "bitmap/location"): "+8" if config.bitmap else "none",
    }
    if config.bitmap:
        found["md", "bitmap/chunksize"] = str(config.bitmap_chunk_bytes)
    if PARITY[config.level]:
        found["md", "stripe_cache_size"] = str(array.stripe_cache)
    return found


def _state_word(array: Array) -> str:
    if array.waiting:
        return "read-auto"
    if array.read_only:
        return "readonly"
    return "clean" if array.running else "inactive"


def policy(config: ArrayConfig) -> str:
    """The kernel's word for what makes an array consistent after a crash."""
    if config.level == "raid0":
        return "none"
    return "journal" if config.journal else "ppl" if config.ppl else "bitmap" if config.bitmap else "resync"


def _layout(word: str) -> int:
    """The kernel's number of a layout (drivers/md/raid5.h, raid10.c)."""
    if word[1:].isdigit():
        copies = int(word[1:])
        return copies | 1 << 8 if word[0] == "n" else 1 | copies << 8 | (word[0] == "o") << 16
    return 2 if word == "left-symmetric" else 0


def _sysfs_member(array: Array, member: Member, name: str) -> str | None:
    journal = member.role == JOURNAL
    if name == "slot" and journal:
        return "journal\n"
    if name == "slot":
        return f"{member.role}\n" if member.state in ("active", "rebuilding", "replacing") else "none\n"
    if name == "offset":
        return f"{array.config.data_offset}\n"
    if name != "state":
        return None
    wanted = member.state == "active" and any(
        other.state == "replacing" and other.role == member.role for other in array.members
    )
    more = ",journal" if journal and member.state == "faulty" else ""
    return f"{_STATES[member.state]}{more}{',want_replacement' if wanted else ''}\n"


def _name(state: State, member: Member) -> str:
    return f"dev-{kernel_name(state, member.key)}"
