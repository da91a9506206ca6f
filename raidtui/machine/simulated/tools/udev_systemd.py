"""systemctl, udevadm, uname, the initramfs; and what udev does with devices that were written or appeared."""

from __future__ import annotations

import contextlib
import re

from raidtui.machine.simulated.core.argv_parser import ProgramFailed, unknown
from raidtui.machine.simulated.core.devices import busy, must_resolve
from raidtui.machine.simulated.core.disk_queue import queue_of
from raidtui.machine.simulated.core.state import Drive, State
from raidtui.machine.simulated.core.storage import array_of, disk_below, drive_of, partition_of
from raidtui.machine.simulated.md import superblocks, sysfs
from raidtui.machine.simulated.md.sync import MONITOR
from raidtui.machine.simulated.tools import boot_configuration, lvm
from raidtui.tools import multipath

_RULES = "/etc/udev/rules.d/"
_RULE = re.compile(r'ENV\{MD_UUID\}=="([0-9a-f:]+)"(.*)')
_TUNED = ("read_ahead_kb", "stripe_cache_size")
_DISK_RULE = re.compile(r'SYMLINK=="([^"]+)"(.*)')
_ATTRIBUTE = re.compile(r'ATTR\{(\w+/\w+)\}="([\w-]+)"')


def systemctl(state: State, argv: tuple[str, ...]) -> str:
    """The few units that a plan speaks of."""
    match argv[1:]:
        case ("daemon-reload",):
            return ""
        case ("enable", unit) if unit == MONITOR:
            state.units[f"{unit} enabled"] = "yes"
            return ""
        case ("restart", unit) if unit == MONITOR:
            return _start_monitor(state)
        case ("try-restart", unit) if unit == MONITOR:
            return _start_monitor(state) if state.units.get(unit) == "active" else ""
        case ("is-enabled", multipath.UNIT):
            return "enabled\n"
        case ("show", *_):
            return boot_configuration.shown(state, argv)
        case ("is-active", unit):
            unit_state = state.units.get(unit, "inactive")
            if unit_state != "active":
                raise ProgramFailed(f"{unit_state}\n", 3, aloud=True)
            return f"{unit_state}\n"
        case _:
            raise unknown(argv)


def udevadm(state: State, argv: tuple[str, ...]) -> str:
    """Waiting for udev, reading its rules again, applying them."""
    match argv[1:]:
        case ("settle", timeout) if timeout.startswith("--timeout="):
            if any(_is_locked(state, key) for key in state.woken):
                state.now += float(timeout.partition("=")[2])
                raise ProgramFailed("Timed out for waiting the udev queue being empty.")
            handle(state)
            return ""
        case ("control", "--reload"):
            load_rules(state)
            return ""
        case ("info", "--attribute-walk", device):
            return _attributes(state, device)
        case ("trigger", "--action=change", "--settle", device) if device.startswith("--name-match="):
            key = must_resolve(state, device.partition("=")[2])
            apply_rules(state, key)
            return ""
        case _:
            raise unknown(argv)


def initramfs(state: State, argv: tuple[str, ...]) -> str:
    """Puts the present mdadm.conf into the initramfs."""
    wanted = {"debian": ("update-initramfs", "-u"), "dracut": ("dracut", "--force", "--mdadmconf")}[state.family]
    if argv[0] != wanted[0]:
        raise ProgramFailed(f"{argv[0]}: command not found", 127)
    if argv != wanted:
        raise unknown(argv)
    state.initramfs = state.files.get(state.conf_path, "")
    return ""


def link(state: State, argv: tuple[str, ...]) -> str:
    """`ln --symbolic -- DEVICE /dev/md/NAME`: the array goes by that name until the next boot."""
    match argv:
        case ("ln", "--symbolic", "--", target, name) if name.startswith("/dev/md/"):
            array = array_of(state, must_resolve(state, target))
            if array is not None:
                array.link = name.removeprefix("/dev/md/")
                return ""
    raise unknown(argv)


