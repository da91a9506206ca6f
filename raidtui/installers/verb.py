"""`raidtui export`: a plan as input of an installer of systems, with what that loses. It executes nothing."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from raidtui.cli.inputs import assumptions, load_inventory, names_disks
from raidtui.cli.output import narrate, show, width
from raidtui.cli.verbs.plan import planned_by
from raidtui.installers.consequences import PlanPool, losses_lines, plan_disks
from raidtui.installers.exported import Export
from raidtui.installers.files import write_collection, write_export
from raidtui.installers.render import export as exported
from raidtui.machine.inventory import shipped
from raidtui.values.codec import to_json
from raidtui.values.errors import BadInput, Exit, RaidtuiError
from raidtui.values.inventory import Inventory
from raidtui.values.plan import Plan


def export(options: argparse.Namespace) -> int:
    """Prints the file of a format, or writes it to --out; what it loses goes to stderr."""
    if options.format == "ansible":
        return _collection(options)
    plan = planned_by(options)
    made = exported(plan, options.format, "adopt" if options.adopt else "native", _pool(plan, options))
    show(losses_lines(made, width(plan.simulated, sys.stderr)), sys.stderr, simulated=plan.simulated)
    if options.out is not None:
        for path in write_export(made, Path(options.out)):
            narrate(f"wrote {path}", simulated=plan.simulated)
    if options.json:
        print(to_json(made))
    elif options.out is None:
        print(_text(made), end="")
    return Exit.DONE


def _collection(options: argparse.Namespace) -> int:
    if options.json or options.adopt or options.out is not None:
        raise BadInput("ansible has no --json, --adopt or --out", hint="raidtui export ansible DIR")
    place = write_collection(Path(options.layout))
    narrate(f"wrote {place}")
    narrate(f"use it with: ANSIBLE_COLLECTIONS_PATH={place.parents[2]}; its README.md has a play")
    return Exit.DONE


def _text(made: Export) -> str:
    if len(made.files) == 1:
        return made.files[0].text
    return "\n".join(f"# ==> {file.name} <==\n{file.text}" for file in made.files)


def _pool(plan: Plan, options: argparse.Namespace) -> PlanPool | None:
    """The plan's disks with what is assumed of them; None if they are not in the inventory."""
    inventory = _inventory(plan, options)
    disks = None if inventory is None else plan_disks(plan, inventory)
    if inventory is None or disks is None:
        return None
    return PlanPool(disks, inventory, assumptions(options, disks))


def _inventory(plan: Plan, options: argparse.Namespace) -> Inventory | None:
    if names_disks(options):
        return load_inventory(options)
    if plan.simulated:
        return shipped.load(plan.host) if plan.host in shipped.names() else None
    try:
        return load_inventory(options)
    except RaidtuiError:  # without this machine's disks there are no figures, and nothing else is missing
        return None
