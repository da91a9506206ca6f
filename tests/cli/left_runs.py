"""Runs that tests leave behind: a plan on bought disks, and its journal up to a record."""

from __future__ import annotations

from pathlib import Path

from raidtui.engine import journal
from raidtui.engine.journal import Journal
from raidtui.engine.site import site_for
from raidtui.machine.system.places import simulated_root
from raidtui.predict.stated_disks import purchase
from raidtui.values.plan import Plan
from tests.planner.plans import plan_of

BOUGHT = purchase("5x2TB")
PLAN = plan_of("(3+1)+1", BOUGHT.disks, inventory=BOUGHT, host="purchase", fs="ext4")
SECOND = plan_of("raid1(2)", BOUGHT.disks, inventory=BOUGHT, host="purchase", run_id="89ab" + "0" * 28)
SURE = ["--yes", "--confirm", PLAN.digest]
RUN = PLAN.run_id[:8]


def begin(plan: Plan, *kinds: str) -> Path:
    folder = journal.create(simulated_root(), plan)
    site_for(plan, BOUGHT).prepare(folder)
    book = Journal(folder, "build")
    for kind in kinds:
        book.write(kind, digest=plan.digest if kind == "begun" else None, step=1 if kind in ("step", "proven") else 0)  # type: ignore[arg-type]
    book.close()
    return folder
