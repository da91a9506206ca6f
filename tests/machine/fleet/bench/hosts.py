"""Hosts in this process: each request of a control host is served at once, by the code that a host runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from raidtui.machine.fleet.ask import HostReply
from raidtui.machine.fleet.transport import Transport
from raidtui.model.codec import from_json, to_json
from raidtui.model.fleet.bench_order import BenchOutlook, BenchRequest, HostBench, HostBenchResult
from raidtui.model.fleet.exchange import HostAnswer, HostRequest
from raidtui.model.fleet.hosts import HostProblem
from raidtui.model.fleet.kinds import RequestKind

Answer = BenchOutlook | HostBench | HostBenchResult | HostProblem


@dataclass
class Hosts:
    """Stand for all hosts; `serve` answers, `asked` is what was asked in order."""

    serve: Callable[[RequestKind, BenchRequest], Answer]
    asked: list[tuple[RequestKind, str]] = field(default_factory=list)
    ahead_s: Mapping[str, float] = field(default_factory=dict)
    """seconds by which the clock of a host is ahead"""

    def ask(self, requests: Mapping[str, HostRequest], _: Transport, on_reply: Callable[[HostReply], None]) -> None:
        for host, request in requests.items():
            self.asked.append((request.kind, host))
            started = time.time()
            answer = self.serve(request.kind, from_json(BenchRequest, request.content, source="request"))
            now = time.time()
            ahead = self.ahead_s.get(host, 0.0)
            sent: HostAnswer | HostProblem = (
                answer
                if isinstance(answer, HostProblem)
                else HostAnswer(
                    kind=request.kind, host=host, nonce=request.nonce, raidtui="0", time_s=now + ahead,
                    started_s=started + ahead, content=to_json(answer),
                )
            )  # fmt: skip
            on_reply(HostReply(host=host, answer=sent, started_s=started, seconds=now - started))
