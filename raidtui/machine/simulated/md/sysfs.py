"""The files of an array under /sys/block (Documentation/admin-guide/md.rst): what they read, what may be set."""

from __future__ import annotations

import re

from raidtui.machine.simulated.core.argv_parser import ProgramFailed
from raidtui.machine.simulated.core.devices import kernel_name
from raidtui.machine.simulated.core.state import Array, Member, State
from raidtui.machine.simulated.core.storage import array_of
from raidtui.model.layout import PARITY

_PATH = re.compile(r"/sys/block/(md\d+)/(md|queue)/(?:(dev-[^/]+)/)?((?:bitmap/)?\w+)")
_FOLDER = re.compile(r"/sys/block/(md\d+)/md/?")
_STATES = {
    "active": "in_sync",
    "rebuilding": "spare",
    "replacing": "spare,replacement",
    "spare": "spare",
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
        return _member(array, found, match[4]) if found else None
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
        ("md", "array_state"): "read-auto" if array.waiting else "clean" if array.running else "inactive",
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
        ("md", "consistency_policy"): "ppl" if config.ppl else "bitmap" if config.bitmap else "resync",
        ("md", "bitmap/location"): "+8" if config.bitmap else "none",
    }
    if config.bitmap:
        found["md", "bitmap/chunksize"] = str(config.bitmap_chunk_bytes)
    if PARITY[config.level]:
        found["md", "stripe_cache_size"] = str(array.stripe_cache)
    return found


def _layout(word: str) -> int:
    """The kernel's number of a layout (drivers/md/raid5.h, raid10.c)."""
    if word[1:].isdigit():
        copies = int(word[1:])
        return copies | 1 << 8 if word[0] == "n" else 1 | copies << 8 | (word[0] == "o") << 16
    return 2 if word == "left-symmetric" else 0


def _member(array: Array, member: Member, name: str) -> str | None:
    if name == "slot":
        return f"{member.role}\n" if member.state in ("active", "rebuilding", "replacing") else "none\n"
    if name == "offset":
        return f"{array.config.data_offset}\n"
    if name != "state":
        return None
    wanted = member.state == "active" and any(
        other.state == "replacing" and other.role == member.role for other in array.members
    )
    return f"{_STATES[member.state]}{',want_replacement' if wanted else ''}\n"


def _name(state: State, member: Member) -> str:
    return f"dev-{kernel_name(state, member.key)}"
