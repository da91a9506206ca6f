"""Complete state of the simulated machine as one serialisable value: drives, arrays, volumes, files, units.

Only drives have content. An array or volume reads it from the drives below, so it persists across boots, and is visible
in a new array in the place of an old one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from raidtui.values.choices import Initramfs
from raidtui.values.inventory import Disk
from raidtui.values.layout import MdLevel
from raidtui.values.paths import PathKind

HoldKind = Literal[
    "mounted", "swap", "md-member", "md-inactive", "lvm-pv", "dm-crypt", "bcache", "zfs", "multipath", "loop",
    "exported", "exclusive", "locked", "read-only",
]  # fmt: skip
SPARE = -1
"""role of a spare"""
FAULTY = -2
"""role of a member that md has thrown out"""
JOURNAL = -3
"""role of a write journal"""


@dataclass(slots=True, kw_only=True)
class ArrayConfig:
    """What every superblock says of its array; sectors are 512 bytes."""

    uuid: str
    name: str
    """with the host: host:data"""
    level: MdLevel
    devices: int
    chunk_bytes: int
    """0 where the level has none"""
    layout: str
    """left-symmetric, n2, ...; empty where the level has none"""
    component_sectors: int
    """used of each member; 0 for RAID0"""
    array_sectors: int
    metadata: str
    data_offset: int
    """sectors"""
    bitmap: bool
    bitmap_chunk_bytes: int = 0
    """0 without a bitmap"""
    ppl: bool
    created: float
    read_ahead_kib: int
    """what the kernel sets by itself"""
    journal: bool = False
    """it has a write journal"""


@dataclass(slots=True, kw_only=True)
class Superblock:
    """An md superblock on one member."""

    config: ArrayConfig
    device_uuid: str
    role: int
    """place in the array, SPARE, FAULTY or JOURNAL"""
    events: int
    in_sync: bool
    """the array's first sync is done"""
    recovered: bool
    """the member's content is whole"""
    synced: int
    """sectors of the sync that is under way"""
    roster: list[int]
    """roles that worked when it was written"""
    spares: int
    """spares and replacements when it was written"""
    replacement: bool = False
    """it takes the place of a member that still works"""


@dataclass(slots=True, kw_only=True)
class DiskMark:
    """Bytes on a drive that are not zero."""

    kind: str
    """libblkid's word for a signature; `data` for bytes that nothing recognises"""
    offset: int
    """bytes from the start"""
    length: int
    """bytes"""
    uuid: str = ""
    label: str = ""
    facts: dict[str, int] = field(default_factory=dict)
    """figures of a file system or physical volume"""
    texts: dict[str, str] = field(default_factory=dict)
    """names in it; for a file system its files"""
    superblock: Superblock | None = None
    depth: int = 0
    """devices it lies below: 0 on a drive itself, 1 in an array's data or a partition, 2 in a volume on arrays"""


@dataclass(slots=True, kw_only=True)
class Area:
    """Bytes from `start` up to `end`."""

    start: int
    end: int

    def touches(self, start: int, length: int) -> bool:
        """True when `length` bytes from `start` on have some of its bytes."""
        return self.start < start + length and start < self.end


@dataclass(slots=True, kw_only=True)
class Partition:
    """A partition that the kernel shows."""

    number: int
    start: int
    size: int


@dataclass(slots=True, kw_only=True)
class Hold:
    """Somebody else's use of a drive."""

    how: HoldKind
    name: str
    """mount point or kernel name of what holds it"""


@dataclass(slots=True, kw_only=True)
class Opened:
    """A process that has a device open, not exclusively."""

    key: str
    """the drive, array or volume"""
    process: int
    command: str
    writing: bool


@dataclass(slots=True, kw_only=True)
class Drive:
    """A disk, attached or in a drawer."""

    key: str
    disk: Disk
    """what it says of itself"""
    name: str
    """kernel name"""
    number: str
    """major:minor"""
    sequence: int
    """diskseq"""
    present: bool = True
    marks: list[DiskMark] = field(default_factory=list)
    partitions: list[Partition] = field(default_factory=list)
    holds: list[Hold] = field(default_factory=list)
    unwritable: list[Area] = field(default_factory=list)
    unreadable: list[Area] = field(default_factory=list)
    first_ends: str = ""
    """digest of both ends when the machine was made"""
    slowness: float = 1.0
    suspended: float = 0.0
    """seconds that the next access takes longer"""
    writes: int = 0
    """accesses that wrote"""
    scheduler: str = ""
    """I/O scheduler that was set since the boot; empty: the kernel's choice"""
    queue_depth: int | None = None
    """queue depth that was set since the boot; None: the driver's choice"""

    def fails(self, start: int, length: int, *, writing: bool) -> bool:
        """True when one of `length` bytes from `start` on cannot be written, or read."""
        areas = self.unwritable if writing else self.unreadable
        return any(area.touches(start, length) for area in areas)


@dataclass(slots=True, kw_only=True)
class Member:
    """A device in a running array."""

    key: str
    role: int
    state: str
    """active, rebuilding, replacing (a member that still works), spare, journal or faulty"""


@dataclass(slots=True, kw_only=True)
class Sync:
    """What a running array works off."""

    action: str
    """resync, recover or check"""
    done: float
    """sectors of each member"""
    whole: int


