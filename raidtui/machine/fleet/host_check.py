"""The host's side of a check: the preflight of a build, on a new inventory of this machine. It writes nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from raidtui.machine.fleet.alert_programs import require_listed
from raidtui.machine.fleet.host_side import AnswerDocument
from raidtui.machine.inventory import shipped
from raidtui.machine.run import journal
from raidtui.machine.run.executor_process import checked
from raidtui.machine.run.site import RealSite, SimulatedSite, Site, holder_of
from raidtui.model.codec import document_digest, from_json, to_json
from raidtui.model.errors import BadInput, RaidtuiError, Refused
from raidtui.model.finding import gravest_first
from raidtui.model.fleet.check import HostCheck
from raidtui.model.plan import Plan


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
    from raidtui.machine.simulated.machine import SimulatedMachine  # a real host needs none

    machine = SimulatedMachine(replace(shipped.load_file(str(simulated)), name=plan.host))
    return SimulatedSite(runs_root(simulated), machine)
