"""Findings about a design or plan: errors, warnings and notes, each with a hint."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from raidtui.model.codec_rules import Value

Severity = Literal["error", "warning", "note"]
"""gravest first: this is their one order"""
_ORDER: tuple[Severity, ...] = get_args(Severity)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(Value):
    """One finding about a design or plan."""

    severity: Severity
    """error: refused until changed; warning: allowed but risky; note: information"""
    code: str
    """stable word for scripts and tests, such as `spare-too-small`"""
    message: str
    """what is wrong, with the figures, in one sentence"""
    way_out: str
    """what the admin can do about it"""
    subject: str = ""
    """what it is about: a disk's identity, an array's name, an option; empty when the whole"""


def gravest_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """`findings` by severity, those of one severity in the order they came."""
    return tuple(sorted(findings, key=lambda finding: _ORDER.index(finding.severity)))


def refused(findings: Sequence[Finding]) -> bool:
    """True if any finding is an error."""
    return bool(errors(findings))


def first_of(findings: Sequence[Finding]) -> str:
    """The message of the first finding, and how many more there are."""
    more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
    return f"{findings[0].message}{more}"


def errors(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings of severity error."""
    return tuple(finding for finding in findings if finding.severity == "error")


def warnings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Those of them that allow going on and make it unwise."""
    return tuple(finding for finding in findings if finding.severity == "warning")
