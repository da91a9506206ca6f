"""A build of many hosts: in which order they start, when it stops, and how far each host is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidtui.model.codec_rules import Value
from raidtui.model.run import RunStatus

HostStage = Literal[
    "waiting", "building", "built", "stopped", "interrupted", "failed", "refused", "other-machine", "lost", "undoing",
    "undone",
]  # fmt: skip
"""`waiting`: not started. `stopped`: an admin's request ended it. `interrupted`: its executor is gone in the middle.
`refused`: the host started nothing. `other-machine`: it is not the machine that its plan is for. `lost`: started, and
it has not answered since; what it does there goes on"""
ENDED_BADLY: frozenset[HostStage] = frozenset({"stopped", "interrupted", "failed", "refused", "other-machine", "lost"})
"""what counts towards the stop rule"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollout(Value):
    """The order of a build and its stop rule, confirmed together with the sheet."""

    schema: Literal["raidtui/rollout/1"] = "raidtui/rollout/1"
    """format of this document"""
    sheet_digest: str
    """of the sheet that was confirmed"""
    hosts: tuple[str, ...]
    """every host of the sheet that has a plan, each once"""
    canary: str
    """the host that is built first and alone"""
    wave_size: int
    """hosts that build at a time after the canary, at least 1"""
    stop_after: int
    """hosts that end badly before no further host is started, at least 1; the canary stops it alone"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutDecision(Value):
    """What the control host does next."""

    kind: Literal["start", "wait", "stop", "done"]
    """`stop`: no further host is started; those that build go on"""
    hosts: tuple[str, ...] = ()
    """which hosts to start, to wait for, or which are the reason to stop"""
    reason: str = ""
    """of a stop, a sentence"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetRunHost(Value):
    """How far one host is."""

    host: str
    """name by which it is reached"""
    stage: HostStage
    """how far it is"""
    reason: str = ""
    """steps done, and why it ended badly"""
    run: RunStatus | None = None
    """state of its run; None where it did not begin or does not answer"""
    control: str | None = None
    """control host that follows it"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetRun(Value):
    """How far every host of a sheet is."""

    schema: Literal["raidtui/fleet-run/1"] = "raidtui/fleet-run/1"
    """format of this document"""
    sheet_digest: str
    """of the sheet"""
    hosts: tuple[FleetRunHost, ...]
    """in the order of the sheet"""
