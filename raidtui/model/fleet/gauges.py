"""What the disks of many hosts do: the counters that a host answers, and the figures computed from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from raidtui.model.codec_rules import Value
from raidtui.model.fleet.hosts import HostProblem, HostState
from raidtui.model.gauges import Scene, Tick

HostCondition = Literal["no answer", "slow", "degraded", "slow disks", "running", "first answer"]
"""the worst first; `first answer`: rates need a second one"""


@dataclass(frozen=True, slots=True, kw_only=True)
class GaugesOrder(Value):
    """Content of a request for counters."""

    schema: Literal["raidtui/gauges-order/1"] = "raidtui/gauges-order/1"
    """format of this document"""
    scene: bool
    """answer disks and arrays too: the control host does not know them yet"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostArray(Value):
    """One md array of a host as it is at this moment."""

    state: str
    """array_state of the kernel"""
    degraded: int = 0
    """members missing"""
    sync_action: str = "idle"
    """idle, resync, recover, check, repair, reshape, frozen"""
    sync_done: float | None = None
    """share of the sync that is done, 0 to 1; None when there is none"""
    component_bytes: int = 0
    """bytes of each member that a sync passes; 0 where unknown"""
    thread_s: float = 0.0
    """processor time of its kernel threads since they started, seconds"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostCounters(Value):
    """What a host answers: raw counters, so that the rates are computed as those of the control host's own disks."""

    schema: Literal["raidtui/host-counters/1"] = "raidtui/host-counters/1"
    """format of this document"""
    boot: str
    """random text of this start of the host: after another one the counters begin at zero"""
    monotonic_s: float
    """the host's monotonic clock when the counters were read, seconds"""
    diskstats: str
    """the lines of /proc/diskstats of whole disks and arrays"""
    processor: tuple[int, int] = (0, 0)
    """time that all processors were busy, and all of it; clock ticks since the start"""
    arrays: dict[str, HostArray] = field(default_factory=dict)
    """by kernel name"""
    scene: Scene | None = None
    """its disks and arrays, where the order asks for them"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostGauges(Value):
    """One host at one tick."""

    host: str
    """name by which the control host reaches it"""
    scene: Scene | None = None
    """its disks and arrays; None until it answered"""
    tick: Tick | None = None
    """its last figures, over an interval that the host measured; None until it answered twice"""
    age_s: float | None = None
    """seconds since the figures arrived: 0 where they are of this tick; None without figures"""
    problem: HostProblem | None = None
    """why it did not answer this time; None when it did"""

    @property
    def fresh(self) -> bool:
        """True if the figures are of this tick."""
        return self.problem is None and self.age_s == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetTick(Value):
    """Every host at one tick."""

    time: float
    """seconds since 1970, UTC, by the control host's clock, when the last host had answered or failed"""
    seconds: float
    """since the tick before, by the control host's clock; the interval of the first: since the hosts were asked"""
    hosts: Mapping[str, HostGauges]
    """every host that is watched, in the order of the node set"""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedHost(Value):
    """A host in a line of raidtui fleet watch --json."""

    state: HostState
    """whether it answered this time, or why not"""
    condition: HostCondition
    """the worst that is known of it"""
    problem: str | None = None
    """why it did not answer, as a sentence; None when it did"""
    age_s: float | None = None
    """seconds since its last figures arrived; None: it did not answer twice"""
    below_peers: float | None = None
    """share that it stays below the median of its peers; None: it does not"""
    slow_disks: dict[str, float] = field(default_factory=dict)
    """share that each slow disk stays below its group, by kernel name"""
    tick: Tick | None = None
    """its figures; None where they are not new"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetWatchTick(Value):
    """A line of raidtui fleet watch --json."""

    schema: Literal["raidtui/fleet-watch-tick/1"] = "raidtui/fleet-watch-tick/1"
    """format of this document"""
    simulated: bool
    """no disk of these hosts has to do with it"""
    time: float
    """seconds since 1970, UTC, by the control host's clock, when the last host had answered or failed"""
    hosts: dict[str, WatchedHost]
    """every host that is watched, the worst first"""
