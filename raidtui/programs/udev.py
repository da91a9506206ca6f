"""udev rules that tune arrays by UUID, and disks by identity, whenever they appear (udev(7)); the values live in sysfs
(md(4), Documentation/ABI/stable/sysfs-block)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from raidtui.programs.mdadm import blkid_uuid
from raidtui.values.plan import Command

FOLDER = "/etc/udev/rules.d"
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9#+.:=@_/-]")
QUEUE_DEPTH_KEY = "ATTRS{queue_depth}="
"""key of the SCSI device's queue depth in the answer to `attributes_question`; udevadm writes NAME=="VALUE" lines"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayTuning:
    """Settings of one array; None keeps the kernel's default."""

    uuid: str
    """md UUID, which 63-md-raid-arrays.rules puts into MD_UUID"""
    read_ahead_kib: int | None = None
    """read-ahead of the array's own block device"""
    stripe_cache_entries: int | None = None
    """RAID4/5/6: entries of 4 KiB a member"""
    group_threads: int | None = None
    """RAID4/5/6: threads that write"""
    sync_speed_max_kib: int | None = None
    """KiB/s a member that a resync or rebuild gets at most"""
    sync_speed_min_kib: int | None = None
    """KiB/s a member that it gets even under load"""


def path(name: str) -> str:
    """Where the rule lives: sorts after the rule that imports MD_UUID."""
    return f"{FOLDER}/90-raidtui-{name}.rules"


def disks_path(name: str) -> str:
    """Where the settings of the plan's disks live: sorts after the rules of packages that choose a scheduler."""
    return f"{FOLDER}/92-raidtui-{name}-disks.rules"


def disk_line(device: str, scheduler: str | None, queue_depth: int | None) -> str:
    """The rule for the disk with this link below /dev/disk/by-id; a setting that is None is left alone.

    Earlier rules made the link from the WWN or the serial number. A character that could mean something in a rule
    becomes `?`, which matches any one character.
    """
    link = _NOT_PLAIN.sub("?", device.removeprefix("/dev/"))
    parts = ['SUBSYSTEM=="block"', 'ENV{DEVTYPE}=="disk"', 'ACTION=="add|change"', f'SYMLINK=="{link}"']
    if scheduler is not None:
        parts.append(f'ATTR{{queue/scheduler}}="{scheduler}"')
    if queue_depth is not None:
        parts.append(f'ATTR{{device/queue_depth}}="{queue_depth}"')
    return ", ".join(parts)


LIST = "/usr/bin/ls"
"""the program that lists a directory for a rule; udev looks for a bare name in its own directory only"""


def line(tuning: ArrayTuning) -> str:
    """One rule."""
    parts = ['SUBSYSTEM=="block"', 'KERNEL=="md*"', 'ACTION=="add|change"', f'ENV{{MD_UUID}}=="{tuning.uuid}"']
    if tuning.read_ahead_kib is not None:
        parts.append(f'ATTR{{queue/read_ahead_kb}}="{tuning.read_ahead_kib}"')
    if tuning.stripe_cache_entries is not None:
        parts.append(f'ATTR{{md/stripe_cache_size}}="{tuning.stripe_cache_entries}"')
    if tuning.group_threads is not None:
        parts.append(f'ATTR{{md/group_thread_cnt}}="{tuning.group_threads}"')
    if tuning.sync_speed_max_kib is not None:
        parts.append(f'ATTR{{md/sync_speed_max}}="{tuning.sync_speed_max_kib}"')
    if tuning.sync_speed_min_kib is not None:
        parts.append(f'ATTR{{md/sync_speed_min}}="{tuning.sync_speed_min_kib}"')
    return ", ".join(parts)


def mapping_line(mapping: str, read_ahead_kib: int) -> str:
    """The rule for the read-ahead of a device of device-mapper with this UUID of its own (10-dm.rules: DM_UUID)."""
    parts = ['SUBSYSTEM=="block"', 'ACTION=="add|change"', f'ENV{{DM_UUID}}=="{mapping}"']
    return ", ".join((*parts, f'ATTR{{queue/read_ahead_kb}}="{read_ahead_kib}"'))


def start_line(uuid: str) -> str:
    """A rule that has an array started half a minute after boot found its members, though one of them is missing.

    mdadm's own rule asks for that when a member is added to the array (64-md-raid-assembly.rules). Members that the
    initramfs added do not come by there again, and the array stays inactive. The unit is mdadm's; it leaves an array
    alone that runs, and mdadm --run refuses one that was not in sync.
    """
    parts = ['SUBSYSTEM=="block"', 'ACTION=="add"', 'ENV{ID_FS_TYPE}=="linux_raid_member"']
    parts += [f'ENV{{ID_FS_UUID}}=="{blkid_uuid(uuid)}"', f'PROGRAM=="{LIST} /sys%p/holders"', 'RESULT=="md*"']
    return ", ".join((*parts, 'ENV{SYSTEMD_WANTS}+="mdadm-last-resort@%c{1}.timer"'))


def reload() -> Command:
    """Makes udev read its rules again."""
    return Command(argv=("udevadm", "control", "--reload"), effect="change")


def trigger(device: str) -> Command:
    """Has udev apply the rules to a device that is already there."""
    argv = ("udevadm", "trigger", "--action=change", "--settle", f"--name-match={device}")
    return Command(argv=argv, effect="change", devices=(device,))


def read_ahead_question(device: str) -> tuple[str, ...]:
    """Read-ahead of a block device in 512-byte sectors."""
    return ("blockdev", "--getra", device)


def attributes_question(device: str) -> tuple[str, ...]:
    """Attributes in sysfs of the device and those above it, read now (udevadm(8)): ATTRS{queue_depth}=="32"."""
    return ("udevadm", "info", "--attribute-walk", device)


def attribute_answer(value: str) -> str:
    """The value as udevadm prints it."""
    return f'"{value}"'


FOLDERS = (
    "/etc/udev/rules.d", "/run/udev/rules.d", "/usr/local/lib/udev/rules.d", "/usr/lib/udev/rules.d",
    "/lib/udev/rules.d",
)  # fmt: skip
"""where udev reads rules, the directory that wins first (udev(7))"""
PACKAGED = ("/usr/lib/udev/rules.d", "/lib/udev/rules.d")
"""directories of rules from packages"""
ASSEMBLY = ("64-md-raid-assembly.rules", "65-md-incremental.rules")
"""rules by which mdadm assembles what appears: mdadm's own name, that of Fedora and RHEL"""
ARRAYS = "63-md-raid-arrays.rules"
"""rules that give an array its links under /dev/md and /dev/disk"""


def program(texts: Iterable[str]) -> str:
    """The mdadm to which rules hand devices, the first that one names with its path; empty for none."""
    lines = (line for text in texts for line in text.splitlines() if not line.lstrip().startswith("#"))
    found = (re.search(r"(/[\w./+-]*/mdadm)[\" ].*(?:--incremental|-I\b)", line) for line in lines)
    return next((match[1] for match in found if match), "")


def assembles(text: str) -> bool:
    """True when rules hand devices to `mdadm --incremental`."""
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("#"))
    return any(re.search(r"mdadm[\" ].*(?:--incremental|-I\b)", line) for line in lines)
