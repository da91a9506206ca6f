"""Background work of md: resync, recovery onto spares, and mdadm's monitor, which moves spares.

A sync runs at the mean speed that the planner predicts for it on idle disks. Nothing of it starts on an array that is
auto-read-only: it waits for the first write (md.c: md_check_recovery).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from raidtui.predict.speed.disk_speed import disk_speed
from raidtui.predict.speed.rebuild_time import rebuild
from raidtui.simulated import md
from raidtui.simulated.argv_parser import ProgramFailed
from raidtui.simulated.state import JOURNAL, SPARE, Array, Drive, Member, State, Sync
from raidtui.simulated.storage import below, disk_below, enough, marks, place_deep, throw_out
from raidtui.values.assumptions import DEFAULTS
from raidtui.values.inventory import Disk
from raidtui.values.layout import ArrayShape, Spread
from raidtui.values.units import KIB, SECTOR

MONITOR = "mdmonitor.service"
_LEAST_RATE = 1000 * KIB
"""bytes per second; sync_speed_min of the kernel"""


def advance(state: State, seconds: float, *, until_quiet: bool = False) -> None:
    """Lets simulated time pass; `until_quiet`: at most until the last of the present syncs has ended."""
    left = seconds
    tick(state)
    busy = _busy(state)
    while left > 1e-9 and not (until_quiet and busy and not _busy(state)):
        step = min([left, *_next_events(state)])
        for array in list(state.arrays):
            _progress(state, array, step)
        state.now += step
        left -= step
        for array in [each for each in state.arrays if not each.running]:
            if state.now - array.born >= md.LAST_RESORT - 1e-6 and state.now - step - array.born < md.LAST_RESORT:
                md.start(state, array, state.files.get(state.conf_path, ""), state.host)
        tick(state)


def _busy(state: State) -> bool:
    return any(array.sync is not None and not array.waiting for array in state.arrays)


def tick(state: State) -> None:
    """What follows at once: superblocks after a failure, the next sync, a spare from a neighbour."""
    for array in state.arrays:
        if array.dirty:
            md.record(state, array)
    if state.units.get(MONITOR) == "active":
        _lend_spares(state)
    for array in state.arrays:
        if array.running and not array.waiting and array.sync is None:
            _begin(state, array)


def rate(state: State, array: Array) -> float:
    """Bytes per second of each member."""
    carriers = [member for member in array.members if member.role != JOURNAL]
    drives = [drive for member in carriers if (drive := disk_below(state, member.key)) is not None]
    found = min((_pace(_layout(array), _size(array), drive.disk) / drive.slowness for drive in drives), default=0.0)
    limit = array.limit_kib * KIB if array.limit_kib else found
    return max(1.0, min(found, limit))


def _begin(state: State, array: Array) -> None:
    config = array.config
    if config.level == "raid0" or not enough(array) or array.journal_lost or array.read_only:
        return
    filled = {member.role for member in array.members if member.state in ("active", "rebuilding")}
    for role in (role for role in range(config.devices) if role not in filled):
        spare = next((member for member in array.members if member.state == "spare"), None)
        if spare is not None:
            spare.role, spare.state, array.dirty = role, "rebuilding", True
    if any(member.state in ("rebuilding", "replacing") for member in array.members):
        array.sync = Sync(action="recover", done=0.0, whole=config.component_sectors)
    elif not array.in_sync:
        array.sync = Sync(action="resync", done=0.0, whole=config.component_sectors)
    if array.dirty:
        md.record(state, array)


def _next_events(state: State) -> Iterable[float]:
    """Seconds until something ends or begins."""
    for array in state.arrays:
        if array.sync is not None and not array.waiting:
            yield max(1e-6, (array.sync.whole - array.sync.done) * SECTOR / rate(state, array) + _stall(state, array))
        if not array.running and (wait := array.born + md.LAST_RESORT - state.now) > 0:
            yield wait


def _stall(state: State, array: Array) -> float:
    drives = (disk_below(state, member.key) for member in array.members)
    return max((drive.suspended for drive in drives if drive is not None), default=0.0)


def _progress(state: State, array: Array, seconds: float) -> None:
    sync = array.sync
    if sync is None or array.waiting or not array.running:
        return
    stall = min(_stall(state, array), seconds)
    for drive in _drives(state, array):
        drive.suspended = max(0.0, drive.suspended - seconds)
    before = sync.done
    sync.done = min(float(sync.whole), before + (seconds - stall) * rate(state, array) / SECTOR)
    _meet_bad_areas(state, array, sync, int(before), int(sync.done) + 1)
    if array.sync is not None and sync.done >= sync.whole - 0.5:
        _end(state, array, sync)


def _end(state: State, array: Array, sync: Sync) -> None:
    array.sync, array.last_action = None, sync.action
    if sync.action == "resync":
        array.in_sync, array.unproven = True, False
    if sync.action == "check":
        array.mismatches = 8 * 1024 if array.unproven else 0
    for member in [each for each in array.members if each.state == "replacing"]:
        _fill(state, array, member)
        member.state, array.dirty = "active", True
        for old in array.members:  # md.c: the member that was replaced is faulty from then on
            if old is not member and old.role == member.role and old.state == "active":
                old.state = "faulty"
    for member in [each for each in array.members if each.state == "rebuilding"]:
        _fill(state, array, member)
        member.state = "active"
    md.record(state, array)


def _fill(state: State, array: Array, member: Member) -> None:
    """The new member has what the others hold for it."""
    drive = disk_below(state, member.key)
    if drive is not None:
        first = below(state, member.key)[1] + array.config.data_offset * SECTOR
        place_deep(drive, first, _size(array), marks(state, array.name))


def _meet_bad_areas(state: State, array: Array, sync: Sync, first: int, last: int) -> None:
    length = (last - first) * SECTOR
    for member in array.members:
        drive = disk_below(state, member.key)
        if drive is None or member.state in ("faulty", "spare"):
            continue
        start = below(state, member.key)[1] + (array.config.data_offset + first) * SECTOR
        # a first resync writes parity and copies wherever the disks held anything of before
        written = member.state in ("rebuilding", "replacing") or sync.action == "resync"
        if written and drive.fails(start, length, writing=True):
            throw_out(array, member)
            return
        if member.state == "active" and drive.fails(start, length, writing=False):  # md writes the block anew
            drive.unreadable = [area for area in drive.unreadable if not area.touches(start, length)]


def _lend_spares(state: State) -> None:
    """The monitor gives an array of a spare-group that lacks one the spare of another of the group."""
    groups = {uuid: group for _, uuid, group in md.conf_arrays(state.watched) if group}
    for needy in [array for array in state.arrays if array.running and not array.waiting and _lacks(array)]:
        group = groups.get(needy.config.uuid)
        for donor in state.arrays:
            spare = next((member for member in donor.members if member.state == "spare"), None)
            if donor is needy or spare is None or group is None or groups.get(donor.config.uuid) != group:
                continue
            if _lacks(donor) or below(state, spare.key)[2] < needy.config.data_offset * SECTOR + _size(needy):
                continue
            donor.members.remove(spare)
            adopt(state, needy, spare.key)
            md.record(state, donor)
            break


def adopt(state: State, array: Array, key: str) -> None:
    """A device becomes a spare of a running array. Failed when it cannot be written."""
    block = md.new_superblock(state, array.config, SPARE, in_sync=array.in_sync)
    md.write_superblock(state, key, block)
    md.add_spare(state, array, key)
    if not any(member.key == key and member.state == "spare" for member in array.members):
        raise ProgramFailed("Input/output error")


def _lacks(array: Array) -> bool:
    filled = [member for member in array.members if member.state in ("active", "rebuilding")]
    spares = [member for member in array.members if member.state == "spare"]
    return array.config.level != "raid0" and len(filled) < array.config.devices and not spares


def _drives(state: State, array: Array) -> list[Drive]:
    return [drive for member in array.members if (drive := disk_below(state, member.key)) is not None]


def _size(array: Array) -> int:
    return array.config.component_sectors * SECTOR


def _layout(array: Array) -> ArrayShape:
    config = array.config
    if config.level != "raid10":
        return ArrayShape(level=config.level, members=config.devices)
    spreads: dict[str, Spread] = {"n": "n", "f": "f", "o": "o"}
    return ArrayShape(
        level="raid10", members=config.devices, copies=int(config.layout[1:]), spread=spreads[config.layout[0]]
    )


@lru_cache(maxsize=256)
def _pace(shape: ArrayShape, size_bytes: int, disk: Disk) -> float:
    found = rebuild(shape, size_bytes, disk_speed(disk, DEFAULTS), DEFAULTS)
    return float(found.bytes_per_s) if found is not None else float(_LEAST_RATE)
