"""What people do on the simulated machine: each deed of `matrix_deeds`, and how it is taken back."""

from __future__ import annotations

import os
from pathlib import Path

from raidtui.simulated.devices import must_resolve
from raidtui.simulated.state import DiskMark, Drive, SimulatedMount, State
from raidtui.simulated.storage import seen, zero
from raidtui.values.units import KIB, MIB, SECTOR
from tests.faults import deeds_places
from tests.faults.bench import Bench
from tests.faults.case import Case
from tests.faults.scene import member
from tests.simulated.fault_injection import strike as strike_now
from tests.simulated.fault_model import Fault, InUse
from tests.simulated.machine import FaultyMachine
from tests.simulated.state import kept_from

CONF, FSTAB = "/etc/mdadm/mdadm.conf", "/etc/fstab"
OWNER, PROCESS = "rawowner", 4711
"""who has a device open"""
UNIT = "/etc/systemd/system/srv-data.mount"
LINES = {
    "conf-device": (CONF, "DEVICE /dev/disk/by-path/nowhere-*"),
    "conf-device-folder": (f"{CONF}.d/outsider.conf", "DEVICE /dev/disk/by-path/nowhere-*"),
    "conf-auto": (CONF, "AUTO -all"),
    "conf-homehost": (CONF, "HOMEHOST <ignore>"),
    "conf-array-same-name": (CONF, "ARRAY /dev/md/data-0 metadata=1.2 UUID=f0e1d2c3:f0e1d2c3:f0e1d2c3:f0e1d2c3"),
    "conf-line": (CONF, "PROGRAM /usr/local/sbin/tell"),
    "conf-ignore": (CONF, "ARRAY <ignore> UUID={uuid}"),
    "fstab-same-place": (FSTAB, "UUID=6b0ff5a8-27e6-4a33-9a5e-2b6e0a6d0f5e /srv/data ext4 noauto 0 2"),
}
"""a line that somebody adds to a file"""
ON_VOLUME = {
    "second-volume": ("logical-volume", "second"), "snapshot": ("snapshot", "snap"), "group-renamed": (
        "vg-renamed", "users"), "bind-mount": ("bind", "/mnt/other"), "loop-file": ("loop-file", "/srv/data/image"),
    "mapper": ("device-mapper", "cache0"), "exported-volume": ("lio", ""), "volume-luks": ("luks", ""),
    "volume-ext4": ("ext4", ""), "volume-swap": ("swap-on", ""), "volume-pv": ("volume-group", "tank"),
    "volume-gpt": ("gpt", ""), "volume-raw": ("data", ""), "volume-taken": ("ext4", ""),
}  # fmt: skip
"""what is put on the volume, in the words of the simulated machine, and its name"""
ON_ARRAY = {"array-pv": ("volume-group", "tank"), "array-renamed": ("renamed", "theirs"), "array-grown": ("grown", "")}
"""the same on the first array"""
USED: dict[str, InUse] = {
    "spare-to-other": "md-member", "disks-in-other-array": "md-member", "spare-in-other-array": "md-member",
    "spare-in-other-group": "lvm-pv",
}  # fmt: skip
"""how a disk is used by something else"""


def without_file_system(case: Case) -> bool:
    """True for deeds that put something on a volume which the plan leaves bare."""
    return case.detail.startswith("volume-") and case.detail != "volume-taken"


def do(case: Case, bench: Bench) -> None:
    """Does the deed of the case now, and notes the proof."""
    machine, state, done = bench.machine, bench.machine._state, bench.deed
    done.before = machine.to_json()
    disk = member(bench.plan, case.disk) if case.disk else ""
    _do(case.detail, bench, state, disk)
    machine._changed()
    changed = done.before != machine.to_json() or done.back is not None
    bench.notes.append(f"{case.detail} {disk}".strip() if changed else "")
    if case.kept:
        done.kept, done.digest = disk, machine.hashes()[disk]


