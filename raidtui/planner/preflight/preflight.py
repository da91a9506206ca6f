"""All checks before the first write, on a new inventory of the machine. One error refuses the build."""

from __future__ import annotations

from raidtui.model.codec import document_digest
from raidtui.model.errors import RaidtuiError
from raidtui.model.facts import Facts
from raidtui.model.finding import Finding
from raidtui.model.inventory import Inventory
from raidtui.model.plan import Plan, Reading
from raidtui.model.safe import safe
from raidtui.planner.compile.recompile import as_planned, differences, recompiled
from raidtui.planner.findings import error
from raidtui.planner.preflight.disks import check_disks
from raidtui.planner.preflight.machine import check_machine

STALE = frozenset(
    {
        "disk-missing", "disk-duplicated", "disk-changed", "disk-not-blank", "disk-content-changed", "other-machine",
        "other-host", "plan-changed", "plan-differs", "plan-simulated",
    }
)  # fmt: skip
"""codes of findings that only a new plan resolves"""


def preflight(
    plan: Plan, inventory: Inventory, facts: Facts, *, during_sync: bool = False,
    of_plan: tuple[Finding, ...] | None = None,
) -> tuple[Finding, ...]:  # fmt: skip
    """Findings about building `plan` on the machine of `inventory` and `facts`; errors refuse the build.

    `of_plan`: result of `check_plan`, if the caller has it, since that recompiles the whole plan.
    """
    return (
        *(check_plan(plan, inventory) if of_plan is None else of_plan),
        *check_machine(plan, inventory, facts, during_sync=during_sync),
    )


def check_plan(plan: Plan, inventory: Inventory) -> tuple[Finding, ...]:
    """Errors if `plan` is not, or no longer, the plan for these disks; needs only the inventory."""
    disks = tuple(check_disks(plan, inventory))
    return disks or tuple(_genuine(plan, inventory))


def check_begun(plan: Plan, inventory: Inventory) -> tuple[Finding, ...]:
    """Identity findings for a plan whose journal claims that it was started; disk content is not checked."""
    return check_plan(plan, as_planned(plan, inventory))


def questions(plan: Plan, of_plan: tuple[Finding, ...]) -> tuple[Reading, ...]:
    """The readings of the first step; none if `check_plan` found errors, since the commands cannot be trusted then."""
    return () if of_plan or not plan.steps else plan.steps[0].after


def _genuine(plan: Plan, inventory: Inventory) -> list[Finding]:
    """Errors unless recompiling the plan from its design on these disks gives an identical plan."""
    if document_digest(plan) != plan.digest:
        return [
            error("plan-changed", "The plan was changed after it was made: its digest does not match.", "plan again")
        ]
    try:
        fresh = recompiled(plan, inventory)
    except RaidtuiError as problem:
        way_out = safe(problem.hint or "plan again")
        return [error("plan-differs", f"The plan cannot be recompiled on this machine: {safe(str(problem))}.", way_out)]
    if fresh == plan:
        return []
    listed = "; ".join(differences(plan, fresh)) or "only the digest differs"
    return [error("plan-differs", f"The plan differs from a new plan of its design: {listed}.", "plan again")]
