"""Boot configuration: mdadm.conf and its directory, udev's rules for md, units of systemd, the initramfs."""

from __future__ import annotations

import fnmatch

from raidtui.machine.simulated.core.argv_parser import unknown
from raidtui.machine.simulated.core.devices import kernel_name
from raidtui.machine.simulated.core.state import State
from raidtui.machine.simulated.core.storage import array_of, disk_below, partition_of
from raidtui.machine.simulated.md.superblocks import superblock
from raidtui.machine.simulated.tools.mounts import fstab_lines
from raidtui.model.errors import MachineFailed
from raidtui.tools import mdadm_conf, systemd, udev_rule
from raidtui.tools.mdadm import CONFIGURATIONS

KERNEL = "6.1.0-28-amd64"
"""release of the running kernel"""
RULES = {
    f"{udev_rule.PACKAGED[0]}/{udev_rule.ARRAYS}": 'IMPORT{program}="/sbin/mdadm --detail --export $devnode"\n',
    f"{udev_rule.PACKAGED[0]}/{udev_rule.ASSEMBLY[0]}": 'ACTION!="remove", '
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
        case ("--property=FragmentPath", "--value", unit):
            places = [fields[1] for fields in fstab_lines(state) if len(fields) > 1]
            planned = [f"/run/systemd/generator/{unit}" for each in places if systemd.unit_name(each, "mount") == unit]
            first = [f"{folder}/{unit}" for folder in UNITS if f"{folder}/{unit}" in state.files]
            return f"{next(iter([*first, *planned]), '')}\n"
        case _:
            raise unknown(argv)


def _rule_assembles(state: State) -> bool:
    name = udev_rule.ASSEMBLY[0]
    paths = (f"{folder}/{name}" for folder in udev_rule.FOLDERS)
    return udev_rule.assembles(next((state.files[path] for path in paths if path in state.files), ""))


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
