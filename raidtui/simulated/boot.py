"""Boot configuration: mdadm.conf and its directory, udev's rules for md, units of systemd, the initramfs."""

from __future__ import annotations

import contextlib
import fnmatch
import re

from raidtui.programs import cryptsetup, mdadm_conf, multipath, systemd, udev
from raidtui.programs.mdadm import CONFIGURATIONS
from raidtui.simulated import lvm, md
from raidtui.simulated.argv_parser import ProgramFailed, unknown
from raidtui.simulated.crypt import mapping_uuid
from raidtui.simulated.devices import busy, kernel_name, must_resolve, queue_of
from raidtui.simulated.md import superblock
from raidtui.simulated.md_sync import MONITOR
from raidtui.simulated.mounts import fstab_lines
from raidtui.simulated.state import Drive, State
from raidtui.simulated.storage import array_of, crypt_of, disk_below, drive_of, partition_of
from raidtui.values.errors import MachineFailed

KERNEL = "6.1.0-28-amd64"
"""release of the running kernel"""
RULES = {
    f"{udev.PACKAGED[0]}/{udev.ARRAYS}": 'IMPORT{program}="/sbin/mdadm --detail --export $devnode"\n',
    f"{udev.PACKAGED[0]}/{udev.ASSEMBLY[0]}": 'ACTION!="remove", '
    'IMPORT{program}="/sbin/mdadm --incremental --export $devnode --offroot $env{DEVLINKS}"\n',
}
"""rules as mdadm's package has them, abridged"""
UNITS = ("/etc/systemd/system", "/run/systemd/system")
"""directories of units that win over what is made of fstab"""


def image(state: State) -> str:
    """Name of the initramfs image in /boot."""
    return f"initrd.img-{KERNEL}" if state.family == "debian" else f"initramfs-{KERNEL}.img"


def initramfs_texts(state: State, path: str) -> dict[str, str]:
    """See Runner."""
    if path != f"/boot/{image(state)}":
        raise MachineFailed(f"{path} cannot be read: No such file or directory")
    return {"/usr/sbin/mdadm": "", state.conf_path: state.initramfs}


def mdadm_conf_text(state: State) -> str:
    """The configuration that mdadm reads: the file, then those of its directory."""
    folder = f"{mdadm_conf.folder_of(state.conf_path)}/"
    inner = sorted(path for path in state.files if path.startswith(folder) and mdadm_conf.is_read(path[len(folder) :]))
    return "\n".join(state.files.get(path, "") for path in (state.conf_path, *inner))


def preference(state: State) -> str:
    """The answer to `mdadm_conf.preference_question`: the strings of a mdadm that prefers the family's place."""
    first, (second,) = state.conf_path, set(CONFIGURATIONS) - {state.conf_path}
    strings = (mdadm_conf.folder_of(second), second, mdadm_conf.folder_of(first), first)
    return "".join(f"{585840 + 32 * number}:{text}\0" for number, text in enumerate(strings))


def allowed(state: State, key: str, conf: str) -> bool:
    """True when DEVICE lines let mdadm look at a device."""
    words = [word for word, _ in mdadm_conf.patterns(mdadm_conf.statements("", conf))]
    return mdadm_conf.allows(words, _names(state, key))


def assembled(state: State, key: str, conf: str) -> bool:
    """True when udev and mdadm.conf let `mdadm --incremental` take a device (Incremental.c, steps 1 and 3)."""
    block = superblock(state, key)
    if block is None or not _rule_assembles(state) or not allowed(state, key, conf):
        return False
    names = _names(state, key)
    lines = mdadm_conf.array_lines(mdadm_conf.statements("", conf))
    matching = [line for line in lines if line.matches(block.config.uuid, names)]
    return len(matching) < 2 and not any(line.ignored for line in matching)


def scanned(state: State) -> str:
    """`mdadm --examine --scan`."""
    conf = mdadm_conf_text(state)
    keys = [drive.key for drive in state.drives if drive.present]
    keys += [f"{drive.key}p{part.number}" for drive in state.drives if drive.present for part in drive.partitions]
    keys += [array.name for array in state.arrays if array.running]
    found = {}
    for key in keys:
        block = superblock(state, key)
        if block is not None and allowed(state, key, conf):
            config = block.config
            name = config.name.rpartition(":")[2]
            found[config.uuid] = f"ARRAY /dev/md/{name}  metadata={config.metadata} UUID={config.uuid}\n"
    return "".join(found.values())


