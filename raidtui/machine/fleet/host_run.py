"""The host's side of a build: starts, resumes and undoes runs by the host's own executor, and answers how far they are.

Requests to one host are taken one after another. A run that has begun is never started a second time, so a control
host that lost its answer, or another one, may ask again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from raidtui.machine.fleet import claim as claims
from raidtui.machine.fleet.host_check import OtherMachine, new_site, require_own_plan, runs_root
from raidtui.machine.fleet.host_side import AnswerDocument
from raidtui.machine.fleet.one_request import one_request
from raidtui.machine.report.run_status import status_of
from raidtui.machine.run import journal, requests
from raidtui.machine.run.executor_process import checked, findings_to_error, require_not_undone
from raidtui.machine.run.launch import await_start, launch
from raidtui.machine.run.run_folders import confirmed_plan, load
from raidtui.machine.run.site import SPEED_UP, Site, holder_of, site_of_run
from raidtui.machine.run.work_folder import is_alive, is_id
from raidtui.machine.safety import accepted_loss
from raidtui.machine.safety.survey import survey
from raidtui.model.codec import from_json, to_json
from raidtui.model.errors import BadInput, Locked, MachineFailed, RaidtuiError, Refused
from raidtui.model.finding import errors
from raidtui.model.fleet.exchange import Refusal
from raidtui.model.fleet.kinds import RequestKind
from raidtui.model.fleet.orders import BuildOrder, HostRun, RunOrder
from raidtui.model.plan import Plan
from raidtui.model.run import RunPurpose
from raidtui.model.standing import Standing
from raidtui.planner.standing.findings import count, findings
from raidtui.planner.text.confirm import refuse_unaccepted

_PATIENCE = 600.0
"""seconds to wait for an executor that runs to begin: a busy host takes minutes"""
_ORDER = "the order of the control host"
_SAME_VERSION = "install the same version of raidtui on all hosts"


_REFUSALS: Mapping[type[RaidtuiError], Refusal] = {
    OtherMachine: "other-machine", claims.Claimed: "claimed", MachineFailed: "failed",
}  # fmt: skip


def answer_run(kind: RequestKind, simulated: Path | None, request: AnswerDocument) -> AnswerDocument:
    """Answers a request about a run. `simulated`: file of the inventory that stands in for this machine."""
    try:
        return {"content": to_json(serve_run(kind, str(request.get("content", "")), simulated), indent=None)}
    except RaidtuiError as problem:
        refusal = _REFUSALS.get(type(problem), "refused")
        return {"refused": str(problem), "hint": problem.hint, "refusal": refusal}


def serve_run(kind: RequestKind, content: str, simulated: Path | None) -> HostRun:
    """Does what is asked. Raises RaidtuiError when it is refused; then nothing was started, or it is MachineFailed."""
    if kind == "build":
        return _build(from_json(BuildOrder, content, source=_ORDER, hint=_SAME_VERSION), simulated)
    order = from_json(RunOrder, content, source=_ORDER, hint=_SAME_VERSION)
    return _OF_A_RUN[kind](order, runs_root(simulated) / _checked_id(order.run_id))


def _build(order: BuildOrder, simulated: Path | None) -> HostRun:
    plan = order.plan
    require_own_plan(plan, simulated)
    with one_request(runs_root(simulated)) as root:
        folder = root / _checked_id(plan.run_id)
        there = journal.is_begun(folder)
        if there:
            confirmed_plan(folder, plan.digest)
            claims.take(folder, order.claim, take_over=order.take_over)
        if not there or not (journal.records(folder) or is_alive(folder)):
            # one that an earlier order left without a record was not started: all is asked again, content too
            site = new_site(plan, simulated)
            _require_ready(order, site)
            if not there:
                journal.create(root, plan)
            site.prepare(folder)
            claims.take(folder, order.claim, take_over=order.take_over)
            asked = requests.ControlRequest(during_sync=order.during_sync, wait_for_sync=order.wait_for_sync)
            requests.write(folder, asked)
            _start(folder, "build", plan, order.speed_up)
    return _state(folder)


def _require_ready(order: BuildOrder, site: Site) -> None:
    """The checks of `raidtui build`. Raises OtherMachine, Refused or Stale."""
    forbidding = errors(checked(order.plan, site, holder_of(site), during_sync=order.during_sync))
    if other := [each for each in forbidding if each.code == "other-machine"]:
        raise OtherMachine(other[0].message, hint=other[0].way_out)
    if forbidding:
        raise findings_to_error(forbidding)
    refuse_unaccepted(order.plan, order.accept_content)


def _status(order: RunOrder, folder: Path) -> HostRun:
    if not journal.is_begun(folder):
        return HostRun()
    confirmed_plan(folder, order.digest)
    return _state(folder)


def _resume(order: RunOrder, folder: Path) -> HostRun:
    with _claimed(order, folder) as plan:
        if not is_alive(folder):
            require_not_undone(journal.records(folder))
            old = requests.read(folder)
            requests.write(folder, replace(old, pause=False, stop=False))
            _start(folder, "resume", plan, order.speed_up)
    return _state(folder)


def _undo_look(order: RunOrder, folder: Path) -> HostRun:
    plan = confirmed_plan(folder, order.digest)
    return replace(_state(folder), files=count(plan, _own_standing(plan, folder)))


def _undo(order: RunOrder, folder: Path) -> HostRun:
    with _claimed(order, folder) as plan:
        if is_alive(folder):
            raise Locked("its executor runs", hint="wait until it has ended: raidtui fleet status")
        standing = _own_standing(plan, folder)
        files = count(plan, standing) or "0"
        if files != order.lose_files:
            raise Refused(
                f"{files} files are on its arrays now, {order.lose_files} were given up", hint="confirm the undo again"
            )
        requests.write(folder, requests.ControlRequest())
        accepted_loss.write(folder, plan, standing)
        _start(folder, "undo", plan, order.speed_up)
    return _state(folder)


def _own_standing(plan: Plan, folder: Path) -> Standing:
    """What is on the arrays of the run. Raises Refused for whatever is foreign."""
    standing = survey(plan, site_of_run(folder, plan).reader(), journal.records(folder))
    if foreign := findings(standing):
        raise accepted_loss.refusal(foreign)
    return standing


_OF_A_RUN: Mapping[RequestKind, Callable[[RunOrder, Path], HostRun]] = {
    "status": _status, "resume": _resume, "undo-look": _undo_look, "undo": _undo,
}  # fmt: skip


@contextlib.contextmanager
def _claimed(order: RunOrder, folder: Path) -> Iterator[Plan]:
    """The plan of the run, which this request alone may act on now."""
    if order.claim is None:
        raise BadInput(f"{_ORDER} names no control host", hint=_SAME_VERSION)
    if not journal.is_begun(folder):
        raise BadInput(f"run {order.run_id[:8]} did not begin here", hint="raidtui fleet status")
    with one_request(folder.parent):
        plan = confirmed_plan(folder, order.digest)
        claims.take(folder, order.claim, take_over=order.take_over)
        yield plan


def _start(folder: Path, purpose: RunPurpose, plan: Plan, speed_up: float | None) -> None:
    """Starts the executor and waits for its first record. Raises MachineFailed if it ends before."""
    before = len(journal.records(folder))
    launched = launch(
        folder, purpose, plan.digest, simulated=plan.simulated, speed_up=SPEED_UP if speed_up is None else speed_up
    )
    await_start(
        launched, folder, lambda: len(journal.records(folder)) > before, _PATIENCE, ", then raidtui fleet resume"
    )


def _state(folder: Path) -> HostRun:
    begun = load(folder)
    return HostRun(run=status_of(begun) if begun.records else None, claim=claims.read(folder))


def _checked_id(run_id: str) -> str:
    if not is_id(run_id):
        raise BadInput(f"{_ORDER}: '{run_id}' is not a run id", hint="plan the fleet again")
    return run_id
