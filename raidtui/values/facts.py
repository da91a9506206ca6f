"""Facts about a machine that the preflight of a plan needs in addition to its disks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidtui.values.arrays import MemberSuperblock
from raidtui.values.choices import Initramfs
from raidtui.values.paths import MAP_LINKS, SeenPath
from raidtui.values.plan import Question
from raidtui.values.target import TargetVersions

# What the next boot of a machine will go by, and the arrays and disks that it will meet.


@dataclass(frozen=True, slots=True, kw_only=True)
class TextFile:
    """A file that was read."""

    path: str
    """where it is"""
    text: str
    """its content"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """mdadm.conf in both places where a mdadm may have it, with the files of their .d directories."""

    files: tuple[TextFile, ...] = ()
    """every file that is there, in the order in which mdadm reads those of one place"""
    first: str = ""
    """of the two places the one that this machine's mdadm prefers; empty: not known, or not needed to know"""
    why: str = ""
    """how that is known, or why it is not; empty where it was not needed"""
    one_file: bool = False
    """both places lead to one file"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """An initramfs image in /boot."""

    path: str
    """where it is"""
    kernel: str
    """release of the kernel that it is for"""
    files: tuple[TextFile, ...] = ()
    """md's configuration in it, by its path there; a program has an empty text"""
    problem: str = ""
    """why it could not be looked into; empty when it was"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceNames:
    """A disk, or an array that is a member of another, under every name that udev has for it."""

    id: str
    """identity of the disk, or path of the array under /dev/md"""
    name: str
    """/dev and the kernel name; empty while it is not there"""
    links: tuple[str, ...]
    """links to it under /dev"""
    number: int = 0
    """number of the partition that it is; 0: none"""

    @property
    def key(self) -> tuple[str, int]:
        """What it is known by among all devices."""
        return self.id, self.number


@dataclass(frozen=True, slots=True, kw_only=True)
class MultipathBoot:
    """Whether the paths of a plan's multipath disks will be joined before mdadm finds them."""

    daemon: str
    """`enabled` if multipathd starts at boot; raw"""
    wwids: frozenset[str]
    """disks that it claims then"""
    paths: tuple[DeviceNames, ...]
    """every path of the plan's disks"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Boot:
    """One look at all of it."""

    configuration: Configuration
    """mdadm.conf"""
    rules: tuple[TextFile, ...]
    """rules of md, of every directory that udev reads, the directory that wins first"""
    command_line: str
    """of the kernel"""
    devices: tuple[DeviceNames, ...]
    """members, and what was removed; empty when no line of mdadm.conf asks for their names"""
    kernel: str = ""
    """release of the running kernel"""
    images: tuple[Image, ...] = ()
    """those in /boot; empty before a build, which rebuilds one, of a plan without multipath disks"""
    multipath: MultipathBoot | None = None
    """None for arrays without multipath disks"""
    found: frozenset[str] | None = None
    """UUIDs of the arrays that mdadm finds on the devices that it may look at; None: it was not asked"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BootMember:
    """A device that is, will be or was a member of an array."""

    id: str
    """identity of its disk, or path of the array that is a member of another"""
    path: str
    """how it is named now or will be: a link below /dev/disk, a path below /dev/md, or /dev and a kernel name"""
    disk_path: str = ""
    """path of the disk that the partition `number` is on; empty where `path` is a whole disk or an array"""
    number: int = 0
    """number of the partition; 0: none"""
    device: str = ""
    """kernel name when it was read; empty where it was not there"""
    words: str = ""
    """where it sits and its serial number, for a person"""
    superblock: MemberSuperblock | None = None
    """what it says; None: not read"""

    @property
    def is_map(self) -> bool:
        """True for a multipath map, or a partition of one: it stands for all paths to the disk."""
        return (self.disk_path or self.path).startswith(MAP_LINKS)

    @property
    def key(self) -> tuple[str, int]:
        """What it is known by among all devices."""
        return self.id, self.number