@dataclass(slots=True, kw_only=True)
class Array:
    """An array that the kernel has assembled."""

    name: str
    """kernel name, md127"""
    link: str
    """name under /dev/md; empty while it does not run"""
    config: ArrayConfig
    members: list[Member]
    running: bool
    in_sync: bool
    """the first sync is done"""
    waiting: bool
    """auto-read-only: nothing is synced before something is written"""
    events: int
    sequence: int
    """diskseq"""
    read_ahead_sectors: int
    sync: Sync | None = None
    limit_kib: int | None = None
    born: float = 0.0
    """when its first member came"""
    dirty: bool = False
    """the superblocks do not say yet what the kernel knows"""
    unproven: bool = False
    """taken for clean without a first sync: a check finds that parity or copies do not fit"""
    mismatches: int = 0
    """sectors that the last check found"""
    last_action: str = ""
    """the sync that ended last since it was assembled"""
    stripe_cache: int = 256
    """entries"""
    read_only: bool = False
    """as mdadm --readonly leaves it"""

    @property
    def journal_lost(self) -> bool:
        """True if it has a write journal that does not work."""
        return self.config.journal and not any(member.state == "journal" for member in self.members)


@dataclass(slots=True, kw_only=True)
class VolumeSegment:
    """A part of a logical volume."""

    extents: int
    stripes: int
    stripe_bytes: int
    physical: list[str]
    """UUIDs of its physical volumes"""


@dataclass(slots=True, kw_only=True)
class SimulatedVolume:
    """A logical volume."""

    name: str
    tag: str
    stripes: int
    stripe_bytes: int
    extents: int
    read_ahead_sectors: int
    minor: int
    """of its device-mapper device"""
    active: bool = True
    sequence: int = 0
    """diskseq"""
    origin: str = ""
    """the volume that it is a snapshot of"""
    dormant: bool = False
    """it is not activated when its group appears (lvcreate --setautoactivation n)"""
    start: int = 0
    """extents of its group before it"""
    segments: list[VolumeSegment] = field(default_factory=list)
    """in order; none of a volume that somebody else made"""


@dataclass(slots=True, kw_only=True)
class VolumeGroup:
    """A volume group; it exists as long as one of its physical volumes does."""

    name: str
    extent_bytes: int
    physical: list[str]
    """UUIDs of its physical volumes, in order"""
    volumes: list[SimulatedVolume] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class OpenCrypt:
    """A LUKS2 volume that is open."""

    name: str
    """in device-mapper"""
    below: str
    """key of the device with its header"""
    uuid: str
    start: int
    """bytes before its data"""
    sector: int
    minor: int
    sequence: int
    """diskseq"""
    read_ahead_sectors: int = 256

    @property
    def key(self) -> str:
        """Key of what is open."""
        return f"luks:{self.name}"


@dataclass(slots=True, kw_only=True)
class SimulatedMount:
    """A mounted file system."""

    place: str
    key: str
    """the device"""
    uuid: str
    root: str = "/"
    """the directory of the file system that is mounted; another than / for a bind mount"""
    shown: tuple[str, ...] = ()
    """options that findmnt shows"""


@dataclass(slots=True, kw_only=True)
class UsedBy:
    """Somebody's use of an array or a volume, gone with the next boot."""

    how: str
    """swap-on, luks-open, namespace, ..."""
    key: str
    """the device"""
    name: str
    """of the device on top, or of a file"""


@dataclass(slots=True, kw_only=True)
class State:
    """Everything."""

    origin: str
    """name of the inventory it was made from"""
    host: str
    machine_id: str
    family: Initramfs
    now: float = 0.0
    """seconds since it was made"""
    made: float = 0.0
    """when its time began, seconds since 1970; 0 until a run or a tuning keeps it"""
    boots: int = 1
    next_number: int = 1
    """for diskseq, UUIDs and the like"""
    drives: list[Drive] = field(default_factory=list)
    arrays: list[Array] = field(default_factory=list)
    groups: list[VolumeGroup] = field(default_factory=list)
    crypts: list[OpenCrypt] = field(default_factory=list)
    mounts: list[SimulatedMount] = field(default_factory=list)
    opened: list[Opened] = field(default_factory=list)
    used: list[UsedBy] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    modes: dict[str, int] = field(default_factory=dict)
    unsynced: list[str] = field(default_factory=list)
    """files of which a power cut leaves the name alone"""
    folders: list[str] = field(default_factory=list)
    of_others: list[str] = field(default_factory=list)
    """files and directories that others than root can change"""
    rules: list[str] = field(default_factory=list)
    """texts of the rule files that udev has read"""
    units: dict[str, str] = field(default_factory=dict)
    """name to active, inactive, failed"""
    watched: str = ""
    """mdadm.conf as the monitor has read it"""
    initramfs: str = ""
    """mdadm.conf as the initramfs has it"""
    symlinks: dict[str, str] = field(default_factory=dict)
    """symbolic links that somebody put into the system's file system: path to absolute target"""
    no_files: dict[str, PathKind] = field(default_factory=dict)
    """pipes, devices and directories that somebody put in the place of files"""
    links: dict[str, str] = field(default_factory=dict)
    """paths that somebody made lead to another drive, by its key"""
    woken: list[str] = field(default_factory=list)
    """devices that udev will look at"""
    locked: list[str] = field(default_factory=list)
    """drives whose advisory lock the run holds"""

    def number(self) -> int:
        """A number that was never given before."""
        self.next_number += 1
        return self.next_number - 1

    @property
    def conf_path(self) -> str:
        """Where mdadm.conf lies."""
        return "/etc/mdadm/mdadm.conf" if self.family == "debian" else "/etc/mdadm.conf"
