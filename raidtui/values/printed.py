"""What a verb prints for programs: texts as documents, lines of live gauges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidtui.values.bench import Bench, Profile
from raidtui.values.codec_rules import Value
from raidtui.values.findings import Finding
from raidtui.values.gauges import Tick
from raidtui.values.trials import Tuning

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


# What verbs that measure print for programs before they start anything, and the lists of what is stored.


@dataclass(frozen=True, slots=True, kw_only=True)
class StartedCommand(Value):
    """A program that a benchmark would start."""

    task: int
    """number of its task"""
    folder: str
    """directory that it is started in; empty: none"""
    argv: tuple[str, ...]
    """the program and its arguments"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchPreview(Value):
    """An answer of raidtui bench that starts nothing: to --dry-run, or where a finding forbids the start."""

    schema: Literal["raidtui/bench-preview/1"] = "raidtui/bench-preview/1"
    """format of this document"""
    bench: Bench
    """its tasks, disks and prediction"""
    seconds: float
    """estimated"""
    bytes_used: int
    """space that it needs at most"""
    findings: tuple[Finding, ...] = ()
    """with an error it does not start"""
    simulated: bool
    """no disk of this machine has to do with it"""
    commands: tuple[StartedCommand, ...] = ()
    """each command once; none on simulated disks"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchList(Value):
    """The answer of raidtui bench --list."""

    schema: Literal["raidtui/bench-list/1"] = "raidtui/bench-list/1"
    """format of this document"""
    profiles: tuple[Profile, ...]
    """those that raidtui brings"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningPreview(Value):
    """The answer of raidtui tune --dry-run."""

    schema: Literal["raidtui/tuning-preview/1"] = "raidtui/tuning-preview/1"
    """format of this document"""
    tuning: Tuning
    """its trials and its digest"""
    seconds: float
    """estimated"""
    commands: tuple[tuple[tuple[str, ...], ...], ...]
    """every command of each trial"""
