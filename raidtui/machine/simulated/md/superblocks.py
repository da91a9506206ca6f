"""md as the kernel and mdadm keep it: superblocks, assembly as udev does it, who is a member, who a spare.

Source: mdadm 4.2 (Incremental.c, Assemble.c, super1.c), drivers/md/md.c, raid5.c. An array that was not wholly
assembled by udev starts 30 seconds after its first member came (mdadm-last-resort@.timer).
Seen on Debian 12: an array that the initramfs does not know comes up as /dev/md/HOST:NAME, auto-read-only, its spare
in it and its sync_action idle.
"""

from __future__ import annotations

import re
import uuid as uuids

from raidtui.machine.simulated.core.argv_parser import ProgramFailed
from raidtui.machine.simulated.core.state import (
    FAULTY,
    SPARE,
    Array,
    ArrayConfig,
    DiskMark,
    Member,
    State,
    Superblock,
    Sync,
)
from raidtui.machine.simulated.core.storage import below, enough, put, seen
from raidtui.model.layout import PARITY
from raidtui.model.units import KIB
from raidtui.tools.mdadm import superblock_offset

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
    put(state, key, made)
    if config.bitmap and config.metadata == "1.2":
        put(state, key, DiskMark(kind="data", offset=_BITMAP_AT, length=4 * KIB))


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
    if set(newest.roster) <= there and spares >= newest.spares:
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
    if not enough(tried) or (short and dirty_parity):
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
    if block.role == SPARE:
        return "spare"
    if block.replacement:
        return "replacing"
    return "active" if block.recovered else "rebuilding"
