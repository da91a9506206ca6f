"""md arrays that exist on a machine, as they were observed: members, state, what stands on them, what knows them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from raidtui.values.codec_rules import Value
from raidtui.values.findings import Severity
from raidtui.values.inventory import Place
from raidtui.values.layout import parity_of

# The state of one md array as the kernel has it: shape now and before a reshape, members with md's flags, sync.


@dataclass(frozen=True, slots=True, kw_only=True)
class MdShape(Value):
    """How an array spreads its data over its slots."""

    level: str
    """raid6, linear, ...; empty where it is not known"""
    devices: int
    """slots; 0 where it is not known"""
    layout: int = 0
    """the kernel's number: of RAID10 near copies, far copies in the second byte, offset in bit 16, far sets above"""
    chunk_bytes: int = 0
    """0 for a level without chunks"""

    @property
    def parity(self) -> int | None:
        """Members that hold parity; None for a level that copies, and for one that is not known."""
        if self.level in ("raid0", "linear"):
            return 0
        return parity_of(self.level) or None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reshape(Value):
    """A change of an array's shape that has begun and not ended: it runs, waits, or was interrupted."""

    before: MdShape
    """shape of what it has not reached yet"""
    position_bytes: int | None = None
    """of the array, up to where it has come; None: not known"""
    backwards: bool = False
    """it goes from the end of the array to its start"""
    backup: bool | None = None
    """what it moves is kept outside of the members' own data: in the file of --backup-file, or on a spare; None: not
    read"""


_RESERVE_FROM = 8
"""slots from which a mirror with a tail of empty ones counts as made for disks to come, as NAS systems do"""


def slots_in_reserve(level: str, devices: int, there: Collection[int]) -> range:
    """Empty slots at the end of a mirror that was made with more than the machine has disks (QNAP, Synology).

    `there`: slots with a copy, two at the least. Which of the others once had one, the kernel does not say."""
    if level != "raid1" or devices < _RESERVE_FROM or len(there) < 2:
        return range(0)
    return range(max(there) + 1, devices)


