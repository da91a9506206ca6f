"""`raidtui disks --measure --iocost`: also writes zeros to blank disks, for the kernel's I/O cost model."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from raidtui.cli.confirm import confirm_word
from raidtui.cli.inputs import pool
from raidtui.cli.measure_machine import measure
from raidtui.cli.output import narrate, show
from raidtui.cli.preflight import refuse_content, refuse_locked, refuse_unready
from raidtui.machine.bench.iocost import DiskCost, IoCostMeasurement
from raidtui.machine.inventory import measured_speeds
from raidtui.machine.run.site import RealSite, Site, locked
from raidtui.machine.system.programs import require
from raidtui.machine.system.state_paths import measured_state, speeds_path
from raidtui.model.errors import Refused
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.plan import Plan
from raidtui.planner.compile.disks_plan import disks_plan
from raidtui.planner.measurement.iocost_jobs import REGION
from raidtui.planner.text.iocost import iocost_lines, iocost_page


def measure_with_writes(inventory: Inventory, options: argparse.Namespace) -> tuple[Inventory, tuple[str, ...]]:
    """The inventory with all new figures, and the lines for the kernel's model.

    Raises Refused for a disk that is not blank, without root, and without a confirmation, before anything is measured.
    """
    if os.geteuid() != 0:
        raise Refused("disks are written to as root only", hint="run it as root, or without --iocost")
    require("fio", hint="install fio")
    disks = pool(inventory, options)
    plan, site = blank_plan(inventory, disks), RealSite()
    confirm_writes(plan, [disk for disk in inventory.disks if disk not in disks], site, options)
    measured = measure(inventory, disks)
    found = measure_costs(plan, disks, site)
    by_id = {disk.id: disk for disk in measured.disks}
    costs = {each.disk: each.cost for each in found}
    everything = measured_speeds.stored(speeds_path())
    measured = measured_speeds.with_measured(
        measured, dict(everything.disks), everything.machine, kernel=os.uname().release
    )
    return measured, iocost_lines([(each.number, by_id[each.disk], costs[each.disk]) for each in found])


def blank_plan(inventory: Inventory, disks: Sequence[Disk]) -> Plan:
    """The plan that binds `disks`. Raises Refused if there are none, or one is in use or holds something."""
    if not disks:
        raise Refused(
            "no blank disk to measure: --iocost writes zeros", hint="raidtui disks shows what is on each of them"
        )
    plan = disks_plan(inventory, disks, slice_bytes=REGION)
    refuse_content(plan, hint="name blank disks with --only, or leave --only out")
    return plan


def confirm_writes(plan: Plan, left_out: Sequence[Disk], site: Site, options: argparse.Namespace) -> None:
    """Shows what is written to and returns when it is confirmed, as a build is. Raises Refused, Stale or Locked."""
    refuse_locked(site)
    refuse_unready(plan, site, options)
    show(iocost_page(plan, left_out), sys.stderr if options.json else sys.stdout, simulated=plan.simulated)
    confirm_word(plan, options, word="write")


def measure_costs(plan: Plan, disks: Sequence[Disk], site: Site) -> tuple[DiskCost, ...]:
    """Measures and stores what each disk costs, under the run lock; what was measured before a failure is kept."""
    found: list[DiskCost] = []
    with locked(site.lock_path) as lock:
        session = IoCostMeasurement(plan, disks, site.runner(lock), measured_state() / "iocost")
        try:
            for each in session.run():
                found.append(each)
                narrate(f"{each.disk}: {len(found)} of {len(plan.disks)} disks measured with writes", simulated=False)
        finally:
            if found:
                measured_speeds.keep_costs(speeds_path(), {each.disk: each.cost for each in found})
    narrate("all disks that were written to read as blank", simulated=False)
    return tuple(found)
