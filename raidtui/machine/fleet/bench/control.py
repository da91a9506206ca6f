"""Runs a benchmark on many hosts: looks, orders, follows, fetches. All state is on the hosts.

A control host that is killed loses its view; the same or another one asks the hosts for the order and goes on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from raidtui.machine.bench import store
from raidtui.machine.fleet.ask import HostReply, ask, new_request
from raidtui.machine.fleet.bench.files import host_folder, keep_result, kept_result
from raidtui.machine.fleet.transport import Transport
from raidtui.model.codec import from_json, to_json
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
from raidtui.model.fleet.hosts import Effect, HostProblem
from raidtui.model.fleet.kinds import RequestKind
from raidtui.model.safe import safe
from raidtui.planner.fleet.bench.measured import HostResult, fleet_bench
from raidtui.planner.fleet.bench.schedule import schedule

INTERVAL_S = 5.0
"""seconds between two questions to a host that measures"""
PATIENCE_S = 600.0
"""seconds without an answer after which a host that measures is lost"""
_LEAST_LEAD_S = 5.0
"""least seconds between the orders and the common begin"""
_LEAD = 3.0
"""the slowest answer so far is multiplied by this: each host must have its order before the common begin"""
_AT_ONCE = 64
"""hosts that are asked at the same time, where no fan-out is given (ClusterShell's default)"""
_MOST_ORDERS = 3
"""orders that one host gets when no answer to them arrives and it has not begun"""
_ORDERED: Mapping[Effect | None, BenchStage] = {"none": "refused", "part": "failed", None: "running"}
"""what a host is taken for after an order that it did not answer well; a running one is asked"""
_T = TypeVar("_T", BenchOutlook, HostBench, HostBenchResult)


@dataclass(frozen=True, slots=True, kw_only=True)
class HostProgress:
    """How far one host is in one round."""

    host: str
    round: Round
    stage: BenchStage = "waiting"
    reason: str = ""
    """why it ended, or why it is not known"""
    hint: str = ""
    state: HostBench = field(default_factory=HostBench)
    """as it answered last"""


@dataclass(slots=True, kw_only=True)
class FleetBenchView:
    """The view of one control host. `on_progress` gets each change of a host."""

    transport: Transport
    order: FleetBenchOrder
    on_progress: Callable[[HostProgress], None] = lambda _: None
    interval_s: float = INTERVAL_S
    patience_s: float = PATIENCE_S
    progress: dict[tuple[Round, str], HostProgress] = field(default_factory=dict)
    """of every host that was asked, in each round"""
    clocks: dict[str, tuple[float, float]] = field(default_factory=dict)
    """least and most seconds by which each host's clock is ahead"""
    _slowest_s: float = 0.0
    _unheard: dict[tuple[Round, str], float] = field(default_factory=dict)

    def outlooks(self) -> dict[str, BenchOutlook | HostProblem]:
        """What the benchmark would be on every host; starts nothing."""
        of = self.order.rounds[0]
        found: dict[str, BenchOutlook | HostProblem] = {}

        def replied(reply: HostReply) -> None:
            found[reply.host] = _read(BenchOutlook, reply)

        self._ask("bench-look", {host: self._request(host, of) for host in self.order.names}, replied)
        return {host: found[host] for host in self.order.names}

    def look(self, of: Round, hosts: Iterable[str]) -> None:
        """Asks hosts how far they are in a round."""
        self._state("bench-status", {host: self._bare(host, of) for host in hosts})

    def stop(self, of: Round, hosts: Iterable[str]) -> None:
        """Asks hosts to end their benchmark of a round and to remove its files."""
        self._state("bench-stop", {host: self._bare(host, of) for host in hosts})

    def run(self, of: Round, outlooks: Mapping[str, BenchOutlook], *, pause: Callable[[float], None]) -> None:
        """Runs a round, or what is left of it, to its end, and fetches what was measured.

        A round at once that began goes on without hosts that did not: alone they would measure something else.
        """
        self.look(of, self.order.names)
        waiting = [host for host in self.order.names if self._stage(of, host) == "waiting"]
        if of == "turns":
            for host in self.order.names:
                if host in waiting:
                    self._order(of, {host: self._request(host, of)})
                self.follow(of, pause=pause)
                self.fetch(of, [host])
            return
        if len(waiting) == len(self.order.names):
            self._begin_together(of, outlooks)
        self.follow(of, pause=pause)
        self.fetch(of, self.order.names)

    def follow(self, of: Round, *, pause: Callable[[float], None]) -> None:
        """Asks until no host of the round measures. Starts nothing."""
        while busy := [host for host in self.order.names if self._stage(of, host) == "running"]:
            pause(self.interval_s)
            self.look(of, busy)

    def fetch(self, of: Round, hosts: Iterable[str]) -> None:
        """Stores what these hosts measured, unless that was done after their end."""
        began = [host for host in hosts if self._stage(of, host) not in ("waiting", "refused", "running")]
        wanted = [host for host in began if not self._is_kept(of, host)]

        def replied(reply: HostReply) -> None:
            found = _read(HostBenchResult, reply)
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
        if self._stage(of, host) == "finished":
            self._set(of, host, stage="lost", reason=f"its result was not fetched: {why}", hint=hint)

    def document(self) -> FleetBench:
        """What all hosts came to, of what was fetched."""
        return fleet_bench(self.order, [self._of(of, host) for of in self.order.rounds for host in self.order.names])

    def _of(self, of: Round, host: str) -> HostResult:
        known = self.progress.get((of, host), HostProgress(host=host, round=of))
        result = kept_result(self.order, host, of)
        outputs = len(list((host_folder(self.order, host, of) / store.RAW).glob("*.json"))) if result else 0
        printed = sum(bool(repeat.fio) for figure in result.figures for repeat in figure.repeats) if result else 0
        measured = MeasuredHost(
            host=host,
            round=of,
            bench_id=self.order.bench_id(host, of),
            stage=known.stage,
            reason=safe(known.reason, longest=200),
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
        left = requests
        for _ in range(_MOST_ORDERS):
            self._state("bench", left)
            self.look(of, [host for host in left if self._is_unknown(of, host)])
            left = {
                host: left[host] for host in left if self._stage(of, host) == "waiting" or self._is_unknown(of, host)
            }
        for host in left:
            if self._is_unknown(of, host):
                known = self.progress[of, host]
                self._set(of, host, stage="lost", reason=known.reason, hint=known.hint)

    def _is_unknown(self, of: Round, host: str) -> bool:
        """True for a host that was ordered to begin, and has not answered since."""
        return self._stage(of, host) == "running" and self.progress[of, host].state.outcome is None

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

    def _stage(self, of: Round, host: str) -> BenchStage:
        known = self.progress.get((of, host))
        return known.stage if known is not None else "waiting"

    def _is_kept(self, of: Round, host: str) -> bool:
        kept = kept_result(self.order, host, of)
        return kept is not None and kept.outcome == self._stage(of, host)

    def _state(self, kind: RequestKind, requests: Mapping[str, BenchRequest]) -> None:
        def replied(reply: HostReply) -> None:
            request = requests[reply.host]
            found = _read(HostBench, reply)
            if isinstance(found, HostProblem):
                self._missed(kind, request.round, reply.host, found)
            else:
                self._unheard.pop((request.round, reply.host), None)
                stage: BenchStage = "waiting" if found.outcome is None else found.outcome
                self._set(request.round, reply.host, stage=stage, reason=found.reason, hint="", state=found)

        self._ask(kind, requests, replied)

    def _missed(self, kind: RequestKind, of: Round, host: str, problem: HostProblem) -> None:
        """A host that did not answer, or refuses. Whether it began is not known where only the answer is missing."""
        stage = self._stage(of, host)
        if kind == "bench":
            stage = _ORDERED[problem.effect]
        elif stage == "running":
            since = self._unheard.setdefault((of, host), time.monotonic())
            stage = "lost" if time.monotonic() - since > self.patience_s else "running"
        elif kind == "bench-status" and stage == "waiting":
            stage = "lost"  # whether it began is not known: it is not started
        self._set(of, host, stage=stage, reason=problem.sentence, hint=problem.hint)

    def _set(
        self, of: Round, host: str, *, reason: str, hint: str, stage: BenchStage | None = None,
        state: HostBench | None = None,
    ) -> None:  # fmt: skip
        before = self.progress.get((of, host), HostProgress(host=host, round=of))
        now = replace(
            before,
            stage=stage or before.stage,
            reason=reason,
            hint=hint,
            state=before.state if state is None else state,
        )
        self.progress[of, host] = now
        if now != before:
            self.on_progress(now)

    def _ask(
        self, kind: RequestKind, requests: Mapping[str, BenchRequest], on_reply: Callable[[HostReply], None]
    ) -> None:
        def replied(reply: HostReply) -> None:
            self._slowest_s = max(self._slowest_s, reply.seconds)
            found = reply.clock_range_s
            if found is not None:
                least, most = self.clocks.get(reply.host, found)
                both = (max(least, found[0]), min(most, found[1]))
                self.clocks[reply.host] = both if both[0] <= both[1] else found  # the clock was set meanwhile
            on_reply(reply)

        contents = {host: to_json(request, indent=None) for host, request in requests.items()}
        if not contents:
            return
        ask({host: new_request(kind, host, text) for host, text in contents.items()}, self.transport, replied)


def find_order(prefix: str, hosts: Iterable[str], transport: Transport) -> dict[str, FleetBenchOrder | HostProblem]:
    """The order whose id begins with `prefix`, as each host keeps it; for a control host that does not know it."""
    found: dict[str, FleetBenchOrder | HostProblem] = {}

    def replied(reply: HostReply) -> None:
        answer = _read(HostBench, reply)
        if isinstance(answer, HostBench):
            missing = HostProblem(state="refused", sentence="it keeps no such order")
            found[reply.host] = answer.order if answer.order is not None else missing
        else:
            found[reply.host] = answer

    contents = {host: to_json(BenchRequest(host=host, round="turns", fleet_id=prefix), indent=None) for host in hosts}
    ask({host: new_request("bench-find", host, text) for host, text in contents.items()}, transport, replied)
    return found


def _read(kind: type[_T], reply: HostReply) -> _T | HostProblem:
    """The document in an answer; a problem where it is none."""
    answer = reply.answer
    if isinstance(answer, HostProblem):
        return answer
    try:
        return from_json(kind, answer.content, source="its answer")
    except RaidtuiError as problem:
        return HostProblem(state="garbage", sentence=safe(str(problem), longest=200), hint=problem.hint)
