"""`raidtui plan`: every step of a build with its commands. It executes nothing."""

from __future__ import annotations

import argparse
import secrets
import sys
from dataclasses import replace

from raidtui.cli.inputs import chosen, design_of, read_option, target_of
from raidtui.cli.inventory import load_inventory
from raidtui.cli.output import columns, narrate, paint, working
from raidtui.machine.boot.initramfs_tool import initramfs_tool
from raidtui.model.alert import Alert
from raidtui.model.codec import to_json
from raidtui.model.counted import counted
from raidtui.model.design import stated_first_sync
from raidtui.model.errors import BadInput, Exit
from raidtui.model.plan import Plan
from raidtui.model.units import parse_binary_size
from raidtui.planner.compile.plan import compile_plan
from raidtui.planner.design.predict import predict
from raidtui.planner.text.summary import plan_text


def plan(options: argparse.Namespace) -> int:
    """Prints the plan, or writes it and its scripts to the directory of --out."""
    made = planned_by(options)
    if options.out is not None:
        from pathlib import Path  # a plan that is only printed starts faster without these two

        from raidtui.machine.run.plan_files import write_plan  # only to write a file

        with working("writing plan, scripts and runbook"):
            written = write_plan(made, Path(options.out))
        for path in written:
            narrate(f"wrote {path.absolute()}")
        if not options.json:
            return Exit.DONE
    print(to_json(made) if options.json else plan_text(made, paint(sys.stdout), columns(sys.stdout)))
    return Exit.DONE


def planned_by(options: argparse.Namespace) -> Plan:
    """The plan in the file that is named, or a new one for the layout that is given."""
    if options.layout.endswith(".json"):
        from pathlib import Path  # a plan for a new layout starts faster without these two

        from raidtui.machine.run.plan_files import read_plan  # only to read a file

        with working("reading the plan"):
            return read_plan(Path(options.layout))
    ahead = read_option("--read-ahead", options.read_ahead, parse_binary_size, None)
    design = replace(
        design_of(options),
        read_ahead_bytes=ahead,
        io_scheduler=options.io_scheduler,
        queue_depth=options.queue_depth,
        first_sync=stated_first_sync(options.first_sync),
    )
    with working("reading the disks"):
        inventory = load_inventory(options)
    design = replace(design, target=target_of(options, inventory))
    with working(f"planning {counted(design.layout.disks, 'disk')}"):
        disks = chosen(inventory, options, design)
        return compile_plan(
            design,
            inventory,
            disks,
            predict(design, disks),
            run_id=secrets.token_hex(16),
            name=options.name,
            mount_point=options.mount or f"/srv/{options.name}",
            host=options.host or inventory.name,
            initramfs=options.initramfs or initramfs_tool(inventory),
            alert=_alert(options),
        )


def _alert(options: argparse.Namespace) -> Alert | None:
    """Who hears of a failed disk; None if neither option is given. Raises BadInput for an empty one."""
    if options.mail is None and options.alert_program is None:
        return None
    if "" in (options.mail, options.alert_program):
        raise BadInput("--mail and --alert-program must not be empty", hint="leave the option out for root")
    return Alert(mail=options.mail or "", program=options.alert_program or "")
