"""What an audit of the md arrays of a machine found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidtui.model.codec_rules import Value
from raidtui.model.finding import Severity


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
