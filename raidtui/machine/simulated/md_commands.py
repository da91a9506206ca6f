"""mdadm, as far as a plan uses it: create, add a spare, stop, erase a superblock, look (mdadm 4.2: Manage.c)."""

from __future__ import annotations

from raidtui.machine.simulated import md, md_answers
from raidtui.machine.simulated.devices import busy, must_resolve, resolve
from raidtui.machine.simulated.md_create import create
from raidtui.machine.simulated.md_sync import adopt
from raidtui.machine.simulated.options import Failed, unknown
from raidtui.machine.simulated.state import State
from raidtui.machine.simulated.storage import array_of, below, seen, zero
from raidtui.model.units import SECTOR


def mdadm(state: State, argv: tuple[str, ...], share: float = 1.0) -> str:
    """What a command of mdadm says; `share` below 1: it was killed or failed when so much was done."""
    match argv[1:]:
        case ("--create", device, *_):
            return create(state, argv, device, share)
        case ("--manage", device, "--add-spare", disk):
            return _add_spare(state, device, disk)
        case ("--stop", device):
            return _stop(state, device)
        case ("--zero-superblock", disk):
            return _zero_superblock(state, disk)
        case ("--detail", "--export", device):
            return md_answers.detail_export(state, device)
        case ("--detail", device):
            return md_answers.detail(state, device)
        case ("--examine", "--export", device):
            return md_answers.examine_export(state, device)
        case ("--examine", device):
            return md_answers.examine(state, device)
    raise unknown(argv)


def _add_spare(state: State, device: str, disk: str) -> str:
    key = resolve(state, device)
    array = array_of(state, key) if key else None
    if array is None or not array.running:
        raise Failed(f"mdadm: error opening {device}: No such file or directory")
    if array.config.level == "raid0":
        raise Failed(f"mdadm: {device}: cannot add a device to raid0")
    added = resolve(state, disk)
    if added is None:
        raise Failed(f"mdadm: Cannot find {disk}: No such file or directory")
    if busy(state, added):
        raise Failed(f"mdadm: Cannot open {disk}: Device or resource busy")
    if below(state, added)[2] < (array.config.data_offset + array.config.component_sectors) * SECTOR:
        raise Failed(f"mdadm: {disk} not large enough to join array")
    try:
        adopt(state, array, added)
    except Failed as problem:
        raise Failed(f"mdadm: failed to write superblock to {disk}: {problem}") from None
    return f"mdadm: added {disk}\n"


def _stop(state: State, device: str) -> str:
    key = resolve(state, device)
    array = array_of(state, key) if key else None
    if array is None or key is None:
        raise Failed(f"mdadm: error opening {device}: No such file or directory")
    if busy(state, key):
        raise Failed(
            f"mdadm: Cannot get exclusive access to {device}:Perhaps a running process, mounted filesystem or active "
            "volume group?"
        )
    md.let_go(state, array)
    return f"mdadm: stopped {device}\n"


def _zero_superblock(state: State, disk: str) -> str:
    key = must_resolve(state, disk)
    if busy(state, key):
        raise Failed(f"mdadm: Couldn't open {disk} for write - not zeroing", 2)
    found = [mark for mark in seen(state, key) if mark.kind == md.KIND]
    if not found:
        raise Failed(f"mdadm: Unrecognised md component device - {disk}", 0)
    state.woken.append(key)
    for mark in found:
        zero(state, key, mark.offset, mark.length)
    return ""
