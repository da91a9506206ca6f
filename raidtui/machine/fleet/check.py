"""Has every host of a sheet check its own plan. The plans are read from the sheet's directory, some at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from raidtui.machine.fleet.ask import HostReply, ask_each, document_in
from raidtui.machine.fleet.sheet_files import plan_of
from raidtui.machine.fleet.transport import Transport
from raidtui.model.finding import errors, first_of
from raidtui.model.fleet.check import CheckedHost, CheckVerdict, FleetCheck, HostCheck
from raidtui.model.fleet.hosts import HostProblem
from raidtui.model.fleet.sheet import Sheet, SheetHost
from raidtui.planner.preflight.preflight import STALE

_REFUSALS = frozenset({"refused", "other-machine", "claimed"})
"""states of hosts that answered, but would not check"""
_AT_ONCE = 100
"""hosts whose plans are in memory at the same time: a plan of sixty disks has half a megabyte"""


def check_hosts(sheet: Sheet, folder: Path, hosts: Sequence[SheetHost], transport: Transport) -> FleetCheck:
    """The answers of `hosts`, planned ones of `sheet` with their plans in `folder`.

    Raises BadInput for a plan that is not the sheet's.
    """
    found: dict[str, CheckedHost] = {}
    planned = {each.host: each for each in hosts}

    def replied(reply: HostReply) -> None:
        found[reply.host] = _checked(reply)

    for part in _parts(planned):
        ask_each("check", part, lambda host: plan_of(folder, planned[host]), transport, replied)
    return FleetCheck(sheet_digest=sheet.digest, hosts=tuple(found[host.host] for host in hosts))


def _parts(hosts: Iterable[str]) -> Iterator[list[str]]:
    left = iter(hosts)
    while part := list(islice(left, _AT_ONCE)):
        yield part


def _checked(reply: HostReply) -> CheckedHost:
    check = document_in(HostCheck, reply)
    if isinstance(check, HostProblem):
        return _unanswered(reply.host, check)
    if check.begun:
        return CheckedHost(
            host=reply.host, verdict="begun", sentence="a build of this plan was started there",
            hint="look with raidtui fleet status",
        )  # fmt: skip
    wrong = errors(check.findings)
    if not wrong:
        return CheckedHost(host=reply.host, verdict="ready", findings=check.findings)
    verdict: CheckVerdict = "stale" if any(finding.code in STALE for finding in wrong) else "refused"
    return CheckedHost(
        host=reply.host, verdict=verdict, sentence=first_of(wrong), hint=wrong[0].way_out, findings=check.findings
    )


def _unanswered(host: str, problem: HostProblem) -> CheckedHost:
    verdict: CheckVerdict = "refused" if problem.state in _REFUSALS else "no answer"
    return CheckedHost(host=host, verdict=verdict, sentence=problem.sentence, hint=problem.hint)
