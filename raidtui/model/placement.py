"""Which disk goes to which array, and what the loss of each failure domain costs: a certificate anyone can check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidtui.model.codec_rules import Value
from raidtui.model.finding import Finding

DomainKind = Literal["enclosure", "controller", "expander", "drawer"]
DomainVerdict = Literal["survives", "degraded", "lost"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate(Value):
    """What happens to the arrays when one failure domain goes away whole."""

    kind: DomainKind
    """what sort of domain"""
    domain: str
    """its name as the inventory has it"""
    members_lost: tuple[int, ...]
    """members that each array loses, in order"""
    spares_lost: int
    """hot spares that go with it"""
    verdict: DomainVerdict
    """survives: no array loses a member; degraded: every array keeps its data; lost: an array does not"""
    reason: str
    """the count that decides it, in words"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement(Value):
    """Disks in the order that `members.dealt` takes them, and what each domain's loss costs."""

    disks: tuple[str, ...]
    """identities: members of array 0, of array 1, ..., then spares"""
    certificates: tuple[Certificate, ...]
    """one for each domain that holds a chosen disk, worst first"""
    findings: tuple[Finding, ...]
    """laggards, worn disks, domains that no placement survives and the nearest that would"""
