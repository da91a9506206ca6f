"""Boot of the machine: drives get names in the order found, udev assembles arrays, fstab mounts, units start."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress

from raidtui.programs import cryptsetup, systemd
from raidtui.simulated import boot, crypt, leftovers, lvm, md, md_sync, mounts
from raidtui.simulated.argv_parser import ProgramFailed
from raidtui.simulated.devices import kernel_name, mapped, named
from raidtui.simulated.state import State
from raidtui.simulated.storage import seen

BOOT_SECONDS = 60.0


def power_off(state: State, *, cut: bool) -> None:
    """Clears everything in memory; a clean shutdown writes md's progress to the superblocks, but not for an
    auto-read-only array (md.c: __md_stop_writes)."""
    if not cut:
        for array in reversed([each for each in state.arrays if not each.waiting]):
            md.record(state, array)
    for path in state.unsynced if cut else ():
        if path in state.files:
            state.files[path] = ""
    state.unsynced = []
    state.crypts = []
    state.arrays, state.mounts, state.used, state.woken, state.locked = [], [], [], [], []
    for group in state.groups:
        for volume in group.volumes:
            volume.active = False
    state.groups = [group for group in state.groups if group.physical]
    state.units = {name: value for name, value in state.units.items() if name.endswith(" enabled")}
    state.files = {path: text for path, text in state.files.items() if not path.startswith("/run/")}
    state.watched, state.rules, state.opened = "", [], []
    for drive in state.drives:
        drive.holds, drive.scheduler, drive.queue_depth = [], "", None


def power_on(state: State, order: Sequence[str], host: str, without: Collection[str]) -> None:
    """Boots: with the mdadm.conf that the initramfs has, and the host name only afterwards."""
    state.boots += 1
    state.now += BOOT_SECONDS
    state.host = host or state.host
    _find_drives(state, order, without)
    boot.load_rules(state)
    state.woken = [
        key
        for drive in state.drives
        if drive.present
        for key in (drive.key, *(f"{drive.key}p{part.number}" for part in drive.partitions))
    ]
    woken = list(state.woken)
    boot.handle(state, conf=state.initramfs, host="")
    if any(not array.running for array in state.arrays):
        md_sync.advance(state, md.LAST_RESORT)
        state.woken = woken
        boot.handle(state, conf=state.initramfs, host="")
    for array in list(state.arrays):
        state.woken.append(array.name)
    boot.handle(state)
    lvm.activate(state)
    _open_by_crypttab(state)
    lvm.activate(state)
    for fields in mounts.fstab_lines(state):
        if fields[0].startswith("UUID=") and fields[1] != "/" and not _is_masked(state, fields[1]):
            with suppress(ProgramFailed):
                mounts.mount(state, ("mount", fields[1]))
    for key in (*(drive.key for drive in state.drives if drive.present), *(array.name for array in state.arrays)):
        boot.apply_rules(state, key)
    if state.family == "debian" or state.units.get(f"{md_sync.MONITOR} enabled"):
        with suppress(ProgramFailed):
            boot.systemctl(state, ("systemctl", "restart", md_sync.MONITOR))
    md_sync.tick(state)


def _open_by_crypttab(state: State) -> None:
    """What systemd's units do: every volume of crypttab whose device and key file are there is opened."""
    for fields in map(str.split, state.files.get(cryptsetup.PATH, "").splitlines()):
        if len(fields) < 3 or fields[0].startswith("#"):
            continue
        uuid, keys = fields[1].removeprefix("UUID="), [array.name for array in state.arrays if array.running]
        keys += [each.key for each in mapped(state)]
        for key in keys:
            if any(mark.kind == cryptsetup.KIND and mark.uuid == uuid for mark in seen(state, key)):
                with suppress(ProgramFailed):
                    argv = ("cryptsetup", "open", "--type=luks2", f"--key-file={fields[2]}")
                    crypt.command(state, (*argv, f"/dev/{kernel_name(state, key)}", fields[0]))


def _is_masked(state: State, place: str) -> bool:
    """True when a unit of somebody else has the place, so that fstab's line counts for nothing."""
    unit = systemd.unit_name(place, "mount")
    return any(f"{folder}/{unit}" in state.files for folder in boot.UNITS)


def _find_drives(state: State, order: Sequence[str], without: Collection[str]) -> None:
    known = {drive.disk.id: drive for drive in state.drives}
    first = [known[each] for each in order]
    places = {False: 0, True: 0}
    for drive in [*first, *(each for each in state.drives if each not in first)]:
        drive.present = drive.present and drive.disk.id not in without
        if drive.present:
            nvme = drive.disk.transport == "nvme"
            drive.name, drive.number = named(places[nvme], nvme)
            drive.sequence = state.number()
            places[nvme] += 1
            leftovers.read_table(state, drive.key)
