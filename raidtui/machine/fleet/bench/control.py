"""Runs a benchmark on many hosts: looks, orders, follows, fetches. All state is on the hosts.

A control host that is killed loses its view; the same or another one asks the hosts for the order and goes on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from raidtui.machine.bench import store
from raidtui.machine.fleet.ask import HostReply, ask_each, document_in
from raidtui.machine.fleet.bench.files import host_folder, keep_result, kept_result
from raidtui.machine.fleet.follow import MOST_ORDERS, HostFollower, HostProgress, HostWork
from raidtui.machine.fleet.transport import Transport
from raidtui.model.errors import RaidtuiError
from raidtui.model.fleet.bench_order import (
    BenchOutlook,
    BenchRequest,
    FleetBenchOrder,
    HostBench,
    HostBenchResult,
    JobSlot,
    Round,
)
from raidtui.model.fleet.bench_result import BenchStage, FleetBench, MeasuredHost
from raidtui.model.fleet.hosts import HostProblem
from raidtui.model.fleet.kinds import RequestKind
from raidtui.model.safe import safe
from raidtui.planner.fleet.bench.measured import HostResult, fleet_bench
from raidtui.planner.fleet.bench.schedule import schedule
from raidtui.planner.fleet.stage import bench_stage_of

INTERVAL_S = 5.0
"""seconds between two questions to a host that measures"""
_LEAST_LEAD_S = 5.0
"""least seconds between the orders and the common begin"""
_LEAD = 3.0
"""the slowest answer so far is multiplied by this: each host must have its order before the common begin"""
_AT_ONCE = 64
"""hosts that are asked at the same time, where no fan-out is given (ClusterShell's default)"""
RoundFollower = HostFollower[BenchStage, HostBench]
BENCH: HostWork[BenchStage, HostBench] = HostWork(
    order="bench", status="bench-status", answer=HostBench, stage_of=bench_stage_of,
    detail_of=lambda state: state.reason, begun="running", busy=frozenset({"running"}),
)  # fmt: skip


class FleetBenchView:
    """The view of one control host."""

    def __init__(self, *, transport: Transport, order: FleetBenchOrder, interval_s: float = INTERVAL_S) -> None:
        self.transport = transport
        self.order = order
        self.rounds: Mapping[Round, RoundFollower] = {of: self._follower(of, interval_s) for of in order.rounds}
        """the hosts in each round"""
        self.clocks: dict[str, tuple[float, float]] = {}
        """least and most seconds by which each host's clock is ahead"""
        self._slowest_s = 0.0

    def _follower(self, of: Round, interval_s: float) -> RoundFollower:
        return HostFollower(
            work=BENCH, transport=self.transport, question=lambda host: self._bare(host, of), interval_s=interval_s,
            on_reply=self._timed,
        )  # fmt: skip

    @property
    def progress(self) -> dict[tuple[Round, str], HostProgress[BenchStage, HostBench]]:
        """How far every host is that was asked, in each round."""
        return {(of, host): each for of, hosts in self.rounds.items() for host, each in hosts.progress.items()}

    def outlooks(self) -> dict[str, BenchOutlook | HostProblem]:
        """What the benchmark would be on every host; starts nothing."""
        of = self.order.rounds[0]
        found: dict[str, BenchOutlook | HostProblem] = {}

        def replied(reply: HostReply) -> None:
            found[reply.host] = document_in(BenchOutlook, reply)

        self._ask("bench-look", {host: self._request(host, of) for host in self.order.names}, replied)
        return {host: found[host] for host in self.order.names}

    def look(self, of: Round, hosts: Iterable[str]) -> None:
        """Asks hosts how far they are in a round."""
        self.rounds[of].look(hosts)

    def stop(self, of: Round, hosts: Iterable[str]) -> None:
        """Asks hosts to end their benchmark of a round and to remove its files."""
        self.rounds[of].ask("bench-stop", hosts, lambda host: self._bare(host, of))

    def run(self, of: Round, outlooks: Mapping[str, BenchOutlook], *, pause: Callable[[float], None]) -> None:
        """Runs a round, or what is left of it, to its end, and fetches what was measured.

        A round at once that began goes on without hosts that did not: alone they would measure something else.
        """
        self.look(of, self.order.names)
        waiting = [host for host in self.order.names if self.rounds[of].stage(host) == "waiting"]
        if of == "turns":
            for host in self.order.names:
                if host in waiting:
                    self._order(of, {host: self._request(host, of)})
                self.rounds[of].wait(self.order.names, pause=pause)
                self.fetch(of, [host])
            return
        if len(waiting) == len(self.order.names):
            self._begin_together(of, outlooks)
        self.rounds[of].wait(self.order.names, pause=pause)
        self.fetch(of, self.order.names)

    def fetch(self, of: Round, hosts: Iterable[str]) -> None:
        """Stores what these hosts measured, unless that was done after their end."""
        began = [host for host in hosts if self.rounds[of].stage(host) not in ("waiting", "refused", "running")]
        wanted = [host for host in began if not self._is_kept(of, host)]

        def replied(reply: HostReply) -> None:
            found = document_in(HostBenchResult, reply)
            if isinstance(found, HostProblem):
                self._not_fetched(of, reply.host, found.sentence, found.hint)
                return
            try:
                keep_result(self.order, reply.host, of, found)
            except RaidtuiError as problem:
                self._not_fetched(of, reply.host, str(problem), problem.hint)

        self._ask("bench-result", {host: self._bare(host, of) for host in wanted}, replied)

    def _not_fetched(self, of: Round, host: str, why: str, hint: str) -> None:
        """A host that finished is lost until it is asked again; one that ended badly keeps its reason."""
        if self.rounds[of].stage(host) == "finished":
            self.rounds[of].lose(host, f"its result was not fetched: {why}", hint)

    def document(self) -> FleetBench:
        """What all hosts came to, of what was fetched."""
        return fleet_bench(self.order, [self._of(of, host) for of in self.order.rounds for host in self.order.names])

    def _of(self, of: Round, host: str) -> HostResult:
        known = self.rounds[of].known(host)
        result = kept_result(self.order, host, of)
        outputs = len(list((host_folder(self.order, host, of) / store.RAW).glob("*.json"))) if result else 0
        printed = sum(bool(repeat.fio) for figure in result.figures for repeat in figure.repeats) if result else 0
        measured = MeasuredHost(
            host=host,
            round=of,
            bench_id=self.order.bench_id(host, of),
            stage=known.stage,
            reason=safe(known.detail, longest=200),
            layout=result.bench.layout if result else "",
            plan_digest=result.bench.plan_digest if result else "",
            figures=len(result.figures) if result else 0,
            tests=len(result.bench.tasks) if result else 0,
            raw_outputs=outputs,
            left_out=printed - outputs,
            clock_ahead_s=known.state.clock_ahead_s,
            clock_error_s=known.state.clock_error_s,
        )
        return HostResult(host=measured, result=result, begin_s=known.state.begin_s)

    def _begin_together(self, of: Round, outlooks: Mapping[str, BenchOutlook]) -> None:
        slots = schedule([outlook.bench.tasks for outlook in outlooks.values()])
        batches = -(-len(self.order.names) // (self.transport.fanout or _AT_ONCE))
        begin = time.time() + max(_LEAST_LEAD_S, _LEAD * self._slowest_s) * batches
        self._order(
            of, {host: self._request(host, of, begin + self._ahead_s(host), slots) for host in self.order.names}
        )

    def _order(self, of: Round, requests: Mapping[str, BenchRequest]) -> None:
        """Orders hosts to begin. One whose answer is lost is asked, and ordered again only if it has not begun."""
        left, hosts = requests, self.rounds[of]
        for _ in range(MOST_ORDERS):
            hosts.ask("bench", left, left.__getitem__)
            hosts.look(hosts.unanswered(left))
            again = {*hosts.unanswered(left), *(host for host in left if hosts.stage(host) == "waiting")}
            left = {host: request for host, request in left.items() if host in again}

    def _ahead_s(self, host: str) -> float:
        clock = self.clocks.get(host)
        return sum(clock) / 2 if clock else 0.0

    def _request(
        self, host: str, of: Round, begin_s: float | None = None, slots: tuple[JobSlot, ...] = ()
    ) -> BenchRequest:
        asked = replace(self._bare(host, of), order=self.order, begin_s=begin_s, slots=slots)
        if host not in self.clocks:
            return asked
        least, most = self.clocks[host]
        return replace(asked, clock_ahead_s=round((least + most) / 2, 3), clock_error_s=round((most - least) / 2, 3))

    def _bare(self, host: str, of: Round) -> BenchRequest:
        return BenchRequest(host=host, round=of, fleet_id=self.order.id)

    def _is_kept(self, of: Round, host: str) -> bool:
        kept = kept_result(self.order, host, of)
        return kept is not None and kept.outcome == self.rounds[of].stage(host)

    def _ask(
        self, kind: RequestKind, requests: Mapping[str, BenchRequest], on_reply: Callable[[HostReply], None]
    ) -> None:
        def replied(reply: HostReply) -> None:
            self._timed(reply)
            on_reply(reply)

        ask_each(kind, requests, requests.__getitem__, self.transport, replied)

    def _timed(self, reply: HostReply) -> None:
        """Keeps the slowest answer and how far the host's clock is ahead."""
        self._slowest_s = max(self._slowest_s, reply.seconds)
        found = reply.clock_range_s
        if found is not None:
            least, most = self.clocks.get(reply.host, found)
            both = (max(least, found[0]), min(most, found[1]))
            self.clocks[reply.host] = both if both[0] <= both[1] else found  # the clock was set meanwhile


def find_order(prefix: str, hosts: Iterable[str], transport: Transport) -> dict[str, FleetBenchOrder | HostProblem]:
    """The order whose id begins with `prefix`, as each host keeps it; for a control host that does not know it."""
    found: dict[str, FleetBenchOrder | HostProblem] = {}

    def replied(reply: HostReply) -> None:
        answer = document_in(HostBench, reply)
        if isinstance(answer, HostBench):
            missing = HostProblem(state="refused", sentence="it keeps no such order")
            found[reply.host] = answer.order if answer.order is not None else missing
        else:
            found[reply.host] = answer

    def request(host: str) -> BenchRequest:
        return BenchRequest(host=host, round="turns", fleet_id=prefix)

    ask_each("bench-find", hosts, request, transport, replied)
    return found
