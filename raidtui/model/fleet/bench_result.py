"""A benchmark of many hosts as it was measured: beside the prediction, host by host and in sum, with its outliers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidtui.model.bench import Label, TargetKind, Unit, Verdict
from raidtui.model.codec_rules import Value
from raidtui.model.finding import Finding
from raidtui.model.fleet.bench_order import FleetBenchOrder, Round

BenchStage = Literal["waiting", "running", "finished", "stopped", "failed", "interrupted", "refused", "lost"]
"""`waiting`: not started. `interrupted`: its process is gone in the middle. `refused`: the host started nothing.
`lost`: started, and it has not answered since; what it does there goes on"""
BENCH_ENDED_BADLY: frozenset[BenchStage] = frozenset({"stopped", "failed", "interrupted", "refused", "lost"})
"""stages after which a figure of this host is missing"""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredHost(Value):
    """One host in one round."""

    host: str
    """name"""
    round: Round
    """which round"""
    bench_id: str
    """of its benchmark, as `raidtui bench --list` there names it"""
    stage: BenchStage
    """how it ended"""
    reason: str = ""
    """why, where it did not finish"""
    layout: str = ""
    """canonical notation of what was measured; empty where unknown"""
    plan_digest: str = ""
    """of the plan it was built by; empty where it was built otherwise"""
    figures: int = 0
    """tests with a figure"""
    tests: int = 0
    """all tests"""
    raw_outputs: int = 0
    """outputs of fio that were fetched"""
    left_out: int = 0
    """outputs of fio that were too large together and stay on the host"""
    clock_ahead_s: float | None = None
    """by how much its clock was ahead of the control host's when it was ordered to begin; None if unknown"""
    clock_error_s: float | None = None
    """half of the range in which `clock_ahead_s` lies"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostFigure(Value):
    """What one host measured of a test."""

    host: str
    """name"""
    measured: float
    """median of its repeats"""
    spread: float
    """(highest - lowest) / median of its repeats"""
    predicted: float | None = None
    """None if the model has no such figure"""
    low: float | None = None
    """lower end of the band"""
    high: float | None = None
    """upper end of the band"""
    ratio: float | None = None
    """measured over predicted"""
    verdict: Verdict
    """of the measured figure"""
    labels: tuple[Label, ...] = ()
    """of any repeat"""
    began_after_s: float | None = None
    """start of its first repeat after the common begin, seconds; None in turns"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetFigure(Value):
    """One test on all hosts of a round."""

    round: Round
    """which round"""
    job: str
    """name in the profile"""
    title: str
    """in words"""
    target: TargetKind
    """what it ran on"""
    unit: Unit
    """of all values"""
    hosts: tuple[HostFigure, ...]
    """those that have the figure, in the order of the hosts"""
    missing: tuple[str, ...] = ()
    """hosts without the figure: a sum is without them"""
    sum: float
    """at once: median over the repeats of the sum of all hosts in a repeat; in turns: sum of the hosts' medians"""
    predicted: float | None = None
    """sum of the predictions of these hosts; None if one has none"""
    low: float | None = None
    """sum of the lower ends: alike hosts err alike, so the ends add"""
    high: float | None = None
    """sum of the upper ends"""
    ratio: float | None = None
    """sum over predicted"""
    verdict: Verdict
    """of the sum"""
    labels: tuple[Label, ...] = ()
    """of any host; `partial` also where a host is missing, or where the hosts began too far apart"""
    began_within_s: float | None = None
    """at once: seconds between the first and the last host's start, of the repeat where they were furthest apart"""
    began_error_s: float | None = None
    """by so much that may be wrong: the clocks of two hosts"""
    together: float | None = None
    """at once: share of a repeat in which all hosts measured, of the worst repeat, 0 to 1"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlier(Value):
    """A host whose figure is far from those of alike hosts."""

    round: Round
    """which round"""
    host: str
    """name"""
    job: str
    """name in the profile"""
    title: str
    """in words"""
    unit: Unit
    """of measured, median and mad"""
    measured: float
    """its figure"""
    median: float
    """of the alike hosts, itself included"""
    mad: float
    """median of their absolute distances from `median`"""
    peers: int
    """alike hosts, itself included"""
    share: float
    """measured over median"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetSlowDisk(Value):
    """A disk slower than its peers."""

    round: Round
    """which round"""
    host: str
    """name"""
    disk: str
    """identity"""
    place: str
    """slot and serial number in words"""
    job: str
    """test that shows it"""
    peers: Literal["disks of its model in the fleet", "disks of its host"]
    """what it is compared with: measured alone, with all disks of its model on all hosts; else by its host's gauges"""
    share: float | None = None
    """its rate over the median of its peers; None by the gauges"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Together(Value):
    """One test with each host alone and with all at once: does the sum hold up?"""

    job: str
    """name in the profile"""
    title: str
    """in words"""
    unit: Unit
    """of alone and at_once"""
    alone: float
    """sum of the hosts' figures, each measured alone"""
    at_once: float
    """sum of all hosts at once"""
    ratio: float
    """at_once over alone"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetBench(Value):
    """A benchmark of many hosts and what came of it."""

    schema: Literal["raidtui/fleet-bench/1"] = "raidtui/fleet-bench/1"
    """format of this document"""
    order: FleetBenchOrder
    """what was ordered"""
    hosts: tuple[MeasuredHost, ...]
    """every host in every round"""
    figures: tuple[FleetFigure, ...]
    """every test that each host ran once, round by round in the order of the profile"""
    outliers: tuple[Outlier, ...] = ()
    """hosts far from their peers"""
    slow_disks: tuple[FleetSlowDisk, ...] = ()
    """disks slower than their peers"""
    together: tuple[Together, ...] = ()
    """where hosts were measured both alone and at once"""
    findings: tuple[Finding, ...] = ()
    """what to know, the gravest first"""

    @property
    def finished(self) -> bool:
        """True if every host finished every round."""
        return all(host.stage == "finished" for host in self.hosts)
