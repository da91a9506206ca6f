"""mdadm as plans and drills use it (mdadm 4.2: Manage.c): members, spares, replacing, checks, looking."""

from __future__ import annotations

import re
from dataclasses import replace

from raidtui.simulated import boot, md, md_output
from raidtui.simulated.argv_parser import ProgramFailed, unknown
from raidtui.simulated.devices import busy, must_resolve, resolve
from raidtui.simulated.md import create, of_component
from raidtui.simulated.md_sync import adopt
from raidtui.simulated.state import JOURNAL, Array, Member, State, Sync
from raidtui.simulated.storage import array_of, below, seen, throw_out, zero
from raidtui.values.units import KIB, SECTOR, round_down


def mdadm(state: State, argv: tuple[str, ...], share: float = 1.0) -> str:  # noqa: C901 - a case for each command
    """What a command of mdadm says; `share` below 1: it was killed or failed when so much was done."""
    match argv[1:]:
        case ("--create", device, *_):
            return create(state, argv, device, share)
        case ("--manage", device, "--add-spare", disk):
            return _add_spare(state, device, disk)
        case ("--manage", device, "--fail", disk):
            return _fail(state, device, disk)
        case ("--manage", device, "--remove", disk):
            return _remove(state, device, disk)
        case ("--manage", device, "--add-journal", disk):
            return _add_journal(state, device, disk)
        case ("--readonly" | "--readwrite" as way, device):
            _running(state, device).read_only = way == "--readonly"
            return ""
        case ("--manage", device, "--replace", old, "--with", new):
            return _replace(state, device, old, new)
        case ("--grow", device, "--size=max"):
            return _use_whole_members(state, device)
        case ("--grow", device, "--bitmap=none"):
            return _set_bitmap(state, device, 0)
        case ("--grow", device, "--bitmap=internal", chunk) if re.fullmatch(r"--bitmap-chunk=\d+K", chunk):
            return _set_bitmap(state, device, int(chunk.partition("=")[2][:-1]) * KIB)
        case ("--misc", "--action=check", device):
            return _check(state, device)
        case ("--monitor", "--oneshot", "--test", *devices):
            return _test_alert(state, devices)
        case ("--stop", device):
            return _stop(state, device)
        case ("--zero-superblock", disk):
            return _zero_superblock(state, disk)
        case ("--detail", "--export", device):
            return md_output.detail_export(state, device)
        case ("--detail", device):
            return md_output.detail(state, device)
        case ("--examine-bitmap", device):
            return md_output.examine_bitmap(state, device)
        case ("--examine", "--scan", "--verbose", "--config=partitions"):
            return md_output.search(state)
        case ("--examine", "--scan"):
            return boot.scanned(state)
        case ("--examine", "--export", device):
            return md_output.examine_export(state, device)
        case ("--examine", device):
            return md_output.examine(state, device)
        case _:
            raise unknown(argv)


def _running(state: State, device: str) -> Array:
    key = resolve(state, device)
    array = array_of(state, key) if key else None
    if array is None or not array.running:
        raise ProgramFailed(f"mdadm: error opening {device}: No such file or directory")
    return array


def _test_alert(state: State, devices: list[str]) -> str:
    for device in devices:
        _running(state, device)
    return 'mdadm: Monitor using email address "root" from config file\n'


def _member(state: State, array: Array, device: str, disk: str) -> Member:
    key = resolve(state, disk)
    found = next((member for member in array.members if member.key == key), None)
    if found is None:
        raise ProgramFailed(f"mdadm: {disk} does not appear to be a member of {device}")
    return found


def _fail(state: State, device: str, disk: str) -> str:
    array = _running(state, device)
    throw_out(array, _member(state, array, device, disk))
    md.record(state, array)
    return f"mdadm: set {disk} faulty in {device}\n"


def _remove(state: State, device: str, disk: str) -> str:
    array = _running(state, device)
    member = _member(state, array, device, disk)
    if member.state not in ("faulty", "spare"):
        raise ProgramFailed(f"mdadm: hot remove failed for {disk}: Device or resource busy")
    array.members.remove(member)
    md.record(state, array)
    return f"mdadm: hot removed {disk} from {device}\n"


def _add_journal(state: State, device: str, disk: str) -> str:
    """Manage.c, Manage_add; md takes a journal of a read-only array alone and makes that writable (md.c)."""
    array, added = _running(state, device), must_resolve(state, disk)
    if not array.config.journal or not array.read_only or any(each.role == JOURNAL for each in array.members):
        raise ProgramFailed(f"mdadm: {device} does not support journal device, or needs to be read-only.")
    if busy(state, added):
        raise ProgramFailed(f"mdadm: Cannot open {disk}: Device or resource busy")
    md.write_superblock(state, added, md.new_superblock(state, array.config, JOURNAL, in_sync=array.in_sync))
    array.members.append(Member(key=added, role=JOURNAL, state="journal"))
    array.read_only = False
    md.record(state, array)
    return f"mdadm: added {disk}\n"


