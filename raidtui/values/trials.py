"""Trials before the decision: what was asked, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidtui.values.bench import Figure
from raidtui.values.choices import FileSystem
from raidtui.values.codec_rules import Value
from raidtui.values.notation import LayoutText

TrialOutcome = Literal["measured", "failed", "stopped", "not run"]
"""failed: it could not be built, measured or taken back, which its reason says"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant(Value):
    """One array to try."""

    number: int
    """from 1, in order"""
    name: str
    """chunk, file system and its options in words"""
    chunk_bytes: int
    """chunk"""
    fs: FileSystem
    """file system, with the plan's options"""
    mkfs: str = ""
    """options of mkfs, as --mkfs has them; empty for its own"""
    mount_options: str = ""
    """options of mount beyond those of every trial"""
    run_id: str
    """the run that builds its array and takes it back; trials that differ in options only share one"""
    plan_digest: str
    """of its plan"""
    volume_bytes: int
    """size of the volume that is measured"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning(Value):
    """All that is confirmed at once: which arrays are tried on which disks, one after the other."""

    schema: Literal["raidtui/tuning/1"] = "raidtui/tuning/1"
    """format of this document"""
    id: str
    """32 hex digits"""
    host: str
    """host name"""
    machine_id: str | None = None
    """/etc/machine-id"""
    simulated: bool
    """True when no such disks exist and every figure comes from the model"""
    layout: LayoutText
    """what is tried, canonical notation: without spares, and one array where arrays stay separate"""
    asked_layout: str
    """the layout to decide on"""
    slice_bytes: int
    """most that is used of each disk"""
    first_sync: bool
    """the first sync was waited for"""
    profile: str
    """workloads"""
    seconds: float | None = None
    """of each measurement; None: as the profile says"""
    repeats: int | None = None
    """of each measurement; None: as the profile says"""
    disks: tuple[str, ...]
    """identities"""
    variants: tuple[Variant, ...]
    """in order"""
    digest: str
    """SHA-256 over everything else here"""

    @property
    def arrays(self) -> int:
        """Number of arrays that are created one after the other."""
        return len({each.run_id for each in self.variants})

    @property
    def whole_disks(self) -> bool:
        """True if nothing limits the file systems to the slice: on one RAID0, or on one disk without md."""
        return any(each.volume_bytes > self.slice_bytes * len(self.disks) for each in self.variants)


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload(Value):
    """What one job came to on one variant."""

    job: str
    """name of the job in the profile"""
    title: str
    """the job in words"""
    figure: Figure
    """median, spread, repeats"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialResult(Value):
    """What came of one variant."""

    variant: int
    """its number"""
    outcome: TrialOutcome
    """how it ended"""
    reason: str = ""
    """why, where it was not measured"""
    undone: bool = True
    """its disks were proven zero at both ends and without a signature afterwards, or it was never begun"""
    bench: str = ""
    """id of the benchmark with its raw output; empty when the figures are simulated"""
    workloads: tuple[Workload, ...] = ()
    """in the order of the profile"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice(Value):
    """Which of several does best at one job, and by how much it is more than chance."""

    job: str
    """name of the job; empty: over all jobs together"""
    best: str
    """name of the variant; empty without a recommendation"""
    ties: tuple[str, ...] = ()
    """others whose measurements overlap with it: no difference was shown"""
    reason: str
    """in words"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneResult(Value):
    """All of it, complete or not."""

    schema: Literal["raidtui/tune-result/1"] = "raidtui/tune-result/1"
    """format of this document"""
    tuning: Tuning
    """what was asked"""
    trials: tuple[TrialResult, ...]
    """one a variant, in order"""
    outcome: Literal["running", "finished", "stopped", "failed"]
    """stopped: on request; failed: a trial failed, the others were not started"""
    reason: str = ""
    """why it did not finish"""
    advice: tuple[Advice, ...] = ()
    """for each job, then over all"""
    warnings: tuple[str, ...] = ()
    """limitations of these figures"""


# A drill: a member of a new array is failed on purpose, the rebuild is watched, and all is put back as it was.


Move = Literal[
    "fail", "await-rebuild", "remove-failed", "add-failed", "replace", "await-replace", "remove-spare", "add-spare",
    "check", "await-check", "verify", "done",
]  # fmt: skip
"""the next move, from the kernel's state of the members"""
DrillStage = Literal["rebuild", "replace", "check"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DrillAsk(Value):
    """What is asked; written before the first command."""

    schema: Literal["raidtui/drill/1"] = "raidtui/drill/1"
    """format of this document"""
    run_id: str
    """the run that built the array"""
    plan_digest: str
    """of its plan"""
    array: int
    """number of the array in the plan, from 0"""
    device: str
    """path of the array"""
    failed: str
    """identity of the member that is failed"""
    role: int
    """its place in the array"""
    restore: bool = True
    """the failed member gets its place back and the spare is a spare again; False: they stay exchanged"""
    with_data: bool = False
    """the admin accepted that the array may hold data"""
    profile: str = ""
    """workloads measured during the rebuild; empty for none"""
    seconds: float | None = None
    """of each measurement"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass(Value):
    """One pass of md over the members."""

    stage: DrillStage
    """rebuild onto the spare, copying back onto the member that was failed, check"""
    began: str
    """UTC, ISO 8601"""
    started_after_seconds: float = 0.0
    """from the command until md was seen at it; it starts by itself"""
    seconds: float
    """from there to its end, pauses included"""
    component_bytes: int
    """of each member"""
    bytes_per_s: float | None = None
    """of each member, mean over what was watched without other load; None when it was too quick to be watched"""
    loaded_bytes_per_s: float | None = None
    """the same while workloads ran"""
    watched_share: float = 0.0
    """how much of the pass the rates are from, 0 to 1"""
    whole: bool = True
    """False: it was under way when this executor came"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrillCompared(Value):
    """A figure of the drill and its prediction."""

    name: str
    """rebuild rate of a member, reading meanwhile"""
    unit: Literal["B/s", "h"]
    """of the values"""
    measured: float
    """seen"""
    predicted: float
    """by the model"""
    low: float | None = None
    """lower end of its band"""
    high: float | None = None
    """upper end"""
    ratio: float
    """measured over predicted"""
    note: str = ""
    """what to know"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrillResult(Value):
    """What it came to, complete or not; rewritten after every stage."""

    schema: Literal["raidtui/drill-result/1"] = "raidtui/drill-result/1"
    """format of this document"""
    ask: DrillAsk
    """what was asked"""
    simulated: bool
    """True when no such disks exist; rates then come from the model"""
    outcome: Literal["running", "finished", "stopped", "failed", "interrupted"]
    """how it ended"""
    reason: str = ""
    """why it did not finish"""
    began: str = ""
    """UTC, ISO 8601"""
    ended: str = ""
    """UTC, ISO 8601"""
    failed_serial: str = ""
    """serial number of the member that was failed"""
    spare: str = ""
    """identity of the spare that took its place; empty until it was seen"""
    spare_serial: str = ""
    """its serial number"""
    passes: tuple[Pass, ...] = ()
    """in order"""
    workloads: tuple[Workload, ...] = ()
    """measured while the rebuild ran; those without the label `syncing` began when it had ended already"""
    compared: tuple[DrillCompared, ...] = ()
    """beside the prediction"""
    mismatches: int | None = None
    """sectors that the check found not to fit; None before it ended"""
    restored: bool = False
    """every member has the place that the plan gave it"""
