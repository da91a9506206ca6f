"""Polls the gauges of many hosts: each answers its raw counters and its own clock, and nothing of ours stays there.

A poll starts one ssh a host, through the admin's own configuration: where that keeps a connection open (ControlMaster,
ControlPersist), a poll costs one session on it. What it costs is in tests/benchmarks/FLEET.md.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from raidtui.machine.fleet.archive import look_carrier
from raidtui.machine.fleet.ask import HostReply, ask, new_request
from raidtui.machine.fleet.transport import Transport
from raidtui.model.choices import Carry
from raidtui.model.codec import from_json, to_json
from raidtui.model.errors import BadInput
from raidtui.model.fleet.exchange import HostRequest
from raidtui.model.fleet.gauges import FleetTick, GaugesOrder, HostCounters, HostGauges
from raidtui.model.fleet.hosts import HostProblem
from raidtui.model.gauges import Scene, Tick
from raidtui.model.units import MIB
from raidtui.planner.fleet.host_rates import HostRates, require_scene_ranges

MOST_OUTPUT = 8 * MIB
"""bytes of one answer: 4,096 disks with their places take some 3"""
AskHosts = Callable[[Mapping[str, HostRequest], Transport, Callable[[HostReply], None]], None]


@dataclass(slots=True)
class _Host:
    """What is known of one host."""

    rates: HostRates = field(default_factory=HostRates)
    scene: Scene | None = None
    devices: frozenset[str] | None = None
    """disks and arrays that it had when it answered the scene; None before"""
    tick: Tick | None = None
    arrived_s: float = 0.0
    """when the figures arrived, monotonic"""
    problem: HostProblem | None = None
    carried: bool = False
    """raidtui is carried over with each poll"""


class FleetTicks:
    """The gauges of many hosts. The caller sets the rate by calling `take`; nothing runs in between."""

    def __init__(
        self,
        hosts: Sequence[str],
        transport: Transport,
        carry: Carry = "never",
        *,
        asking: AskHosts = ask,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`asking`: sends the requests. Where `carry` says so, what a poll needs is carried to the host each time."""
        self._over = threading.Event()
        self._transport = replace(transport, most_output=MOST_OUTPUT, given_up=self._over.is_set)
        self._carry, self._asking, self._clock = carry, asking, clock
        always = carry == "always" and transport.simulated is None
        self._hosts = {host: _Host(carried=always) for host in hosts}
        self._then = clock()

    @property
    def simulated(self) -> bool:
        """True if no host is real."""
        return self._transport.simulated is not None

    @property
    def hosts(self) -> Sequence[str]:
        """The hosts that are asked."""
        return tuple(self._hosts)

    def give_up(self) -> None:
        """Ends a `take` that runs in another thread, and all processes that it started."""
        self._over.set()

    def take(self) -> FleetTick:
        """Asks every host once; returns when the last one has answered or failed. Raises GivenUp after `give_up`."""
        before = {host: known.tick for host, known in self._hosts.items()}
        for carried in (False, True):
            self._poll([host for host, known in self._hosts.items() if known.carried is carried], carried=carried)
        if self._carry == "missing":
            missing = [host for host, known in self._hosts.items() if not known.carried and _absent(known)]
            for host in missing:
                self._hosts[host].carried = True
            self._poll(missing, carried=True)
        now = self._clock()
        seconds, self._then = max(now - self._then, 0.001), now
        return FleetTick(
            time=time.time(),
            seconds=seconds,
            hosts={host: _gauges(host, known, before[host], now) for host, known in self._hosts.items()},
        )

    def _poll(self, hosts: Sequence[str], *, carried: bool) -> None:
        if not hosts:
            return
        transport = replace(self._transport, carrier=look_carrier()) if carried else self._transport
        requests = {
            host: new_request(
                "gauges", host, to_json(GaugesOrder(scene=_is_stale(self._hosts[host])), indent=None)
            )
            for host in hosts
        }  # fmt: skip
        self._asking(requests, transport, self._replied)

    def _replied(self, reply: HostReply) -> None:
        known, answer = self._hosts[reply.host], reply.answer
        if isinstance(answer, HostProblem):
            known.problem = answer
            return
        try:
            counters = from_json(HostCounters, answer.content, source="its answer")
            if counters.scene is not None:
                require_scene_ranges(counters.scene)
            elif known.scene is None:
                raise BadInput("its answer: it does not name its disks", hint="install the same version on all hosts")
            tick = known.rates.add(counters, answer.time_s)
        except BadInput as problem:
            known.problem = HostProblem(state="garbage", sentence=str(problem), hint=problem.hint)
            return
        known.problem = None
        if counters.scene is not None:
            known.scene = replace(counters.scene, host=reply.host, simulated=self.simulated)
            known.devices = known.rates.devices
        if tick is not None:
            known.tick, known.arrived_s = tick, self._clock()


def _is_stale(known: _Host) -> bool:
    """True if its disks are to be asked for: it never told them, or others came since."""
    return known.devices is None or known.devices != known.rates.devices


def _absent(known: _Host) -> bool:
    return known.problem is not None and known.problem.state == "absent"


def _gauges(host: str, known: _Host, before: Tick | None, now: float) -> HostGauges:
    fresh = known.tick is not None and known.tick is not before and known.problem is None
    age = None if known.tick is None else 0.0 if fresh else max(now - known.arrived_s, 0.001)
    return HostGauges(host=host, scene=known.scene, tick=known.tick, age_s=age, problem=known.problem)
