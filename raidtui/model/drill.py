"""A drill: a member of a new array is failed on purpose, the rebuild is watched, and all is put back as it was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidtui.model.codec_rules import Value
from raidtui.model.tune import Workload

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