def uname(state: State, argv: tuple[str, ...]) -> str:
    """The host's name."""
    if argv != ("uname", "--nodename"):
        raise unknown(argv)
    return f"{state.host}\n"


def load_rules(state: State) -> None:
    """udev reads its rule files."""
    state.rules = [text for path, text in sorted(state.files.items()) if path.startswith(_RULES)]


def apply_rules(state: State, key: str) -> None:
    """udev sets what the rules say for an array or a disk that appears or is triggered."""
    drive = drive_of(state, key)
    if drive is not None:
        _apply_to_disk(state, drive)
        return
    array = array_of(state, key)
    if array is None or not array.running:
        return
    for uuid, rest in (found for text in state.rules for found in _RULE.findall(text)):
        if uuid == array.config.uuid:
            for name, value in _ATTRIBUTE.findall(rest):
                if name.rpartition("/")[2] in _TUNED:
                    with contextlib.suppress(ProgramFailed):  # a level without a stripe cache has no such file
                        sysfs.put(state, f"/sys/block/{array.name}/{name}", value)


def _apply_to_disk(state: State, drive: Drive) -> None:
    links = [f"disk/by-id/{link}" for link in drive.disk.by_id]
    for link, rest in (found for text in state.rules for found in _DISK_RULE.findall(text)):
        if link in links:
            values = dict(_ATTRIBUTE.findall(rest))
            drive.scheduler = values.get("queue/scheduler", drive.scheduler)
            if "device/queue_depth" in values and queue_of(drive)[1] is not None:
                drive.queue_depth = int(values["device/queue_depth"])


def _attributes(state: State, path: str) -> str:
    """`udevadm info --attribute-walk`, shortened to the SCSI device above the disk."""
    drive = drive_of(state, must_resolve(state, path))
    depth = None if drive is None else queue_of(drive)[1]
    return "" if depth is None else f'    ATTRS{{queue_depth}}=="{depth}"\n    ATTRS{{queue_type}}=="simple"\n'


def handle(state: State, conf: str | None = None, host: str | None = None, *, maps: bool = True) -> None:
    """udev looks at every device that was written to or appeared and that nobody has locked.

    Without `maps` not at multipath maps: it heeds no lock of theirs, and is slow.
    """
    state.woken = list(dict.fromkeys(state.woken))
    while woken := [key for key in state.woken if not _is_locked(state, key) and (maps or not _is_map(state, key))]:
        state.woken = [key for key in state.woken if key not in woken]
        for key in woken:
            drive = disk_below(state, key)
            if busy(state, key) or (drive is not None and not drive.present):
                continue
            text = boot_configuration.mdadm_conf_text(state) if conf is None else conf
            if not boot_configuration.assembled(state, key, text):
                continue
            array = superblocks.take_in(state, key, text, state.host if host is None else host)
            if array is not None and any(each.name == array.name and each.running for each in state.arrays):
                apply_rules(state, array.name)
                state.woken.append(array.name)  # an array may be a member of another
    lvm.activate(state)


def _start_monitor(state: State) -> str:
    """mdadm --monitor --scan reads its configuration once; it ends when there is nothing to watch or nobody to mail.

    The unit is a simple one: systemd counts it as started all the same.
    """
    conf = state.files.get(state.conf_path, "")
    watched = any(array.running and array.config.level != "raid0" for array in state.arrays)
    recipient = re.search(r"^(MAILADDR|PROGRAM)[ \t]+\S", conf, re.MULTILINE)
    state.units[MONITOR] = "failed" if not recipient else "active" if watched else "inactive"
    state.watched = conf
    return ""


def _is_locked(state: State, key: str) -> bool:
    whole = (partition_of(key) or (key,))[0]
    drive = drive_of(state, whole)
    held = drive is not None and any(hold.how == "locked" for hold in drive.holds)
    return held or (whole in state.locked and not _is_map(state, key))


def _is_map(state: State, key: str) -> bool:
    drive = drive_of(state, key)
    return drive is not None and drive.disk.multipath is not None
