"""Builds a fleet: starts hosts in the order of the rollout, asks how far they are, stops by its rule.

All state is on the hosts. A control host that is killed loses its view; another one asks the hosts and goes on.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from raidtui.fleet.engine import Transport
from raidtui.fleet.look import HostReply, ask_each, document_in
from raidtui.fleet.sheet import Sheet, SheetHost
from raidtui.fleet.stage import ASKED, TOLD, Deed, Known, decide, stage_of
from raidtui.fleet.texts import run_detail
from raidtui.fleet.values import (
    BuildOrder,
    Claim,
    FleetRun,
    FleetRunHost,
    HostProblem,
    HostRun,
    HostStage,
    RequestKind,
    Rollout,
    RolloutDecision,
    RunOrder,
)
from raidtui.values.errors import Refused
from raidtui.values.safe import safe

# Follows hosts: who has begun to build, who is at it, whose answer is lost. All state is on them.


PATIENCE_S = 600.0
"""seconds without an answer after which a host that is at work is lost"""
_MOST_ORDERS = 3
"""orders to begin that one host gets when no answer to them arrives and it has not begun"""
_BUSY: frozenset[HostStage] = frozenset({"building", "undoing"})
"""a host at work"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostProgress:
    """How far one host is."""

    host: str
    stage: HostStage
    sentence: str = ""
    """why it refuses or does not answer; empty when it answered"""
    hint: str = ""
    state: HostRun
    """as it answered last"""
    detail: str = ""
    """why it refuses or does not answer, then how far it was or why its work ended"""


@dataclass(slots=True, kw_only=True)
class HostFollower:
    """The view of one control host. `on_progress` gets each change; `check` gets each state and raises what ends it."""

    transport: Transport
    question: Callable[[str], object]
    """the document that asks a host how far it is"""
    interval_s: float
    """seconds between two questions to a host at work"""
    patience_s: float = PATIENCE_S
    on_progress: Callable[[HostProgress], None] = lambda _: None
    check: Callable[[str, HostRun], None] = lambda _, __: None
    progress: dict[str, HostProgress] = field(default_factory=dict)
    """of every host that was asked"""
    _unheard: dict[str, float] = field(default_factory=dict)
    """since when a host does not answer, monotonic seconds"""
    _orders: Counter[str] = field(default_factory=Counter)
    """orders to begin without an answer, of each host"""

    def known(self, host: str) -> HostProgress:
        """How far a host is; `waiting` if it was not asked."""
        return self.progress.get(host) or HostProgress(host=host, stage="waiting", state=HostRun())

    def stage(self, host: str) -> HostStage:
        """The stage of a host."""
        return self.known(host).stage

    def busy(self, hosts: Iterable[str]) -> list[str]:
        """Those of these hosts that are at work, or may be."""
        return [host for host in hosts if self.stage(host) in _BUSY]

    def look(self, hosts: Iterable[str]) -> None:
        """Asks hosts how far they are."""
        self.ask("status", hosts, self.question)

    def wait(self, hosts: Iterable[str], *, pause: Callable[[float], None] = time.sleep) -> None:
        """Asks those of these hosts that are at work until all have ended. Starts nothing."""
        left = list(hosts)
        while left := self.busy(left):
            pause(self.interval_s)
            self.look(left)

    def ask(self, kind: RequestKind, hosts: Iterable[str], document: Callable[[str], object]) -> None:
        """Sends each host its document; the answers say how far they are."""
        ask_each(kind, hosts, document, self.transport, lambda reply: self._heard(kind, reply))

    def _heard(self, kind: RequestKind, reply: HostReply) -> None:
        host, found = reply.host, document_in(HostRun, reply)
        if isinstance(found, HostProblem):
            stage = self._without_answer(kind, host, found)
            self._note(replace(self.known(host), stage=stage, sentence=found.sentence, hint=found.hint))
            return
        self._unheard.pop(host, None)
        stage = stage_of(found.run)
        if stage != "waiting":
            self._orders[host] = 0
        self.check(host, found)
        self._note(HostProgress(host=host, stage=stage, state=found))

    def _without_answer(self, kind: RequestKind, host: str, problem: HostProblem) -> HostStage:
        """The stage of a host that gave no answer that can be used, by the table of transitions."""
        before = self.stage(host)
        deed: Deed = "order" if kind == "build" else "ask" if kind == "status" else "change"
        known: Known = "waiting" if before == "waiting" else "busy" if before in _BUSY else "ended"
        match ASKED[known] if deed == "ask" else TOLD[deed, problem.effect]:
            case "as before":
                return before
            case "refused":
                return "other-machine" if problem.state == "other-machine" else "refused"
            case "failed":
                return "failed"
            case "lost":
                return "lost"
            case "busy":
                self._orders[host] += deed == "order"
                since = self._unheard.setdefault(host, time.monotonic())
                if deed == "order":
                    return "lost" if self._orders[host] >= _MOST_ORDERS else "building"
                return "lost" if time.monotonic() - since > self.patience_s else before

    def _note(self, now: HostProgress) -> None:
        said = run_detail(now.state.run)
        detail = f"{now.sentence.rstrip('.')}; {said}" if now.sentence and said else now.sentence or said
        before, now = self.known(now.host), replace(now, detail=detail)
        self.progress[now.host] = now
        if now != before:
            self.on_progress(now)


