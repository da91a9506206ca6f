"""What a run of a plan writes down: one record for each thing that is about to happen and each that was proven."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidtui.values.codec_rules import Value
from raidtui.values.plan import Stage

RunPurpose = Literal["build", "resume", "undo", "drill", "replace", "extend", "tune"]
JobPurpose = RunPurpose | Literal["bench"]
"""what an executor does"""
DOING: dict[RunPurpose, str] = {
    "build": "building", "resume": "building", "undo": "undoing", "drill": "drilling", "replace": "replacing",
    "extend": "extending", "tune": "tuning",
}  # fmt: skip
"""what an executor does, in a word"""
RecordKind = Literal[
    "begun",
    "step",
    "sampled",
    "intent",
    "result",
    "proven",
    "cleaned",
    "kept",
    "paused",
    "waiting",
    "progress",
    "stopped",
    "failed",
    "finished",
]
StepState = Literal["waiting", "running", "done", "failed"]
RunOutcome = Literal["running", "finished", "stopped", "failed", "interrupted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(Value):
    """One line of the journal."""

    sequence: int
    """from 1, without gaps"""
    kind: RecordKind
    """begun: an executor took the run up; step: a step starts; sampled: what is between the ends of a disk that is
    about to be wiped, where that is not zero; intent: an action is about to run; result: it ended; proven: what must be
    true after the step was read back; cleaned: what an interrupted step left is gone; kept: an undo left a disk as it
    is, because what is on it is not the plan's; paused: a viewer asked for a pause; waiting: the executor waits for the
    arrays to be in sync or for md; progress: what it waited for is over; stopped, failed, finished: the executor ended
    """
    time: str
    """UTC, ISO 8601; for people only, order is by sequence"""
    boot: str
    """the kernel's boot id, so that a reboot between two records is seen"""
    purpose: RunPurpose = "build"
    """what the executor is for"""
    step: int = 0
    """number of the step; 0 outside of steps"""
    action: int = 0
    """number of the action in the step, from 1; 0 outside of actions"""
    stage: Stage | None = None
    """of an intent: what its step is for"""
    devices: tuple[str, ...] | None = None
    """of an intent: every device that the command names, by the plan's paths; of sampled: the one that was read"""
    file: str | None = None
    """the file that is written, where no command runs"""
    digest: str | None = None
    """of the plan, where an executor takes the run up"""
    argv: tuple[str, ...] = ()
    """the command; for a file that is written: write and its path"""
    exit: int | None = None
    """exit code of the command, None for a file; of a failed executor its own"""
    output: str = ""
    """file beside the journal with the whole output of the command"""
    text: str = ""
    """what was proven, or why it ended; of sampled: a hash of what was read"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEvent(Value):
    """A line of what `build --json`, `resume --json` and `undo --json` tell while they watch."""

    schema: Literal["raidtui/run-event/1"] = "raidtui/run-event/1"
    """format of this document"""
    run_id: str
    """of the plan"""
    simulated: bool
    """no disk of this machine has to do with it"""
    record: Record
    """what was written into the journal"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepProgress(Value):
    """One step as the journal has it."""

    number: int
    """of the step"""
    state: StepState
    """how far it is"""
    actions_done: int = 0
    """actions that ended"""
    seconds: float = 0.0
    """from its start to its last record, by the records' times"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run(Value):
    """A fold over the journal: all that is known of a run without looking at the machine."""

    purpose: RunPurpose
    """what the last executor was for"""
    outcome: RunOutcome
    """interrupted: the journal is incomplete and no process holds the lock"""
    steps: tuple[StepProgress, ...]
    """every step of the plan"""
    now: Record | None
    """the intent that runs, or the last record"""
    reason: str = ""
    """why it stopped or failed"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArraySync(Value):
    """An array of a run that is not in sync."""

    device: str
    """path under /dev/md"""
    action: str
    """resync, recover, check; pending, frozen, and held until the first write, while it waits"""
    done: float
    """share, 0 to 1"""
    bytes_per_s: int
    """of each member"""
    seconds_left: float | None = None
    """at that rate; None while it waits"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStatus(Value):
    """What a run came to, for scripts."""

    schema: Literal["raidtui/run/1"] = "raidtui/run/1"
    """format of this document"""
    run_id: str
    """of the plan; its first eight characters name the run"""
    plan: str
    """the plan's name"""
    host: str
    """the machine that the plan is for"""
    digest: str
    """of the plan"""
    simulated: bool
    """no disk of this machine has to do with it"""
    folder: str
    """directory of its plan, its journal and the output of its commands"""
    purpose: RunPurpose
    """what the last executor was for"""
    outcome: RunOutcome
    """interrupted: the journal is incomplete and no executor runs"""
    reason: str
    """why it stopped or failed"""
    anything_done: bool
    """an action was started, so there may be something to undo"""
    steps_done: int
    """steps that were proven"""
    steps: tuple[StepProgress, ...]
    """every step of the plan"""
    last: Record | None = None
    """the intent that runs, or the last record"""
    syncing: tuple[ArraySync, ...] = ()
    """arrays of the plan that sync now; file systems on them are usable"""
    left_behind: tuple[str, ...] = ()
    """what a killed executor changed outside of the steps and did not restore: what it is, and the command for it"""
    copy_of: str = ""
    """directory of the run that `folder` is a copy of, in a list of runs; empty for a run itself"""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobStatus(Value):
    """A replacement, extension, benchmark, series of trials or drill, and how far it is; in a table also a run."""

    kind: JobPurpose
    """what it does"""
    id: str
    """its name in commands: the first digits will do, of a replacement or an extension the directory's name, of a drill
    run and directory"""
    name: str
    """the plan, the array, the profile or the layout"""
    host: str
    """the machine that it is for; empty where that is the machine of its run"""
    simulated: bool
    """no disk of this machine has to do with it"""
    folder: str
    """its directory"""
    outcome: RunOutcome
    """how it ended, or running"""
    reason: str = ""
    """why it stopped or failed"""
    done: int
    """steps, figures, trials or passes that are done"""
    of: int
    """of how many"""
    last: str
    """when it was written to, UTC, ISO 8601; empty where that is not known"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunUnread(Value):
    """A job whose files cannot be read."""

    kind: str = "run"
    """run, change (a replacement or an extension), bench, tune or drill"""
    folder: str
    """its directory"""
    reason: str
    """what is wrong with it"""
    way_out: str
    """what can be done"""
    last: Record | None = None
    """the last record of its journal, where that can be read"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunList(Value):
    """All runs recorded on this machine."""

    schema: Literal["raidtui/runs/1"] = "raidtui/runs/1"
    """format of this document"""
    runs: tuple[RunStatus, ...]
    """the one written to last first, of each place where runs are kept"""
    unread: tuple[RunUnread, ...] = ()
    """jobs that cannot be read; they hide no other"""
    jobs: tuple[JobStatus, ...] = ()
    """all other work: replacements, extensions, benchmarks, trials, drills"""


