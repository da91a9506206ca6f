"""A benchmark of many hosts as it is ordered, what each host is asked about it, and what it answers."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

from raidtui.model.bench import Bench, BenchOutcome, BenchResult, Profile
from raidtui.model.codec_rules import Value
from raidtui.model.finding import Finding
from raidtui.model.units import MIB

Round = Literal["turns", "at-once"]
"""turns: one host after the other, each alone; at-once: all hosts together"""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderedHost(Value):
    """One host of the order."""

    host: str
    """name by which it is reached"""
    run_id: str | None = None
    """run on the host whose file systems are measured; None: the directory of the order"""
    digest: str | None = None
    """of the plan of that run"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetBenchOrder(Value):
    """What is measured where and how. Every host that begins keeps it, so that any control host can go on."""

    schema: Literal["raidtui/fleet-bench-order/1"] = "raidtui/fleet-bench-order/1"
    """format of this document"""
    id: str
    """32 random hex digits"""
    made: str
    """when it was ordered, as 2026-01-31T12:00:00Z, by the control host's clock"""
    control: str
    """control host, for people"""
    hosts: tuple[OrderedHost, ...]
    """each once"""
    rounds: tuple[Round, ...]
    """in this order, each once"""
    profile: Profile
    """what is run"""
    sheet_digest: str | None = None
    """of the sheet whose plans are measured; None: `directory` is"""
    directory: str | None = None
    """absolute directory that is measured on every host; None: what its plan built"""
    seconds: float | None = None
    """of each measurement; None: the profile's"""
    repeats: int | None = None
    """of each measurement; None: the profile's"""
    precondition: bool = False
    """flash: most of the free space is filled twice first"""
    during_sync: bool = False
    """measure although arrays sync"""
    simulated: bool = False
    """the hosts are simulated"""
    speed_up: float | None = None
    """simulated hosts: factor of time"""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the hosts."""
        return tuple(host.host for host in self.hosts)

    def bench_id(self, host: str, of: Round) -> str:
        """Id of the benchmark that `host` runs in a round."""
        return bench_id(self.id, host, of)


def bench_id(fleet_id: str, host: str, of: Round) -> str:
    """Id of the benchmark of a host in a round: the same whoever asks, so that none is started twice."""
    return hashlib.sha256(f"{fleet_id} {of} {host}".encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSlot(Value):
    """When the repeats of a job begin, all of them together on all hosts."""

    job: str
    """name in the profile"""
    ordinal: int
    """which of the host's tasks of that job, from 1: a job on each disk has many"""
    first_s: float
    """start of its first repeat, seconds after the common begin"""
    step_s: float
    """seconds from one repeat to the next"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchRequest(Value):
    """What one host is asked about its benchmark in a round."""

    schema: Literal["raidtui/bench-request/1"] = "raidtui/bench-request/1"
    """format of this document"""
    host: str
    """name of the host in the order"""
    round: Round
    """which round"""
    fleet_id: str
    """id of the order; for `bench-find` its first digits will do"""
    order: FleetBenchOrder | None = None
    """of `bench-look` and `bench`; the others need none, the host has kept it"""
    begin_s: float | None = None
    """`bench` at once: the common begin by the clock of this host, seconds since 1970; None: as soon as it can"""
    slots: tuple[JobSlot, ...] = ()
    """`bench` at once: when each job begins, after `begin_s`"""
    clock_ahead_s: float | None = None
    """`bench`: by how much this host's clock was ahead of the control host's, which gave `begin_s`; None if unknown"""
    clock_error_s: float | None = None
    """`bench`: half of the range in which `clock_ahead_s` lies"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchOutlook(Value):
    """What the benchmark would be on this host; nothing was started."""

    schema: Literal["raidtui/bench-outlook/1"] = "raidtui/bench-outlook/1"
    """format of this document"""
    bench: Bench
    """its tasks, disks and prediction"""
    findings: tuple[Finding, ...] = ()
    """with an error it must not start"""
    seconds: float
    """estimated"""
    bytes_used: int
    """space that it needs at most"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostBench(Value):
    """How far a host is with its benchmark."""

    schema: Literal["raidtui/host-bench/1"] = "raidtui/host-bench/1"
    """format of this document"""
    outcome: BenchOutcome | None = None
    """None: it did not begin there"""
    reason: str = ""
    """why it ended, where it did not finish"""
    begin_s: float | None = None
    """the common begin that it keeps to, by its own clock, or the clock of the machine that it simulates"""
    clock_ahead_s: float | None = None
    """as the order that began it stated"""
    clock_error_s: float | None = None
    """as the order that began it stated"""
    task: int = 0
    """number of the present task; 0 before the first"""
    tasks: int = 0
    """number of all tasks"""
    phase: str = ""
    """fill, precondition, repeat or waiting"""
    share: float = 0.0
    """share of the estimated time that is done, 0 to 1"""
    read_bytes_per_s: float = 0.0
    """of its disks, in the last second"""
    write_bytes_per_s: float = 0.0
    """of its disks, in the last second"""
    order: FleetBenchOrder | None = None
    """the order it follows, for `bench-find`"""


MOST_OUTPUT = 8 * MIB
"""bytes of fio's output of one repeat before compression; it has some 10 KiB"""
MOST_OUTPUTS = 64 * MIB
"""bytes of all outputs of a host"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RawOutput(Value):
    """What fio printed in one repeat."""

    task: int
    """number of the task"""
    repeat: int
    """from 1"""
    size_bytes: int
    """before compression"""
    sha256: str
    """of fio's output"""
    content: str
    """its output, compressed by zlib, in base64"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostBenchResult(Value):
    """The benchmark of one host as it is stored there."""

    schema: Literal["raidtui/host-bench-result/1"] = "raidtui/host-bench-result/1"
    """format of this document"""
    result: BenchResult
    """all of it"""
    begin_s: float | None = None
    """the common begin by the host's clock"""
    raw: tuple[RawOutput, ...] = ()
    """fio's output of every repeat"""
    left_out: int = 0
    """outputs that are not in `raw` because all together are too large; they stay on the host"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetBenchPreview(Value):
    """The answer of raidtui fleet bench --dry-run."""

    schema: Literal["raidtui/fleet-bench-preview/1"] = "raidtui/fleet-bench-preview/1"
    """format of this document"""
    order: FleetBenchOrder
    """what every host would get"""
    seconds: dict[Round, float]
    """estimated, of each round"""
    outlooks: dict[str, BenchOutlook]
    """by host"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetBenchList(Value):
    """The answer of raidtui fleet bench --list."""

    schema: Literal["raidtui/fleet-bench-list/1"] = "raidtui/fleet-bench-list/1"
    """format of this document"""
    orders: tuple[FleetBenchOrder, ...]
    """benchmarks that were ordered from here"""
