"""A plan: the disks it binds by identity, every UUID it will create, and its steps. What was reviewed is what runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidtui.model.codec_rules import STRICT
from raidtui.model.design import Design
from raidtui.model.finding import Finding
from raidtui.model.geometry import Prediction
from raidtui.model.inventory import DiskContent

Effect = Literal["read", "change", "destroy"]
Risk = Literal["none", "write", "erase"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One program call as inert data; never a shell line."""

    __pydantic_config__ = STRICT

    kind: Literal["command"] = "command"
    argv: tuple[str, ...]
    """program and arguments"""
    effect: Effect
    """read: looks; change: writes what can be undone; destroy: what was on the operands is gone"""
    good_exits: tuple[int, ...] = (0,)
    """exit codes that are no failure; success is still proven by the step's postconditions"""
    interruptible: bool = True
    """False when stopping it half-way leaves something behind"""
    zeroed: tuple[int, int] | None = None
    """offset and length in bytes of what is zero on its one operand afterwards; read back at once"""
    by_name: bool = False
    """True: the program gets the plan's own paths, which it names files after or shows; it writes to none of them.
    False: it gets the device that each path was proven to lead to"""
    only_if: Reading | None = None
    """left out unless this is so right before it: how an undo touches only what carries the plan's UUIDs"""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteFile:
    """A text file, or the plan's own fenced block inside a file that others write too."""

    __pydantic_config__ = STRICT

    kind: Literal["file"] = "file"
    path: str
    """absolute path"""
    text: str
    """whole content, or the lines between the fences; empty with `fenced`: the block is taken out again"""
    fenced: bool = False
    """True: only the block between this plan's marker lines is ours, the rest of the file stays"""
    mode: int = 0o644
    """permission bits of a new file"""


Action = Command | WriteFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A postcondition: what a read-only question must answer. Proven by reading back, never by an exit code."""

    __pydantic_config__ = STRICT

    what: str
    """the sentence that must be true"""
    question: Command
    """a command with effect `read`"""
    key: str
    """name of the value in the answer, from a NAME=value, `NAME = value` or `NAME : value` line; empty: all of it"""
    answer: str
    """the value it must have, exactly; blanks and line ends around it do not count"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing done, why, to what, what must be true after it, and how it is undone."""

    __pydantic_config__ = STRICT

    number: int
    """from 1, in order"""
    stage: str
    """check, save, wipe, create, volume, format, configure, mount, tune, verify"""
    title: str
    """what it does, in a few words"""
    purpose: str
    """why, in a sentence"""
    actions: tuple[Action, ...]
    """in order; empty for a step that is only checks"""
    destroys: tuple[str, ...] = ()
    """identities of disks whose content is gone after it"""
    locks: tuple[str, ...] = ()
    """identities of disks whose advisory lock (flock, exclusive) is held throughout, so that udev leaves them alone;
    kept over neighbouring steps that lock the same"""
    after: tuple[Reading, ...] = ()
    """what must be true afterwards"""
    undo: tuple[Action, ...] = ()
    """what takes it back, in order; empty when nothing has to be"""
    undo_note: str = ""
    """what undoing cannot bring back"""

    @property
    def risk(self) -> Risk:
        """How much it can hurt."""
        if self.destroys:
            return "erase"
        changes = any(not isinstance(action, Command) or action.effect != "read" for action in self.actions)
        return "write" if changes else "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanPartition:
    """A partition that was on a disk when it was planned."""

    __pydantic_config__ = STRICT

    number: int
    """its number, from 1"""
    holds: str = ""
    """file system or other signature, label and UUID as lsblk shows them; empty when it has none"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanDisk:
    """A disk bound by identity; every field is compared with the machine before anything is written."""

    __pydantic_config__ = STRICT

    id: str
    """identity"""
    path: str
    """stable device path"""
    wwn: str | None = None
    """world-wide name"""
    serial: str | None = None
    """serial number"""
    model: str | None = None
    """model string"""
    size_bytes: int
    """capacity"""
    logical_sector_bytes: int
    """logical sector"""
    role: str
    """member of which array, or spare"""
    place: str = ""
    """slot and enclosure in words, for the person who pulls it"""
    content: tuple[DiskContent, ...] = ()
    """what was on it when it was planned; empty when it was blank"""
    fingerprint: str = ""
    """hash of its first and last MiB when it was planned; empty when it was blank"""
    partitions: tuple[PlanPartition, ...] = ()
    """what the kernel showed on it when it was planned"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanArray:
    """An array the plan will create, with the UUID it will carry."""

    __pydantic_config__ = STRICT

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


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanFileSystem:
    """A file system the plan will create."""

    __pydantic_config__ = STRICT

    device: str
    """block device it is made on"""
    uuid: str
    """its UUID"""
    label: str
    """its label; empty when none"""
    mount_point: str
    """where it is mounted"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything that will be done to which disks. Compiled, reviewed, exported; never changed."""

    __pydantic_config__ = STRICT

    schema: Literal["raidtui/plan/1"] = "raidtui/plan/1"
    """format of this document"""
    run_id: str
    """names this plan; every UUID in it is derived from it"""
    name: str
    """base name of arrays, volume group and mount unit"""
    host: str
    """host name the arrays are made for"""
    machine_id: str | None = None
    """the machine it was planned on; None when planned away from it"""
    simulated: bool
    """True when planned on a shipped chassis or a what-if purchase: its disks are attached nowhere"""
    design: Design
    """what was asked"""
    prediction: Prediction
    """what it will be"""
    disks: tuple[PlanDisk, ...]
    """every disk the plan may touch"""
    arrays: tuple[PlanArray, ...]
    """arrays it creates, the outer stripe last"""
    filesystems: tuple[PlanFileSystem, ...]
    """file systems it creates"""
    steps: tuple[Step, ...]
    """in order"""
    findings: tuple[Finding, ...]
    """what the admin should know"""
    digest: str
    """SHA-256 over everything else in the plan"""