@dataclass(frozen=True, slots=True, kw_only=True)
class BootArray:
    """An array that the next boot is to assemble."""

    name: str
    """what answers call it: md127, or the name in its superblock"""
    uuid: str
    """in md's form"""
    device: str
    """path under /dev/md, else /dev and the kernel name"""
    label: str
    """its name in the superblock, `host:data`, raw; empty where it has none or it is not known"""
    metadata: str
    """superblock version"""
    level: str
    """raid6, ...; empty where it is not needed, of an array from which nothing was removed"""
    devices: int
    """members when whole"""
    layout: int = 0
    """the kernel's number; as of `level`"""
    members: tuple[BootMember, ...]
    """those with a slot"""
    spares: tuple[BootMember, ...] = ()
    """those without"""
    removed: tuple[BootMember, ...] = ()
    """devices that carry its superblock and are not in it"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BootArrays:
    """Arrays of one machine as the next boot is to find them: of a plan, or as they exist."""

    host: str
    """host name of the machine"""
    family: Initramfs
    """what rebuilds its initramfs"""
    arrays: tuple[BootArray, ...]
    """an array after those that are its members"""
    lines: Literal["planned", "written", "as-found"]
    """their ARRAY lines: planned: a build will write them; written: they must be there; as-found: an array may do
    without"""

    @property
    def everything(self) -> tuple[BootMember, ...]:
        """Every device of every array once, also what was removed."""
        found = [each for array in self.arrays for each in (*array.members, *array.spares, *array.removed)]
        return tuple({each.key: each for each in reversed(found)}.values())[::-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Output of a read-only command."""

    question: Question
    """what it was asked"""
    exit: int
    """exit code"""
    stdout: str
    """raw text"""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueLimit:
    """Queue depth that a disk can get."""

    path: str
    """of the disk"""
    most: int
    """requests at once that its controller takes; 0 where the queue depth cannot be set"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """One look at a machine; a field left at its default was not looked at and refuses nothing."""

    host: str
    """what `uname -n` prints"""
    root: bool = True
    """True when the program may do everything"""
    container: str = ""
    """which kind of container this is; empty when it is none"""
    absent_tools: tuple[str, ...] = ()
    """programs of the plan that are not installed"""
    absent_features: tuple[str, ...] = ()
    """`PROGRAM WORD` for each option that the plan needs and the program's own help does not name"""
    absent_modules: tuple[str, ...] = ()
    """kernel modules of the plan that are neither loaded nor to be had"""
    folder: str = ""
    """directory that holds the runs"""
    room_bytes: int | None = None
    """free for root in it; None when it was not looked at"""
    folder_problem: str = ""
    """why nothing can be written there; empty when it can"""
    holder: str = ""
    """who holds the lock of the one run at a time; empty when it is free"""
    syncs: tuple[str, ...] = ()
    """arrays that sync now, name and action"""
    arrays: int = 0
    """md devices that exist"""
    foreign_program: str = ""
    """why others than root can change what mdadm's monitor runs as root; empty if they cannot"""
    no_alarm: str = ""
    """why disk failures would not be reported; empty if they would"""
    target: TargetVersions | None = None
    """versions of its kernel, mdadm and mkfs"""
    queue_limits: tuple[QueueLimit, ...] = ()
    """of the plan's disks whose limit is known; not looked at if the plan sets no queue depth"""
    no_write_zeroes: tuple[str, ...] = ()
    """paths of members without Write Zeroes, or where that cannot be read; not looked at if the plan zeroes none"""
    boot: Boot | None = None
    """what the next boot will go by"""
    files: tuple[SeenPath, ...] = ()
    """those that the plan writes"""
    places: tuple[SeenPath, ...] = ()
    """mount points of the plan"""
    answers: tuple[Answer, ...] = ()
    """to the questions of the plan's first step"""
