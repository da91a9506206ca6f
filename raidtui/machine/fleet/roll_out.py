"""Builds a fleet: starts hosts in the order of the rollout, asks how far they are, stops by its rule.

All state is on the hosts. A control host that is killed loses its view; another one asks the hosts and goes on.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from raidtui.machine.fleet.ask import HostReply, ask, new_request
from raidtui.machine.fleet.transport import Transport
from raidtui.model.codec import from_json, to_json
from raidtui.model.errors import BadInput, Refused
from raidtui.model.fleet.hosts import HostProblem
from raidtui.model.fleet.kinds import RequestKind
from raidtui.model.fleet.orders import BuildOrder, Claim, HostRun, RunOrder
from raidtui.model.fleet.rollout import Decision, FleetRun, FleetRunHost, HostStage, Rollout
from raidtui.model.fleet.sheet import Sheet, SheetHost
from raidtui.model.safe import safe
from raidtui.planner.fleet.rollout_text import run_detail
from raidtui.planner.fleet.stage import stage_of
from raidtui.planner.fleet.waves import decide

INTERVAL_S = 10.0
"""seconds between two questions to a host that builds"""
PATIENCE_S = 600.0
"""seconds without an answer after which a host that builds is lost"""
MOST_ORDERS = 3
"""orders to build that one host gets when no answer to them arrives and it has not begun"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostProgress:
    """How far one host is."""

    host: str
    stage: HostStage
    sentence: str = ""
    """why it refuses or does not answer; empty when it answered"""
    hint: str = ""
    state: HostRun = field(default_factory=HostRun)
    """as it answered last"""

    @property
    def detail(self) -> str:
        """Why it refuses or does not answer, then the steps that were done and why its run ended."""
        steps = run_detail(self.state.run)
        return f"{self.sentence.rstrip('.')}; {steps}" if self.sentence and steps else self.sentence or steps


