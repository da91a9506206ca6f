"""The host's side of a build: starts, resumes and undoes runs by the host's own executor, and answers how far they are.

Requests to one host are taken one after another. A run that has begun is never started a second time, so a control
host that lost its answer, or another one, may ask again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from raidtui.answers.confirm import refuse_unaccepted
from raidtui.engine import folders, journal
from raidtui.engine import survey as accepted_loss
from raidtui.engine.folders import is_alive, is_id
from raidtui.engine.process import await_start, checked, findings_to_error, launch
from raidtui.engine.runs import confirmed_plan, load
from raidtui.engine.site import SPEED_UP, RealSite, SimulatedSite, Site, holder_of, locked, site_of_run
from raidtui.engine.standing import count, findings
from raidtui.engine.survey import survey
from raidtui.fleet import control
from raidtui.fleet.host import AnswerDocument
from raidtui.fleet.values import BuildOrder, HostCheck, HostRun, Refusal, RequestKind, RunOrder
from raidtui.machine.inventory import shipped
from raidtui.machine.system.files import ALERT_PROGRAMS, read_own
from raidtui.machine.system.places import private_directory, require_trusted
from raidtui.session.jobs import go_on
from raidtui.session.report import status_of
from raidtui.values.codec import document_digest, from_json, to_json
from raidtui.values.errors import BadInput, Locked, MachineFailed, RaidtuiError, Refused
from raidtui.values.findings import errors, gravest_first
from raidtui.values.plan import Plan
from raidtui.values.run import RunPurpose, Standing

# One request at a time on a host, whoever asks.


_LOCK = "fleet-lock"
"""file in the directory that the requests are about"""
_REQUEST_PATIENCE = 60.0
"""seconds to wait for another request"""


@contextlib.contextmanager
def one_request(root: Path) -> Iterator[Path]:
    """Holds the lock of requests about `root`, made if missing. Raises Locked if another one takes too long."""
    private_directory(root)
    with contextlib.ExitStack() as held:
        try:
            held.enter_context(locked(root / _LOCK, patience=_REQUEST_PATIENCE))
        except Locked:
            raise Locked("another request is being carried out on this host", hint="ask again") from None
        yield root


# Programs that a plan from elsewhere may name as alert program: those that root listed on this host.
# mdadm's monitor runs the program as root, so an order that could name any would give root to whoever may send orders.


LIST = Path("/etc/raidtui/alert-programs")
"""one path in a line; # begins a comment"""


def require_listed(plan: Plan, simulated: Path | None) -> None:
    """Raises Refused for an alert program that is not listed; without a list none is.

    `simulated`: file of the inventory that stands in for this machine; the list is beside it, alert-programs.
    """
    if plan.alert is None or not plan.alert.program:
        return
    path = LIST if simulated is None else simulated.absolute().with_name(LIST.name)
    if plan.alert.program not in _listed(path, trusted=simulated is None):
        raise Refused(
            f"the order names {plan.alert.program} as alert program, which root has not listed on this host",
            hint=f"root writes its path as a line into {path} there; or plan with a mail address alone",
        )


def _listed(path: Path, *, trusted: bool) -> frozenset[str]:
    """Raises Refused if others than root may have written the list, MachineFailed or BadInput if it cannot be read."""
    if not path.exists():
        return frozenset()
    if trusted:
        require_trusted(path.parent)
    lines = read_own(path, ALERT_PROGRAMS).decode("utf-8", "surrogateescape").splitlines()
    return frozenset(line.strip() for line in lines if not line.lstrip().startswith("#"))


# The host's side of a check: the preflight of a build, on a new inventory of this machine. It writes nothing.


class OtherMachine(RaidtuiError):
    """This is not the machine that the plan is for."""


def answer_check(simulated: Path | None, request: AnswerDocument) -> AnswerDocument:
    """Answers `check`. `simulated`: file of the inventory that stands in for this machine.

    Raises BadInput for a content that is no plan, Refused and OtherMachine as `require_own_plan`.
    """
    plan = from_json(Plan, str(request.get("content", "")), source="the plan of the control host")
    return {"content": to_json(check_here(plan, simulated), indent=None)}


