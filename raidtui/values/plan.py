"""A plan: the disks it binds by identity, every UUID it will create, and its steps. What was reviewed is what runs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal, NamedTuple, Protocol, assert_never

from raidtui.values.arrays import MemberState
from raidtui.values.choices import Initramfs
from raidtui.values.codec_rules import Value
from raidtui.values.design import Alert, Design
from raidtui.values.findings import Finding
from raidtui.values.inventory import DiskContent, Lun, own_wwn
from raidtui.values.location import PlacedDisk
from raidtui.values.paths import BY_PATH_LINKS, MAP_LINKS
from raidtui.values.prediction import Prediction, StripeGeometry
from raidtui.values.short_form import TABLES, NumberedDisk, ShortForm

# What kind of thing a reading proves, and what follows from that: whether it lasts, and what to do where it fails.


Role = Literal[
    "host", "machine", "identity", "unused", "name free", "place free", "unit free", "blank", "ours", "predicted",
    "member count", "lines", "mounted", "setting", "root's alone",
    "key file", "opener",
]  # fmt: skip
"""host, machine: this is the machine of the plan; identity: this is the planned disk; unused: it has no user; name
free, place free, unit free: a name, a mount point and its mount unit are not in use; blank: no signature, or zeros;
ours: it has a UUID or a name of the plan; predicted: its figures equal the prediction; member count: number of
working or failed members; lines: a shared file contains the plan's lines; mounted: the file system is at its mount
point; setting: a value, a file or a service is as planned; root's alone: nobody else can change a program or a key;
key file: it opens an encrypted volume; opener: a program of systemd opens it at boot"""


class RoleMeaning(NamedTuple):
    """Consequences of a role."""

    code: str = "check-failed"
    """code of the finding if the check fails before the first write"""
    way_out: str = "see raidtui disks; if it can be removed, plan again"
    """remedy"""
    lasts: bool = True
    """False if later steps may invalidate it: spares are added, members may fail, blank areas are written"""


def meaning(role: Role) -> RoleMeaning:
    """Consequences of `role`."""
    match role:
        case "host":
            return RoleMeaning("other-host", "plan again on this machine, or with --host")
        case "machine":
            return RoleMeaning("other-machine", "build it on the machine it was planned on, or plan again here")
        case "name free":
            return RoleMeaning("name-taken", "remove it if it is not needed, or plan again with another --name")
        case "place free":
            return RoleMeaning("mount-point-taken", "choose another --mount and plan again, or free this one")
        case "unit free":
            return RoleMeaning(
                "mount-unit-foreign",
                "remove that file if it is not needed (then systemctl daemon-reload), or plan again with another "
                "--mount",
            )
        case "root's alone":
            return RoleMeaning(
                "program-not-roots",
                "it and every directory above it must belong to root (chown root) and be writable by root alone (chmod "
                "go-w); name the path that links lead to",
            )
        case "key file":
            return RoleMeaning(
                "key-file",
                "make it: install -m 0700 -d /etc/keys; head -c 64 /dev/urandom >/etc/keys/data.key; chmod 0400 "
                "/etc/keys/data.key; keep a copy on another machine",
            )
        case "opener":
            return RoleMeaning("no-opener", "install systemd-cryptsetup (Debian 13), systemd-udev (RHEL) or systemd")
        case "blank" | "member count":
            return RoleMeaning(lasts=False)
        case "identity" | "unused" | "ours" | "predicted" | "lines" | "mounted" | "setting":
            return RoleMeaning()
        case _:
            assert_never(role)


Stage = Literal[
    "check", "save", "wipe", "partition", "zero", "create", "spare", "volume", "encrypt", "format", "configure",
    "monitor", "mount", "tune", "verify", "fail", "exchange", "scrub", "measure", "grow", "pull",
]  # fmt: skip
"""What a step is for. partition: each disk gets a partition table; zero: the data areas of all members are zeroed, its
commands at the same time; create: one array is made of disks; spare: spares are added to arrays; volume: the arrays
are joined; encrypt: LUKS2 is made and opened below a file system or LVM; fail: of a drill, a member fails; exchange,
scrub: of an array that runs, disks are taken out or put in, every block is checked; measure: of a benchmark, zeros
are written to blank disks or empty arrays; grow: an array that runs, or what is on it, gets another size or bitmap;
pull: a disk is pulled"""
Effect = Literal["change", "destroy"]
Retry = Literal["never", "while busy"]
Risk = Literal["none", "write", "erase"]
RISK_WORDS: dict[Risk, str] = {"none": "reads", "write": "writes", "erase": "ERASES"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(Value):
    """One call of a program that only looks, as inert data."""

    argv: tuple[str, ...]
    """program and arguments"""
    good_exits: tuple[int, ...] = (0,)
    """exit codes with which it answers; with any other there is no answer"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading(Value):
    """A postcondition: the value that a read-only command must print; an exit code alone never proves it."""

    role: Role
    """what kind of thing it proves"""
    what: str
    """the sentence that must be true"""
    question: Question
    """what is asked"""
    key: str = ""
    """name of the value in the answer, from a NAME=value, `NAME = value` or `NAME : value` line; empty: all of it"""
    every: bool | None = None
    """True: the value is those of all lines with that name, separated by blanks; None: that of the first"""
    answer: str = ""
    """the value it must have, exactly; blanks and line ends around it do not count"""
    about: tuple[str, ...] = ()
    """paths of the disks of the plan that it is about"""

    @property
    def lasts(self) -> bool:
        """False when later steps may make it untrue."""
        return meaning(self.role).lasts

    @property
    def code(self) -> str:
        """Code of the finding when it is not so before anything is written."""
        return meaning(self.role).code

    @property
    def way_out(self) -> str:
        """What can be done then."""
        return meaning(self.role).way_out