@dataclass(slots=True, kw_only=True)
class RollOut:
    """The view of one control host. `on_progress` gets each change; `on_decision` each new decision."""

    transport: Transport
    rollout: Rollout
    orders: Callable[[str], BuildOrder]
    """the build order of a host"""
    asks: Mapping[str, RunOrder]
    """for each host of the rollout, how its run is asked for"""
    on_progress: Callable[[HostProgress], None] = lambda _: None
    on_decision: Callable[[Decision], None] = lambda _: None
    interval_s: float = INTERVAL_S
    patience_s: float = PATIENCE_S
    progress: dict[str, HostProgress] = field(default_factory=dict)
    """of every host"""
    _unheard: dict[str, float] = field(default_factory=dict)
    """since when a host does not answer, monotonic seconds"""
    _orders: Counter[str] = field(default_factory=Counter)
    """orders to build without an answer, of each host"""

    @property
    def run(self) -> FleetRun:
        """How far every host is, as far as it is known."""
        return FleetRun(
            sheet_digest=self.rollout.sheet_digest,
            hosts=tuple(_run_host(host, self.progress.get(host)) for host in self.rollout.hosts),
        )

    def look(self, hosts: Iterable[str] | None = None) -> None:
        """Asks hosts (None: all of the rollout) how far they are."""
        asked = list(self.rollout.hosts if hosts is None else hosts)
        self._ask("status", {host: to_json(self.asks[host], indent=None) for host in asked})

    def resume(self, hosts: Iterable[str], claim: Claim) -> None:
        """Takes these runs over, and resumes those that do not run."""
        orders = {host: _claiming(self.asks[host], claim) for host in hosts}
        self._ask("resume", {host: to_json(order, indent=None) for host, order in orders.items()})

    def count_files(self, hosts: Iterable[str]) -> None:
        """Asks what an undo of these runs would lose; a host that refuses an undo now becomes `refused`."""
        self._ask("undo-look", {host: to_json(self.asks[host], indent=None) for host in hosts})

    def undo(self, hosts: Iterable[str], claim: Claim) -> None:
        """Takes these runs over and undoes them; the files that were counted are given up."""
        files = {host: self.progress[host].state.files or "0" for host in hosts}
        orders = {host: replace(_claiming(self.asks[host], claim), lose_files=count) for host, count in files.items()}
        self._ask("undo", {host: to_json(order, indent=None) for host, order in orders.items()})

    def wait(self, *, pause: Callable[[float], None] = time.sleep) -> None:
        """Asks the hosts that build or undo until all have ended. Starts nothing."""
        while busy := self._busy():
            pause(self.interval_s)
            self.look(busy)

    def follow(self, *, pause: Callable[[float], None] = time.sleep) -> Decision:
        """Goes on until every host has ended, or the stop rule holds and none builds. Returns the last decision.

        Raises Refused when another control host takes over.
        """
        last: Decision | None = None
        while True:
            decision = decide(self.rollout, {host: self._stage(host) for host in self.rollout.hosts})
            if decision != last:
                self.on_decision(decision)
                last = decision
            if decision.kind == "start":
                self._ask("build", {host: to_json(self.orders(host), indent=None) for host in decision.hosts})
                continue
            if decision.kind in ("stop", "done"):
                self.wait(pause=pause)
                return decision
            pause(self.interval_s)
            self.look(self._busy())

    def _busy(self) -> list[str]:
        return [host for host in self.rollout.hosts if self._stage(host) in ("building", "undoing")]

    def _stage(self, host: str) -> HostStage:
        return self.progress[host].stage if host in self.progress else "waiting"

    def _ask(self, kind: RequestKind, contents: Mapping[str, str]) -> None:
        def replied(reply: HostReply) -> None:
            self._note(kind, reply)

        ask({host: new_request(kind, host, text) for host, text in contents.items()}, self.transport, replied)

    def _note(self, kind: RequestKind, reply: HostReply) -> None:
        before = self.progress.get(reply.host, HostProgress(host=reply.host, stage="waiting"))
        now = self._of(kind, reply, before)
        self.progress[reply.host] = now
        if now != before:
            self.on_progress(now)

    def _of(self, kind: RequestKind, reply: HostReply, before: HostProgress) -> HostProgress:
        host, answer = reply.host, reply.answer
        if not isinstance(answer, HostProblem):
            try:
                state = from_json(HostRun, answer.content, source="its answer")
            except BadInput as problem:
                answer = HostProblem(state="garbage", sentence=safe(str(problem), longest=200), hint=problem.hint)
            else:
                self._unheard.pop(host, None)
                self._orders[host] = 0 if state.run is not None else self._orders[host]
                self._require_ours(host, state)
                return HostProgress(host=host, stage=stage_of(state.run), state=state)
        stage = self._stage_of_problem(kind, host, answer, before)
        return HostProgress(host=host, stage=stage, sentence=answer.sentence, hint=answer.hint, state=before.state)

    def _stage_of_problem(self, kind: RequestKind, host: str, problem: HostProblem, before: HostProgress) -> HostStage:
        if kind == "status":
            if before.stage == "waiting":
                return "lost"  # whether it began is not known: it is not started
            since = self._unheard.setdefault(host, time.monotonic())
            return "lost" if time.monotonic() - since > self.patience_s else "building"
        if problem.effect == "none":
            return "other-machine" if problem.state == "other-machine" else "refused"
        if problem.effect == "part":
            return "failed"
        if kind != "build":
            return "lost"
        self._orders[host] += 1
        self._unheard.setdefault(host, time.monotonic())
        return "lost" if self._orders[host] >= MOST_ORDERS else "building"

    def _require_ours(self, host: str, state: HostRun) -> None:
        """Raises Refused when another control host has taken the run over."""
        ours, theirs = self.asks[host].claim, state.claim
        if ours is not None and theirs is not None and theirs.token != ours.token:
            raise Refused(
                f"{host}: control host {safe(theirs.control, longest=100)} follows its build since "
                f"{safe(theirs.since, longest=40)}; the builds go on",
                hint="look with raidtui fleet status; take over with raidtui fleet resume",
            )


def starts_nothing(sheet: Sheet, hosts: Sequence[SheetHost], transport: Transport) -> RollOut:
    """A view of the build of a sheet that only asks: `look` asks these planned hosts how far they are."""
    names = tuple(host.host for host in hosts)
    return RollOut(
        transport=transport,
        rollout=Rollout(sheet_digest=sheet.digest, hosts=names, canary=names[0], wave_size=1, stop_after=1),
        orders=_no_order,
        asks={host.host: RunOrder(run_id=host.run_id or "", digest=host.digest or "") for host in hosts},
    )


def _no_order(host: str) -> BuildOrder:
    raise Refused(f"{host}: this view starts nothing", hint="raidtui fleet build starts hosts")


def _run_host(host: str, progress: HostProgress | None) -> FleetRunHost:
    if progress is None:
        return FleetRunHost(host=host, stage="waiting")
    claim = progress.state.claim
    return FleetRunHost(
        host=host, stage=progress.stage, reason=progress.detail, run=progress.state.run,
        control=claim.control if claim is not None else None,
    )  # fmt: skip


def _claiming(order: RunOrder, claim: Claim) -> RunOrder:
    return replace(order, claim=claim, take_over=True)