def tidy(case: Case, bench: Bench) -> None:
    """Whoever did the deed takes it back."""
    machine, done = bench.machine, bench.deed
    if done.back is not None:
        done.back()
    elif case.detail.startswith("open-"):
        machine.close(PROCESS)
    elif case.detail == "link":
        path = _path(bench, member(bench.plan, case.disk))
        machine.lead(path, member(bench.plan, case.disk))
    elif done.line is not None:
        _drop(machine._state, *done.line)
        done.line = None
    elif case.detail in USED:
        disk = member(bench.plan, case.disk)
        machine.release(disk)
        _drive(machine._state, disk).marks.clear()
    elif case.detail == "array-pv":
        group = next(each for each in machine._state.groups if each.name == "tank")
        machine._state.groups.remove(group)
        _take_off(machine._state, bench.plan.arrays[0].device, "LVM2_member", *group.physical)
    elif case.detail == "volume-taken":
        _take_off(machine._state, "/dev/data/data", "ext4")
    elif case.detail == "name-taken":
        machine._state.arrays = [each for each in machine._state.arrays if each.members]
    elif case.detail == "place-taken":
        machine._state.mounts = [each for each in machine._state.mounts if each.uuid != "other"]
    else:
        _restore(machine, done.before)


def before_planning(deed: str, machine: FaultyMachine, disk: str) -> None:
    """Does a deed to a disk of a machine that no plan was made for yet."""
    drive = _drive(machine._state, disk)
    if deed == "open-disk":
        machine.open(f"/dev/{drive.name}", OWNER, PROCESS)
    else:
        _raw(drive, deed, 0)


def _do(deed: str, bench: Bench, state: State, disk: str) -> None:
    machine = bench.machine
    if deed in LINES:
        path, line = LINES[deed]
        bench.deed.line = path, line.format(uuid=bench.plan.arrays[0].uuid)
        _add(state, *bench.deed.line)
        return
    if deed in ON_VOLUME:
        what, name = ON_VOLUME[deed]
        machine.stand("/dev/data/data", what, name)  # type: ignore[arg-type]
        return
    if deed in ON_ARRAY:
        what, name = ON_ARRAY[deed]
        machine.stand(bench.plan.arrays[0].device, what, name)  # type: ignore[arg-type]
        return
    if deed == "spare-to-other":
        _take_out(bench, disk, fail=False)
    if deed in USED:
        machine.occupy(disk, USED[deed])
        return
    data = bench.plan.prediction.arrays[0].data_offset_sectors * SECTOR
    match deed:
        case "raw-start" | "raw-data" | "raw-end" | "raw-middle" | "ciphertext":
            _raw(_drive(state, disk), deed, data)
        case "open-disk":
            machine.open(_path(bench, disk), OWNER, PROCESS)
        case "open-array":
            machine.open(bench.plan.arrays[0].device, OWNER, PROCESS)
        case "open-volume":
            machine.open("/dev/data/data", OWNER, PROCESS)
        case "link":
            machine.lead(_path(bench, disk), next(each.disk.id for each in state.drives if _is_foreign(bench, each)))
        case "spare-out-raw" | "member-out-raw" | "spare-out-xfs":
            _take_out(bench, disk, fail=deed == "member-out-raw")
            if deed == "spare-out-xfs":
                machine.leave(disk, "xfs")
            else:
                _raw(_drive(state, disk), "raw-start", data)
        case "member-failed" | "member-removed":
            _manage(bench, disk, "--fail")
            if deed == "member-removed":
                _manage(bench, disk, "--remove")
        case "unmounted" | "deactivated" | "stopped-by-hand":
            _run(bench, "umount", "/srv/data")
            if deed != "unmounted":
                for volume in state.groups[0].volumes:
                    volume.active = False
            if deed == "stopped-by-hand":
                for array in bench.plan.arrays:
                    _run(bench, "mdadm", "--stop", array.device)
        case "check-runs":
            _run(bench, "mdadm", "--misc", "--action=check", bench.plan.arrays[0].device)
        case "link-renamed":
            next(each for each in state.arrays if each.link == bench.plan.arrays[0].name).link = "other"
        case "pulled":
            machine.unplug(disk)
        case "name-taken":
            strike_now(machine._state, Fault(kind="foreign-array", what=bench.plan.arrays[1].name), "now")
        case "formatted":
            machine.leave(disk, "xfs")
        case "place-taken":
            drive = next(each for each in state.drives if _is_foreign(bench, each))
            state.folders.append("/srv/data") if "/srv/data" not in state.folders else None
            state.mounts.append(SimulatedMount(place="/srv/data", key=drive.key, uuid="other"))
        case "mount-unit" | "mount-unit-masked":
            state.files[UNIT] = "" if deed.endswith("masked") else "[Mount]\nWhat=tmpfs\nWhere=/srv/data\nType=tmpfs\n"
        case "conf-arrays-gone" | "fstab-block-gone":
            path = CONF if deed.startswith("conf") else FSTAB
            lines = state.files[path].splitlines(keepends=True)
            at = [number for number, line in enumerate(lines) if "raidtui" in line]
            state.files[path] = "".join((*lines[: at[0]], *lines[at[-1] + 1 :]))
        case "fstab-options":
            begin = state.files[FSTAB].index("raidtui")
            text = state.files[FSTAB]
            state.files[FSTAB] = text[:begin] + text[begin:].replace("defaults", "ro", 1).replace("noatime", "ro", 1)
        case _:
            deeds_places.do(deed, bench)