ArrayState = Literal[
    "failed", "journal-lost", "incomplete", "inactive", "stopped", "degraded", "reshaping", "pending", "unknown",
    "foreign", "auto-read-only", "read-only", "container", "active", "clean",
]  # fmt: skip
"""gravest first: this is their one order. failed: more members are lost than its layout survives. journal-lost: its
journal failed or is missing, every write fails. incomplete: it does not run, and members are missing. inactive:
assembled, not running. stopped: superblocks on disks, nothing assembled. reshaping: between two shapes, at work or not.
pending: a sync waits. unknown: the kernel has a word for it that this version does not know. foreign: made for another
host. container: of IMSM or DDF, it holds arrays"""
MemberState = Literal[
    "in-sync", "rebuilding", "replacement", "spare", "journal", "faulty", "missing", "dropped", "idle", "unknown"
]
"""replacement: it takes the place of a member that still works. missing: no device has this slot. dropped: it has the
superblock of an assembled array and is not in it. idle: of an array that does not run. unknown: it is in the array, and
what it does could not be read"""
BitmapKind = Literal["none", "internal", "external", "clustered", "lockless", "unknown"]
_NOWHERE = Place()
KnownAnswer = Literal["yes", "no", "not-needed", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberSuperblock(Value):
    """What the superblock of one member says (mdadm --examine)."""

    level: str
    """raid5"""
    devices: int | None = None
    """members of the array"""
    role: int | None = None
    """slot; None for a spare, a journal, and what the array threw out"""
    events: int | None = None
    """count of changes: members of one state of the array have the same"""
    updated: str
    """when it was last written, as mdadm prints it"""
    clean: bool | None = None
    """False: the array was in use when it was last written; None: not known"""
    roster: str
    """a letter for each slot: A active, . missing, R being replaced; empty where it has none (0.90)"""
    features: int
    """feature map of metadata 1.x"""
    journal: bool = False
    """it is the array's write journal"""
    metadata: str = ""
    """version: 1.2, 0.90; empty where it is not known"""
    layout: int | None = None
    """the kernel's number; None: it has none, or its word is not known"""
    chunk_bytes: int = 0
    """0 for a level without chunks"""
    reshape: Reshape | None = None
    """the change of shape that it was in"""
    bad_blocks: bool = False
    """its log of bad blocks has entries"""

    @property
    def shape(self) -> MdShape:
        """How the array spreads its data."""
        return MdShape(
            level=self.level, devices=self.devices or 0, layout=self.layout or 0, chunk_bytes=self.chunk_bytes
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeOnMember(Value):
    """What the metadata of a container (IMSM, DDF) on one of its disks lists of an array in it."""

    number: int = 0
    """that md names it by in its container"""
    name: str
    """raw"""
    uuid: str = ""
    """in md's form; empty where it is not known"""
    level: str
    """raid5; empty where its word is not known"""
    devices: int
    """members when whole"""
    failed: tuple[int, ...] = ()
    """slots whose member failed or is out of date"""
    slot: int | None = None
    """that of this disk; None where it has none in it"""
    chunk_bytes: int = 0
    """0 where it has none"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerSuperblock(Value):
    """Metadata of a container on one of its disks (mdadm --examine)."""

    kind: Literal["imsm", "ddf"]
    """its format"""
    identity: str
    """what disks of one container have in common: UUID or GUID, raw"""
    disks: int
    """that it lists"""
    generation: int
    """count of changes: disks of one state of the container have the same"""
    volumes: tuple[VolumeOnMember, ...] = ()
    """arrays in it"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayMember(Value):
    """A member of an array, a slot without one, or a device that it lost."""

    slot: int | None = None
    """place in the array; None for spares, and where it is not known. Of one that was dropped or failed by its
    superblock"""
    state: MemberState
    """its part in the array"""
    device: str = ""
    """kernel name, also of a partition or an array; empty for a missing one"""
    path: str = ""
    """by which commands name it: its link below /dev/disk/by-id where it has one; empty for a missing one"""
    disk: str = ""
    """kernel name of the disk that it is on; empty where that is none of the inventory"""
    disk_id: str = ""
    """that disk's identity"""
    serial: str | None = None
    """that disk's serial number, raw"""
    place: Place = _NOWHERE
    """where that disk sits"""
    size_bytes: int | None = None
    """of the device"""
    start_bytes: int | None = None
    """where the device starts on its disk; None: not known"""
    data_offset_bytes: int | None = None
    """where the array's data starts on it"""
    flags: tuple[str, ...] = ()
    """the kernel's words: in_sync, want_replacement, write_error, blocked, writemostly, failfast, ..."""
    errors: int | None = None
    """read errors that md corrected on it since it was assembled"""
    superblock: MemberSuperblock | None = None
    """read where the array does not run or lacks a member, as root; None: not read"""
    container: ContainerSuperblock | None = None
    """read where its array is a container or in one, and does not run"""
    bad_blocks: int | None = None
    """entries of the log of blocks that md found bad and does not read; None: not known"""
    unread: str = ""
    """why the superblock could not be read; empty where it was, or was not asked for"""

    @property
    def is_journal(self) -> bool:
        """True for the write journal of the array, also a failed one."""
        return self.state == "journal" or "journal" in self.flags


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayBitmap(Value):
    """Write-intent bitmap."""

    kind: BitmapKind
    """where it is"""
    chunk_bytes: int | None = None
    """bytes of a member that one bit stands for"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncNow(Value):
    """A sync of an array that runs or waits."""

    action: str
    """resync, recover, check, repair, reshape, frozen; held: it waits for the first write; pending: for another sync"""
    done_bytes: int
    """of each member"""
    whole_bytes: int
    """of each member in all"""
    bytes_per_s: int
    """of each member, as the kernel measures; 0 while it waits"""
    seconds_left: int | None = None
    """at that speed; None while it waits"""
    of: str = ""
    """what waits, where `action` says only that it does: recover, resync, check, reshape; empty: not known"""


@dataclass(frozen=True, slots=True, kw_only=True)
class OnArray(Value):
    """The array itself or a device on it, with its content."""

    device: str
    """kernel name"""
    name: str
    """as an admin writes it: md/data, mapper/vg-lv; without /dev/, raw"""
    type: str
    """lsblk's word: raid5, part, lvm, crypt"""
    depth: int
    """devices between it and the array; 0 for the array"""
    content: str = ""
    """signature on it: xfs, LVM2_member, crypto_LUKS, swap; empty for none"""
    label: str = ""
    """of the content, raw"""
    uuid: str = ""
    """of the content"""
    group: str = ""
    """volume group of a physical volume, raw; empty where it is none, in none, or not known"""
    mount_points: tuple[str, ...] = ()
    """where it is mounted, raw; [SWAP] where it is swapped on"""
    size_bytes: int = 0
    """of the device"""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownBy(Value):
    """Whether something knows the array."""

    answer: KnownAnswer
    """not-needed: it works without"""
    why: str
    """where it says so, what is missing, or why it could not be read; raw"""


NOT_ASKED = KnownBy(answer="unknown", why="not asked for")


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedArray(Value):
    """One md array."""

    name: str
    """kernel name, md127; empty for one that is not assembled"""
    label: str
    """its name in the superblock, `host:data`, raw; empty where it has none or it is not known"""
    made_for: str
    """host that this name says it was made for, raw; empty where it says none"""
    path: str
    """as an admin writes it: /dev/md/data, else /dev/md127, raw; empty for one that is not assembled"""
    uuid: str
    """in md's form; empty where it is not known"""
    states: tuple[ArrayState, ...]
    """all that hold, gravest first; never empty"""
    level: str
    """raid6, linear, ...; empty where it is not known"""
    devices: int | None = None
    """members that it has when whole; during a reshape those that it will have"""
    lacks: int | None = None
    """members that do not work now; None where the level has none to lack, or it is not known"""
    metadata: str
    """superblock version: 1.2, 0.90, external:imsm; empty where it is not known"""
    chunk_bytes: int = 0
    """0 for a level without chunks; during a reshape what it will be"""
    layout: int = 0
    """the kernel's number; during a reshape what it will be"""
    reshape: Reshape | None = None
    """the change of shape that is not ended; None: there is none, or it is not known"""
    kernel_state: str = ""
    """the kernel's word (array_state): clean, write-pending, broken, ...; empty for one that is not assembled"""
    action: str = ""
    """the kernel's word for what it does (sync_action): idle, recover, frozen, ...; empty: it has none, or not known"""
    container: str = ""
    """kernel name of the container that it is in; empty for none"""
    limit_bytes: int | None = None
    """most of the array that is used (mdadm --array-size); None: all of it, or not known"""
    size_bytes: int = 0
    """of the array; 0 while it does not run"""
    component_bytes: int = 0
    """used of each member; 0 where it is not known"""
    logical_sector_bytes: int | None = None
    """smallest addressable unit of the array"""
    stored_sector_bytes: int | None = None
    """the same as its superblocks have it, from Linux 6.19 on: kernels below refuse all but 0; None: not known"""
    sync_max_bytes_per_s: int | None = None
    """sync_speed_max, of each member; None: not known"""
    stripe_cache_pages: int | None = None
    """stripe_cache_size, of each member; None: it has no parity, or not known"""
    parity_threads: int | None = None
    """group_thread_cnt; None: it has no parity, or not known"""
    consistency: str = ""
    """the kernel's word: bitmap, resync, ppl, journal, none; empty where it is not known"""
    members: tuple[ArrayMember, ...] = ()
    """by slot, missing ones too, then spares, faulty ones and dropped ones"""
    removed: tuple[ArrayMember, ...] = ()
    """devices that carry its superblock and are not in it, of an array that lacks none: dropped ones are members"""
    bitmap: ArrayBitmap = ArrayBitmap(kind="unknown")
    """write-intent bitmap"""
    sync: SyncNow | None = None
    """what runs or waits; None: nothing"""
    last_action: str = ""
    """the sync that began last since it was assembled: check, repair, resync, recover; empty: none, or not known.
    Whether it ended or was interrupted, and when, the kernel does not say"""
    mismatches: int | None = None
    """sectors that this check or repair found; None where it was none"""
    stands_on_it: tuple[OnArray, ...] = ()
    """the array and the devices on it, each after the one below it"""
    unread: tuple[str, ...] = ()
    """what of it could not be read, and why"""
    built_by: str = ""
    """id of raidtui's run that gave it its UUID, of those that mdadm.conf or raidtui's folder name; empty: not known"""
    in_conf: KnownBy = NOT_ASKED
    """mdadm.conf and the files of its .d directory"""
    in_initramfs: KnownBy = NOT_ASKED
    """images in /boot that have mdadm"""
    in_fstab: KnownBy = NOT_ASKED
    """/etc/fstab: each file system and swap area on it"""
    in_crypttab: KnownBy | None = None
    """/etc/crypttab: each LUKS volume on it or below a member; None where it has none, or nothing was asked"""
    monitored: KnownBy = NOT_ASKED
    """a running mdadm --monitor"""
    at_boot: KnownBy = NOT_ASKED
    """whether the next boot starts it from its members, as far as mdadm.conf, udev rules and initramfs images decide"""

    @property
    def state(self) -> ArrayState:
        """The gravest."""
        return self.states[0]

    @property
    def shape(self) -> MdShape:
        """How it spreads its data; during a reshape how it will."""
        return MdShape(level=self.level, devices=self.devices or 0, layout=self.layout, chunk_bytes=self.chunk_bytes)

    @property
    def runs(self) -> bool:
        """True where the kernel reads and writes it; a container holds no data of its own."""
        return self.kernel_state not in ("", "clear", "inactive")

    @property
    def shown_name(self) -> str:
        """Kernel name, else the name in the superblock, else the UUID, else what it is; raw."""
        kind = self.metadata.removeprefix("external:")
        unnamed = f"{kind} container" if self.level == "container" else f"unnamed {self.level or 'array'}"
        return self.name or self.label or self.uuid or unnamed

    @property
    def spares(self) -> tuple[ArrayMember, ...]:
        """Members that wait for a failure."""
        return tuple(member for member in self.members if member.state == "spare")

    @property
    def dropped(self) -> tuple[ArrayMember, ...]:
        """Devices that carry its superblock and are not in it, also where it lacks none."""
        return (*(member for member in self.members if member.state == "dropped"), *self.removed)


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeFacts(Value):
    """A device-mapper device over other devices."""

    name: str
    """kernel name"""
    below: tuple[str, ...]
    """kernel names of the devices below it"""
    io_min_bytes: int
    """minimum_io_size: of a striped volume its stripe"""
    io_opt_bytes: int
    """optimal_io_size: of a striped volume all stripes"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedArrays(Value):
    """Every md array of a machine at one moment."""

    schema: Literal["raidtui/arrays/1"] = "raidtui/arrays/1"
    """format of this document"""
    host: str
    """host name of the machine"""
    simulated: bool
    """True when no such disks are attached here"""
    time: str
    """when it was read, UTC"""
    arrays: tuple[ObservedArray, ...]
    """assembled ones by number, each after its members, then those that are not assembled"""
    volumes: tuple[VolumeFacts, ...] = ()
    """device-mapper devices"""
    unread: tuple[str, ...] = ()
    """what could not be read, and what it would take to read it"""


# What an audit of the md arrays of a machine found.


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFinding(Value):
    """What one rule found."""

    severity: Severity
    """error: data cannot be reached, or the next failure loses it; warning: a failure or the next boot will cost more
    than it has to; note: worth knowing"""
    code: str
    """the rule, a stable word for scripts: array-degraded, not-monitored, ..."""
    subject: str
    """what it is about: an array, a disk, a mount point, the machine; raw"""
    evidence: str
    """what was read, in one sentence"""
    consequence: str
    """what follows from it, in one sentence"""
    way_out: str
    """what the admin can do"""

    @property
    def key(self) -> tuple[str, str]:
        """Rule and subject: what a baseline knows it by."""
        return self.code, self.subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Unchecked(Value):
    """A rule that could not be applied: that it found nothing there means nothing."""

    code: str
    """the rule"""
    subject: str
    """what it was to be applied to, raw"""
    why: str
    """what could not be read, and what it takes"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit(Value):
    """All rules applied to all arrays of a machine at one moment."""

    schema: Literal["raidtui/audit/1"] = "raidtui/audit/1"
    """format of this document"""
    host: str
    """host name of the machine"""
    simulated: bool
    """True when no such disks are attached here"""
    time: str
    """when it was read, UTC"""
    arrays: int
    """arrays that were found"""
    rules: tuple[str, ...]
    """codes of all rules"""
    findings: tuple[AuditFinding, ...]
    """gravest first; with a baseline only those that it does not have"""
    known: int = 0
    """findings that the baseline has, and that are left out"""
    unchecked: tuple[Unchecked, ...] = ()
    """what could not be checked"""
