"""Follows hosts: who has begun what it was ordered to do, who is at it, whose answer is lost. All state is on them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from raidtui.machine.fleet.ask import HostReply, ask_each, document_in
from raidtui.machine.fleet.transport import Transport
from raidtui.model.fleet.bench_order import HostBench
from raidtui.model.fleet.bench_result import BenchStage
from raidtui.model.fleet.hosts import HostProblem, HostState
from raidtui.model.fleet.kinds import RequestKind
from raidtui.model.fleet.orders import HostRun
from raidtui.model.fleet.rollout import HostStage
from raidtui.planner.fleet.stage import ASKED, TOLD, Deed, Known

PATIENCE_S = 600.0
"""seconds without an answer after which a host that is at work is lost"""
MOST_ORDERS = 3
"""orders to begin that one host gets when no answer to them arrives and it has not begun"""
_QUESTIONS: frozenset[RequestKind] = frozenset({"status", "bench-status", "bench-stop"})
"""requests after which a host is at work as before, or ends by itself"""
Stage = TypeVar("Stage", HostStage, BenchStage)
State = TypeVar("State", HostRun, HostBench)


@dataclass(frozen=True, slots=True, kw_only=True)
class HostWork(Generic[Stage, State]):
    """What hosts are ordered to do, and how they are asked about it."""

    order: RequestKind
    """the request to begin"""
    status: RequestKind
    """the question how far a host is"""
    answer: type[State]
    """the document that answers both"""
    stage_of: Callable[[State], Stage]
    detail_of: Callable[[State], str]
    """how far it is or why it ended, in words"""
    begun: Stage
    """a host that was ordered to begin, and has not answered since"""
    busy: frozenset[Stage]
    """a host at work"""
    refusals: Mapping[HostState, Stage] = field(default_factory=dict)
    """refusals that have a stage of their own"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostProgress(Generic[Stage, State]):
    """How far one host is."""

    host: str
    stage: Stage
    sentence: str = ""
    """why it refuses or does not answer; empty when it answered"""
    hint: str = ""
    state: State
    """as it answered last"""
    detail: str = ""
    """why it refuses or does not answer, then how far it was or why its work ended"""


@dataclass(slots=True, kw_only=True)
class HostFollower(Generic[Stage, State]):
    """The view of one control host. `on_progress` gets each change, `on_reply` each reply before it is read.

    `check` gets each state and raises what ends the view.
    """

    work: HostWork[Stage, State]
    transport: Transport
    question: Callable[[str], object]
    """the document that asks a host how far it is"""
    interval_s: float
    """seconds between two questions to a host at work"""
    patience_s: float = PATIENCE_S
    on_progress: Callable[[HostProgress[Stage, State]], None] = lambda _: None
    on_reply: Callable[[HostReply], None] = lambda _: None
    check: Callable[[str, State], None] = lambda _, __: None
    progress: dict[str, HostProgress[Stage, State]] = field(default_factory=dict)
    """of every host that was asked"""
    _unheard: dict[str, float] = field(default_factory=dict)
    """since when a host does not answer, monotonic seconds"""
    _orders: Counter[str] = field(default_factory=Counter)
    """orders to begin without an answer, of each host"""

    def known(self, host: str) -> HostProgress[Stage, State]:
        """How far a host is; `waiting` if it was not asked."""
        found = self.progress.get(host)
        return found or HostProgress(host=host, stage="waiting", state=self.work.answer())

    def stage(self, host: str) -> Stage:
        """The stage of a host."""
        return self.known(host).stage

    def busy(self, hosts: Iterable[str]) -> list[str]:
        """Those of these hosts that are at work, or may be."""
        return [host for host in hosts if self.stage(host) in self.work.busy]

    def unanswered(self, hosts: Iterable[str]) -> list[str]:
        """Those of these hosts that were ordered to begin and have not answered since."""
        unknown: tuple[Stage, ...] = (self.work.begun, "lost")
        return [host for host in hosts if self._orders[host] and self.stage(host) in unknown]

    def look(self, hosts: Iterable[str]) -> None:
        """Asks hosts how far they are."""
        self.ask(self.work.status, hosts, self.question)

    def wait(self, hosts: Iterable[str], *, pause: Callable[[float], None] = time.sleep) -> None:
        """Asks those of these hosts that are at work until all have ended. Starts nothing."""
        left = list(hosts)
        while left := self.busy(left):
            pause(self.interval_s)
            self.look(left)

    def ask(self, kind: RequestKind, hosts: Iterable[str], document: Callable[[str], object]) -> None:
        """Sends each host its document; the answers say how far they are."""
        ask_each(kind, hosts, document, self.transport, lambda reply: self._heard(kind, reply))

    def lose(self, host: str, sentence: str, hint: str) -> None:
        """Takes a host for lost until it answers again."""
        self._note(replace(self.known(host), stage="lost", sentence=sentence, hint=hint))

    def _heard(self, kind: RequestKind, reply: HostReply) -> None:
        self.on_reply(reply)
        host, found = reply.host, document_in(self.work.answer, reply)
        if isinstance(found, HostProblem):
            stage = self._without_answer(kind, host, found)
            self._note(replace(self.known(host), stage=stage, sentence=found.sentence, hint=found.hint))
            return
        self._unheard.pop(host, None)
        stage = self.work.stage_of(found)
        if stage != "waiting":
            self._orders[host] = 0
        self.check(host, found)
        self._note(HostProgress(host=host, stage=stage, state=found))

    def _without_answer(self, kind: RequestKind, host: str, problem: HostProblem) -> Stage:
        """The stage of a host that gave no answer that can be used, by the table of transitions."""
        before, work = self.stage(host), self.work
        deed: Deed = "order" if kind == work.order else "ask" if kind in _QUESTIONS else "change"
        known: Known = "waiting" if before == "waiting" else "busy" if before in work.busy else "ended"
        match ASKED[known] if deed == "ask" else TOLD[deed, problem.effect]:
            case "as before":
                return before
            case "refused":
                return work.refusals.get(problem.state, "refused")
            case "failed":
                return "failed"
            case "lost":
                return "lost"
            case "busy":
                self._orders[host] += deed == "order"
                since = self._unheard.setdefault(host, time.monotonic())
                if deed == "order":
                    return "lost" if self._orders[host] >= MOST_ORDERS else work.begun
                return "lost" if time.monotonic() - since > self.patience_s else before

    def _note(self, now: HostProgress[Stage, State]) -> None:
        said = self.work.detail_of(now.state)
        detail = f"{now.sentence.rstrip('.')}; {said}" if now.sentence and said else now.sentence or said
        before, now = self.known(now.host), replace(now, detail=detail)
        self.progress[now.host] = now
        if now != before:
            self.on_progress(now)
