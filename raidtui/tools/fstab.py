"""fstab(5), mount, umount, findmnt: a file system at its place, now and at every boot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from raidtui.model.choices import FileSystem
from raidtui.model.file_system import MountOption
from raidtui.model.plan import Command
from raidtui.tools.mount_options import fstab_words
from raidtui.tools.mountinfo import plain

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


def line(uuid: str, mount_point: str, fs: FileSystem, options: Sequence[MountOption] = ()) -> str:
    """One line, with `options` beyond those that every plan has.

    `mount_point` needs no escapes, it was checked against an allow-list.
    """
    return f"UUID={uuid} {mount_point} {fs} {fstab_words(options)} 0 {_pass(fs)}"


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