def check_here(plan: Plan, simulated: Path | None) -> HostCheck:
    """Findings of `plan` on this machine. Raises as `require_own_plan`."""
    require_own_plan(plan, simulated)
    site = new_site(plan, simulated)
    if journal.is_begun(site.root / plan.run_id):
        return HostCheck(begun=True)
    return HostCheck(findings=gravest_first(checked(plan, site, holder_of(site), during_sync=False)))


def require_own_plan(plan: Plan, simulated: Path | None) -> None:
    """Raises BadInput for a plan that was changed, OtherMachine for another kind of host.

    Raises Refused for a trial's, for one that knows disks by their path alone, and for one with an alert program that
    root did not list here.
    """
    if document_digest(plan) != plan.digest:
        raise BadInput("the plan was changed after it was written", hint="plan the fleet again")
    if plan.design.trial is not None:
        raise Refused("this is the plan of a trial", hint="plan the fleet again")
    if plan.bound_by_path:
        raise Refused(
            "the plan knows disks by their path alone, which is not enough for a fleet",
            hint="give each disk a serial number, or build on the host itself: raidtui build",
        )
    if plan.simulated != (simulated is not None):
        raise OtherMachine("a simulated plan and a real host do not belong together", hint="look at the hosts again")
    require_listed(plan, simulated)


def runs_root(simulated: Path | None) -> Path:
    """Directory of all runs of this host."""
    return RealSite().root if simulated is None else simulated.absolute().with_suffix(".runs")


def new_site(plan: Plan, simulated: Path | None) -> Site:
    """Site of a plan that was not started."""
    if simulated is None:
        return RealSite()
    from raidtui.simulated.machine import SimulatedMachine  # a real host needs none

    machine = SimulatedMachine(replace(shipped.load_file(str(simulated)), name=plan.host))
    return SimulatedSite(runs_root(simulated), machine)


_PATIENCE = 600.0
"""seconds to wait for an executor that runs to begin: a busy host takes minutes"""
_ORDER = "the order of the control host"
_SAME_VERSION = "install the same version of raidtui on all hosts"


_REFUSALS: Mapping[type[RaidtuiError], Refusal] = {
    OtherMachine: "other-machine", control.Claimed: "claimed", MachineFailed: "failed",
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
            control.take(folder, order.claim, take_over=order.take_over)
        if not there or not (journal.records(folder) or is_alive(folder)):
            # one that an earlier order left without a record was not started: all is asked again, content too
            site = new_site(plan, simulated)
            _require_ready(order, site)
            if not there:
                journal.create(root, plan)
            site.prepare(folder)
            control.take(folder, order.claim, take_over=order.take_over)
            asked = folders.ControlRequest(during_sync=order.during_sync, wait_for_sync=order.wait_for_sync)
            folders.write_request(folder, asked)
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
        folders.write_request(folder, folders.ControlRequest())
        _start(folder, "undo", plan, order.speed_up, standing)
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
        control.take(folder, order.claim, take_over=order.take_over)
        yield plan


def _start(
    folder: Path, purpose: RunPurpose, plan: Plan, speed_up: float | None, standing: Standing | None = None
) -> None:
    """Starts the executor and waits for its first record. Raises MachineFailed if it ends before."""
    before = len(journal.records(folder))
    launched = go_on(
        folder, purpose, launch, plan, standing, speed_up=SPEED_UP if speed_up is None else speed_up
    )  # fmt: skip
    await_start(
        launched, folder, lambda: len(journal.records(folder)) > before, _PATIENCE, ", then raidtui fleet resume"
    )


def _state(folder: Path) -> HostRun:
    begun = load(folder)
    return HostRun(run=status_of(begun) if begun.records else None, claim=control.read(folder))


def _checked_id(run_id: str) -> str:
    if not is_id(run_id):
        raise BadInput(f"{_ORDER}: '{run_id}' is not a run id", hint="plan the fleet again")
    return run_id
