"""`raidtui plan`: every step of a build with its commands. It executes nothing."""

from __future__ import annotations

import argparse
import os
import secrets
import sys

from raidtui.cli.inputs import chosen, decision_of, for_machine
from raidtui.cli.inventory import load_inventory
from raidtui.cli.output import columns, narrate, paint, show, working, wrapped_findings
from raidtui.machine.boot.initramfs_tool import initramfs_tool
from raidtui.model.codec import to_json
from raidtui.model.counted import counted
from raidtui.model.errors import Exit
from raidtui.model.finding import warnings
from raidtui.model.plan import Plan
from raidtui.planner.checks.existing_arrays import with_arrays_first
from raidtui.planner.compile.plan import compile_plan
from raidtui.planner.design.predict import predict
from raidtui.planner.export.build_script import plan_text


def plan(options: argparse.Namespace) -> int:
    """Prints the plan, or writes it and its scripts to the directory of --out."""
    made = planned_by(options)
    if options.out is not None:
        from pathlib import Path  # a plan that is only printed starts faster without these two

        from raidtui.machine.run.plan_writing import write_plan  # only to write a file

        with working("writing plan, scripts and runbook"):
            written = write_plan(made, Path(options.out))
        for path in written:
            narrate(f"wrote {path.absolute()}")
        show(wrapped_findings(warnings(made.findings), sys.stderr, simulated=False), sys.stderr, simulated=False)
        if not options.json:
            return Exit.DONE
    print(to_json(made) if options.json else plan_text(made, paint(sys.stdout), columns(sys.stdout)))
    return Exit.DONE


def planned_by(options: argparse.Namespace) -> Plan:
    """The plan in the file that is named, or a new one for the layout that is given."""
    if options.layout.endswith(".json") or os.path.isdir(options.layout):  # noqa: PTH112 - without pathlib
        from raidtui.cli.runs import named_plan  # only to read a file

        with working("reading the plan"):
            return named_plan(options.layout)
    decision = decision_of(options)
    with working("reading the disks"):
        inventory = load_inventory(options)
    decision = for_machine(decision, inventory)
    design = decision.design
    with working(f"planning {counted(design.layout.disks, 'disk')}"):
        disks = chosen(inventory, options, decision)
        return compile_plan(
            design,
            inventory,
            disks,
            with_arrays_first(predict(design, disks), inventory),
            run_id=secrets.token_hex(16),
            name=decision.plan_name,
            mount_point=decision.mount_point,
            host=decision.homehost or inventory.name,
            initramfs=decision.initramfs or initramfs_tool(inventory),
            alert=decision.alert,
        )