def links(state: State, path: str) -> tuple[str, ...] | None:
    """Names in /dev/disk and in its directories; None for another path."""
    drives = [drive for drive in state.drives if drive.present]
    match path.rstrip("/"):
        case "/dev/disk":
            return ("by-id", "by-path")
        case "/dev/disk/by-id":
            names = {(name, part.number) for drive in drives for name in drive.disk.by_id for part in drive.partitions}
            whole = {name for drive in drives for name in drive.disk.by_id}
            return tuple(sorted({*whole, *(f"{name}-part{number}" for name, number in names)}))
        case "/dev/disk/by-path":
            return tuple(sorted({drive.disk.by_path for drive in drives if drive.disk.by_path}))
        case _:
            return None


def other_unit(state: State, argv: tuple[str, ...]) -> str:
    """The answer to `systemd.other_units_question`."""
    end = argv.index("-maxdepth")
    patterns = [argv[at + 1] for at, word in enumerate(argv) if word in ("-name", "-path")]
    for folder in argv[1:end]:
        for path in sorted(each for each in state.files if each.startswith(f"{folder}/")):
            if path.removeprefix(f"{folder}/").count("/") < 2 and any(_fits(path, each) for each in patterns):
                return f"{path}\n"
    return ""


def shown(state: State, argv: tuple[str, ...]) -> str:
    """`systemctl show` of the file that a mount unit was loaded from."""
    match argv[2:]:
        case ("--property=FragmentPath", "--value", unit) if unit.startswith("systemd-cryptsetup@"):
            lines = (line.split() for line in state.files.get(cryptsetup.PATH, "").splitlines())
            known = any(fields and cryptsetup.unit(fields[0]) == unit for fields in lines)
            return f"/run/systemd/generator/{unit}\n" if known else "\n"
        case ("--property=FragmentPath", "--value", unit):
            places = [fields[1] for fields in fstab_lines(state) if len(fields) > 1]
            planned = [f"/run/systemd/generator/{unit}" for each in places if systemd.unit_name(each, "mount") == unit]
            first = [f"{folder}/{unit}" for folder in UNITS if f"{folder}/{unit}" in state.files]
            return f"{next(iter([*first, *planned]), '')}\n"
        case _:
            raise unknown(argv)


def _rule_assembles(state: State) -> bool:
    name = udev.ASSEMBLY[0]
    paths = (f"{folder}/{name}" for folder in udev.FOLDERS)
    return udev.assembles(next((state.files[path] for path in paths if path in state.files), ""))


def _names(state: State, key: str) -> tuple[str, ...]:
    found = [f"/dev/{kernel_name(state, key)}"]
    drive, array, part = disk_below(state, key), array_of(state, key), partition_of(key)
    if drive is not None:
        suffix = f"-part{part[1]}" if part else ""
        found += [f"/dev/disk/by-id/{name}{suffix}" for name in drive.disk.by_id]
        found += [f"/dev/disk/by-path/{drive.disk.by_path}{suffix}"] if drive.disk.by_path else []
    if array is not None and array.link:
        found.append(f"/dev/md/{array.link}")
    return tuple(found)


def _fits(path: str, pattern: str) -> bool:
    """As find compares: a backslash makes the next sign an ordinary one, and a name is the last part of the path."""
    plain = pattern.replace("\\\\", "[\\\\]")
    return fnmatch.fnmatchcase(path if "/" in pattern else path.rpartition("/")[2], plain)


# systemctl, udevadm, uname, the initramfs; and what udev does with devices that were written or appeared.


_RULES = "/etc/udev/rules.d/"
_RULE = re.compile(r'ENV\{MD_UUID\}=="([0-9a-f:]+)"(.*)')
_TUNED = ("read_ahead_kb", "stripe_cache_size")
_DISK_RULE = re.compile(r'SYMLINK=="([^"]+)"(.*)')
_MAPPING_RULE = re.compile(r'ENV\{DM_UUID\}=="([\w-]+)", ATTR\{queue/read_ahead_kb\}="(\d+)"')
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
            return shown(state, argv)
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
    if (crypt := crypt_of(state, key)) is not None:
        for uuid, kib in (found for text in state.rules for found in _MAPPING_RULE.findall(text)):
            if f"{uuid}\n" == mapping_uuid(state, crypt.name):
                crypt.read_ahead_sectors = 2 * int(kib)
        return
    array = array_of(state, key)
    if array is None or not array.running:
        return
    for uuid, rest in (found for text in state.rules for found in _RULE.findall(text)):
        if uuid == array.config.uuid:
            for name, value in _ATTRIBUTE.findall(rest):
                if name.rpartition("/")[2] in _TUNED:
                    with contextlib.suppress(ProgramFailed):  # a level without a stripe cache has no such file
                        md.put(state, f"/sys/block/{array.name}/{name}", value)


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
            text = mdadm_conf_text(state) if conf is None else conf
            if not assembled(state, key, text):
                continue
            array = md.take_in(state, key, text, state.host if host is None else host)
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