@dataclass(frozen=True, slots=True, kw_only=True)
class Command(Value):
    """One program call that writes, as inert data; never a shell line."""

    kind: Literal["command"] = "command"
    argv: tuple[str, ...]
    """program and arguments"""
    effect: Effect
    """change: writes what can be undone; destroy: what was on the devices is gone"""
    devices: tuple[str, ...] = ()
    """every device that it names, in order; each must be the plan's right before it"""
    makes: str = ""
    """path of the device that it makes; where it is one of `devices`, nothing may be there before"""
    members: tuple[str, ...] = ()
    """those of `devices` that it makes members of an array, or zeroes for that; each must be blank right before it"""
    joins: str = ""
    """the array that `members` are added to; left out where they are in it already"""
    without_sync: bool = False
    """True: the array is marked in sync although its parity was not computed; for trials, and over zeroes"""
    retry: Retry = "never"
    """while busy: where it fails it is tried again, a few times; what has the device open may be gone by then"""
    good_exits: tuple[int, ...] = (0,)
    """exit codes that are not failures; the step's postconditions still verify success"""
    zeroed: tuple[int, int] | None = None
    """offset and length in bytes of what is zero on its one device afterwards; read back at once"""
    sampled: bool | None = None
    """True: of what it zeroes only both ends and the places between them are read back"""
    stdin: str | None = None
    """text for the program's standard input; None: standard input is closed"""
    passphrase: bool | None = None
    """True: its standard input is the passphrase, which is typed when a build begins and is kept nowhere"""
    by_name: bool = False
    """True: the program gets the plan's own paths, which it names files after or shows; it writes to none of them.
    False: it gets the device that each path was proven to lead to"""
    spare_of: str | None = None
    """UUID of the array whose spare each of `members` was: it is blank right before it but for that superblock"""
    place: str | None = None
    """mount point that it names in place of the first of `devices`, which must be what is mounted there"""
    only_if: Reading | None = None
    """left out unless this is so right before it: how an undo touches only what carries the plan's UUIDs"""
    done_if: Reading | None = None
    """if this holds after a failure, the command counts as done: systemd was faster"""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteFile(Value):
    """A text file, or the plan's own fenced block inside a file that others write too."""

    kind: Literal["file"] = "file"
    path: str
    """absolute path"""
    text: str
    """whole content, or the lines between the fences; empty with `fenced`: the block is taken out again"""
    fenced: bool = False
    """True: only the block between this plan's marker lines is ours, the rest of the file stays"""
    mode: int = 0o644
    """permission bits of a new file"""
    first: bool | None = None
    """True: the block stands at the beginning of the file, whose first statement of a kind wins; else at its end"""


Action = Command | WriteFile


