"""The plans that goldens, tests and the tables of the topic are made of."""

from __future__ import annotations

from raidtui.installers.consequences import PlanPool
from raidtui.installers.exported import Export, Way
from raidtui.installers.render import export
from raidtui.values.assumptions import defaults_for
from raidtui.values.choices import EXPORT_FORMATS, ExportFormat
from raidtui.values.plan import Plan
from tests.planner.plans import disks, machine, plan_of

RAID60, RAID6, MIRROR = "2x(4+2)+1", "raid6(4+2)+1", "raid1(2)"
CHUNK = 256 * 1024
PLANS: dict[ExportFormat, str] = {
    "kickstart": RAID60,
    "autoinstall": RAID60,
    "butane": RAID6,
    "ignition": RAID6,
    "disko": RAID60,
    "linux-system-roles": RAID6,
    "systemd": RAID60,
}
"""layout of the plan that a golden shows, one that the installer can build"""
CASES: tuple[tuple[ExportFormat, Way], ...] = tuple(
    (name, way) for name in EXPORT_FORMATS for way in ("native", "adopt")
)


def reference_plan(layout: str) -> Plan:
    """The plan of `layout` with chunk 256K on 2 TB disks."""
    return plan_of(layout, chunk_bytes=CHUNK, inventory=machine(*disks(13)))


def pool_of(plan: Plan) -> PlanPool:
    """The disks of a plan of `plan_of`."""
    found = disks(plan.design.layout.disks)
    return PlanPool(found, machine(*found), defaults_for(found))


def reference_export(name: ExportFormat, way: Way) -> Export:
    """The export that the golden shows."""
    plan = reference_plan(PLANS[name])
    return export(plan, name, way, pool_of(plan))
