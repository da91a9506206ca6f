"""What the hosts of a sheet say before anything is built: each checks its own plan on its own disks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidtui.model.codec_rules import Value
from raidtui.model.finding import Finding

CheckVerdict = Literal["ready", "refused", "stale", "begun", "no answer"]
"""refused: for a reason that can be changed there; stale: only a new plan helps; begun: a build of this plan was
started there"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostCheck(Value):
    """What one host found."""

    schema: Literal["raidtui/host-check/1"] = "raidtui/host-check/1"
    """format of this document"""
    findings: tuple[Finding, ...] = ()
    """of the checks that a build makes before it writes anything, the gravest first"""
    begun: bool = False
    """True: a build of this plan was started there, so nothing was checked"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedHost(Value):
    """One host of the sheet."""

    host: str
    """name"""
    verdict: CheckVerdict
    """whether it is ready to build its plan"""
    sentence: str = ""
    """why it is not; empty when it is ready"""
    hint: str = ""
    """what to do then"""
    findings: tuple[Finding, ...] = ()
    """everything that it found, warnings and notes too"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetCheck(Value):
    """The answers of all hosts that were asked."""

    schema: Literal["raidtui/fleet-check/1"] = "raidtui/fleet-check/1"
    """format of this document"""
    sheet_digest: str
    """of the sheet whose plans were checked"""
    hosts: tuple[CheckedHost, ...]
    """each host once, in the order of the sheet"""

    @property
    def ready(self) -> bool:
        """True if every host is."""
        return all(host.verdict == "ready" for host in self.hosts)
