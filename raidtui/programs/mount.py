"""fstab(5), mount, umount, findmnt: a file system at its place, now and at every boot."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from raidtui.programs.mount_options import ALWAYS, TYPED, fstab_words
from raidtui.values.choices import FileSystem
from raidtui.values.design import MountOption
from raidtui.values.errors import MachineFailed
from raidtui.values.plan import Command
from raidtui.values.safe import safe

# Mounted file systems (/proc/<pid>/mountinfo, proc(5)) and swap (/proc/swaps).
# 36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue 41 29 0:38 / /srv/with\040blank
# rw,relatime shared:19 - btrfs /dev/sdb1 rw,space_cache=v2
# Filename Type Size Used Priority /dev/dm-1 partition 1048572 0 -2
# Blanks, newlines and backslashes inside a field are octal escapes.


_FIELDS = 6
"""before the optional ones"""
_LONG = 200
_START = re.compile(r"[0-9]{1,10} [0-9]{1,10} [0-9]{1,10}:[0-9]{1,10} ")
"""mount, parent, major:minor"""
_OCTAL = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """One mount in one mount namespace."""

    number: str
    """major:minor of the device; 0:N for file systems without one, also btrfs and ZFS"""
    point: str
    """mount point, unescaped"""
    fstype: str
    """file system type"""
    source: str
    """device, data set or anything else, unescaped"""
    root: str = "/"
    """the directory of the file system that is mounted there, unescaped; another than / for a bind mount of a part"""
    shared: str = ""
    """number of the peer group that it belongs to; empty for a private one"""
    master: str = ""
    """number of the peer group that it receives mounts and unmounts from; empty when there is none"""
    id: int = 0
    """of the mount, unique while it lasts"""
    options: str = ""
    """what the file system shows of its own: rw,attr2,inode64,sunit=1024,swidth=4096"""

    @property
    def stripe(self) -> tuple[int | None, int | None]:
        """(bytes of the stripe unit, bytes of a full stripe) that XFS shows; (None, blocks of a stripe) of ext4.

        None where it shows none (xfs_super.c: sunit and swidth count 512 bytes; ext4 super.c: stripe).
        """
        said = dict(word.split("=", 1) for word in self.options.split(",") if "=" in word)
        if self.fstype == "ext4":
            return None, int(said["stripe"]) if said.get("stripe", "").isdecimal() else None
        unit, width = said.get("sunit", ""), said.get("swidth", "")
        return int(unit) * 512 if unit.isdecimal() else None, int(width) * 512 if width.isdecimal() else None


def parse(text: str) -> tuple[Mount, ...]:
    """Every mount in `text`, in order; a later one may hide an earlier one. Raises MachineFailed for a torn line."""
    mounts, torn = parsed(text)
    for line in torn:  # a mount that is not understood is never taken for none
        raise MachineFailed(
            f"the table of mounts has a line of an unknown form: {safe(line, longest=_LONG)}",
            hint="compare with cat /proc/self/mountinfo",
        )
    return mounts


def parsed(text: str) -> tuple[tuple[Mount, ...], tuple[str, ...]]:
    """Every mount in `text`, in order, and the torn lines: those of a mount, by their start or their dash."""
    lines = [line for line in text.splitlines() if " - " in line or _START.match(line)]
    mounts = [(line, _mount(line)) for line in lines]
    return tuple(mount for _, mount in mounts if mount), tuple(line for line, mount in mounts if mount is None)


def parse_swaps(text: str) -> tuple[str, ...]:
    """Paths of the devices and files that are swapped on."""
    return tuple(plain(line.split()[0]) for line in text.splitlines()[1:] if line.strip())


def holding(mounts: tuple[Mount, ...], path: str) -> Mount | None:
    """The mount that contains `path`: the last one of the longest mount point above it."""
    found: Mount | None = None
    for mount in mounts:
        above = mount.point.rstrip("/")
        if (path == above or path.startswith(f"{above}/")) and (found is None or len(mount.point) >= len(found.point)):
            found = mount
    return found


def _mount(line: str) -> Mount | None:
    """The mount of a line; None for a torn one."""
    left, _, right = line.partition(" - ")
    fields, kind = left.split(" "), right.split(" ")
    if len(fields) < _FIELDS or len(kind) < 2 or not _START.match(line):
        return None
    groups = dict(word.split(":", 1) for word in fields[6:] if ":" in word)
    return Mount(
        number=fields[2], point=plain(fields[4]), fstype=kind[0], source=plain(kind[1]), root=plain(fields[3]),
        shared=groups.get("shared", ""), master=groups.get("master", ""), options=kind[2] if len(kind) > 2 else "",
        id=int(fields[0]),
    )  # fmt: skip


def plain(field: str) -> str:
    """A field without its octal escapes."""
    return _OCTAL.sub(lambda match: chr(int(match[1], 8)), field)


PATH = "/etc/fstab"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of fstab."""

    source: str
    """UUID=..., LABEL=..., or a path, unescaped"""
    mount_point: str
    """unescaped; none or swap for a swap area"""
    line: int
    """from 1"""


