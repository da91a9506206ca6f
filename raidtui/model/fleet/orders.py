"""The content of requests to build, resume or undo, and of the answers about a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidtui.model.codec_rules import Value
from raidtui.model.fleet.rollout import Rollout
from raidtui.model.plan import Plan
from raidtui.model.run import RunStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim(Value):
    """Which control host follows a run; kept by the host beside the run, so that another can take over."""

    control: str
    """name of the control host, for people"""
    token: str
    """32 random hex digits that tell control hosts apart"""
    since: str
    """when it began or took over, as 2026-01-31T12:00:00Z, by the control host's clock"""
    rollout: Rollout
    """the order of the whole build"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOrder(Value):
    """Build this plan. Told again about a run that has begun, the host starts nothing and answers how far it is."""

    schema: Literal["raidtui/build-order/1"] = "raidtui/build-order/1"
    """format of this document"""
    plan: Plan
    """the confirmed plan of this host"""
    claim: Claim
    """who follows it"""
    take_over: bool = False
    """replace the claim of another control host"""
    accept_content: tuple[str, ...] = ()
    """serial numbers and kinds of content that are given up"""
    during_sync: bool = False
    """build although other arrays sync, and make the file systems of RAID4 and RAID5 during their first sync"""
    wait_for_sync: bool = False
    """make file systems only when the first sync has ended"""
    speed_up: float | None = None
    """simulated hosts: factor of time"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOrder(Value):
    """Answer how far this run is, resume it, or undo it."""

    schema: Literal["raidtui/run-order/1"] = "raidtui/run-order/1"
    """format of this document"""
    run_id: str
    """of its plan"""
    digest: str
    """of its plan, which the host compares"""
    claim: Claim | None = None
    """who follows it from now on; None: only asks"""
    take_over: bool = False
    """replace the claim of another control host"""
    lose_files: str = "0"
    """undo: how many files on the arrays are given up, as the host counted them"""
    speed_up: float | None = None
    """simulated hosts: factor of time"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRun(Value):
    """How far a host is with the run that it was asked about."""

    schema: Literal["raidtui/host-run/1"] = "raidtui/host-run/1"
    """format of this document"""
    run: RunStatus | None = None
    """None: it did not begin there"""
    claim: Claim | None = None
    """who follows it"""
    files: str | None = None
    """`undo-look`: files that an undo would lose, `12` or `at least 1000`; None for none"""