@dataclass(frozen=True, slots=True, kw_only=True)
class PartInArray(Value):
    """The part that a device has in an array that runs, as md says it."""

    array: str
    """path of the array"""
    device: str
    """path of the disk or partition"""
    parts: tuple[MemberState, ...]
    """one of these; missing: it is no member of the array"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step(Value):
    """One thing done, why, to what, what must be true after it, and how it is undone.

    In the texts of a document @3 is the path of the disk with number 3, and @@ is @.
    """

    number: int
    """from 1, in order"""
    stage: Stage
    """what it is for"""
    title: str
    """what it does, in a few words"""
    purpose: str
    """why, in a sentence"""
    actions: Annotated[tuple[Action, ...], TABLES] = ()
    """in order; empty for a step that is only checks"""
    destroys: tuple[str, ...] = ()
    """identities of disks whose content is gone after it"""
    locks: tuple[str, ...] = ()
    """identities of disks whose advisory lock (flock, exclusive) is held throughout, so that udev leaves them alone;
    kept over neighbouring steps that lock the same"""
    after: Annotated[tuple[Reading, ...], TABLES] = ()
    """what must be true afterwards"""
    undo: Annotated[tuple[Action, ...], TABLES] = ()
    """what takes it back, in order; empty when nothing has to be"""
    undo_note: str = ""
    """what undoing cannot bring back"""
    before: tuple[PartInArray, ...] | None = None
    """parts that must be so right before its first command; else nothing of it is done"""
    then: tuple[PartInArray, ...] | None = None
    """parts that must be so afterwards, besides `after`"""
    waits_for: str | None = None
    """path of the array whose sync it waits for, until `then` and `after` are true; it has no action"""
    light: str | None = None
    """path of the disk whose bay it lights up until that disk is pulled; it has no action"""
    otherwise: str | None = None
    """what is reported where it cannot be done; the others go on. None: then it ends the act"""
    cut: str | None = None
    """what an interruption leaves here"""
    survives: int | None = None
    """failures of members, whichever they are, that the array survives during it; None: not known"""

    @property
    def risk(self) -> Risk:
        """How much it can hurt."""
        if self.destroys:
            return "erase"
        return "write" if self.actions else "none"

    @property
    def commands(self) -> tuple[Command, ...]:
        """Its actions that call a program."""
        return tuple(action for action in self.actions if isinstance(action, Command))

    @property
    def undo_commands(self) -> tuple[Command, ...]:
        """Those of its undo."""
        return tuple(action for action in self.undo if isinstance(action, Command))

    @property
    def makes(self) -> frozenset[str]:
        """Paths of the devices that it makes."""
        return frozenset(command.makes for command in self.commands if command.makes)


def partition_path(disk: str, number: int) -> str:
    """Path of a partition of the disk at a path below /dev/disk (udev's rules for links)."""
    return f"{disk}-part{number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanPartition(Value):
    """A partition that was on a disk when it was planned."""

    number: int
    """its number, from 1"""
    holds: str = ""
    """file system or other signature, label and UUID as lsblk shows them; empty when it has none"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanEntry(Value):
    """A partition that the plan creates, a member of an array."""

    partition_guid: str
    """GUID of the partition, lower case"""
    name: str
    """name of the partition"""
    start_bytes: int
    """start of the partition on the disk"""
    size_bytes: int
    """size of the partition"""


@dataclass(frozen=True, slots=True)
class PlanMember:
    """The device on a disk of the plan that becomes a member of an array: the disk itself, or one of its partitions."""

    path: str
    start_bytes: int
    """where it starts on the disk"""
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanTable(Value):
    """The GUID partition table that the plan creates on a disk, with the partitions that are members of arrays."""

    guid: str
    """GUID of the table, lower case; it proves that the table is the plan's"""
    partition_guid: str
    """GUID of the first partition, lower case"""
    name: str
    """name of the first partition"""
    start_bytes: int
    """start of the first partition on the disk"""
    size_bytes: int
    """size of the first partition"""
    more: tuple[PlanEntry, ...] | None = None
    """the partitions after it; None if it is the only one"""

    @property
    def entries(self) -> tuple[PlanEntry, ...]:
        """All partitions, number 1 first."""
        first = PlanEntry(
            partition_guid=self.partition_guid, name=self.name, start_bytes=self.start_bytes, size_bytes=self.size_bytes
        )
        return (first, *(self.more or ()))


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanDisk(NumberedDisk, PlacedDisk):
    """A disk bound by identity; every field is compared with the machine before anything is written."""

    path: str
    """stable device path"""
    wwn: str | None = None
    """world-wide name as the disk reports it; others may report the same"""
    size_bytes: int
    """capacity"""
    logical_sector_bytes: int
    """logical sector"""
    role: str
    """member of which array, spare, or journal"""
    content: tuple[DiskContent, ...] = ()
    """what was on it when it was planned; empty when it was blank"""
    fingerprint: str = ""
    """hash of its first and last MiB when it was planned; empty when it was blank"""
    partitions: tuple[PlanPartition, ...] = ()
    """what the kernel showed on it when it was planned"""
    lun: Lun | None = None
    """its geometry where it is a LUN, as stated when it was planned; None for a disk"""
    table: PlanTable | None = None
    """partition table that the plan creates; None: the whole disk is the member"""

    @property
    def own_wwn(self) -> str | None:
        """Its world-wide name unless other disks reported that too."""
        return own_wwn(self.id, self.wwn, self.serial)

    @property
    def bound_by_path(self) -> bool:
        """True where only the place at which it is attached names it."""
        return self.path.startswith(BY_PATH_LINKS)

    @property
    def is_map(self) -> bool:
        """True for a multipath map: it stands for all paths to the disk."""
        return self.path.startswith(MAP_LINKS)

    @property
    def members(self) -> tuple[PlanMember, ...]:
        """The devices that become members: the disk, or its partitions in order."""
        if self.table is None:
            return (PlanMember(self.path, 0, self.size_bytes),)
        return tuple(
            PlanMember(partition_path(self.path, number), entry.start_bytes, entry.size_bytes)
            for number, entry in enumerate(self.table.entries, start=1)
        )

    def member_of(self, array: PlanArray) -> PlanMember:
        """The device that is a member of `array`, one of the plan's that has a member or spare on this disk."""
        return self.members[(array.partition or 1) - 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanArray(Value):
    """An array the plan will create, with the UUID it will carry."""

    name: str
    """name without host"""
    device: str
    """path under /dev/md"""
    uuid: str
    """md UUID, four groups of eight hex digits with colons"""
    members: tuple[str, ...]
    """identities, in the order given to mdadm"""
    spares: tuple[str, ...]
    """identities"""
    partition: int | None = None
    """number of the partition of each of its disks that is its member; None: the disk, or its only partition"""
    journal: str | None = None
    """identity of the disk that carries its write journal, or path of the mirror that does; None: it has none"""

    @property
    def disks(self) -> tuple[str, ...]:
        """Identities of all: members, spares, what carries its journal."""
        return (*self.members, *self.spares, *(() if self.journal is None else (self.journal,)))


def journal_mirrors(arrays: Collection[PlanArray]) -> tuple[PlanArray, ...]:
    """Those of `arrays` that carry the write journal of another."""
    carriers = {array.journal for array in arrays}
    return tuple(array for array in arrays if array.device in carriers)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanFileSystem(Value):
    """A file system the plan will create."""

    device: str
    """block device it is made on"""
    uuid: str
    """its UUID"""
    label: str
    """its label; empty when none"""
    mount_point: str
    """where it is mounted"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanCrypt(Value):
    """A LUKS2 volume the plan will create, below a file system or a physical volume of LVM."""

    name: str
    """its name in device-mapper, and in crypttab"""
    device: str
    """block device that is encrypted"""
    uuid: str
    """UUID in its header"""
    backup: str
    """file that gets a copy of its header"""

    @property
    def path(self) -> str:
        """Path of what is opened."""
        return f"{MAPPED}{self.name}"


class Act(Protocol):
    """What the executor carries out: things by what they are, and steps. A plan, a replacement and an extension are."""

    @property
    def run_id(self) -> str:
        """Names its directory."""

    @property
    def digest(self) -> str:
        """What was confirmed."""

    @property
    def simulated(self) -> bool:
        """True if its disks are attached nowhere."""

    @property
    def disks(self) -> tuple[PlanDisk, ...]:
        """Disks that it may write to, by identity."""

    @property
    def arrays(self) -> tuple[PlanArray, ...]:
        """Arrays that it makes or changes, by UUID."""

    @property
    def members(self) -> tuple[str, ...]:
        """Paths of devices that were members of its arrays when it was made and may leave them: md knows them."""

    @property
    def volumes(self) -> Mapping[str, str]:
        """Device-mapper name of each volume that it makes or changes, by its path."""

    @property
    def lives(self) -> bool:
        """True if its arrays hold data and are in use meanwhile; False: it makes them, and nothing else uses them."""

    @property
    def steps(self) -> tuple[Step, ...]:
        """In order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(ShortForm):
    """Everything that will be done to which disks. Compiled, reviewed, exported; never changed."""

    WRITTEN_OUT: ClassVar[str] = "raidtui/plan/2"
    UNCONFIRMED: ClassVar[frozenset[str]] = frozenset({"made", "raidtui"})

    schema: Literal["raidtui/plan/3"] = "raidtui/plan/3"
    """format of this document"""
    made: str | None = field(default=None, compare=False)
    """when it was made: UTC, ISO 8601; the digest does not cover it, so that one design on the same disks has one"""
    raidtui: str | None = field(default=None, compare=False)
    """version that made it; the digest does not cover it"""
    run_id: str
    """names this plan; every UUID in it is derived from it"""
    name: str
    """base name of arrays, volume group and mount unit"""
    host: str
    """host name the arrays are made for"""
    machine_id: str | None = None
    """the machine it was planned on; None when planned away from it"""
    initramfs: Initramfs
    """how the machine rebuilds its initramfs, which also says where its mdadm.conf is"""
    simulated: bool
    """True when planned on a shipped chassis or a what-if purchase: its disks are attached nowhere"""
    design: Design
    """what was asked"""
    prediction: Prediction
    """what it will be"""
    disks: tuple[PlanDisk, ...]
    """every disk the plan may touch; in a document each has a `number`"""
    arrays: tuple[PlanArray, ...]
    """arrays it creates: those of the layout, the mirrors of their write journals, the outer stripe"""
    crypts: tuple[PlanCrypt, ...] | None = None
    """LUKS2 volumes it creates, one below each file system or one on each array; None where nothing is encrypted"""
    filesystems: tuple[PlanFileSystem, ...]
    """file systems it creates"""
    steps: tuple[Step, ...]
    """in order"""
    findings: tuple[Finding, ...]
    """what the admin should know"""
    digest: str
    """SHA-256 over everything else but `made` and `raidtui`, as canonical JSON of the form with every field written
    out, raidtui/plan/2"""
    alert: Alert | None = None
    """who hears of a failed disk; None: root of the machine"""
    first_sync_hours: float | None = None
    """of all arrays on idle disks; None where nothing is synced"""
    zeroing_hours: float | None = None
    """of the members, if they zero as fast as they write; None where the arrays are synced"""

    @property
    def data_arrays(self) -> tuple[PlanArray, ...]:
        """The arrays of its layout; none without md."""
        return self.arrays[: self.design.layout.arrays]

    @property
    def outer(self) -> PlanArray | None:
        """The stripe over them."""
        return self.arrays[-1] if isinstance(self.prediction.volume, StripeGeometry) else None

    @property
    def bound_by_path(self) -> bool:
        """True where it has a disk that only the place at which it is attached names."""
        return any(disk.bound_by_path for disk in self.disks)

    @property
    def volumes(self) -> Mapping[str, str]:
        """Device-mapper name of the volume over its arrays and of each encrypted one, by its path."""
        return {
            volume_of(self.name): mapped_name(self.name, VOLUME),
            **{crypt.path: crypt.name for crypt in self.crypts or ()},
        }

    @property
    def asks_passphrase(self) -> bool:
        """True if a command of its build reads a passphrase, which is typed when it begins."""
        return any(command.passphrase for step in self.steps for command in step.commands)

    @property
    def members(self) -> tuple[str, ...]:
        """None: its arrays do not exist before."""
        return ()

    @property
    def lives(self) -> bool:
        """False: nothing uses its arrays before they are finished."""
        return False


MAPPED = "/dev/mapper/"
"""directory of device-mapper's devices"""
VOLUME = "data"
"""name of a plan's logical volume"""


def volume_of(name: str) -> str:
    """Path of the logical volume of the plan with this name."""
    return f"/dev/{name}/{VOLUME}"


def mapped_name(group: str, volume: str) -> str:
    """Name in device-mapper of a logical volume: hyphens double (dm-names in lvm(8))."""
    return "-".join(word.replace("-", "--") for word in (group, volume))