def entries(text: str) -> tuple[Entry, ...]:
    """Every line that names something."""
    fields = ((number, line.split()) for number, line in enumerate(text.splitlines(), start=1))
    return tuple(
        Entry(source=plain(words[0]).replace('"', ""), mount_point=plain(words[1]), line=number)
        for number, words in fields
        if len(words) > 1 and not words[0].startswith("#")
    )


def line(
    uuid: str, mount_point: str, fs: FileSystem, options: Sequence[MountOption] = (), *, typed: bool = False
) -> str:
    """One line, with `options` beyond those that every plan has; `typed`: a passphrase at the boot opens its device.

    `mount_point` needs no escapes, it was checked against an allow-list.
    """
    return f"UUID={uuid} {mount_point} {fs} {fstab_words(options, TYPED if typed else ALWAYS)} 0 {_pass(fs)}"


def _pass(fs: FileSystem) -> int:
    """When fsck(8) checks it at boot: after the root file system, or never (xfs(5): the kernel replays its log)."""
    match fs:
        case "ext4":
            return 2
        case "xfs":
            return 0
        case "none":
            raise ValueError("nothing is mounted without a file system")


def mount(mount_point: str) -> Command:
    """Mounts by the fstab entry, which verifies the entry."""
    return Command(argv=("mount", mount_point), effect="change", retry="while busy")


def mount_device(device: str, mount_point: str, fs: FileSystem, options: Sequence[MountOption] = ()) -> Command:
    """Mounts a device on a directory, with nothing in fstab: gone after a reboot. Nothing in it is run or trusted."""
    words = fstab_words(options, [MountOption(name=name) for name in ("noatime", "nodev", "nosuid", "noexec")])
    argv = ("mount", f"--types={fs}", f"--options={words}", device, mount_point)
    return Command(argv=argv, effect="change", devices=(device,), retry="while busy")


def umount(mount_point: str) -> Command:
    """Unmounts; refused while anything is open below."""
    return Command(argv=("umount", mount_point), effect="change", retry="while busy")


def make_directory(path: str, mode: int = 0o755) -> Command:
    """Makes a directory and those above it."""
    return Command(argv=("install", "--directory", f"--mode={mode:04o}", path), effect="change")


def mounted_question(mount_point: str) -> tuple[str, ...]:
    """UUID of the file system mounted exactly there; nothing and exit 1 when none is."""
    return ("findmnt", "--noheadings", "--first-only", "--output=UUID", "--mountpoint", mount_point)


def mounted_with_question(mount_point: str, shown: Sequence[str]) -> tuple[str, ...]:
    """UUID of the file system mounted there if the kernel shows all of these options; else nothing, and exit 1."""
    words = ",".join(f"+{word}" for word in shown)  # without the sign, findmnt takes a leading "no" for a negation
    return (
        "findmnt", "--noheadings", "--first-only", "--output=UUID", f"--options={words}", "--mountpoint",
        mount_point,
    )  # fmt: skip


def planned_question(mount_point: str) -> tuple[str, ...]:
    """Prints the source of the mount point in fstab; prints nothing and exits 1 if there is no entry."""
    return ("findmnt", "--fstab", "--noheadings", "--output=SOURCE", "--mountpoint", mount_point)


def content_question(mount_point: str) -> tuple[str, ...]:
    """The first name in the directory; nothing when it is empty, exit 1 when it does not exist."""
    return ("find", mount_point, "-mindepth", "1", "-print", "-quit")


def user_content_question(mount_point: str) -> tuple[str, ...]:
    """The first name below the directory that mkfs did not make, also in lost+found; nothing when there is none."""
    return ("find", mount_point, "-mindepth", "1", "!", "-path", f"{mount_point}/lost+found", "-print", "-quit")


def source_path(source: str) -> str:
    """The path that leads to what a line names: of `PARTUUID=...`, of `PARTLABEL=...`, of a path; empty for none."""
    kind, equal, value = source.partition("=")
    folder = {"PARTUUID": "by-partuuid", "PARTLABEL": "by-partlabel"}.get(kind) if equal else None
    return f"/dev/disk/{folder}/{value}" if folder else source if source[:1] == "/" else ""


def space_question(mount_point: str) -> tuple[str, ...]:
    """Prints `block-size blocks` of a mounted file system, from statfs(2)."""
    return ("stat", "--file-system", "--format=%S %b", mount_point)
