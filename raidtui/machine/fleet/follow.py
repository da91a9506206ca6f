"""Follows hosts: who has begun to build, who is at it, whose answer is lost. All state is on them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from raidtui.machine.fleet.ask import HostReply, ask_each, document_in
from raidtui.machine.fleet.transport import Transport
from raidtui.model.fleet.hosts import HostProblem
from raidtui.model.fleet.kinds import RequestKind
from raidtui.model.fleet.orders import HostRun
from raidtui.model.fleet.rollout import HostStage
from raidtui.planner.fleet.rollout_text import run_detail
from raidtui.planner.fleet.stage import ASKED, TOLD, Deed, Known, stage_of

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