INTERVAL_S = 10.0
"""seconds between two questions to a host that builds"""


class RolloutFollower:
    """The view of one control host."""

    def __init__(
        self,
        *,
        transport: Transport,
        rollout: Rollout,
        orders: Callable[[str], BuildOrder],
        asks: Mapping[str, RunOrder],
        on_progress: Callable[[HostProgress], None] = lambda _: None,
        on_decision: Callable[[RolloutDecision], None] = lambda _: None,
        interval_s: float = INTERVAL_S,
        patience_s: float = PATIENCE_S,
    ) -> None:
        """`orders`: the build order of a host; `asks`: for each host of the rollout, how its run is asked for.

        `on_progress` gets each change; `on_decision` each new decision.
        """
        self.transport = transport
        self.rollout = rollout
        self._orders = orders
        self._asks = asks
        self._on_decision = on_decision
        self._hosts = HostFollower(
            transport=transport, question=asks.__getitem__, interval_s=interval_s, patience_s=patience_s,
            on_progress=on_progress, check=self._require_ours,
        )  # fmt: skip
        self.progress = self._hosts.progress

    @property
    def run(self) -> FleetRun:
        """How far every host is, as far as it is known."""
        return FleetRun(
            sheet_digest=self.rollout.sheet_digest,
            hosts=tuple(_run_host(self._hosts.known(host)) for host in self.rollout.hosts),
        )

    def look(self, hosts: Iterable[str] | None = None) -> None:
        """Asks hosts (None: all of the rollout) how far they are."""
        self._hosts.look(self.rollout.hosts if hosts is None else hosts)

    def resume(self, hosts: Iterable[str], claim: Claim) -> None:
        """Takes these runs over, and resumes those that do not run."""
        self._hosts.ask("resume", hosts, lambda host: _claiming(self._asks[host], claim))

    def count_files(self, hosts: Iterable[str]) -> None:
        """Asks what an undo of these runs would lose; a host that refuses an undo now becomes `refused`."""
        self._hosts.ask("undo-look", hosts, self._asks.__getitem__)

    def undo(self, hosts: Iterable[str], claim: Claim) -> None:
        """Takes these runs over and undoes them; the files that were counted are given up."""

        def order(host: str) -> RunOrder:
            return replace(_claiming(self._asks[host], claim), lose_files=self.progress[host].state.files or "0")

        self._hosts.ask("undo", hosts, order)

    def wait(self, *, pause: Callable[[float], None] = time.sleep) -> None:
        """Asks the hosts that build or undo until all have ended. Starts nothing."""
        self._hosts.wait(self.rollout.hosts, pause=pause)

    def follow(self, *, pause: Callable[[float], None] = time.sleep) -> RolloutDecision:
        """Goes on until every host has ended, or the stop rule holds and none builds. Returns the last decision.

        Raises Refused when another control host takes over.
        """
        last: RolloutDecision | None = None
        while True:
            decision = decide(self.rollout, {host: self._hosts.stage(host) for host in self.rollout.hosts})
            if decision != last:
                self._on_decision(decision)
                last = decision
            if decision.kind == "start":
                self._hosts.ask("build", decision.hosts, self._orders)
                continue
            if decision.kind in ("stop", "done"):
                self.wait(pause=pause)
                return decision
            pause(self._hosts.interval_s)
            self._hosts.look(self._hosts.busy(self.rollout.hosts))

    def _require_ours(self, host: str, state: HostRun) -> None:
        """Raises Refused when another control host has taken the run over."""
        ours, theirs = self._asks[host].claim, state.claim
        if ours is not None and theirs is not None and theirs.token != ours.token:
            raise Refused(
                f"{host}: control host {safe(theirs.control, longest=100)} follows its build since "
                f"{safe(theirs.since, longest=40)}; the builds go on",
                hint="look with raidtui fleet status; take over with raidtui fleet resume",
            )


def starts_nothing(sheet: Sheet, hosts: Sequence[SheetHost], transport: Transport) -> RolloutFollower:
    """A view of the build of a sheet that only asks: `look` asks these planned hosts how far they are."""
    names = tuple(host.host for host in hosts)
    return RolloutFollower(
        transport=transport,
        rollout=Rollout(sheet_digest=sheet.digest, hosts=names, canary=names[0], wave_size=1, stop_after=1),
        orders=_no_order,
        asks={host.host: RunOrder(run_id=host.run_id or "", digest=host.digest or "") for host in hosts},
    )


def _no_order(host: str) -> BuildOrder:
    raise Refused(f"{host}: this view starts nothing", hint="raidtui fleet build starts hosts")


def _run_host(progress: HostProgress) -> FleetRunHost:
    claim = progress.state.claim
    return FleetRunHost(
        host=progress.host, stage=progress.stage, reason=progress.detail, run=progress.state.run,
        control=claim.control if claim is not None else None,
    )  # fmt: skip


def _claiming(order: RunOrder, claim: Claim) -> RunOrder:
    return replace(order, claim=claim, take_over=True)