# Survey of a plan's arrays: file systems with their content, and everything that is not the plan's.


ForeignKind = Literal[
    "logical-volume", "snapshot", "physical-volume", "volume-group", "luks", "swap", "file-system", "array",
    "partition", "loop", "device-mapper", "export", "mount", "namespace", "opener", "array-changed", "member", "path",
    "link", "data", "beside", "lines", "not roots", "unreadable",
]  # fmt: skip
"""logical-volume, snapshot: another one in the volume group of the plan; physical-volume: one in our group that is not
ours, or one of ours in another group; volume-group: of others, on our device; luks, swap, file-system, array: content
of that kind which the plan did not make; partition: a partition or a table; loop, device-mapper, export: a loop device,
a device-mapper or other block device, an LIO or NVMe target that uses ours; mount: mounted at another place, or hidden
by another mount; namespace: mounted in another mount namespace; opener: open without a user that was found;
array-changed: grown, reshaped or renamed; member: a device in our array that is not of the plan; path: a single path to
a multipath disk of the plan in its place; link: the path of a disk of the plan does not lead to it; data: bytes without
a signature; beside: on a disk of the plan, beside its superblock; lines: the plan's lines in a file that others write
too, which are not as they were written; not roots: a file that the undo writes, or a
mount point, which is not root's alone; unreadable: a question without an answer"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreign(Value):
    """Something on a device of the plan that the plan did not make; it forbids taking the plan back."""

    kind: ForeignKind
    """what it is"""
    device: str
    """the device or file that it is on, by the plan's path; empty when it is about the machine"""
    owner: str
    """its name: volume, group, mount point, process, array, signature with its offset; or why nothing could be read"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSystemSeen(Value):
    """A file system that the plan made, as it is now."""

    device: str
    """its block device, by the plan's path"""
    uuid: str
    """its UUID, which is the plan's"""
    type: str
    """xfs or ext4"""
    mount_point: str = ""
    """where it is mounted; empty when it is not mounted"""
    used_bytes: int | None = None
    """bytes in use as df shows them, metadata included; None when unknown"""
    files: int | None = None
    """inodes in use beyond those of a fresh file system: files, directories and links, also deleted ones that are
    still open; None when unknown"""
    at_least: bool = False
    """True when it was not unmounted cleanly: its superblock may count less than its log holds"""
    names: tuple[str, ...] = ()
    """first names in its top directory, at most eight, harmless; empty when it is not mounted"""
    entries: int = 0
    """all names in its top directory but lost+found; 0 when it is not mounted"""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsignedData(Value):
    """Data without a signature on an array or volume of the plan that runs; its owner is unknown."""

    device: str
    """the array or volume, by the plan's path"""
    at: int
    """where a place that is read holds it, bytes from the start"""

    def __str__(self) -> str:
        return f"{self.device}: data without a signature at byte {self.at}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing(Value):
    """One survey of the content and users of a plan's arrays."""

    filesystems: tuple[FileSystemSeen, ...] = ()
    """file systems of the plan that exist now"""
    unseen: tuple[str, ...] = ()
    """arrays and volumes of the plan that exist but do not run: what is on them cannot be read"""
    held: tuple[UnsignedData, ...] = ()
    """arrays and volumes of the plan that run without a signature and hold something between their ends"""
    foreign: tuple[Foreign, ...] = ()
    """everything that is not of the plan"""
    kept: tuple[str, ...] = ()
    """sentences about disks of the plan without its superblock that hold something or are not here: left as they are"""


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedLoss(Value):
    """What a person gave up before an undo was started; the executor finds nothing more than that, or refuses."""

    digest: str
    """digest of the plan"""
    standing: Standing
    """what the page showed"""
