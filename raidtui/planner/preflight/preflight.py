"""Everything that can be checked before the first write, on a fresh look at the machine. One error stops it all."""

from __future__ import annotations

from raidtui.model.errors import RaidtuiError
from raidtui.model.facts import Facts
from raidtui.model.finding import Finding
from raidtui.model.inventory import Inventory
from raidtui.model.plan import Plan, Reading
from raidtui.model.safe import safe
from raidtui.planner.compile.plan import digest_of
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
"""codes by which the plan no longer fits the machine, whatever is done about the machine"""


def preflight(
    plan: Plan, inventory: Inventory, facts: Facts, *, during_sync: bool = False,
    of_plan: tuple[Finding, ...] | None = None,
) -> tuple[Finding, ...]:  # fmt: skip
    """Every reason why `plan` may not, or should not, be built on the machine of `inventory` and `facts`.

    `of_plan` is what `check_plan` found, where it was asked already: it compiles the whole plan anew.
    """
    return (
        *(check_plan(plan, inventory) if of_plan is None else of_plan),
        *check_machine(plan, inventory, facts, during_sync=during_sync),
    )


def check_plan(plan: Plan, inventory: Inventory) -> tuple[Finding, ...]:
    """Why this is not, or no longer, the plan for these disks: all that needs no further question to the machine."""
    disks = tuple(check_disks(plan, inventory))
    return disks or tuple(_genuine(plan, inventory))


def check_begun(plan: Plan, inventory: Inventory) -> tuple[Finding, ...]:
    """Why a plan, begun by its own word, is not the one for these disks, whatever they hold by now."""
    return check_plan(plan, as_planned(plan, inventory))


def questions(plan: Plan, of_plan: tuple[Finding, ...]) -> tuple[Reading, ...]:
    """What the first step asks; nothing where `check_plan` did not prove the plan our own: its commands are not run."""
    return () if of_plan or not plan.steps else plan.steps[0].after


def _genuine(plan: Plan, inventory: Inventory) -> list[Finding]:
    """The plan compiled anew, from its design on these disks, must be this one to the last character."""
    if digest_of(plan) != plan.digest:
        return [error("plan-changed", "The plan was changed after it was made: its digest does not fit.", "plan again")]
    try:
        fresh = recompiled(plan, inventory)
    except RaidtuiError as problem:
        way_out = safe(problem.hint or "plan again")
        return [error("plan-differs", f"No such plan can be made here: {safe(str(problem))}.", way_out)]
    if fresh == plan:
        return []
    said = "; ".join(differences(plan, fresh)) or "nothing that is shown, but its digest"
    return [error("plan-differs", f"The plan is not what its design gives on these disks: {said}.", "plan again")]
