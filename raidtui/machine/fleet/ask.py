"""Asks many hosts at once, each with its own request; every host gives an answer or a problem."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from raidtui.machine.fleet.answers import read_answer
from raidtui.machine.fleet.engine import Output, run
from raidtui.machine.fleet.transport import Transport
from raidtui.model.codec import from_json, to_json
from raidtui.model.errors import RaidtuiError
from raidtui.model.fleet.exchange import HostAnswer, HostRequest
from raidtui.model.fleet.hosts import HostProblem
from raidtui.model.fleet.kinds import RequestKind
from raidtui.model.safe import safe

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class HostReply:
    """How one host replied."""

    host: str
    answer: HostAnswer | HostProblem
    started_s: float
    """when it was asked, seconds since the epoch"""
    seconds: float
    """until the answer was complete, or the attempt ended"""

    @property
    def clock_ahead_s(self) -> float | None:
        """Seconds by which the host's clock is at least ahead, negative where behind; 0 where both may agree.

        None without an answer. The program there was started after the request went out, and answered before the
        answer was here.
        """
        if isinstance(self.answer, HostProblem):
            return None
        asked, answered = self.started_s, self.started_s + self.seconds
        started = self.answer.started_s if self.answer.started_s is not None else self.answer.time_s
        least, most = sorted((self.answer.time_s - answered, started - asked))
        return least if least > 0 else min(most, 0.0)


def new_request(kind: RequestKind, host: str, content: str = "") -> HostRequest:
    """A request with a nonce of its own. `content`: its document, JSON."""
    return HostRequest(kind=kind, host=host, nonce=secrets.token_hex(16), content=content)


def ask(requests: Mapping[str, HostRequest], transport: Transport, on_reply: Callable[[HostReply], None]) -> None:
    """Sends each host its request; `on_reply` gets every host once, as soon as it replied or failed."""

    def replied(output: Output) -> None:
        answer = read_answer(
            output, requests[output.host], most_output=transport.most_output, timeout_s=transport.timeout_s
        )
        on_reply(HostReply(host=output.host, answer=answer, started_s=output.started_s, seconds=output.seconds))

    run({host: request_bytes(request) for host, request in requests.items()}, transport, replied)


def request_bytes(request: HostRequest) -> bytes:
    """The request as the host reads it."""
    return to_json(request, indent=None).encode("ascii") + b"\n"


def ask_each(
    kind: RequestKind,
    hosts: Iterable[str],
    document: Callable[[str], object],
    transport: Transport,
    on_reply: Callable[[HostReply], None],
) -> None:
    """Sends each host a request with its document, as `ask`. Only the text of all documents is held in memory."""
    requests = {host: new_request(kind, host, to_json(document(host), indent=None)) for host in hosts}
    if requests:
        ask(requests, transport, on_reply)


def document_in(kind: type[_T], reply: HostReply) -> _T | HostProblem:
    """The document in an answer; a problem where it is none."""
    answer = reply.answer
    if isinstance(answer, HostProblem):
        return answer
    try:
        return from_json(kind, answer.content, source="its answer")
    except RaidtuiError as problem:
        return HostProblem(state="garbage", sentence=safe(str(problem), longest=200), hint=problem.hint)
