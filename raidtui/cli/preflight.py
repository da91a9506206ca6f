"""Refuses to start a run: another run holds the lock, or the plan does not fit this machine."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from raidtui.cli.output import show, working, wrapped_findings
from raidtui.machine.run.executor_process import checked, findings_to_error
from raidtui.machine.run.site import Site, holder_of
from raidtui.model.codec import to_json
from raidtui.model.counted import counted
from raidtui.model.errors import Locked, RaidtuiError, Refused, Stale
from raidtui.model.finding import Finding, errors
from raidtui.model.plan import Plan
from raidtui.model.printed import Findings
from raidtui.planner.text.confirm import content_text


def refuse_locked(site: Site) -> None:
    """Raises Locked when another run holds the lock of `site`."""
    if holder := holder_of(site):
        raise Locked(f"another run holds the lock: {holder}", hint="raidtui status shows it; wait until it has ended")


def refuse_unready(plan: Plan, site: Site, options: argparse.Namespace) -> None:
    """Shows all findings, and raises the refusal if one of them is an error."""
    with working(f"checking {counted(len(plan.disks), 'disk')}"):
        findings = checked(plan, site, holder_of(site), during_sync=getattr(options, "during_sync", False))
    forbidding = errors(findings)
    if forbidding and options.json:
        print(to_json(Findings(findings=tuple(findings)), indent=None))
    if findings:
        show(wrapped_findings(findings, sys.stderr, simulated=plan.simulated), sys.stderr, simulated=plan.simulated)
    if forbidding:
        raise _refusal(forbidding)


def _refusal(findings: Sequence[Finding]) -> RaidtuiError:
    count = counted(len(findings), "problem")
    hint = "the lines above name each problem and its remedy"
    if all(finding.code == "locked" for finding in findings):
        return Locked("another run holds the lock; nothing was written", hint=findings[0].way_out)
    if isinstance(findings_to_error(findings), Stale):
        return Stale(f"the plan no longer fits this machine: {count}; nothing was written", hint=hint)
    return Refused(f"not ready to build: {count}; nothing was written", hint=hint)


def refuse_content(plan: Plan) -> None:
    """Raises Refused for the first disk of the plan that holds something: zeros are written to blank disks only."""
    held = next((disk for disk in plan.disks if disk.content), None)
    if held is not None:
        raise Refused(
            f"{held.path} (serial {held.serial or 'unknown'}) holds {content_text(held)}; only blank disks are "
            "written to",
            hint="plan without it, or measure with --raw read",
        )
