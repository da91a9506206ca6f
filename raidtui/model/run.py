"""What a run of a plan writes down: one record for each thing that is about to happen and each that was proven."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidtui.model.codec_rules import Value
from raidtui.model.plan import Stage

RunPurpose = Literal["build", "resume", "undo", "drill", "replace", "extend"]
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
class RunUnread(Value):
    """A run whose files cannot be read."""

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
    """runs that cannot be read; they hide no other"""