def _raw(drive: Drive, deed: str, data: int) -> None:
    """Bytes without a signature; `data`: where the plan's arrays have theirs."""
    size = drive.disk.size_bytes
    start, length = {
        "raw-start": (64 * KIB, MIB), "raw-data": (data, MIB), "raw-end": (size - MIB, MIB),
        "raw-middle": (size // 2 + 3 * MIB, MIB), "ciphertext": (0, size),
    }[deed]  # fmt: skip
    drive.marks.append(DiskMark(kind="data", offset=start, length=length))


def _take_out(bench: Bench, disk: str, *, fail: bool) -> None:
    if fail:
        _manage(bench, disk, "--fail")
    _manage(bench, disk, "--remove")
    _run(bench, "mdadm", "--zero-superblock", _path(bench, disk))


def _manage(bench: Bench, disk: str, what: str) -> None:
    key = _drive(bench.machine._state, disk).key
    array = next(each for each in bench.machine._state.arrays if any(member.key == key for member in each.members))
    _run(bench, "mdadm", "--manage", f"/dev/md/{array.link}", what, _path(bench, disk))


def _run(bench: Bench, *argv: str) -> None:
    with Path(os.devnull).open("wb") as nothing:
        assert bench.machine.run(argv, nothing.fileno()) == 0, argv


def _path(bench: Bench, disk: str) -> str:
    return next(each.path for each in bench.plan.disks if each.id == disk)


def _drive(state: State, disk: str) -> Drive:
    return next(drive for drive in state.drives if drive.present and drive.disk.id == disk)


def _is_foreign(bench: Bench, drive: Drive) -> bool:
    return drive.present and drive.disk.id not in bench.scene.targets


def _add(state: State, path: str, line: str) -> None:
    folder = path.rpartition("/")[0]
    if folder not in state.folders:
        state.folders.append(folder)
    state.files[path] = f"{line}\n{state.files.get(path, '')}"


def _drop(state: State, path: str, line: str) -> None:
    left = state.files[path].replace(f"{line}\n", "", 1)
    if left or path in (CONF, FSTAB):
        state.files[path] = left
    else:
        del state.files[path]


def _take_off(state: State, device: str, kind: str, uuid: str = "") -> None:
    """Erases a signature that somebody put on a device; it has to be there yet."""
    key = must_resolve(state, device)
    found = next(mark for mark in seen(state, key) if mark.kind == kind and uuid in ("", mark.uuid))
    zero(state, key, found.offset, found.length)


def _restore(machine: FaultyMachine, text: str) -> None:
    """Nothing was done since but what was declined."""
    fired = machine.fired
    machine._state = kept_from(text, "before the deed").state
    machine._state.fired[:] = fired
