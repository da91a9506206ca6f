"""What verbs that measure print for programs before they start anything, and the lists of what is stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidtui.model.bench import Bench, Profile
from raidtui.model.codec_rules import Value
from raidtui.model.finding import Finding
from raidtui.model.tune import TuneResult, Tuning


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
class StoredBench(Value):
    """A line of the list of benchmarks."""

    id: str
    """of the benchmark"""
    started: str
    """UTC, ISO 8601"""
    host: str
    """the machine that was measured"""
    outcome: str
    """how it ended, or running"""
    profile: str
    """name of its profile"""
    simulated: bool
    """no disk of this machine has to do with it"""
    figures: int
    """measurements that are stored"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchList(Value):
    """The answer of raidtui bench --list."""

    schema: Literal["raidtui/bench-list/1"] = "raidtui/bench-list/1"
    """format of this document"""
    profiles: tuple[Profile, ...]
    """those that raidtui brings"""
    benches: tuple[StoredBench, ...]
    """those stored on this machine"""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningList(Value):
    """The answer of raidtui tune --list."""

    schema: Literal["raidtui/tuning-list/1"] = "raidtui/tuning-list/1"
    """format of this document"""
    tunings: tuple[TuneResult, ...]
    """those stored on this machine"""
