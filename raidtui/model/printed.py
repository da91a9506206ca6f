"""What a verb prints for programs: texts as documents, lines of live gauges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidtui.model.codec_rules import Value
from raidtui.model.finding import Finding
from raidtui.model.gauges import Tick

ScriptForm = Literal["build", "undo", "runbook"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptText(Value):
    """A plan as a bash script or as a Markdown document."""

    schema: Literal["raidtui/script/1"] = "raidtui/script/1"
    """format of this document"""
    form: ScriptForm
    """build and undo are bash scripts, runbook is a Markdown document"""
    plan_digest: str
    """digest of the plan"""
    text: str
    """content of the file that raidtui plan --out writes"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpText(Value):
    """An answer of raidtui help."""

    schema: Literal["raidtui/help/1"] = "raidtui/help/1"
    """format of this document"""
    topic: str | None = None
    """topic or verb that is explained; None: none was named"""
    text: str
    """the explanation; the list of topics where none was named"""
    topics: tuple[str, ...]
    """topics that are explained"""
    verbs: tuple[str, ...]
    """verbs whose options are explained"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings(Value):
    """Why a build, a resume or an undo does not start, on standard output of --json."""

    schema: Literal["raidtui/findings/1"] = "raidtui/findings/1"
    """format of this document"""
    findings: tuple[Finding, ...]
    """the errors, and what else was found"""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchTick(Value):
    """A line of raidtui watch --json."""

    schema: Literal["raidtui/watch-tick/1"] = "raidtui/watch-tick/1"
    """format of this document"""
    simulated: bool
    """no disk of this machine has to do with it"""
    tick: Tick
    """what every disk and array did"""