def _replace(state: State, device: str, old: str, new: str) -> str:
    array = _running(state, device)
    leaving, coming = _member(state, array, device, old), _member(state, array, device, new)
    if leaving.state != "active" or coming.state != "spare":
        raise ProgramFailed(f"mdadm: Failed to set {new} as preferred replacement of {old}")
    coming.role, coming.state, array.dirty = leaving.role, "replacing", True
    md.record(state, array)
    return f"mdadm: Marked {old} (device {leaving.role} in {device}) for replacement\n"


def _use_whole_members(state: State, device: str) -> str:
    """Grow.c; what is new is synced as after a power cut (md.c: raid5_resize and its like)."""
    array = _running(state, device)
    if array.sync is not None:
        raise ProgramFailed(f"mdadm: Cannot set device size for {device}: Device or resource busy")
    config = array.config
    least = min(below(state, member.key)[2] for member in array.members) - config.data_offset * SECTOR
    size = round_down(least, config.chunk_bytes or KIB)
    before, now = config.component_sectors, size // SECTOR
    if now <= before:
        return f"mdadm: component size of {device} unchanged at {before // 2}K\n"
    array.config, array.in_sync, array.waiting = of_component(config, size), False, False
    array.sync = Sync(action="resync", done=float(before), whole=now)
    md.record(state, array)
    return f"mdadm: component size of {device} has been set to {now // 2}K\n"


def _set_bitmap(state: State, device: str, chunk_bytes: int) -> str:
    """Grow.c: Grow_addbitmap; 0 takes the bitmap away."""
    array = _running(state, device)
    if array.config.level == "raid0":
        raise ProgramFailed("mdadm: Bitmaps not meaningful with level raid0")
    if array.config.bitmap == bool(chunk_bytes):
        what = "Internal bitmap already present" if chunk_bytes else "no bitmap found"
        raise ProgramFailed(f"mdadm: {what} on {device}")
    if array.sync is not None:
        raise ProgramFailed(f"mdadm: failed to {'create' if chunk_bytes else 'remove'} internal bitmap.")
    array.config = replace(array.config, bitmap=bool(chunk_bytes), bitmap_chunk_bytes=chunk_bytes)
    md.record(state, array)
    return ""


def _check(state: State, device: str) -> str:
    array = _running(state, device)
    if array.sync is not None or array.config.level == "raid0":
        raise ProgramFailed("mdadm: Failed to start check: Device or resource busy")
    array.waiting = False
    array.sync = Sync(action="check", done=0.0, whole=array.config.component_sectors)
    return ""


def _add_spare(state: State, device: str, disk: str) -> str:
    array = _running(state, device)
    if array.config.level == "raid0":
        raise ProgramFailed(f"mdadm: {device}: cannot add a device to raid0")
    added = resolve(state, disk)
    if added is None:
        raise ProgramFailed(f"mdadm: Cannot find {disk}: No such file or directory")
    if busy(state, added):
        raise ProgramFailed(f"mdadm: Cannot open {disk}: Device or resource busy")
    if below(state, added)[2] < (array.config.data_offset + array.config.component_sectors) * SECTOR:
        raise ProgramFailed(f"mdadm: {disk} not large enough to join array")
    try:
        adopt(state, array, added)
    except ProgramFailed as problem:
        raise ProgramFailed(f"mdadm: failed to write superblock to {disk}: {problem}") from None
    return f"mdadm: added {disk}\n"


def _stop(state: State, device: str) -> str:
    key = resolve(state, device)
    array = array_of(state, key) if key else None
    if array is None or key is None:
        raise ProgramFailed(f"mdadm: error opening {device}: No such file or directory")
    if busy(state, key):
        raise ProgramFailed(
            f"mdadm: Cannot get exclusive access to {device}:Perhaps a running process, mounted filesystem or active "
            "volume group?"
        )
    md.let_go(state, array)
    return f"mdadm: stopped {device}\n"


def _zero_superblock(state: State, disk: str) -> str:
    key = must_resolve(state, disk)
    if busy(state, key):
        raise ProgramFailed(f"mdadm: Couldn't open {disk} for write - not zeroing", 2)
    found = [mark for mark in seen(state, key) if mark.kind == md.KIND]
    if not found:
        raise ProgramFailed(f"mdadm: Unrecognised md component device - {disk}", 0)
    state.woken.append(key)
    for mark in found:
        zero(state, key, mark.offset, mark.length)
    return ""
